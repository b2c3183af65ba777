/* SPDX-License-Identifier: MIT */
/*
 * Which PMBSR_ELx records a Profiling Buffer management event.
 *
 * Arm ARM:     DDI 0487 M.a, D17.8, Tables D17-5 to D17-7
 * Implements:  RHJXHT IJVQRY
 * Pseudocode:  ReportSPEEvent()
 */
#include "spu/spu_object.h"

/* FSC of Granule Protection Faults: 0b10001x, 0b1001xx, 0b101000. */
static bool fsc_is_gpf(unsigned fsc)
{
	return (fsc & 0x3e) == 0x22 || (fsc & 0x3c) == 0x24 || fsc == 0x28;
}

/* FSC of synchronous External aborts: 0b010000, 0b01001x, 0b0101xx, 0b011011. */
static bool fsc_is_external(unsigned fsc)
{
	return fsc == 0x10 || (fsc & 0x3e) == 0x12 || (fsc & 0x3c) == 0x14 || fsc == 0x1b;
}

static bool stage1(const struct clause_context *c)
{
	return c->ec == SPEMU_FAULT_STAGE1;
}

static bool stage2(const struct clause_context *c)
{
	return c->ec == SPEMU_FAULT_STAGE2;
}

static bool gpc(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_FEAT_RME) && c->ec == SPEMU_FAULT_GPC;
}

static bool gpf(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_FEAT_RME) && (stage1(c) || stage2(c)) && fsc_is_gpf(c->fsc);
}

static bool external(const struct clause_context *c)
{
	return (stage1(c) || stage2(c)) && fsc_is_external(c->fsc);
}

static bool el3_enabled(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_EL3) && (spemu__pe_pmsee(c->pe) & 2);
}

static bool el2_enabled(const struct clause_context *c)
{
	return spemu__pe_pmscr_el2_ee(c->pe) & 2;
}

static bool no_exc(const struct clause_context *c)
{
	return !pe_has(c->pe, SPEMU_FEAT_SPE_EXC);
}

static bool el3_traps_all(const struct clause_context *c)
{
	return el3_enabled(c) && spemu__pe_pmsee(c->pe) == 3;
}

static bool el3_gpc(const struct clause_context *c)
{
	return el3_enabled(c) && gpc(c);
}

static bool el3_gpf(const struct clause_context *c)
{
	return el3_enabled(c) && gpf(c) && REG_FIELD(c->pe, SCR_EL3, GPF);
}

static bool el3_external(const struct clause_context *c)
{
	return el3_enabled(c) && external(c) && !c->pe->state.debug &&
	       REG_FIELD(c->pe, SCR_EL3, EA);
}

static bool el2_traps_all(const struct clause_context *c)
{
	return spemu__pe_pmscr_el2_ee(c->pe) == 3;
}

static bool el2_owns_stage1(const struct clause_context *c)
{
	return el2_enabled(c) && stage1(c) && spemu__spu_owner(c->pe).el == 2;
}

static bool el2_stage2(const struct clause_context *c)
{
	return el2_enabled(c) && stage2(c);
}

static bool el2_gpc(const struct clause_context *c)
{
	return el2_enabled(c) && gpc(c);
}

static bool el2_gpf(const struct clause_context *c)
{
	return el2_enabled(c) && gpf(c) && REG_FIELD(c->pe, HCR_EL2, GPF);
}

static bool el2_external(const struct clause_context *c)
{
	return el2_enabled(c) && external(c) && spemu__pe_el2_enabled(c->pe) &&
	       REG_FIELD(c->pe, HCR_EL2, TEA);
}

#define EE "PMSCR_EL2.EE MDCR_EL3.PMSEE SCR_EL3.NS SCR_EL3.EEL2"
static const struct clause route_clauses[] = {
        {"RHJXHT", "FEAT_SPE_EXC is not implemented: there is PMBSR_EL1 only", "", no_exc, 1},
        {"RHJXHT", "MDCR_EL3.PMSEE is 0b11: EL3 records every event", "MDCR_EL3.PMSEE",
         el3_traps_all, 3},
        {"RHJXHT", "MDCR_EL3.PMSEE is 0b1x, and it is a GPC fault other than a GPF",
         "MDCR_EL3.PMSEE", el3_gpc, 3},
        {"RHJXHT", "MDCR_EL3.PMSEE is 0b1x, and it is a GPF that SCR_EL3.GPF routes to EL3",
         "MDCR_EL3.PMSEE SCR_EL3.GPF", el3_gpf, 3},
        {"RHJXHT",
         "MDCR_EL3.PMSEE is 0b1x, and it is an External abort that SCR_EL3.EA routes to EL3",
         "MDCR_EL3.PMSEE SCR_EL3.EA PE.state", el3_external, 3},
        {"RHJXHT", "the Effective PMSCR_EL2.EE is 0b11: EL2 records every event", EE, el2_traps_all,
         2},
        {"RHJXHT", "the Effective PMSCR_EL2.EE is 0b1x, and it is a stage 1 fault of EL2's buffer",
         EE " MDCR_EL2.E2PB MDCR_EL3.NSPBE MDCR_EL3.NSPB", el2_owns_stage1, 2},
        {"RHJXHT", "the Effective PMSCR_EL2.EE is 0b1x, and it is a stage 2 fault", EE, el2_stage2,
         2},
        {"RHJXHT", "the Effective PMSCR_EL2.EE is 0b1x, and it is a GPC fault other than a GPF", EE,
         el2_gpc, 2},
        {"RHJXHT",
         "the Effective PMSCR_EL2.EE is 0b1x, and it is a GPF that HCR_EL2.GPF routes to EL2",
         EE " HCR_EL2.GPF", el2_gpf, 2},
        {"RHJXHT",
         "the Effective PMSCR_EL2.EE is 0b1x, and it is an External abort that HCR_EL2.TEA routes "
         "to EL2",
         EE " HCR_EL2.TEA", el2_external, 2},
        {"RHJXHT", "no higher Exception level records it", "", clause_always, 1},
};
const struct decision spemu__spu_route_decision = DECISION(FOLD_FIRST, route_clauses);

unsigned spemu__route_target_el(const struct spemu_pe *pe, unsigned ec, unsigned fsc)
{
	struct clause_context c = {.pe = pe, .ec = ec, .fsc = fsc};

	return decide(&spemu__spu_route_decision, &c);
}
