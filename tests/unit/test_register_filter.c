/* SPDX-License-Identifier: MIT */
/* Test every bit of the filter registers. The expectations are made by hand from the register pages
 * (D24.7.10 to D24.7.17). */
#include "spu_fixture.h"

/* Sample an operation that has every event with a filter except for event `without` (64: all
 * events) (D24.7.11, D24.7.17). Return the filters that discard the record. */
static unsigned filters_of(struct fixture *f, unsigned bit, unsigned without, bool streaming)
{
	bool branch = bit == 6 || bit == 7;
	struct spemu_op op = an_op(branch ? SPEMU_OP_BRANCH : SPEMU_OP_LOAD);
	struct spemu_pe_state pe = {.streaming = streaming && without != 24};

	op.kind.ldst = branch ? SPEMU_LDST_GENERAL : SPEMU_LDST_SVESME;
	op.kind.flags = branch ? SPEMU_OPF_CONDITIONAL : 0;
	op.cond_pass = without == 6;
	op.retired = without != 1;
	op.events = without < 64 ? ~(UINT64_C(1) << without) : ~UINT64_C(0);
	assert_int_equal(spemu_pe_set(f->pe, &pe), SPEMU_OK);
	set(f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
	return sample(f, &op).filters;
}

/* The events that have a filter, by the conditions on the register page. All IMPLEMENTATION DEFINED
 * events have one. */
static const struct {
	const char *features;
	uint64_t filters;
	bool sme;
} filter_sets[] = {
        {"v9.4,+FEAT_SME,+FEAT_SPE_SME" EL1_ONLY, UINT64_C(0xffff000003fefffe), true},
        {"v8.9" EL1_ONLY, UINT64_C(0xffff000000f8fffe), false},
        {"v8.7" EL1_ONLY, UINT64_C(0xffff0000ff00f8ea), false},
        {"v9.2" EL1_ONLY, UINT64_C(0xffff0000ff06f8ea), false},
};

static void start_filters(struct fixture *f, unsigned i)
{
	struct spemu_spu_config config = {.impdef_events = ~UINT64_C(0), .events_size = 8};

	fixture_start(f, filter_sets[i].features, &config);
	program(f, 1);
}

/* If a bit of PMSEVFR_EL1 is 1, a sample without the event is not recorded. If the bit or FE is 0,
 * the event does not matter. */
static void each_event_filter_bit_requires_its_event(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 64 * sizeof(filter_sets) / sizeof(*filter_sets); n++) {
		const unsigned i = n / 64, bit = n % 64;
		const uint64_t all = filter_sets[i].filters, event = UINT64_C(1) << bit & all;
		const bool sme = filter_sets[i].sme, branch = bit == 6 || bit == 7;
		struct fixture f;

		start_filters(&f, i);
		set(&f, SPEMU_REG_PMSEVFR_EL1, ~UINT64_C(0));
		assert_true(reg(&f, SPEMU_REG_PMSEVFR_EL1) == all);
		set(&f, SPEMU_REG_PMSEVFR_EL1, UINT64_C(1) << bit);
		assert_true(reg(&f, SPEMU_REG_PMSEVFR_EL1) == event);
		set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, FE, 1));
		assert_int_equal(filters_of(&f, bit, 64, sme), 0);
		assert_int_equal(filters_of(&f, bit, bit, sme), event ? 1 : 0);
		/* The filter requires the other events but not this one. A branch can have events
		 * 1, 6 and 7. */
		set(&f, SPEMU_REG_PMSEVFR_EL1, (branch ? 0xc2 : all & ~UINT64_C(0xc0)) & ~event);
		assert_int_equal(filters_of(&f, bit, bit, sme), 0);
		set(&f, SPEMU_REG_PMSEVFR_EL1, event);
		set(&f, SPEMU_REG_PMSFCR_EL1, 0);
		assert_int_equal(filters_of(&f, bit, bit, sme), 0);
		fixture_stop(&f);
	}
}

/* If a bit of PMSNEVFR_EL1 is 1, a sample with the event is not recorded. If the bit or FnE is 0,
 * the event does not matter. */
static void each_inverted_filter_bit_excludes_its_event(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 64 * sizeof(filter_sets) / sizeof(*filter_sets); n++) {
		const unsigned i = n / 64, bit = n % 64;
		const uint64_t all = filter_sets[i].filters, event = UINT64_C(1) << bit & all;
		const bool sme = filter_sets[i].sme;
		struct fixture f;

		start_filters(&f, i);
		set(&f, SPEMU_REG_PMSNEVFR_EL1, ~UINT64_C(0));
		assert_true(reg(&f, SPEMU_REG_PMSNEVFR_EL1) == all);
		set(&f, SPEMU_REG_PMSNEVFR_EL1, UINT64_C(1) << bit);
		assert_true(reg(&f, SPEMU_REG_PMSNEVFR_EL1) == event);
		set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, FnE, 1));
		assert_int_equal(filters_of(&f, bit, 64, sme), event ? 8 : 0);
		assert_int_equal(filters_of(&f, bit, bit, sme), 0);
		/* The filter excludes another event, which the sample does not have, but not this
		 * one. */
		set(&f, SPEMU_REG_PMSNEVFR_EL1, bit == 7 ? EV(TLB_WALK) : EV(MISPREDICTED));
		assert_int_equal(filters_of(&f, bit == 6 ? 5 : bit, 64, sme) & 8, 0);
		set(&f, SPEMU_REG_PMSNEVFR_EL1, event);
		set(&f, SPEMU_REG_PMSFCR_EL1, 0);
		assert_int_equal(filters_of(&f, bit, 64, sme), 0);
		fixture_stop(&f);
	}
}

