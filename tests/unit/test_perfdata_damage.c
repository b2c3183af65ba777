/* SPDX-License-Identifier: MIT */
/*
 * Test the perf.data reader with damaged files: truncated at every length, and with every byte
 * changed.
 */
#define _GNU_SOURCE
#include "perfdata_image.h"
#include "perfdata/perf_file.h"

/* The sum of all bytes that were read. It keeps the compiler from removing the reads. */
static volatile unsigned sink;
static void touch(const void *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += ((const uint8_t *)p)[i];
}

static void touch_event(const struct spemu_perf_event *event)
{
	struct spemu_perf_spe_cpu cpu;

	touch(event->body, event->size - 8u);
	if (event->type == SPEMU_PERF_AUXTRACE)
		touch(event->u.auxtrace.data, event->u.auxtrace.size);
	else if (event->type == SPEMU_PERF_COMM)
		touch(event->u.comm.comm, strlen(event->u.comm.comm));
	else if (event->type == SPEMU_PERF_MMAP || event->type == SPEMU_PERF_MMAP2)
		touch(event->u.mmap.filename, strlen(event->u.mmap.filename));
	else if (event->type == SPEMU_PERF_AUXTRACE_INFO)
		for (uint32_t i = 0; spemu_perf_spe_cpu(&cpu, &event->u.auxtrace_info, i) == 0; i++)
			assert_true(i < 8192);
}

/* Call every function of the reader. */
static void read_all(struct spemu_perf_file *file)
{
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_time_conv conv;
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	struct spemu_perf_attr attr;
	struct spemu_perf_build_id id;
	const uint8_t *data;
	const char *s;
	uint64_t size, pos = 0;
	unsigned events = 0;

	for (uint32_t i = 0; spemu_perf_attr(file, &attr, i) == SPEMU_OK; i++)
		touch(attr.ids, 8 * (uint64_t)attr.n_ids);
	for (unsigned n = 0; n < SPEMU_PERF_FEAT_MAX; n++) {
		if (spemu__perf_feature(file, &data, &size, n) == SPEMU_OK)
			touch(data, size);
		if (spemu_perf_feature_string(file, &s, n) == SPEMU_OK)
			touch(s, strlen(s));
	}
	for (uint32_t i = 0; i < 100 && spemu_perf_cmdline(file, &s, i) == SPEMU_OK; i++)
		touch(s, strlen(s));
	while (spemu_perf_next_build_id(file, &id, &pos) == SPEMU_OK)
		touch(id.filename, strlen(id.filename));
	while (spemu_perf_next(file, &event, &cursor) == SPEMU_OK) {
		touch_event(&event);
		assert_true(++events <= sizeof(image) / 8);
	}
	spemu_perf_find_spe(file, &info, &conv);
}

/* Return the end of the last whole event in the first `size` bytes of the image. */
static size_t end_of_events(size_t at, size_t size)
{
	while (at + 8 <= size && at < features_at) {
		size_t n = (size_t)(image[at + 6] | image[at + 7] << 8);

		if (image[at] == 71) /* AUXTRACE */
			n += (size_t)(image[at + 8] | image[at + 9] << 8);
		if (at + n > size)
			break;
		at += n;
	}
	return at;
}

/* A file that is truncated before its data section cannot be opened. If it is truncated later, the
 * events that are present can be read, and the truncation is reported. */
static void every_truncation_is_reported(void **state)
{
	struct spemu_perf_file *file;
	uint64_t where;

	(void)state;
	for (int version = 1; version <= 2; version++) {
		size_t data_at;

		build(version);
		data_at = (size_t)(image[40] | image[41] << 8);
		/* A file that lacks the last 8 bytes is truncated, too. Only the section of
		 * EVENT_DESC covers them: they are an id. */
		for (size_t size = 0; size < used; size++) {
			struct spemu_perf_cursor c = {0};
			struct spemu_perf_event e;
			int status = open_image(&file, size, &where);

			if (size < data_at) {
				assert_int_equal(status, size < 8 ? SPEMU_ERR_INVALID
				                                  : SPEMU_ERR_TRUNCATED);
				assert_null(file);
				assert_true(where < used);
				continue;
			}
			assert_int_equal(status, SPEMU_OK);
			while ((status = spemu_perf_next(file, &e, &c)) == SPEMU_OK)
				;
			assert_int_equal(status, SPEMU_ERR_TRUNCATED);
			assert_int_equal(c.offset, end_of_events(data_at, size));
			assert_int_equal(spemu_perf_next(file, &e, &c), SPEMU_ERR_TRUNCATED);
			spemu_perf_close(file);
		}
	}
}

