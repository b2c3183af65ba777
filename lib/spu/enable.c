/* SPDX-License-Identifier: MIT */
/*
 * Whether profiling is stopped, the buffer enabled, and profiling enabled at an Exception level.
 *
 * Arm ARM:     DDI 0487 M.a, D17.4
 * Implements:  RTWFRY RWXXFL, Tables D17-1 and D17-2 (whose print is inverted: RTWFRY decides)
 * Pseudocode:  SPEProfilingStopped(), ProfilingBufferEnabled(), StatisticalProfilingEnabled()
 */
#include "spu/spu.h"

bool spu_stopped(const struct pe *pe)
{
	if (REG_FIELD(pe, PMBSR_EL1, S))
		return true;
	if (!pe_has(pe, SPEMU_FEAT_SPE_EXC))
		return false;
	if ((pe_pmscr_el2_ee(pe) & 2) && REG_FIELD(pe, PMBSR_EL2, S))
		return true;
	return pe_has(pe, SPEMU_EL3) && (pe_pmsee(pe) & 2) && REG_FIELD(pe, PMBSR_EL3, S);
}

static bool in_aarch64(const struct clause_context *c)
{
	return !c->pe->state.aarch32 && !(c->pe->state.el_aarch32 & 1u << spu_owner(c->pe).el);
}

static bool buffer_enable_set(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_FEAT_SPE) && REG_FIELD(c->pe, PMBLIMITR_EL1, E);
}

static bool running(const struct clause_context *c)
{
	return !spu_stopped(c->pe);
}

static bool at_or_below_owner(const struct clause_context *c)
{
	return c->el <= spu_owner(c->pe).el;
}

static bool owner_el2_or_no_tge(const struct clause_context *c)
{
	return spu_owner(c->pe).el == 2 || !pe_tge(c->pe);
}

/*
 * The owner's state is that of {SCR_EL3.NSE, NS}, also for EL3: there the clause at_or_below_owner
 * has decided already.
 */
static bool in_owning_security_state(const struct clause_context *c)
{
	return spu_owner(c->pe).security == (pe_scr_nse(c->pe) << 1 | pe_scr_ns(c->pe));
}

static bool non_debug_state(const struct clause_context *c)
{
	return !c->pe->state.debug;
}

static bool enabled_by_pmscr(const struct clause_context *c)
{
	if (c->el == 2)
		return REG_FIELD(c->pe, PMSCR_EL2, E2SPE);
	if (c->el == 1) /* with HCR_EL2.TGE there is no EL1 to execute at: E1SPE is ignored */
		return !pe_tge(c->pe) && REG_FIELD(c->pe, PMSCR_EL1, E1SPE);
	if (c->el == 0 && pe_tge(c->pe))
		return REG_FIELD(c->pe, PMSCR_EL2, E0HSPE);
	return c->el == 0 && REG_FIELD(c->pe, PMSCR_EL1, E0SPE);
}

/* RWXXFL: all must hold. The first five also make ProfilingBufferEnabled(). */
const struct clause spu_profiling_enabled[] = {
        {"RWXXFL", "the PE is in AArch64 state", in_aarch64},
        {"RWXXFL", "the Profiling Buffer is enabled", buffer_enable_set},
        {"RTWFRY", "profiling is not stopped", running},
        {"RWXXFL", "the PE is in the owning Security state", in_owning_security_state},
        {"RWXXFL", "the PE is in Non-debug state", non_debug_state},
        {"RWXXFL", "the PE is at the owning Exception level or below", at_or_below_owner},
        {"RWXXFL", "the owner is EL2, or HCR_EL2.TGE is 0", owner_el2_or_no_tge},
        {"RWXXFL", "PMSCR_ELx enables profiling at this Exception level", enabled_by_pmscr},
};
const unsigned spu_profiling_enabled_count =
        sizeof(spu_profiling_enabled) / sizeof(*spu_profiling_enabled);
#define BUFFER_ENABLED_CLAUSES 5

static bool all_hold(const struct clause *table, unsigned count, const struct clause_context *c)
{
	for (unsigned i = 0; i < count; i++)
		if (!table[i].holds(c))
			return false;
	return true;
}

bool spu_buffer_enabled(const struct pe *pe)
{
	struct clause_context c = {pe, pe->state.el};

	return all_hold(spu_profiling_enabled, BUFFER_ENABLED_CLAUSES, &c);
}

bool spu_enabled_at(const struct pe *pe, unsigned el)
{
	struct clause_context c = {pe, el};

	return all_hold(spu_profiling_enabled, spu_profiling_enabled_count, &c);
}

bool spemu_profiling_stopped(const struct spemu *spu)
{
	return spu_stopped(&spu->pe);
}

bool spemu_buffer_enabled(const struct spemu *spu)
{
	return spu_buffer_enabled(&spu->pe);
}

bool spemu_profiling_enabled(const struct spemu *spu, unsigned el)
{
	return el <= 3 && spu_enabled_at(&spu->pe, el);
}
