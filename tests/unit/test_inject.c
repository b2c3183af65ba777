/* SPDX-License-Identifier: MIT */
/* Test injected events: when they happen, and that each ends like the genuine event. */
#include "translated_fixture.h"

static struct spemu_op op;
/* 2 to the power of 6: records have 64 bytes. */
static struct spemu_spu_config slots = {.max_size_log2 = 6};

static unsigned inject(struct translated *m, struct spemu_injection i)
{
	unsigned index;

	i.size = sizeof(i);
	assert_int_equal(spemu_spu_inject(m->f.spu, &index, &i), SPEMU_OK);
	return index;
}

static uint64_t happened(struct translated *m, unsigned index)
{
	uint64_t count;

	assert_int_equal(spemu_spu_injected(m->f.spu, &count, index), SPEMU_OK);
	return count;
}

static const struct spemu_fault translation3 = {.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07};

/* Inject every kind of event. The effects are from the manual. The record starts at BUFFER_BASE. */
static void every_event_can_be_injected(void **state)
{
	static const struct {
		struct spemu_injection i;
		uint64_t pmbsr;
		unsigned moved; /* distance that PMBPTR_EL1 moves */
	} rows[] = {
	        {{.kind = SPEMU_INJECT_FAULT, .fault = {SPEMU_FAULT_STAGE1, .fsc = 0x07}},
	         PMBSR_S | STAGE1 | 0x07,
	         0},
	        {{.kind = SPEMU_INJECT_FAULT,
	          .fault = {SPEMU_FAULT_STAGE2, .fsc = 0x0f, .written = 10}},
	         PMBSR_S | PMBSR_DL | STAGE2 | 0x0f,
	         10},
	        {{.kind = SPEMU_INJECT_FAULT, .fault = {SPEMU_FAULT_GPC, .written = 5000}},
	         PMBSR_S | PMBSR_DL | PMBSR_EC(0x1e),
	         63},
	        {{.kind = SPEMU_INJECT_FAULT, .fault = {SPEMU_FAULT_EXTERNAL, .written = 1}},
	         PMBSR_S | PMBSR_DL | PMBSR_EA | STAGE1 | 0x10,
	         1},
	        {{.kind = SPEMU_INJECT_NOT_ALLOWED}, PMBSR_S | PMBSR_DL, 0},
	        {{.kind = SPEMU_INJECT_FULL}, PMBSR_S | 1, 64},
	        {{.kind = SPEMU_INJECT_BUFFER_SIZE}, PMBSR_S | PMBSR_DL | 4, 0},
	        {{.kind = SPEMU_INJECT_IMPDEF, .mss = 0xabcd, .mss2 = 0x123456},
	         PMBSR_S | PMBSR_DL | PMBSR_EC(0x1f) | 0xabcd | FIELD(PMBSR_EL1, MSS2, 0x123456),
	         0},
	        {{.kind = SPEMU_INJECT_COLLISION}, PMBSR_COLL, 64},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_injection one = rows[i].i;
		struct translated m;

		translated_start(&m, "v8.2" EL1_ONLY, &slots);
		one.nth = 1;
		inject(&m, one);
		sample(&m.f, &op);
		assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), rows[i].pmbsr);
		assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE + rows[i].moved);
		assert_int_equal(m.writes, rows[i].moved != 0);
		if (rows[i].moved)
			assert_int_equal(m.write[0].size, rows[i].moved);
		fixture_stop(&m.f);
	}
}

/* Injection also works if the host has no translation callback. The record is written as far as
 * possible. */
static void injection_works_without_host_translation(void **state)
{
	static const struct {
		struct spemu_injection i;
		uint64_t pmbsr;
		unsigned moved;
	} rows[] = {
	        {{.kind = SPEMU_INJECT_FAULT,
	          .fault = {SPEMU_FAULT_STAGE1, .fsc = 0x07, .written = 10}},
	         PMBSR_S | PMBSR_DL | STAGE1 | 0x07,
	         10},
	        {{.kind = SPEMU_INJECT_FULL}, PMBSR_S | 1, 64},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_injection one = rows[i].i;
		struct fixture f;

		fixture_start(&f, "v8.2" EL1_ONLY, &slots);
		program(&f, 1);
		one.size = sizeof(one);
		one.nth = 2;
		assert_int_equal(spemu_spu_inject(f.spu, NULL, &one), SPEMU_OK);
		sample(&f, &op);
		assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), 0);
		sample(&f, &op);
		assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), rows[i].pmbsr);
		assert_true(reg(&f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE + 64 + rows[i].moved);
		assert_int_equal(f.writes, 2);
		fixture_stop(&f);
	}
}

