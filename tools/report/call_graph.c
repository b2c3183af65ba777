/* SPDX-License-Identifier: MIT */
/* Sections "totals", "callers" and "callees": the cost of functions including their callees, and
 * the cost of calls. */
#define _GNU_SOURCE
#include "calls.h"
#include "section.h"
#include "stack_functions.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

#define NO_FUNCTION UINT32_MAX

/* A sum of stacks that counts a stack once. While the walk is in a stack that counts, the stacks
 * inside it do not. */
struct once {
	uint32_t open;
	struct call_sums sums;
};

struct function {
	struct call_sums self;
	struct once total;
};

struct edge {
	uint32_t caller, callee; /* indexes of functions */
	struct once total;
};

struct graph {
	const struct profile *p;
	struct stack_functions names;
	struct map edge_index;
	struct function *functions; /* array of names.index.count functions */
	struct edge *edges;
	size_t edge_capacity;
	uint32_t *inlined_edges; /* for names.list: the edge to each inlined function */
	/* For each stack: its sums with the stacks that continue it, the edge of its last call, the
	 * first stack that continues it, and the next one that continues the same stack. */
	struct stack {
		struct call_sums total;
		uint32_t edge, child, next;
	} * stacks;
};

static uint32_t find_edge(struct graph *g, uint32_t caller, uint32_t callee)
{
	size_t i;

	if (map_insert(&g->edge_index, (struct map_key){caller, callee, 0}, &i))
		GROW(g->edges, i, g->edge_capacity)
	[i] = (struct edge){.caller = caller, .callee = callee};
	return (uint32_t)i;
}

static struct function_range functions_of(const struct graph *g, uint32_t stack)
{
	return g->names.at[g->p->samples.calls[stack].place];
}

/* Return the innermost function of a stack. */
static uint32_t last_function(const struct graph *g, uint32_t stack)
{
	struct function_range at = functions_of(g, stack);

	return g->names.list[at.first + at.count - 1];
}

static void find_inlined_edges(struct graph *g)
{
	const struct stack_functions *f = &g->names;

	g->inlined_edges = xcalloc(f->list_count, sizeof(*g->inlined_edges));
	for (size_t n = 0; n < f->known.count; n++) {
		for (size_t i = 1; i < f->known_at[n].count; i++) {
			size_t at = f->known_at[n].first + i;

			g->inlined_edges[at] = find_edge(g, f->list[at - 1], f->list[at]);
		}
	}
}

/* Find the edges and the sums of all stacks, and the sums of each function alone. */
static void link_stacks(struct graph *g)
{
	const struct call *calls = g->p->samples.calls;
	uint32_t count = (uint32_t)g->p->samples.call_index.count;

	g->stacks = xcalloc(count, sizeof(*g->stacks));
	for (uint32_t n = 1; n < count; n++) {
		uint32_t caller = calls[n].caller;
		struct call_sums self = call_self(g->p->calls, n);

		g->stacks[n].total = self;
		call_sums_add(&g->functions[last_function(g, n)].self, &self);
		if (caller)
			g->stacks[n].edge = find_edge(g, last_function(g, caller),
			                              g->names.list[functions_of(g, n).first]);
		g->stacks[n].next = g->stacks[caller].child;
		g->stacks[caller].child = n;
	}
	for (uint32_t n = count; n-- > 1;)
		call_sums_add(&g->stacks[calls[n].caller].total, &g->stacks[n].total);
}

static void enter(struct once *o, const struct call_sums *sums)
{
	if (!o->open++)
		call_sums_add(&o->sums, sums);
}

/* Enter the functions and edges of the last call of a stack, or leave them. */
static void step(struct graph *g, uint32_t stack, bool back)
{
	struct function_range at = functions_of(g, stack);
	const struct stack *s = &g->stacks[stack];

	for (size_t i = at.first; i < at.first + at.count; i++) {
		struct once *function = &g->functions[g->names.list[i]].total, *edge = NULL;

		if (i > at.first)
			edge = &g->edges[g->inlined_edges[i]].total;
		else if (g->p->samples.calls[stack].caller)
			edge = &g->edges[s->edge].total;
		if (back) {
			function->open--;
			if (edge)
				edge->open--;
			continue;
		}
		enter(function, &s->total);
		if (edge)
			enter(edge, &s->total);
	}
}

/* Walk all stacks, each one inside the stack that it continues. */
static void walk(struct graph *g)
{
	const struct call *calls = g->p->samples.calls;
	const struct stack *stacks = g->stacks;
	uint32_t n = stacks[0].child;

	while (n) {
		step(g, n, false);
		if (stacks[n].child) {
			n = stacks[n].child;
			continue;
		}
		for (; n && !stacks[n].next; n = calls[n].caller)
			step(g, n, true);
		if (n) {
			step(g, n, true);
			n = stacks[n].next;
		}
	}
}

static void graph_make(struct graph *g, const struct profile *p)
{
	*g = (struct graph){.p = p};
	stack_functions_make(&g->names, p);
	g->functions = xcalloc(g->names.index.count, sizeof(*g->functions));
	find_inlined_edges(g);
	link_stacks(g);
	walk(g);
}

static void graph_free(struct graph *g)
{
	stack_functions_free(&g->names);
	map_free(&g->edge_index);
	free(g->functions);
	free(g->edges);
	free(g->inlined_edges);
	free(g->stacks);
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
	int order = compare_weights(g, &x->total.sums, &y->total.sums);

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
	INLINED,
	SYMBOL,
	NAME,
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
        [INLINED] = {"inlined", NULL, COLUMN_COUNT},
        [SYMBOL] = {"symbol", NULL, COLUMN_TEXT, .cut = CUT_SYMBOL},
        [NAME] = {"name", "Symbol", COLUMN_TEXT, 60, CUT_SYMBOL},
};

