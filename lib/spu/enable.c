/* SPDX-License-Identifier: MIT */
/*
 * Whether profiling is stopped, the buffer enabled, and profiling enabled at an Exception level.
 *
 * Arm ARM:     DDI 0487 M.a, D17.4, D24.3.18
 * Implements:  RTWFRY RWXXFL RTDHBH RKRVDC IJHPHD IYCDWQ, Tables D17-1 and D17-2 (whose print is inverted: RTWFRY decides)
 * Pseudocode:  SPEProfilingStopped(), ProfilingBufferEnabled(), StatisticalProfilingEnabled()
 */
#include "spu/spu_object.h"

static bool stopped_for_el1(const struct clause_context *c)
{
	return REG_FIELD(c->pe, PMBSR_EL1, S);
}

static bool stopped_for_el2(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_FEAT_SPE_EXC) && (spemu__pe_pmscr_el2_ee(c->pe) & 2) &&
	       REG_FIELD(c->pe, PMBSR_EL2, S);
}

static bool stopped_for_el3(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_FEAT_SPE_EXC) && pe_has(c->pe, SPEMU_EL3) &&
	       (spemu__pe_pmsee(c->pe) & 2) && REG_FIELD(c->pe, PMBSR_EL3, S);
}

/* RTWFRY */
#define STOPPED_EL1 "PMBSR_EL1.S"
#define STOPPED_EL2 "PMBSR_EL2.S PMSCR_EL2.EE MDCR_EL3.PMSEE SCR_EL3.NS SCR_EL3.EEL2"
#define STOPPED_EL3 "PMBSR_EL3.S MDCR_EL3.PMSEE"
static const struct clause stopped_clauses[] = {
        {"RTWFRY", "an event for EL1 has stopped profiling", STOPPED_EL1, stopped_for_el1},
        {"RTWFRY",
         "an event for EL2, which the Effective PMSCR_EL2.EE enables, has stopped profiling",
         STOPPED_EL2, stopped_for_el2},
        {"RTWFRY", "an event for EL3, which MDCR_EL3.PMSEE enables, has stopped profiling",
         STOPPED_EL3, stopped_for_el3},
};
const struct decision spemu__spu_profiling_stopped = DECISION(FOLD_ANY, stopped_clauses);

bool spemu__spu_stopped(const struct spemu_pe *pe)
{
	struct clause_context c = {.pe = pe};

	return decide(&spemu__spu_profiling_stopped, &c);
}

static bool implemented(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_FEAT_SPE);
}

static bool owner_in_aarch64(const struct clause_context *c)
{
	return !(c->pe->state.el_aarch32 & 1u << spemu__spu_owner(c->pe).el);
}

static bool in_aarch64(const struct clause_context *c)
{
	return !c->pe->state.aarch32;
}

static bool buffer_enable_set(const struct clause_context *c)
{
	return REG_FIELD(c->pe, PMBLIMITR_EL1, E);
}

static bool running(const struct clause_context *c)
{
	return !spemu__spu_stopped(c->pe);
}

static bool at_or_below_owner(const struct clause_context *c)
{
	return c->el <= spemu__spu_owner(c->pe).el;
}

static bool owner_is_reserved(const struct clause_context *c)
{
	return spemu__pe_nspb(c->pe).reserved;
}

static bool reserved_owner_enables(const struct clause_context *c)
{
	return !spemu__pe_nspb(c->pe).disables;
}

static bool owner_el2_or_no_tge(const struct clause_context *c)
{
	return spemu__spu_owner(c->pe).el == 2 || !spemu__pe_tge(c->pe);
}

/*
 * The owner's state is that of {SCR_EL3.NSE, NS}, also for EL3: there the clause at_or_below_owner
 * has decided already.
 */
static bool in_owning_security_state(const struct clause_context *c)
{
	return spemu__spu_owner(c->pe).security ==
	       (spemu__pe_scr_nse(c->pe) << 1 | spemu__pe_scr_ns(c->pe));
}

static bool non_debug_state(const struct clause_context *c)
{
	return !c->pe->state.debug;
}

/* The combinations that Table D17-1 marks n/a: with HCR_EL2.TGE there is no EL1 to execute at. */
static bool el_available(const struct clause_context *c)
{
	if (c->el == 3)
		return pe_has(c->pe, SPEMU_EL3);
	if (c->el == 2)
		return spemu__pe_el2_enabled(c->pe);
	return c->el == 0 || !spemu__pe_tge(c->pe);
}

static bool at_el2(const struct clause_context *c)
{
	return c->el == 2;
}

static bool at_el1(const struct clause_context *c)
{
	return c->el == 1;
}

static bool at_el0_of_host(const struct clause_context *c)
{
	return c->el == 0 && spemu__pe_tge(c->pe);
}

static bool at_el0_of_guest(const struct clause_context *c)
{
	return c->el == 0 && !spemu__pe_tge(c->pe);
}

static bool e2spe(const struct clause_context *c)
{
	return !at_el2(c) || REG_FIELD(c->pe, PMSCR_EL2, E2SPE);
}

