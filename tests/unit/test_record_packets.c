/* SPDX-License-Identifier: MIT */
/* Test the packets of records value by value, as an SPU writes them (D18.2). */
#include "spu_fixture.h"

#define SME "v9.2,+FEAT_SME,+FEAT_SPE_SME" EL1_ONLY

/* D18.2.1: with FEAT_RME, the PC has {NSE, NS} of each Security state that has records. */
static void pc_has_nse_and_ns_of_each_security_state(void **state)
{
	const struct {
		uint64_t scr_el3, mdcr_el3;
		unsigned top;
	} rows[] = {
	        {0, FIELD(MDCR_EL3, NSPB, 1), 0x00},                     /* Secure */
	        {FIELD(SCR_EL3, NS, 1), FIELD(MDCR_EL3, NSPB, 3), 0x80}, /* Non-secure */
	        {FIELD(SCR_EL3, NSE, 1) | FIELD(SCR_EL3, NS, 1),
	         FIELD(MDCR_EL3, NSPBE, 1) | FIELD(MDCR_EL3, NSPB, 3), 0x80 | 0x10}, /* Realm */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_OTHER);
		struct fixture f;

		fixture_start(&f, "v9.2", NULL);
		program(&f, 1);
		set(&f, SPEMU_REG_SCR_EL3, rows[i].scr_el3);
		set(&f, SPEMU_REG_MDCR_EL3, rows[i].mdcr_el3);
		set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
		set(&f, SPEMU_REG_HCR_EL2, 0);
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
		assert_int_equal(record_at(&f, BUFFER_BASE).addr[SPEMU_ADDR_PC] >> 56, rows[i].top);
		fixture_stop(&f);
	}
}

/*
 * Record one operation of EL0 with both contexts, and with a timestamp if `ts` is 1. Return the
 * size of the record.
 */
