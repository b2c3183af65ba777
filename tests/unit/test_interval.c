/* SPDX-License-Identifier: MIT */
/* Test the choice of the sampled operations (D17.3). */
#include "spu_fixture.h"
#include "spu/spu_object.h"

/* D17.3.4.1, note: without jitter, the distance between chosen operations is INTERVAL * 256 + 1.
 * Before the first, the counter counts down the value that D17.3.3 loads. */
static void interval_without_jitter_is_fixed(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 3);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(spemu_spu_ops_until_sample(f.spu), 3 * 256 + (i != 0));
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	}
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_POP), 20 * (3 * 256 + 1) - 1);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED), 20);
	fixture_stop(&f);
}

/* Compare counting in large steps with counting one operation at a time. The result shows the
 * random bytes that were used. */
static void counting_in_pieces_equals_counting_at_once(void **state)
{
	struct fixture a, b;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	uint32_t r = 12345;

	(void)state;
	for (unsigned features = 0; features < 2; features++) {
		const char *text = features ? "v8.2,+FEAT_SPE_ERnd" EL1_ONLY : "v8.2" EL1_ONLY;

		fixture_start_seeded(&a, text, NULL, 7);
		fixture_start_seeded(&b, text, NULL, 7);
		program(&a, 2);
		program(&b, 2);
		set(&a, SPEMU_REG_PMSIRR_EL1,
		    FIELD(PMSIRR_EL1, INTERVAL, 2) | FIELD(PMSIRR_EL1, RND, 1));
		set(&b, SPEMU_REG_PMSIRR_EL1,
		    FIELD(PMSIRR_EL1, INTERVAL, 2) | FIELD(PMSIRR_EL1, RND, 1));
		for (unsigned i = 0; i < 200; i++) {
			uint64_t n = spemu_spu_ops_until_sample(a.spu);

			while (spemu_spu_ops_until_sample(b.spu) > 1) {
				uint64_t left = spemu_spu_ops_until_sample(b.spu) - 1;
				uint64_t step = 1 + (r >> 16) % 97;

				r = r * 1103515245 + 12345;
				step = step < left ? step : left;
				assert_int_equal(spemu_spu_ops_until_sample(b.spu), n);
				assert_int_equal(spemu_spu_ops(b.spu, step), SPEMU_OK);
				n -= step;
				assert_int_equal(spemu_spu_ops_until_sample(b.spu), n);
			}
			set(&a, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
			set(&b, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
			sample(&a, &op);
			sample(&b, &op);
			assert_int_equal(reg(&a, SPEMU_REG_PMSICR_EL1),
			                 reg(&b, SPEMU_REG_PMSICR_EL1));
		}
		fixture_stop(&a);
		fixture_stop(&b);
	}
}

static void collect_intervals(struct fixture *f, unsigned count, uint64_t *sum, uint64_t *min,
                              uint64_t *max)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);

	*sum = *max = 0;
	*min = UINT64_MAX;
	for (unsigned i = 0; i < count; i++) {
		uint64_t n = spemu_spu_ops_until_sample(f->spu);

		*sum += n;
		*min = n < *min ? n : *min;
		*max = n > *max ? n : *max;
		set(f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
		sample(f, &op);
	}
}

/* D17.3.4.2: the low byte of the counter is random. An interval is in [I * 256, I * 256 + 255] + 1,
 * with a mean of I * 256 + 128.5. */
static void jitter_without_ernd_randomizes_low_byte(void **state)
{
	struct fixture f;
	uint64_t sum, min, max;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 4);
	set(&f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 4) | FIELD(PMSIRR_EL1, RND, 1));
	collect_intervals(&f, 1, &sum, &min, &max);
	collect_intervals(&f, 20000, &sum, &min, &max);
	assert_int_equal(min, 1025);
	assert_int_equal(max, 1024 + 256);
	/* The mean plus and minus 5 standard errors (74 / sqrt(20000) = 0.52). */
	assert_in_range(sum, 20000 * UINT64_C(1150), 20000 * UINT64_C(1155));
	fixture_stop(&f);
}

