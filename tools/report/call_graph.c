/* SPDX-License-Identifier: MIT */
/* Sections "totals", "callers" and "callees": the cost of functions including their callees, and
 * the cost of calls. */
#define _GNU_SOURCE
#include "calls.h"
#include "section.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

#define NO_FUNCTION UINT32_MAX

struct function {
	uint64_t seen; /* last stack that was counted for this function */
	struct call_sums self, total;
};

struct edge {
	uint32_t caller, callee; /* indexes of functions */
	uint64_t seen;
	struct call_sums total;
};

struct graph {
	const struct profile *p;
	struct call_functions names;
	struct map edge_index;
	struct function *functions;
	struct edge *edges;
	size_t edge_capacity;
};

static struct edge *find_edge(struct graph *g, uint32_t caller, uint32_t callee)
{
	size_t i;

	if (map_insert(&g->edge_index, (struct map_key){caller, callee, 0}, &i))
		GROW(g->edges, i, g->edge_capacity)
	[i] = (struct edge){.caller = caller, .callee = callee};
	return &g->edges[i];
}

/* Add the samples of a stack to each function and each call on it, once. */
static void add_stack(struct graph *g, uint32_t stack, const struct call_sums *self)
{
	const struct call *calls = g->p->samples.calls;
	const uint32_t *function_of = g->names.of_stack;

	call_sums_add(&g->functions[function_of[stack]].self, self);
	for (uint32_t n = stack, caller; n; n = caller) {
		struct function *f = &g->functions[function_of[n]];
		struct edge *edge;

		caller = calls[n].caller;
		if (f->seen != stack)
			call_sums_add(&f->total, self);
		f->seen = stack;
		if (!caller)
			break;
		edge = find_edge(g, function_of[caller], function_of[n]);
		if (edge->seen != stack)
			call_sums_add(&edge->total, self);
		edge->seen = stack;
	}
}

static void graph_make(struct graph *g, const struct profile *p)
{
	*g = (struct graph){.p = p};
	call_functions_make(&g->names, p);
	g->functions = xcalloc(g->names.index.count, sizeof(*g->functions));
	for (uint32_t n = 1; n < p->calls->count; n++) {
		if (p->calls->self[n].samples)
			add_stack(g, n, &p->calls->self[n]);
	}
}

static void graph_free(struct graph *g)
{
	call_functions_free(&g->names);
	map_free(&g->edge_index);
	free(g->functions);
	free(g->edges);
}

static uint64_t whole(const struct profile *p)
{
	return p->all.latency ? p->all.latency : p->all.samples;
}

/* Compare by weight, the heavier one first. */
static int compare_weights(const struct graph *g, const struct call_sums *a,
                           const struct call_sums *b)
{
	return compare_numbers(call_weight(g->p, b), call_weight(g->p, a));
}

static int compare_functions(const struct graph *g, uint32_t a, uint32_t b)
{
	const struct function *x = &g->functions[a], *y = &g->functions[b];
	int order = compare_weights(g, &x->total, &y->total);

	if (!order)
		order = compare_weights(g, &x->self, &y->self);
	/* Indexes of functions are in the order of the recording. */
	return order ? order : compare_numbers(a, b);
}

static int compare_function_rows(const void *pa, const void *pb, void *arg)
{
	return compare_functions(arg, *(const uint32_t *)pa, *(const uint32_t *)pb);
}

/* Return true if --percent-limit keeps a row of this weight. */
static bool large_enough(const struct graph *g, const struct view *view, uint64_t of_row)
{
	uint64_t all = whole(g->p);

	return !all || 100 * (double)of_row / (double)all >= view->percent_limit;
}

static char *stack_note(const struct profile *p)
{
	const struct samples *s = &p->samples;
	char full[100] = "", without[100] = "";

	if (s->cut_stack)
		snprintf(full, sizeof(full), "; %llu stacks are cut at %d addresses",
		         (unsigned long long)s->cut_stack, SPEMU_PERF_CALLCHAIN_MAX);
	if (s->without_stack)
		snprintf(without, sizeof(without), "; %llu samples have no stack",
		         (unsigned long long)s->without_stack);
	return xasprintf("shares of all %s; total: the function and its callees%s%s",
	                 p->all.latency ? "cycles" : "samples", full, without);
}

