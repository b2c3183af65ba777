/* SPDX-License-Identifier: MIT */
/*
 * Call stacks as a tree of functions, for the flame graph of --html:
 *
 *   functions  [symbol, object, same, inlined] of each function. "same" is a number that a function
 *              shares with its inlined copies, and "inlined" is 1 for such a copy.
 *   nodes      four numbers for each node: parent (-1 for the outermost), function, samples and
 *              cycles of the node alone. Parents precede their children.
 *   cycles     for each node, in their order, the number of its reasons, and then for each reason
 *              its index in "reasons" of the page (html.h) and the cycles of the node alone
 *   small      number of omitted nodes, at most NODES are shown; the nearest ancestor that is shown
 *              has their samples
 */
#include "html.h"
#include "calls.h"
#include "cost.h"
#include "stack_functions.h"
#include "../base/common.h"
#include "../base/json.h"

#include <stdlib.h>

/* After INLINED_NODES nodes, inlined functions are left out, because an address may have many. */
enum { NODES = 20000, INLINED_NODES = 1 << 20, ROOT = 0 };

struct node {
	uint32_t parent, function;
	struct call_sums self, total;
	int64_t shown; /* index on the page, or -1 if omitted */
};

struct tree {
	const struct profile *p;
	struct stack_functions functions;
	struct map index;
	struct node *nodes; /* nodes, the root first and parents before their children */
	size_t capacity;
	uint32_t *of_stack; /* innermost node of each stack */
};

static uint32_t find_node(struct tree *t, uint32_t parent, uint32_t function)
{
	size_t i;

	if (map_insert(&t->index, (struct map_key){parent, function, 0}, &i))
		GROW(t->nodes, i, t->capacity)
	[i] = (struct node){.parent = parent, .function = function};
	return (uint32_t)i;
}

/* Return the node of a stack below the node of its caller. */
static uint32_t add_functions(struct tree *t, uint32_t caller, uint32_t stack)
{
	const struct stack_functions *f = &t->functions;
	struct function_range at = f->at[t->p->samples.calls[stack].place];
	uint32_t node = find_node(t, caller, f->list[at.first]);

	for (size_t i = 1; i < at.count && t->index.count < INLINED_NODES; i++)
		node = find_node(t, node, f->list[at.first + i]);
	return node;
}

/* Make the nodes: places in one function with the same caller become one node. */
static void merge(struct tree *t)
{
	const struct samples *s = &t->p->samples;

	t->of_stack = xcalloc(s->call_index.count, sizeof(*t->of_stack));
	find_node(t, UINT32_MAX, UINT32_MAX);
	for (uint32_t n = 1; n < s->call_index.count; n++) {
		struct call_sums self = call_self(t->p->calls, n);

		t->of_stack[n] = add_functions(t, t->of_stack[s->calls[n].caller], n);
		call_sums_add(&t->nodes[t->of_stack[n]].self, &self);
	}
}

static void add_totals(struct tree *t)
{
	for (size_t i = 0; i < t->index.count; i++)
		t->nodes[i].total = t->nodes[i].self;
	for (size_t i = t->index.count; i-- > 1;)
		call_sums_add(&t->nodes[t->nodes[i].parent].total, &t->nodes[i].total);
}

static int compare_weights(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a > b ? -1 : a < b;
}

/* Return the least weight of a shown node, so that at most NODES are shown. */
static uint64_t least_weight(const struct tree *t)
{
	size_t n = t->index.count;
	uint64_t *weights, least;

	if (n <= NODES)
		return 0;
	weights = xcalloc(n, sizeof(*weights));
	for (size_t i = 0; i < n; i++)
		weights[i] = call_weight(t->p, &t->nodes[i].total);
	qsort(weights, n, sizeof(*weights), compare_weights);
	least = weights[NODES] + 1;
	free(weights);
	return least;
}

/* Omit light nodes, and return their number. A parent is at least as heavy as its child, so the
 * shown nodes are a tree. */
static size_t leave_out(struct tree *t)
{
	uint64_t least = least_weight(t);
	int64_t shown = 0;
	size_t small = 0;

	t->nodes[ROOT].shown = -1;
	for (size_t i = t->index.count; i-- > 1;) {
		struct node *n = &t->nodes[i];

		if (call_weight(t->p, &n->total) >= least)
			continue;
		call_sums_add(&t->nodes[n->parent].self, &n->self);
		n->shown = -1;
		small++;
	}
	for (size_t i = 1; i < t->index.count; i++) {
		if (t->nodes[i].shown != -1)
			t->nodes[i].shown = shown++;
	}
	return small;
}

