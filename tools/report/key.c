/* SPDX-License-Identifier: MIT */
/* See key.h. */
#include "key.h"
#include "../session/data_source.h"
#include "../base/optext.h"

#include <string.h>

/* Demangled names are long; those that are longer lose their ends. */
enum { NAME_SIZE = 4096 };

static int compare_comm(const struct member *a, const struct member *b, bool by_name)
{
	(void)by_name;
	return a->place->task == b->place->task
	               ? 0
	               : strcmp(a->place->task->comm, b->place->task->comm);
}

static int compare_pid(const struct member *a, const struct member *b, bool by_name)
{
	(void)by_name;
	return compare_numbers(a->place->task->pid, b->place->task->pid);
}

static int compare_tid(const struct member *a, const struct member *b, bool by_name)
{
	(void)by_name;
	return compare_numbers(a->place->task->tid, b->place->task->tid);
}

static int compare_dso(const struct member *a, const struct member *b, bool by_name)
{
	const struct object *x = a->place->object, *y = b->place->object;
	int order;

	if (x && x == y)
		return 0;
	order = strcmp(place_object(a->place), place_object(b->place));
	if (order || by_name || !x || !y)
		return order ? order : by_name ? 0 : (x != NULL) - (y != NULL);
	return compare_numbers(object_index(x), object_index(y));
}

static int compare_symbol(const struct member *a, const struct member *b, bool by_name)
{
	const struct place *x = a->place, *y = b->place;
	int order;

	if (x == y)
		return 0;
	order = compare_dso(a, b, by_name);
	if (order)
		return order;
	if (!by_name || !x->symbol || !y->symbol)
		return x->symbol && y->symbol   ? compare_numbers(x->start, y->start)
		       : x->symbol || y->symbol ? (x->symbol != NULL) - (y->symbol != NULL)
		                                : compare_numbers(x->addr, y->addr);
	return strcmp(x->symbol, y->symbol);
}

static int compare_file(const struct member *a, const struct member *b, bool by_name)
{
	const char *x = a->place->file, *y = b->place->file;

	(void)by_name;
	if (x == y)
		return 0;
	return x && y ? strcmp(x, y) : (x != NULL) - (y != NULL);
}

/* Lines, and of what is inlined the lines in the functions around. */
static int compare_line(const struct member *a, const struct member *b, bool by_name)
{
	const struct place *x = a->place, *y = b->place;
	int order = x == y ? 0 : compare_file(a, b, by_name);

	if (!order)
		order = (x->line > y->line) - (x->line < y->line);
	if (!order)
		order = strcmp(x->caller_file ? x->caller_file : "",
		               y->caller_file ? y->caller_file : "");
	return order ? order
	             : (x->caller_line > y->caller_line) - (x->caller_line < y->caller_line);
}

static int compare_site(const struct member *a, const struct member *b, bool by_name)
{
	int order = compare_dso(a, b, by_name);

	return order ? order : compare_numbers(a->place->addr, b->place->addr);
}

static int compare_cpu(const struct member *a, const struct member *b, bool by_name)
{
	(void)by_name;
	return compare_numbers(a->facet->cpu, b->facet->cpu);
}

static int compare_mem(const struct member *a, const struct member *b, bool by_name)
{
	const struct facet *x = a->facet, *y = b->facet;

	(void)by_name;
	if (x->has_source != y->has_source)
		return x->has_source ? 1 : -1;
	return compare_numbers(source_group(x->source_name, x->source),
	                       source_group(y->source_name, y->source));
}

/* 0: no access; 1: found in a TLB; 2: a walk */
static unsigned tlb_of(const struct facet *f)
{
	return f->events >> SPEMU_EV_TLB_WALK & 1
	               ? 2
	               : (unsigned)(f->events >> SPEMU_EV_TLB_ACCESS & 1);
}

