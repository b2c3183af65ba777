/* SPDX-License-Identifier: MIT */
/*
 * The decisions about profiling: whether it is stopped, whether the buffer is enabled, and whether
 * profiling is enabled at an Exception level.
 *
 * Arm ARM:     DDI 0487 M.a, D17.4, D24.3.18
 * Implements:  RTWFRY RWXXFL RTDHBH RKRVDC IJHPHD IYCDWQ, Tables D17-1 and D17-2 (printed inverted,
 *              so RTWFRY decides)
 * Pseudocode:  SPEProfilingStopped(), ProfilingBufferEnabled(), StatisticalProfilingEnabled()
 */
#include "spu/spu_object.h"

static bool owner_in_aarch64(const struct clause_context *c)
{
	return !(c->pe->state.el_aarch32 & 1u << spemu__spu_owner(c->pe).el);
}

static bool at_or_below_owner(const struct clause_context *c)
{
	return c->el <= spemu__spu_owner(c->pe).el;
}

static bool owner_el2_or_no_tge(const struct clause_context *c)
{
	return spemu__spu_owner(c->pe).el == 2 || !spemu__pe_tge(c->pe);
}

/*
 * Return true if {SCR_EL3.NSE, NS} is the Security state of the owner. This is also correct for
 * EL3, because the clause at_or_below_owner decides first.
 */
static bool in_owning_security_state(const struct clause_context *c)
{
	return spemu__spu_owner(c->pe).security ==
	       (spemu__pe_scr_nse(c->pe) << 1 | spemu__pe_scr_ns(c->pe));
}

/* Return false for combinations that Table D17-1 marks n/a: nothing executes at EL1 with
 * HCR_EL2.TGE. */
static bool el_available(const struct clause_context *c)
{
	if (c->el == 3)
		return pe_has(c->pe, SPEMU_EL3);
	if (c->el == 2)
		return spemu__pe_el2_enabled(c->pe);
	return c->el == 0 || !spemu__pe_tge(c->pe);
}

#include "spu/enable_clauses.h"

/* RTWFRY. */
const struct decision spemu__spu_profiling_stopped = DECISION(FOLD_ANY, stopped_clauses);
/* RWXXFL: StatisticalProfilingEnabled() begins with the clauses of ProfilingBufferEnabled(). */
const struct decision spemu__spu_buffer_decision = DECISION(FOLD_ALL, buffer_clauses);
const struct decision spemu__spu_enabled_decision = DECISION(FOLD_ALL, enabled_clauses);

bool spemu__spu_stopped(const struct spemu_pe *pe)
{
	struct clause_context c = {.pe = pe};

	return decide(&spemu__spu_profiling_stopped, &c);
}

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

bool spemu_spu_profiling_enabled(const struct spemu_spu *spu, unsigned el)
{
	return el <= 3 && spemu__spu_enabled_at(spu->pe, el);
}