static void append_number(struct json_object *list, int64_t number)
{
	json_object_array_add(list, json_object_new_int64(number));
}

static struct json_object *functions_json(const struct tree *t)
{
	struct json_object *all = json_object_new_array();
	const struct stack_functions *f = &t->functions;
	char name[4200];

	for (uint32_t i = 0; i < f->index.count; i++) {
		struct json_object *row = json_object_new_array();

		json_object_array_add(
		        row, json_text(stack_function_name(name, sizeof(name), f, t->p, i)));
		html_add_name(json_object_array_get_idx(row, 0));
		json_object_array_add(row, json_text(stack_function_object(f, t->p, i)));
		append_number(row, f->functions[i].same);
		append_number(row, f->functions[i].inlined != NULL);
		json_object_array_add(all, row);
	}
	return all;
}

static struct json_object *nodes_json(const struct tree *t)
{
	struct json_object *all = json_object_new_array();

	for (size_t i = 1; i < t->index.count; i++) {
		const struct node *n = &t->nodes[i];

		if (n->shown < 0)
			continue;
		append_number(all, t->nodes[n->parent].shown);
		append_number(all, n->function);
		append_number(all, (int64_t)n->self.samples);
		append_number(all, (int64_t)n->self.latency);
	}
	return all;
}

/* Return the index on the page of the nearest node that is shown, or -1. */
static int64_t shown_node(const struct tree *t, uint32_t node)
{
	while (node != ROOT && t->nodes[node].shown < 0)
		node = t->nodes[node].parent;
	return t->nodes[node].shown;
}

/* Add the cycles of the samples of a stack in one bin. Contention is known for a whole bin; a stack
 * has its share of it by cycles. */
static void add_cost(struct cost *cost, const struct profile *p, const struct call_bin *part)
{
	struct bin bin = p->bins[part->bin];
	double share = bin.sums.latency ? (double)part->sums.latency / (double)bin.sums.latency : 0;
	struct cost whole = {0};

	if (!bin.contended) {
		bin.sums = part->sums;
		cost_add(cost, p, &bin);
		return;
	}
	cost_add(&whole, p, &bin);
	for (unsigned r = 0; r < REASONS; r++)
		cost->cycles[r] += (uint64_t)((double)whole.cycles[r] * share + 0.5);
}

static void append_cost(struct json_object *list, const struct cost *cost)
{
	unsigned count = 0;

	for (unsigned r = 0; r < REASONS; r++)
		count += cost->cycles[r] != 0;
	append_number(list, count);
	for (unsigned r = 0; r < REASONS; r++) {
		if (!cost->cycles[r])
			continue;
		append_number(list, r);
		append_number(list, (int64_t)cost->cycles[r]);
	}
}

static struct json_object *cycles_json(const struct tree *t, size_t shown)
{
	struct cost *costs = xcalloc(shown, sizeof(*costs));
	struct json_object *all = json_object_new_array();
	const struct call_bins *b = t->p->call_bins;

	for (size_t i = 0; i < b->index.count; i++) {
		int64_t node = shown_node(t, t->of_stack[b->items[i].stack]);

		if (node >= 0)
			add_cost(&costs[node], t->p, &b->items[i]);
	}
	for (size_t i = 0; i < shown; i++)
		append_cost(all, &costs[i]);
	free(costs);
	return all;
}

struct json_object *html_stacks(const struct profile *p)
{
	struct json_object *o = json_object_new_object();
	struct tree t = {.p = p};
	size_t small;

	stack_functions_make(&t.functions, p);
	merge(&t);
	add_totals(&t);
	small = leave_out(&t);
	json_add_number(o, "small", small);
	json_object_object_add(o, "functions", functions_json(&t));
	json_object_object_add(o, "nodes", nodes_json(&t));
	json_object_object_add(o, "cycles", cycles_json(&t, t.index.count - 1 - small));
	stack_functions_free(&t.functions);
	map_free(&t.index);
	free(t.nodes);
	free(t.of_stack);
	return o;
}
