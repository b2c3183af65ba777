/* SPDX-License-Identifier: MIT */
/* Test which finished samples the filters let through (D17.5). */
#include "spu_fixture.h"

enum {
	FE = 1 << SPEMU_PMSFCR_EL1_FE_LSB,
	FT = 1 << SPEMU_PMSFCR_EL1_FT_LSB,
	FL = 1 << SPEMU_PMSFCR_EL1_FL_LSB,
	FNE = 1 << SPEMU_PMSFCR_EL1_FnE_LSB,
	FDS = 1 << SPEMU_PMSFCR_EL1_FDS_LSB,
};

static struct spemu_op typed_op(unsigned flags)
{
	/* The operation types that give each combination of B, LD and ST. Combinations that do not
	 * exist are 0xff. */
	static const uint8_t type[8] = {
	        SPEMU_OP_OTHER, SPEMU_OP_BRANCH,      SPEMU_OP_LOAD, 0xff, SPEMU_OP_STORE,
	        0xff,           SPEMU_OP_LOAD_ATOMIC, 0xff};
	struct spemu_op op = an_op((enum spemu_op_type)type[flags & 7]);

	op.kind.flags = (flags & 8 ? SPEMU_OPF_FP : 0) | (flags & 16 ? SPEMU_OPF_SIMD : 0);
	return op;
}

/* RYGCFK with FEAT_SPE_EFT: try every combination of type filters, masks and types. */
static void rygcfk_type_filter_with_masks(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v9.5" EL1_ONLY, NULL);
	program(&f, 1);
	for (unsigned ctrl = 0; ctrl < 32; ctrl++) {
		for (unsigned mask = 0; mask < 32; mask++) {
			set(&f, SPEMU_REG_PMSFCR_EL1,
			    PMSFCR_TYPE_MASK(mask) | PMSFCR_TYPE(ctrl) | FT);
			for (unsigned flags = 0; flags < 32; flags++) {
				struct spemu_op op = typed_op(flags);
				unsigned unmasked = ctrl & ~mask & 31;
				bool discard = (unmasked && !(flags & unmasked)) ||
				               (flags & mask) != (ctrl & mask);

				if (op.kind.type == 0xff)
					continue;
				set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
				assert_int_equal(sample(&f, &op).filters, discard ? FT : 0);
			}
		}
	}
	fixture_stop(&f);
}

/* Filters also work if the host does not count PMU events. */
static void filters_work_without_pmu_events(void **state)
{
	struct spemu_spu_config config = {.size = sizeof(config)};
	struct spemu_spu_host host = {.size = sizeof(host), .buffer_write = fixture_write};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture f = {0};

	(void)state;
	host.ctx = &f;
	fixture_make(&f, pe_make("v8.2" EL1_ONLY), &config, &host);
	program(&f, 1);
	assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, LD, 1) | FT);
	assert_int_equal(sample(&f, &op).filters, FT);
	fixture_stop(&f);
}

/* RYGCFK without FEAT_SPE_EFT: only the controls {ST, LD, B} exist. If they select nothing, FT
 * counts as 0. */
static void rygcfk_type_filter_without_masks(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	for (unsigned ctrl = 0; ctrl < 32; ctrl++) {
		set(&f, SPEMU_REG_PMSFCR_EL1, PMSFCR_TYPE_MASK(31) | PMSFCR_TYPE(ctrl) | FT);
		assert_int_equal(reg(&f, SPEMU_REG_PMSFCR_EL1), PMSFCR_TYPE(ctrl & 7) | FT);
		for (unsigned flags = 0; flags < 32; flags++) {
			struct spemu_op op = typed_op(flags);
			bool discard = (ctrl & 7) && !(flags & ctrl & 7);

			if (op.kind.type == 0xff)
				continue;
			set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
			assert_int_equal(sample(&f, &op).filters, discard ? FT : 0);
		}
	}
	fixture_stop(&f);
}

static struct spemu_op op_with_events(uint64_t events)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	op.events = events;
	return op;
}

