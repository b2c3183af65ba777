/* SPDX-License-Identifier: MIT */
/*
 * Section "unknown": memory accesses whose type is unknown or weak, by reason and object, with a
 * remedy. perf's word is --type-stat.
 */
#define _GNU_SOURCE
#include "data_types.h"
#include "memory.h"
#include "section.h"
#include "types.h"
#include "../session/reason.h"

#include <string.h>

static const char *why(const struct touch_type *t)
{
	if (t->source == TYPE_SAVED)
		return "a saved register or a temporary on the stack";
	if (t->source == TYPE_WEAK)
		return "weak: outside of the members of the pointer's type";
	return t->reason;
}

static const char *why_member(const struct profile *p, const struct member *m)
{
	return why(type_of_touch(p, member_touch(m)));
}

static int compare(const struct comparison *c, const struct member *a, const struct member *b)
{
	int order = strcmp(why_member(c->profile, a), why_member(c->profile, b));

	return order ? order
	             : strcmp(place_object(member_place(c->profile, a)),
	                      place_object(member_place(c->profile, b)));
}

/* Return how to record more evidence for types, or NULL. */
static const char *to_record(const struct profile *p)
{
	if (!p->samples.has_stacks)
		return "record with 'spemu record --heap -g'";
	for (unsigned i = 0; i < p->samples.recording_count; i++) {
		if (heap_allocation_site(p->samples.recordings[i].session.heap, 0))
			return NULL;
	}
	return "record with 'spemu record --heap'";
}

/* Return the remedy for code in an object without debugging information. */
static const char *for_object(const struct profile *p, const struct place *place)
{
	const char *path = object_path(place->object);

	if (place->kernel)
		return "give the kernel's file with --vmlinux";
	if (strncmp(path, "/usr/", 5) != 0 && strncmp(path, "/lib", 4) != 0)
		return "compile it with -g";
	return to_record(p) ? "record with --heap -g, or install " DEBUG_SYMBOLS
	                    : "install " DEBUG_SYMBOLS;
}

static const char *remedy_of(const struct profile *p, const struct member *m)
{
	const struct touch_type *t = type_of_touch(p, member_touch(m));
	const struct place *place = member_place(p, m);

	if (t->source == TYPE_SAVED)
		return "nothing: this is not a member of a type";
	if (t->source == TYPE_NONE && !strcmp(t->reason, NO_DEBUG_IN_OBJECT))
		return for_object(p, place);
	if (t->source == TYPE_NONE && !strcmp(t->reason, NO_DEBUG_IN_FUNCTION))
		return "compile this source file with -g; assembly has no types";
	return to_record(p);
}

static void describe_function(char *text, size_t size, const struct profile *p,
                              const struct member *m)
{
	struct place *place = member_place(p, m);

	place_find_symbol(place);
	place_name(text, size, place, false);
}

enum { LOADS, STORES, OBJECT, FUNCTIONS, WHERE, REMEDY, REASON };
static const struct column columns[] = {
        [LOADS] = {"loads", "Loads", COLUMN_COUNT, .drop = 20},
        [STORES] = {"stores", "Stores", COLUMN_COUNT, .drop = 19},
        [OBJECT] = {"object", "Shared Object", COLUMN_TEXT, 40, CUT_MIDDLE, .drop = 1},
        [FUNCTIONS] = {"functions", "Functions", COLUMN_TEXT, 80, CUT_SYMBOL, .drop = 2},
        [WHERE] = {"where", "Where", COLUMN_TEXT, 60, CUT_MIDDLE, .drop = 18},
        [REMEDY] = {"remedy", "What helps", COLUMN_TEXT, 80, CUT_END, .drop = 3},
        [REASON] = {"unknown_reason", "Why unknown", COLUMN_TEXT, 60, CUT_END, .min_width = 40},
};

static void fill_row(struct cell *c, const struct profile *p, const struct group *group)
{
	const struct member *first = group->members;
	const char *remedy = remedy_of(p, first);

	fill_counts(&c[LOADS], &c[STORES], p, group);
	cell_text(&c[REASON], why_member(p, first));
	cell_text(&c[OBJECT], place_object(member_place(p, first)));
	fill_list(&c[FUNCTIONS], p, group, describe_function);
	fill_list(&c[WHERE], p, group, describe_memory);
	if (remedy)
		cell_text(&c[REMEDY], remedy);
}

static const struct key key = {"unknown",       .compare = compare, .fill = fill_row,
                               .of_data = true, .needs_type = true, KEY_COLUMNS(columns)};

static bool is_unknown(const struct profile *p, const struct member *m)
{
	const struct touch_type *t = type_of_touch(p, member_touch(m));

	return t->source == TYPE_NONE || t->source == TYPE_SAVED || t->source == TYPE_WEAK;
}

/* Return a note with the shares of typed, weak and unknown accesses. */
static char *note_of(const struct profile *p)
{
	uint64_t all = 0, none = 0, saved = 0, weak = 0;

	for (size_t i = 0; i < p->touch_count; i++) {
		uint64_t samples = p->touches[i].bin.sums.samples;
		unsigned source = p->touch_types[i].source;

		all += samples;
		none += source == TYPE_NONE ? samples : 0;
		saved += source == TYPE_SAVED ? samples : 0;
		weak += source == TYPE_WEAK ? samples : 0;
	}
	if (!all)
		return xstrdup("no sample has a data address");
	return xasprintf("of %llu loads and stores with a data address, %.1f%% have a type, %.1f%% "
	                 "a weak one, %.1f%% are saved registers and temporaries, and %.1f%% are "
	                 "unknown",
	                 (unsigned long long)all,
	                 100 * (double)(all - none - saved - weak) / (double)all,
	                 100 * (double)weak / (double)all, 100 * (double)saved / (double)all,
	                 100 * (double)none / (double)all);
}

/* Return the view by reason. The only fields are the shares, unless others were chosen. */
static struct view shares_of(const struct view *view)
{
	struct view v = view_by(view, &key);

	if (v.chosen_fields)
		return v;
	v.field_count = 0;
	for (unsigned i = 0; i < view->field_count; i++) {
		if (view->fields[i].kind <= FIELD_SAMPLE)
			v.fields[v.field_count++] = view->fields[i];
	}
	return v;
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	struct view by_key = shares_of(view);

	memory_find_all(p);
	data_types_find(p);
	view_table(t, "unknown", "Memory accesses without a sure type", p, &by_key, is_unknown);
	t->note = note_of(p);
}

const struct section section_unknown = {"unknown", .fill = fill, .if_any = true, .of_data = true,
                                        .asked_for = true};
