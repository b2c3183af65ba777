/* SPDX-License-Identifier: MIT */
/* Convert counts of instructions to counts of lines with the debugging information. */
#define _GNU_SOURCE
#include "sample_profile.h"
#include "../base/common.h"
#include "../session/symbol_list.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 200, RANGES_MAX = 64, OFFSET_MASK = 0xffff, INSTRUCTION_SIZE = 4 };

/* Counts of instructions. A function that ran has all its instructions, some with the count 0. */
struct counts {
	struct map index, functions;
	uint64_t *count;
	size_t capacity;
};

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

/*
 * Return the only copy of a name, without the suffixes ".llvm.N" and ".part.N" of functions that a
 * compiler copied or split.
 */
static const char *intern(struct sample_profile *p, const char *name)
{
	static const char *const suffixes[] = {".llvm.", ".part."};
	char *copy = xstrdup(name);
	char *const *known;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char *at = strstr(copy, suffixes[i]);

		if (at && at != copy)
			*at = 0;
	}
	known = tfind(copy, &p->name_tree, compare_texts);
	if (known) {
		free(copy);
		return *known;
	}
	tree_add(&p->name_tree, copy, compare_texts);
	APPEND(p->names, p->name_count, p->name_capacity) = copy;
	return copy;
}

/* Return the name of a function that is not inlined, by its name in the debugging information
 * and an address in it. */
static const char *intern_outermost(struct sample_profile *p, const char *name, uint64_t vaddr)
{
	const struct symbol *symbol = NULL;
	const char *known;
	char *cut;

	if (p->reader == READ_BY_GCC)
		symbol = symbols_find_function(object_code_symbols(p->program), vaddr);
	if (!symbol)
		return intern(p, name);
	/* GCC names the parts of a function after it: ".constprop.0", ".cold". */
	cut = xstrdup(symbol->name);
	cut[1 + strcspn(cut + 1, ".")] = 0;
	known = intern(p, cut);
	free(cut);
	return known;
}

static uint64_t key_of_place(struct place_key place)
{
	return (uint64_t)place.offset << 32 | place.discriminator;
}

static uint32_t function_add(struct sample_profile *p, uint32_t parent, struct place_key place,
                             const char *name)
{
	size_t i;
	/* Add 1 to the parent, so that NO_PARENT becomes 0. */
	const struct map_key key = {(uint64_t)(parent + 1) << 32 | place.offset,
	                            place.discriminator, (uintptr_t)name};

	if (map_insert(&p->function_index, key, &i))
		GROW(p->functions, i, p->function_capacity)
	[i] = (struct function_samples){.parent = parent, .place = place, .name = name};
	return (uint32_t)i;
}

static struct line_samples *line_add(struct sample_profile *p, uint32_t function,
                                     struct place_key place)
{
	size_t i;

	if (map_insert(&p->line_index, (struct map_key){function, key_of_place(place), 0}, &i))
		GROW(p->lines, i, p->line_capacity)
	[i] = (struct line_samples){.function = function, .place = place};
	return &p->lines[i];
}

static void call_add(struct sample_profile *p, const struct line_samples *line, const char *name,
                     uint64_t count)
{
	uint32_t at = (uint32_t)(line - p->lines);
	size_t i;

	if (map_insert(&p->call_index, (struct map_key){at, (uintptr_t)name, 0}, &i))
		GROW(p->calls, i, p->call_capacity)
	[i] = (struct call_samples){.line = at, .name = name};
	p->calls[i].count += count;
	p->lines[at].called += count;
}

/* Return the first of the three parts that LLVM packs in a discriminator. It has 5 bits, 12 bits or
 * none. */
static unsigned discriminator_part(unsigned d)
{
	if (d & 1)
		return 0;
	d >>= 1;
	return d & 0x20 ? (d >> 1 & 0xfe0) | (d & 0x1f) : d & 0x1f;
}

static struct place_key place_of(const struct sample_profile *p, const struct linked_frame *f)
{
	bool packed = p->reader == READ_BY_LLVM;

	return (struct place_key){((uint32_t)f->line - (uint32_t)f->first_line) & OFFSET_MASK,
	                          packed ? discriminator_part(f->discriminator) : f->discriminator};
}

/* Return the number of copies that LLVM made of the instruction when it unrolled a loop: the second
 * part of the discriminator. */
static unsigned copies_of(const struct sample_profile *p, const struct linked_frame *f)
{
	unsigned d = f->discriminator;
	unsigned copies = discriminator_part(d & 1 ? d >> 1 : d >> (d & 0x40 ? 14 : 7));

	return copies && p->reader == READ_BY_LLVM ? copies : 1;
}

/* Return the line of an instruction, or NULL if it is unknown. Add count to the total of each
 * function around it. */
