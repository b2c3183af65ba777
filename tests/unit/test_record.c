/* SPDX-License-Identifier: MIT */
/* Test how a record describes an operation (D17.6, D18.2.6, D18.2.7). */
#include <stdio.h>

#include "spu_fixture.h"

/* The Operation Type payloads of D18.2.7 are written out by hand. */
static void operation_type_payloads_match_the_manual(void **state)
{
	const struct {
		const char *features;
		struct spemu_op_kind kind;
		uint8_t class, subclass;
	} rows[] = {
	        {"v8.2", {.type = SPEMU_OP_OTHER}, 0, 0x00},
	        {"v8.2", {.type = SPEMU_OP_OTHER, .flags = SPEMU_OPF_CONDITIONAL}, 0, 0x01},
	        {"v8.2", {.type = SPEMU_OP_OTHER, .flags = SPEMU_OPF_FP | SPEMU_OPF_SIMD}, 0, 0x00},
	        {"v9.5", {.type = SPEMU_OP_OTHER, .flags = SPEMU_OPF_FP | SPEMU_OPF_SIMD}, 0, 0x06},
	        {"v9.5", {.type = SPEMU_OP_OTHER, .flags = SPEMU_OPF_FP}, 0, 0x02},
	        {"v9.0", {.type = SPEMU_OP_OTHER_SVE, .vector_bits = 128}, 0, 0x28},
	        {"v9.0",
	         {.type = SPEMU_OP_OTHER_SVE,
	          .vector_bits = 256,
	          .flags = SPEMU_OPF_FP | SPEMU_OPF_PREDICATED},
	         0,
	         0x3e},
	        {"v8.2", {.type = SPEMU_OP_LOAD, .ldst = SPEMU_LDST_GENERAL}, 1, 0x00},
	        {"v8.2", {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_GENERAL}, 1, 0x01},
	        {"v8.2", {.type = SPEMU_OP_LOAD, .ldst = SPEMU_LDST_SIMDFP}, 1, 0x04},
	        {"v8.2", {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_SIMDFP}, 1, 0x05},
	        {"v8.2",
	         {.type = SPEMU_OP_LOAD_ATOMIC,
	          .ldst = SPEMU_LDST_EXTENDED,
	          .flags = SPEMU_OPF_ATOMIC | SPEMU_OPF_ACQUIRE_RELEASE},
	         1,
	         0x16},
	        {"v8.2",
	         {.type = SPEMU_OP_STORE,
	          .ldst = SPEMU_LDST_EXTENDED,
	          .flags = SPEMU_OPF_EXCLUSIVE | SPEMU_OPF_ACQUIRE_RELEASE},
	         1,
	         0x1b},
	        {"v8.2", {.type = SPEMU_OP_LOAD, .ldst = SPEMU_LDST_EXTENDED}, 1, 0x02},
	        {"v8.2", {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_UNSPECIFIED}, 1, 0x01},
	        {"v8.5", {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_UNSPECIFIED}, 1, 0x11},
	        {"v8.2", {.type = SPEMU_OP_LOAD, .ldst = SPEMU_LDST_SVESME}, 1, 0x04},
	        {"v9.0",
	         {.type = SPEMU_OP_LOAD,
	          .ldst = SPEMU_LDST_SVESME,
	          .vector_bits = 512,
	          .flags = SPEMU_OPF_GATHER_SCATTER | SPEMU_OPF_PREDICATED},
	         1,
	         0xc8}, /* loads have PRED since FEAT_SPEv1p2 */
	        {"v9.2",
	         {.type = SPEMU_OP_LOAD,
	          .ldst = SPEMU_LDST_SVESME,
	          .vector_bits = 512,
	          .flags = SPEMU_OPF_GATHER_SCATTER | SPEMU_OPF_PREDICATED},
	         1,
	         0xcc},
	        {"v9.0",
	         {.type = SPEMU_OP_STORE,
	          .ldst = SPEMU_LDST_SVESME,
	          .vector_bits = 2048,
	          .flags = SPEMU_OPF_PREDICATED},
	         1,
	         0x6d},
	        {"v8.7", {.type = SPEMU_OP_LOAD, .ldst = SPEMU_LDST_TAGS}, 1, 0x10},
	        {"v8.8", {.type = SPEMU_OP_LOAD, .ldst = SPEMU_LDST_TAGS}, 1, 0x14},
	        {"v8.8", {.type = SPEMU_OP_LOAD, .ldst = SPEMU_LDST_MEMCOPY}, 1, 0x20},
	        {"v8.8", {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_MEMCOPY}, 1, 0x21},
	        {"v8.8", {.type = SPEMU_OP_STORE, .ldst = SPEMU_LDST_MEMSET}, 1, 0x25},
	        {"v9.4", {.type = SPEMU_OP_LOAD, .ldst = SPEMU_LDST_GCS}, 1, 0x44},
	        {"v8.2", {.type = SPEMU_OP_BRANCH}, 2, 0x00},
	        {"v8.2", {.type = SPEMU_OP_BRANCH, .flags = SPEMU_OPF_CONDITIONAL}, 2, 0x01},
	        {"v8.2",
	         {.type = SPEMU_OP_BRANCH, .flags = SPEMU_OPF_INDIRECT | SPEMU_OPF_RETURN},
	         2,
	         0x02},
	        {"v8.9",
	         {.type = SPEMU_OP_BRANCH, .flags = SPEMU_OPF_INDIRECT | SPEMU_OPF_RETURN},
	         2,
	         0x12},
	        {"v8.9", {.type = SPEMU_OP_BRANCH, .flags = SPEMU_OPF_LINK}, 2, 0x08},
	        {"v8.9", {.type = SPEMU_OP_BRANCH}, 2, 0x18},
	        {"v9.4",
	         {.type = SPEMU_OP_BRANCH, .flags = SPEMU_OPF_LINK | SPEMU_OPF_GCS},
	         2,
	         0x0c},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_OTHER);
		struct spemu_record rec;
		char features[64];

		strcpy(features, rows[i].features);
		strcat(features, EL1_ONLY);
		op.kind = rows[i].kind;
		rec = sampled_record(features, &op);
		assert_int_equal(rec.op_class, rows[i].class);
		assert_int_equal(rec.op_subclass, rows[i].subclass);
	}
}

