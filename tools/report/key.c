/* SPDX-License-Identifier: MIT */
/* See key.h. */
#include "key.h"
#include "../session/data_source.h"
#include "../base/optext.h"

#include <string.h>

/* Demangled names are long; those that are longer lose their ends. */
enum { NAME_SIZE = 4096 };

#define ONE_COLUMN(...) .columns = (const struct column[]){{__VA_ARGS__}}, .column_count = 1

/* ---- tasks and inputs ---- */

static int compare_comm(const struct member *a, const struct member *b, bool by_name)
{
	(void)by_name;
	return a->place->task == b->place->task
	               ? 0
	               : strcmp(a->place->task->comm, b->place->task->comm);
}

static void fill_comm(struct cell *c, const struct group *g)
{
	cell_text(c, g->members->place->task->comm);
}

static uint64_t pid_of(const struct member *m)
{
	return m->place->task->pid;
}

static uint64_t tid_of(const struct member *m)
{
	return m->place->task->tid;
}

static uint64_t cpu_of(const struct member *m)
{
	return m->facet->cpu;
}

static uint64_t input_of(const struct member *m)
{
	return m->place->input;
}

static void fill_input(struct cell *c, const struct group *g)
{
	cell_text(c, g->members->profile->samples.recordings[input_of(g->members)].path);
}

/* ---- places ---- */

static int compare_dso(const struct member *a, const struct member *b, bool by_name)
{
	const struct object *x = a->place->object, *y = b->place->object;
	int order;

	if (x && x == y)
		return 0;
	order = strcmp(place_object(a->place), place_object(b->place));
	return order || by_name ? order : object_compare(x, y);
}

