/* SPDX-License-Identifier: MIT */
/*
 * Call stacks as a tree of functions, for the flame graph of --html:
 *
 *   functions  [symbol, object, same, inlined] of each function. "same" is a number that a function
 *              shares with its inlined copies, and "inlined" is 1 for such a copy.
 *   nodes      four numbers for each node: parent (-1 for the outermost), function, samples and
 *              cycles of the node alone. Parents precede their children. At most NODES functions
 *              are nodes. The other ones below a parent, with their callees, are one node "other",
 *              which has minus their number in place of a function.
 *   cycles     for each node, in their order, the number of its reasons, and then for each reason
 *              its index in "reasons" of the page (html.h) and the cycles of the node alone
 *   small      number of functions in nodes "other"
 */
#define _GNU_SOURCE
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
	bool shown;
	int64_t index;            /* index on the page, or -1 for the root */
	int64_t other;            /* index on the page of the node "other" below it */
	struct call_sums omitted; /* sums of the node "other" */
	uint32_t omitted_count;   /* number of nodes below it that are not shown */
};

struct tree {
	const struct profile *p;
	struct stack_functions functions;
	struct map index;
	struct node *nodes; /* nodes, the root first and parents before their children */
	size_t capacity;
	uint32_t *of_stack; /* innermost node of each stack */
	size_t shown;       /* number of nodes on the page, with the nodes "other" */
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

/* Compare nodes by their weight, the heavier one first. A parent comes before its children. */
static int compare_nodes(const void *pa, const void *pb, void *arg)
{
	const struct tree *t = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	int order = compare_numbers(call_weight(t->p, &t->nodes[b].total),
	                            call_weight(t->p, &t->nodes[a].total));

	return order ? order : compare_numbers(a, b);
}

/* Show the heaviest nodes. A parent is at least as heavy as its child, so they are a tree. */
static void choose_shown(struct tree *t)
{
	size_t n = t->index.count - 1;
	uint32_t *order = xcalloc(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i + 1;
	if (n > NODES)
		qsort_r(order, n, sizeof(*order), compare_nodes, t);
	for (size_t i = 0; i < n && i < NODES; i++)
		t->nodes[order[i]].shown = true;
	t->nodes[ROOT].shown = true;
	free(order);
}

/* Add the nodes that are not shown to the node "other" of the nearest node that is shown. Return
 * their number. */
static size_t omit_small(struct tree *t)
{
	size_t omitted = 0;

	for (size_t i = t->index.count; i-- > 1;) {
		const struct node *n = &t->nodes[i];
		struct node *above = &t->nodes[n->parent];

		if (n->shown)
			continue;
		omitted++;
		above->omitted_count += n->omitted_count + 1;
		if (above->shown)
			call_sums_add(&above->omitted, &n->total);
	}
	return omitted;
}

/* Number the nodes of the page. The nodes "other" are the last ones. */
static void number_nodes(struct tree *t)
{
	t->nodes[ROOT].index = -1;
	for (size_t i = 1; i < t->index.count; i++) {
		if (t->nodes[i].shown)
			t->nodes[i].index = (int64_t)t->shown++;
	}
	for (size_t i = 0; i < t->index.count; i++) {
		if (t->nodes[i].shown && t->nodes[i].omitted_count)
			t->nodes[i].other = (int64_t)t->shown++;
	}
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

static void append_node(struct json_object *list, int64_t parent, int64_t function,
                        const struct call_sums *self)
{
	append_number(list, parent);
	append_number(list, function);
	append_number(list, (int64_t)self->samples);
	append_number(list, (int64_t)self->latency);
}

static struct json_object *nodes_json(const struct tree *t)
{
	struct json_object *all = json_object_new_array();

	for (size_t i = 1; i < t->index.count; i++) {
		const struct node *n = &t->nodes[i];

		if (n->shown)
			append_node(all, t->nodes[n->parent].index, n->function, &n->self);
	}
	for (size_t i = 0; i < t->index.count; i++) {
		const struct node *n = &t->nodes[i];

		if (n->shown && n->omitted_count)
			append_node(all, n->index, -(int64_t)n->omitted_count, &n->omitted);
	}
	return all;
}

/* Return the index on the page of the node that has the samples of this node. */
static int64_t index_on_page(const struct tree *t, uint32_t node)
{
	if (t->nodes[node].shown)
		return t->nodes[node].index;
	while (!t->nodes[node].shown)
		node = t->nodes[node].parent;
	return t->nodes[node].other;
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

static struct json_object *cycles_json(const struct tree *t)
{
	struct cost *costs = xcalloc(t->shown, sizeof(*costs));
	struct json_object *all = json_object_new_array();
	const struct call_bins *b = t->p->call_bins;

	for (size_t i = 0; i < b->index.count; i++)
		add_cost(&costs[index_on_page(t, t->of_stack[b->items[i].stack])], t->p,
		         &b->items[i]);
	for (size_t i = 0; i < t->shown; i++)
		append_cost(all, &costs[i]);
	free(costs);
	return all;
}

struct json_object *html_stacks(const struct profile *p)
{
	struct json_object *o = json_object_new_object();
	struct tree t = {.p = p};

	stack_functions_make(&t.functions, p);
	merge(&t);
	add_totals(&t);
	choose_shown(&t);
	json_add_number(o, "small", omit_small(&t));
	number_nodes(&t);
	json_object_object_add(o, "functions", functions_json(&t));
	json_object_object_add(o, "nodes", nodes_json(&t));
	json_object_object_add(o, "cycles", cycles_json(&t));
	stack_functions_free(&t.functions);
	map_free(&t.index);
	free(t.nodes);
	free(t.of_stack);
	return o;
}
