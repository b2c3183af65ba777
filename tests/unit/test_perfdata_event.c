/* SPDX-License-Identifier: MIT */
/* Compare every function that builds an event with bytes that were computed by hand from
 * include/uapi/linux/perf_event.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/perfdata.h>

#include "base/prng.h"

/* The trailer for pid 0x1234, tid 0x1235, time 0x1122334455667788, cpu 3 and id 1. */
static const struct spemu_perf_who who = {
        .pid = 0x1234, .tid = 0x1235, .time = UINT64_C(0x1122334455667788), .cpu = 3};
#define TRAILER                                                                                   \
	0x34, 0x12, 0, 0, 0x35, 0x12, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 3, 0, \
	        0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0

static uint8_t buf[8192];

/* Check that `call` writes the expected bytes into a buffer that they fit exactly. Every smaller
 * buffer must be refused and left unchanged. */
#define CHECK_EVENT(expected, call)                                   \
	do {                                                          \
		size_t size = sizeof(buf);                            \
		memset(buf, 0x5a, sizeof(buf));                       \
		assert_int_equal((call), sizeof(expected));           \
		assert_memory_equal(buf, expected, sizeof(expected)); \
		assert_int_equal(buf[sizeof(expected)], 0x5a);        \
		for (size = 0; size < sizeof(expected); size++) {     \
			memset(buf, 0x5a, sizeof(buf));               \
			assert_int_equal((call), SPEMU_ERR_NOSPACE);  \
			for (size_t i = 0; i < sizeof(expected); i++) \
				assert_int_equal(buf[i], 0x5a);       \
		}                                                     \
		assert_int_equal((call), sizeof(expected));           \
	} while (0)

static void comm_is_padded_to_8_bytes(void **state)
{
	static const uint8_t plain[] = {3,    0,   0, 0,    0,    0, 0x38,   0,   0x34,
	                                0x12, 0,   0, 0x35, 0x12, 0, 0,      'b', 'a',
	                                's',  'h', 0, 0,    0,    0, TRAILER};
	static const uint8_t exec[] = {3,   0,    0,    0, 0, 0x20, 0x40, 0,   0x34, 0x12, 0,
	                               0,   0x35, 0x12, 0, 0, 'a',  'b',  'c', 'd',  'e',  'f',
	                               'g', 'h',  0,    0, 0, 0,    0,    0,   0,    0,    TRAILER};

	(void)state;
	CHECK_EVENT(plain, spemu_perf_put_comm(buf, size, &who, "bash", false));
	CHECK_EVENT(exec, spemu_perf_put_comm(buf, size, &who, "abcdefgh", true));
}

static void long_names_are_cut_to_15_bytes(void **state)
{
	(void)state;
	assert_int_equal(spemu_perf_put_comm(buf, sizeof(buf), &who, "0123456789abcdefgh", false),
	                 8 + 8 + 16 + 32);
	assert_memory_equal(buf + 16, "0123456789abcde", 16);
}

static void mmap2_has_inode_or_build_id(void **state)
{
	static const uint8_t inode[] = {
	        10,   0,    0,   0,   2,    0,    0x70, 0, /* user */
	        0x34, 0x12, 0,   0,   0x35, 0x12, 0,    0, /* pid, tid */
	        0,    0,    0,   0,   0x55, 0,    0,    0, /* start */
	        0,    0x10, 0,   0,   0,    0,    0,    0, /* length */
	        0,    0,    1,   0,   0,    0,    0,    0, /* page offset */
	        8,    0,    0,   0,   1,    0,    0,    0, /* major, minor */
	        0x42, 0,    0,   0,   0,    0,    0,    0, 7,
	        0,    0,    0,   0,   0,    0,    0,       /* inode, generation */
	        5,    0,    0,   0,   2,    0,    0,    0, /* r-x, private */
	        '/',  'b',  'i', 'n', 0,    0,    0,    0, TRAILER};
	static const uint8_t build_id[] = {
	        10,   0,    0,    0, 2,    0x60, 0x70, 0, /* user, data, build-id */
	        0x34, 0x12, 0,    0, 0x35, 0x12, 0,    0,    0,    0, 0, 0, 0x55,   0, 0,
	        0,    0,    0x10, 0, 0,    0,    0,    0,    0,    0, 0, 1, 0,      0, 0,
	        0,    0,    3,    0, 0,    0,    0xaa, 0xbb, 0xcc, 0, 0, 0, 0,      0, 0,
	        0,    0,    0,    0, 0,    0,    0,    0,    0,    0, 0, 3, 0,      0, 0,
	        2,    0,    0,    0, '/',  'b',  'i',  'n',  0,    0, 0, 0, TRAILER};
	struct spemu_perf_mmap map = {.pid = 0x1234,
	                              .tid = 0x1235,
	                              .start = UINT64_C(0x5500000000),
	                              .len = 0x1000,
	                              .pgoff = 0x10000,
	                              .maj = 8,
	                              .min = 1,
	                              .ino = 0x42,
	                              .ino_generation = 7,
	                              .prot = 5,
	                              .flags = 2,
	                              .filename = "/bin"};

	(void)state;
	CHECK_EVENT(inode, spemu_perf_put_mmap2(buf, size, &who, &map));
	map.build_id_size = 3;
	memcpy(map.build_id, "\xaa\xbb\xcc\xdd", 4);
	map.data = true;
	map.prot = 3;
	CHECK_EVENT(build_id, spemu_perf_put_mmap2(buf, size, &who, &map));
}

