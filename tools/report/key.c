/* SPDX-License-Identifier: MIT */
#include "key.h"
#include "cost.h"
#include "../session/data_source.h"
#include "../base/fit.h"
#include "../base/optext.h"

#include <string.h>

/* Size of a name; longer names, which are demangled, are cut. */
enum { NAME_SIZE = 4096 };

#define ONE_COLUMN(...) .columns = (const struct column[]){{__VA_ARGS__}}, .column_count = 1

/* ---- tasks and inputs ---- */

static const char *comm_of(const struct profile *p, const struct member *m)
{
	return member_place(p, m)->task->comm;
}

static uint64_t pid_of(const struct profile *p, const struct member *m)
{
	return member_place(p, m)->task->pid;
}

static uint64_t tid_of(const struct profile *p, const struct member *m)
{
	return member_place(p, m)->task->tid;
}

static uint64_t cpu_of(const struct profile *p, const struct member *m)
{
	return member_facet(p, m)->cpu;
}

static uint64_t input_of(const struct profile *p, const struct member *m)
{
	return member_place(p, m)->input;
}

static const char *path_of_input(const struct profile *p, const struct member *m)
{
	return p->samples.recordings[input_of(p, m)].path;
}

/* ---- places ---- */

static const char *dso_of(const struct profile *p, const struct member *m)
{
	return place_object(member_place(p, m));
}

static int compare_dso(const struct comparison *c, const struct member *a, const struct member *b)
{
	const struct object *x = member_place(c->profile, a)->object,
	                    *y = member_place(c->profile, b)->object;
	int order;

	if (x && x == y)
		return 0;
	order = strcmp(dso_of(c->profile, a), dso_of(c->profile, b));
	return order || c->by_name ? order : object_compare(x, y);
}

static int compare_symbol(const struct comparison *c, const struct member *a,
                          const struct member *b)
{
	const struct place *x = member_place(c->profile, a), *y = member_place(c->profile, b);
	int order;

	if (x == y)
		return 0;
	order = compare_dso(c, a, b);
	if (order)
		return order;
	return place_compare_functions(x, y, c->by_name);
}

enum { LEVEL, INLINED, SYMBOL, NAME };
static const struct column symbol_columns[] = {
        [INLINED] = {"inlined", NULL, COLUMN_COUNT},
        [LEVEL] = {"level", NULL, COLUMN_TEXT},
        [SYMBOL] = {"symbol", NULL, COLUMN_TEXT, .cut = CUT_SYMBOL},
        [NAME] = {"name", "Symbol", COLUMN_TEXT, SYMBOL_WIDTH, CUT_SYMBOL},
};

static void fill_symbol(struct cell *c, const struct profile *p, const struct group *g)
{
	const struct place *place = member_place(p, g->members);
	const char *level = place->kernel ? "k" : ".";
	char name[NAME_SIZE], text[NAME_SIZE + 20];

	place_name(name, sizeof(name), place, false);
	snprintf(text, sizeof(text), "[%s] %s%s", level, name, place->inlined ? " (inlined)" : "");
	cell_text(&c[LEVEL], level);
	cell_count(&c[INLINED], place->inlined != NULL);
	cell_text(&c[SYMBOL], name);
	cell_text(&c[NAME], text);
}

static const char *file_of(const struct profile *p, const struct member *m)
{
	return member_place(p, m)->file;
}

/* Compare texts. NULL comes first. */
static int compare_texts(const char *x, const char *y)
{
	if (x == y)
		return 0;
	return x && y ? strcmp(x, y) : (x != NULL) - (y != NULL);
}

/* Compare source lines, then the lines into which they are inlined. Lines of two recordings were
 * matched before. */