/* D17.3.4.3: ECOUNT moves the end of the interval. The mean is I * 256 + 1, and the range is
 * +-255. */
static void jitter_with_ernd_moves_end_of_interval(void **state)
{
	struct fixture f;
	uint64_t sum, min, max;

	(void)state;
	fixture_start(&f, "v8.2,+FEAT_SPE_ERnd" EL1_ONLY, NULL);
	program(&f, 4);
	set(&f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 4) | FIELD(PMSIRR_EL1, RND, 1));
	collect_intervals(&f, 20000, &sum, &min, &max);
	assert_in_range(min, 1025 - 255, 1025 - 240);
	assert_in_range(max, 1025 + 240, 1025 + 255);
	assert_in_range(sum, 20000 * UINT64_C(1024), 20000 * UINT64_C(1026));
	fixture_stop(&f);
}

/* D17.3.3: sampling resumes with a nonzero PMSICR_EL1. If PMSICR_EL1 is zero, the SPU loads it. */
static void nonzero_pmsicr_is_where_sampling_resumes(void **state)
{
	struct fixture f;
	uint64_t saved;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	assert_int_equal(spemu_spu_ops(f.spu, 100), SPEMU_OK);
	at_el(&f, 1);
	saved = reg(&f, SPEMU_REG_PMSICR_EL1);
	assert_int_equal(saved, 256 - 100);
	set(&f, SPEMU_REG_PMSICR_EL1, 0);
	at_el(&f, 0);
	assert_int_equal(spemu_spu_ops_until_sample(f.spu), 256);
	at_el(&f, 1);
	set(&f, SPEMU_REG_PMSICR_EL1, saved);
	at_el(&f, 0);
	assert_int_equal(spemu_spu_ops_until_sample(f.spu), 156);
	fixture_stop(&f);
}

/* D17.3.3, D24.7.13: if PMSICR_EL1 is 0 when profiling becomes enabled, the SPU loads it. The value
 * has a random byte if PMSIRR_EL1 requests it. While profiling is enabled, the SPU does not load
 * it. */
static void zero_pmsicr_is_loaded_on_enabling(void **state)
{
	const struct {
		const char *features;
		unsigned rnd;
		bool random;
	} rows[] = {
	        {"v8.2" EL1_ONLY, 0, false},
	        {"v8.2" EL1_ONLY, 1, true},
	        {"v8.2,+FEAT_SPE_ERnd" EL1_ONLY, 1, false},
	};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t met = 0, loaded;

		fixture_start(&f, rows[i].features, NULL);
		program(&f, 2);
		set(&f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 2) | rows[i].rnd);
		for (unsigned n = 0; n < 50; n++) {
			at_el(&f, 1);
			set(&f, SPEMU_REG_PMSICR_EL1, 0);
			assert_int_equal(reg(&f, SPEMU_REG_PMSICR_EL1), 0);
			at_el(&f, 0);
			loaded = reg(&f, SPEMU_REG_PMSICR_EL1);
			assert_int_equal(loaded >> 8, 2);
			met |= loaded & 0xff;
			if (!rows[i].rnd || rows[i].random)
				assert_int_equal(spemu_spu_ops_until_sample(f.spu), loaded);
		}
		assert_int_equal(met, rows[i].random ? 0xff : 0);
		if (rows[i].rnd)
			set(&f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 2));
		sample(&f, &op);
		assert_int_equal(reg(&f, SPEMU_REG_PMSICR_EL1), 0);
		at_el(&f, 1); /* the chosen operation generated an exception */
		at_el(&f, 0);
		assert_int_equal(reg(&f, SPEMU_REG_PMSICR_EL1), FIELD(PMSICR_EL1, COUNT, 512));
		set(&f, SPEMU_REG_PMSICR_EL1, 0);
		assert_int_equal(spemu_spu_ops_until_sample(f.spu), 2 * 256 + 1);
		fixture_stop(&f);
	}
}