static void injection_hits_the_nth_record(void **state)
{
	struct translated m;
	unsigned index;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &slots);
	index = inject(&m, (struct spemu_injection){.nth = 3, .times = 2, .fault = translation3});
	for (unsigned i = 1; i <= 9; i++) {
		struct spemu_sample_result result = sample(&m.f, &op);

		/* The injection hits the third and the sixth record and no other. */
		assert_int_equal(result.outcome == SPEMU_SAMPLE_LOST, i == 3 || i == 6);
		set(&m.f, SPEMU_REG_PMBSR_EL1, 0);
	}
	assert_int_equal(happened(&m, index), 2);
	fixture_stop(&m.f);
}

/* The fault is at the first address of the range. The bytes of the record below that address are
 * written. */
static void injection_hits_an_address_range(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &slots);
	inject(&m, (struct spemu_injection){.when = SPEMU_INJECT_ADDRESS,
	                                    .first = BUFFER_BASE + 64 + 20,
	                                    .last = BUFFER_BASE + 64 + 20,
	                                    .fault = translation3});
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_LOST);
	assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE + 64 + 20);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | PMBSR_DL | STAGE1 | 0x07);
	assert_int_equal(m.write[1].size, 20);
	fixture_stop(&m.f);
	/* The range begins at the last byte of a record, or at the first byte after the record. */
	for (unsigned after = 0; after < 2; after++) {
		translated_start(&m, "v8.2" EL1_ONLY, &slots);
		inject(&m, (struct spemu_injection){.when = SPEMU_INJECT_ADDRESS,
		                                    .first = BUFFER_BASE + 63 + after,
		                                    .last = UINT64_MAX,
		                                    .fault = translation3});
		assert_int_equal(sample(&m.f, &op).outcome,
		                 after ? SPEMU_SAMPLE_RECORDED : SPEMU_SAMPLE_LOST);
		assert_int_equal(m.write[0].size, 63 + after);
		fixture_stop(&m.f);
	}
	/* If the range begins below the record, the first byte of the record faults. If it also
	 * ends below the record, it has no effect. */
	translated_start(&m, "v8.2" EL1_ONLY, &slots);
	inject(&m, (struct spemu_injection){.when = SPEMU_INJECT_ADDRESS,
	                                    .last = BUFFER_BASE - 1,
	                                    .fault = translation3});
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	inject(&m, (struct spemu_injection){.when = SPEMU_INJECT_ADDRESS,
	                                    .last = BUFFER_BASE + 64,
	                                    .fault = translation3});
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_LOST);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | STAGE1 | 0x07);
	fixture_stop(&m.f);
}

/* An unmapped page before the injected address faults first. */
static void real_fault_precedes_injection(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &slots);
	set(&m.f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + PAGE - 64);
	m.page[0].fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE2, .fsc = 0x06};
	inject(&m, (struct spemu_injection){
	                   .nth = 1, .fault = {SPEMU_FAULT_STAGE1, .fsc = 0x07, .written = 8}});
	sample(&m.f, &op);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | STAGE2 | 0x06);
	fixture_stop(&m.f);
}

/* Inject a fault into one of ten records on average. Store in `hit` which of a thousand records
 * were hit, and return their number. */
static unsigned hits(struct translated *m, uint64_t seed, bool hit[1000])
{
	unsigned count = 0;

	translated_start_seeded(m, "v8.2" EL1_ONLY, &slots, seed);
	inject(m, (struct spemu_injection){
	                  .when = SPEMU_INJECT_RATE, .rate = 10, .fault = translation3});
	for (unsigned i = 0; i < 1000; i++) {
		hit[i] = sample(&m->f, &op).outcome == SPEMU_SAMPLE_LOST;
		count += hit[i];
		set(&m->f, SPEMU_REG_PMBSR_EL1, 0);
		set(&m->f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
	}
	fixture_stop(&m->f);
	return count;
}

static void injection_rate_is_repeatable_by_seed(void **state)
{
	struct translated m;
	bool a[1000], b[1000], c[1000];
	unsigned count = hits(&m, 1, a);

	(void)state;
	assert_in_range(count, 60, 140); /* the mean is 100, and the standard deviation is 9.5 */
	hits(&m, 1, b);
	hits(&m, 2, c);
	assert_memory_equal(a, b, sizeof(a));
	assert_memory_not_equal(a, c, sizeof(a));
}

/* An injection that draws random numbers does not change the intervals between samples. */
static void injection_leaves_sampling_intervals(void **state)
{
	uint64_t distance[2][50];

	(void)state;
	for (unsigned with = 0; with < 2; with++) {
		struct translated m;

		translated_start(&m, "v8.2" EL1_ONLY, &slots);
		set(&m.f, SPEMU_REG_PMSIRR_EL1,
		    FIELD(PMSIRR_EL1, INTERVAL, 1) | FIELD(PMSIRR_EL1, RND, 1));
		if (with)
			inject(&m, (struct spemu_injection){.when = SPEMU_INJECT_RATE,
			                                    .rate = 3,
			                                    .kind = SPEMU_INJECT_COLLISION});
		for (unsigned i = 0; i < 50; i++) {
			distance[with][i] = spemu_spu_ops_until_sample(m.f.spu);
			sample(&m.f, &op);
		}
		fixture_stop(&m.f);
	}
	assert_memory_equal(distance[0], distance[1], sizeof(distance[0]));
}

/* A run is saved and loaded in the middle. It must continue like a run without interruption. */
static void injections_are_saved_and_loaded(void **state)
{
	struct translated m;
	bool straight[200], again[200];
	struct fixture_image image;

	(void)state;
	for (unsigned load = 0; load < 2; load++) {
		bool *hit = load ? again : straight;

		translated_start(&m, "v8.2" EL1_ONLY, &slots);
		inject(&m, (struct spemu_injection){.when = SPEMU_INJECT_RATE,
		                                    .rate = 4,
		                                    .times = 20,
		                                    .fault = translation3});
		inject(&m, (struct spemu_injection){.nth = 7, .fault = translation3});
		for (unsigned i = 0; i < 200; i++) {
			if (load && i == 50) {
				fixture_save(&m.f, &image);
				fixture_stop(&m.f);
				translated_start(&m, "v8.2" EL1_ONLY, &slots);
				fixture_load(&m.f, &image);
			}
			hit[i] = sample(&m.f, &op).outcome == SPEMU_SAMPLE_LOST;
			set(&m.f, SPEMU_REG_PMBSR_EL1, 0);
			set(&m.f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
		}
		fixture_stop(&m.f);
	}
	assert_memory_equal(straight, again, sizeof(again));
}

/* Injections that were cleared do not happen. The injection that is added afterwards works. */
static void cleared_injections_do_not_happen(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &slots);
	for (unsigned i = 0; i < 3; i++)
		inject(&m, (struct spemu_injection){.nth = 1, .fault = translation3});
	spemu_spu_inject_clear(m.f.spu);
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	inject(&m, (struct spemu_injection){.nth = 3, .fault = translation3});
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_LOST);
	fixture_stop(&m.f);
}

