/* SPDX-License-Identifier: MIT */
/*
 * Decoding of SAMPLE events of a perf.data file.
 *
 * Source: include/uapi/linux/perf_event.h (PERF_RECORD_SAMPLE) of Linux 6.1.
 */
#include <string.h>

#include "base/bits.h"
#include "perfdata/perf_file.h"

/* The part of the body that has not been read yet. */
struct in {
	const uint8_t *pos;
	size_t left;
	bool short_of; /* a required member is missing */
};

static uint64_t take64(struct in *in)
{
	uint64_t v;

	if (in->left < 8) {
		in->short_of = true;
		return 0;
	}
	v = le_load64(in->pos);
	in->pos += 8;
	in->left -= 8;
	return v;
}

/* Read a member of 8 bytes if type has its bit, or return 0. */
static uint64_t take_if(struct in *in, uint64_t type, uint64_t bit)
{
	return type & bit ? take64(in) : 0;
}

static void take_chain(struct in *in, struct spemu_perf_sample *sample)
{
	uint64_t n = take64(in);

	if (n > in->left / 8) {
		in->short_of = true;
		return;
	}
	sample->n_chain = (uint32_t)n;
	sample->chain = in->pos;
	in->pos += 8 * n;
	in->left -= 8 * (size_t)n;
}

static void take_raw(struct in *in, struct spemu_perf_sample *sample)
{
	uint32_t size;

	if (in->left < 4 || (size = le_load32(in->pos)) > in->left - 4) {
		in->short_of = true;
		return;
	}
	sample->raw_size = size;
	sample->raw = in->pos + 4;
}

int spemu_perf_sample(const struct spemu_perf_file *file, struct spemu_perf_sample *sample,
                      const struct spemu_perf_event *event)
{
	struct in in;
	uint64_t type, word;

	if (sample)
		memset(sample, 0, sizeof(*sample));
	if (!file || !sample || !event || event->type != SPEMU_PERF_SAMPLE)
		return SPEMU_ERR_INVALID;
	in = (struct in){event->body, (size_t)event->size - PERF_EVENT_HEADER_SIZE, false};
	type = spemu__perf_type_of(file, in.left < 8 ? 0 : le_load64(in.pos));
	sample->id = take_if(&in, type, SPEMU_PERF_SAMPLE_IDENTIFIER);
	sample->ip = take_if(&in, type, SPEMU_PERF_SAMPLE_IP);
	word = take_if(&in, type, SPEMU_PERF_SAMPLE_TID);
	sample->pid = (uint32_t)word;
	sample->tid = (uint32_t)(word >> 32);
	sample->time = take_if(&in, type, SPEMU_PERF_SAMPLE_TIME);
	sample->addr = take_if(&in, type, SPEMU_PERF_SAMPLE_ADDR);
	word = take_if(&in, type, SPEMU_PERF_SAMPLE_ID);
	if (type & SPEMU_PERF_SAMPLE_ID)
		sample->id = word;
	take_if(&in, type, SPEMU_PERF_SAMPLE_STREAM_ID);
	sample->cpu = (uint32_t)take_if(&in, type, SPEMU_PERF_SAMPLE_CPU);
	sample->period = take_if(&in, type, SPEMU_PERF_SAMPLE_PERIOD);
	if (type & SPEMU_PERF_SAMPLE_READ)
		type &= ~(uint64_t)(SPEMU_PERF_SAMPLE_CALLCHAIN | SPEMU_PERF_SAMPLE_RAW);
	if (type & SPEMU_PERF_SAMPLE_CALLCHAIN)
		take_chain(&in, sample);
	if (type & SPEMU_PERF_SAMPLE_RAW && !in.short_of)
		take_raw(&in, sample);
	sample->valid = type & PERF_SAMPLE_MEMBERS;
	if (!in.short_of)
		return SPEMU_OK;
	memset(sample, 0, sizeof(*sample));
	return SPEMU_ERR_CORRUPT;
}

uint64_t spemu_perf_sample_chain(const struct spemu_perf_sample *sample, uint32_t i)
{
	return i < sample->n_chain ? le_load64(sample->chain + 8 * (size_t)i) : 0;
}

int spemu_perf_sample_frame(struct spemu_perf_frame *frame, const struct spemu_perf_sample *sample)
{
	if (frame)
		*frame = (struct spemu_perf_frame){0};
	if (!frame || !sample || sample->id != SPEMU_PERF_CALLCHAIN_ID || !sample->raw ||
	    sample->raw_size != SPEMU_PERF_FRAME_SIZE)
		return SPEMU_ERR_INVALID;
	if (!le_load32(sample->raw))
		return SPEMU_ERR_INVALID;
	*frame = (struct spemu_perf_frame){le_load32(sample->raw), le_load64(sample->raw + 4)};
	return SPEMU_OK;
}
