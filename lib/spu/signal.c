/* SPDX-License-Identifier: MIT */
/*
 * The signals of the SPU, which depend only on its state: the interrupt request, the SPE Profiling
 * exceptions, and the freeze of the PMU's counters.
 *
 * Arm ARM:     DDI 0487 M.a, D17.8, Tables D17-8 to D17-10, D13 (freeze)
 * Implements:  RTSJRP IGRLRX ISMLLS ICTRLW RYZJQX IGMBMC ISFJPD RYMRRB RNXPMV, Tables D17-8 to
 *              D17-10
 * Pseudocode:  SPEInterruptEnabled(), SPECycle(), CheckForSPEException(), SPEFreezeOnEvent()
 * Choices:     profiling-exception-order
 */
#include "spu/spu_object.h"

#include "spu/signal_clauses.h"

/* RTSJRP: the level of PMBIRQ, and the pending exception of PMBSR_ELx, as decisions. */
const struct decision spemu__spu_interrupt_decision = DECISION(FOLD_ALL, interrupt_clauses);
const struct decision spemu__spu_exception_pending[3] = {DECISION(FOLD_ALL, pending_el1_clauses),
                                                         DECISION(FOLD_ALL, pending_el2_clauses),
                                                         DECISION(FOLD_ALL, pending_el3_clauses)};
/* RYZJQX: the masking of the exception of PMBSR_ELx.S, as decisions. */
const struct decision spemu__spu_exception_masked[3] = {DECISION(FOLD_ANY, masked_el1_clauses),
                                                        DECISION(FOLD_ANY, masked_el2_clauses),
                                                        DECISION(FOLD_ANY, masked_el3_clauses)};

bool spemu__signal_irq_level(const struct spemu_pe *pe)
{
	return decide(&spemu__spu_interrupt_decision, &(struct clause_context){.pe = pe});
}

bool spemu_spu_pmbirq(const struct spemu_spu *spu)
{
	return spemu__signal_irq_level(spu->pe);
}

static bool pending(const struct spemu_pe *pe, unsigned el)
{
	return decide(&spemu__spu_exception_pending[el - 1], &(struct clause_context){.pe = pe});
}

static const char *masked_by(const struct spemu_pe *pe, unsigned el)
{
	const struct decision *d = &spemu__spu_exception_masked[el - 1];
	struct clause_context c = {.pe = pe, .el = pe->state.el};

	for (unsigned i = 0; i < d->count; i++)
		if (d->clauses[i].holds(&c))
			return d->clauses[i].text;
	return NULL;
}

/* Return the Exception level to which an exception is taken. The exception of PMBSR_EL1 is taken to
 * EL2 if the Effective HCR_EL2.TGE is 1 (Table D17-8). */
static unsigned target_of(const struct spemu_pe *pe, unsigned el)
{
	return el == 1 && spemu__pe_tge(pe) ? 2 : el;
}

struct spemu_profiling_exception spemu__signal_exception(const struct spemu_pe *pe, unsigned el)
{
	struct spemu_profiling_exception exception = {.pending = pending(pe, el)};

	if (exception.pending) {
		exception.target_el = (uint8_t)target_of(pe, el);
		exception.masked_by = masked_by(pe, el);
		exception.masked = exception.masked_by != NULL;
	}
	return exception;
}

/* Return the Exception level of the exception that is taken now, or 0. If several exceptions are
 * unmasked, the order is IMPLEMENTATION DEFINED, and the others stay pending. */
unsigned spemu__signal_taken_to(const struct spemu_pe *pe)
{
	bool lowest = pe_choice(pe, SPEMU_CHOICE_PROFILING_EXCEPTION_ORDER) ==
	              SPEMU_PROFILING_EXCEPTION_ORDER_LOWEST_FIRST;
	unsigned target = 0;

	if (!pe_has(pe, SPEMU_FEAT_SPE_EXC))
		return 0;
	for (unsigned el = 1; el <= 3; el++) {
		if (!pending(pe, el) || masked_by(pe, el))
			continue;
		target = target_of(pe, el);
		if (lowest)
			break;
	}
	return target;
}

unsigned spemu_spu_profiling_exception_target(const struct spemu_spu *spu)
{
	return spemu__signal_taken_to(spu->pe);
}

bool spemu_spu_pmu_freeze(const struct spemu_spu *spu)
{
	const struct spemu_pe *pe = spu->pe;

	return pe_has(pe, SPEMU_FEAT_SPEV1P2) && pe_has(pe, SPEMU_FEAT_PMUV3P7) &&
	       REG_FIELD(pe, PMBLIMITR_EL1, E) && REG_FIELD(pe, PMBLIMITR_EL1, PMFZ) &&
	       spemu__spu_stopped(pe);
}

void spemu__signal_update(struct spemu_spu *s)
{
	bool irq = spemu__signal_irq_level(s->pe), freeze = spemu_spu_pmu_freeze(s);
	unsigned target = spemu_spu_profiling_exception_target(s);

	if (irq != s->irq) {
		s->irq = irq;
		if (s->host.pmbirq)
			s->host.pmbirq(s->host.ctx, irq);
	}
	if (target != s->exception_target) {
		s->exception_target = (uint8_t)target;
		if (s->host.profiling_exception)
			s->host.profiling_exception(s->host.ctx, target);
	}
	s->pe->spe_freeze = freeze;
	if (freeze != s->freeze) {
		s->freeze = freeze;
		if (s->host.pmu_freeze)
			s->host.pmu_freeze(s->host.ctx, freeze);
	}
}