static int compare_tlb(const struct member *a, const struct member *b, bool by_name)
{
	(void)by_name;
	return compare_numbers(tlb_of(a->facet), tlb_of(b->facet));
}

/* 0: not; 1: snooped; 2: of a line that the other cache had modified */
static unsigned snoop_of(const struct facet *f)
{
	return f->events >> SPEMU_EV_CACHE_DATA_MODIFIED & 1
	               ? 2
	               : (unsigned)(f->events >> SPEMU_EV_DATA_SNOOPED & 1);
}

static int compare_snoop(const struct member *a, const struct member *b, bool by_name)
{
	(void)by_name;
	return compare_numbers(snoop_of(a->facet), snoop_of(b->facet));
}

static int compare_op(const struct member *a, const struct member *b, bool by_name)
{
	(void)by_name;
	return compare_numbers((unsigned)a->facet->op_class << 8 | a->facet->op_subclass,
	                       (unsigned)b->facet->op_class << 8 | b->facet->op_subclass);
}

static int compare_input(const struct member *a, const struct member *b, bool by_name)
{
	(void)by_name;
	return compare_numbers(a->place->input, b->place->input);
}

static void fill_comm(struct cell *c, const struct member *m)
{
	cell_text(c, m->place->task->comm);
}

static void fill_pid(struct cell *c, const struct member *m)
{
	cell_count(c, m->place->task->pid);
}

static void fill_tid(struct cell *c, const struct member *m)
{
	cell_count(c, m->place->task->tid);
}

static void fill_dso(struct cell *c, const struct member *m)
{
	cell_text(c, place_object(m->place));
}

static void fill_symbol(struct cell *c, const struct member *m)
{
	const char *level = m->place->kernel ? "k" : ".";
	char name[NAME_SIZE], text[NAME_SIZE + 8];

	place_name(name, sizeof(name), m->place, false);
	snprintf(text, sizeof(text), "[%s] %s", level, name);
	cell_text(&c[0], level);
	cell_text(&c[1], name);
	cell_text(&c[2], text);
}