/* The load draws a random number only if the counter shows one. Two SPUs have the same seed. The
 * counter of one is loaded by the SPU, and the counter of the other is set by software to the same
 * value. Both then choose the same operations. */
static void load_draws_only_if_counter_shows_it(void **state)
{
	const struct {
		const char *features;
		unsigned rnd;
	} rows[] = {
	        {"v8.2" EL1_ONLY, 0},
	        {"v8.2,+FEAT_SPE_ERnd" EL1_ONLY, 0},
	        {"v8.2,+FEAT_SPE_ERnd" EL1_ONLY, 1},
	};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture f[2];

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (unsigned k = 0; k < 2; k++) {
			fixture_start_seeded(&f[k], rows[i].features, NULL, 5);
			program(&f[k], 2);
			at_el(&f[k], 1);
			set(&f[k], SPEMU_REG_PMSIRR_EL1,
			    FIELD(PMSIRR_EL1, INTERVAL, 2) | rows[i].rnd);
			set(&f[k], SPEMU_REG_PMSICR_EL1, k ? FIELD(PMSICR_EL1, COUNT, 512) : 0);
			at_el(&f[k], 0);
			assert_int_equal(reg(&f[k], SPEMU_REG_PMSICR_EL1), 512);
			set(&f[k], SPEMU_REG_PMSIRR_EL1,
			    FIELD(PMSIRR_EL1, INTERVAL, 2) | FIELD(PMSIRR_EL1, RND, 1));
		}
		for (unsigned n = 0; n < 20; n++) {
			assert_int_equal(spemu_spu_ops_until_sample(f[0].spu),
			                 spemu_spu_ops_until_sample(f[1].spu));
			sample(&f[0], &op);
			sample(&f[1], &op);
		}
		fixture_stop(&f[0]);
		fixture_stop(&f[1]);
	}
}

/* Loading an image does not count as enabling profiling: the counter stays 0. */
static void loading_an_image_does_not_load_counter(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture_image image;
	struct fixture f, g;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	fixture_start(&g, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	sample(&f, &op);
	fixture_save(&f, &image);
	fixture_load(&g, &image);
	assert_int_equal(reg(&g, SPEMU_REG_PMSICR_EL1), 0);
	assert_int_equal(spemu_spu_ops_until_sample(g.spu), 257);
	at_el(&g, 1);
	at_el(&g, 0);
	assert_int_equal(spemu_spu_ops_until_sample(g.spu), 256);
	fixture_stop(&f);
	fixture_stop(&g);
}

/* D17.3.5: while profiling is disabled, nothing is counted or chosen. */
static void disabled_spu_does_not_count(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2,+FEAT_SPE_ERnd" EL1_ONLY, NULL);
	program(&f, 1);
	at_el(&f, 1); /* profiling is disabled because E1SPE is 0 */
	assert_true(spemu_spu_ops_until_sample(f.spu) == UINT64_MAX);
	set(&f, SPEMU_REG_PMSICR_EL1, FIELD(PMSICR_EL1, ECOUNT, 7) | 99);
	assert_int_equal(spemu_spu_ops(f.spu, 1000000), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(f.spu, 0), SPEMU_ERR_STATE);
	assert_true(reg(&f, SPEMU_REG_PMSICR_EL1) == (FIELD(PMSICR_EL1, ECOUNT, 7) | 99));
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_POP), 0);
	fixture_stop(&f);
}