/* Fill three cells of a function: inlined, name, and name with a mark if it is inlined. */
static void fill_name(struct cell *inlined, struct cell *symbol, struct cell *name,
                      const struct graph *g, uint32_t function)
{
	const struct stack_functions *f = &g->names;
	bool is_inlined = f->functions[function].inlined != NULL;
	char bare[4200], marked[4220];

	stack_function_name(bare, sizeof(bare), f, g->p, function);
	snprintf(marked, sizeof(marked), "%s%s", bare, is_inlined ? " (inlined)" : "");
	cell_count(inlined, is_inlined);
	cell_text(symbol, bare);
	cell_text(name, marked);
}

static void function_row(struct cell *c, const struct graph *g, uint32_t index)
{
	const struct function *f = &g->functions[index];
	const struct profile *p = g->p;

	cell_ratio(&c[TOTAL], call_weight(p, &f->total.sums), whole(p));
	cell_ratio(&c[SELF], call_weight(p, &f->self), whole(p));
	cell_count(&c[TOTAL_SAMPLES], f->total.sums.samples);
	cell_count(&c[SELF_SAMPLES], f->self.samples);
	cell_count(&c[TOTAL_CYCLES], f->total.sums.latency);
	cell_count(&c[SELF_CYCLES], f->self.latency);
	cell_text(&c[OBJECT], stack_function_object(&g->names, p, index));
	fill_name(&c[INLINED], &c[SYMBOL], &c[NAME], g, index);
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
	       large_enough(&g, view, call_weight(p, &g.functions[order[large]].total.sums)))
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
		order = compare_weights(o->g, &a->total.sums, &b->total.sums);
	if (!order)
		order = compare_numbers(a->callee, b->callee);
	return order ? order : compare_numbers(a->caller, b->caller);
}

enum {
	EDGE_TOTAL,
	EDGE_OF_FUNCTION,
	EDGE_SAMPLES,
	EDGE_CYCLES,
	EDGE_INLINED,
	EDGE_FUNCTION,
	EDGE_NAME,
	OTHER_INLINED, /* the same of the caller or the callee */
	OTHER_FUNCTION,
	OTHER_NAME,
	EDGE_COLUMNS
};
#define COLUMNS_OF_EDGES(other, heading)                                                  \
	{                                                                                 \
		[EDGE_TOTAL] = {"total", "Total", COLUMN_PERCENT},                        \
		[EDGE_OF_FUNCTION] = {"of_function", "Of function", COLUMN_PERCENT},      \
		[EDGE_SAMPLES] = {"total_samples", "Samples", COLUMN_COUNT, .drop = 1},   \
		[EDGE_CYCLES] = {"total_cycles", NULL, COLUMN_COUNT},                     \
		[EDGE_INLINED] = {"function_inlined", NULL, COLUMN_COUNT},                \
		[EDGE_FUNCTION] = {"function", NULL, COLUMN_TEXT, .cut = CUT_SYMBOL},     \
		[EDGE_NAME] = {"function_name", "Function", COLUMN_TEXT, 60, CUT_SYMBOL}, \
		[OTHER_INLINED] = {other "_inlined", NULL, COLUMN_COUNT},                 \
		[OTHER_FUNCTION] = {other, NULL, COLUMN_TEXT, .cut = CUT_SYMBOL},         \
		[OTHER_NAME] = {other "_name", (heading), COLUMN_TEXT, 60, CUT_SYMBOL},   \
	}
static const struct column caller_columns[EDGE_COLUMNS] = COLUMNS_OF_EDGES("caller", "Called by"),
                           callee_columns[EDGE_COLUMNS] = COLUMNS_OF_EDGES("callee", "Calls");

static void edge_row(struct cell *c, const struct edge_order *o, const struct edge *e)
{
	const struct graph *g = o->g;
	uint32_t of = subject(o, e), other = o->by_caller ? e->callee : e->caller;

	cell_ratio(&c[EDGE_TOTAL], call_weight(g->p, &e->total.sums), whole(g->p));
	cell_ratio(&c[EDGE_OF_FUNCTION], call_weight(g->p, &e->total.sums),
	           call_weight(g->p, &g->functions[of].total.sums));
	cell_count(&c[EDGE_SAMPLES], e->total.sums.samples);
	cell_count(&c[EDGE_CYCLES], e->total.sums.latency);
	fill_name(&c[EDGE_INLINED], &c[EDGE_FUNCTION], &c[EDGE_NAME], g, of);
	if (other != NO_FUNCTION) {
		fill_name(&c[OTHER_INLINED], &c[OTHER_FUNCTION], &c[OTHER_NAME], g, other);
		return;
	}
	cell_text(&c[OTHER_FUNCTION], "[self]");
	cell_text(&c[OTHER_NAME], "[self]");
}

/* Add a row for the samples of each function itself. */
static void add_self(struct graph *g)
{
	for (uint32_t i = 0; i < g->names.index.count; i++) {
		uint32_t edge;

		if (!g->functions[i].self.samples)
			continue;
		edge = find_edge(g, i, NO_FUNCTION);
		g->edges[edge].total.sums = g->functions[i].self;
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
		if (large_enough(&g, view, call_weight(p, &g.edges[i].total.sums)))
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