static void too_long_file_names_are_refused(void **state)
{
	static char name[SPEMU_PERF_FILENAME_MAX + 2];
	struct spemu_perf_mmap map = {.filename = name};

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	assert_int_equal(spemu_perf_put_mmap2(buf, sizeof(buf), &who, &map), SPEMU_ERR_INVALID);
	name[SPEMU_PERF_FILENAME_MAX] = 0;
	assert_int_equal(spemu_perf_put_mmap2(buf, sizeof(buf), &who, &map), 8 + 64 + 4096 + 32);
	assert_int_equal(buf[6] | buf[7] << 8, 8 + 64 + 4096 + 32);
	map.build_id_size = SPEMU_PERF_BUILD_ID_MAX + 1;
	assert_int_equal(spemu_perf_put_mmap2(buf, sizeof(buf), &who, &map), SPEMU_ERR_INVALID);
	map.build_id_size = SPEMU_PERF_BUILD_ID_MAX;
	assert_int_equal(spemu_perf_put_mmap2(buf, sizeof(buf), &who, &map), 8 + 64 + 4096 + 32);
}

/* PERF_RECORD_MISC_CPUMODE_MASK is 7. The cpumode of a map goes into misc, and 0 means user
 * mode. */
static void map_events_have_their_cpumode(void **state)
{
	(void)state;
	for (unsigned mode = 0; mode < 16; mode++) {
		struct spemu_perf_mmap map = {.filename = "/f", .cpumode = (uint8_t)mode};

		if (mode > 7) {
			assert_int_equal(spemu_perf_put_mmap2(buf, sizeof(buf), &who, &map),
			                 SPEMU_ERR_INVALID);
			continue;
		}
		assert_int_equal(spemu_perf_put_mmap2(buf, sizeof(buf), &who, &map),
		                 8 + 64 + 8 + 32);
		assert_int_equal(buf[4], mode ? mode : SPEMU_PERF_MISC_USER);
		assert_int_equal(buf[5], 0);
	}
}

static void fork_and_exit_contain_the_time_twice(void **state)
{
	static const uint8_t fork_bytes[] = {
	        7, 0, 0, 0, 0, 0, 0x40, 0,    1,    0,    0,    0,    2,    0,    0,    0,      3,
	        0, 0, 0, 4, 0, 0, 0,    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, TRAILER};
	static const uint8_t exit_bytes[] = {
	        4, 0, 0, 0, 0, 0, 0x40, 0,    1,    0,    0,    0,    2,    0,    0,    0,      3,
	        0, 0, 0, 4, 0, 0, 0,    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, TRAILER};

	(void)state;
	CHECK_EVENT(fork_bytes, spemu_perf_put_task(buf, size, &who, SPEMU_PERF_FORK, 1, 2, 3, 4));
	CHECK_EVENT(exit_bytes, spemu_perf_put_task(buf, size, &who, SPEMU_PERF_EXIT, 1, 2, 3, 4));
}

static void aux(void **state)
{
	static const uint8_t aux[] = {11, 0, 0, 0, 0, 0, 0x40, 0, 0, 2, 0, 0, 0, 0, 0, 0,      0x40,
	                              0,  0, 0, 0, 0, 0, 0,    9, 0, 0, 0, 0, 0, 0, 0, TRAILER};

	(void)state;
	CHECK_EVENT(aux, spemu_perf_put_aux(buf, size, &who, 0x200, 0x40,
	                                    SPEMU_PERF_AUX_TRUNCATED | SPEMU_PERF_AUX_COLLISION));
}