/* D18.2.7: without its feature, a value is reserved, whatever operation the host describes. The
 * registers are then unspecified, or general-purpose before FEAT_SPEv1p1. */
static void operation_type_without_its_feature_is_unspecified(void **state)
{
	const struct {
		const char *features;
		uint8_t type, ldst, class, subclass;
	} rows[] = {
	        {"v8.4,-EL3,-Secure", SPEMU_OP_LOAD, SPEMU_LDST_NV2, 1, 0x30},
	        {"v8.4,-EL3,-Secure", SPEMU_OP_STORE, SPEMU_LDST_NV2, 1, 0x31},
	        {"v8.4,-EL3,-Secure,-FEAT_NV2", SPEMU_OP_LOAD, SPEMU_LDST_NV2, 1, 0x00},
	        {"v8.4,-EL3,-Secure,-FEAT_NV2", SPEMU_OP_STORE, SPEMU_LDST_NV2, 1, 0x01},
	        {"v8.5,-EL3,-Secure,-FEAT_NV2", SPEMU_OP_LOAD, SPEMU_LDST_NV2, 1, 0x10},
	        {"v9.4" EL1_ONLY, SPEMU_OP_STORE, SPEMU_LDST_NV2, 1, 0x11},
	        {"v8.8" EL1_ONLY, SPEMU_OP_LOAD, SPEMU_LDST_TAGS, 1, 0x14},
	        {"v8.8,-FEAT_MTE2" EL1_ONLY, SPEMU_OP_LOAD, SPEMU_LDST_TAGS, 1, 0x10},
	        {"v8.8,-FEAT_MTE2" EL1_ONLY, SPEMU_OP_STORE, SPEMU_LDST_TAGS, 1, 0x11},
	        {"v8.4,-FEAT_SPE_LDS" EL1_ONLY, SPEMU_OP_LOAD, SPEMU_LDST_TAGS, 1, 0x00},
	        {"v8.8" EL1_ONLY, SPEMU_OP_STORE, SPEMU_LDST_MEMCOPY, 1, 0x21},
	        {"v8.8,-FEAT_MOPS" EL1_ONLY, SPEMU_OP_STORE, SPEMU_LDST_MEMCOPY, 1, 0x11},
	        {"v8.8,-FEAT_MOPS" EL1_ONLY, SPEMU_OP_LOAD, SPEMU_LDST_MEMCOPY, 1, 0x10},
	        {"v8.7,+FEAT_MOPS" EL1_ONLY, SPEMU_OP_LOAD, SPEMU_LDST_MEMCOPY, 1, 0x10},
	        {"v8.7,+FEAT_MOPS" EL1_ONLY, SPEMU_OP_STORE, SPEMU_LDST_MEMSET, 1, 0x11},
	        {"v8.8" EL1_ONLY, SPEMU_OP_STORE, SPEMU_LDST_MEMSET, 1, 0x25},
	        {"v8.8,-FEAT_MOPS" EL1_ONLY, SPEMU_OP_STORE, SPEMU_LDST_MEMSET, 1, 0x11},
	        {"v9.4" EL1_ONLY, SPEMU_OP_LOAD, SPEMU_LDST_GCS, 1, 0x44},
	        {"v9.4,-FEAT_GCS" EL1_ONLY, SPEMU_OP_LOAD, SPEMU_LDST_GCS, 1, 0x10},
	        {"v8.9" EL1_ONLY, SPEMU_OP_STORE, SPEMU_LDST_GCS, 1, 0x11},
	        /* SVE registers require FEAT_SPEv1p1, and either FEAT_SVE or FEAT_SME. */
	        {"v9.0" EL1_ONLY, SPEMU_OP_LOAD, SPEMU_LDST_SVESME, 1, 0x08},
	        {"v9.2,-FEAT_SVE,+FEAT_SME" EL1_ONLY, SPEMU_OP_LOAD, SPEMU_LDST_SVESME, 1, 0x08},
	        {"v9.2,-FEAT_SVE" EL1_ONLY, SPEMU_OP_LOAD, SPEMU_LDST_SVESME, 1, 0x10},
	        {"v8.9" EL1_ONLY, SPEMU_OP_STORE, SPEMU_LDST_SVESME, 1, 0x11},
	        {"v8.4" EL1_ONLY, SPEMU_OP_STORE, SPEMU_LDST_SVESME, 1, 0x05},
	        {"v9.0" EL1_ONLY, SPEMU_OP_OTHER_SVE, 0, 0, 0x08},
	        {"v9.2,-FEAT_SVE" EL1_ONLY, SPEMU_OP_OTHER_SVE, 0, 0, 0x00},
	        {"v8.9" EL1_ONLY, SPEMU_OP_OTHER_SVE, 0, 0, 0x00},
	        {"v9.4,+FEAT_SME" EL1_ONLY, SPEMU_OP_OTHER_SME, 0, 0, 0x00},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op((enum spemu_op_type)rows[i].type);
		struct spemu_record rec;
		struct fixture f;

		op.kind.ldst = rows[i].ldst;
		fixture_start(&f, rows[i].features, NULL);
		set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
		set(&f, SPEMU_REG_HCR_EL2, 0);
		program(&f, 1);
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
		rec = record_at(&f, BUFFER_BASE);
		assert_int_equal(rec.op_class, rows[i].class);
		assert_int_equal(rec.op_subclass, rows[i].subclass);
		fixture_stop(&f);
	}
}