/* perf writes the sizes when it ends. A file of a perf that was killed has its events, and has bits
 * of features that were never written. */
static void file_of_killed_perf_keeps_its_events(void **state)
{
	struct spemu_perf_file *file;
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	const char *text;
	int status;

	(void)state;
	build(1);
	put_at(48, 0, 8);
	assert_int_equal(open_image(&file, features_at, NULL), SPEMU_OK);
	while ((status = spemu_perf_next(file, &e, &c)) == SPEMU_OK)
		;
	assert_int_equal(status, SPEMU_ERR_TRUNCATED);
	assert_int_equal(c.offset, features_at);
	assert_int_equal(spemu_perf_feature_string(file, &text, SPEMU_PERF_FEAT_CPUID),
	                 SPEMU_ERR_END);
	spemu_perf_close(file);
}

static void data_section_may_end_inside_an_event(void **state)
{
	struct spemu_perf_cursor c;
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	size_t data_size;

	(void)state;
	build(1);
	memset(image + 72, 0, 32); /* no features */
	data_size = features_at - (size_t)(image[40] | image[41] << 8);
	for (size_t size = 0; size <= data_size; size++) {
		int status;

		put_at(48, size, 8);
		assert_int_equal(open_image(&file, features_at, NULL), SPEMU_OK);
		c = (struct spemu_perf_cursor){0};
		do
			status = spemu_perf_next(file, &e, &c);
		while (status == SPEMU_OK);
		/* A whole event ends at each of these sizes. */
		if (size == 0 || size == 56 || size == 88 || size == 136 || size == 208 ||
		    size == 272 || size == 336 || size == 392)
			assert_int_equal(status, SPEMU_ERR_END);
		else
			assert_int_equal(status, SPEMU_ERR_TRUNCATED);
		spemu_perf_close(file);
	}
}

static void changed_bytes_never_lead_outside_the_file(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x07, 0x7f, 0x80, 0xff};
	struct spemu_perf_file *file;
	unsigned opened = 0;

	(void)state;
	for (int version = 1; version <= 2; version++) {
		for (size_t at = 0; at < used; at++) {
			for (size_t k = 0; k < sizeof(values); k++) {
				build(version);
				image[at] = values[k];
				if (open_image(&file, used, NULL) != SPEMU_OK)
					continue;
				opened++;
				read_all(file);
				spemu_perf_close(file);
			}
		}
	}
	assert_true(opened > 1000);
}

static void wrapping_sections_are_refused(void **state)
{
	static const size_t sections[] = {24, 40, 120 + 128};
	struct spemu_perf_file *file;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		build(1);
		put_at(sections[i], UINT64_MAX - 7, 8);
		put_at(sections[i] + 8, 16, 8);
		assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_TRUNCATED);
		put_at(sections[i], 0, 8);
		put_at(sections[i] + 8, UINT64_MAX, 8);
		assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_TRUNCATED);
	}
	/* An AUXTRACE event claims a trace of 2^64 - 1 bytes. */
	build(1);
	for (size_t at = 0; at + 16 < used; at++) {
		if (image[at] == 71 && image[at + 6] == 48 && image[at + 8] == 16)
			put_at(at + 8, UINT64_MAX, 8);
	}
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	read_all(file);
	spemu_perf_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_truncation_is_reported),
	        cmocka_unit_test(file_of_killed_perf_keeps_its_events),
	        cmocka_unit_test(data_section_may_end_inside_an_event),
	        cmocka_unit_test(changed_bytes_never_lead_outside_the_file),
	        cmocka_unit_test(wrapping_sections_are_refused),
	};
	return cmocka_run_group_tests_name("perfdata damage", tests, set_up, NULL);
}