static void synthesized_events_have_no_trailer(void **state)
{
	static const struct spemu_perf_time_conv tc = {20, 0x12345, 0x9999};
	static const uint8_t conv[] = {
	        79,   0,    0,    0,    0,    0,    0x38, 0, 20, 0, 0,    0,    0,    0,
	        0,    0,    0x45, 0x23, 1,    0,    0,    0, 0,  0, 0x99, 0x99, 0,    0,
	        0,    0,    0,    0,    0,    0,    0,    0, 0,  0, 0,    0,    0xff, 0xff,
	        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,    0, 0,  0, 0,    0,    0,    0};
	static const uint8_t info[] = {70, 0, 0, 0, 0, 0, 0x20, 0, 4, 0, 0, 0, 0, 0, 0, 0,
	                               11, 0, 0, 0, 0, 0, 0,    0, 1, 0, 0, 0, 0, 0, 0, 0};
	static const uint8_t trace[] = {71,   0,    0,    0,    0, 0, 0x30, 0, 0x40, 0, 0, 0,
	                                0,    0,    0,    0,    0, 2, 0,    0, 0,    0, 0, 0,
	                                0,    0,    0,    0,    0, 0, 0,    0, 5,    0, 0, 0,
	                                0xff, 0xff, 0xff, 0xff, 5, 0, 0,    0, 0,    0, 0, 0};

	(void)state;
	CHECK_EVENT(conv, spemu_perf_put_time_conv(buf, size, &tc));
	CHECK_EVENT(info, spemu_perf_put_auxtrace_info(buf, size, 11, NULL, 0));
	CHECK_EVENT(trace, spemu_perf_put_auxtrace(buf, size, 5, 0x200, 0x40));
	assert_int_equal(spemu_perf_put_auxtrace(buf, sizeof(buf), 5, 0, 0x41), SPEMU_ERR_INVALID);
}

/* tools/perf/util/arm-spe.h: version, header words, PMU type, number of CPUs. Each CPU has magic,
 * CPU, words, MIDR, PMU type and further words. */
static void metadata_version_2_describes_each_cpu(void **state)
{
	static const struct spemu_perf_spe_cpu cpus[] = {{0, 0x413fd0c1, 11, 256, 0xaa},
	                                                 {7, 0x410fd490, 12, 1024, 0xfe}};
	static const uint8_t info[] = {
	        70, 0, 0,    0,    0,    0,    160,  0,    4,    0,    0,    0,    0,    0,
	        0,  0, 2,    0,    0,    0,    0,    0,    0,    0,    4,    0,    0,    0,
	        0,  0, 0,    0,    11,   0,    0,    0,    0,    0,    0,    0,    2,    0,
	        0,  0, 0,    0,    0,    0,    0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10,
	        0,  0, 0,    0,    0,    0,    0,    0,    4,    0,    0,    0,    0,    0,
	        0,  0, 0xc1, 0xd0, 0x3f, 0x41, 0,    0,    0,    0,    11,   0,    0,    0,
	        0,  0, 0,    0,    0,    1,    0,    0,    0,    0,    0,    0,    0xaa, 0,
	        0,  0, 0,    0,    0,    0,    0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10,
	        7,  0, 0,    0,    0,    0,    0,    0,    4,    0,    0,    0,    0,    0,
	        0,  0, 0x90, 0xd4, 0x0f, 0x41, 0,    0,    0,    0,    12,   0,    0,    0,
	        0,  0, 0,    0,    0,    4,    0,    0,    0,    0,    0,    0,    0xfe, 0,
	        0,  0, 0,    0,    0,    0};

	(void)state;
	CHECK_EVENT(info, spemu_perf_put_auxtrace_info(buf, size, 11, cpus, 2));
	assert_int_equal(SPEMU_PERF_AUXTRACE_INFO_CPUS_SIZE(2), sizeof(info));
	assert_int_equal(spemu_perf_put_auxtrace_info(NULL, 999, 11, cpus, 1), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_auxtrace_info(buf, 999, 11, NULL, 1), SPEMU_ERR_INVALID);
}

/* The size of an event has 16 bits and is a multiple of 8. 1169 CPUs fit, because 48 + 56 * 1169 =
 * 65512, and one more does not. */
