/* SPDX-License-Identifier: MIT */
/*
 * What the SPU asks for, derived from state and from nothing else: the interrupt request, the SPE
 * Profiling exceptions, and that the PMU's counters freeze.
 *
 * Arm ARM:     DDI 0487 M.a, D17.8, Tables D17-8 to D17-10, D13 (freeze)
 * Implements:  RTSJRP IGRLRX ISMLLS ICTRLW RYZJQX IGMBMC ISFJPD RYMRRB RNXPMV, Tables D17-8 to
 *              D17-10
 * Pseudocode:  SPEInterruptEnabled(), SPECycle(), CheckForSPEException(), SPEFreezeOnEvent()
 * Choices:     profiling-exception-order
 */
#include "spu/spu_object.h"

static bool implemented(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_FEAT_SPE);
}

static bool el1_ee_is_interrupt(const struct clause_context *c)
{
	return spemu__pe_pmscr_el1_ee(c->pe) == 0;
}

static bool el1_ee_is_exception(const struct clause_context *c)
{
	return spemu__pe_pmscr_el1_ee(c->pe) == 3;
}

static bool event_for_el1(const struct clause_context *c)
{
	return REG_FIELD(c->pe, PMBSR_EL1, S);
}

/* RTSJRP: when PMBIRQ is asserted. */
#define EL1_EE "PMSCR_EL1.EE PMSCR_EL2.EE MDCR_EL3.PMSEE SCR_EL3.NS SCR_EL3.EEL2"
static const struct clause interrupt_clauses[] = {
        {"D17.1", "Statistical Profiling is implemented", "", implemented},
        {"RTSJRP", "the Effective PMSCR_EL1.EE is 0b00", EL1_EE, el1_ee_is_interrupt},
        {"RTSJRP", "PMBSR_EL1 holds an event: S is 1", "PMBSR_EL1.S", event_for_el1},
};
const struct decision spemu__spu_interrupt_decision = DECISION(FOLD_ALL, interrupt_clauses);

bool spemu__signal_irq_level(const struct spemu_pe *pe)
{
	return decide(&spemu__spu_interrupt_decision, &(struct clause_context){.pe = pe});
}

bool spemu_spu_pmbirq(const struct spemu_spu *spu)
{
	return spemu__signal_irq_level(spu->pe);
}

static bool halted(const struct clause_context *c)
{
	return c->pe->state.debug;
}

static bool at_el3(const struct clause_context *c)
{
	return c->pe->state.el == 3;
}

static bool above_el1(const struct clause_context *c)
{
	return c->pe->state.el > 1;
}

static bool at_el2(const struct clause_context *c)
{
	return c->pe->state.el == 2;
}

static bool at_el1(const struct clause_context *c)
{
	return c->pe->state.el == 1;
}

static bool other_security_state(const struct clause_context *c)
{
	return spemu__spu_owner(c->pe).security != spemu__pe_security_at(c->pe, c->pe->state.el);
}

static bool at_el2_and_not_all(const struct clause_context *c)
{
	return at_el2(c) && spemu__pe_pmscr_el2_ee(c->pe) != 3;
}

static bool at_el2_without_ke(const struct clause_context *c)
{
	return at_el2(c) && !REG_FIELD(c->pe, PMSCR_EL2, KE);
}

static bool at_el1_without_ke(const struct clause_context *c)
{
	return at_el1(c) && !REG_FIELD(c->pe, PMSCR_EL1, KE);
}

static bool at_el2_with_pm(const struct clause_context *c)
{
	return at_el2(c) && c->pe->state.pm;
}

static bool at_el1_with_pm(const struct clause_context *c)
{
	return at_el1(c) && c->pe->state.pm;
}