static unsigned record_with_contexts(struct fixture *f, const struct spemu_op *op, unsigned ts)
{
	fixture_start(f, "v8.2", NULL);
	program(f, 1);
	set(f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	set(f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	set(f, SPEMU_REG_HCR_EL2, 0);
	set(f, SPEMU_REG_PMSCR_EL1,
	    FIELD(PMSCR_EL1, TS, ts) | FIELD(PMSCR_EL1, CX, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	set(f, SPEMU_REG_PMSCR_EL2,
	    NAMED(PMSCR_EL2, PCT, PHYSICAL) | FIELD(PMSCR_EL2, CX, 1)); /* PMSCR_EL1 selects PCT */
	set(f, SPEMU_REG_CNTVOFF_EL2, 0);
	set(f, SPEMU_REG_CONTEXTIDR_EL1, 0x89abcdef);
	set(f, SPEMU_REG_CONTEXTIDR_EL2, 0xfedcba98);
	f->clock = UINT64_C(0x123456789abcdef0);
	assert_int_equal(sample(f, op).outcome, SPEMU_SAMPLE_RECORDED);
	return (unsigned)(reg(f, SPEMU_REG_PMBPTR_EL1) - BUFFER_BASE);
}

/* D18.2.2, D18.2.3, D18.2.7, D17.6: a record has the packets that are "included for all
 * operations", and no others. */
static void every_operation_has_its_mandatory_packets(void **state)
{
	/* SPEConstructRecord() writes the contexts first and then the counter. */
	static const uint8_t first[] = {0x64, 0xef, 0xcd, 0xab, 0x89, 0x65, 0x98,
	                                0xba, 0xdc, 0xfe, 0x98, 0x39, 0x00};

	(void)state;
	for (unsigned type = SPEMU_OP_OTHER; type <= SPEMU_OP_BRANCH; type++) {
		struct spemu_op op = an_op((enum spemu_op_type)type);
		struct fixture f;

		op.valid = SPEMU_OPV_TOTAL_LATENCY;
		op.total_latency = 0x39;
		record_with_contexts(&f, &op, 0);
		assert_memory_equal(f.buffer, first, sizeof(first));
		assert_int_equal(record_at(&f, BUFFER_BASE).present,
		                 SPEMU_RECORD_ADDR(0) | SPEMU_RECORD_CONTEXT(0) |
		                         SPEMU_RECORD_CONTEXT(1) | SPEMU_RECORD_COUNTER(0) |
		                         SPEMU_RECORD_EVENTS | SPEMU_RECORD_OP_TYPE);
		fixture_stop(&f);
	}
}

/* D18.2.5, D18.2.9: the last packet is Timestamp or End. */
static void records_end_with_timestamp_or_end(void **state)
{
	static const uint8_t timestamp[] = {0x71, 0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture f;
	unsigned size;

	(void)state;
	size = record_with_contexts(&f, &op, 0);
	assert_int_equal(f.buffer[size - 1], 0x01);
	assert_int_equal(record_at(&f, BUFFER_BASE).size, size);
	assert_false(record_at(&f, BUFFER_BASE).present & SPEMU_RECORD_TIMESTAMP);
	fixture_stop(&f);
	size = record_with_contexts(&f, &op, 1);
	assert_memory_equal(f.buffer + size - sizeof(timestamp), timestamp, sizeof(timestamp));
	assert_int_equal(record_at(&f, BUFFER_BASE).size, size);
	fixture_stop(&f);
}

/* D18.2.7: a branch has the GCS bit only with FEAT_GCS, which requires FEAT_SPEv1p4 here. */
static void gcs_branch_has_gcs_subclass(void **state)
{
	static const struct {
		const char *features;
		uint8_t without, with;
	} rows[] = {
	        {"v9.4" EL1_ONLY, 0x08, 0x0c}, /* CR: a Branch with link */
	        {"v9.4,-FEAT_GCS" EL1_ONLY, 0x08, 0x08},
	        {"v8.7" EL1_ONLY, 0x00, 0x00},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_BRANCH);

		op.kind.flags = SPEMU_OPF_LINK;
		assert_int_equal(sampled_record(rows[i].features, &op).op_subclass,
		                 rows[i].without);
		op.kind.flags |= SPEMU_OPF_GCS;
		assert_int_equal(sampled_record(rows[i].features, &op).op_subclass, rows[i].with);
	}
}

/* D18.2.7, RJCLMP: EVL of loads of SVE registers. With FEAT_SPE_SME, EVL counts all vectors, and 7
 * means more than 2048 bits. */
static void rjclmp_evl_of_sve_accesses(void **state)
{
	static const struct {
		uint32_t bits, vectors;
		uint8_t evl, evl_sme;
	} rows[] = {
	        {8, 1, 0, 0},   {32, 1, 0, 0},   {48, 1, 1, 1},   {64, 1, 1, 1},   {128, 1, 2, 2},
	        {256, 1, 3, 3}, {512, 1, 4, 4},  {1024, 1, 5, 5}, {2048, 1, 6, 6}, {1024, 2, 5, 6},
	        {256, 3, 3, 5}, {1024, 3, 5, 7}, {2048, 4, 6, 7},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_LOAD);

		op.kind.ldst = SPEMU_LDST_SVESME;
		op.kind.vector_bits = rows[i].bits;
		op.kind.flags = SPEMU_OPF_VECTORS(rows[i].vectors);
		assert_int_equal(sampled_record("v9.2" EL1_ONLY, &op).op_subclass,
		                 rows[i].evl << 4 | 0x08);
		assert_int_equal(sampled_record(SME, &op).op_subclass, rows[i].evl_sme << 4 | 0x08);
	}
}

/* D18.2.7: each value of ETS, which is in bits [6:4] and [2]. Sizes between the values are rounded
 * up. */
static void ets_values_of_tile_sizes(void **state)
{
	static const struct {
		uint32_t bits;
		uint8_t subclass;
	} rows[] = {
	        {8, 0x88},      {128, 0x88},    {129, 0x8c},   {256, 0x8c},   {384, 0x98},
	        {512, 0x98},    {1024, 0x9c},   {2048, 0xa8},  {4096, 0xac},  {8192, 0xb8},
	        {16384, 0xbc},  {32768, 0xc8},  {65536, 0xcc}, {98304, 0xd8}, {131072, 0xd8},
	        {262144, 0xdc}, {524288, 0xfc}, /* only the whole of ZA is larger */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_op op = an_op(SPEMU_OP_OTHER_SME);

		op.kind.vector_bits = rows[i].bits;
		assert_int_equal(sampled_record(SME, &op).op_subclass, rows[i].subclass);
	}
}

/* D18.2.6: for each kind of operation, an event that occurs alone sets its bit and no other. */
static void each_event_sets_its_bit_alone(void **state)
{
	/* The same bits as in events_follow_feature_level_and_operation(), without bit 1, which the
	 * model sets. */
	static const struct {
		const char *features;
		uint64_t load, store, branch, sve, sve_load;
	} rows[] = {
	        {"v8.2" EL1_ONLY, 0x73c, 0x73c, 0x80, 0x73c, 0x73c},
	        {"v8.5" EL1_ONLY, 0xf3c, 0xf3c, 0x80, 0xf3c, 0xf3c},
	        {"v9.4" EL1_ONLY, 0xf80f3c, 0xf3c, 0x80, 0xfe0f3c, 0xfe0f3c},
	        {"v9.4,+FEAT_SME,+FEAT_SPE_SME" EL1_ONLY, 0x2f80f3c, 0x2000f3c, 0x2000080,
	         0x2fe0f3c, 0x2fe0f3c},
	};

	(void)state;
	for (unsigned n = 0; n < 64 * 5 * sizeof(rows) / sizeof(*rows); n++) {
		static const uint8_t types[] = {SPEMU_OP_LOAD, SPEMU_OP_STORE, SPEMU_OP_BRANCH,
		                                SPEMU_OP_OTHER_SVE, SPEMU_OP_LOAD};
		const unsigned bit = n & 63, kind = n / 64 % 5, i = n / 320;
		const uint64_t exists[] = {rows[i].load, rows[i].store, rows[i].branch, rows[i].sve,
		                           rows[i].sve_load};
		struct spemu_spu_config config = {.events_size = 8};
		struct spemu_op op = an_op((enum spemu_op_type)types[kind]);
		struct fixture f;

		op.kind.ldst = kind == 4 ? SPEMU_LDST_SVESME : SPEMU_LDST_GENERAL;
		op.events = UINT64_C(1) << bit;
		fixture_start(&f, rows[i].features, &config);
		program(&f, 1);
		sample(&f, &op);
		assert_int_equal(record_at(&f, BUFFER_BASE).events, (op.events & exists[kind]) | 2);
		fixture_stop(&f);
	}
}

/* D18.2.6: "if this event is not implemented, then this bit reads-as-zero". Try each optional
 * event. */
static void unimplemented_optional_events_are_zero(void **state)
{
	static const uint8_t optional[] = {8, 9, 10, 19, 20, 21, 22, 23};

	(void)state;
	for (unsigned i = 0; i < sizeof(optional); i++) {
		const uint64_t event = UINT64_C(1) << optional[i];
		struct spemu_spu_config config = {.missing_events = event};
		struct spemu_op op = an_op(SPEMU_OP_LOAD);
		struct fixture f;

		fixture_start(&f, "v8.9" EL1_ONLY, &config);
		program(&f, 1);
		op.events = ~UINT64_C(0);
		sample(&f, &op);
		assert_int_equal(record_at(&f, BUFFER_BASE).events, UINT64_C(0xf80f3e) & ~event);
		fixture_stop(&f);
	}
}

/* D18.2.6: SZ gives the size of the payload in bytes. Bits beyond the payload are zero. */
static void events_payload_size_follows_configuration(void **state)
{
	static const struct {
		uint8_t size, header;
		uint64_t events;
	} rows[] = {
	        {1, 0x42, 0x3e},
	        {2, 0x52, 0x9f3e},
	        {4, 0x62, 0xf89f3e},
	        {8, 0x72, UINT64_C(0x8001000000f89f3e)},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_spu_config config = {.impdef_events = UINT64_C(0x8001000000009000),
		                                  .events_size = rows[i].size};
		struct spemu_op op = an_op(SPEMU_OP_LOAD);
		const uint8_t *packet;
		struct fixture f;

		fixture_start(&f, "v8.9" EL1_ONLY, &config);
		program(&f, 1);
		op.events = ~UINT64_C(0);
		sample(&f, &op);
		/* SPEConstructRecord() writes the Events packet directly before End. */
		packet =
		        f.buffer + (reg(&f, SPEMU_REG_PMBPTR_EL1) - BUFFER_BASE) - 2 - rows[i].size;
		assert_int_equal(packet[0], rows[i].header);
		for (unsigned n = 0; n < rows[i].size; n++)
			assert_int_equal(packet[1 + n], rows[i].events >> 8 * n & 0xff);
		assert_int_equal(packet[1 + rows[i].size], 0x01);
		assert_true(record_at(&f, BUFFER_BASE).events == rows[i].events);
		fixture_stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pc_has_nse_and_ns_of_each_security_state),
	        cmocka_unit_test(every_operation_has_its_mandatory_packets),
	        cmocka_unit_test(records_end_with_timestamp_or_end),
	        cmocka_unit_test(gcs_branch_has_gcs_subclass),
	        cmocka_unit_test(rjclmp_evl_of_sve_accesses),
	        cmocka_unit_test(ets_values_of_tile_sizes),
	        cmocka_unit_test(each_event_sets_its_bit_alone),
	        cmocka_unit_test(unimplemented_optional_events_are_zero),
	        cmocka_unit_test(events_payload_size_follows_configuration),
	};
	return cmocka_run_group_tests_name("record_packets", tests, NULL, NULL);
}
