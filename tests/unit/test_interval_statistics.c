/* SPDX-License-Identifier: MIT */
/* Test the distribution of a million intervals of each kind, and how often each operation of a loop
 * is chosen (D17.3). */
#include "spu_fixture.h"

enum { SAMPLES = 1000000, LOOP_SAMPLES = 200000, INTERVAL = 4 };

struct statistics {
	uint64_t count, sum, min, max;
	uint32_t histogram[2048]; /* number of intervals of each length */
};

/* Start an SPU in Discard mode. It writes nothing, and the intervals continue (D17.5.5). */
static void prepare(struct fixture *f, const char *features, uint64_t seed, bool rnd)
{
	fixture_start_seeded(f, features, NULL, seed);
	program(f, INTERVAL);
	set(f, SPEMU_REG_PMBLIMITR_EL1,
	    NAMED(PMBLIMITR_EL1, FM, DISCARD) | FIELD(PMBLIMITR_EL1, E, 1));
	set(f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, INTERVAL) | rnd);
}

static uint64_t next_interval(struct fixture *f, const struct spemu_op *op)
{
	uint64_t n = spemu_spu_ops_until_sample(f->spu);

	assert_int_equal(spemu_spu_ops(f->spu, n - 1), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(f->spu, 0), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_spu_sample_end(f->spu, NULL, op), SPEMU_OK);
	return n;
}

static void collect(struct statistics *s, const char *features, uint64_t seed, bool rnd)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	uint64_t first;
	struct fixture f;

	memset(s, 0, sizeof(*s));
	s->min = UINT64_MAX;
	prepare(&f, features, seed, rnd);
	/* The counter was loaded by D17.3.3, so this is not a distance between two samples. */
	first = next_interval(&f, &op);
	while (s->count < SAMPLES) {
		uint64_t n = next_interval(&f, &op);

		assert_true(n < 2048);
		s->histogram[n]++;
		s->sum += n;
		s->min = n < s->min ? n : s->min;
		s->max = n > s->max ? n : s->max;
		s->count++;
	}
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_POP), first + s->sum);
	fixture_stop(&f);
}

/* Return chi-square of the histogram. `weights` has the expected proportions of its cells. */
static double chi_square(const uint32_t *histogram, unsigned cells, const uint32_t *weights,
                         uint64_t samples)
{
	double total = 0, chi = 0;

	for (unsigned i = 0; i < cells; i++)
		total += weights[i];
	for (unsigned i = 0; i < cells; i++) {
		double expected = (double)samples * weights[i] / total;
		double differs = histogram[i] - expected;

		chi += differs * differs / expected;
	}
	return chi;
}

/* With RND 0 the interval is always INTERVAL * 256 + 1 (note to D17.3.4.1). */
static void intervals_without_jitter_are_constant(void **state)
{
	static struct statistics s;

	(void)state;
	collect(&s, "v8.7" EL1_ONLY, 1, false);
	assert_int_equal(s.min, INTERVAL * 256 + 1);
	assert_int_equal(s.max, INTERVAL * 256 + 1);
}

/*
 * With RND 1 and without FEAT_SPE_ERnd, COUNT[7:0] is uniform in 0..255, and the reload takes one
 * operation. The mean is I * 256 + 128.5 with a standard error of 73.9 / 1000. Chi-square with 255
 * degrees of freedom has a mean of 255 and a standard deviation of 22.6. The test allows six
 * standard deviations and uses three seeds.
 */
static void jitter_without_ernd_is_uniform(void **state)
{
	static struct statistics s;
	uint32_t weights[256];

	(void)state;
	for (unsigned i = 0; i < 256; i++)
		weights[i] = 1;
	for (uint64_t seed = 0; seed < 3; seed++) {
		collect(&s, "v8.7" EL1_ONLY, seed, true);
		assert_int_equal(s.min, INTERVAL * 256 + 1);
		assert_int_equal(s.max, INTERVAL * 256 + 256);
		assert_true((double)s.sum > (double)SAMPLES * ((double)INTERVAL * 256 + 128.1) &&
		            (double)s.sum < (double)SAMPLES * ((double)INTERVAL * 256 + 128.9));
		assert_in_range((long)chi_square(s.histogram + s.min, 256, weights, SAMPLES), 120,
		                391);
	}
}

/*
 * With RND 1 and FEAT_SPE_ERnd, a random byte follows the fixed period of the primary counter. An
 * interval is therefore I * 256 + 1 plus the difference of two bytes. Its distribution is a
 * triangle from -255 to 255 around a mean of I * 256 + 1. Two neighboring intervals share a byte,
 * so only every other interval goes into the histogram.
 */
