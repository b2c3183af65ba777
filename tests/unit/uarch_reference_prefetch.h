/* SPDX-License-Identifier: MIT */
/* A part of the second model in test_uarch_reference.c: the lines that the prefetchers of
 * docs/explanation/timing-model.md request after a miss of L1, and after the first use of a line
 * that was prefetched into L1. */
#ifndef SPEMU_TESTS_UARCH_REFERENCE_PREFETCH_H
#define SPEMU_TESTS_UARCH_REFERENCE_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "timing/uarch.h"

enum { WISHES = 4 }; /* the most lines that are requested at once for a cache */

/* Lines to request, first those for L2. */
struct wishes {
	uint64_t l2[WISHES], l1[WISHES];
	unsigned l2_count, l1_count;
};

struct by_stride {
	uint64_t pc, last;
	int64_t stride;
	unsigned sure, ahead, ahead_l1;
	unsigned in_page; /* lines in a row, all of the same page */
};

struct by_line {
	bool used;
	uint64_t page, last;
	int way; /* direction: 1 up, -1 down, 0 unknown */
	unsigned length, ahead;
};

struct prefetch_model {
	struct by_stride stride[128];
	struct by_line line[64];
};

/*
 * Request new lines from `addr` on, one for each step up to the distance, within the page unless
 * far. The lines that were already requested are now one step nearer.
 */
static unsigned steps(const struct uarch_profile *p, unsigned *ahead, uint64_t addr, int64_t step,
                      unsigned distance, bool far, uint64_t *wish)
{
	unsigned count = 0, before = *ahead ? *ahead - 1 : 0, n = before;
	uint64_t previous = addr >> p->line_shift;

	while (n < before + WISHES && n < distance) {
		uint64_t to = (addr + (uint64_t)(step * (int64_t)(n + 1))) % (UINT64_C(1) << 56);

		if (!far && to >> p->page_shift != addr >> p->page_shift)
			break;
		n++;
		if (to >> p->line_shift != previous)
			wish[count++] = to >> p->line_shift;
		previous = to >> p->line_shift;
	}
	*ahead = n;
	return count;
}

static bool wish_by_stride(struct prefetch_model *m, const struct uarch_profile *p, uint64_t pc,
                           uint64_t addr, bool load, struct wishes *wishes)
{
	struct by_stride *e = &m->stride[(pc / 4 ^ pc / 1024) % p->stride_entries];
	int64_t line = INT64_C(1) << p->line_shift, seen = (int64_t)(addr - e->last);
	int64_t lines = (int64_t)(addr >> p->line_shift) - (int64_t)(e->last >> p->line_shift);
	bool same_page = addr >> p->page_shift == e->last >> p->page_shift, far;

	e->last = addr;
	if (e->pc != pc) {
		memset(e, 0, sizeof(*e));
		e->pc = pc;
		e->last = addr;
		e->in_page = 1;
		return false;
	}
	far = p->prefetch_pages == 2 ||
	      (p->prefetch_pages == 1 && (e->stride == line || e->stride == -line));
	e->in_page = same_page ? e->in_page + 1 : 1;
	if (!same_page)
		e->ahead_l1 = 0;
	if (!same_page && !far)
		e->ahead = 0;
	if (lines == 1 || lines == -1)
		seen = lines * line;
	if (seen == e->stride)
		e->sure = e->sure == 3 ? 3 : e->sure + 1;
	else
		e->ahead = e->ahead_l1 = 0;
	if (seen != e->stride && e->sure == 0)
		e->stride = seen;
	else if (seen != e->stride)
		e->sure--;
	if (e->sure < 2 || e->stride == 0)
		return false;
	if (far || e->in_page >= p->l2_prefetch_after)
		wishes->l2_count =
		        steps(p, &e->ahead, addr, e->stride, p->prefetch_distance, far, wishes->l2);
	if (load && e->in_page >= p->l1_prefetch_after)
		wishes->l1_count = steps(p, &e->ahead_l1, addr, e->stride, p->l1_prefetch_distance,
		                         false, wishes->l1);
	return true;
}

/* Update the stream of a page. Another page or a gap restarts the stream at its first line, and a
 * turn at its second line. */
static unsigned wish_by_line(struct prefetch_model *m, const struct uarch_profile *p, uint64_t addr,
                             uint64_t *wish)
{
	uint64_t line = addr >> p->line_shift, page = addr >> p->page_shift;
	struct by_line *e = &m->line[page % p->stream_entries];
	bool up = line == e->last + 1, down = line + 1 == e->last;

	if (!e->used || e->page != page || (!up && !down)) {
		memset(e, 0, sizeof(*e));
		e->used = true;
		e->page = page;
		e->length = 1;
	} else {
		if (e->way != (up ? 1 : -1)) {
			e->length = 1;
			e->ahead = 0;
		}
		e->way = up ? 1 : -1;
		e->length++;
	}
	e->last = line;
	if (e->length < 3)
		return 0;
	return steps(p, &e->ahead, addr, e->way * (INT64_C(1) << p->line_shift),
	             p->prefetch_distance, p->prefetch_pages > 0, wish);
}

/* Return the requested lines. A pc of 0 means an unknown instruction. */
static struct wishes wishes_of(struct prefetch_model *m, const struct uarch_profile *p, uint64_t pc,
                               uint64_t addr, bool load)
{
	struct wishes wishes = {.l2_count = 0};

	if (p->stride_entries && pc && wish_by_stride(m, p, pc, addr, load, &wishes))
		return wishes;
	if (p->stream_entries)
		wishes.l2_count = wish_by_line(m, p, addr, wishes.l2);
	return wishes;
}

#endif
