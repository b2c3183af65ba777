/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: arbitrary bytes as a perf.data file.
 *
 * For every input, returned data lie within the input, texts end, every walk ends after at most as
 * many steps as there are bytes, and the cursor never goes back.
 */
#include <stdlib.h>
#include <string.h>

#include <spemu/perfdata.h>
#include "perfdata/perf_file.h"
#include "fuzz.h"

struct input {
	const uint8_t *data;
	size_t size;
};

static void check_inside(const struct input *in, const void *p, uint64_t size)
{
	uintptr_t at = (uintptr_t)p, begin = (uintptr_t)in->data;

	REQUIRE(!size ||
	        (at >= begin && at - begin <= in->size && size <= in->size - (at - begin)));
}

static void check_text(const struct input *in, const char *text)
{
	check_inside(in, text, 1);
	REQUIRE(memchr(text, 0, in->size - (size_t)((const uint8_t *)text - in->data)));
}

static void check_description(const struct input *in, struct spemu_perf_file *file)
{
	struct spemu_perf_attr attr;
	struct spemu_perf_build_id id;
	const uint8_t *data;
	const char *text;
	uint64_t size, pos = 0;
	uint32_t n = 0;

	for (; spemu_perf_attr(file, &attr, n) == SPEMU_OK; n++) {
		check_inside(in, attr.ids, 8 * (uint64_t)attr.n_ids);
		if (attr.name)
			check_text(in, attr.name);
		REQUIRE(n < in->size);
	}
	for (n = 0; n < SPEMU_PERF_FEAT_MAX; n++) {
		if (spemu__perf_feature(file, &data, &size, n) == SPEMU_OK)
			check_inside(in, data, size);
		if (spemu_perf_feature_string(file, &text, n) == SPEMU_OK)
			check_text(in, text);
	}
	for (n = 0; spemu_perf_cmdline(file, &text, n) == SPEMU_OK; n++) {
		check_text(in, text);
		REQUIRE(n < in->size);
	}
	while (spemu_perf_next_build_id(file, &id, &pos) == SPEMU_OK) {
		check_text(in, id.filename);
		REQUIRE(id.size <= SPEMU_PERF_BUILD_ID_MAX && pos <= in->size);
	}
}

static void spemu__check_event(const struct input *in, const struct spemu_perf_event *event)
{
	struct spemu_perf_spe_cpu cpu;

	check_inside(in, event->body, event->size - 8u);
	switch (event->type) {
	case SPEMU_PERF_COMM:
		check_text(in, event->u.comm.comm);
		break;
	case SPEMU_PERF_MMAP:
	case SPEMU_PERF_MMAP2:
		check_text(in, event->u.mmap.filename);
		REQUIRE(event->u.mmap.build_id_size <= SPEMU_PERF_BUILD_ID_MAX);
		break;
	case SPEMU_PERF_AUXTRACE:
		check_inside(in, event->u.auxtrace.data, event->u.auxtrace.size);
		break;
	case SPEMU_PERF_AUXTRACE_INFO:
		check_inside(in, event->u.auxtrace_info.priv, event->u.auxtrace_info.priv_size);
		for (uint32_t i = 0; !spemu_perf_spe_cpu(&cpu, &event->u.auxtrace_info, i); i++)
			REQUIRE(i < in->size);
		break;
	default:
		break;
	}
}

/* Check that a call stack lies within its event. */
static void check_sample(const struct input *in, const struct spemu_perf_file *file,
                         const struct spemu_perf_event *event)
{
	struct spemu_perf_sample sample;
	int status = spemu_perf_sample(file, &sample, event);

	REQUIRE((status == SPEMU_ERR_INVALID) == (event->type != SPEMU_PERF_SAMPLE));
	if (status != SPEMU_OK)
		return;
	REQUIRE(8 * (uint64_t)sample.n_chain <= event->size);
	check_inside(in, sample.chain, 8 * (uint64_t)sample.n_chain);
	for (uint32_t i = 0; i <= sample.n_chain; i++)
		spemu_perf_sample_chain(&sample, i);
}

/* Check that a part of a copied file lies within its event. */
static void check_copy(const struct input *in, const struct spemu_perf_event *event)
{
	struct spemu_perf_copy copy;

	if (spemu_perf_get_copy(&copy, event) != SPEMU_OK)
		return;
	REQUIRE(copy.size <= SPEMU_PERF_COPY_MAX && copy.size < event->size);
	check_inside(in, copy.data, copy.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct input in = {data, size};
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_time_conv conv;
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	struct spemu_perf_file *file;
	uint64_t before = 0;
	int status = spemu_perf_open_memory(&file, NULL, data, size);

	REQUIRE((status == SPEMU_OK) == (file != NULL));
	if (!file)
		return 0;
	check_description(&in, file);
	while ((status = spemu_perf_next(file, &event, &cursor)) == SPEMU_OK) {
		REQUIRE(cursor.offset > before && cursor.offset <= size);
		before = cursor.offset;
		spemu__check_event(&in, &event);
		check_sample(&in, file, &event);
		check_copy(&in, &event);
	}
	/* The cursor must not move. */
	before = cursor.offset;
	REQUIRE(spemu_perf_next(file, &event, &cursor) == status && cursor.offset == before);
	if (spemu_perf_find_spe(file, &info, &conv) == SPEMU_OK) {
		REQUIRE(info.type == SPEMU_PERF_AUXTRACE_SPE);
		spemu_perf_time(&conv, UINT64_MAX);
	}
	spemu_perf_close(file);
	return 0;
}
