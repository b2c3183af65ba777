/* SPDX-License-Identifier: MIT */
/* A part of the second model in test_uarch_reference.c: the lines that the prefetchers of
 * docs/explanation/timing-model.md request after a miss of L1. */
#ifndef SPEMU_TESTS_UARCH_REFERENCE_PREFETCH_H
#define SPEMU_TESTS_UARCH_REFERENCE_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "timing/uarch.h"

enum { WISHES = 4 }; /* the most lines that one miss requests */

struct by_stride {
	uint64_t pc, last;
	int64_t stride;
	unsigned sure, ahead;
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
 * Request new lines from `addr` on, one for each step, within the page. The lines that were already
 * requested are now one step nearer.
 */
static unsigned steps(const struct uarch_profile *p, unsigned *ahead, uint64_t addr, int64_t step,
                      uint64_t *wish)
{
	unsigned count = 0, before = *ahead ? *ahead - 1 : 0, n = before;
	uint64_t previous = addr >> p->line_shift;

	while (n < before + WISHES && n < p->prefetch_distance) {
		uint64_t to = (addr + (uint64_t)(step * (int64_t)(n + 1))) % (UINT64_C(1) << 56);

		if (p->prefetch_pages == 0 && to >> p->page_shift != addr >> p->page_shift)
			break;
		n++;
		if (to >> p->line_shift != previous)
			wish[count++] = to >> p->line_shift;
		previous = to >> p->line_shift;
	}
	*ahead = n;
	return count;
}

static unsigned wish_by_stride(struct prefetch_model *m, const struct uarch_profile *p, uint64_t pc,
                               uint64_t addr, uint64_t *wish, bool *known)
{
	struct by_stride *e = &m->stride[(pc / 4 ^ pc / 1024) % p->stride_entries];
	int64_t line = INT64_C(1) << p->line_shift, seen = (int64_t)(addr - e->last);
	int64_t lines = (int64_t)(addr >> p->line_shift) - (int64_t)(e->last >> p->line_shift);
	bool same = e->pc == pc;

	*known = false;
	e->last = addr;
	if (!same) {
		e->pc = pc;
		e->stride = 0;
		e->sure = e->ahead = 0;
		return 0;
	}
	if (lines == 1 || lines == -1)
		seen = lines * line;
	if (seen == e->stride)
		e->sure = e->sure == 3 ? 3 : e->sure + 1;
	else
		e->ahead = 0;
	if (seen != e->stride && e->sure == 0)
		e->stride = seen;
	else if (seen != e->stride)
		e->sure--;
	*known = e->sure >= 2 && e->stride != 0;
	return *known ? steps(p, &e->ahead, addr, e->stride, wish) : 0;
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
	return steps(p, &e->ahead, addr, e->way * (INT64_C(1) << p->line_shift), wish);
}

/* Write the requested lines to wish[], and return their number. A pc of 0 means an unknown
 * instruction. */
static unsigned wishes_of(struct prefetch_model *m, const struct uarch_profile *p, uint64_t pc,
                          uint64_t addr, uint64_t wish[WISHES])
{
	unsigned count = 0;
	bool known = false;

	if (p->stride_entries && pc)
		count = wish_by_stride(m, p, pc, addr, wish, &known);
	return known || !p->stream_entries ? count : wish_by_line(m, p, addr, wish);
}

#endif
