/* SPDX-License-Identifier: MIT */
/* See touch.h. */
#define _GNU_SOURCE
#include "touch.h"
#include "../base/common.h"
#include "../base/optext.h"

#include <stdlib.h>
#include <string.h>

struct comparison {
	const struct profile *profile;
	touch_compare_fn *compare;
};

static int compare_touches(const void *pa, const void *pb, void *arg)
{
	const struct comparison *c = arg;
	const struct touch *a = *(const struct touch *const *)pa;
	const struct touch *b = *(const struct touch *const *)pb;
	int order = c->compare(a, b, c->profile);

	return order ? order : a < b ? -1 : a > b;
}

static int compare_groups(const void *pa, const void *pb, void *arg)
{
	const struct comparison *c = arg;
	const struct touch_group *a = pa, *b = pb;

	if (a->order != b->order)
		return a->order > b->order ? -1 : 1;
	if (a->latency != b->latency)
		return a->latency > b->latency ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return c->compare(a->touches[0], b->touches[0], c->profile);
}

static void add_group(struct touch_groups *g, size_t first, size_t end)
{
	struct touch_group *group = &g->group[g->count++];

	*group = (struct touch_group){.touches = &g->touches[first], .count = end - first};
	for (size_t i = first; i < end; i++) {
		group->samples += g->touches[i]->bin.sums.samples;
		group->latency += g->touches[i]->bin.sums.latency;
	}
}

void touch_groups_make(struct touch_groups *g, struct profile *p, touch_compare_fn *compare)
{
	struct comparison c = {p, compare};
	size_t n = p->touch_index.count, first = 0, groups = 0;

	*g = (struct touch_groups){.touches = xcalloc(n, sizeof(*g->touches))};
	for (size_t i = 0; i < n; i++)
		g->touches[i] = &p->touches[i];
	if (n)
		qsort_r(g->touches, n, sizeof(*g->touches), compare_touches, &c);
	for (size_t i = 1; i <= n; i++)
		groups += i == n || compare(g->touches[i - 1], g->touches[i], p);
	g->group = xcalloc(groups, sizeof(*g->group));
	for (size_t i = 1; i <= n; i++) {
		if (i < n && !compare(g->touches[i - 1], g->touches[i], p))
			continue;
		add_group(g, first, i);
		first = i;
	}
	touch_groups_sort(g, p, compare);
}

void touch_groups_sort(struct touch_groups *g, const struct profile *p, touch_compare_fn *compare)
{
	struct comparison c = {p, compare};

	if (g->count)
		qsort_r(g->group, g->count, sizeof(*g->group), compare_groups, &c);
}

void touch_groups_free(struct touch_groups *g)
{
	free(g->touches);
	free(g->group);
	memset(g, 0, sizeof(*g));
}

struct metrics touch_group_metrics(const struct profile *p, const struct touch_group *group)
{
	struct metrics m = {0};

	for (size_t i = 0; i < group->count; i++)
		metrics_add(&m, p, &group->touches[i]->bin);
	return m;
}

uint64_t touch_group_operations(const struct profile *p, const struct touch_group *group,
                                unsigned op)
{
	uint64_t n = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct bin *bin = &group->touches[i]->bin;
		const struct facet *f = &p->facets[bin->facet];

		n += op_group(f->op_class, f->op_subclass) == op ? bin->sums.samples : 0;
	}
	return n;
}

static int compare_tids(const void *pa, const void *pb)
{
	const uint32_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

unsigned touch_group_threads(char *text, size_t size, const struct profile *p,
                             const struct touch_group *group)
{
	uint32_t *tids = xcalloc(group->count, sizeof(*tids));
	unsigned n = 0;
	size_t length = 0;

	for (size_t i = 0; i < group->count; i++)
		tids[i] = p->places[group->touches[i]->bin.place].task->tid;
	if (group->count)
		qsort(tids, group->count, sizeof(*tids), compare_tids);
	text[0] = 0;
	for (size_t i = 0; i < group->count; i++) {
		if (i && tids[i] == tids[i - 1])
			continue;
		if (length + 16 < size)
			length += (size_t)snprintf(text + length, size - length, "%s%u",
			                           n ? "," : "", tids[i]);
		else if (length + 5 <= size && text[length - 1] != '.')
			length += (size_t)snprintf(text + length, size - length, ",...");
		n++;
	}
	free(tids);
	return n;
}

static double share_of(const struct profile *p, const struct touch_group *group)
{
	uint64_t cycles = p->latency[LATENCY_TOTAL].sum;

	return cycles ? (double)group->latency / (double)cycles
	              : (double)group->samples / (double)(p->samples ? p->samples : 1);
}

size_t touch_rows(struct table *t, const struct profile *p, const struct view *view,
                  struct touch_groups *g)
{
	size_t kept = 0, rows;

	for (size_t i = 0; i < g->count; i++) {
		if (100 * share_of(p, &g->group[i]) >= view->percent_limit)
			g->group[kept++] = g->group[i];
	}
	rows = view->limit && view->limit < kept ? view->limit : kept;
	t->left_out = g->count - rows;
	t->left_out_by = kept < g->count ? "--limit and --percent-limit" : NULL;
	return rows;
}

void touch_fill_rows(struct table *t, struct profile *p, const struct view *view,
                     struct touch_groups *g, touch_fill_fn *fill)
{
	size_t rows = touch_rows(t, p, view, g);

	for (size_t i = 0; i < rows; i++) {
		struct metrics m = touch_group_metrics(p, &g->group[i]);
		struct cell *c = table_row(t);

		view_fill_fields(c, view, &m, p);
		metrics_free(&m);
		fill(&c[view->field_count], p, &g->group[i]);
	}
}