static void metadata_version_2_is_limited_by_event_size(void **state)
{
	static struct spemu_perf_spe_cpu cpus[SPEMU_PERF_SPE_CPUS_MAX + 1];
	static uint8_t event[65536];

	(void)state;
	assert_int_equal(spemu_perf_put_auxtrace_info(event, sizeof(event), 11, cpus, 1169), 65512);
	assert_int_equal(event[6] | event[7] << 8, 65512);
	assert_int_equal(spemu_perf_put_auxtrace_info(event, sizeof(event), 11, cpus, 1170),
	                 SPEMU_ERR_INVALID);
}

static void null_arguments_are_refused(void **state)
{
	const struct spemu_perf_time_conv tc = {0, 1, 0};
	const struct spemu_perf_mmap map = {.filename = "/f"}, no_name = {.filename = NULL};

	(void)state;
	assert_int_equal(spemu_perf_put_comm(NULL, 99, &who, "a", false), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_comm(buf, 99, NULL, "a", false), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_comm(buf, 99, &who, NULL, false), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_mmap2(NULL, 999, &who, &map), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_mmap2(buf, 999, NULL, &map), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_mmap2(buf, 999, &who, NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_mmap2(buf, 999, &who, &no_name), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_task(NULL, 99, &who, SPEMU_PERF_FORK, 1, 2, 3, 4),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_task(buf, 99, NULL, SPEMU_PERF_FORK, 1, 2, 3, 4),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_task(NULL, 99, &who, SPEMU_PERF_EXIT, 1, 2, 3, 4),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_task(buf, 99, NULL, SPEMU_PERF_EXIT, 1, 2, 3, 4),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_aux(NULL, 99, &who, 0, 0, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_aux(buf, 99, NULL, 0, 0, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_task(buf, 99, &who, SPEMU_PERF_COMM, 1, 2, 3, 4),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_time_conv(NULL, 99, &tc), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_time_conv(buf, 99, NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_auxtrace_info(NULL, 99, 1, NULL, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_auxtrace(NULL, 99, 0, 0, 0), SPEMU_ERR_INVALID);
}

static void values_out_of_range_are_refused(void **state)
{
	const struct {
		struct spemu_perf_time_conv tc;
		bool good;
	} rows[] = {
	        {{0, 0, 0}, false}, /* perf divides by time_mult */
	        {{0, 1, 0}, true},
	        {{0, UINT32_MAX, 0}, true},
	        {{0, UINT64_C(1) << 32, 0}, false}, /* perf reads time_mult as 32 bits */
	        {{63, 1, 0}, true},
	        {{64, 1, 0}, false},
	        {{65, 1, 0}, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(spemu_perf_put_time_conv(buf, 99, &rows[i].tc),
		                 rows[i].good ? 56 : SPEMU_ERR_INVALID);
	for (uint64_t size = 0; size < 65; size++)
		assert_int_equal(spemu_perf_put_auxtrace(buf, 99, 0, 0, size),
		                 size % 8 ? SPEMU_ERR_INVALID : 48);
	assert_int_equal(spemu_perf_put_auxtrace(buf, 99, INT32_MAX, 0, 8), 48);
	assert_int_equal(spemu_perf_put_auxtrace(buf, 99, UINT32_C(1) << 31, 0, 8),
	                 SPEMU_ERR_INVALID);
}

static void whole_counter_periods_convert_exactly(void **state)
{
	static const uint64_t rates[] = {1, 1000, 1000000, 25000000, 100000000, 1000000000};
	struct spemu_perf_time_conv tc;

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		assert_int_equal(spemu_perf_time_conv_init(&tc, rates[i], 77), SPEMU_OK);
		/* Convert one second and three counts. */
		assert_int_equal(spemu_perf_time(&tc, rates[i] + 3),
		                 77 + 1000000000 + 3 * (1000000000 / rates[i]));
	}
}

static void fractional_rates_stay_within_documented_error(void **state)
{
	static const uint64_t rates[] = {3,          19200000,   24000000,      62500000,
	                                 2999999999, 4000000000, 1000000000000, 999999937};
	struct spemu_perf_time_conv tc;

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		uint64_t bound = UINT64_C(1000000000000) >> (rates[i] > 4000000000 ? 22 : 29);
		uint64_t ns;

		assert_int_equal(spemu_perf_time_conv_init(&tc, rates[i], 0), SPEMU_OK);
		assert_true(tc.time_mult > 0 && tc.time_mult <= UINT32_MAX && tc.time_shift <= 32);
		ns = spemu_perf_time(&tc, rates[i] * 1000); /* 1000 s */
		assert_true(ns <= UINT64_C(1000000000000));
		assert_true(UINT64_C(1000000000000) - ns <= bound + 1);
	}
	assert_int_equal(spemu_perf_time_conv_init(NULL, 1, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_time_conv_init(&tc, 0, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_time_conv_init(&tc, UINT64_C(1000000000001), 0),
	                 SPEMU_ERR_INVALID);
}

/* perf computes zero + (count >> shift) * mult + ((count & mask) * mult >> shift) in 64 bits
 * (tools/perf/util/tsc.c). A file may have a shift of 64 or more, or no mult. Then the result is
 * zero alone. */
static void time_is_perfs(void **state)
{
	static const struct {
		struct spemu_perf_time_conv tc;
		uint64_t count, time;
	} rows[] = {
	        {{0, 10, 0}, 7, 70},
	        {{0, 10, 5}, 7, 75},
	        {{2, 40, 1000}, 1, 1010},
	        {{2, 40, 1000}, 5, 1050},
	        {{10, 1, 0}, 1023, 0},
	        {{10, 1, 0}, 1024, 1},
	        {{10, 3, 0}, 1023, 2}, /* 3069 / 1024 */
	        {{32, UINT32_MAX, 3}, UINT64_C(1) << 33, 3 + UINT64_C(0x1fffffffe)},
	        {{63, 1, 0}, UINT64_C(1) << 63, 1},
	        {{63, 1, 0}, UINT64_MAX, 1},
	        {{64, 1, 8}, UINT64_MAX, 8},
	        {{65, 1, 8}, 5, 8},
	        {{3, 0, 8}, 5, 8},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_true(spemu_perf_time(&rows[i].tc, rows[i].count) == rows[i].time);
	assert_true(spemu_perf_time(&(struct spemu_perf_time_conv){64, 1, 8}, 1) == 8);
}

/* Compare the rate that time_mult and time_shift give with the exact rate. The relative error is
 * |mult / 2^shift - 10^9 / hz| divided by 10^9 / hz. */
static void time_mult_and_shift_stay_within_documented_error(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct spemu_perf_time_conv tc;
		uint64_t random = prng_next(&seed), hz, whole, off;

		hz = 1 + (random >> 8) % (i % 2 ? UINT64_C(4000000000) : UINT64_C(1000000000000));
		hz = hz >> (random & 31) ? hz >> (random & 31) : 1;
		assert_int_equal(spemu_perf_time_conv_init(&tc, hz, 0), SPEMU_OK);
		assert_true(tc.time_shift <= 32 && tc.time_mult <= UINT32_MAX);
		whole = UINT64_C(1000000000) << tc.time_shift;
		assert_true(tc.time_mult <= whole / hz);
		off = whole - tc.time_mult * hz;
		assert_true(off <= whole >> (hz > UINT64_C(4000000000) ? 22 : 29));
		if (1000000000 % hz == 0)
			assert_true(off == 0);
		/* If the rate is not exact, time_mult already uses all its bits. */
		assert_true(off == 0 || tc.time_shift == 32 || tc.time_mult >> 31);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(comm_is_padded_to_8_bytes),
	        cmocka_unit_test(long_names_are_cut_to_15_bytes),
	        cmocka_unit_test(mmap2_has_inode_or_build_id),
	        cmocka_unit_test(too_long_file_names_are_refused),
	        cmocka_unit_test(fork_and_exit_contain_the_time_twice),
	        cmocka_unit_test(aux),
	        cmocka_unit_test(synthesized_events_have_no_trailer),
	        cmocka_unit_test(map_events_have_their_cpumode),
	        cmocka_unit_test(metadata_version_2_describes_each_cpu),
	        cmocka_unit_test(metadata_version_2_is_limited_by_event_size),
	        cmocka_unit_test(null_arguments_are_refused),
	        cmocka_unit_test(values_out_of_range_are_refused),
	        cmocka_unit_test(time_is_perfs),
	        cmocka_unit_test(whole_counter_periods_convert_exactly),
	        cmocka_unit_test(fractional_rates_stay_within_documented_error),
	        cmocka_unit_test(time_mult_and_shift_stay_within_documented_error),
	};
	return cmocka_run_group_tests_name("perfdata events", tests, NULL, NULL);
}