/* RJMMZP: each thread has its own SPU, which counts only the operations of this thread. */
static void rjmmzp_threads_count_their_own_operations(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture a, b;

	(void)state;
	fixture_start(&a, "v8.2" EL1_ONLY, NULL);
	fixture_start(&b, "v8.2" EL1_ONLY, NULL);
	program(&a, 2);
	program(&b, 1);
	assert_int_equal(spemu_spu_ops(b.spu, 100), SPEMU_OK);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sample(&a, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(spemu_spu_ops_until_sample(b.spu), 256 - 100);
	assert_int_equal(reg(&b, SPEMU_REG_PMSICR_EL1), 256 - 100);
	assert_int_equal(pmu_events(&b, SPEMU_PMU_SAMPLE_POP), 100);
	assert_int_equal(b.writes, 0);
	assert_int_equal(sample(&b, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(spemu_spu_ops_until_sample(a.spu), 2 * 256 + 1);
	assert_int_equal(pmu_events(&a, SPEMU_PMU_SAMPLE_POP), 3 * (2 * 256 + 1) - 1);
	fixture_stop(&a);
	fixture_stop(&b);
}

static void counting_past_the_sample_is_refused(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	assert_int_equal(spemu_spu_ops(f.spu, 256), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_spu_ops(f.spu, 255), SPEMU_OK);
	assert_int_equal(spemu_spu_ops(f.spu, 1), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_spu_sample_begin(f.spu, 4), SPEMU_SAMPLE_STARTED);
	fixture_stop(&f);
}

/* D17.3.7, IDBJXM: a second sample in flight is dropped. COLL and the PMU event show the
 * collision. */
static void collision_drops_second_sample_in_flight(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	assert_int_equal(spemu_spu_ops(f.spu, 255), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_spu_ops(f.spu, 256), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(f.spu, 0x2000), SPEMU_SAMPLE_COLLIDED);
	assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), FIELD(PMBSR_EL1, COLL, 1));
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_COLLISION), 1);
	assert_int_equal(spemu_spu_sample_end(f.spu, NULL, &op), SPEMU_OK);
	assert_int_equal(record_at(&f, BUFFER_BASE).addr[SPEMU_ADDR_PC] & 0xffffffffffffff, 0x1000);
	assert_int_equal(spemu_spu_sample_end(f.spu, NULL, &op), SPEMU_ERR_STATE);
	fixture_stop(&f);
}

/* RQWTQB: as many samples as configured can be in flight, and they finish in any order. */
static void rqwtqb_configured_number_in_flight(void **state)
{
	static const unsigned order[4] = {2, 0, 3, 1};
	struct spemu_spu_config config = {.samples_in_flight = 4};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	unsigned slot[4];
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, &config);
	program(&f, 1);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(spemu_spu_ops(f.spu, i ? 256 : 255), SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin_slot(f.spu, &slot[i], 0x1000 + i),
		                 SPEMU_SAMPLE_STARTED);
		assert_int_equal(spemu_spu_samples_in_flight(f.spu), i + 1);
		for (unsigned n = 0; n < i; n++)
			assert_int_not_equal(slot[n], slot[i]);
	}
	assert_int_equal(spemu_spu_ops(f.spu, 256), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(f.spu, 0x2000), SPEMU_SAMPLE_COLLIDED);
	assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), FIELD(PMBSR_EL1, COLL, 1));
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_COLLISION), 1);
	assert_int_equal(spemu_spu_sample_end_slot(f.spu, NULL, 4, &op), SPEMU_ERR_INVALID);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t at = reg(&f, SPEMU_REG_PMBPTR_EL1);

		assert_int_equal(spemu_spu_sample_end_slot(f.spu, NULL, slot[order[i]], &op),
		                 SPEMU_OK);
		assert_int_equal(record_at(&f, at).addr[SPEMU_ADDR_PC] & 0xffff, 0x1000 + order[i]);
		assert_int_equal(spemu_spu_sample_end_slot(f.spu, NULL, slot[order[i]], &op),
		                 SPEMU_ERR_STATE);
	}
	assert_int_equal(spemu_spu_samples_in_flight(f.spu), 0);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED), 4);
	fixture_stop(&f);
}

