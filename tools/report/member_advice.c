/* SPDX-License-Identifier: MIT */
/*
 * Advice about the members of a structure. The hot members are those that the functions with the
 * most cycles access. Each kind of advice arranges them in another way (layout_candidate.h).
 */
#define _GNU_SOURCE
#include "layout_candidate.h"

#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

enum {
	HOT = 10,         /* a 10th of the visits access a hot member */
	HOT_SAMPLES = 3,  /* samples of a hot member */
	MOST_CYCLES = 80, /* percent of the cycles whose functions decide together */
	SETS = 3,         /* sets of hot members that are tried */
	OBJECTS = 10,     /* objects that must have samples */
	NAMES = 4,        /* members that a text names */
	NAME_SIZE = 200,
};

/* ---- hot members ---- */

static void add_hot(bool hot[USE_MEMBERS], const struct type_use *use, const struct function_use *f)
{
	for (size_t i = 0; i < use->member_count; i++)
		hot[i] |= !use->members[i].large && HOT * use_weight(f, i) >= 1 &&
		          f->members[i].samples >= HOT_SAMPLES;
}

/* Find the members that the function with the most cycles accesses, the functions with most of the
 * cycles, and all functions. */
static void find_hot(bool hot[SETS][USE_MEMBERS], const struct type_use *use)
{
	double all = 0, sum = 0;

	for (size_t i = 0; i < use->function_count; i++)
		all += load_cycles(&use->functions[i].loads);
	add_hot(hot[0], use, &use->functions[0]);
	for (size_t i = 0; i < use->function_count && 100 * sum < MOST_CYCLES * all; i++) {
		add_hot(hot[1], use, &use->functions[i]);
		sum += load_cycles(&use->functions[i].loads);
	}
	for (size_t i = 0; i < use->member_count; i++)
		hot[2][i] = use->members[i].samples && !use->members[i].large;
}

static size_t count_hot(const bool hot[USE_MEMBERS], const struct type_use *use, uint64_t *bytes)
{
	size_t n = 0;

	*bytes = 0;
	for (size_t i = 0; i < use->member_count; i++) {
		n += hot[i];
		*bytes += hot[i] ? use->members[i].size : 0;
	}
	return n;
}

/* ---- texts ---- */

/* Return "next, price and quantity": the members of a set with or without samples. */
static char *list(const struct type_use *use, const bool chosen[USE_MEMBERS])
{
	char *text = xstrdup("");
	size_t left = 0, named = 0;

	for (size_t i = 0; i < use->member_count; i++)
		left += chosen[i];
	for (size_t i = 0; i < use->member_count; i++) {
		char *longer;

		if (!chosen[i])
			continue;
		if (named == NAMES && left > 1) {
			longer = xasprintf("%s and %zu more", text, left);
			free(text);
			return longer;
		}
		longer = xasprintf("%s%s%s", text,
		                   !named      ? ""
		                   : left == 1 ? " and "
		                               : ", ",
		                   use->members[i].path);
		free(text);
		text = longer;
		named++;
		left--;
	}
	return text;
}

/* Return "; customer and remark were never seen accessed", or an empty text. */
static char *never_seen(const struct type_use *use)
{
	bool unseen[USE_MEMBERS] = {false};
	uint64_t bytes = 0;
	size_t n = 0;
	char *names, *text;

	for (size_t i = 0; i < use->member_count; i++) {
		unseen[i] = !use->members[i].samples;
		bytes += unseen[i] ? use->members[i].size : 0;
		n += unseen[i];
	}
	if (!n)
		return xstrdup("");
	names = list(use, unseen);
	text = xasprintf("; %s (%llu bytes) %s never seen accessed", names,
	                 (unsigned long long)bytes, n == 1 ? "was" : "were");
	free(names);
	return text;
}

/* Return the bytes of the members that a visit of a function accesses. */
static double used_bytes(const struct type_use *use, const struct function_use *f)
{
	double bytes = 0;

	for (size_t i = 0; i < use->member_count; i++) {
		double weight = use_weight(f, i);

		if (!use->members[i].large)
			bytes += (weight < 1 ? weight : 1) * (double)use->members[i].size;
	}
	return bytes;
}

