/* SPDX-License-Identifier: MIT */
/* Test the effect of each option of the collection choices on the record (D17.2.1, D17.6,
 * D18.2). */
#include "spu_fixture.h"

#include <spemu/choices.h>

/* Profile EL1 and EL0, with physical addresses in the records. */
static void start(struct fixture *f, const char *features)
{
	fixture_start(f, features, NULL);
	program(f, 1);
	set(f, SPEMU_REG_PMSCR_EL1,
	    FIELD(PMSCR_EL1, PA, 1) | FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	at_el(f, 1);
}

static void choose(struct fixture *f, enum spemu_choice choice, unsigned option)
{
	assert_int_equal(spemu_choice_set(f->pe, choice, option), SPEMU_OK);
}

static struct spemu_record finish(struct fixture *f, const struct spemu_op *op)
{
	set(f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
	assert_int_equal(sample(f, op).outcome, SPEMU_SAMPLE_RECORDED);
	return record_at(f, BUFFER_BASE);
}

static bool has_addr(const struct spemu_record *rec, unsigned index)
{
	return rec->present & SPEMU_RECORD_ADDR(index);
}

static void isb_is_branch_or_other_by_choice(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	op.kind.flags = SPEMU_OPF_ISB;
	op.pc = 0x1000;
	start(&f, "v8.2" EL1_ONLY);
	rec = finish(&f, &op);
	assert_int_equal(rec.op_class, 0);
	choose(&f, SPEMU_CHOICE_ISB_AS_BRANCH, SPEMU_ISB_AS_BRANCH_BRANCH);
	rec = finish(&f, &op);
	assert_int_equal(rec.op_class, 2);
	assert_int_equal(rec.op_subclass, 0);
	assert_true(rec.addr[SPEMU_ADDR_BRANCH_TARGET] == (UINT64_C(0xa0) << 56 | 0x1004));
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, B, 1) | FIELD(PMSFCR_EL1, FT, 1));
	assert_int_equal(sample(&f, &op).filters, 0);
	choose(&f, SPEMU_CHOICE_ISB_AS_BRANCH, SPEMU_ISB_AS_BRANCH_OTHER);
	assert_int_equal(sample(&f, &op).filters, 2);
	fixture_stop(&f);
}

static void conditional_select_is_conditional_by_choice(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER), branch = an_op(SPEMU_OP_BRANCH);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	op.kind.flags = branch.kind.flags = SPEMU_OPF_CONDITIONAL;
	start(&f, "v8.2" EL1_ONLY);
	rec = finish(&f, &op);
	assert_int_equal(rec.op_subclass, 1);
	assert_int_equal(rec.events, EV(NOT_TAKEN) | EV(RETIRED));
	choose(&f, SPEMU_CHOICE_CONDITIONAL_SELECT, SPEMU_CONDITIONAL_SELECT_UNCONDITIONAL);
	rec = finish(&f, &op);
	assert_int_equal(rec.op_subclass, 0);
	assert_int_equal(rec.events, EV(RETIRED));
	assert_int_equal(finish(&f, &branch).events, EV(NOT_TAKEN) | EV(RETIRED));
	fixture_stop(&f);
}

/*
 * D17.6.3.1: the previous branch target after an exception return, an exception, an ISB or another
 * Context synchronization event. The sampled operation is a taken branch, an untaken branch or not
 * a branch.
 */
