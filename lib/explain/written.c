/* SPDX-License-Identifier: MIT */
/*
 * What keeps records out of the Profiling Buffer although profiling is enabled, and which management events cannot happen.
 *
 * Arm ARM:     DDI 0487 M.a, D17.5.5, D17.7.4, D17.7.6, D17.8.3, D17.8.4, D24.7.5, D24.7.12, D24.7.15
 * Choices:     external-abort, external-abort-on-walk
 */
#include "explain/explain.h"

enum { LEAST_RECORD_LOG2 = 6 }; /* PMSIDR_EL1.MaxSize is 6 to 11 */

static bool no_discard_mode(const struct clause_context *c)
{
	return !spemu__buffer_discard_mode(c->pe);
}

static bool discard_mode(const struct clause_context *c)
{
	return spemu__buffer_discard_mode(c->pe);
}

/* A PE whose identification registers were not written down has the least record size, and no alignment. */
static unsigned violations(const struct spemu_pe *pe)
{
	unsigned size = (unsigned)REG_FIELD(pe, PMSIDR_EL1, MaxSize);

	return spemu__restart_violations(pe, size < LEAST_RECORD_LOG2 ? LEAST_RECORD_LOG2 : size,
	                                 (unsigned)REG_FIELD(pe, PMBIDR_EL1, Align));
}

static bool has_room(const struct clause_context *c)
{
	return !(violations(c->pe) & RESTRICTION_ROOM);
}

static bool has_same_top_byte(const struct clause_context *c)
{
	return !(violations(c->pe) & RESTRICTION_TOP_BYTE);
}

static bool is_aligned(const struct clause_context *c)
{
	return !(violations(c->pe) & RESTRICTION_ALIGNMENT);
}

static bool has_interval(const struct clause_context *c)
{
	return REG_FIELD(c->pe, PMSIRR_EL1, INTERVAL) != 0;
}

static bool types_make_sense(const struct clause_context *c)
{
	return spemu__filter_types_make_sense(c->pe);
}

static bool some_type_passes(const struct clause_context *c)
{
	return spemu__filter_some_type_passes(c->pe);
}

static bool events_make_sense(const struct clause_context *c)
{
	return spemu__filter_events_make_sense(c->pe);
}

static bool latency_makes_sense(const struct clause_context *c)
{
	return spemu__filter_latency_makes_sense(c->pe);
}

/* The value of a clause is what becomes of records where it does not hold. */
#define TYPES "PMSFCR_EL1.FT PMSFCR_EL1.B PMSFCR_EL1.LD PMSFCR_EL1.ST PMSFCR_EL1.FP PMSFCR_EL1.SIMD"
#define POINTERS "PMBPTR_EL1 PMBLIMITR_EL1.LIMIT "
static const struct clause written_clauses[] = {
        {"D17.5.5", "the SPU is not in Discard mode", "PMBLIMITR_EL1.FM", no_discard_mode,
         SPEMU_WRITTEN_NEVER},
        {"RHXSYK", "PMBPTR_EL1 is at least one record below the limit",
         POINTERS "PMSIDR_EL1.MaxSize", has_room, SPEMU_WRITTEN_UNPREDICTABLE,
         .applies = no_discard_mode},
        {"RHXSYK", "PMBPTR_EL1 and the limit have the same bits [63:56]", POINTERS,
         has_same_top_byte, SPEMU_WRITTEN_UNPREDICTABLE, .applies = no_discard_mode},
        {"RHLXGD", "PMBPTR_EL1 is aligned to PMBIDR_EL1.Align", "PMBPTR_EL1 PMBIDR_EL1.Align",
         is_aligned, SPEMU_WRITTEN_UNPREDICTABLE, .applies = no_discard_mode},
        {"D24.7", "the sample interval is not 0", "PMSIRR_EL1.INTERVAL", has_interval,
         SPEMU_WRITTEN_UNPREDICTABLE},
        {"D24.7", "the filter by type selects a type", TYPES, types_make_sense,
         SPEMU_WRITTEN_UNPREDICTABLE},
        {"RYGCFK", "an operation can have the type that the filter asks for",
         TYPES " PMSFCR_EL1.Bm PMSFCR_EL1.LDm PMSFCR_EL1.STm PMSFCR_EL1.FPm PMSFCR_EL1.SIMDm",
         some_type_passes, SPEMU_WRITTEN_NEVER},
        {"D24.7", "the filters by events select events, and no event both ways",
         "PMSFCR_EL1.FE PMSEVFR_EL1 PMSFCR_EL1.FnE PMSNEVFR_EL1", events_make_sense,
         SPEMU_WRITTEN_UNPREDICTABLE},
        {"D24.7", "the filter by latency has a minimum", "PMSFCR_EL1.FL PMSLATFR_EL1.MINLAT",
         latency_makes_sense, SPEMU_WRITTEN_UNPREDICTABLE},
};
const struct decision spemu__explain_written = DECISION(FOLD_ALL, written_clauses);

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