/* D18.2.7: EVL and ETS are rounded up to a power of two. */
static void vector_and_tile_sizes_round_up_to_power_of_two(void **state)
{
	const struct {
		uint32_t bits;
		uint8_t evl;
	} rows[] = {{1, 0},
	            {32, 0},
	            {33, 1},
	            {64, 1},
	            {128, 2},
	            {129, 3},
	            /* 7 requires FEAT_SPE_SME. */
	            {256, 3},
	            {512, 4},
	            {1024, 5},
	            {2048, 6},
	            {4096, 6}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_OTHER_SVE);

		op.kind.vector_bits = rows[i].bits;
		assert_int_equal(sampled_record("v9.0" EL1_ONLY, &op).op_subclass >> 4,
		                 rows[i].evl);
	}
}

/* D17.6: the PC has its context. Only a taken branch has a target. A data address includes its
 * tag. */
static void address_packets_of_pc_target_and_data(void **state)
{
	const uint64_t ns_el0 = UINT64_C(1) << 63;
	struct spemu_op op = an_op(SPEMU_OP_BRANCH);
	struct spemu_record rec;

	(void)state;
	op.pc = UINT64_C(0xff5aaaaabbbbcccc);
	op.target = UINT64_C(0xff5a000012340000);
	op.valid = SPEMU_OPV_TARGET;
	op.cond_pass = true;
	rec = sampled_record("v8.2" EL1_ONLY, &op);
	assert_true(rec.addr[SPEMU_ADDR_PC] == (ns_el0 | UINT64_C(0x5aaaaabbbbcccc)));
	assert_true(rec.addr[SPEMU_ADDR_BRANCH_TARGET] == (ns_el0 | UINT64_C(0x5a000012340000)));
	op.cond_pass = false;
	rec = sampled_record("v8.2" EL1_ONLY, &op);
	assert_false(rec.present & SPEMU_RECORD_ADDR(SPEMU_ADDR_BRANCH_TARGET));

	op = an_op(SPEMU_OP_LOAD);
	op.va = UINT64_C(0x7fa5111122223333);
	op.pa = UINT64_C(0x80001234);
	op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
	rec = sampled_record("v8.2" EL1_ONLY, &op);
	assert_true(rec.addr[SPEMU_ADDR_DATA_VA] == UINT64_C(0x7fa5111122223333));
	/* Because PMSCR_EL1.PA is 0. */
	assert_false(rec.present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA));
}

