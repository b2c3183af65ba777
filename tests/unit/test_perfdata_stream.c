/* SPDX-License-Identifier: MIT */
/* Test the head of a stream, its CPUs and build-ids. The test parses the bytes by the format alone
 * and compares them with a file that has the same head. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <spemu/perfdata.h>
#include "perfdata/perf_file.h"

static const char *const arguments[] = {"tool", "an argument", NULL};
static const struct spemu_perf_head_config config = {
        .size = sizeof(config),
        .period = 1024,
        .argv = arguments,
        .version = "1.2",
        .osrelease = "6.1",
        .hostname = "here",
        .cpu_desc = "a CPU",
        .event_name = "spe/load/",
        .callchains = true,
};
static uint8_t stream[SPEMU_PERF_HEAD_MAX], file[SPEMU_PERF_HEAD_MAX + SPEMU_PERF_TABLE_MAX];

static uint64_t number(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	while (size--)
		v = v << 8 | p[size];
	return v;
}

/* Open an empty file that has the head described by `of`. */
static struct spemu_perf_file *open_file(const struct spemu_perf_head_config *of)
{
	struct spemu_perf_head head;
	int size = spemu_perf_put_head(file, sizeof(file), &head, of);
	struct spemu_perf_file *f;

	assert_true(size > 0);
	memcpy(file + size, head.table, head.table_size);
	spemu_perf_put_sizes(file + SPEMU_PERF_SIZES_AT, 0, head.flags);
	assert_int_equal(spemu_perf_open_memory(&f, NULL, file, (size_t)size + head.table_size),
	                 SPEMU_OK);
	return f;
}

/* Check that the event contains attr i of the file and its only id. */
static void check_attr(const struct spemu_perf_file *f, unsigned i, const uint8_t *event)
{
	struct spemu_perf_attr attr;

	assert_int_equal(spemu_perf_attr(f, &attr, i), SPEMU_OK);
	assert_int_equal(number(event + 6, 2), 8 + 128 + 8);
	assert_int_equal(number(event + 8, 4), attr.type);
	assert_int_equal(number(event + 12, 4), 128);
	assert_int_equal(number(event + 16, 8), attr.config);
	assert_int_equal(number(event + 24, 8), attr.sample_period);
	assert_int_equal(number(event + 32, 8), attr.sample_type);
	assert_int_equal(number(event + 48, 8), attr.flags);
	assert_int_equal(attr.n_ids, 1);
	assert_memory_equal(event + 136, attr.ids, 8);
}

/* Check that the event contains a feature of the file, padded by less than 8 bytes. Return the
 * number of the feature. */
static unsigned check_feature(const struct spemu_perf_file *f, const uint8_t *event)
{
	unsigned n = (unsigned)number(event + 8, 8);
	const uint8_t *data;
	uint64_t size;

	assert_int_equal(spemu__perf_feature(f, &data, &size, n), SPEMU_OK);
	assert_true(number(event + 6, 2) - 16 - size < 8);
	assert_memory_equal(event + 16, data, (size_t)size);
	return n;
}

static void stream_has_attrs_and_features_of_a_file(void **state)
{
	struct spemu_perf_file *f = open_file(&config);
	int size = spemu_perf_put_stream_head(stream, sizeof(stream), &config);
	uint64_t features = 0, expected = 0;
	unsigned attrs = 0;
	const uint8_t *data;
	uint64_t n;

	(void)state;
	assert_memory_equal(stream, "PERFILE2\20\0\0\0\0\0\0\0", 16);
	for (int at = 16; at < size; at += (int)number(stream + at + 6, 2)) {
		const uint8_t *event = stream + at;

		assert_int_equal(number(event + 6, 2) % 8, 0);
		assert_true(number(event + 6, 2) >= 16);
		if (number(event, 4) == 64) { /* HEADER_ATTR; perf expects it before all features */
			assert_int_equal(features, 0);
			check_attr(f, attrs++, event);
		} else {
			assert_int_equal(number(event, 4), 80); /* HEADER_FEATURE */
			features |= UINT64_C(1) << check_feature(f, event);
		}
	}
	for (unsigned i = 0; i < 64; i++)
		if (i != SPEMU_PERF_FEAT_AUXTRACE &&
		    spemu__perf_feature(f, &data, &n, i) == SPEMU_OK)
			expected |= UINT64_C(1) << i;
	assert_int_equal(attrs, 2);
	assert_int_equal(features, expected);
	spemu_perf_close(f);
}

/* A feature is a single event, whose size has only 16 bits. */
static void long_command_line_is_cut(void **state)
{
	static char longest[300];
	static const char *argv[2001];
	struct spemu_perf_head_config of = config;
	unsigned found = 0, kept = 0;
	int size;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	for (unsigned i = 0; i < 2000; i++)
		argv[i] = longest;
	of.argv = argv;
	size = spemu_perf_put_stream_head(stream, sizeof(stream), &of);
	assert_true(size > 0);
	for (int at = 16; at < size; at += (int)number(stream + at + 6, 2)) {
		assert_true(number(stream + at + 6, 2) >= 16);
		if (number(stream + at, 4) != 80 ||
		    number(stream + at + 8, 8) != SPEMU_PERF_FEAT_CMDLINE)
			continue;
		kept = (unsigned)number(stream + at + 16, 4);
		/* The feature has a count. Each argument has a length and 5 * 64 bytes. */
		assert_true(number(stream + at + 6, 2) - (16 + 4 + kept * (4 + 320)) < 8);
		found++;
	}
	assert_int_equal(found, 1);
	assert_in_range(kept, 195, 202); /* at most (65528 - 20) / 324 */
}

