/* SPDX-License-Identifier: MIT */
/*
 * Hardware prefetchers: a stride prefetcher, which tracks the stride of an instruction, and a
 * stream prefetcher, which tracks neighboring lines.
 *
 * Both are trained by misses of L1 and bring lines into L2. They send requests to the directory as
 * loads do: peers keep lines that they share, and a line that a peer has modified becomes shared.
 * Lines go to L2 alone, so L1 misses and the training continue. A prefetch is not a memory access
 * and has no event. A line takes as long as its source does; an access before its arrival waits for
 * the remaining time (event 22).
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6 (events 3, 20: not for data from the refill of a previous
 *              miss)
 * Choices:     a stride becomes trusted after it recurs, and loses confidence when it does not. An
 *              instruction with a known stride trains no streams. Lines are prefetched in order up
 *              to the distance, at most BURST per miss. Bandwidth is not limited.
 */
#include "source_cycles.h"
#include "uarch_object.h"

/* confidence of a trusted stride, or number of consecutive misses of a trusted stream */
#define SURE 2
#define CONFIDENCE_MAX 3
#define BURST 4 /* maximum lines prefetched per miss */

static uint64_t line_of(const struct uarch_core *core, uint64_t addr)
{
	return (addr & ADDRESS_MASK) >> core->line_shift;
}

/* Fetch the line into L2, unless it is there. */
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
 * Prefetch the strides from addr on. The first *ahead of them, beginning with the access itself,
 * were requested before. Stop at the maximum distance, and at the end of the page if prefetches do
 * not leave it.
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
	/* The next miss requests the line after these. */
	lookups_soon(core, line_of(core, addr + (uint64_t)stride * (*ahead + 1u)));
}

/* Return the stride between two accesses. Small strides reach a new line only now and then, and
 * not always by the same number of bytes, so they count as strides of one line. */
static int64_t stride_between(const struct uarch_core *core, uint64_t from, uint64_t to)
{
	int64_t lines = (int64_t)(line_of(core, to) - line_of(core, from));

	if (lines == 1 || lines == -1)
		return lines * (INT64_C(1) << core->line_shift);
	return (int64_t)(to - from);
}

/* Train the stride of an instruction. Return true if the stride is known. */
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

/* Train the stream of a page. */
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