/* D17.6.9: PMSCR_EL1.{CX, PA, TS} permit packets at EL0 if EL1 owns the buffer. */
static void cx_pa_and_ts_control_packets(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	for (unsigned bits = 0; bits < 8; bits++) {
		struct spemu_record rec;

		fixture_start(&f, "v8.2" EL1_ONLY, NULL);
		program(&f, 1);
		set(&f, SPEMU_REG_CONTEXTIDR_EL1, 4711);
		set(&f, SPEMU_REG_PMSCR_EL1,
		    FIELD(PMSCR_EL1, CX, bits) | FIELD(PMSCR_EL1, E0SPE, 1));
		f.clock = UINT64_C(0x123456789abcdef0);
		op.valid = SPEMU_OPV_VA | SPEMU_OPV_PA;
		op.pa = 0x5000;
		sample(&f, &op);
		rec = record_at(&f, BUFFER_BASE);
		assert_int_equal(!!(rec.present & SPEMU_RECORD_CONTEXT(0)), bits & 1);
		assert_int_equal(rec.context[0], bits & 1 ? 4711 : 0);
		assert_int_equal(!!(rec.present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA)),
		                 bits >> 1 & 1);
		assert_int_equal(!!(rec.present & SPEMU_RECORD_TIMESTAMP), bits >> 2 & 1);
		if (bits & 2)
			assert_true(rec.addr[SPEMU_ADDR_DATA_PA] == (UINT64_C(1) << 63 | 0x5000));
		if (bits & 4)
			assert_true(rec.timestamp == UINT64_C(0x123456789abcdef0));
		fixture_stop(&f);
	}
}