static void stream_repeats_cpu_features(void **state)
{
	uint8_t cpus[SPEMU_PERF_STREAM_CPUS_SIZE];
	const uint8_t *second = cpus + 24;

	(void)state;
	assert_int_equal(spemu_perf_put_stream_cpus(cpus, sizeof(cpus), 17), sizeof(cpus));
	assert_int_equal(number(cpus, 4), 80);
	assert_int_equal(number(cpus + 6, 2), 24);
	assert_int_equal(number(cpus + 8, 8), SPEMU_PERF_FEAT_NRCPUS);
	assert_int_equal(number(cpus + 16, 4), 17);
	assert_int_equal(number(cpus + 20, 4), 17);
	assert_int_equal(number(second, 4), 80);
	assert_int_equal(number(second + 6, 2), sizeof(cpus) - 24);
	assert_int_equal(number(second + 8, 8), SPEMU_PERF_FEAT_NUMA_TOPOLOGY);
	assert_int_equal(number(second + 16, 4), 1); /* number of nodes */
	assert_string_equal((const char *)second + 16 + 4 + 4 + 8 + 8 + 4, "0-00016");
	assert_int_equal(spemu_perf_put_stream_cpus(cpus, sizeof(cpus) - 1, 1), SPEMU_ERR_NOSPACE);
	assert_int_equal(spemu_perf_put_stream_cpus(cpus, sizeof(cpus), 0), SPEMU_ERR_INVALID);
}

static void build_id_event_has_id_of_the_file(void **state)
{
	uint8_t event[SPEMU_PERF_BUILD_ID_EVENT_MAX], id[SPEMU_PERF_BUILD_ID_MAX];
	static char longest[SPEMU_PERF_FILENAME_MAX + 2];
	char self[SPEMU_PERF_FILENAME_MAX + 1];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), size;
	size_t id_size;

	(void)state;
	assert_true(length > 0);
	self[length] = 0;
	if (spemu__elf_build_id(id, &id_size, fd) != SPEMU_OK)
		fail_msg("this program was linked without a build-id");
	close(fd);
	size = spemu_perf_put_build_id(event, sizeof(event), self);
	assert_true(size > 0 && size % 8 == 0);
	assert_int_equal(number(event, 4), SPEMU_PERF_HEADER_BUILD_ID);
	assert_int_equal(number(event + 4, 2),
	                 SPEMU_PERF_MISC_USER | SPEMU_PERF_MISC_BUILD_ID_SIZE);
	assert_int_equal(number(event + 6, 2), size);
	assert_int_equal(number(event + 8, 4), UINT32_MAX);
	assert_memory_equal(event + 12, id, id_size);
	assert_int_equal(event[32], id_size);
	assert_string_equal((const char *)event + 36, self);
	assert_int_equal(spemu_perf_put_build_id(event, 64, self), SPEMU_ERR_NOSPACE);
	assert_int_equal(spemu_perf_put_build_id(event, sizeof(event), "/dev/zero"), SPEMU_ERR_END);
	assert_int_equal(spemu_perf_put_build_id(event, sizeof(event), "/no/such"), SPEMU_ERR_END);
	assert_int_equal(spemu_perf_put_build_id(event, sizeof(event), NULL), SPEMU_ERR_INVALID);
	memset(longest, 'x', sizeof(longest) - 1);
	assert_int_equal(spemu_perf_put_build_id(event, sizeof(event), longest), SPEMU_ERR_INVALID);
	/* The longest possible name fits. */
	longest[SPEMU_PERF_FILENAME_MAX] = 0;
	assert_int_equal(spemu_perf_put_build_id(event, sizeof(event), longest), SPEMU_ERR_END);
}

static void invalid_arguments_are_refused(void **state)
{
	struct spemu_perf_head_config of = config;

	(void)state;
	assert_int_equal(spemu_perf_put_stream_head(NULL, sizeof(stream), &of), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_stream_head(stream, sizeof(stream), NULL),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_stream_head(stream, SPEMU_PERF_HEAD_MAX - 1, &of),
	                 SPEMU_ERR_NOSPACE);
	of.size = 3;
	assert_int_equal(spemu_perf_put_stream_head(stream, sizeof(stream), &of),
	                 SPEMU_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(stream_has_attrs_and_features_of_a_file),
	        cmocka_unit_test(long_command_line_is_cut),
	        cmocka_unit_test(stream_repeats_cpu_features),
	        cmocka_unit_test(build_id_event_has_id_of_the_file),
	        cmocka_unit_test(invalid_arguments_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