/* A load has data source m, and the filter uses only bits [5:0] of m. S<m> is 0 or 1, and all other
 * bits of the filter have the opposite value. */
static void each_data_source_filter_bit_selects_its_source(void **state)
{
	struct spemu_spu_config config = {.data_source_size = 2};
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct fixture f;

	(void)state;
	op.valid = SPEMU_OPV_DATA_SOURCE;
	fixture_start(&f, "v8.9" EL1_ONLY, &config);
	program(&f, 1);
	for (unsigned m = 0; m < 128; m++) {
		const uint64_t s = UINT64_C(1) << m % 64;

		op.data_source = (uint16_t)m;
		set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
		set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, FDS, 1));
		set(&f, SPEMU_REG_PMSDSFR_EL1, s);
		assert_int_equal(sample(&f, &op).filters, 0);
		set(&f, SPEMU_REG_PMSDSFR_EL1, ~s);
		assert_int_equal(sample(&f, &op).filters, 1 << SPEMU_PMSFCR_EL1_FDS_LSB);
		set(&f, SPEMU_REG_PMSDSFR_EL1, 0);
		assert_int_equal(sample(&f, &op).filters, 1 << SPEMU_PMSFCR_EL1_FDS_LSB);
		set(&f, SPEMU_REG_PMSFCR_EL1, 0);
		assert_int_equal(sample(&f, &op).filters, 0);
	}
	fixture_stop(&f);
}

/* The filter on E[1] is ignored if the records of operations that do not retire are always
 * discarded. */
static void retired_filter_is_ignored_if_always_discarded(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.9" EL1_ONLY, NULL);
	program(&f, 1);
	assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_NOT_RETIRED_CAPTURE,
	                                  SPEMU_NOT_RETIRED_CAPTURE_DISCARDED),
	                 SPEMU_OK);
	set(&f, SPEMU_REG_PMSNEVFR_EL1, EV(RETIRED) | EV(TLB_WALK));
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, FnE, 1));
	assert_int_equal(sample(&f, &op).filters, 0);
	set(&f, SPEMU_REG_PMSEVFR_EL1, EV(RETIRED) | EV(TLB_WALK));
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, FE, 1));
	op.events = EV(TLB_WALK);
	op.exception =
	        true; /* not retired, and not speculative either: a non-architectural exception */
	op.retired = false;
	assert_int_equal(sample(&f, &op).filters, 0);
	fixture_stop(&f);
}

/* If PMSFCR_EL1.FT is 0, the values of TYPE and TYPEm do not matter. */
static void ft_0_disables_type_filter(void **state)
{
	static const uint8_t types[] = {SPEMU_OP_OTHER, SPEMU_OP_LOAD, SPEMU_OP_STORE,
	                                SPEMU_OP_BRANCH};
	struct fixture f;

	(void)state;
	fixture_start(&f, "v9.5" EL1_ONLY, NULL);
	program(&f, 1);
	for (unsigned n = 0; n < 4 * 1024; n++) {
		struct spemu_op op = an_op((enum spemu_op_type)types[n & 3]);

		op.kind.flags = n & 4 ? SPEMU_OPF_FP | SPEMU_OPF_SIMD : 0;
		set(&f, SPEMU_REG_PMSFCR_EL1,
		    PMSFCR_TYPE_MASK(n >> 2 & 31) | PMSFCR_TYPE(n >> 7 & 31));
		set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
		assert_int_equal(sample(&f, &op).filters, 0);
	}
	fixture_stop(&f);
}

/* If PMSFCR_EL1.FL is 0, MINLAT does not matter. */
static void fl_0_disables_latency_filter(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	op.valid = SPEMU_OPV_TOTAL_LATENCY;
	op.total_latency = 99;
	op.events = EV(TLB_WALK);
	set(&f, SPEMU_REG_PMSLATFR_EL1, 100);
	set(&f, SPEMU_REG_PMSEVFR_EL1, EV(TLB_WALK));
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, FE, 1));
	assert_int_equal(sample(&f, &op).filters, 0);
	set(&f, SPEMU_REG_PMSFCR_EL1, FIELD(PMSFCR_EL1, FE, 1) | FIELD(PMSFCR_EL1, FL, 1));
	assert_int_equal(sample(&f, &op).filters, 1 << SPEMU_PMSFCR_EL1_FL_LSB);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_event_filter_bit_requires_its_event),
	        cmocka_unit_test(each_inverted_filter_bit_excludes_its_event),
	        cmocka_unit_test(each_data_source_filter_bit_selects_its_source),
	        cmocka_unit_test(retired_filter_is_ignored_if_always_discarded),
	        cmocka_unit_test(ft_0_disables_type_filter),
	        cmocka_unit_test(fl_0_disables_latency_filter),
	};
	return cmocka_run_group_tests_name("register_filter", tests, NULL, NULL);
}
