/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of huge pages, applied to the guest's system calls; see huge_pages.h.
 *
 * A piece of memory is an aligned range with the size of a huge page: 2 MB with pages of 4 KB. The
 * rules are those of Linux. A piece gets a huge page when it is first touched, if all of it is in
 * one mapping with one protection and one advice that allows huge pages. It gets small pages again
 * when that is no longer true, or when a part of it is given back (MADV_DONTNEED). Memory counts as
 * touched between the call that makes it accessible and the next call. So memory that grows by less
 * than a piece at a time, like a heap by brk(), has small pages.
 *
 * Simplifications: khugepaged, which joins small pages later, never runs. A huge page is always
 * available. Late advice has the same effect as early advice. Pages that a fork() shares do not
 * change size when they are written. MAP_STACK implies MADV_NOHUGEPAGE (Linux 6.7).
 * PR_SET_THP_DISABLE ends with execve(). Files and shared memory have huge pages only by
 * MAP_HUGETLB.
 */
#include <string.h>
#include <sys/mman.h>

#include "guest_abi.h"
#include "huge_pages.h"
#include "locks.h"

#define ADDRESS_TOP (UINT64_C(1) << 52)

#define GUEST_PROT_MASK 7u

/* Private anonymous memory with one protection (the low bits of the tag) and one advice. */
enum { ADVICE_NONE = 0, ADVICE_HUGE = 8, ADVICE_SMALL = 16 };
#define ADVICE_MASK 24u
struct area {
	uint64_t start, end;
	unsigned tag;
};

/* The areas in ascending order; adjacent areas differ in their tags. If the table is full, further
 * memory has small pages. */
#define AREAS_MAX 4096
static struct {
	struct area area[AREAS_MAX];
	size_t count;
	struct area made[AREAS_MAX]; /* result of change() */
	size_t made_count;
	uint64_t brk; /* 0 while unknown */
	bool disabled;
} memory;

static unsigned huge_shift(void)
{
	unsigned shift =
	        2u * process.profile->page_shift - 3; /* what an entry of the next level maps */

	return shift <= 30 ? shift : 0;
}

static uint64_t down(uint64_t addr, uint64_t size)
{
	return addr & ~(size - 1);
}

static uint64_t up(uint64_t addr, uint64_t size)
{
	return down(addr + size - 1, size);
}

/* Set the size of pages from start to before end. Shift 0 means small pages. */
static void set_pages(const struct vcpu *vcpu, uint64_t start, uint64_t end, unsigned shift)
{
	uint64_t small = UINT64_C(1) << process.profile->page_shift;

	if (!shift) {
		start = down(start, small);
		end = up(end, small);
	}
	if (start < end)
		(void)uarch_pages(process.shared, vcpu ? vcpu->core : NULL, start, end - start,
		                  shift); /* if the table is full, the pages stay small */
}

static void make(uint64_t start, uint64_t end, unsigned tag)
{
	struct area *last = memory.made_count ? &memory.made[memory.made_count - 1] : NULL;

	if (start >= end)
		return;
	if (last && last->end == start && last->tag == tag)
		last->end = end;
	else if (memory.made_count < AREAS_MAX)
		memory.made[memory.made_count++] = (struct area){start, end, tag};
}