void place_line_text(char *text, size_t size, const struct place *place)
{
	if (place->file)
		snprintf(text, size, "%s:%d", place->file, place->line);
	else
		snprintf(text, size, "(no line information)");
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void fill_line(struct cell *c, const struct member *m)
{
	char text[NAME_SIZE + 100];

	const struct place *place = m->place;
	size_t n;

	place_line_text(text, sizeof(text), place);
	n = strlen(text);
	if (place->caller_file && n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, " < %s:%d", last_part(place->caller_file),
		         place->caller_line);
	cell_text(&c[2], text);
	if (!place->file)
		return;
	cell_text(&c[0], place->file);
	cell_count(&c[1], (uint64_t)place->line);
	if (!place->caller_file)
		return;
	cell_text(&c[3], place->caller_file);
	cell_count(&c[4], (uint64_t)place->caller_line);
}

static void fill_file(struct cell *c, const struct member *m)
{
	if (m->place->file)
		cell_text(c, m->place->file);
}

static void fill_site(struct cell *c, const struct member *m)
{
	char name[NAME_SIZE];

	place_name(name, sizeof(name), m->place, true);
	cell_text(&c[0], name);
	cell_count(&c[1], m->place->addr);
}

static void fill_cpu(struct cell *c, const struct member *m)
{
	cell_count(c, m->facet->cpu);
}

static void fill_mem(struct cell *c, const struct member *m)
{
	char text[16];

	if (!m->facet->has_source)
		return;
	snprintf(text, sizeof(text), "0x%x", m->facet->source);
	cell_text(c, m->facet->source_name != SOURCE_UNKNOWN
	                     ? source_names[m->facet->source_name].word
	                     : text);
}

static void fill_tlb(struct cell *c, const struct member *m)
{
	if (tlb_of(m->facet))
		cell_text(c, tlb_of(m->facet) == 2 ? "walk" : "hit");
}

static void fill_snoop(struct cell *c, const struct member *m)
{
	if (snoop_of(m->facet))
		cell_text(c, snoop_of(m->facet) == 2 ? "hitm" : "hit");
}

static void fill_op(struct cell *c, const struct member *m)
{
	char text[100];

	op_describe(text, sizeof(text), m->facet->op_class, m->facet->op_subclass);
	cell_text(c, text);
}

static void fill_input(struct cell *c, const struct member *m)
{
	cell_text(c, m->profile->inputs[m->place->input].path);
}

static const struct key keys[] = {
        {"pid", NULL, compare_pid, fill_pid, false, false, 1, {{"pid", "Pid", COLUMN_COUNT}}},
        {"tid", NULL, compare_tid, fill_tid, false, false, 1, {{"tid", "Tid", COLUMN_COUNT}}},
        {"cpu", NULL, compare_cpu, fill_cpu, false, false, 1, {{"cpu", "CPU", COLUMN_COUNT}}},
        {"mem", NULL, compare_mem, fill_mem, false, false, 1, {{"mem", "Memory", COLUMN_TEXT}}},
        {"tlb", NULL, compare_tlb, fill_tlb, false, false, 1, {{"tlb", "TLB", COLUMN_TEXT}}},
        {"snoop",
         NULL,
         compare_snoop,
         fill_snoop,
         false,
         false,
         1,
         {{"snoop", "Snoop", COLUMN_TEXT}}},
        {"op",
         NULL,
         compare_op,
         fill_op,
         false,
         false,
         1,
         {{"operation", "Operation", COLUMN_TEXT, 40, CUT_END}}},
        {"comm",
         NULL,
         compare_comm,
         fill_comm,
         false,
         false,
         1,
         {{"command", "Command", COLUMN_TEXT, .drop = 2}}},
        {"dso",
         NULL,
         compare_dso,
         fill_dso,
         false,
         false,
         1,
         {{"object", "Shared Object", COLUMN_TEXT, 40, CUT_MIDDLE, 1}}},
        {"srcfile",
         NULL,
         compare_file,
         fill_file,
         false,
         true,
         1,
         {{"source_file", "Source file", COLUMN_TEXT, 70, CUT_MIDDLE, .min_width = 26}}},
        {"srcline",
         NULL,
         compare_line,
         fill_line,
         false,
         true,
         5,
         {{"file", NULL, COLUMN_TEXT},
          {"line", NULL, COLUMN_COUNT},
          {"source", "Source line", COLUMN_TEXT, 70, CUT_MIDDLE, .min_width = 30},
          {"inlined_in_file", NULL, COLUMN_TEXT},
          {"inlined_in_line", NULL, COLUMN_COUNT}}},
        {"sym",
         "symbol",
         compare_symbol,
         fill_symbol,
         true,
         false,
         3,
         {{"level", NULL, COLUMN_TEXT},
          {"symbol", NULL, COLUMN_TEXT},
          {"name", "Symbol", COLUMN_TEXT, 100, CUT_SYMBOL}}},
        {"addr",
         NULL,
         compare_site,
         fill_site,
         true,
         false,
         2,
         {{"site", "Address", COLUMN_TEXT, 60, CUT_SYMBOL}, {"address", NULL, COLUMN_ADDRESS}}},
        {"input",
         NULL,
         compare_input,
         fill_input,
         false,
         false,
         1,
         {{"input", "Input", COLUMN_TEXT, 40, CUT_MIDDLE}}},
};

const struct key *key_at(unsigned index)
{
	return index < sizeof(keys) / sizeof(keys[0]) ? &keys[index] : NULL;
}

const struct key *key_find(const char *name)
{
	for (unsigned i = 0; key_at(i); i++) {
		if (!strcmp(keys[i].name, name) || (keys[i].alias && !strcmp(keys[i].alias, name)))
			return &keys[i];
	}
	return NULL;
}