static void previous_target_after_synchronization_follows_choice(void **state)
{
	const struct {
		enum spemu_choice choice;
		unsigned option;
		uint32_t flags; /* flags of the last branch */
		bool isb;
		enum { LOAD, TAKEN, NOT_TAKEN } sampled;
		uint64_t target; /* expected previous target; 0 if none */
	} rows[] = {
	        {SPEMU_CHOICE_PREVIOUS_TARGET_OF_ERET, SPEMU_PREVIOUS_TARGET_OF_ERET_RECORDED,
	         SPEMU_OPF_ERET, false, TAKEN, 0x2000},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_OF_ERET, SPEMU_PREVIOUS_TARGET_OF_ERET_NOT_RECORDED,
	         SPEMU_OPF_ERET, false, TAKEN, 0},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_OF_EXCEPTION,
	         SPEMU_PREVIOUS_TARGET_OF_EXCEPTION_RECORDED, SPEMU_OPF_EXCEPTION, false, TAKEN,
	         0x2000},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_OF_EXCEPTION,
	         SPEMU_PREVIOUS_TARGET_OF_EXCEPTION_NOT_RECORDED, SPEMU_OPF_EXCEPTION, false, TAKEN,
	         0},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_OF_ISB, SPEMU_PREVIOUS_TARGET_OF_ISB_NO_BRANCH,
	         SPEMU_OPF_ISB, false, TAKEN, 0x1000},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_OF_ISB, SPEMU_PREVIOUS_TARGET_OF_ISB_RECORDED,
	         SPEMU_OPF_ISB, false, TAKEN, 0x2000},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_OF_ISB, SPEMU_PREVIOUS_TARGET_OF_ISB_NOT_RECORDED,
	         SPEMU_OPF_ISB, false, TAKEN, 0},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION,
	         SPEMU_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION_RECORDED, 0, true, TAKEN, 0x2000},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION,
	         SPEMU_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION_NOT_RECORDED, 0, true, TAKEN, 0},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_WITHOUT_BRANCH,
	         SPEMU_PREVIOUS_TARGET_WITHOUT_BRANCH_RECORDED, 0, false, LOAD, 0x2000},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_WITHOUT_BRANCH,
	         SPEMU_PREVIOUS_TARGET_WITHOUT_BRANCH_NOT_RECORDED, 0, false, LOAD, 0},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_WITHOUT_BRANCH,
	         SPEMU_PREVIOUS_TARGET_WITHOUT_BRANCH_NOT_RECORDED, 0, false, TAKEN, 0x2000},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_WITHOUT_BRANCH,
	         SPEMU_PREVIOUS_TARGET_WITHOUT_BRANCH_NOT_RECORDED, 0, false, NOT_TAKEN, 0x2000},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH,
	         SPEMU_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH_RECORDED, 0, false, NOT_TAKEN, 0x2000},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH,
	         SPEMU_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH_NOT_RECORDED, 0, false, NOT_TAKEN, 0},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH,
	         SPEMU_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH_NOT_RECORDED, 0, false, TAKEN, 0x2000},
	        {SPEMU_CHOICE_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH,
	         SPEMU_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH_NOT_RECORDED, 0, false, LOAD, 0x2000},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op =
		        an_op(rows[i].sampled == LOAD ? SPEMU_OP_LOAD : SPEMU_OP_BRANCH);
		struct spemu_record rec;
		struct fixture f;

		op.kind.flags = rows[i].sampled == LOAD ? 0 : SPEMU_OPF_CONDITIONAL;
		op.cond_pass = rows[i].sampled != NOT_TAKEN;
		start(&f, "v8.7,+FEAT_SPE_PBT" EL1_ONLY);
		choose(&f, rows[i].choice, rows[i].option);
		spemu_spu_branch(f.spu, 0x1000, 0, NULL);
		spemu_spu_branch(f.spu, 0x2000, rows[i].flags, NULL);
		if (rows[i].isb)
			spemu_pe_isb(f.pe);
		rec = finish(&f, &op);
		assert_int_equal(has_addr(&rec, SPEMU_ADDR_PREV_BRANCH_TARGET),
		                 rows[i].target != 0);
		assert_int_equal(rec.addr[SPEMU_ADDR_PREV_BRANCH_TARGET] & 0xffff, rows[i].target);
		fixture_stop(&f);
	}
}