enum {
	TOTAL,
	SELF,
	TOTAL_SAMPLES,
	SELF_SAMPLES,
	TOTAL_CYCLES,
	SELF_CYCLES,
	OBJECT,
	SYMBOL,
	FUNCTION_COLUMNS
};
static const struct column function_columns[FUNCTION_COLUMNS] = {
        [TOTAL] = {"total", "Total", COLUMN_PERCENT},
        [SELF] = {"self", "Self", COLUMN_PERCENT},
        [TOTAL_SAMPLES] = {"total_samples", "Samples", COLUMN_COUNT, .drop = 2},
        [SELF_SAMPLES] = {"self_samples", NULL, COLUMN_COUNT},
        [TOTAL_CYCLES] = {"total_cycles", NULL, COLUMN_COUNT},
        [SELF_CYCLES] = {"self_cycles", NULL, COLUMN_COUNT},
        [OBJECT] = {"object", "Shared Object", COLUMN_TEXT, 30, CUT_MIDDLE, .drop = 1},
        [SYMBOL] = {"symbol", "Symbol", COLUMN_TEXT, 60, CUT_SYMBOL},
};

static void function_row(struct cell *c, const struct graph *g, uint32_t index)
{
	const struct function *f = &g->functions[index];
	const struct profile *p = g->p;
	char text[4200];

	cell_ratio(&c[TOTAL], call_weight(p, &f->total), whole(p));
	cell_ratio(&c[SELF], call_weight(p, &f->self), whole(p));
	cell_count(&c[TOTAL_SAMPLES], f->total.samples);
	cell_count(&c[SELF_SAMPLES], f->self.samples);
	cell_count(&c[TOTAL_CYCLES], f->total.latency);
	cell_count(&c[SELF_CYCLES], f->self.latency);
	cell_text(&c[OBJECT], place_object(&p->samples.places[g->names.places[index]]));
	call_function_name(text, sizeof(text), &g->names, p, index);
	cell_text(&c[SYMBOL], text);
}

static void fill_totals(struct table *t, struct profile *p, const struct view *view)
{
	struct graph g;
	uint32_t *order;
	size_t n, rows, large = 0;

	table_init(t, "totals", "Functions with callees", function_columns, FUNCTION_COLUMNS);
	t->note = stack_note(p);
	graph_make(&g, p);
	n = g.names.index.count;
	order = xcalloc(n, sizeof(*order));
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), compare_function_rows, &g);
	while (large < n &&
	       large_enough(&g, view, call_weight(p, &g.functions[order[large]].total)))
		large++;
	rows = view_limit(t, view, large, n);
	for (size_t i = 0; i < rows; i++)
		function_row(table_row(t), &g, order[i]);
	free(order);
	graph_free(&g);
}

/* The order of calls: by one of their functions, then by weight. */
struct edge_order {
	const struct graph *g;
	bool by_caller;
};

static uint32_t subject(const struct edge_order *o, const struct edge *e)
{
	return o->by_caller ? e->caller : e->callee;
}

static int compare_edges(const void *pa, const void *pb, void *arg)
{
	const struct edge_order *o = arg;
	const struct edge *a = pa, *b = pb;
	int order = compare_functions(o->g, subject(o, a), subject(o, b));

	if (!order)
		order = compare_weights(o->g, &a->total, &b->total);
	if (!order)
		order = compare_numbers(a->callee, b->callee);
	return order ? order : compare_numbers(a->caller, b->caller);
}