/* D18.2.3: counters saturate at 12 or 16 bits. */
static void counters_saturate_at_12_or_16_bits(void **state)
{
	(void)state;
	for (unsigned bits = 12; bits <= 16; bits += 4) {
		struct fixture f;
		struct spemu_spu_config config = {.counter_bits = (uint8_t)bits};
		struct spemu_op op = an_op(SPEMU_OP_LOAD);
		struct spemu_record rec;

		fixture_start(&f, "v8.2" EL1_ONLY, &config);
		program(&f, 1);
		assert_int_equal(reg(&f, SPEMU_REG_PMSIDR_EL1) >> 16 & 15, bits == 12 ? 2 : 3);
		op.valid = SPEMU_OPV_TOTAL_LATENCY | SPEMU_OPV_ISSUE_LATENCY |
		           SPEMU_OPV_TRANSLATION_LATENCY | SPEMU_OPV_VA;
		op.total_latency = 1u << 20;
		op.issue_latency = (1u << bits) - 2;
		op.translation_latency = 1u << bits;
		sample(&f, &op);
		rec = record_at(&f, BUFFER_BASE);
		assert_int_equal(rec.counter[SPEMU_COUNTER_TOTAL], (1u << bits) - 1);
		assert_int_equal(rec.counter[SPEMU_COUNTER_ISSUE], (1u << bits) - 2);
		assert_int_equal(rec.counter[SPEMU_COUNTER_TRANSLATION], (1u << bits) - 1);
		fixture_stop(&f);
	}
}

/* D18.2.6: event bits that the feature level does not have read as zero. The model sets bits 0, 1
 * and 6. */
static void events_absent_from_feature_level_are_zero(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_BRANCH);
	struct spemu_record rec;

	(void)state;
	op.events = ~UINT64_C(0);
	op.kind.flags = SPEMU_OPF_CONDITIONAL;
	op.cond_pass = false;
	rec = sampled_record("v8.2" EL1_ONLY, &op);
	assert_int_equal(rec.events, EV(MISPREDICTED) | EV(NOT_TAKEN) | EV(RETIRED));
	op.cond_pass = true;
	rec = sampled_record("v8.9" EL1_ONLY, &op);
	assert_int_equal(rec.events, EV(MISPREDICTED) | EV(RETIRED));
	op.exception = true;
	op.retired = false;
	rec = sampled_record("v8.9" EL1_ONLY,
	                     &op); /* not a branch (D17.6.3), hence not mispredicted */
	assert_int_equal(rec.events, 0xf80f3d);
}

/* D18.2.6: the model sets E[6] of a branch, a select or a compare, and E[0] for an exception. The
 * event bits of the host set neither. */
static void model_sets_events_of_conditions_and_exceptions(void **state)
{
	static const struct {
		uint8_t type;
		uint64_t expected;
	} rows[] = {
	        {SPEMU_OP_BRANCH, EV(NOT_TAKEN) | EV(RETIRED)},
	        {SPEMU_OP_OTHER, EV(NOT_TAKEN) | EV(RETIRED)},
	        {SPEMU_OP_LOAD, EV(RETIRED)},
	        {SPEMU_OP_STORE, EV(RETIRED)},
	        {SPEMU_OP_LOAD_ATOMIC, EV(RETIRED)},
	        {SPEMU_OP_OTHER_SVE, EV(RETIRED)},
	        {SPEMU_OP_OTHER_SME, EV(RETIRED)},
	};

	(void)state;
	for (unsigned n = 0; n < 8 * sizeof(rows) / sizeof(*rows); n++) {
		struct spemu_op op = an_op((enum spemu_op_type)rows[n / 8].type);
		bool conditional = n & 1, pass = n & 2;

		op.kind.flags = conditional ? SPEMU_OPF_CONDITIONAL : 0;
		op.cond_pass = pass;
		op.events = n & 4 ? EV(NOT_TAKEN) | EV(EXCEPTION) : 0;
		assert_int_equal(sampled_record("v9.4" EL1_ONLY, &op).events,
		                 conditional && !pass ? rows[n / 8].expected : EV(RETIRED));
	}
}

