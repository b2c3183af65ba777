/* SPDX-License-Identifier: MIT */
/*
 * Hardware prefetchers: a stride prefetcher, which tracks the stride of an instruction, and a
 * stream prefetcher, which tracks neighboring lines.
 *
 * Both are trained by misses of L1 and bring lines into L2. The stride prefetcher also brings lines
 * of loads into L1. The first use of such a line trains it as a miss does, so it continues. They
 * send requests to the directory as loads do: peers keep lines that they share, and a line that a
 * peer has modified becomes shared. A prefetch is not a memory access and has no event. A line
 * takes as long as its source does; an access before its arrival waits for the remaining time
 * (event 22).
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6 (events 3, 20: not for data from the refill of a previous
 *              miss)
 * Choices:     a stride becomes trusted after it recurs, and loses confidence when it does not. An
 *              instruction with a known stride trains no streams. Lines are prefetched in order up
 *              to the distance, at most BURST per miss or first use. In each page, strides of more
 *              than a line start again: the first lines of a page only train.
 */
#include "base/bits.h"
#include "core_clock.h"
#include "source_cycles.h"
#include "uarch_object.h"

/* confidence of a trusted stride, or number of consecutive misses of a trusted stream */
#define SURE 2
#define CONFIDENCE_MAX 3
#define BURST 4 /* maximum lines prefetched per miss or first use */
#define LINES_MAX 255

static uint64_t line_of(const struct uarch_core *core, uint64_t addr)
{
	return (addr & ADDRESS_MASK) >> core->line_shift;
}

/* Return the slot of a line that is on its way from source. */
static struct prefetched arriving(struct uarch_core *core, uint64_t line, enum uarch_source source)
{
	uint64_t takes = (uint64_t)source_cycles(core->profile, source) * TICKS;

	return (struct prefetched){line, {core->clock + line_waits(core, source) + takes, source}};
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
	*slot = arriving(core, line, got.source);
}

/* Fetch the line into L1 and L2, unless it is in L1. */
static void prefetch_l1(struct uarch_core *core, uint64_t line)
{
	struct prefetched *slot = &core->prefetcher.slot[line % PREFETCHED_SLOTS];
	enum line_state state;
	uint32_t in_l1, in_l2;

	if (tag_find(&core->l1d, line, &in_l1) != LINE_INVALID)
		return;
	prefetch(core, line);
	state = tag_find(&core->l2, line, &in_l2);
	if (state == LINE_INVALID)
		return; /* another core has taken it */
	if (slot->line != line || slot->arrives.ready <= core->clock)
		*slot = arriving(core, line, UARCH_SRC_L2);
	uarch__fill_l1_from_l2(core, line, state, in_l2);
	if (tag_find(&core->l1d, line, &in_l1) != LINE_INVALID)
		l1_prefetched(core, line, in_l1);
}

struct arrival uarch__prefetched(const struct uarch_core *core, uint64_t line)
{
	const struct prefetched *slot;

	if (!core->prefetcher.on)
		return (struct arrival){0};
	slot = &core->prefetcher.slot[line % PREFETCHED_SLOTS];
	return slot->line == line ? slot->arrives : (struct arrival){0};
}

/* Prefetches into one cache. */
struct ahead {
	void (*prefetch)(struct uarch_core *core, uint64_t line);
	unsigned distance; /* maximum distance in strides */
	bool leaves;       /* prefetches may leave the page */
};

/*
 * Prefetch the strides from addr on. The first *ahead of them, beginning with the access itself,
 * were requested before. Stop at the maximum distance, and at the end of the page if prefetches do
 * not leave it.
 */
static ALWAYS_INLINE void run_ahead(struct uarch_core *core, uint64_t addr, int64_t stride,
                                    uint8_t *ahead, struct ahead into)
{
	uint64_t page = line_of(core, addr) >> core->page_lines, last = line_of(core, addr);

	if (*ahead)
		--*ahead;
	for (unsigned burst = 0; burst < BURST && *ahead < into.distance; burst++) {
		uint64_t line = line_of(core, addr + (uint64_t)stride * (*ahead + 1u));

		if (!into.leaves && line >> core->page_lines != page)
			return;
		++*ahead;
		if (line != last)
			into.prefetch(core, line);
		last = line;
	}
	/* The next miss requests the line after these. */
	lookups_soon(core, line_of(core, addr + (uint64_t)stride * (*ahead + 1u)));
}

static bool is_one_line(const struct uarch_core *core, int64_t stride)
{
	int64_t line = INT64_C(1) << core->line_shift;

	return stride == line || stride == -line;
}

/* Return true if prefetches with this stride may leave the page. */
static bool leaves_page(const struct uarch_core *core, int64_t stride)
{
	unsigned pages = core->profile->prefetch_pages;

	return pages == 2 || (pages == 1 && is_one_line(core, stride));
}

/* Prefetch for an instruction with a known stride. */
static void run_stride(struct uarch_core *core, uint64_t addr, struct stride_entry *entry,
                       bool load)
{
	const struct uarch_profile *p = core->profile;
	bool leaves = leaves_page(core, entry->stride);

	if (leaves || entry->lines >= p->l2_prefetch_after)
		run_ahead(core, addr, entry->stride, &entry->ahead,
		          (struct ahead){prefetch, p->prefetch_distance, leaves});
	if (load && entry->lines >= p->l1_prefetch_after && p->l1_prefetch_distance)
		run_ahead(core, addr, entry->stride, &entry->ahead_l1,
		          (struct ahead){prefetch_l1, p->l1_prefetch_distance, false});
}

/* Count the lines of the page of addr. In a new page, prefetches start again. */
static void count_lines(const struct uarch_core *core, struct stride_entry *entry, uint64_t addr)
{
	if (line_of(core, addr) >> core->page_lines ==
	    line_of(core, entry->last) >> core->page_lines) {
		if (entry->lines < LINES_MAX)
			entry->lines++;
		return;
	}
	entry->lines = 1;
	entry->ahead_l1 = 0;
	if (!leaves_page(core, entry->stride))
		entry->ahead = 0;
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
static bool train_stride(struct uarch_core *core, uint64_t pc, uint64_t addr, bool load)
{
	uint64_t hash = pc >> 2 ^ pc >> 10;
	struct stride_entry *entry = &core->prefetcher.stride[hash & core->prefetcher.stride_mask];
	int64_t stride = stride_between(core, entry->last, addr);

	if (entry->pc != pc) {
		*entry = (struct stride_entry){.pc = pc, .last = addr, .lines = 1};
		return false;
	}
	count_lines(core, entry, addr);
	entry->last = addr;
	if (stride == entry->stride) {
		if (entry->confidence < CONFIDENCE_MAX)
			entry->confidence++;
	} else if (entry->confidence) {
		entry->confidence--;
		entry->ahead = entry->ahead_l1 = 0;
	} else {
		entry->stride = stride;
		entry->ahead = entry->ahead_l1 = 0;
	}
	if (entry->confidence < SURE || !entry->stride)
		return false;
	run_stride(core, addr, entry, load);
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
		run_ahead(core, addr, step * (INT64_C(1) << core->line_shift), &stream->ahead,
		          (struct ahead){prefetch, core->profile->prefetch_distance,
		                         core->profile->prefetch_pages});
}

void uarch__train(struct uarch_core *core, uint64_t pc, uint64_t addr, bool load)
{
	struct prefetcher *pf = &core->prefetcher;

	if (pf->strides && pc && train_stride(core, pc, addr, load))
		return;
	if (pf->streams)
		train_stream(core, addr);
}
