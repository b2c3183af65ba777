/* SPDX-License-Identifier: MIT */
/*
 * Hardware prefetchers: by the stride of an instruction, and by neighboring lines.
 *
 * Both are trained by what misses L1 and bring lines into L2, by the directory, as loads do: peers
 * lose no line that they share, and one that a peer has modified becomes shared. So L1 misses go
 * on, and go on training. What is prefetched is no access: it has no event. A line takes as long as
 * from where it comes; until then an access waits for the rest (event 22).
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6 (events 3, 20: not for what is satisfied from the refill of a
 *              previous miss)
 * Choices:     the first stride of an instruction is taken on trust after it came again, and
 *              doubted when it does not. An instruction whose stride is known leaves the streams
 *              alone. Lines are prefetched one after the other as far as the distance, at most
 *              BURST at a miss. There are no limits by bandwidth.
 */
#include "source_cycles.h"
#include "uarch_object.h"

#define SURE 2 /* of confidence, and of misses in a row */
#define CONFIDENCE_MAX 3
#define BURST 4 /* lines that one miss may ask for */

static uint64_t line_of(const struct uarch_core *core, uint64_t addr)
{
	return (addr & ADDRESS_MASK) >> core->line_shift;
}

/* The line comes into L2, unless it is there. */
static void prefetch(struct uarch_core *core, uint64_t line)
{
	struct prefetched *slot = &core->prefetcher.slot[line % PREFETCHED_SLOTS];
	struct fetched got;
	uint32_t index;

	if (tag_find(&core->l2, line, &index) != LINE_INVALID) {
		uarch__reuse_prefetch(core, line, true, false);
		return;
	}
	got = uarch__fetch(core, line, FETCH_L2 | FETCH_ABSENT);
	uarch__reuse_prefetch(core, line, false, got.source == UARCH_SRC_DRAM);
	slot->line = line;
	slot->arrives = (struct arrival){core->clock + source_cycles(core->profile, got.source),
	                                 got.source};
}

struct arrival uarch__prefetched(const struct uarch_core *core, uint64_t line)
{
	const struct prefetched *slot;

	if (!core->prefetcher.on)
		return (struct arrival){0};
	slot = &core->prefetcher.slot[line % PREFETCHED_SLOTS];
	return slot->line == line ? slot->arrives : (struct arrival){0};
}

/*
 * From addr on, of which *ahead strides are asked for already: one of them is the access itself.
 * What is ahead ends where prefetches do.
 */
static void run_ahead(struct uarch_core *core, uint64_t addr, int64_t stride, uint8_t *ahead)
{
	const struct uarch_profile *p = core->profile;
	uint64_t page = line_of(core, addr) >> core->page_lines, last = line_of(core, addr);

	if (*ahead)
		--*ahead;
	for (unsigned burst = 0; burst < BURST && *ahead < p->prefetch_distance; burst++) {
		uint64_t line = line_of(core, addr + (uint64_t)stride * (*ahead + 1u));

		if (!p->prefetch_pages && line >> core->page_lines != page)
			return;
		++*ahead;
		if (line != last)
			prefetch(core, line);
		last = line;
	}
	/* the line after these is for the next miss */
	lookups_soon(core, line_of(core, addr + (uint64_t)stride * (*ahead + 1u)));
}

/* Small strides reach a new line now and then, not always by the same number of bytes: those are
 * strides of a line. */
static int64_t stride_between(const struct uarch_core *core, uint64_t from, uint64_t to)
{
	int64_t lines = (int64_t)(line_of(core, to) - line_of(core, from));

	if (lines == 1 || lines == -1)
		return lines * (INT64_C(1) << core->line_shift);
	return (int64_t)(to - from);
}

/* Whether the instruction has a stride that is known. */
static bool train_stride(struct uarch_core *core, uint64_t pc, uint64_t addr)
{
	uint64_t hash = pc >> 2 ^ pc >> 10;
	struct stride_entry *entry = &core->prefetcher.stride[hash & core->prefetcher.stride_mask];
	int64_t stride = stride_between(core, entry->last, addr);

	if (entry->pc != pc) {
		*entry = (struct stride_entry){.pc = pc, .last = addr};
		return false;
	}
	entry->last = addr;
	if (stride == entry->stride) {
		if (entry->confidence < CONFIDENCE_MAX)
			entry->confidence++;
	} else if (entry->confidence) {
		entry->confidence--;
		entry->ahead = 0;
	} else {
		entry->stride = stride;
		entry->ahead = 0;
	}
	if (entry->confidence < SURE || !entry->stride)
		return false;
	run_ahead(core, addr, entry->stride, &entry->ahead);
	return true;
}

/* A stream is followed in its page. */
static void train_stream(struct uarch_core *core, uint64_t addr)
{
	struct prefetcher *pf = &core->prefetcher;
	uint64_t line = line_of(core, addr), page = line >> core->page_lines;
	struct stream_entry *stream = &pf->stream[page & pf->stream_mask];
	int64_t step = (int64_t)(line - stream->last);

	if (!stream->misses || stream->last >> core->page_lines != page ||
	    (step != 1 && step != -1)) {
		*stream = (struct stream_entry){.last = line, .misses = 1};
		return;
	}
	if (step != stream->direction)
		stream->misses = 1;
	if (stream->misses == 1)
		stream->ahead = 0;
	stream->direction = (int8_t)step;
	stream->last = line;
	if (stream->misses <= SURE)
		stream->misses++;
	if (stream->misses > SURE)
		run_ahead(core, addr, step * (INT64_C(1) << core->line_shift), &stream->ahead);
}

void uarch__train(struct uarch_core *core, uint64_t pc, uint64_t addr)
{
	struct prefetcher *pf = &core->prefetcher;

	if (pf->strides && pc && train_stride(core, pc, addr))
		return;
	if (pf->streams)
		train_stream(core, addr);
}
