/* SPDX-License-Identifier: MIT */
/* Section "advice": changes of the layout of structures, and the cycles that they could save. */
#define _GNU_SOURCE
#include "advice.h"
#include "section.h"

#include "../base/common.h"

#include <stdlib.h>

enum {
	LEAST = 100, /* an advice saves at least a 100th of all cycles */
	LEAST_SAMPLES = 20,
	WEAK_MOST = 25, /* percent of weak answers */
	HIGH_SAMPLES = 100,
	MEDIUM_SAMPLES = 50,
	HIGH_WEAK = 5,
	MEDIUM_WEAK = 10, /* percent */
	HIGH_ERROR = 3,   /* the error is at most a third of the cycles */
	TYPES_MAX = 16,   /* types with the most cycles */
};

const char *advice_word(enum advice_kind kind)
{
	static const char *const words[ADVICE_KINDS] = {
	        [ADVICE_SPLIT] = "hot/cold split",  [ADVICE_ARRAYS] = "struct of arrays",
	        [ADVICE_REORDER] = "reorder",       [ADVICE_ALIGN] = "align",
	        [ADVICE_UNUSED] = "unused members", [ADVICE_PAD] = "pad",
	        [ADVICE_SEPARATE] = "separate"};

	return words[kind];
}

const char *advice_sureness(const struct advice *a)
{
	if (a->samples >= HIGH_SAMPLES && 100 * a->weak <= HIGH_WEAK &&
	    HIGH_ERROR * a->error <= a->cycles)
		return "high";
	return a->samples >= MEDIUM_SAMPLES && 100 * a->weak <= MEDIUM_WEAK ? "medium" : "low";
}

static void free_texts(const struct advice *a)
{
	free(a->what);
	free(a->why);
}

void advices_add(struct advices *list, const struct profile *p, const struct advice *a)
{
	bool supported = LEAST * a->cycles >= (double)p->all.latency && a->cycles > a->error &&
	                 a->samples >= LEAST_SAMPLES && 100 * a->weak <= WEAK_MOST;

	if (supported)
		APPEND(list->of, list->count, list->capacity) = *a;
	else
		free_texts(a);
}

static int compare_advice(const void *pa, const void *pb)
{
	const struct advice *a = pa, *b = pb;

	return a->cycles != b->cycles ? (a->cycles < b->cycles ? 1 : -1)
	                              : (int)a->kind - (int)b->kind;
}

static bool has_type(const struct profile *p, const struct member *m)
{
	const struct touch *touch = member_touch(m);

	return data_type_of_touch(p, touch)->type && type_of_touch(p, touch)->source != TYPE_WEAK;
}

const struct advices *advices_find(struct profile *p)
{
	static const struct key by_type = {"type", .number = member_type_number, .of_data = true};
	static const struct view empty;
	struct view view = view_by(&empty, &by_type);
	struct groups g;

	if (p->advices)
		return p->advices;
	p->advices = xcalloc(1, sizeof(*p->advices));
	if (!p->all.latency)
		return p->advices;
	data_types_find(p);
	groups_make(&g, p, &view, false, has_type);
	for (size_t i = 0; i < g.count && i < TYPES_MAX; i++) {
		if (member_is_structure(p, g.group[i].members))
			member_advice(p->advices, p, &g.group[i]);
		sharing_advice(p->advices, p, &g.group[i]);
	}
	groups_free(&g);
	if (p->advices->count)
		qsort(p->advices->of, p->advices->count, sizeof(*p->advices->of), compare_advice);
	return p->advices;
}

/* ---- the section ---- */

enum { SAVES, ERROR, SAMPLES, WEAK, SEEN, OBJECTS, SURE, TYPE, KIND, WHAT, WHY, FUNCTION };
static const struct column columns[] = {
        [SAVES] = {"saves", "Saves", COLUMN_PERCENT},
        [ERROR] = {"error", "+-", COLUMN_PERCENT, .drop = 3},
        [SAMPLES] = {"samples", "Samples", COLUMN_COUNT, .drop = 2},
        [WEAK] = {"weak", "Weak", COLUMN_PERCENT, .drop = 5},
        [SEEN] = {"objects_seen", "Seen", COLUMN_COUNT, .drop = 4},
        [OBJECTS] = {"objects", "Objects", COLUMN_COUNT, .drop = 4},
        [SURE] = {"sure", "Sure", COLUMN_TEXT, .drop = 1},
        [TYPE] = {"data_type", "Type", COLUMN_TEXT, 60, CUT_SYMBOL},
        [KIND] = {"advice", "Advice", COLUMN_TEXT},
        [WHAT] = {"change", "Change", COLUMN_TEXT, .below = true},
        [WHY] = {"why", "Why", COLUMN_TEXT, .below = true},
        [FUNCTION] = {"symbol", NULL, COLUMN_TEXT},
};

static void fill_row(struct cell *c, const struct profile *p, const struct advice *a)
{
	char name[4200];

	cell_number(&c[SAVES], a->cycles / (double)p->all.latency);
	cell_number(&c[ERROR], a->error / (double)p->all.latency);
	cell_count(&c[SAMPLES], a->samples);
	cell_number(&c[WEAK], a->weak);
	cell_count(&c[SEEN], a->seen);
	cell_count(&c[OBJECTS], (uint64_t)(a->objects + 0.5));
	cell_text(&c[SURE], advice_sureness(a));
	cell_text(&c[TYPE], a->type->name);
	cell_text(&c[KIND], advice_word(a->kind));
	cell_text(&c[WHAT], a->what);
	cell_text(&c[WHY], a->why);
	place_name(name, sizeof(name), a->place, false);
	cell_text(&c[FUNCTION], name);
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	const struct advices *all = advices_find(p);
	size_t rows;

	table_init(t, "advice", "Advice about the layout of structures", columns,
	           sizeof(columns) / sizeof(columns[0]));
	t->note = xstrdup("estimates; the savings of one type do not add up; record again after a "
	                  "change");
	rows = view_limit(t, view, all->count, all->count);
	for (size_t i = 0; i < rows; i++)
		fill_row(table_row(t), p, &all->of[i]);
}

const struct section section_advice = {"advice", .fill = fill, .with = &section_layout,
                                       .if_any = true, .of_data = true};
