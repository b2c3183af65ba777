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

bool spemu__signal_irq_level(const struct spemu_pe *pe)
{
	return pe_has(pe, SPEMU_FEAT_SPE) && spemu__pe_pmscr_el1_ee(pe) == 0 &&
	       REG_FIELD(pe, PMBSR_EL1, S);
}

bool spemu_pmbirq(const struct spemu *spu)
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

static bool pending(const struct spemu_pe *pe, unsigned el)
{
	if (!pe_has(pe, SPEMU_FEAT_SPE_EXC))
		return false;
	switch (el) {
	case 3:
		return pe_has(pe, SPEMU_EL3) && (spemu__pe_pmsee(pe) & 2) &&
		       REG_FIELD(pe, PMBSR_EL3, S);
	case 2:
		return spemu__pe_el2_enabled(pe) && (spemu__pe_pmscr_el2_ee(pe) & 2) &&
		       REG_FIELD(pe, PMBSR_EL2, S);
	default:
		return spemu__pe_pmscr_el1_ee(pe) == 3 && REG_FIELD(pe, PMBSR_EL1, S);
	}
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

int spemu_profiling_exception(const struct spemu *spu, struct spemu_profiling_exception *exception,
                              unsigned el)
{
	const struct spemu_pe *pe = spu->pe;

	*exception = (struct spemu_profiling_exception){0};
	if (el < 1 || el > 3)
		return SPEMU_ERR_INVALID;
	exception->pending = pending(pe, el);
	if (!exception->pending)
		return SPEMU_OK;
	exception->target_el = (uint8_t)(el == 1 && spemu__pe_tge(pe) ? 2 : el);
	exception->masked_by = masked_by(pe, el);
	exception->masked = exception->masked_by != NULL;
	return SPEMU_OK;
}

/* Which of several is taken first is IMPLEMENTATION DEFINED; the others stay pending. */
unsigned spemu_profiling_exception_target(const struct spemu *spu)
{
	bool lowest = pe_choice(spu->pe, SPEMU_CHOICE_PROFILING_EXCEPTION_ORDER) ==
	              SPEMU_PROFILING_EXCEPTION_ORDER_LOWEST_FIRST;
	unsigned target = 0;

	if (!pe_has(spu->pe, SPEMU_FEAT_SPE_EXC))
		return 0;
	for (unsigned el = 1; el <= 3; el++) {
		if (!pending(spu->pe, el) || masked_by(spu->pe, el))
			continue;
		target = el == 1 && spemu__pe_tge(spu->pe) ? 2 : el;
		if (lowest)
			break;
	}
	return target;
}

bool spemu_pmu_freeze(const struct spemu *spu)
{
	const struct spemu_pe *pe = spu->pe;

	return pe_has(pe, SPEMU_FEAT_SPEV1P2) && pe_has(pe, SPEMU_FEAT_PMUV3P7) &&
	       REG_FIELD(pe, PMBLIMITR_EL1, E) && REG_FIELD(pe, PMBLIMITR_EL1, PMFZ) &&
	       spemu__spu_stopped(pe);
}

void spemu__signal_update(struct spemu *s)
{
	bool irq = spemu__signal_irq_level(s->pe), freeze = spemu_pmu_freeze(s);
	unsigned target = spemu_profiling_exception_target(s);

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
