/* SPDX-License-Identifier: MIT */
/*
 * Reasons that keep records out of the Profiling Buffer although profiling is enabled, and
 * management events that cannot happen.
 *
 * Arm ARM:     DDI 0487 M.a, D17.5.5, D17.7.4, D17.7.6, D17.8.3, D17.8.4, D24.7.5, D24.7.12,
 *              D24.7.15
 * Choices:     external-abort, external-abort-on-walk
 */
#include "explain/explain.h"

enum { LEAST_RECORD_LOG2 = 6 }; /* PMSIDR_EL1.MaxSize is 6 to 11 */

/* Return the violations of the pointers. If the identification registers of the PE were not
 * given, records have the smallest size and no alignment. */
static unsigned violations(const struct spemu_pe *pe)
{
	unsigned size = (unsigned)REG_FIELD(pe, PMSIDR_EL1, MaxSize);

	return spemu__restart_violations(pe, size < LEAST_RECORD_LOG2 ? LEAST_RECORD_LOG2 : size,
	                                 (unsigned)REG_FIELD(pe, PMBIDR_EL1, Align));
}

/* ---- events that cannot occur ---- */

enum { OTHER = 0, BUFFER_SIZE = 4 };

static bool is_data_abort(const struct clause_context *c)
{
	return c->ec == SPEMU_FAULT_STAGE1 || c->ec == SPEMU_FAULT_STAGE2;
}

static bool is_external_on_write(const struct clause_context *c)
{
	return is_data_abort(c) && (c->fsc == 0x10 || c->fsc == 0x11);
}

static bool is_external_on_walk(const struct clause_context *c)
{
	return is_data_abort(c) && ((c->fsc >= 0x12 && c->fsc <= 0x17) || c->fsc == 0x1b);
}

static bool is_granule_protection(const struct clause_context *c)
{
	return c->ec == SPEMU_FAULT_GPC || (is_data_abort(c) && c->fsc >= 0x22 && c->fsc <= 0x28);
}

/* Return true if the choice external-abort decides about an External abort. For an abort on a walk,
 * it does so only if the choice external-abort-on-walk says as-on-write. */
static bool abort_is_chosen(const struct clause_context *c)
{
	return is_external_on_write(c) ||
	       (is_external_on_walk(c) && pe_choice(c->pe, SPEMU_CHOICE_EXTERNAL_ABORT_ON_WALK) ==
	                                          SPEMU_EXTERNAL_ABORT_ON_WALK_AS_ON_WRITE);
}

static bool abort_ends_otherwise(const struct clause_context *c)
{
	unsigned option = pe_choice(c->pe, SPEMU_CHOICE_EXTERNAL_ABORT);

	return abort_is_chosen(c) &&
	       option != (c->fsc == 0x11 ? SPEMU_EXTERNAL_ABORT_REPORTED_ASYNCHRONOUSLY
	                                 : SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY);
}

static bool stage2_is_absent(const struct clause_context *c)
{
	struct spemu_owner owner = spemu__spu_owner(c->pe);

	return c->ec == SPEMU_FAULT_STAGE2 &&
	       (owner.el == 2 || !spemu__pe_el2_in_security(c->pe, owner.security));
}

/* Return true for a stage 1 fault that cannot happen because stage 1 is absent. Address size and
 * Alignment faults, and faults of the write itself, remain possible. */
static bool stage1_is_absent(const struct clause_context *c)
{
	bool of_access = c->fsc == 0x00 || c->fsc == 0x03 || c->fsc == 0x10 || c->fsc == 0x11 ||
	                 c->fsc == 0x21 || c->fsc == 0x28;

	return c->ec == SPEMU_FAULT_STAGE1 && !of_access && spemu__spu_effective_nvm(c->pe);
}

enum { EVENT_EXCLUDED, EVENT_OCCURS };

#include "explain/written_clauses.h"

/* The value of a clause that does not hold is the result for records. If several do not hold, the
 * largest value counts. */
const struct decision spemu__explain_written = DECISION(FOLD_ALL, written_clauses);
const struct decision spemu__explain_occurs = DECISION(FOLD_FIRST, occurs_clauses);

unsigned spemu__explain_written_value(const struct spemu_pe *pe)
{
	const struct clause_context c = {.pe = pe};
	unsigned value = SPEMU_WRITTEN_YES;

	for (unsigned i = 0; i < spemu__explain_written.count; i++) {
		const struct clause *clause = &written_clauses[i];

		if ((!clause->applies || clause->applies(&c)) && !clause->holds(&c) &&
		    clause->value > value)
			value = clause->value;
	}
	return value;
}