/* spemu_spu_sample_end() ends the oldest sample, whatever its slot is. Slots are saved and
 * loaded. */
static void sample_end_takes_the_oldest(void **state)
{
	struct spemu_spu_config config = {.samples_in_flight = SPEMU_IN_FLIGHT_MAX};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	uint64_t started = 0, ended = 0;
	struct fixture_image image;
	uint32_t r = 99;
	struct fixture f, g;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, &config);
	fixture_start(&g, "v8.2" EL1_ONLY, &config);
	program(&f, 1);
	while (started < 2000) {
		unsigned in_flight = spemu_spu_samples_in_flight(f.spu);

		assert_int_equal(in_flight, started - ended);
		r = r * 1103515245 + 12345;
		if (in_flight < SPEMU_IN_FLIGHT_MAX && (r >> 16) % 2) {
			assert_int_equal(spemu_spu_ops(f.spu, started ? 256 : 255), SPEMU_OK);
			assert_int_equal(spemu_spu_sample_begin(f.spu, started++),
			                 SPEMU_SAMPLE_STARTED);
		} else if (in_flight) {
			set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
			fixture_save(&f, &image);
			fixture_load(&g, &image);
			assert_int_equal(spemu_spu_sample_end(f.spu, NULL, &op), SPEMU_OK);
			assert_int_equal(spemu_spu_sample_end(g.spu, NULL, &op), SPEMU_OK);
			assert_int_equal(record_at(&f, BUFFER_BASE).addr[SPEMU_ADDR_PC] & 0xffff,
			                 ended);
			assert_int_equal(record_at(&g, BUFFER_BASE).addr[SPEMU_ADDR_PC] & 0xffff,
			                 ended);
			ended++;
		}
	}
	fixture_stop(&f);
	fixture_stop(&g);

	/* An SPU with only one slot drops the other samples of the image. */
	fixture_start(&g, "v8.2" EL1_ONLY, NULL);
	fixture_load(&g, &image);
	assert_true(spemu_spu_samples_in_flight(g.spu) <= 1);
	fixture_stop(&g);
}

/*
 * D17.3.3, D17.3.4.3: if software restores a PMSICR_EL1 with a nonzero ECOUNT, sampling resumes
 * where it was, whether COUNT is 0 or not.
 */
static void saved_pmsicr_resumes_inside_random_interval(void **state)
{
	const struct {
		uint64_t pmsicr;
		uint64_t until;
	} rows[] = {
	        /* The secondary counter reaches zero first. */
	        {FIELD(PMSICR_EL1, ECOUNT, 5) | 100, 5},
	        /* The operation of the reload counts, too. */
	        {FIELD(PMSICR_EL1, ECOUNT, 1), 1},
	        {FIELD(PMSICR_EL1, ECOUNT, 9), 9},
	};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		fixture_start(&f, "v8.2,+FEAT_SPE_ERnd" EL1_ONLY, NULL);
		program(&f, 2);
		set(&f, SPEMU_REG_PMSIRR_EL1,
		    FIELD(PMSIRR_EL1, INTERVAL, 2) | FIELD(PMSIRR_EL1, RND, 1));
		set(&f, SPEMU_REG_PMSICR_EL1, rows[i].pmsicr);
		assert_int_equal(spemu_spu_ops_until_sample(f.spu), rows[i].until);
		sample(&f, &op);
		assert_int_equal(reg(&f, SPEMU_REG_PMSICR_EL1) >> 56, 0);
		/* The primary counter was decremented or reloaded meanwhile. */
		assert_int_equal(reg(&f, SPEMU_REG_PMSICR_EL1) & 0xffffffff,
		                 (rows[i].pmsicr & 0xffffffff) ? 95 : 0x200 - (rows[i].until - 1));
		/* Without RND, ECOUNT is not used (D17.3.4.1). */
		set(&f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 2));
		set(&f, SPEMU_REG_PMSICR_EL1, FIELD(PMSICR_EL1, ECOUNT, 5) | 100);
		assert_int_equal(spemu_spu_ops_until_sample(f.spu), 100);
		fixture_stop(&f);
	}
	fixture_start(&f, "v8.2" EL1_ONLY, NULL); /* without FEAT_SPE_ERnd, ECOUNT is RES0 */
	program(&f, 2);
	set(&f, SPEMU_REG_PMSICR_EL1, FIELD(PMSICR_EL1, ECOUNT, 5) | 100);
	assert_int_equal(reg(&f, SPEMU_REG_PMSICR_EL1), 100);
	fixture_stop(&f);
}

