/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, which flamegraph.pl, speedscope and inferno read. A line is a stack: the name of
 * the thread and the functions from the outermost on, separated by ';', then a blank and a number.
 *
 * As with stackcollapse-perf.pl, an inlined function ends in "_[i]" and a kernel function in
 * "_[k]", for which flamegraph.pl has colors. A ';' in a name becomes ':'.
 */
#define _GNU_SOURCE
#include "export.h"
#include "export_text.h"

#include <stdlib.h>
#include <string.h>

/* A frame below its caller. Node 0 is the root. */
struct node {
	uint32_t parent;
	uint32_t name; /* number of the name */
	uint64_t sum;
};

struct folded {
	struct export *e;
	uint32_t *node_of; /* node of each stack, or 0 before it is added */
	struct node *nodes;
	size_t node_capacity;
	struct map node_index;
	struct text_table names;
};

/* Return the number of a name with its ending. The name is stored as it will be written. */
static uint32_t name_of(struct folded *f, const char *name, const char *ending)
{
	char *text = xasprintf("%s%s", name, ending);
	uint32_t number;

	for (char *at = text; (at = strchr(at, ';'));)
		*at = ':';
	number = text_number(&f->names, text);
	free(text);
	return number;
}

static uint32_t find_node(struct folded *f, uint32_t parent, uint32_t name)
{
	size_t i;

	if (map_insert(&f->node_index, (struct map_key){parent, name, 0}, &i))
		GROW(f->nodes, i, f->node_capacity)
	[i] = (struct node){.parent = parent, .name = name};
	return (uint32_t)i;
}

static uint32_t add_code(struct folded *f, uint32_t parent, const struct code *code)
{
	const char *name, *file, *ending;
	int line;

	for (uint32_t n = code_frames(code); n-- > 0;) {
		name = code_frame(code, n, &file, &line);
		ending = code_is_kernel(code) ? "_[k]" : "";
		parent = find_node(f, parent,
		                   name_of(f, name, n + 1 < code_frames(code) ? "_[i]" : ending));
	}
	return parent;
}

/* Return the node of a stack. Add missing nodes: the thread's name or the caller, and below it the
 * functions of the instruction. */
static uint32_t node_of_stack(struct folded *f, uint32_t stack)
{
	struct samples *s = &f->e->samples;
	uint32_t path[SPEMU_PERF_CALLCHAIN_MAX + 1], node;
	size_t n = 0;

	for (uint32_t at = stack; at && !f->node_of[at]; at = s->calls[at].caller)
		path[n++] = at;
	if (!n)
		return f->node_of[stack];
	node = f->node_of[s->calls[path[n - 1]].caller];
	if (!node)
		node = find_node(f, 0, name_of(f, s->places[s->calls[stack].place].task->comm, ""));
	while (n-- > 0) {
		node = add_code(f, node, code_at(&f->e->codes, s->calls[path[n]].place));
		f->node_of[path[n]] = node;
	}
	return node;
}

static void put_node(struct folded *f, uint32_t node)
{
	/* room for the deepest recorded stack with all inlined functions */
	static uint32_t path[(SPEMU_PERF_CALLCHAIN_MAX + 1) * CODE_FRAMES_MAX + 1];
	struct out *o = f->e->out;
	size_t n = 0;

	for (uint32_t at = node; at; at = f->nodes[at].parent)
		path[n++] = at;
	while (n-- > 0) {
		out_text(o, f->names.texts[f->nodes[path[n]].name]);
		out_text(o, n ? ";" : " ");
	}
	out_dec(o, f->nodes[node].sum);
	out_text(o, "\n");
}

static void end(void *state)
{
	struct export *e = state;
	struct folded f = {.e = e};

	find_node(&f, 0, UINT32_MAX);
	f.node_of = xcalloc(e->samples.call_index.count, sizeof(*f.node_of));
	for (size_t i = 1; i < e->sums.count; i++) {
		uint64_t sum = e->sums.sum[i][e->weight];
		uint32_t node = sum ? node_of_stack(&f, (uint32_t)i) : 0;

		f.nodes[node].sum += sum;
	}
	for (size_t i = 1; i < f.node_index.count; i++) {
		if (f.nodes[i].sum)
			put_node(&f, (uint32_t)i);
	}
	text_table_free(&f.names);
	map_free(&f.node_index);
	free(f.nodes);
	free(f.node_of);
}

const struct format folded_format = {.name = "folded", .sample = take_stack, .end = end};