static void target_of_not_taken_branch_follows_choice(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_BRANCH);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	op.kind.flags = SPEMU_OPF_CONDITIONAL;
	op.target = 0x3000;
	op.valid = SPEMU_OPV_TARGET;
	start(&f, "v8.2" EL1_ONLY);
	rec = finish(&f, &op);
	assert_false(has_addr(&rec, SPEMU_ADDR_BRANCH_TARGET));
	choose(&f, SPEMU_CHOICE_NOT_TAKEN_TARGET, SPEMU_NOT_TAKEN_TARGET_RECORDED);
	rec = finish(&f, &op);
	assert_int_equal(rec.addr[SPEMU_ADDR_BRANCH_TARGET] & 0xffff, 0x3000);
	fixture_stop(&f);
}

/* The top byte of data addresses with TBI 0, with memory tagging but without address tagging, and
 * the PAT of an unchecked access. */
static void top_byte_of_data_address_follows_choice(void **state)
{
	const uint64_t va = UINT64_C(0x5600111122223333);
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct fixture f;

	(void)state;
	op.va = va;
	op.pa = 0x4000;
	op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
	op.memory_access = SPEMU_OPM_NO_TBI;
	start(&f, "v8.5" EL1_ONLY);
	assert_true(finish(&f, &op).addr[SPEMU_ADDR_DATA_VA] == va);
	choose(&f, SPEMU_CHOICE_UNTAGGED_TOP_BYTE, SPEMU_UNTAGGED_TOP_BYTE_ZERO);
	assert_true(finish(&f, &op).addr[SPEMU_ADDR_DATA_VA] == UINT64_C(0x111122223333));
	op.memory_access = SPEMU_OPM_NO_TBI | SPEMU_OPM_MEMORY_TAGGING;
	assert_true(finish(&f, &op).addr[SPEMU_ADDR_DATA_VA] == va);
	op.memory_access = 0;
	assert_true(finish(&f, &op).addr[SPEMU_ADDR_DATA_VA] == va);
	assert_int_equal(finish(&f, &op).addr[SPEMU_ADDR_DATA_PA] >> 56, 0x80);
	choose(&f, SPEMU_CHOICE_UNCHECKED_PAT, SPEMU_UNCHECKED_PAT_LOGICAL_TAG);
	assert_int_equal(finish(&f, &op).addr[SPEMU_ADDR_DATA_PA] >> 56, 0x86);
	op.memory_access = SPEMU_OPM_TAG_CHECKED;
	assert_int_equal(finish(&f, &op).addr[SPEMU_ADDR_DATA_PA] >> 56, 0xc6);
	fixture_stop(&f);
}

/* The choices decide what is recorded for an operation that generates an exception or does not
 * retire. */