/* D17.3.4.3: if both counters reach zero with the same operation, the text selects the operation
 * and SPEToCollectSample() does not. */
static void counters_ending_together_select_by_choice(void **state)
{
	const struct {
		enum spemu_counters_end_together option;
		uint64_t pmsicr;
		/* Distance to the sample, without the random byte that `random` adds. */
		uint64_t until;
		bool random;
	} rows[] = {
	        {SPEMU_COUNTERS_END_TOGETHER_SELECTED, FIELD(PMSICR_EL1, ECOUNT, 5) | 5, 5, false},
	        {SPEMU_COUNTERS_END_TOGETHER_REPLACED, FIELD(PMSICR_EL1, ECOUNT, 5) | 5, 5, true},
	        {SPEMU_COUNTERS_END_TOGETHER_SELECTED, FIELD(PMSICR_EL1, ECOUNT, 6) | 5, 5, true},
	        {SPEMU_COUNTERS_END_TOGETHER_REPLACED, FIELD(PMSICR_EL1, ECOUNT, 4) | 5, 4, false},
	};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture f;
		uint8_t random;

		fixture_start(&f, "v8.2,+FEAT_SPE_ERnd" EL1_ONLY, NULL);
		assert_int_equal(
		        spemu_choice_set(f.pe, SPEMU_CHOICE_COUNTERS_END_TOGETHER, rows[i].option),
		        SPEMU_OK);
		program(&f, 2);
		set(&f, SPEMU_REG_PMSIRR_EL1,
		    FIELD(PMSIRR_EL1, INTERVAL, 2) | FIELD(PMSIRR_EL1, RND, 1));
		set(&f, SPEMU_REG_PMSICR_EL1, rows[i].pmsicr);
		random = f.spu->next_random;
		assert_true(random > 0);
		assert_int_equal(spemu_spu_ops_until_sample(f.spu),
		                 rows[i].until + (rows[i].random ? random : 0));
		sample(&f, &op);
		/* Selecting the operation has set ECOUNT, and the next sample follows after that
		 * many operations. */
		if (i == 0) {
			assert_int_equal(reg(&f, SPEMU_REG_PMSICR_EL1) >> 56, random);
			assert_int_equal(reg(&f, SPEMU_REG_PMSICR_EL1) & 0xffffffff, 0);
			assert_int_equal(spemu_spu_ops_until_sample(f.spu), random);
		}
		fixture_stop(&f);
	}
}

/* The counters of D17.3.4 and SPEToCollectSample(), which step() changes for one operation of the
 * population. */
struct counters {
	uint32_t count, ecount, interval;
	bool rnd, ernd;
	uint8_t random; /* the next random byte */
	unsigned used;
};

static bool step(struct counters *c)
{
	bool secondary = c->rnd && c->ernd;

	if (c->count == 0) {
		c->count = c->interval << 8;
		if (c->rnd && !c->ernd) {
			c->count |= c->random;
			c->used++;
		}
	} else if (--c->count == 0) {
		if (!secondary)
			return true;
		c->ecount = c->random;
		c->used++;
		return c->ecount == 0;
	}
	return secondary && c->ecount != 0 && --c->ecount == 0;
}

/* With random registers, compare the distance to each sample and the registers at each sample. The
 * expected values are counted operation by operation. */