/* D18.2.6: the feature level and the kind of operation decide which event bits exist. */
static void events_follow_feature_level_and_operation(void **state)
{
	/*
	 * Any load or store has events 2 to 5 and 8 to 10, and 11 since FEAT_SPEv1p1. Events 17 and
	 * 18 require SVE, even in Streaming SVE mode alone. Loads have events 19 to 23 since
	 * FEAT_SPEv1p4. Events 24 and 25 require FEAT_SPE_SME; 24 is PSTATE.SM.
	 */
	const struct {
		const char *features;
		uint64_t load, store, branch, sve;
	} rows[] = {
	        {"v8.2", 0x73e, 0x73e, 0x82, 0x73e},
	        {"v8.5", 0xf3e, 0xf3e, 0x82, 0xf3e},
	        {"v9.0", 0xf3e, 0xf3e, 0x82, 0x60f3e},
	        {"v8.9", 0xf80f3e, 0xf3e, 0x82, 0xf80f3e},
	        {"v9.4", 0xf80f3e, 0xf3e, 0x82, 0xfe0f3e},
	        {"v9.2,-FEAT_SVE,+FEAT_SME", 0xf3e, 0xf3e, 0x82, 0x60f3e},
	        {"v9.2,+FEAT_SME,+FEAT_SPE_SME", 0x2000f3e, 0x2000f3e, 0x2000082, 0x2060f3e},
	        {"v9.4,+FEAT_SME,+FEAT_SPE_SME", 0x2f80f3e, 0x2000f3e, 0x2000082, 0x2fe0f3e},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const uint8_t types[] = {SPEMU_OP_LOAD, SPEMU_OP_STORE, SPEMU_OP_BRANCH,
		                         SPEMU_OP_OTHER_SVE};
		const uint64_t expected[] = {rows[i].load, rows[i].store, rows[i].branch,
		                             rows[i].sve};

		for (unsigned n = 0; n < 4; n++) {
			struct spemu_op op = an_op((enum spemu_op_type)types[n]);
			char features[96];

			snprintf(features, sizeof(features), "%s%s", rows[i].features, EL1_ONLY);
			op.events = ~UINT64_C(0);
			assert_int_equal(sampled_record(features, &op).events, expected[n]);
		}
	}
}

/* The configuration selects IMPLEMENTATION DEFINED events, and optional events that are missing. */
static void impdef_and_optional_events_follow_configuration(void **state)
{
	struct spemu_spu_config config = {.impdef_events = UINT64_C(0x8001000081009000),
	                                  .missing_events = 1 << 10 | 1 << 22,
	                                  .events_size = 8};
	const struct {
		const char *features;
		uint64_t expected, filters;
	} rows[] = {
	        {"v8.2" EL1_ONLY, UINT64_C(0x800100008100933e), UINT64_C(0x80010000810090aa)},
	        {"v8.9" EL1_ONLY, UINT64_C(0x8001000000b89b3e), UINT64_C(0x8001000000b89bfe)},
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct fixture f;
		struct spemu_op op = an_op(SPEMU_OP_LOAD);

		fixture_start(&f, rows[i].features, &config);
		program(&f, 1);
		op.events = ~UINT64_C(0);
		sample(&f, &op);
		assert_true(record_at(&f, BUFFER_BASE).events == rows[i].expected);
		set(&f, SPEMU_REG_PMSEVFR_EL1, ~UINT64_C(0));
		assert_true(reg(&f, SPEMU_REG_PMSEVFR_EL1) == rows[i].filters);
		set(&f, SPEMU_REG_PMSNEVFR_EL1, ~UINT64_C(0)); /* FEAT_SPE_FnE exists since v8.7 */
		assert_true(reg(&f, SPEMU_REG_PMSNEVFR_EL1) == (i ? rows[i].filters : 0));
		fixture_stop(&f);
	}
}

/* D24.7.11, D24.7.17: the filter on event 11 exists with FEAT_SPEv1p1, even if the event does not.
 * The event is then 0 in every sample. */