static void record_of_unfinished_operation_follows_choice(void **state)
{
	const struct {
		enum spemu_choice record, capture;
		unsigned minimal, discarded;
		bool retired, exception;
	} rows[] = {
	        {SPEMU_CHOICE_EXCEPTION_RECORD, SPEMU_CHOICE_COUNT, SPEMU_EXCEPTION_RECORD_MINIMAL,
	         0, true, true},
	        {SPEMU_CHOICE_EXCEPTION_RECORD, SPEMU_CHOICE_NON_ARCHITECTURAL_EXCEPTION_CAPTURE,
	         SPEMU_EXCEPTION_RECORD_MINIMAL,
	         SPEMU_NON_ARCHITECTURAL_EXCEPTION_CAPTURE_DISCARDED, false, true},
	        {SPEMU_CHOICE_NOT_RETIRED_RECORD, SPEMU_CHOICE_NOT_RETIRED_CAPTURE,
	         SPEMU_NOT_RETIRED_RECORD_MINIMAL, SPEMU_NOT_RETIRED_CAPTURE_DISCARDED, false,
	         false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_LOAD), whole = an_op(SPEMU_OP_LOAD);
		uint64_t events = (rows[i].exception ? 1u : 0) | (rows[i].retired ? 2u : 0) | 4;
		struct spemu_record rec;
		struct fixture f;

		op.retired = rows[i].retired;
		op.exception = rows[i].exception;
		op.events = EV(L1D_ACCESS);
		op.valid = SPEMU_OPV_VA | SPEMU_OPV_TOTAL_LATENCY;
		start(&f, "v8.2" EL1_ONLY);
		set(&f, SPEMU_REG_PMSCR_EL1,
		    FIELD(PMSCR_EL1, TS, 1) | FIELD(PMSCR_EL1, CX, 1) | FIELD(PMSCR_EL1, E1SPE, 1) |
		            FIELD(PMSCR_EL1, E0SPE, 1));
		rec = finish(&f, &op);
		assert_true(has_addr(&rec, SPEMU_ADDR_DATA_VA));
		assert_int_equal(rec.events, events);
		choose(&f, rows[i].record, rows[i].minimal);
		rec = finish(&f, &op);
		assert_int_equal(rec.present, SPEMU_RECORD_EVENTS | SPEMU_RECORD_TIMESTAMP);
		assert_int_equal(rec.events, events);
		rec = finish(&f, &whole); /* an ordinary operation has all packets */
		assert_true(has_addr(&rec, SPEMU_ADDR_PC));
		if (rows[i].capture != SPEMU_CHOICE_COUNT) {
			uint64_t filtrate = pmu_events(&f, SPEMU_PMU_SAMPLE_FILTRATE);
			uint64_t feed = pmu_events(&f, SPEMU_PMU_SAMPLE_FEED);

			choose(&f, rows[i].capture, rows[i].discarded);
			assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_DISCARDED);
			assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FILTRATE), filtrate);
			assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED), feed + 1);
			assert_int_equal(sample(&f, &whole).outcome, SPEMU_SAMPLE_RECORDED);
		}
		fixture_stop(&f);
	}
}

/* D17.6.4: translation latency, events and physical address if the operation made no access, or if
 * the record does not show the access. */
static void packets_of_unperformed_access_follow_choice(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_STORE);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	op.valid = SPEMU_OPV_TRANSLATION_LATENCY;
	op.translation_latency = 7;
	op.events = 0x3c;
	start(&f, "v8.2" EL1_ONLY);
	rec = finish(&f, &op);
	assert_false(rec.present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TRANSLATION));
	assert_int_equal(rec.events, 0x3e);
	choose(&f, SPEMU_CHOICE_TRANSLATION_LATENCY_WITHOUT_ACCESS,
	       SPEMU_TRANSLATION_LATENCY_WITHOUT_ACCESS_ZERO);
	choose(&f, SPEMU_CHOICE_ACCESS_EVENTS_WITHOUT_ADDRESS,
	       SPEMU_ACCESS_EVENTS_WITHOUT_ADDRESS_ZERO);
	rec = finish(&f, &op);
	assert_true(rec.present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TRANSLATION));
	assert_int_equal(rec.counter[SPEMU_COUNTER_TRANSLATION], 0);
	assert_int_equal(rec.events, 0x02);
	op.valid |= SPEMU_OPV_VA | SPEMU_OPV_PA;
	rec = finish(&f, &op);
	assert_int_equal(rec.counter[SPEMU_COUNTER_TRANSLATION], 7);
	assert_int_equal(rec.events, 0x3e);
	/* A store may finish before its events occur. TLB events are not affected. */
	op.events = 0x73c;
	assert_int_equal(finish(&f, &op).events, 0x73e);
	choose(&f, SPEMU_CHOICE_STORE_EVENTS, SPEMU_STORE_EVENTS_NOT_RECORDED);
	assert_int_equal(finish(&f, &op).events, 0x32);
	op.kind.type = SPEMU_OP_LOAD;
	assert_int_equal(finish(&f, &op).events, 0x73e);
	/* A Store-Exclusive that has lost its monitor makes no access. */
	op.kind.type = SPEMU_OP_STORE;
	op.kind.flags = SPEMU_OPF_EXCLUSIVE;
	op.memory_access = SPEMU_OPM_NOT_PERFORMED;
	rec = finish(&f, &op);
	assert_false(has_addr(&rec, SPEMU_ADDR_DATA_PA));
	choose(&f, SPEMU_CHOICE_FAILED_EXCLUSIVE_PA, SPEMU_FAILED_EXCLUSIVE_PA_RECORDED);
	rec = finish(&f, &op);
	assert_true(has_addr(&rec, SPEMU_ADDR_DATA_PA));
	/* The address of an access that was not made may be translated or not. */
	assert_true(rec.present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TRANSLATION));
	op.valid = SPEMU_OPV_VA;
	rec = finish(&f, &op);
	assert_false(rec.present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TRANSLATION));
	assert_false(has_addr(&rec, SPEMU_ADDR_DATA_PA));
	fixture_stop(&f);
}