static void intervals_match_the_pseudocode(void **state)
{
	const char *const features[] = {"v8.7" EL1_ONLY, "v8.7,+FEAT_SPE_ERnd" EL1_ONLY};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	uint64_t r = 1;

	(void)state;
	for (unsigned i = 0; i < 6000; i++) {
		struct counters c = {.ernd = i % 2};
		uint64_t n = 0, pmsicr;
		struct fixture f;
		bool chosen;

		r = r * UINT64_C(6364136223846793005) + 1442695040888963407;
		/* The seeds give random bytes of all values. */
		fixture_start_seeded(&f, features[i % 2], NULL, i);
		assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_COUNTERS_END_TOGETHER,
		                                  SPEMU_COUNTERS_END_TOGETHER_REPLACED),
		                 SPEMU_OK);
		program(&f, 1);
		c.interval = 1 + (uint32_t)(r >> 60);
		c.rnd = r >> 59 & 1;
		c.count = (r >> 58 & 1) ? (uint32_t)(r >> 40) % 2000 : 0;
		c.ecount = c.ernd && (r >> 39 & 1) ? (uint32_t)(r >> 30 & 0xff) : 0;
		set(&f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, c.interval) | c.rnd);
		set(&f, SPEMU_REG_PMSICR_EL1, FIELD(PMSICR_EL1, ECOUNT, c.ecount) | c.count);
		for (unsigned samples = 0; samples < 3; samples++) {
			uint64_t until = spemu_spu_ops_until_sample(f.spu);

			c.random = f.spu->next_random;
			c.used = 0;
			for (n = 0, chosen = false; !chosen && n < until + 1; n++)
				chosen = step(&c);
			assert_true(chosen);
			assert_int_equal(n, until);
			assert_true(c.used <= 1);
			assert_int_equal(spemu_spu_ops(f.spu, n / 2), SPEMU_OK);
			assert_int_equal(spemu_spu_ops(f.spu, n - 1 - n / 2), SPEMU_OK);
			assert_int_equal(spemu_spu_ops_until_sample(f.spu), 1);
			assert_int_equal(spemu_spu_sample_begin(f.spu, 0), SPEMU_SAMPLE_STARTED);
			assert_int_equal(spemu_spu_sample_end(f.spu, NULL, &op), SPEMU_OK);
			pmsicr = reg(&f, SPEMU_REG_PMSICR_EL1);
			assert_int_equal(pmsicr & 0xffffffff, c.count);
			assert_int_equal(pmsicr >> 56, c.ecount);
		}
		fixture_stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(interval_without_jitter_is_fixed),
	        cmocka_unit_test(counting_in_pieces_equals_counting_at_once),
	        cmocka_unit_test(jitter_without_ernd_randomizes_low_byte),
	        cmocka_unit_test(jitter_with_ernd_moves_end_of_interval),
	        cmocka_unit_test(counters_ending_together_select_by_choice),
	        cmocka_unit_test(nonzero_pmsicr_is_where_sampling_resumes),
	        cmocka_unit_test(zero_pmsicr_is_loaded_on_enabling),
	        cmocka_unit_test(load_draws_only_if_counter_shows_it),
	        cmocka_unit_test(loading_an_image_does_not_load_counter),
	        cmocka_unit_test(disabled_spu_does_not_count),
	        cmocka_unit_test(rjmmzp_threads_count_their_own_operations),
	        cmocka_unit_test(counting_past_the_sample_is_refused),
	        cmocka_unit_test(collision_drops_second_sample_in_flight),
	        cmocka_unit_test(intervals_match_the_pseudocode),
	        cmocka_unit_test(rqwtqb_configured_number_in_flight),
	        cmocka_unit_test(sample_end_takes_the_oldest),
	        cmocka_unit_test(saved_pmsicr_resumes_inside_random_interval),
	};
	return cmocka_run_group_tests_name("interval", tests, NULL, NULL);
}
