/* SPDX-License-Identifier: MIT */
/*
 * Call stacks as a tree of functions, for the flame graph of --html:
 *
 *   functions  pairs [symbol, object]
 *   nodes      four numbers for each node: parent (-1 for the outermost), function, samples and
 *              cycles of the node alone. Parents precede their children.
 *   small      number of omitted nodes, at most NODES are shown; the nearest ancestor that is shown
 *              has their samples
 */
#include "html.h"
#include "calls.h"
#include "../base/common.h"
#include "../base/json.h"

#include <stdlib.h>

enum { NODES = 20000, ROOT = 0 };

struct node {
	uint32_t parent, function;
	struct call_sums self, total;
	int64_t shown; /* index on the page, or -1 if omitted */
};

struct tree {
	const struct profile *p;
	struct call_functions functions;
	struct map index;
	struct node *nodes; /* nodes, the root first and parents before their children */
	size_t capacity;
};

static uint32_t find_node(struct tree *t, uint32_t parent, uint32_t function)
{
	size_t i;

	if (map_insert(&t->index, (struct map_key){parent, function, 0}, &i))
		GROW(t->nodes, i, t->capacity)
	[i] = (struct node){.parent = parent, .function = function};
	return (uint32_t)i;
}

/* Make the nodes: places in one function with the same caller become one node. */
static void merge(struct tree *t)
{
	const struct samples *s = &t->p->samples;
	uint32_t *node_of = xcalloc(s->call_index.count, sizeof(*node_of));

	find_node(t, UINT32_MAX, UINT32_MAX);
	for (uint32_t n = 1; n < s->call_index.count; n++) {
		struct call_sums self = call_self(t->p->calls, n);

		node_of[n] = find_node(t, node_of[s->calls[n].caller], t->functions.of_stack[n]);
		call_sums_add(&t->nodes[node_of[n]].self, &self);
	}
	free(node_of);
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

static struct json_object *functions_json(const struct tree *t)
{
	struct json_object *all = json_object_new_array();
	char name[4200];

	for (uint32_t i = 0; i < t->functions.index.count; i++) {
		const struct place *place = &t->p->samples.places[t->functions.places[i]];
		struct json_object *pair = json_object_new_array();

		call_function_name(name, sizeof(name), &t->functions, t->p, i);
		json_object_array_add(pair, json_text(name));
		html_add_name(json_object_array_get_idx(pair, 0));
		json_object_array_add(pair, json_text(place_object(place)));
		json_object_array_add(all, pair);
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
		json_object_array_add(all, json_object_new_int64(t->nodes[n->parent].shown));
		json_object_array_add(all, json_object_new_int64(n->function));
		json_object_array_add(all, json_object_new_uint64(n->self.samples));
		json_object_array_add(all, json_object_new_uint64(n->self.latency));
	}
	return all;
}

struct json_object *html_stacks(const struct profile *p)
{
	struct json_object *o = json_object_new_object();
	struct tree t = {.p = p};

	call_functions_make(&t.functions, p);
	merge(&t);
	add_totals(&t);
	json_add_number(o, "small", leave_out(&t));
	json_object_object_add(o, "functions", functions_json(&t));
	json_object_object_add(o, "nodes", nodes_json(&t));
	call_functions_free(&t.functions);
	map_free(&t.index);
	free(t.nodes);
	return o;
}
