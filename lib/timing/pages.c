/* SPDX-License-Identifier: MIT */
/*
 * Pages of several sizes: addresses with larger pages than those of the profile.
 *
 * A host whose guest has translation tables looks page sizes up there when the first level of a TLB
 * misses, and reports TLB maintenance of the guest. Other hosts report the sizes for all cores at
 * once. A core follows a change when it next translates outside of the fast path: its TLB drops the
 * addresses, as on a PE (break-before-make). If another thread changed the pages, its data come in
 * a line that the core has to fetch, so the core has followed by then.
 *
 * One caller writes at a time, and readers do not wait for it. It writes the inactive table, and
 * readers look again if the tables were swapped meanwhile. A fork() in between leaves the child
 * with the active table.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.4 (translation latency), D18.2.6 (event 5)
 * Choices:     if a part of a larger page changes, the rest of it has the profile's pages. A core
 *              that is more than CHANGES_KEPT changes behind drops all translations.
 */
#include <spemu/status.h>
#include "uarch_object.h"

#define SHIFT_MASK 63u /* mask of the shift in page_range.begin */
#define SHIFT_MAX 30u

static uint64_t get(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static void set(struct page_range *range, uint64_t begin, uint64_t end)
{
	atomic_store_explicit(&range->begin, begin, memory_order_relaxed);
	atomic_store_explicit(&range->end, end, memory_order_relaxed);
}

static unsigned shift_of(const struct page_range *range)
{
	return get(&range->begin) & SHIFT_MASK;
}

static uint64_t begin_of(const struct page_range *range)
{
	return get(&range->begin) & ~(uint64_t)SHIFT_MASK;
}

static uint32_t count_of(const struct page_table *table)
{
	return atomic_load_explicit(&table->count, memory_order_relaxed);
}

/* Append a range to table unless the range is empty. Return false if the table is full. */
static bool append(struct page_table *table, uint64_t begin, uint64_t end, unsigned shift)
{
	uint32_t count = count_of(table);
	struct page_range *next = &table->range[count], *last = count ? next - 1 : next;

	if (begin >= end)
		return true;
	if (count && shift_of(last) == shift && get(&last->end) == begin) {
		set(last, get(&last->begin), end);
		return true;
	}
	if (count == RANGES_MAX)
		return false;
	set(next, begin | shift, end);
	atomic_store_explicit(&table->count, count + 1, memory_order_relaxed);
	return true;
}

/* Copy the active table with a change: addresses from begin to before end have larger pages of 1
 * << shift, or with shift 0 none. Return false if the copy is too large. */
static bool make(struct page_table *to, const struct page_table *from, uint64_t begin, uint64_t end,
                 unsigned shift)
{
	bool fits = true, put = !shift;

	atomic_store_explicit(&to->count, 0, memory_order_relaxed);
	for (uint32_t i = 0; i < count_of(from); i++) {
		const struct page_range *old = &from->range[i];
		uint64_t first = begin_of(old), last = get(&old->end);
		uint64_t page = UINT64_C(1) << shift_of(old);
		/* Extend the range to whole pages on either side. */
		uint64_t left = begin & ~(page - 1), right = (end + page - 1) & ~(page - 1);

		fits &= append(to, first, last < left ? last : left, shift_of(old));
		if (!put && last > begin) {
			/* The new range follows the left part of the first range that does not
			 * end before it. */
			fits &= append(to, begin, end, shift);
			put = true;
		}
		fits &= append(to, first > right ? first : right, last, shift_of(old));
	}
	return fits && (put || append(to, begin, end, shift));
}

/* Return true if all of the range already has this page size. */
static bool is_so(const struct page_table *table, uint64_t begin, uint64_t end, unsigned shift)
{
	for (uint32_t i = 0; i < count_of(table); i++) {
		const struct page_range *range = &table->range[i];

		if (begin_of(range) < end && get(&range->end) > begin)
			return shift_of(range) == shift && begin_of(range) <= begin &&
			       get(&range->end) >= end;
	}
	return !shift;
}

/* Apply changes: drop the entries of the core's TLB whose addresses have changed since its last
 * check. */
static void follow(struct uarch_core *core)
{
	struct larger_pages *pages = &core->shared->pages;
	unsigned now = atomic_load_explicit(&pages->changes, memory_order_acquire);

	for (unsigned seen = core->pages_seen; seen != now && now - seen <= CHANGES_KEPT; seen++) {
		const struct page_range *changed = &pages->changed[seen % CHANGES_KEPT];

		uarch__invalidate(core, get(&changed->begin), get(&changed->end));
	}
	/* The oldest change may have been overwritten in the meantime. */
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&pages->changes, memory_order_relaxed) - core->pages_seen >=
	    CHANGES_KEPT)
		uarch__invalidate(core, 0, UINT64_MAX);
	core->pages_seen = now;
	core->larger_pages = core->looked_up.page_log2 || count_of(&pages->table[now % 2]);
	core->pages_like.end = 0;
}

