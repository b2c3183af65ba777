/* SPDX-License-Identifier: MIT */
/* What the prefetchers of docs/uarch.md ask for at a miss of L1: part of the reference of test_uarch_reference.c. */
#ifndef SPEMU_TESTS_UARCH_REFERENCE_PREFETCH_H
#define SPEMU_TESTS_UARCH_REFERENCE_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <spemu/uarch.h>

enum { WISHES = 4 }; /* lines that one miss asks for at most */

struct by_stride {
	uint64_t pc, last;
	int64_t stride;
	unsigned sure, ahead;
};

struct by_line {
	bool used;
	uint64_t last;
	int way; /* 0: not known */
	unsigned length, ahead;
};

struct prefetch_model {
	struct by_stride stride[128];
	struct by_line line[32];
	unsigned oldest;
};

/* From addr in steps: those that are new, in the page. What was ahead is one step nearer. */
static unsigned steps(const struct spemu_uarch_profile *p, unsigned *ahead, uint64_t addr,
                      int64_t step, uint64_t *wish)
{
	unsigned count = 0, before = *ahead ? *ahead - 1 : 0, n = before;
	uint64_t previous = addr >> p->line_shift;

	while (n < before + WISHES && n < p->prefetch_distance) {
		uint64_t to = (addr + (uint64_t)(step * (int64_t)(n + 1))) %
		              (UINT64_C(1) << 56);

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

static unsigned wish_by_stride(struct prefetch_model *m, const struct spemu_uarch_profile *p,
                               uint64_t pc, uint64_t addr, uint64_t *wish, bool *known)
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
	if (lines * lines == 1)
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

static unsigned wish_by_line(struct prefetch_model *m, const struct spemu_uarch_profile *p,
                             uint64_t addr, uint64_t *wish)
{
	uint64_t line = addr >> p->line_shift;
	struct by_line *e = NULL;

	for (unsigned i = 0; i < p->stream_entries && !e; i++) {
		struct by_line *one = &m->line[i];

		if (one->used && line == one->last + 1 && one->way >= 0)
			one->way = 1, e = one;
		else if (one->used && line + 1 == one->last && one->way <= 0)
			one->way = -1, e = one;
	}
	if (!e) {
		e = &m->line[m->oldest++ % p->stream_entries];
		memset(e, 0, sizeof(*e));
		e->used = true;
	}
	e->last = line;
	return ++e->length > 2 ? steps(p, &e->ahead, addr, e->way * (INT64_C(1) << p->line_shift),
	                               wish)
	                       : 0;
}

/* The lines, into wish[]; how many. pc 0: nobody knows. */
static unsigned wishes_of(struct prefetch_model *m, const struct spemu_uarch_profile *p,
                          uint64_t pc, uint64_t addr, uint64_t wish[WISHES])
{
	unsigned count = 0;
	bool known = false;

	if (p->stride_entries && pc)
		count = wish_by_stride(m, p, pc, addr, wish, &known);
	return known || !p->stream_entries ? count : wish_by_line(m, p, addr, wish);
}

#endif