/* Return the index of the first area that ends after addr, or the number of areas. */
static size_t first_after(uint64_t addr)
{
	size_t low = 0, high = memory.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (memory.area[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Replace the areas from first to before last by memory.made. */
static void replace(size_t first, size_t last)
{
	size_t room = AREAS_MAX - first, made = memory.made_count < room ? memory.made_count : room;
	size_t rest = memory.count - last;

	rest = rest < room - made ? rest : room - made;
	memmove(&memory.area[first + made], &memory.area[last], rest * sizeof(memory.area[0]));
	memcpy(&memory.area[first], memory.made, made * sizeof(memory.area[0]));
	memory.count = first + made + rest;
}

/* Change the areas from start to before end. CHANGE_MAP makes one area with this tag. CHANGE_UNMAP
 * removes all areas. CHANGE_TAG sets `tag` in the bits of `mask` of all areas. */
enum change { CHANGE_MAP, CHANGE_UNMAP, CHANGE_TAG };
static void change(enum change what, uint64_t start, uint64_t end, unsigned mask, unsigned tag)
{
	/* include the areas adjacent to the range */
	size_t first = start ? first_after(start - 1) : 0, i;
	bool mapped = what != CHANGE_MAP;

	memory.made_count = 0;
	for (i = first; i < memory.count && memory.area[i].start <= end; i++) {
		const struct area *a = &memory.area[i];

		make(a->start, a->end < start ? a->end : start, a->tag);
		if (!mapped && a->end > start) {
			make(start, end, tag);
			mapped = true;
		}
		if (what == CHANGE_TAG)
			make(a->start > start ? a->start : start, a->end < end ? a->end : end,
			     (a->tag & ~mask) | tag);
		make(a->start > end ? a->start : end, a->end, a->tag);
	}
	if (!mapped)
		make(start, end, tag);
	replace(first, i);
}

/* Return the area that contains addr, or NULL. */
static const struct area *area_at(uint64_t addr)
{
	size_t i = first_after(addr);

	return i < memory.count && memory.area[i].start <= addr ? &memory.area[i] : NULL;
}

static bool allowed(const struct area *area)
{
	unsigned advice = area->tag & ADVICE_MASK;

	if (memory.disabled || advice == ADVICE_SMALL)
		return false;
	return process.profile->huge_pages == UARCH_HUGE_ALWAYS ||
	       (process.profile->huge_pages == UARCH_HUGE_MADVISE && advice == ADVICE_HUGE);
}

/* Touch the pieces from start to before end, of those that lie in a single area. With `collapse`
 * they become huge unless advice forbids it. */
static void touch(const struct vcpu *vcpu, uint64_t start, uint64_t end, bool collapse)
{
	unsigned shift = huge_shift();
	uint64_t piece = UINT64_C(1) << shift;

	for (size_t i = first_after(start); shift && i < memory.count && memory.area[i].start < end;
	     i++) {
		const struct area *a = &memory.area[i];

		if (allowed(a) || (collapse && (a->tag & ADVICE_MASK) != ADVICE_SMALL))
			set_pages(vcpu, up(a->start > start ? a->start : start, piece),
			          down(a->end < end ? a->end : end, piece), shift);
	}
}

/* Give the piece around addr small pages, unless it begins at addr. */
static void cut(const struct vcpu *vcpu, uint64_t addr)
{
	uint64_t piece = UINT64_C(1) << huge_shift();

	if (huge_shift() && area_at(addr) && addr % piece)
		set_pages(vcpu, down(addr, piece), up(addr, piece), 0);
}

/* Cut the piece at addr if the protection or the advice changes there, but not at the end of
 * memory. */
static void cut_between(const struct vcpu *vcpu, uint64_t addr)
{
	const struct area *a = area_at(addr);

	if (a && a->start == addr)
		cut(vcpu, addr);
}

static void tag_range(const struct vcpu *vcpu, uint64_t start, uint64_t end, unsigned mask,
                      unsigned tag)
{
	change(CHANGE_TAG, start, end, mask, tag);
	cut_between(vcpu, start);
	cut_between(vcpu, end);
}

static void unmap(const struct vcpu *vcpu, uint64_t start, uint64_t end)
{
	change(CHANGE_UNMAP, start, end, 0, 0);
	set_pages(vcpu, start, end, 0);
}

static void map(const struct vcpu *vcpu, uint64_t start, uint64_t end, unsigned tag)
{
	set_pages(vcpu, start, end, 0);
	change(CHANGE_MAP, start, end, 0, tag);
	touch(vcpu, start, end, false);
}

/* Return log2 of the page size that MAP_HUGETLB requests: a size that Linux has with pages of 4 KB,
 * or the default size. */
static unsigned hugetlb_shift(uint64_t flags)
{
	unsigned shift = (unsigned)(flags >> GUEST_MAP_HUGE_SHIFT) & 63;

	if (process.profile->page_shift == 12 && (shift == 16 || shift == 25 || shift == 30))
		return shift;
	return huge_shift();
}

static void mapped(const struct vcpu *vcpu, uint64_t start, const uint64_t argument[4])
{
	uint64_t end = up(start + argument[1], GUEST_PAGE), flags = argument[3];
	unsigned shift = hugetlb_shift(flags);

	if (!(flags & GUEST_MAP_HUGETLB) && flags & GUEST_MAP_ANONYMOUS &&
	    (flags & 3) != GUEST_MAP_SHARED) {
		map(vcpu, start, end,
		    (unsigned)(argument[2] & GUEST_PROT_MASK) |
		            (flags & GUEST_MAP_STACK ? ADVICE_SMALL : ADVICE_NONE));
		return;
	}
	unmap(vcpu, start, end);
	if (flags & GUEST_MAP_HUGETLB && shift)
		set_pages(vcpu, up(start, UINT64_C(1) << shift), up(end, UINT64_C(1) << shift),
		          shift);
}

static void protect(const struct vcpu *vcpu, uint64_t start, uint64_t end, unsigned prot)
{
	const struct area *a = area_at(start);
	bool untouched = a && a->end >= end && !(a->tag & GUEST_PROT_MASK);

	tag_range(vcpu, start, end, GUEST_PROT_MASK, prot);
	if (untouched && prot)
		touch(vcpu, start, end, false);
}

static void advised(const struct vcpu *vcpu, uint64_t start, uint64_t end, uint64_t advice)
{
	unsigned shift = huge_shift();
	uint64_t piece = UINT64_C(1) << shift;

	switch (advice) {
	case GUEST_MADV_HUGEPAGE:
		tag_range(vcpu, start, end, ADVICE_MASK, ADVICE_HUGE);
		touch(vcpu, down(start, piece), up(end, piece), false);
		break;
	case GUEST_MADV_NOHUGEPAGE:
		tag_range(vcpu, start, end, ADVICE_MASK, ADVICE_SMALL);
		for (size_t i = first_after(start); i < memory.count && memory.area[i].start < end;
		     i++) {
			const struct area *a = &memory.area[i];

			set_pages(vcpu, a->start > start ? a->start : start,
			          a->end < end ? a->end : end, 0);
		}
		break;
	case GUEST_MADV_COLLAPSE:
		touch(vcpu, start, end, true);
		break;
	case GUEST_MADV_DONTNEED:
	case GUEST_MADV_FREE:
		cut(vcpu, start);
		cut(vcpu, end);
		touch(vcpu, start, end, false);
		break;
	default:
		break;
	}
}

/* Follow mremap(). Memory that moves keeps its pages if its pieces stay aligned. */
static void moved(const struct vcpu *vcpu, const uint64_t argument[4], uint64_t to)
{
	uint64_t from = argument[0], old_end = up(from + argument[1], GUEST_PAGE);
	uint64_t end = up(to + argument[2], GUEST_PAGE), piece = UINT64_C(1) << huge_shift();
	const struct area *a = area_at(from);
	bool anonymous = a;
	unsigned tag = a ? a->tag : 0;
	uint64_t kept = to + (old_end - from);
	bool alike = (to - from) % piece == 0;

	if (to == from) {
		if (end < old_end)
			unmap(vcpu, end, old_end);
		else if (end > old_end && anonymous)
			map(vcpu, old_end, end, tag);
		return;
	}
	if (!(argument[3] & GUEST_MREMAP_DONTUNMAP))
		unmap(vcpu, from, old_end);
	unmap(vcpu, to, end);
	if (!anonymous)
		return;
	change(CHANGE_MAP, to, end, 0, tag);
	touch(vcpu, alike ? to : kept, end, false);
}

static void brk_is(const struct vcpu *vcpu, uint64_t now)
{
	uint64_t before = memory.brk, after = up(now, GUEST_PAGE);

	memory.brk = after;
	if (!before)
		return;
	if (after < before)
		unmap(vcpu, after, before);
	else if (after > before)
		map(vcpu, before, after, PROT_READ | PROT_WRITE);
}

/* Return true if the range is in the address space, so that its end can be computed. */
static bool fits(uint64_t start, uint64_t size)
{
	return size && start < ADDRESS_TOP && size < ADDRESS_TOP && start % GUEST_PAGE == 0;
}

void huge_pages_syscall(const struct vcpu *vcpu, int64_t num, const uint64_t argument[4])
{
	/* Unmap before the kernel can give the addresses to another thread, whose call may return
	 * first. */
	if (!process.shared || num != __NR_munmap || !fits(argument[0], argument[1]))
		return;
	pthread_mutex_lock(&locks[LOCK_HUGE_PAGES]);
	unmap(vcpu, argument[0], up(argument[0] + argument[1], GUEST_PAGE));
	pthread_mutex_unlock(&locks[LOCK_HUGE_PAGES]);
}

static void returned(const struct vcpu *vcpu, int64_t num, const uint64_t argument[4], uint64_t ret)
{
	uint64_t start = argument[0], size = argument[1];

	switch (num) {
	case __NR_mmap:
		if (fits(ret, size))
			mapped(vcpu, ret, argument);
		break;
	case __NR_mremap:
		if (fits(ret, argument[2]) && fits(start, size))
			moved(vcpu, argument, ret);
		break;
	case __NR_mprotect:
		if (fits(start, size))
			protect(vcpu, start, up(start + size, GUEST_PAGE),
			        (unsigned)argument[2] & GUEST_PROT_MASK);
		break;
	case __NR_madvise:
		if (fits(start, size))
			advised(vcpu, start, up(start + size, GUEST_PAGE), argument[2]);
		break;
	case __NR_brk:
		brk_is(vcpu, ret);
		break;
	case __NR_prctl:
		if (start == GUEST_PR_SET_THP_DISABLE)
			memory.disabled = size;
		break;
	default:
		break;
	}
}

void huge_pages_return(const struct vcpu *vcpu, int64_t num, const uint64_t argument[4],
                       int64_t ret)
{
	if (!process.shared || (ret < 0 && ret >= -4095))
		return;
	pthread_mutex_lock(&locks[LOCK_HUGE_PAGES]);
	returned(vcpu, num, argument, (uint64_t)ret);
	pthread_mutex_unlock(&locks[LOCK_HUGE_PAGES]);
}

void huge_pages_initial(uint64_t start, uint64_t end)
{
	if (!process.shared)
		return;
	pthread_mutex_lock(&locks[LOCK_HUGE_PAGES]);
	map(NULL, start, end, PROT_READ | PROT_WRITE);
	pthread_mutex_unlock(&locks[LOCK_HUGE_PAGES]);
}
