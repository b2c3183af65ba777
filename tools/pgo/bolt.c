/* SPDX-License-Identifier: MIT */
/*
 * Write BOLT's .fdata: lines "1 FROM OFFSET 1 TO OFFSET MISPREDICTED COUNT". OFFSET is the
 * hexadecimal distance from the start of the function. "0 [unknown] 0" is a place outside the
 * program.
 *
 * First come the branches, by address, as perf2bolt writes them. Returns are left out, because BOLT
 * derives them from calls. Local functions are numbered, "name/1", in the order of their addresses.
 * Then come the fall-throughs from block to block, which perf2bolt writes only for branch stacks.
 * BOLT adds up lines with the same places.
 */
#include "profiles.h"
#include "../session/symbol_list.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct names {
	const struct symbol_list *symbols;
	uint32_t *numbers; /* number of each symbol among local ones of its name; 0: not local */
};

static int compare_names(const void *pa, const void *pb)
{
	const struct symbol *const *a = pa, *const *b = pb;
	int order = strcmp((*a)->name, (*b)->name);

	if (order)
		return order;
	return (*a)->start < (*b)->start ? -1 : (*a)->start > (*b)->start;
}

static void names_make(struct names *n, struct object *program)
{
	const struct symbol_list *list = object_code_symbols(program);
	const struct symbol **locals = xcalloc(list->count + 1, sizeof(const struct symbol *));
	size_t count = 0;

	*n = (struct names){list, xcalloc(list->count + 1, sizeof(*n->numbers))};
	for (size_t i = 0; i < list->count; i++) {
		/* Entries of the PLT ("@plt") are not symbols of the file. */
		if (list->items[i].binding == STB_LOCAL && !strstr(list->items[i].name, "@plt"))
			locals[count++] = &list->items[i];
	}
	if (count)
		qsort(locals, count, sizeof(const struct symbol *), compare_names);
	for (size_t i = 0, number = 0; i < count; i++) {
		bool again = i && !strcmp(locals[i - 1]->name, locals[i]->name);

		number = again ? number + 1 : 1;
		n->numbers[locals[i] - list->items] = (uint32_t)number;
	}
	free(locals);
}

/* Write a name as one word: blanks are escaped, and "malloc@plt" is BOLT's "malloc@PLT". */
static void write_name(struct out *o, const struct names *n, const struct symbol *s)
{
	const char *plt = strstr(s->name, "@plt");
	uint32_t number = n->numbers[s - n->symbols->items];

	for (const char *c = s->name; *c && c != plt; c++) {
		if (*c == ' ' || *c == '\\')
			out_text(o, "\\");
		out_bytes(o, c, 1);
	}
	if (plt)
		out_text(o, "@PLT");
	if (number)
		out_fmt(o, "/%u", number);
}

static void write_hex(struct out *o, uint64_t value)
{
	out_fmt(o, "%llx", (unsigned long long)value);
}

static void write_place(struct out *o, const struct names *n, const struct symbol *s,
                        uint64_t vaddr)
{
	if (!s) {
		out_text(o, "0 [unknown] 0 ");
		return;
	}
	out_text(o, "1 ");
	write_name(o, n, s);
	out_text(o, " ");
	write_hex(o, vaddr - s->start);
	out_text(o, " ");
}

/* Write a line, unless the branch is a return or is outside the program at both ends. */
static void write_branch(struct out *o, const struct names *n, struct object *program,
                         const struct branch *branch)
{
	const struct symbol *from = NULL, *to = NULL;
	int32_t offset;

	if (branch->from_inside)
		from = symbols_find_function(n->symbols, branch->from);
	if (branch->to_inside)
		to = symbols_find_function(n->symbols, branch->to);
	if ((!from && !to) ||
	    (branch->from_inside && program_instruction(program, branch->from, &offset) == RETURN))
		return;
	write_place(o, n, from, branch->from);
	write_place(o, n, to, branch->to);
	out_fmt(o, "%llu %llu\n", (unsigned long long)branch->mispredicted,
	        (unsigned long long)branch->count);
}

void bolt_write(const struct branches *b, struct out *o)
{
	struct names names;
	struct branch *falls;
	size_t n = branches_fall_throughs(b, &falls);

	names_make(&names, b->program);
	for (size_t i = 0; i < b->count; i++)
		write_branch(o, &names, b->program, &b->list[i]);
	for (size_t i = 0; i < n; i++)
		write_branch(o, &names, b->program, &falls[i]);
	free(falls);
	free(names.numbers);
}