/* ---- events that cannot happen ---- */

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

static bool not_implemented(const struct clause_context *c)
{
	return !pe_has(c->pe, SPEMU_FEAT_SPE);
}

static bool stopped(const struct clause_context *c)
{
	return spemu__spu_stopped(c->pe);
}

static bool discarded(const struct clause_context *c)
{
	return !c->collision && discard_mode(c);
}

static bool lacks_rme(const struct clause_context *c)
{
	return is_granule_protection(c) && !pe_has(c->pe, SPEMU_FEAT_RME);
}

static bool lacks_hafdbs(const struct clause_context *c)
{
	return is_data_abort(c) && c->fsc == 0x31 && !pe_has(c->pe, SPEMU_FEAT_HAFDBS);
}

static bool lacks_limit(const struct clause_context *c)
{
	return c->ec == OTHER && c->fsc == BUFFER_SIZE &&
	       !REG_FIELD(c->pe, PMBIDR_EL1, MaxBuffSize);
}

/* An External abort goes the way of the choice external-abort, on a walk only if another choice says so. */
static bool abort_is_chosen(const struct clause_context *c)
{
	return is_external_on_write(c) ||
	       (is_external_on_walk(c) && pe_choice(c->pe, SPEMU_CHOICE_EXTERNAL_ABORT_ON_WALK) ==
	                                          SPEMU_EXTERNAL_ABORT_ON_WALK_AS_ON_WRITE);
}

static bool aborts_are_not_reported(const struct clause_context *c)
{
	return abort_is_chosen(c) && pe_has(c->pe, SPEMU_FEAT_SPEV1P3);
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

/* Without a stage 1 there are Address size and Alignment faults, and what the access itself meets. */
static bool stage1_is_absent(const struct clause_context *c)
{
	bool of_access = c->fsc == 0x00 || c->fsc == 0x03 || c->fsc == 0x10 || c->fsc == 0x11 ||
	                 c->fsc == 0x21 || c->fsc == 0x28;

	return c->ec == SPEMU_FAULT_STAGE1 && !of_access && spemu__spu_effective_nvm(c->pe);
}

#define STOPPED "PMBSR_EL1.S PMBSR_EL2.S PMBSR_EL3.S PMSCR_EL2.EE MDCR_EL3.PMSEE"
#define OWNER "MDCR_EL2.E2PB SCR_EL3.EEL2 MDCR_EL3.NSPBE MDCR_EL3.NSPB"
static const struct clause occurs_clauses[] = {
        {"D17.1", "Statistical Profiling is not implemented", "", not_implemented, 0},
        {"D24.7", "it needs FEAT_RME, which is not implemented", "", lacks_rme, 0},
        {"D24.7", "it needs FEAT_HAFDBS, which is not implemented", "", lacks_hafdbs, 0},
        {"D24.7", "the size of the buffer has no limit", "PMBIDR_EL1.MaxBuffSize", lacks_limit, 0},
        {"ITCPLL", "with FEAT_SPEv1p3 no External abort is reported to the SPU", "",
         aborts_are_not_reported, 0},
        {"RJFYNW", "External aborts end otherwise here (choice external-abort)", "",
         abort_ends_otherwise, 0},
        {"RKFMHR", "the owning translation regime has no stage 2", OWNER, stage2_is_absent, 0},
        {"RPSLVX", "the buffer's addresses are not translated by stage 1",
         "PMBLIMITR_EL1.nVM PMSCR_EL2.EnVM", stage1_is_absent, 0},
        {"RTWFRY", "profiling is stopped by an earlier event", STOPPED, stopped, 0},
        {"D17.5.5", "in Discard mode no buffer management event is generated", "PMBLIMITR_EL1.FM",
         discarded, 0},
        {"D17.8", "nothing in this state excludes it", "", clause_always, 1},
};
const struct decision spemu__explain_occurs = DECISION(FOLD_FIRST, occurs_clauses);