static void filter_on_absent_event_sees_0(void **state)
{
	struct spemu_spu_config config = {.missing_events = 1 << SPEMU_EV_MISALIGNED};
	static const struct {
		enum spemu_reg reg;
		uint64_t enable;
		uint8_t outcome;
	} rows[] = {
	        {SPEMU_REG_PMSEVFR_EL1, 1 << SPEMU_PMSFCR_EL1_FE_LSB, SPEMU_SAMPLE_FILTERED},
	        {SPEMU_REG_PMSNEVFR_EL1, 1 << SPEMU_PMSFCR_EL1_FnE_LSB, SPEMU_SAMPLE_RECORDED},
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct fixture f;
		struct spemu_op op = an_op(SPEMU_OP_LOAD);

		fixture_start(&f, "v8.9" EL1_ONLY, &config);
		program(&f, 1);
		set(&f, rows[i].reg, 1 << SPEMU_EV_MISALIGNED);
		assert_int_equal(reg(&f, rows[i].reg), 1 << SPEMU_EV_MISALIGNED);
		set(&f, SPEMU_REG_PMSFCR_EL1, rows[i].enable);
		op.events = ~UINT64_C(0);
		assert_int_equal(sample(&f, &op).outcome, rows[i].outcome);
		fixture_stop(&f);
	}
}

/* D18.2.7: ASE is set for Advanced SIMD operations. The Other format also has SVE and SME
 * operations, for which it is not set. */
static void sve_and_sme_may_be_other(void **state)
{
	static const struct {
		uint8_t type;
		uint32_t flags;
		uint8_t vectors, subclass;
	} rows[] = {
	        {SPEMU_OP_OTHER, SPEMU_OPF_SIMD, 1, 0x04},
	        {SPEMU_OP_OTHER, SPEMU_OPF_SIMD | SPEMU_OPF_FP, 1, 0x06},
	        {SPEMU_OP_OTHER_SME, SPEMU_OPF_SIMD, 1, 0x00},
	        {SPEMU_OP_OTHER_SME, SPEMU_OPF_SIMD | SPEMU_OPF_FP, 1, 0x02},
	        {SPEMU_OP_OTHER_SVE, SPEMU_OPF_SIMD, 2, 0x00},
	        {SPEMU_OP_OTHER_SVE, SPEMU_OPF_SIMD | SPEMU_OPF_FP, 2, 0x02},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture f;
		struct spemu_op op = an_op(rows[i].type);

		fixture_start(&f, "v9.4,+FEAT_SME,+FEAT_SPE_EFT,+FEAT_SPE_FPF" EL1_ONLY, NULL);
		assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_SVE_MULTI_VECTOR_FORMAT,
		                                  SPEMU_SVE_MULTI_VECTOR_FORMAT_OTHER),
		                 SPEMU_OK);
		program(&f, 1);
		op.kind.flags = rows[i].flags;
		op.kind.flags |= SPEMU_OPF_VECTORS(rows[i].vectors);
		op.kind.vector_bits = 256;
		sample(&f, &op);
		assert_int_equal(record_at(&f, BUFFER_BASE).op_subclass, rows[i].subclass);
		fixture_stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(operation_type_payloads_match_the_manual),
	        cmocka_unit_test(operation_type_without_its_feature_is_unspecified),
	        cmocka_unit_test(model_sets_events_of_conditions_and_exceptions),
	        cmocka_unit_test(vector_and_tile_sizes_round_up_to_power_of_two),
	        cmocka_unit_test(address_packets_of_pc_target_and_data),
	        cmocka_unit_test(cx_pa_and_ts_control_packets),
	        cmocka_unit_test(counters_saturate_at_12_or_16_bits),
	        cmocka_unit_test(events_absent_from_feature_level_are_zero),
	        cmocka_unit_test(events_follow_feature_level_and_operation),
	        cmocka_unit_test(impdef_and_optional_events_follow_configuration),
	        cmocka_unit_test(filter_on_absent_event_sees_0),
	        cmocka_unit_test(sve_and_sme_may_be_other),
	};
	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