/* D24.7.11: "FEAT_SPEv1p4 is implemented or filtering on event n is optionally supported", for each
 * such event n. */
static void optional_event_filters_follow_choice(void **state)
{
	static const struct {
		enum spemu_choice choice;
		unsigned supported, not_supported;
		unsigned event;
	} rows[] = {
#define ROW(name, event)                                                          \
	{SPEMU_CHOICE_EVENT_FILTER_##name, SPEMU_EVENT_FILTER_##name##_SUPPORTED, \
	 SPEMU_EVENT_FILTER_##name##_NOT_SUPPORTED, event}
	        ROW(L1D_ACCESS, 2), ROW(TLB_ACCESS, 4),     ROW(LLC_ACCESS, 8),
	        ROW(LLC_REFILL, 9), ROW(REMOTE_ACCESS, 10),
#undef ROW
	};
	uint64_t all = 0x8ea;
	struct fixture f;

	(void)state;
	start(&f, "v8.7" EL1_ONLY);
	set(&f, SPEMU_REG_PMSEVFR_EL1, ~UINT64_C(0));
	assert_int_equal(reg(&f, SPEMU_REG_PMSEVFR_EL1), all);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t bit = UINT64_C(1) << rows[i].event;

		choose(&f, rows[i].choice, rows[i].supported);
		set(&f, SPEMU_REG_PMSEVFR_EL1, ~UINT64_C(0));
		set(&f, SPEMU_REG_PMSNEVFR_EL1, ~UINT64_C(0));
		assert_int_equal(reg(&f, SPEMU_REG_PMSEVFR_EL1), 0x8ea | bit);
		assert_int_equal(reg(&f, SPEMU_REG_PMSNEVFR_EL1), 0x8ea | bit);
		choose(&f, rows[i].choice, rows[i].not_supported);
		assert_int_equal(reg(&f, SPEMU_REG_PMSEVFR_EL1), 0x8ea);
	}
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		choose(&f, rows[i].choice, rows[i].supported);
		all |= UINT64_C(1) << rows[i].event;
		set(&f, SPEMU_REG_PMSEVFR_EL1, ~UINT64_C(0));
		assert_int_equal(reg(&f, SPEMU_REG_PMSEVFR_EL1), all);
	}
	fixture_stop(&f);
	start(&f, "v8.9" EL1_ONLY); /* with FEAT_SPEv1p4 no event filter is optional */
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(spemu_choice_get(f.pe, rows[i].choice), rows[i].supported);
		assert_int_equal(spemu_choice_set(f.pe, rows[i].choice, rows[i].not_supported),
		                 SPEMU_ERR_NOT_SUPPORTED);
	}
	fixture_stop(&f);
}