static bool e1spe(const struct clause_context *c)
{
	return !at_el1(c) || REG_FIELD(c->pe, PMSCR_EL1, E1SPE);
}

static bool e0hspe(const struct clause_context *c)
{
	return !at_el0_of_host(c) || REG_FIELD(c->pe, PMSCR_EL2, E0HSPE);
}

static bool e0spe(const struct clause_context *c)
{
	return !at_el0_of_guest(c) || REG_FIELD(c->pe, PMSCR_EL1, E0SPE);
}

/* RWXXFL: all must hold. The first ones make ProfilingBufferEnabled(). */
#define SCR_STATE "SCR_EL3.NSE SCR_EL3.NS "
#define OWNER_SECURITY "MDCR_EL3.NSPBE MDCR_EL3.NSPB"
#define OWNER_EL "MDCR_EL2.E2PB SCR_EL3.EEL2 " OWNER_SECURITY
#define TGE "HCR_EL2.TGE SCR_EL3.NS SCR_EL3.EEL2"
const struct clause spemu__spu_profiling_enabled[] = {
        {"D17.1", "Statistical Profiling is implemented", "", implemented},
        {"RWXXFL", "the Profiling Buffer is enabled", "PMBLIMITR_EL1.E", buffer_enable_set},
        {"RTWFRY", "profiling is not stopped", STOPPED_EL1 " " STOPPED_EL2 " PMBSR_EL3.S", running},
        {"D24.3",
         "the reserved value of MDCR_EL3.{NSPBE, NSPB} is taken to select a Security state",
         OWNER_SECURITY, reserved_owner_enables, .applies = owner_is_reserved},
        {"RWXXFL", "the PE is in the owning Security state", SCR_STATE OWNER_SECURITY,
         in_owning_security_state},
        {"RWXXFL", "the PE is in Non-debug state", "PE.state", non_debug_state},
        {"RWXXFL", "the owning Exception level uses AArch64", "EL1.nRW EL2.nRW " OWNER_EL,
         owner_in_aarch64},
#define BUFFER_ENABLED_CLAUSES 7
        {"RWXXFL", "the PE is in AArch64 state", "PSTATE.nRW", in_aarch64},
        {"D17-1", "there is this Exception level in the present state", "PSTATE.EL " TGE,
         el_available},
        {"RWXXFL", "the PE is at the owning Exception level or below", "PSTATE.EL " OWNER_EL,
         at_or_below_owner},
        {"RWXXFL", "the owner is EL2, or HCR_EL2.TGE is 0", "HCR_EL2.TGE SCR_EL3.NS " OWNER_EL,
         owner_el2_or_no_tge},
        {"RWXXFL", "PMSCR_EL2 enables profiling at EL2", "PMSCR_EL2.E2SPE PSTATE.EL", e2spe,
         .applies = at_el2},
        {"RWXXFL", "PMSCR_EL1 enables profiling at EL1", "PMSCR_EL1.E1SPE PSTATE.EL", e1spe,
         .applies = at_el1},
        {"RWXXFL", "PMSCR_EL2 enables profiling at EL0 where HCR_EL2.TGE is 1",
         "PMSCR_EL2.E0HSPE PSTATE.EL " TGE, e0hspe, .applies = at_el0_of_host},
        {"RWXXFL", "PMSCR_EL1 enables profiling at EL0 where HCR_EL2.TGE is 0",
         "PMSCR_EL1.E0SPE PSTATE.EL " TGE, e0spe, .applies = at_el0_of_guest},
};
const unsigned spemu__spu_profiling_enabled_count =
        sizeof(spemu__spu_profiling_enabled) / sizeof(*spemu__spu_profiling_enabled);
const struct decision spemu__spu_enabled_decision =
        DECISION(FOLD_ALL, spemu__spu_profiling_enabled);
const struct decision spemu__spu_buffer_decision = {FOLD_ALL, BUFFER_ENABLED_CLAUSES,
                                                    spemu__spu_profiling_enabled};

bool spemu__spu_buffer_enabled(const struct spemu_pe *pe)
{
	struct clause_context c = {.pe = pe, .el = pe->state.el};

	return decide(&spemu__spu_buffer_decision, &c);
}

bool spemu__spu_enabled_at(const struct spemu_pe *pe, unsigned el)
{
	struct clause_context c = {.pe = pe, .el = el};

	return decide(&spemu__spu_enabled_decision, &c);
}

bool spemu__spu_el_available(const struct spemu_pe *pe, unsigned el)
{
	struct clause_context c = {.pe = pe, .el = el};

	return el_available(&c);
}

bool spemu_spu_profiling_stopped(const struct spemu_spu *spu)
{
	return spemu__spu_stopped(spu->pe);
}

bool spemu_spu_buffer_enabled(const struct spemu_spu *spu)
{
	return spemu__spu_buffer_enabled(spu->pe);
}

bool spemu_spu_profiling_enabled(const struct spemu_spu *spu, unsigned el)
{
	return el <= 3 && spemu__spu_enabled_at(spu->pe, el);
}