static int compare_line(const struct comparison *c, const struct member *a, const struct member *b)
{
	const struct place *x = member_place(c->profile, a), *y = member_place(c->profile, b);
	int order = c->by_name ? compare_numbers(x->same_line, y->same_line)
	                       : compare_texts(x->file, y->file);

	if (order || c->by_name)
		return order;
	order = (x->line > y->line) - (x->line < y->line);
	if (!order)
		order = compare_texts(x->caller_file, y->caller_file);
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

void place_fill(struct cell *object, struct cell *symbol, struct cell *line, struct place *place)
{
	char text[NAME_SIZE + 100];

	place_find_symbol(place);
	place_find_line(place);
	cell_text(object, place_object(place));
	place_name(text, sizeof(text), place, true);
	cell_text(symbol, text);
	if (place->file) {
		place_line_text(text, sizeof(text), place);
		cell_text(line, text);
	}
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

static void fill_line(struct cell *c, const struct profile *p, const struct group *g)
{
	const struct place *place = member_place(p, g->members);
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

static int compare_address(const struct comparison *c, const struct member *a,
                           const struct member *b)
{
	int order = compare_dso(c, a, b);

	return order ? order
	             : compare_numbers(member_place(c->profile, a)->addr,
	                               member_place(c->profile, b)->addr);
}

enum { ADDRESS_NAME, ADDRESS };
static const struct column address_columns[] = {
        [ADDRESS_NAME] = {"site", "Address", COLUMN_TEXT, 60, CUT_SYMBOL},
        [ADDRESS] = {"address", NULL, COLUMN_ADDRESS},
};

static void fill_address(struct cell *c, const struct profile *p, const struct group *g)
{
	const struct place *place = member_place(p, g->members);
	char name[NAME_SIZE];

	place_name(name, sizeof(name), place, true);
	cell_text(&c[ADDRESS_NAME], name);
	cell_count(&c[ADDRESS], place->addr);
}

/* ---- properties of records ---- */

/* Return a number for the data source. Samples without a data source come first. */
static uint64_t source_of(const struct profile *p, const struct member *m)
{
	const struct facet *f = member_facet(p, m);

	return (uint64_t)f->has_source << 32 | source_group(f->source_name, f->source);
}

static void fill_source(struct cell *c, const struct profile *p, const struct group *g)
{
	const struct facet *f = member_facet(p, g->members);
	char text[16];

	if (!f->has_source)
		return;
	snprintf(text, sizeof(text), "0x%x", f->source);
	cell_text(c, f->source_name != SOURCE_UNKNOWN ? source_names[f->source_name].word : text);
}

/* Return 0 without a TLB event, 1 for a TLB hit, 2 for a walk. */
static uint64_t tlb_of(const struct profile *p, const struct member *m)
{
	uint64_t events = member_facet(p, m)->events;

	return events >> SPEMU_EV_TLB_WALK & 1 ? 2 : events >> SPEMU_EV_TLB_ACCESS & 1;
}

static const char *tlb_text(const struct profile *p, const struct member *m)
{
	static const char *const words[] = {NULL, "hit", "walk"};

	return words[tlb_of(p, m)];
}

/* Return 0 if the data were not snooped, 1 if they were, 2 if the other cache had modified the
 * line. */
static uint64_t snoop_of(const struct profile *p, const struct member *m)
{
	uint64_t events = member_facet(p, m)->events;

	return events >> SPEMU_EV_CACHE_DATA_MODIFIED & 1 ? 2 : events >> SPEMU_EV_DATA_SNOOPED & 1;
}

static const char *snoop_text(const struct profile *p, const struct member *m)
{
	static const char *const words[] = {NULL, "hit", "hitm"};

	return words[snoop_of(p, m)];
}

static uint64_t operation_of(const struct profile *p, const struct member *m)
{
	return (uint64_t)member_facet(p, m)->op_class << 8 | member_facet(p, m)->op_subclass;
}

static void fill_operation(struct cell *c, const struct profile *p, const struct group *g)
{
	const struct facet *f = member_facet(p, g->members);
	char text[100];

	op_describe(text, sizeof(text), f->op_class, f->op_subclass);
	cell_text(c, text);
}

/* Return the reason of most cycles of a bin, without those of waiting to issue. */
static uint64_t reason_of_member(const struct profile *p, const struct member *m)
{
	struct cost cost = {0};

	cost_add(&cost, p, m->bin);
	cost_take_wait(&cost);
	return cost_most(&cost);
}

static const char *reason_word(const struct profile *p, const struct member *m)
{
	uint64_t reason = reason_of_member(p, m);

	return reason == REASONS ? NULL : reason_texts[reason].word;
}

static const struct key keys[] = {
        {"pid", .number = pid_of, ONE_COLUMN("pid", "Pid", COLUMN_COUNT)},
        {"tid", .number = tid_of, ONE_COLUMN("tid", "Tid", COLUMN_COUNT)},
        {"cpu", .number = cpu_of, ONE_COLUMN("cpu", "CPU", COLUMN_COUNT)},
        {"mem", .number = source_of, .fill = fill_source, ONE_COLUMN("mem", "Memory", COLUMN_TEXT)},
        {"tlb", .number = tlb_of, .text = tlb_text, ONE_COLUMN("tlb", "TLB", COLUMN_TEXT)},
        {"snoop", .number = snoop_of, .text = snoop_text,
         ONE_COLUMN("snoop", "Snoop", COLUMN_TEXT)},
        {"reason", .number = reason_of_member, .text = reason_word,
         ONE_COLUMN("reason", "Reason", COLUMN_TEXT)},
        {"op", .number = operation_of, .fill = fill_operation,
         ONE_COLUMN("operation", "Operation", COLUMN_TEXT, 40, CUT_END)},
        {"comm", .text = comm_of, ONE_COLUMN("command", "Command", COLUMN_TEXT, .drop = 2)},
        {"dso", .compare = compare_dso, .text = dso_of,
         ONE_COLUMN("object", "Shared Object", COLUMN_TEXT, 40, CUT_MIDDLE, 1)},
        {"srcfile", .text = file_of, .needs_line = true,
         ONE_COLUMN("source_file", "Source file", COLUMN_TEXT, 70, CUT_MIDDLE, .min_width = 26)},
        {"srcline", .compare = compare_line, .fill = fill_line, .needs_line = true,
         KEY_COLUMNS(line_columns)},
        {"sym", "symbol", .compare = compare_symbol, .fill = fill_symbol, .needs_symbol = true,
         KEY_COLUMNS(symbol_columns)},
        {"addr", .compare = compare_address, .fill = fill_address, .needs_symbol = true,
         KEY_COLUMNS(address_columns)},
        {"input", .number = input_of, .text = path_of_input,
         ONE_COLUMN("input", "Input", COLUMN_TEXT, 40, CUT_MIDDLE)},
};

const struct key *key_at(unsigned index)
{
	const unsigned count = sizeof(keys) / sizeof(keys[0]);

	return index < count ? &keys[index] : type_key_at(index - count);
}

const struct key *key_find(const char *name)
{
	const struct key *key;

	for (unsigned i = 0; (key = key_at(i)); i++) {
		if (!strcmp(key->name, name) || (key->alias && !strcmp(key->alias, name)))
			return key;
	}
	return NULL;
}

int key_compare_equal(const struct key *key, const struct comparison *c, const struct member *a,
                      const struct member *b)
{
	if (key->compare)
		return key->compare(c, a, b);
	return key->number ? 0 : compare_texts(key->text(c->profile, a), key->text(c->profile, b));
}

int key_compare(const struct key *key, const struct comparison *c, const struct member *a,
                const struct member *b)
{
	int order = key->number ? compare_numbers(key->number(c->profile, a),
	                                          key->number(c->profile, b))
	                        : 0;

	return order ? order : key_compare_equal(key, c, a, b);
}

void key_fill(struct cell *cells, const struct key *key, const struct profile *p,
              const struct group *group)
{
	const char *text = key->text ? key->text(p, group->members) : NULL;

	if (key->fill)
		key->fill(cells, p, group);
	else if (text)
		cell_text(cells, text);
	else if (!key->text)
		cell_count(cells, key->number(p, group->members));
}