static void invalid_injections_are_refused(void **state)
{
	static const struct spemu_injection bad[] = {
	        {.nth = 0}, /* would never happen */
	        {.when = 3, .nth = 1},
	        {.kind = SPEMU_INJECT_COLLISION + 1, .nth = 1},
	        /* The fault is not described. */
	        {.kind = SPEMU_INJECT_FAULT, .nth = 1},
	        /* This FSC does not exist. */
	        {.fault = {SPEMU_FAULT_STAGE1, .fsc = 0x3f}, .nth = 1},
	        {.fault = {SPEMU_FAULT_STAGE2, .fsc = 0x18}, .nth = 1},
	        {.when = SPEMU_INJECT_RATE, .kind = SPEMU_INJECT_FULL},
	        {.when = SPEMU_INJECT_ADDRESS, .kind = SPEMU_INJECT_FULL, .first = 2, .last = 1},
	        {.kind = SPEMU_INJECT_IMPDEF, .mss2 = 1u << 24, .nth = 1},
	};
	struct translated m;
	struct spemu_injection good = {.size = sizeof(good), .nth = 1, .kind = SPEMU_INJECT_FULL};
	uint64_t count;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &slots);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct spemu_injection one = bad[i];

		one.size = sizeof(one);
		assert_int_equal(spemu_spu_inject(m.f.spu, NULL, &one), SPEMU_ERR_INVALID);
	}
	assert_int_equal(spemu_spu_injected(m.f.spu, &count, 0), SPEMU_ERR_INVALID);
	good.size++; /* the size of a later version */
	assert_int_equal(spemu_spu_inject(m.f.spu, NULL, &good), SPEMU_ERR_INVALID);
	good.size--;
	for (unsigned i = 0; i < SPEMU_INJECTIONS_MAX; i++)
		assert_int_equal(spemu_spu_inject(m.f.spu, NULL, &good), SPEMU_OK);
	assert_int_equal(spemu_spu_inject(m.f.spu, NULL, &good), SPEMU_ERR_NOSPACE);
	spemu_spu_inject_clear(m.f.spu);
	assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), 0);
	fixture_stop(&m.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_event_can_be_injected),
	        cmocka_unit_test(injection_hits_the_nth_record),
	        cmocka_unit_test(injection_works_without_host_translation),
	        cmocka_unit_test(injection_hits_an_address_range),
	        cmocka_unit_test(real_fault_precedes_injection),
	        cmocka_unit_test(injection_rate_is_repeatable_by_seed),
	        cmocka_unit_test(injection_leaves_sampling_intervals),
	        cmocka_unit_test(injections_are_saved_and_loaded),
	        cmocka_unit_test(cleared_injections_do_not_happen),
	        cmocka_unit_test(invalid_injections_are_refused),
	};
	op = an_op(SPEMU_OP_OTHER);
	slots.layout = spemu_layout_neoverse;
	return cmocka_run_group_tests_name("inject", tests, NULL, NULL);
}