static void fill_dso(struct cell *c, const struct group *g)
{
	cell_text(c, place_object(g->members->place));
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

enum { LEVEL, SYMBOL, NAME };
static const struct column symbol_columns[] = {
        [LEVEL] = {"level", NULL, COLUMN_TEXT},
        [SYMBOL] = {"symbol", NULL, COLUMN_TEXT},
        [NAME] = {"name", "Symbol", COLUMN_TEXT, 100, CUT_SYMBOL},
};

static void fill_symbol(struct cell *c, const struct group *g)
{
	const struct place *place = g->members->place;
	const char *level = place->kernel ? "k" : ".";
	char name[NAME_SIZE], text[NAME_SIZE + 8];

	place_name(name, sizeof(name), place, false);
	snprintf(text, sizeof(text), "[%s] %s", level, name);
	cell_text(&c[LEVEL], level);
	cell_text(&c[SYMBOL], name);
	cell_text(&c[NAME], text);
}

static int compare_file(const struct member *a, const struct member *b, bool by_name)
{
	const char *x = a->place->file, *y = b->place->file;

	(void)by_name;
	if (x == y)
		return 0;
	return x && y ? strcmp(x, y) : (x != NULL) - (y != NULL);
}

static void fill_file(struct cell *c, const struct group *g)
{
	if (g->members->place->file)
		cell_text(c, g->members->place->file);
}

/* Compare lines, and then the lines into which they were inlined. */
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

enum { FILE_NAME, LINE, SOURCE, INLINED_IN_FILE, INLINED_IN_LINE };
static const struct column line_columns[] = {
        [FILE_NAME] = {"file", NULL, COLUMN_TEXT},
        [LINE] = {"line", NULL, COLUMN_COUNT},
        [SOURCE] = {"source", "Source line", COLUMN_TEXT, 70, CUT_MIDDLE, .min_width = 30},
        [INLINED_IN_FILE] = {"inlined_in_file", NULL, COLUMN_TEXT},
        [INLINED_IN_LINE] = {"inlined_in_line", NULL, COLUMN_COUNT},
};

static void fill_line(struct cell *c, const struct group *g)
{
	const struct place *place = g->members->place;
	char text[NAME_SIZE + 100];
	size_t n;

	place_line_text(text, sizeof(text), place);
	n = strlen(text);
	if (place->caller_file && n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, " < %s:%d", last_part(place->caller_file),
		         place->caller_line);
	cell_text(&c[SOURCE], text);
	if (!place->file)
		return;
	cell_text(&c[FILE_NAME], place->file);
	cell_count(&c[LINE], (uint64_t)place->line);
	if (!place->caller_file)
		return;
	cell_text(&c[INLINED_IN_FILE], place->caller_file);
	cell_count(&c[INLINED_IN_LINE], (uint64_t)place->caller_line);
}

static int compare_address(const struct member *a, const struct member *b, bool by_name)
{
	int order = compare_dso(a, b, by_name);

	return order ? order : compare_numbers(a->place->addr, b->place->addr);
}

enum { SITE, ADDRESS };
static const struct column address_columns[] = {
        [SITE] = {"site", "Address", COLUMN_TEXT, 60, CUT_SYMBOL},
        [ADDRESS] = {"address", NULL, COLUMN_ADDRESS},
};

static void fill_address(struct cell *c, const struct group *g)
{
	char name[NAME_SIZE];

	place_name(name, sizeof(name), g->members->place, true);
	cell_text(&c[SITE], name);
	cell_count(&c[ADDRESS], g->members->place->addr);
}

/* ---- what records say ---- */

/* Samples without a data source come first. */
static uint64_t source_of(const struct member *m)
{
	return (uint64_t)m->facet->has_source << 32 |
	       source_group(m->facet->source_name, m->facet->source);
}

static void fill_source(struct cell *c, const struct group *g)
{
	const struct facet *f = g->members->facet;
	char text[16];

	if (!f->has_source)
		return;
	snprintf(text, sizeof(text), "0x%x", f->source);
	cell_text(c, f->source_name != SOURCE_UNKNOWN ? source_names[f->source_name].word : text);
}

/* 0: no access; 1: found in a TLB; 2: a walk */
static uint64_t tlb_of(const struct member *m)
{
	uint64_t events = m->facet->events;

	return events >> SPEMU_EV_TLB_WALK & 1 ? 2 : events >> SPEMU_EV_TLB_ACCESS & 1;
}

static void fill_tlb(struct cell *c, const struct group *g)
{
	uint64_t tlb = tlb_of(g->members);

	if (tlb)
		cell_text(c, tlb == 2 ? "walk" : "hit");
}

/* 0: not snooped; 1: snooped; 2: of a line that the other cache had modified */
static uint64_t snoop_of(const struct member *m)
{
	uint64_t events = m->facet->events;

	return events >> SPEMU_EV_CACHE_DATA_MODIFIED & 1 ? 2 : events >> SPEMU_EV_DATA_SNOOPED & 1;
}

static void fill_snoop(struct cell *c, const struct group *g)
{
	uint64_t snoop = snoop_of(g->members);

	if (snoop)
		cell_text(c, snoop == 2 ? "hitm" : "hit");
}

static uint64_t operation_of(const struct member *m)
{
	return (uint64_t)m->facet->op_class << 8 | m->facet->op_subclass;
}

static void fill_operation(struct cell *c, const struct group *g)
{
	char text[100];

	op_describe(text, sizeof(text), g->members->facet->op_class,
	            g->members->facet->op_subclass);
	cell_text(c, text);
}

static const struct key keys[] = {
        {"pid", .number = pid_of, ONE_COLUMN("pid", "Pid", COLUMN_COUNT)},
        {"tid", .number = tid_of, ONE_COLUMN("tid", "Tid", COLUMN_COUNT)},
        {"cpu", .number = cpu_of, ONE_COLUMN("cpu", "CPU", COLUMN_COUNT)},
        {"mem", NULL, source_of, NULL, fill_source, ONE_COLUMN("mem", "Memory", COLUMN_TEXT)},
        {"tlb", NULL, tlb_of, NULL, fill_tlb, ONE_COLUMN("tlb", "TLB", COLUMN_TEXT)},
        {"snoop", NULL, snoop_of, NULL, fill_snoop, ONE_COLUMN("snoop", "Snoop", COLUMN_TEXT)},
        {"op", NULL, operation_of, NULL, fill_operation,
         ONE_COLUMN("operation", "Operation", COLUMN_TEXT, 40, CUT_END)},
        {"comm", NULL, NULL, compare_comm, fill_comm,
         ONE_COLUMN("command", "Command", COLUMN_TEXT, .drop = 2)},
        {"dso", NULL, NULL, compare_dso, fill_dso,
         ONE_COLUMN("object", "Shared Object", COLUMN_TEXT, 40, CUT_MIDDLE, 1)},
        {"srcfile", NULL, NULL, compare_file, fill_file, .needs_line = true,
         ONE_COLUMN("source_file", "Source file", COLUMN_TEXT, 70, CUT_MIDDLE, .min_width = 26)},
        {"srcline", NULL, NULL, compare_line, fill_line, .needs_line = true,
         KEY_COLUMNS(line_columns)},
        {"sym", "symbol", NULL, compare_symbol, fill_symbol, .needs_symbol = true,
         KEY_COLUMNS(symbol_columns)},
        {"addr", NULL, NULL, compare_address, fill_address, .needs_symbol = true,
         KEY_COLUMNS(address_columns)},
        {"input", NULL, input_of, NULL, fill_input,
         ONE_COLUMN("input", "Input", COLUMN_TEXT, 40, CUT_MIDDLE)},
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

int key_compare(const struct key *key, const struct member *a, const struct member *b, bool by_name)
{
	int order = key->number ? compare_numbers(key->number(a), key->number(b)) : 0;

	return order || !key->compare ? order : key->compare(a, b, by_name);
}

void key_fill(struct cell *cells, const struct key *key, const struct group *group)
{
	if (key->fill)
		key->fill(cells, group);
	else
		cell_count(cells, key->number(group->members));
}
