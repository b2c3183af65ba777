/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks: a line for each stack, the thread's name and its functions from the outermost to
 * the innermost with ';' between them, a blank and a number. flamegraph.pl, speedscope and inferno
 * read it.
 *
 * As in what stackcollapse-perf.pl writes, a function that is inlined ends in "_[i]" and one of the
 * kernel in "_[k]", which flamegraph.pl has colors for, and ';' in a name is ':'.
 */
#define _GNU_SOURCE
#include "export.h"
#include "export_text.h"

#include <stdlib.h>
#include <string.h>

/* A frame under the one that called it; 0 is the one under which all are. */
struct node {
	uint32_t parent;
	uint32_t name; /* number of its text */
	uint64_t sum;
};

struct folded {
	struct export *e;
	uint32_t *node_of; /* by stack, once it is there; else 0 */
	struct node *nodes;
	size_t node_capacity;
	struct map node_index;
	struct text_table names;
};

/* The number of a name as it is written. */
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

/* The node of a stack: that of its caller, or the thread's name, and below it the functions of its
 * instruction. */
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
	/* The deepest recorded stack with all its inlined functions. */
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