/* D17.5.2: a record must have all events of PMSEVFR_EL1 and no event of PMSNEVFR_EL1. */
static void event_filter_and_inverted_event_filter(void **state)
{
	const uint64_t events[] = {0,
	                           EV(L1D_ACCESS),
	                           EV(L1D_REFILL),
	                           EV(TLB_WALK),
	                           EV(L1D_ACCESS) | EV(L1D_REFILL),
	                           EV(L1D_REFILL) | EV(TLB_WALK)};
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.9" EL1_ONLY, NULL);
	program(&f, 1);
	for (unsigned i = 0; i < 6; i++) {
		struct spemu_op op = op_with_events(events[i]);

		set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
		set(&f, SPEMU_REG_PMSEVFR_EL1,
		    /* The operation retires, so it also has event 1. */
		    EV(L1D_REFILL) | EV(RETIRED));
		set(&f, SPEMU_REG_PMSNEVFR_EL1, EV(TLB_WALK));
		set(&f, SPEMU_REG_PMSFCR_EL1, FE);
		assert_int_equal(sample(&f, &op).filters, events[i] & EV(L1D_REFILL) ? 0 : FE);
		set(&f, SPEMU_REG_PMSFCR_EL1, FNE);
		assert_int_equal(sample(&f, &op).filters, events[i] & EV(TLB_WALK) ? FNE : 0);
		set(&f, SPEMU_REG_PMSFCR_EL1, FE | FNE);
		assert_int_equal(sample(&f, &op).filters,
		                 (events[i] & EV(L1D_REFILL) ? 0 : FE) |
		                         (events[i] & EV(TLB_WALK) ? FNE : 0));
	}
	fixture_stop(&f);
}

/* D24.7.12: a filter that selects nothing, or that selects the impossible, acts as if it were
 * disabled. */
static void filter_selecting_nothing_is_off(void **state)
{
	struct fixture f;
	struct spemu_op op = op_with_events(EV(L1D_REFILL));

	(void)state;
	fixture_start(&f, "v8.9" EL1_ONLY, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSFCR_EL1, FE | FNE | FL);
	assert_int_equal(sample(&f, &op).filters, 0);
	set(&f, SPEMU_REG_PMSEVFR_EL1, EV(L1D_REFILL));
	set(&f, SPEMU_REG_PMSNEVFR_EL1, EV(L1D_REFILL));
	assert_int_equal(sample(&f, &op).filters, 0);
	fixture_stop(&f);
}

/* D24.7.11: the features decide which bits of PMSEVFR_EL1 exist. */
static void event_filter_bits_follow_features(void **state)
{
	const struct {
		const char *features;
		uint64_t bits, inverted;
	} rows[] = {
	        {"v8.2" EL1_ONLY, 0xaa, 0},
	        {"v8.5" EL1_ONLY, 0x8aa, 0},
	        {"v8.5,+FEAT_SVE" EL1_ONLY, 0x608aa, 0},
	        {"v9.2,-FEAT_SVE,+FEAT_SME" EL1_ONLY, 0x608ea, 0x608ea},
	        {"v9.2,-FEAT_SVE" EL1_ONLY, 0x8ea, 0x8ea},
	        {"v8.7" EL1_ONLY, 0x8ea, 0x8ea},
	        {"v8.9" EL1_ONLY, 0xf80ffe, 0xf80ffe},
	        {"v9.4" EL1_ONLY, 0xfe0ffe, 0xfe0ffe},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture f;

		fixture_start(&f, rows[i].features, NULL);
		set(&f, SPEMU_REG_PMSEVFR_EL1, ~UINT64_C(0));
		set(&f, SPEMU_REG_PMSNEVFR_EL1, ~UINT64_C(0));
		assert_int_equal(reg(&f, SPEMU_REG_PMSEVFR_EL1), rows[i].bits);
		if (rows[i].inverted)
			assert_int_equal(reg(&f, SPEMU_REG_PMSNEVFR_EL1), rows[i].inverted);
		fixture_stop(&f);
	}
}

/* D17.5.3: the total latency must be at least MINLAT. With 12-bit counters PMSLATFR_EL1[15:12] are
 * RES0. */
static void latency_filter_compares_total_latency(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSLATFR_EL1, 0xffff);
	assert_int_equal(reg(&f, SPEMU_REG_PMSLATFR_EL1), 0xfff);
	set(&f, SPEMU_REG_PMSLATFR_EL1, 100);
	set(&f, SPEMU_REG_PMSFCR_EL1, FL);
	op.valid = SPEMU_OPV_TOTAL_LATENCY;
	op.total_latency = 99;
	assert_int_equal(sample(&f, &op).filters, FL);
	op.total_latency = 100;
	assert_int_equal(sample(&f, &op).filters, 0);
	op.total_latency = 1000000;
	assert_int_equal(sample(&f, &op).filters, 0);
	op.valid = 0;
	assert_int_equal(sample(&f, &op).filters, FL);
	fixture_stop(&f);
}