static char *what_of(const struct candidate *c, const struct type_use *use, uint64_t bytes)
{
	char *names = list(use, c->hot), *text = NULL;
	bool one = !strstr(names, " and ");

	switch (c->kind) {
	case ADVICE_SPLIT:
		text = xasprintf("move %s (%llu bytes) to a separate structure", names,
		                 (unsigned long long)bytes);
		break;
	case ADVICE_ARRAYS:
		text = one ? xasprintf("move %s to a separate array", names)
		           : xasprintf("move %s to separate arrays", names);
		break;
	case ADVICE_REORDER:
		text = xasprintf("place %s side by side", names);
		break;
	case ADVICE_UNUSED:
		text = xasprintf("keep %s, and move the other members away", names);
		break;
	default:
		text = xasprintf("align the objects to %llu bytes",
		                 (unsigned long long)(c->parts[0].stride < c->parts[0].step
		                                              ? c->parts[0].stride
		                                              : c->parts[0].step));
	}
	free(names);
	return text;
}

static char *why_of(const struct candidate *c, const struct type_use *use, unsigned line_size)
{
	const struct function_use *f = c->main;
	char name[NAME_SIZE], *unseen = never_seen(use), *text;
	bool in_order = f->loads.in_order;
	double now = in_order ? c->main_now.lines : c->main_now.touched;
	double then = in_order ? c->main_then.lines : c->main_then.touched;

	place_name(name, sizeof(name), f->place, false);
	name[strcspn(name, "(")] = 0;
	if (c->kind == ADVICE_ALIGN || c->kind == ADVICE_REORDER) {
		free(unseen);
		unseen = xstrdup("");
	}
	text = xasprintf("a visit in %s uses %.0f of the %.0f bytes of the lines that it "
	                 "touches: %.3g line%s, then %.3g%s",
	                 name, used_bytes(use, f), now * line_size, now, now == 1 ? "" : "s", then,
	                 unseen);
	free(unseen);
	return text;
}

/* ---- choice ---- */

static void take(struct advices *to, const struct profile *p, const struct candidate *c,
                 const struct type_use *use)
{
	uint64_t bytes;
	bool empty = !count_hot(c->hot, use, &bytes) && c->kind != ADVICE_ALIGN;

	if (!c->main || empty)
		return;
	advices_add(to, p,
	            &(struct advice){.kind = c->kind,
	                             .type = use->type,
	                             .place = c->main->place,
	                             .cycles = c->gain,
	                             .error = c->error,
	                             .samples = c->samples,
	                             .weak = (double)use->weak / (double)(use->weak + use->samples),
	                             .seen = use->seen,
	                             .objects = use->objects,
	                             .what = what_of(c, use, bytes),
	                             .why = why_of(c, use, p->line_size)});
}

/* Estimate a candidate of a kind for each set of hot members. Return the best one. */
static struct candidate best_of(enum advice_kind kind, bool hot[SETS][USE_MEMBERS], unsigned from,
                                unsigned to, const struct type_use *use, unsigned line_size)
{
	struct candidate best = {.kind = kind};

	for (unsigned i = from; i < to; i++) {
		struct candidate c = {.kind = kind};

		memcpy(c.hot, hot[i], sizeof(c.hot));
		candidate_estimate(&c, use, line_size);
		if (i == from || c.gain > best.gain)
			best = c;
	}
	return best;
}

/* Return true if the structure belongs to a library, so that nobody changes it. */
static bool is_library(const struct type_use *use)
{
	static const char *const spaces[] = {"std::", "__gnu_cxx::", "alloc::", "core::"};
	const char *name = use->type->name, *blank = strchr(name, ' ');

	name = blank ? blank + 1 : name;
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		if (!strncmp(name, spaces[i], strlen(spaces[i])))
			return true;
	}
	return false;
}

static void advise(struct advices *list, const struct profile *p, const struct type_use *use)
{
	bool hot[SETS][USE_MEMBERS] = {{false}};
	struct candidate apart, arrays, unused, other;

	find_hot(hot, use);
	apart = best_of(ADVICE_SPLIT, hot, 0, 2, use, p->line_size);
	unused = best_of(ADVICE_UNUSED, hot, 2, 3, use, p->line_size);
	if (use->is_array && use->functions[0].loads.in_order) {
		arrays = best_of(ADVICE_ARRAYS, hot, 0, 2, use, p->line_size);
		apart = arrays.gain >= apart.gain ? arrays : apart;
	}
	take(list, p, &apart, use);
	if (unused.gain > apart.gain)
		take(list, p, &unused, use);
	other = best_of(ADVICE_REORDER, hot, 0, 2, use, p->line_size);
	take(list, p, &other, use);
	other = best_of(ADVICE_ALIGN, hot, 0, 1, use, p->line_size);
	take(list, p, &other, use);
}

void member_advice(struct advices *list, struct profile *p, const struct group *group)
{
	struct type_use *use = xcalloc(1, sizeof(*use));

	if (type_use_find(use, p, group) && use->function_count && use->seen >= OBJECTS &&
	    !is_library(use))
		advise(list, p, use);
	type_use_free(use);
	free(use);
}