/* RYZJQX: what masks the exception of PMBSR_ELx.S. */
#define OWNER_STATE "MDCR_EL3.NSPBE MDCR_EL3.NSPB SCR_EL3.NSE SCR_EL3.NS PSTATE.EL"
#define EL2_EE "PSTATE.EL PMSCR_EL2.EE MDCR_EL3.PMSEE SCR_EL3.NS SCR_EL3.EEL2"
static const struct clause masked_el3[] = {
        {"RYZJQX", "the PE is in Debug state", "PE.state", halted},
        {"RYZJQX", "the PE is at EL3", "PSTATE.EL", at_el3},
};
static const struct clause masked_el2[] = {
        {"RYZJQX", "the PE is in Debug state", "PE.state", halted},
        {"RYZJQX", "the PE is at EL3", "PSTATE.EL", at_el3},
        {"RYZJQX", "the PE is not in the owning Security state", OWNER_STATE, other_security_state},
        {"RYZJQX", "the PE is at EL2 and PMSCR_EL2.EE is not 0b11", EL2_EE, at_el2_and_not_all},
        {"RYZJQX", "the PE is at EL2 and PMSCR_EL2.KE is 0", "PSTATE.EL PMSCR_EL2.KE",
         at_el2_without_ke},
        {"RYZJQX", "the PE is at EL2 and PSTATE.PM is 1", "PSTATE.EL PSTATE.PM", at_el2_with_pm},
};
static const struct clause masked_el1[] = {
        {"RYZJQX", "the PE is in Debug state", "PE.state", halted},
        {"RYZJQX", "the PE is above EL1", "PSTATE.EL", above_el1},
        {"RYZJQX", "the PE is not in the owning Security state", OWNER_STATE, other_security_state},
        {"RYZJQX", "the PE is at EL1 and PMSCR_EL1.KE is 0", "PSTATE.EL PMSCR_EL1.KE",
         at_el1_without_ke},
        {"RYZJQX", "the PE is at EL1 and PSTATE.PM is 1", "PSTATE.EL PSTATE.PM", at_el1_with_pm},
};
const struct decision spemu__spu_exception_masked[3] = {DECISION(FOLD_ANY, masked_el1),
                                                        DECISION(FOLD_ANY, masked_el2),
                                                        DECISION(FOLD_ANY, masked_el3)};

static bool has_exceptions(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_FEAT_SPE_EXC);
}

static bool el3_there(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_EL3);
}

static bool el2_there(const struct clause_context *c)
{
	return spemu__pe_el2_enabled(c->pe);
}

static bool el3_ee_enables(const struct clause_context *c)
{
	return spemu__pe_pmsee(c->pe) & 2;
}

static bool el2_ee_enables(const struct clause_context *c)
{
	return spemu__pe_pmscr_el2_ee(c->pe) & 2;
}

static bool event_for_el3(const struct clause_context *c)
{
	return REG_FIELD(c->pe, PMBSR_EL3, S);
}

static bool event_for_el2(const struct clause_context *c)
{
	return REG_FIELD(c->pe, PMBSR_EL2, S);
}

/* RTSJRP: when the exception of PMBSR_ELx is pending. */
#define HAS_EXCEPTIONS                                                      \
	{                                                                   \
		"RTSJRP", "FEAT_SPE_EXC is implemented", "", has_exceptions \
	}
static const struct clause pending_el1[] = {
        HAS_EXCEPTIONS,
        {"RTSJRP", "the Effective PMSCR_EL1.EE is 0b11", EL1_EE, el1_ee_is_exception},
        {"RTSJRP", "PMBSR_EL1 holds an event: S is 1", "PMBSR_EL1.S", event_for_el1},
};
static const struct clause pending_el2[] = {
        HAS_EXCEPTIONS,
        {"RTSJRP", "EL2 is implemented and enabled", "SCR_EL3.NS SCR_EL3.EEL2", el2_there},
        {"RTSJRP", "the Effective PMSCR_EL2.EE is 0b1x", EL2_EE, el2_ee_enables},
        {"RTSJRP", "PMBSR_EL2 holds an event: S is 1", "PMBSR_EL2.S", event_for_el2},
};
static const struct clause pending_el3[] = {
        HAS_EXCEPTIONS,
        {"RTSJRP", "EL3 is implemented", "", el3_there},
        {"RTSJRP", "MDCR_EL3.PMSEE is 0b1x", "MDCR_EL3.PMSEE", el3_ee_enables},
        {"RTSJRP", "PMBSR_EL3 holds an event: S is 1", "PMBSR_EL3.S", event_for_el3},
};
const struct decision spemu__spu_exception_pending[3] = {DECISION(FOLD_ALL, pending_el1),
                                                         DECISION(FOLD_ALL, pending_el2),
                                                         DECISION(FOLD_ALL, pending_el3)};

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

/* Table D17-8: the exception of PMBSR_EL1 is taken to EL2 where HCR_EL2.TGE is Effectively 1. */
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

int spemu_spu_profiling_exception(const struct spemu_spu *spu,
                                  struct spemu_profiling_exception *exception, unsigned el)
{
	*exception = (struct spemu_profiling_exception){0};
	if (el < 1 || el > 3)
		return SPEMU_ERR_INVALID;
	*exception = spemu__signal_exception(spu->pe, el);
	return SPEMU_OK;
}

/* Which of several is taken first is IMPLEMENTATION DEFINED; the others stay pending. */
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
