/* SPDX-License-Identifier: MIT */
/* Test that no record is larger than PMSIDR_EL1.MaxSize, whatever the features (D24.7.14). */
#include <spemu/codec.h>

#include "spu_fixture.h"

#define ALL_VALID                                                                          \
	(SPEMU_OPV_VA | SPEMU_OPV_PA | SPEMU_OPV_TARGET | SPEMU_OPV_TOTAL_LATENCY |        \
	 SPEMU_OPV_ISSUE_LATENCY | SPEMU_OPV_TRANSLATION_LATENCY | SPEMU_OPV_DATA_SOURCE | \
	 SPEMU_OPV_ALT_ISSUE_LATENCY)

/*
 * Sizes of packets by D18.2: Address 9 bytes, Counter 3, Context 5, Operation Type 2, Events and
 * Data Source 1 and their payload, Timestamp 9. A load has a PC, two data addresses and three
 * counters. A branch has a PC, a target and two counters. With a GCS access a branch has all of
 * these packets.
 */
static const struct row {
	const char *features;
	struct spemu_spu_config config;
	int bytes;
	bool branch; /* the largest record is the one of a branch */
} rows[] = {
        /* 27 for addresses, 9 for counters, 5 for a context, 2 for the type, 3 for events, 9 for
         * the timestamp */
        {"v8.2" EL1_ONLY ",-FEAT_SPE_LDS", {0}, 27 + 9 + 5 + 2 + 3 + 9, false},
        {"v8.2" EL1_ONLY, {0}, 27 + 9 + 5 + 2 + 3 + 9 + 2, false},
        {"v8.2,-EL3,-Secure", {0}, 27 + 9 + 10 + 2 + 3 + 9 + 2, false},
        /* With 4 bytes of events, a record with all common packets has 64 bytes. */
        {"v8.9,-EL3,-Secure", {0}, 64, false},
        {"v8.9,-EL3,-Secure", {.data_source_size = 2}, 65, false},
        {"v8.9,-EL3,-Secure", {.events_size = 8}, 68, false},
        {"v8.7,-EL3,-Secure,+FEAT_SPE_PBT", {0}, 62 + 9, false},
        {"v8.7,-EL3,-Secure,+FEAT_SPE_ALTCLK", {0}, 62 + 3, false},
        {"v9.4,-EL3,-Secure,-FEAT_RME", {0}, 64 + 9, true},
        {"v9.4,-EL3,-Secure,-FEAT_RME,-FEAT_GCS", {0}, 64, false},
        {"v9.4,-EL3,-Secure,-FEAT_RME,+FEAT_SPE_PBT,+FEAT_SPE_ALTCLK", {0}, 64 + 9 + 9 + 3, true},
        /* Records in slots, and records of multiples of 4 bytes. */
        {"v9.4,-EL3,-Secure,-FEAT_RME",
         {.layout = {.order = SPEMU_ORDER_PC_FIRST, .align_log2 = 6}},
         128,
         true},
        {"v9.4,-EL3,-Secure,-FEAT_RME", {.layout = {.align_log2 = 2}}, 76, true},
};
#define ROWS (sizeof(rows) / sizeof(*rows))

static unsigned exponent_for(int bytes)
{
	unsigned n = 6;

	while (1 << n < bytes)
		n++;
	return n;
}

static int largest(const struct row *row)
{
	struct spemu_spu_config config = row->config;
	struct spemu_features features;

	config.size = sizeof(config);
	assert_int_equal(spemu_features_parse(&features, NULL, row->features), SPEMU_OK);
	return spemu_spu_largest_record(&config, &features);
}

static void largest_record_follows_features(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROWS; i++) {
		if (largest(&rows[i]) != rows[i].bytes)
			fail_msg("row %u: %d", i, largest(&rows[i]));
	}
}

/* A record with all packets has the size that the function returns. MaxSize is not smaller. */
static void largest_record_is_reached_and_fits_maxsize(void **state)
{
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < ROWS; i++) {
		struct spemu_op op = an_op(rows[i].branch ? SPEMU_OP_BRANCH : SPEMU_OP_LOAD);
		uint64_t max_size;

		fixture_start(&f, rows[i].features, &rows[i].config);
		max_size = reg(&f, SPEMU_REG_PMSIDR_EL1) >> 12 & 15;
		assert_int_equal(max_size, exponent_for(rows[i].bytes));
		program(&f, 1);
		set(&f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 1));
		spemu_choice_set(f.pe, SPEMU_CHOICE_PREVIOUS_TARGET_WITHOUT_BRANCH,
		                 SPEMU_PREVIOUS_TARGET_WITHOUT_BRANCH_RECORDED);
		set(&f, SPEMU_REG_PMSCR_EL1, 0x3b); /* TS, PA, CX, E1SPE, E0SPE */
		if (strstr(rows[i].features, "-EL2") == NULL) {
			set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
			set(&f, SPEMU_REG_HCR_EL2, 0);
			set(&f, SPEMU_REG_PMSCR_EL2,
			    FIELD(PMSCR_EL2, TS, 1) | FIELD(PMSCR_EL2, PA, 1) |
			            FIELD(PMSCR_EL2, CX, 1));
		}
		at_el(&f, 1);
		spemu_spu_branch(f.spu, 0x2000, 0, NULL);
		op.valid = ALL_VALID;
		op.cond_pass = true;
		if (rows[i].branch)
			op.kind.flags = SPEMU_OPF_GCS | SPEMU_OPF_RETURN | SPEMU_OPF_INDIRECT;
		assert_int_equal(sample(&f, &op).written, rows[i].bytes);
		fixture_stop(&f);
	}
}

/* A configuration is refused if its MaxSize is too small, and accepted if it is larger than
 * necessary. */
static void maxsize_below_largest_record_is_refused(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROWS; i++) {
		unsigned least = exponent_for(rows[i].bytes);

		for (unsigned n = 6; n <= 11; n++) {
			struct spemu_pe *pe = pe_make(rows[i].features);
			struct spemu_spu_host host = {.size = sizeof(host)};
			struct spemu_spu_config config = rows[i].config;
			void *memory = malloc(spemu_spu_size());
			struct spemu_spu *spu;

			config.size = sizeof(config);
			config.max_size_log2 = (uint8_t)n;
			assert_int_equal(
			        spemu_spu_init(&spu, memory, spemu_spu_size(), pe, &config, &host),
			        n < least ? SPEMU_ERR_INVALID : SPEMU_OK);
			free(memory);
			free(pe);
		}
	}
}

static void invalid_arguments_are_refused(void **state)
{
	struct spemu_spu_config config = {.size = sizeof(config), .events_size = 3};
	struct spemu_features features;

	(void)state;
	assert_int_equal(spemu_features_parse(&features, NULL, "v8.2"), SPEMU_OK);
	assert_int_equal(spemu_spu_largest_record(&config, &features), SPEMU_ERR_INVALID);
	config.events_size = 0;
	assert_int_equal(spemu_spu_largest_record(&config, NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_spu_largest_record(NULL, &features), SPEMU_ERR_INVALID);
	config.layout.align_log2 = 12;
	assert_int_equal(spemu_spu_largest_record(&config, &features), SPEMU_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(largest_record_follows_features),
	        cmocka_unit_test(largest_record_is_reached_and_fits_maxsize),
	        cmocka_unit_test(maxsize_below_largest_record_is_refused),
	        cmocka_unit_test(invalid_arguments_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
