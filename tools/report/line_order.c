/* SPDX-License-Identifier: MIT */
#include "line_order.h"

#include "../base/common.h"

#include <stdlib.h>

uint64_t member_line_offset(const struct profile *p, const struct member *m)
{
	(void)p;
	return (uint64_t)member_touch(m)->line << 32 | member_touch(m)->offset;
}

/* A cache line with its sort values. */
struct line_sum {
	uint32_t line;
	bool contended;
	uint64_t cycles;
};

static int compare_sums(const void *pa, const void *pb)
{
	const struct line_sum *a = pa, *b = pb;

	if (a->contended != b->contended)
		return a->contended ? -1 : 1;
	return a->cycles != b->cycles ? compare_numbers(b->cycles, a->cycles)
	                              : compare_numbers(a->line, b->line);
}

void sort_by_line_cost(struct groups *g, const struct profile *p, const struct view *view)
{
	size_t n = p->line_index.count;
	struct line_sum *sums = xcalloc(n, sizeof(*sums));
	double *order = xcalloc(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		sums[i] = (struct line_sum){.line = (uint32_t)i,
		                            .contended = line_sharing(&p->lines[i]) > SHARING_READ};
	for (size_t i = 0; i < g->count; i++)
		sums[member_touch(g->group[i].members)->line].cycles +=
		        g->group[i].latency ? g->group[i].latency : g->group[i].samples;
	qsort(sums, n, sizeof(*sums), compare_sums);
	for (size_t i = 0; i < n; i++)
		order[sums[i].line] = (double)(n - i);
	groups_sort_by_line(g, p, view, order);
	free(order);
	free(sums);
}