/* D17.5.4: the data source filter applies only to loads that have a data source. */
static void data_source_filter_applies_to_loads_with_source(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	fixture_start(&f, "v8.9" EL1_ONLY, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSDSFR_EL1, UINT64_C(1) << 8);
	set(&f, SPEMU_REG_PMSFCR_EL1, FDS);
	op.valid = SPEMU_OPV_DATA_SOURCE;
	op.data_source = 0x48; /* bits [5:0] are 8, which is selected */
	assert_int_equal(sample(&f, &op).filters, 0);
	op.data_source = 9;
	assert_int_equal(sample(&f, &op).filters, FDS);
	op.kind.type = SPEMU_OP_STORE;
	assert_int_equal(sample(&f, &op).filters, 0);
	op.kind.type = SPEMU_OP_LOAD;
	op.valid = 0;
	assert_int_equal(sample(&f, &op).filters, 0);
	/* The filter does not apply to other operations with an unselected data source, such as
	 * ST64BV and a prefetch. */
	op.valid = SPEMU_OPV_DATA_SOURCE;
	assert_int_equal(sample(&f, &op).filters, FDS);
	op.kind.type = SPEMU_OP_STORE;
	op.kind.flags = SPEMU_OPF_STATUS_RESULT;
	assert_int_equal(sample(&f, &op).filters, 0);
	op.kind.type = SPEMU_OP_OTHER;
	op.kind.flags = SPEMU_OPF_PREFETCH;
	assert_int_equal(sample(&f, &op).filters, 0);
	/* The filter uses bit 5 of the data source, too. */
	op = an_op(SPEMU_OP_LOAD);
	op.valid = SPEMU_OPV_DATA_SOURCE;
	op.data_source = 0x28;
	assert_int_equal(sample(&f, &op).filters, FDS);
	fixture_stop(&f);
}

/* D17.5.5: Discard mode discards records after filtering. It writes nothing and does not move the
 * pointer. */
static void discard_mode_writes_nothing(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	fixture_start(&f, "v8.7" EL1_ONLY, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMBLIMITR_EL1,
	    NAMED(PMBLIMITR_EL1, FM, DISCARD) | FIELD(PMBLIMITR_EL1, E, 1)); /* LIMIT is ignored */
	assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_DISCARDED);
	assert_int_equal(f.writes, 0);
	assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE);
	assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), 0);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FILTRATE), 1);
	fixture_stop(&f);
}

/* D17.5.5: Discard mode ignores a pointer that RHXSYK forbids, whatever effect the pointer would
 * have in Fill mode. */
static void discard_mode_ignores_pointer_restrictions(void **state)
{
	const uint64_t discard = NAMED(PMBLIMITR_EL1, FM, DISCARD) | FIELD(PMBLIMITR_EL1, E, 1);
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	for (unsigned option = 0; option <= SPEMU_POINTER_RESTRICTION_BUFFER_FULL_PMU_EVENT;
	     option++) {
		for (unsigned filled = 0; filled < 2; filled++) {
			struct fixture f;

			fixture_start(&f, "v8.7" EL1_ONLY, NULL);
			assert_int_equal(
			        spemu_choice_set(f.pe, SPEMU_CHOICE_POINTER_RESTRICTION, option),
			        SPEMU_OK);
			program(&f, 1);
			set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + BUFFER_SIZE);
			if (!filled)
				set(&f, SPEMU_REG_PMBLIMITR_EL1, discard);
			at_el(&f, 1);
			at_el(&f, 0); /* profiling is enabled in Fill mode and in Discard mode */
			set(&f, SPEMU_REG_PMBLIMITR_EL1, discard);
			assert_true(spemu_spu_ops_until_sample(f.spu) != UINT64_MAX);
			assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_DISCARDED);
			assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE + BUFFER_SIZE);
			assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), 0);
			assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_BUFFER_FULL), 0);
			assert_int_equal(f.writes, 0);
			fixture_stop(&f);
		}
	}
}

/* SPECollectRecord(): the SAMPLE_FEED_* events are generated whether or not filters are enabled. */
static void feed_events_count_with_filters_off(void **state)
{
	struct fixture f;
	struct spemu_op op = typed_op(2 | 8);

	(void)state;
	fixture_start(&f, "v9.5" EL1_ONLY, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, LD, 1));
	sample(&f, &op);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_LD), 1);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_FP), 1);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_ST), 0);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_BR), 0);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_SIMD), 0);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_OP), 1);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_EVENT), 1);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED_LAT), 1);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FILTRATE), 1);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rygcfk_type_filter_with_masks),
	        cmocka_unit_test(filters_work_without_pmu_events),
	        cmocka_unit_test(rygcfk_type_filter_without_masks),
	        cmocka_unit_test(event_filter_and_inverted_event_filter),
	        cmocka_unit_test(filter_selecting_nothing_is_off),
	        cmocka_unit_test(event_filter_bits_follow_features),
	        cmocka_unit_test(latency_filter_compares_total_latency),
	        cmocka_unit_test(data_source_filter_applies_to_loads_with_source),
	        cmocka_unit_test(discard_mode_writes_nothing),
	        cmocka_unit_test(discard_mode_ignores_pointer_restrictions),
	        cmocka_unit_test(feed_events_count_with_filters_off),
	};
	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