static struct line_samples *line_of(struct sample_profile *p, uint64_t vaddr, uint64_t count,
                                    unsigned *copies)
{
	struct linked_frame frames[FRAMES_MAX];
	size_t n = object_linked_frames(p->program, frames, FRAMES_MAX, vaddr);
	uint32_t function = NO_PARENT;
	struct place_key place = {0, 0};

	if (!n || !frames[n - 1].function)
		return NULL;
	*copies = 1;
	for (; n > 0 && frames[n - 1].function; n--) {
		const char *name = frames[n - 1].function;

		name = function == NO_PARENT ? intern_outermost(p, name, vaddr) : intern(p, name);
		function = function_add(p, function, place, name);
		p->functions[function].total += count * INSTRUCTION_SIZE;
		place = place_of(p, &frames[n - 1]);
		*copies = copies_of(p, &frames[n - 1]);
	}
	return line_add(p, function, place);
}

static void add_count(struct counts *c, uint64_t vaddr, uint64_t count)
{
	size_t i;

	if (map_insert(&c->index, (struct map_key){vaddr, 0, 0}, &i))
		GROW(c->count, i, c->capacity)[i] = 0;
	c->count[i] += count;
}

/* Add all instructions of the function that contains vaddr, once. */
static void add_function(struct counts *c, struct object *program, uint64_t vaddr)
{
	struct code_range ranges[RANGES_MAX];
	const char *name;
	size_t n = object_function(program, &name, ranges, RANGES_MAX, vaddr);
	size_t before = c->functions.count;
	int32_t offset;

	if (!n || map_add(&c->functions, (struct map_key){ranges[0].low, 0, 0}) < before)
		return;
	/* Stop at the end of the code, because ranges in debugging information may be wrong. */
	for (size_t i = 0; i < n; i++) {
		for (uint64_t at = ranges[i].low;
		     at < ranges[i].high && program_instruction(program, at, &offset) != NO_CODE;
		     at += INSTRUCTION_SIZE)
			add_count(c, at, 0);
	}
}

static void add_runs(struct counts *c, const struct branches *b)
{
	struct run *runs;
	size_t n = branches_runs(b, &runs);

	for (size_t i = 0; i < n; i++) {
		for (uint64_t at = runs[i].first; at <= runs[i].last; at += INSTRUCTION_SIZE)
			add_count(c, at, runs[i].count);
		add_function(c, b->program, runs[i].first);
	}
	free(runs);
}

/* Return the name of the function that begins at vaddr, or NULL. If it has several parts, only
 * the part with its symbol counts. */
static const char *function_begun(struct object *program, uint64_t vaddr)
{
	struct code_range ranges[RANGES_MAX];
	const char *name = NULL;
	size_t n = object_function(program, &name, ranges, RANGES_MAX, vaddr);
	const struct symbol *symbol;

	for (size_t i = 0; name && i < n; i++) {
		if (ranges[i].low != vaddr)
			continue;
		if (n == 1)
			return name;
		symbol = symbols_find_function(object_code_symbols(program), vaddr);
		return symbol && !strcmp(symbol->name, name) ? name : NULL;
	}
	return NULL;
}

static void add_call(struct sample_profile *p, const struct branch *branch)
{
	const char *name = branch->to_inside ? function_begun(p->program, branch->to) : NULL;
	const struct line_samples *line = NULL;
	uint32_t callee;
	unsigned copies;

	if (!name)
		return;
	name = intern_outermost(p, name, branch->to);
	if (branch->from_inside)
		line = line_of(p, branch->from, 0, &copies);
	if (line)
		call_add(p, line, name, branch->count);
	callee = function_add(p, NO_PARENT, (struct place_key){0, 0}, name);
	p->functions[callee].head += branch->count;
}

void sample_profile_make(struct sample_profile *p, const struct branches *b,
                         enum sample_reader reader)
{
	struct counts c = {0};

	*p = (struct sample_profile){.program = b->program, .reader = reader};
	add_runs(&c, b);
	for (size_t i = 0; i < c.index.count; i++) {
		unsigned copies;
		struct line_samples *line = line_of(p, c.index.keys[i].a, c.count[i], &copies);

		if (line && line->count < c.count[i] * copies)
			line->count = c.count[i] * copies;
	}
	for (size_t i = 0; i < b->count; i++)
		add_call(p, &b->list[i]);
	/* A line of a function that is not inlined counts at least as much as its calls. */
	for (size_t i = 0; i < p->line_index.count; i++) {
		struct line_samples *line = &p->lines[i];

		if (p->functions[line->function].parent == NO_PARENT && line->count < line->called)
			line->count = line->called;
	}
	map_free(&c.index);
	map_free(&c.functions);
	free(c.count);
}

static void keep(void *name)
{
	(void)name;
}

void sample_profile_free(struct sample_profile *p)
{
	tdestroy(p->name_tree, keep);
	for (size_t i = 0; i < p->name_count; i++)
		free(p->names[i]);
	free(p->names);
	free(p->functions);
	free(p->lines);
	free(p->calls);
	map_free(&p->function_index);
	map_free(&p->line_index);
	map_free(&p->call_index);
}