/* RMJQCL, RMDBYZ, RBHKSC: operation formats that are a choice without FEAT_SPE_SME, or always. */
static void open_operation_formats_follow_choice(void **state)
{
	const struct {
		const char *features;
		struct spemu_op_kind kind;
		enum spemu_choice choice;
		unsigned option;
		uint8_t subclass;
	} rows[] = {
	        {"v9.2",
	         {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_SVESME, .flags = SPEMU_OPF_SME},
	         SPEMU_CHOICE_SME_LOAD_STORE_FORMAT,
	         SPEMU_SME_LOAD_STORE_FORMAT_UNSPECIFIED,
	         0x11},
	        {"v9.2",
	         {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_SVESME, .flags = SPEMU_OPF_SME},
	         SPEMU_CHOICE_SME_LOAD_STORE_FORMAT,
	         SPEMU_SME_LOAD_STORE_FORMAT_SVE,
	         0x09},
	        {"v9.2,+FEAT_SME,+FEAT_SPE_SME", /* with FEAT_SPE_SME the format is SVE or SME */
	         {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_SVESME, .flags = SPEMU_OPF_SME},
	         SPEMU_CHOICE_SME_LOAD_STORE_FORMAT,
	         SPEMU_SME_LOAD_STORE_FORMAT_UNSPECIFIED,
	         0x09},
	        {"v9.2",
	         {.type = SPEMU_OP_OTHER_SVE, .flags = SPEMU_OPF_VECTORS(2)},
	         SPEMU_CHOICE_SVE_MULTI_VECTOR_FORMAT,
	         SPEMU_SVE_MULTI_VECTOR_FORMAT_OTHER,
	         0x00},
	        {"v9.2",
	         {.type = SPEMU_OP_OTHER_SVE, .flags = SPEMU_OPF_ZT},
	         SPEMU_CHOICE_SVE_MULTI_VECTOR_FORMAT,
	         SPEMU_SVE_MULTI_VECTOR_FORMAT_OTHER,
	         0x00},
	        {"v9.2",
	         {.type = SPEMU_OP_OTHER_SVE, .flags = SPEMU_OPF_ZT},
	         SPEMU_CHOICE_SVE_MULTI_VECTOR_FORMAT,
	         SPEMU_SVE_MULTI_VECTOR_FORMAT_SVE,
	         0x08},
	        {"v9.2",
	         {.type = SPEMU_OP_OTHER_SVE},
	         SPEMU_CHOICE_SVE_MULTI_VECTOR_FORMAT,
	         SPEMU_SVE_MULTI_VECTOR_FORMAT_OTHER,
	         0x08},
	        {"v9.2",
	         {.type = SPEMU_OP_OTHER_SVE, .flags = SPEMU_OPF_PREFETCH},
	         SPEMU_CHOICE_SVE_PREFETCH_FORMAT,
	         SPEMU_SVE_PREFETCH_FORMAT_SVE,
	         0x08},
	        {"v9.2",
	         {.type = SPEMU_OP_OTHER_SVE, .flags = SPEMU_OPF_PREFETCH},
	         SPEMU_CHOICE_SVE_PREFETCH_FORMAT,
	         SPEMU_SVE_PREFETCH_FORMAT_OTHER,
	         0x00},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_OTHER);
		char features[96] = "";
		struct fixture f;

		strcat(strcat(features, rows[i].features), EL1_ONLY);
		op.kind = rows[i].kind;
		start(&f, features);
		choose(&f, rows[i].choice, rows[i].option);
		assert_int_equal(finish(&f, &op).op_subclass, rows[i].subclass);
		fixture_stop(&f);
	}
}

/* D17.6.4: DC ZVA is recorded as a store or as cache maintenance. */
static void dc_zva_is_store_or_cache_maintenance_by_choice(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_STORE);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	op.kind.ldst = SPEMU_LDST_UNSPECIFIED;
	op.kind.flags = SPEMU_OPF_DC_ZERO;
	op.valid = SPEMU_OPV_VA;
	start(&f, "v8.5" EL1_ONLY);
	rec = finish(&f, &op);
	assert_int_equal(rec.op_class << 8 | rec.op_subclass, 0x111);
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, ST, 1) | FIELD(PMSFCR_EL1, FT, 1));
	assert_int_equal(sample(&f, &op).filters, 0);
	choose(&f, SPEMU_CHOICE_DC_ZERO, SPEMU_DC_ZERO_MAINTENANCE);
	assert_int_equal(sample(&f, &op).filters, 2);
	set(&f, SPEMU_REG_PMSFCR_EL1, 0);
	rec = finish(&f, &op);
	assert_int_equal(rec.op_class << 8 | rec.op_subclass, 0);
	assert_true(has_addr(&rec, SPEMU_ADDR_DATA_VA));
	fixture_stop(&f);
}

