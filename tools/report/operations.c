/* SPDX-License-Identifier: MIT */
/* Section "operations": groups of operations, and the operations in each group. */
#define _GNU_SOURCE
#include "section.h"

#include <stdlib.h>

static const char *const group_names[OP_GROUPS] = {"load", "store", "atomic", "branch", "other"};

/* The columns that follow the fields. */
enum { GROUP, DETAIL, OPERATION, OWN_COLUMNS };
static const struct column own_columns[OWN_COLUMNS] = {
        [GROUP] = {"group", NULL, COLUMN_TEXT},
        [DETAIL] = {"detail", NULL, COLUMN_TEXT},
        [OPERATION] = {"operation", "Operation", COLUMN_TEXT},
};

struct op_sums {
	unsigned op_class, subclass;
	struct metrics metrics;
};

struct op_table {
	struct op_sums *ops;
	size_t count;
	struct metrics groups[OP_GROUPS], fp, simd;
};

static size_t find_op(struct op_table *ops, uint16_t *index, const struct facet *f)
{
	unsigned word = (unsigned)f->op_class << 8 | f->op_subclass;

	if (!index[word]) {
		ops->ops[ops->count] =
		        (struct op_sums){.op_class = f->op_class, .subclass = f->op_subclass};
		index[word] = (uint16_t)++ops->count;
	}
	return index[word] - 1u;
}

static void count_operations(struct op_table *ops, const struct profile *p)
{
	uint16_t index[4 << 8] = {0};

	ops->ops = xcalloc(4 << 8, sizeof(*ops->ops));
	for (size_t i = 0; i < p->bin_index.count; i++) {
		const struct bin *bin = &p->bins[i];
		const struct facet *f = &p->facets[bin->facet];

		metrics_add(&ops->ops[find_op(ops, index, f)].metrics, p, bin);
		metrics_add(&ops->groups[facet_operation(f)], p, bin);
		if (op_is_fp(f->op_class, f->op_subclass))
			metrics_add(&ops->fp, p, bin);
		if (op_is_simd(f->op_class, f->op_subclass))
			metrics_add(&ops->simd, p, bin);
	}
}

static int compare_ops(const void *pa, const void *pb)
{
	const struct op_sums *a = pa, *b = pb;

	if (a->metrics.sums.samples != b->metrics.sums.samples)
		return a->metrics.sums.samples > b->metrics.sums.samples ? -1 : 1;
	return a->op_class != b->op_class ? (int)a->op_class - (int)b->op_class
	                                  : (int)a->subclass - (int)b->subclass;
}

static void operation_row(struct table *t, const struct profile *p, const struct view *view,
                          const char *group, const char *detail, struct metrics *m)
{
	struct cell *c = table_row(t), *own = &c[view->field_count];
	char text[128];

	view_fill_fields(c, view, m, p);
	metrics_free(m);
	cell_text(&own[GROUP], group);
	if (detail)
		cell_text(&own[DETAIL], detail);
	snprintf(text, sizeof(text), "%s%s", detail ? "  " : "", detail ? detail : group);
	cell_text(&own[OPERATION], text);
}

static void operation_rows(struct table *t, const struct profile *p, const struct view *view,
                           struct op_table *ops, enum op_group group)
{
	operation_row(t, p, view, group_names[group], NULL, &ops->groups[group]);
	for (size_t i = 0; i < ops->count; i++) {
		struct op_sums *op = &ops->ops[i];
		char text[100];

		if (op_group(op->op_class, op->subclass) != group)
			continue;
		op_describe(text, sizeof(text), op->op_class, op->subclass);
		operation_row(t, p, view, group_names[group], text, &op->metrics);
	}
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	struct op_table ops = {0};

	view_table_init(t, view, "operations", "Operations", own_columns, OWN_COLUMNS);
	t->note = xstrdup("floating-point and SIMD operations also count in the groups above");
	count_operations(&ops, p);
	qsort(ops.ops, ops.count, sizeof(*ops.ops), compare_ops);
	for (int g = 0; g < OP_GROUPS; g++)
		operation_rows(t, p, view, &ops, (enum op_group)g);
	operation_row(t, p, view, "floating-point", NULL, &ops.fp);
	operation_row(t, p, view, "SIMD", NULL, &ops.simd);
	view_hide_empty(t, view);
	free(ops.ops);
}

const struct section section_operations = {"operations", .fill = fill};