static void jitter_with_ernd_is_triangular(void **state)
{
	static uint32_t histogram[511], weights[511];
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	const uint64_t middle = INTERVAL * 256 + 1;
	uint64_t sum = 0, min = UINT64_MAX, max = 0;
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < 511; i++)
		weights[i] = i < 256 ? i + 1 : 511 - i;
	prepare(&f, "v8.7,+FEAT_SPE_ERnd" EL1_ONLY, 5, true);
	(void)next_interval(&f, &op); /* the first interval does not begin after a random byte */
	for (unsigned i = 0; i < SAMPLES; i++) {
		uint64_t n = next_interval(&f, &op);

		sum += n;
		min = n < min ? n : min;
		max = n > max ? n : max;
		assert_in_range(n, middle - 255, middle + 255);
		if (i % 2 == 0) /* no two of these intervals have a byte in common */
			histogram[n - (middle - 255)]++;
	}
	/* In the sum the random bytes cancel out. It is the fixed periods plus or minus at most one
	 * byte. */
	assert_in_range(sum, SAMPLES * middle - 255, SAMPLES * middle + 255);
	assert_in_range(min, middle - 255, middle - 245);
	assert_in_range(max, middle + 245, middle + 255);
	/* 510 degrees of freedom: 510 plus and minus six standard deviations of 31.9. */
	assert_in_range((long)chi_square(histogram, 511, weights, SAMPLES / 2), 318, 702);
	fixture_stop(&f);
}

/* Count how often each operation of the loop is chosen. */
static void choose_in_loop(uint32_t *chosen, unsigned length, const char *features, bool rnd)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	uint64_t at = 1; /* the first interval is one operation shorter, because it has no reload */
	struct fixture f;

	memset(chosen, 0, length * sizeof(*chosen));
	prepare(&f, features, 7, rnd);
	for (unsigned i = 0; i < LOOP_SAMPLES; i++) {
		at += next_interval(&f, &op);
		chosen[at % length]++;
	}
	fixture_stop(&f);
}

/*
 * The length of the loop divides the interval, with or without the operation of the reload. Each
 * operation must be chosen equally often. The exception is FEAT_SPE_ERnd with a length that divides
 * 1025: the place in the loop is then the random byte modulo the length. If 256 is not a multiple
 * of the length, the 256 values cannot be distributed evenly.
 */
static void jitter_removes_bias_in_loops(void **state)
{
	/* divisors of 1024 and of 1025 */
	static const unsigned lengths[] = {8, 64, 256, 5, 25, 205};
	static const char *const features[] = {"v8.7" EL1_ONLY, "v8.7,+FEAT_SPE_ERnd" EL1_ONLY};

	(void)state;
	for (unsigned n = 0; n < 6 * 2; n++) {
		unsigned length = lengths[n / 2];
		uint32_t chosen[256], weights[256] = {0};
		double degrees = length - 1, chi;

		for (unsigned byte = 0; byte < 256; byte++)
			weights[byte % length] += 1;
		for (unsigned i = 0; n % 2 == 0 && i < length; i++)
			weights[i] = 1;
		choose_in_loop(chosen, length, features[n % 2], true);
		chi = chi_square(chosen, length, weights, LOOP_SAMPLES);
		/* The limit is the mean plus six standard deviations, each sqrt(2 * degrees). */
		assert_true(chi < degrees || (chi - degrees) * (chi - degrees) < 72 * degrees);
	}
}

/* Show that the preceding test can fail. Without jitter only one operation of 25 is ever chosen,
 * because 25 divides 1025. */
static void loop_dividing_interval_is_biased_without_jitter(void **state)
{
	uint32_t chosen[25];
	unsigned met = 0;

	(void)state;
	choose_in_loop(chosen, 25, "v8.7" EL1_ONLY, false);
	for (unsigned i = 0; i < 25; i++)
		met += chosen[i] != 0;
	assert_int_equal(met, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(intervals_without_jitter_are_constant),
	        cmocka_unit_test(jitter_without_ernd_is_uniform),
	        cmocka_unit_test(jitter_with_ernd_is_triangular),
	        cmocka_unit_test(jitter_removes_bias_in_loops),
	        cmocka_unit_test(loop_dividing_interval_is_biased_without_jitter),
	};
	return cmocka_run_group_tests_name("interval_statistics", tests, NULL, NULL);
}