/* D17.6.4.1: the address of a tag access may be aligned to 16 bytes, because a tag covers 16
 * bytes. */
static void tag_access_address_is_aligned_to_16_by_choice(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	op.kind.ldst = SPEMU_LDST_TAGS;
	op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
	op.va = 0x1238;
	op.pa = 0x5238;
	for (unsigned n = 0; n < 4; n++) {
		bool va = n & 1, pa = n & 2;
		struct spemu_record rec;
		struct fixture f;

		start(&f, "v8.8" EL1_ONLY);
		choose(&f, SPEMU_CHOICE_TAG_ACCESS_VA, va);
		choose(&f, SPEMU_CHOICE_TAG_ACCESS_PA, pa);
		rec = finish(&f, &op);
		assert_int_equal(rec.addr[SPEMU_ADDR_DATA_VA], va ? 0x1230 : 0x1238);
		assert_int_equal(rec.addr[SPEMU_ADDR_DATA_PA] & 0xffff, va || pa ? 0x5230 : 0x5238);
		op.kind.ldst = SPEMU_LDST_GENERAL;
		rec = finish(&f, &op);
		assert_int_equal(rec.addr[SPEMU_ADDR_DATA_VA], 0x1238);
		op.kind.ldst = SPEMU_LDST_TAGS;
		fixture_stop(&f);
	}
}

/* D17.6: without a system counter there is no timestamp, or an UNKNOWN one. */
static void timestamp_without_counter_follows_choice(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_spu_config config = {.size = sizeof(config)};
	struct fixture f;
	struct spemu_spu_host host = {
	        .size = sizeof(host), .ctx = &f, .buffer_write = fixture_write};
	struct spemu_record a, b;

	(void)state;
	memset(&f, 0, sizeof(f));
	fixture_make(&f, pe_make("v8.2" EL1_ONLY), &config, &host);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, TS, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	assert_false(finish(&f, &op).present & SPEMU_RECORD_TIMESTAMP);
	choose(&f, SPEMU_CHOICE_TIMESTAMP_COUNTER_DISABLED,
	       SPEMU_TIMESTAMP_COUNTER_DISABLED_UNKNOWN);
	a = finish(&f, &op);
	b = finish(&f, &op);
	assert_true(a.present & SPEMU_RECORD_TIMESTAMP);
	assert_true(a.timestamp != b.timestamp);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(isb_is_branch_or_other_by_choice),
	        cmocka_unit_test(conditional_select_is_conditional_by_choice),
	        cmocka_unit_test(previous_target_after_synchronization_follows_choice),
	        cmocka_unit_test(target_of_not_taken_branch_follows_choice),
	        cmocka_unit_test(top_byte_of_data_address_follows_choice),
	        cmocka_unit_test(record_of_unfinished_operation_follows_choice),
	        cmocka_unit_test(packets_of_unperformed_access_follow_choice),
	        cmocka_unit_test(optional_event_filters_follow_choice),
	        cmocka_unit_test(open_operation_formats_follow_choice),
	        cmocka_unit_test(dc_zva_is_store_or_cache_maintenance_by_choice),
	        cmocka_unit_test(tag_access_address_is_aligned_to_16_by_choice),
	        cmocka_unit_test(timestamp_without_counter_follows_choice),
	};
	return cmocka_run_group_tests_name("collection_choice", tests, NULL, NULL);
}