/* Find the page size of addr in table, and the range of addresses around it with the same size. */
static void look_up(struct uarch_core *core, const struct page_table *table, uint64_t addr)
{
	uint32_t low = 0, high = count_of(table);

	while (low < high) { /* the first range that does not end before addr */
		uint32_t middle = (low + high) / 2;

		if (get(&table->range[middle].end) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	core->pages_like.begin = low ? get(&table->range[low - 1].end) : 0;
	core->pages_like.end = UINT64_MAX;
	core->pages_like.shift = core->page_shift;
	if (low == count_of(table))
		return;
	core->pages_like.end = begin_of(&table->range[low]);
	if (core->pages_like.end > addr)
		return;
	core->pages_like.begin = core->pages_like.end;
	core->pages_like.end = get(&table->range[low].end);
	core->pages_like.shift = shift_of(&table->range[low]);
}

/* Return the name of a page whose size the host looks up, unless the TLB knows the page. */
static uint64_t looked_up_name(struct uarch_core *core, uint64_t page)
{
	uint64_t addr = page << core->page_shift, known;
	unsigned shift;

	if (atomic_load_explicit(&core->shared->pages.changes, memory_order_relaxed) !=
	    core->pages_seen)
		follow(core);
	known = uarch__known_name(core, page);
	if (known != UINT64_MAX)
		return known;
	shift = core->looked_up.page_log2(core->looked_up.ctx, addr);
	if (shift <= core->page_shift)
		return page;
	return page_name(addr, shift < SHIFT_MAX ? shift : SHIFT_MAX);
}

uint64_t uarch__page_name(struct uarch_core *core, uint64_t page)
{
	struct larger_pages *pages = &core->shared->pages;
	uint64_t addr = page << core->page_shift;

	if (core->looked_up.page_log2)
		return looked_up_name(core, page);
	for (;;) {
		if (atomic_load_explicit(&pages->changes, memory_order_relaxed) != core->pages_seen)
			follow(core);
		if (addr >= core->pages_like.begin && addr < core->pages_like.end)
			break;
		look_up(core, &pages->table[core->pages_seen % 2], addr);
		atomic_thread_fence(memory_order_acquire);
	}
	if (core->pages_like.shift == core->page_shift)
		return page;
	return page_name(addr, core->pages_like.shift);
}

uint32_t uarch__translate(struct uarch_core *core, uint64_t page, bool *walk)
{
	uint64_t name = page;

	if (__builtin_expect(pages_differ(core), 0))
		name = uarch__page_name(core, page);
	return uarch__look_up(core, page, name, walk);
}

void uarch_look_up_pages(struct uarch_core *core, unsigned (*page_log2)(void *ctx, uint64_t addr),
                         void *ctx)
{
	core->looked_up.page_log2 = page_log2;
	core->looked_up.ctx = ctx;
	uarch__invalidate(core, 0, UINT64_MAX);
	follow(core);
}

/* Activate the table that make() has made, as a change of the addresses from begin to before
 * end, or as maintenance of them. */
static void publish(struct larger_pages *pages, uint64_t begin, uint64_t end)
{
	unsigned now = atomic_load_explicit(&pages->changes, memory_order_relaxed);

	set(&pages->changed[now % CHANGES_KEPT], begin, end);
	atomic_store_explicit(&pages->changes, now + 1, memory_order_release);
	/* The next write, which goes to the other table, must not be reordered before this
	 * point. */
	atomic_thread_fence(memory_order_release);
}

static bool is_range(uint64_t begin, uint64_t size)
{
	return size && size <= ADDRESS_MASK + 1 - begin;
}

int uarch_tlb_invalidate(struct uarch_core *core, uint64_t start, uint64_t size, bool all)
{
	struct larger_pages *pages = &core->shared->pages;
	unsigned now = atomic_load_explicit(&pages->changes, memory_order_relaxed);
	uint64_t begin = start & ADDRESS_MASK;

	if (!is_range(begin, size))
		return SPEMU_ERR_INVALID;
	if (!all) {
		uarch__invalidate(core, begin, begin + size);
		return SPEMU_OK;
	}
	/* Only the number of changes is new; the contents stay the same. */
	make(&pages->table[(now + 1) % 2], &pages->table[now % 2], 0, 0, 0);
	publish(pages, begin, begin + size);
	follow(core);
	return SPEMU_OK;
}

int uarch_pages(struct uarch_shared *shared, struct uarch_core *core, uint64_t start, uint64_t size,
                unsigned shift)
{
	struct larger_pages *pages = &shared->pages;
	unsigned now = atomic_load_explicit(&pages->changes, memory_order_relaxed);
	unsigned base = shared->profile.page_shift;
	const struct page_table *table = &pages->table[now % 2];
	uint64_t begin = start & ADDRESS_MASK, end = begin + size;

	if ((shift && (shift < base || shift > SHIFT_MAX)) || !is_range(begin, size) ||
	    (begin | size) & ((UINT64_C(1) << (shift ? shift : base)) - 1))
		return SPEMU_ERR_INVALID;
	shift = shift == base ? 0 : shift;
	if (!is_so(table, begin, end, shift)) {
		if (!make(&pages->table[(now + 1) % 2], table, begin, end, shift))
			return SPEMU_ERR_NOSPACE;
		publish(pages, begin, end);
	}
	if (core && pages_differ(core))
		follow(core);
	return SPEMU_OK;
}