enum {
	EDGE_TOTAL,
	EDGE_OF_FUNCTION,
	EDGE_SAMPLES,
	EDGE_CYCLES,
	EDGE_FUNCTION,
	EDGE_OTHER, /* the caller or the callee */
	EDGE_COLUMNS
};
#define COLUMNS_OF_EDGES(other_key, other)                                               \
	{                                                                                \
		[EDGE_TOTAL] = {"total", "Total", COLUMN_PERCENT},                       \
		[EDGE_OF_FUNCTION] = {"of_function", "Of function", COLUMN_PERCENT},     \
		[EDGE_SAMPLES] = {"total_samples", "Samples", COLUMN_COUNT, .drop = 1},  \
		[EDGE_CYCLES] = {"total_cycles", NULL, COLUMN_COUNT},                    \
		[EDGE_FUNCTION] = {"function", "Function", COLUMN_TEXT, 60, CUT_SYMBOL}, \
		[EDGE_OTHER] = {(other_key), (other), COLUMN_TEXT, 60, CUT_SYMBOL},      \
	}
static const struct column caller_columns[EDGE_COLUMNS] = COLUMNS_OF_EDGES("caller", "Called by"),
                           callee_columns[EDGE_COLUMNS] = COLUMNS_OF_EDGES("callee", "Calls");

static void edge_row(struct cell *c, const struct edge_order *o, const struct edge *e)
{
	const struct graph *g = o->g;
	uint32_t of = subject(o, e), other = o->by_caller ? e->callee : e->caller;
	char text[4200];

	cell_ratio(&c[EDGE_TOTAL], call_weight(g->p, &e->total), whole(g->p));
	cell_ratio(&c[EDGE_OF_FUNCTION], call_weight(g->p, &e->total),
	           call_weight(g->p, &g->functions[of].total));
	cell_count(&c[EDGE_SAMPLES], e->total.samples);
	cell_count(&c[EDGE_CYCLES], e->total.latency);
	call_function_name(text, sizeof(text), &g->names, g->p, of);
	cell_text(&c[EDGE_FUNCTION], text);
	if (other == NO_FUNCTION)
		snprintf(text, sizeof(text), "[self]");
	else
		call_function_name(text, sizeof(text), &g->names, g->p, other);
	cell_text(&c[EDGE_OTHER], text);
}

/* Add a row for the samples of each function itself. */
static void add_self(struct graph *g)
{
	for (uint32_t i = 0; i < g->names.index.count; i++) {
		if (g->functions[i].self.samples)
			find_edge(g, i, NO_FUNCTION)->total = g->functions[i].self;
	}
}

static void fill_edges(struct table *t, const struct profile *p, const struct view *view,
                       bool by_caller)
{
	struct graph g;
	struct edge_order order = {&g, by_caller};
	size_t n, large = 0, rows;

	t->note = stack_note(p);
	graph_make(&g, p);
	if (by_caller)
		add_self(&g);
	n = g.edge_index.count;
	for (size_t i = 0; i < n; i++) {
		if (large_enough(&g, view, call_weight(p, &g.edges[i].total)))
			g.edges[large++] = g.edges[i];
	}
	if (large)
		qsort_r(g.edges, large, sizeof(*g.edges), compare_edges, &order);
	rows = view_limit(t, view, large, n);
	for (size_t i = 0; i < rows; i++)
		edge_row(table_row(t), &order, &g.edges[i]);
	graph_free(&g);
}

static void fill_callers(struct table *t, struct profile *p, const struct view *view)
{
	table_init(t, "callers", "Callers", caller_columns, EDGE_COLUMNS);
	fill_edges(t, p, view, false);
}

static void fill_callees(struct table *t, struct profile *p, const struct view *view)
{
	table_init(t, "callees", "Callees", callee_columns, EDGE_COLUMNS);
	fill_edges(t, p, view, true);
}

const struct section section_totals = {"totals", .begin = calls_begin, .add = calls_add,
                                       .fill = fill_totals, .of_stacks = true};
const struct section section_callers = {"callers",         .begin = calls_begin,
                                        .add = calls_add,  .fill = fill_callers,
                                        .of_stacks = true, .asked_for = true};
const struct section section_callees = {"callees",         .begin = calls_begin,
                                        .add = calls_add,  .fill = fill_callees,
                                        .of_stacks = true, .asked_for = true};
