/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "advice.h"
#include "contention.h"
#include "interpreter.h"
#include "summary.h"
#include "../base/clean.h"
#include "../base/fit.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 4200, WIDEST = 120, INDENT = 11 };

/* ---- what bounds the program ---- */

struct sentences {
	char *text;
};

__attribute__((format(printf, 2, 3))) static void add(struct sentences *s, const char *fmt, ...)
{
	char *more, *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&more, fmt, ap) < 0)
		die(EXIT_OWN, "out of memory");
	va_end(ap);
	text = xasprintf("%s%s", s->text ? s->text : "", more);
	free(more);
	free(s->text);
	s->text = text;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* Add ": DRAM 19%, TLB 11%", the areas of memory with at least 1 %, the largest first. */
static void add_memory_areas(struct sentences *s, const struct summary *a)
{
	uint64_t cycles[AREAS] = {0};
	const char *before = ": ";

	for (unsigned i = 0; i < AREAS; i++) {
		enum cause_kind kind = CAUSE_KINDS;

		for (unsigned r = 0; r < REASONS && kind == CAUSE_KINDS; r++)
			kind = reason_texts[r].area == i ? cause_kind_of(r) : CAUSE_KINDS;
		cycles[i] = kind == CAUSE_MEMORY ? cost_of_area(&a->running, i) : 0;
	}
	for (;;) {
		unsigned most = 0;

		for (unsigned i = 1; i < AREAS; i++)
			most = cycles[i] > cycles[most] ? i : most;
		if (percent(cycles[most], a->whole) < 1)
			return;
		add(s, "%s%s %.0f%%", before, area_words[most], percent(cycles[most], a->whole));
		cycles[most] = 0;
		before = ", ";
	}
}

/* Add one sentence about a kind of causes. */
static void add_kind(struct sentences *s, const struct summary *a, enum cause_kind kind)
{
	double share = percent(summary_of_kind(a, kind), a->whole);

	switch (kind) {
	case CAUSE_CONTENTION:
		add(s, " %.0f%% of the cycles are contention between threads%s.", share,
		    a->estimated ? ", by an estimate (--interleave 50 models it)" : "");
		break;
	case CAUSE_MEMORY:
		add(s, " %.0f%% of the cycles wait for data", share);
		add_memory_areas(s, a);
		add(s, ".");
		break;
	case CAUSE_BRANCHES:
		add(s, " Mispredicted branches cost %.0f%%.", share);
		break;
	case CAUSE_STORES:
		add(s, " Stores that miss or wait for the store buffer cost %.0f%%.", share);
		break;
	case CAUSE_KINDS:
		break;
	}
}

/* Return true if at least a tenth of the cycles is avoidable. */
static bool is_worth(const struct summary *a)
{
	return a->whole && a->avoidable * 10 >= a->whole;
}

/* Return true if the largest functions are listed, because less than half is avoidable. */
static bool shows_functions(const struct summary *a)
{
	return !a->whole || 2 * a->avoidable < a->whole;
}

/* Add the first sentence, about the largest kind of causes. Return the kind, or CAUSE_KINDS if no
 * kind is large. */
static enum cause_kind add_bound(struct sentences *s, const struct summary *a)
{
	static const char *const words[CAUSE_KINDS] = {
	        [CAUSE_CONTENTION] = "Bound by contention:",
	        [CAUSE_MEMORY] = "Memory-bound:",
	        [CAUSE_BRANCHES] = "Bound by mispredicted branches:",
	        [CAUSE_STORES] = "Bound by stores:",
	};
	enum cause_kind most = CAUSE_CONTENTION;

	for (enum cause_kind k = 0; k < CAUSE_KINDS; k++)
		most = summary_of_kind(a, k) > summary_of_kind(a, most) ? k : most;
	if (percent(summary_of_kind(a, most), a->whole) >= 20) {
		add(s, "%s", words[most]);
		add_kind(s, a, most);
		return most;
	}
	if (!is_worth(a))
		add(s, "No memory or branch problem: the cost is the number of instructions.");
	else
		add(s, "Mostly bound by the number of instructions.");
	return CAUSE_KINDS;
}

char *summary_text(const struct summary *a)
{
	uint64_t execution =
	        cost_of_area(&a->running, AREA_EXECUTION) + cost_of_area(&a->running, AREA_L1);
	struct sentences s = {0};
	enum cause_kind named;

	if (!a->whole) {
		add(&s, "The records do not have both latencies and events, so no reason is known; "
		        "rows are sorted by samples.");
		return s.text;
	}
	named = add_bound(&s, a);
	for (enum cause_kind k = 0; k < CAUSE_KINDS; k++) {
		if (k != named && percent(summary_of_kind(a, k), a->whole) >= 1)
			add_kind(&s, a, k);
	}
	add(&s, " %.0f%% execute instructions.", percent(execution, a->whole));
	if (percent(a->running.cycles[REASON_ISSUE], a->whole) >= 1)
		add(&s, " %.0f%% wait for the results of other operations.",
		    percent(a->running.cycles[REASON_ISSUE], a->whole));
	if (percent(a->startup, a->whole) >= 1)
		add(&s, " Start-up and dynamic loading take %.0f%%, and are not listed.",
		    percent(a->startup, a->whole));
	if (a->threads_met && !summary_of_kind(a, CAUSE_CONTENTION))
		add(&s, " No contention was seen.");
	return s.text;
}

/* ---- causes ---- */

const struct reason_text *cause_reason(const struct cause *c)
{
	struct cost main = cost_in_area(&c->cost, cost_main_area(&c->cost));

	return &reason_texts[cost_most(&main)];
}

int cause_error(const struct summary *a, const struct cause *c)
{
	return c->estimated ? -1 : a->errors[cost_main_area(&c->cost)];
}

void reason_link(char *text, size_t size, const struct reason_text *reason)
{
	size_t n = (size_t)snprintf(text, size, "remedies.md#%s", reason->word);

	for (size_t i = strlen("remedies.md#"); i < n && i < size; i++)
		text[i] = text[i] == ' ' ? '-' : (char)tolower((unsigned char)text[i]);
}

void cause_name(char *text, size_t size, const struct cause *c)
{
	if (c->functions)
		snprintf(text, size, "%s", place_object(c->place));
	else
		place_name(text, size, c->place, false);
}

/* Return "symbol in object" or "symbol at file:line", with both parts cut to fit the room. The
 * caller frees it. */
static char *place_text(const struct cause *c, unsigned room)
{
	char name[NAME_SIZE], line[NAME_SIZE], cut[NAME_SIZE], where[NAME_SIZE];
	bool lined = c->lines[0].file;
	unsigned width;

	cause_name(name, sizeof(name), c);
	if (!c->functions && !c->place->symbol && !c->place->inlined) {
		/* The name is that of the object. */
		cut_middle(cut, sizeof(cut), name, room);
		return xstrdup(cut);
	}
	if (c->functions) {
		cut_middle(cut, sizeof(cut), name, room - 20);
		return xasprintf("%u function%s in %s", c->functions, c->functions == 1 ? "" : "s",
		                 cut);
	}
	if (lined)
		snprintf(line, sizeof(line), "%s:%d", c->lines[0].file, c->lines[0].line);
	else
		snprintf(line, sizeof(line), "%s", place_object(c->place));
	width = text_width(line) + 4 > room / 2 ? room / 2 - 4 : text_width(line);
	if (text_width(name) + 4 + text_width(line) <= room)
		width = text_width(line);
	else if (text_width(name) + 4 < room - width)
		width = room - 4 - text_width(name);
	cut_middle(where, sizeof(where), line, width);
	cut_symbol(cut, sizeof(cut), name, room - 4 - text_width(where));
	return xasprintf("%s %s %s", cut, lined ? "at" : "in", where);
}

/* Write a number with separators, as in "1,234". */
static const char *grouped(char *buf, size_t size, uint64_t n)
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	size_t at = 0;

	for (size_t i = 0; i < length && at + 2 < size; i++) {
		if (i && (length - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = 0;
	return buf;
}

/* Add ": 46% LLC loads, 28% TLB walks", the reasons of at least a tenth. The largest area comes
 * first, and the largest reason of an area. A single reason is in the headline already. */
static void add_reasons(struct sentences *s, const struct cause *c)
{
	struct cost rest = c->cost;
	const char *before = ": ";

	if (100 * rest.cycles[cost_most(&rest)] >= 99 * c->size)
		return;
	while (cost_sum(&rest)) {
		struct cost part = cost_in_area(&rest, cost_main_area(&rest));

		for (enum reason r; (r = cost_most(&part)) != REASONS;) {
			if (10 * part.cycles[r] >= c->size) {
				add(s, "%s%.0f%% %s", before, percent(part.cycles[r], c->size),
				    reason_texts[r].word);
				before = ", ";
			}
			part.cycles[r] = rest.cycles[r] = 0;
		}
	}
}

static void add_lines(struct sentences *s, const struct cause *c)
{
	for (unsigned i = 1; i < CAUSE_LINES && c->lines[i].file; i++) {
		bool same = !strcmp(c->lines[i].file, c->lines[0].file);
		const char *slash = strrchr(c->lines[i].file, '/');

		if (c->lines[i].cycles * 10 < c->size)
			break;
		add(s, i == 1 ? "; also at " : ", ");
		if (same)
			add(s, "line %d", c->lines[i].line);
		else
			add(s, "%s:%d", slash ? slash + 1 : c->lines[i].file, c->lines[i].line);
	}
}

/* Add the members and the data. Leave out the remedy after a semicolon if an earlier cause has
 * it. */
static void add_data(struct sentences *s, const struct summary *a, const struct cause *c,
                     unsigned width)
{
	char data[NAME_SIZE];

	if (c->members)
		add(s, "; data: %s", c->members);
	if (!c->data || !*c->data)
		return;
	cut_symbol(data, sizeof(data), c->data, width - INDENT);
	for (const struct cause *before = a->causes; before < c; before++) {
		if (before->data && !strcmp(before->data, c->data))
			data[strcspn(data, ";")] = 0;
	}
	add(s, c->members ? " in %s" : "; data: %s", data);
}

/* Add what the main reason means and what to try, unless a cause before has the same reason. */
static void add_meaning(struct sentences *s, const struct summary *a, const struct cause *c)
{
	const struct reason_text *reason = cause_reason(c);

	for (const struct cause *before = a->causes; before < c; before++) {
		if (cause_reason(before) == reason)
			return;
	}
	add(s, "%s; %s; ", reason->meaning, reason->advice);
}

/* Add the change of a layout that saves the most. A structure without a name has that of its
 * variable. */
static void add_layout(struct sentences *s, const struct summary *a, const struct cause *c)
{
	const char *type;
	bool unnamed;

	if (!c->layout)
		return;
	type = c->layout->type->name;
	unnamed = c->kind == CAUSE_CONTENTION && c->data && strstr(type, "(anonymous)");
	add(s, "; try first: in %s%s, %s, which could save %.0f%% of all cycles",
	    unnamed ? "the structure of " : "", unnamed ? c->data : type, c->layout->what,
	    percent((uint64_t)c->layout->cycles, a->latency));
}

static void put_detail(struct out *o, const struct summary *a, const struct cause *c,
                       unsigned width)
{
	struct sentences s = {0};
	char samples[32];

	add_meaning(&s, a, c);
	add(&s, "%s sample%s of %.1f cycles", grouped(samples, sizeof(samples), c->sums.timed),
	    c->sums.timed == 1 ? "" : "s",
	    c->sums.timed ? (double)c->size / (double)c->sums.timed : 0.0);
	if (c->kind == CAUSE_BRANCHES)
		add(&s, ", %d of them assumed", MISPREDICTION_CYCLES);
	if (cause_error(a, c) >= 0)
		add(&s, " (model error %d%%)", cause_error(a, c));
	add_reasons(&s, c);
	add_lines(&s, c);
	add_data(&s, a, c, width);
	add_layout(&s, a, c);
	if (c->threads)
		add(&s, "; %u threads", c->threads);
	if (c->estimated)
		add(&s,
		    "; estimated from addresses and threads as %d cycles for each transfer, "
		    "because threads ran freely: record with --interleave 50 to model it",
		    CONTENTION_CYCLES);
	out_wrapped(o, s.text, "", INDENT, width);
	free(s.text);
}

static void put_cause(struct out *o, const struct summary *a, unsigned i, unsigned width)
{
	const struct cause *c = &a->causes[i];
	const char *word = cause_reason(c)->word;
	char *place = clean_text(place_text(c, width - INDENT - text_width(word) - 2));

	out_fmt(o, "%3u %5.1f%% %s%s%s: %s\n", i + 1, percent(c->size, a->whole),
	        color_on ? "\033[1m" : "", word, color_on ? "\033[0m" : "", place);
	free(place);
	put_detail(o, a, c, width);
}

/* Write the shares of objects or commands that have at least 1 %, unless one has all. */
static void put_parts(struct out *o, const struct summary *a, const struct part parts[PARTS],
                      const char *words, unsigned width)
{
	uint64_t whole = a->whole ? a->whole : a->samples;
	struct sentences s = {0};

	if (!parts[0].name || percent(parts[0].cycles, whole) >= 99.5)
		return;
	add(&s, "%s:", words);
	for (unsigned i = 0; i < PARTS && parts[i].name; i++) {
		if (!i || percent(parts[i].cycles, whole) >= 1)
			add(&s, "%s %s %.0f%%", i ? "," : "", parts[i].name,
			    percent(parts[i].cycles, whole));
	}
	out_wrapped(o, s.text, "", 4, width);
	free(s.text);
}

static void put_hot(struct out *o, const struct summary *a, unsigned width)
{
	uint64_t whole = a->whole ? a->whole : a->samples;

	out_fmt(o, "#\n# %sThe largest functions%s (all of their cycles)\n",
	        color_on ? "\033[1m" : "", color_on ? "\033[0m" : "");
	for (unsigned i = 0; i < a->hot_count; i++) {
		const struct cause c = {.place = a->hot[i].place};
		char *place = clean_text(place_text(&c, width - INDENT));

		out_fmt(o, "    %5.1f%% %s\n", percent(a->hot[i].cycles, whole), place);
		free(place);
	}
	put_parts(o, a, a->objects, "by object", width);
	put_parts(o, a, a->commands, "by command", width);
}

/* Add a word as a shell needs it. length is its length in bytes. */
static void add_quoted(struct sentences *s, const char *text, size_t length)
{
	char word[NAME_SIZE];
	bool plain = length;

	snprintf(word, sizeof(word), "%.*s", (int)length, text);
	for (const char *c = word; *c && plain; c++)
		plain = isalnum((unsigned char)*c) || strchr("_./-+:@%", *c);
	if (plain || strchr(word, '\''))
		add(s, plain ? "%s" : "\"%s\"", word);
	else
		add(s, "'%s'", word);
}

/* Add a command and its input. */
static void add_command(struct sentences *s, const struct summary *a, const char *command)
{
	add(s, "spemu %s", command);
	if (strcmp(a->input, "perf.data") != 0) {
		add(s, " -i ");
		add_quoted(s, a->input, strlen(a->input));
	}
}

/* Write the commands to run next, with the names of the largest cause. */
static void put_next(struct out *o, const struct summary *a, unsigned width)
{
	bool caused = a->count && is_worth(a);
	struct place *place = caused ? a->causes[0].place : a->hot_count ? a->hot[0].place : NULL;
	struct sentences s = {0};
	const char *name;
	char link[80];
	size_t length;

	if (!place)
		return;
	name = place->inlined ? place->inlined : place->symbol;
	if (name) {
		add_command(&s, a, "annotate");
		add(&s, " ");
		/* annotate takes names without parameters. */
		length = strcspn(name, "(");
		if (!length || strstr(name, "operator("))
			length = strlen(name);
		add_quoted(&s, name, length);
	} else {
		add(&s, "see the message about missing symbols");
	}
	if (caused && a->causes[0].kind == CAUSE_CONTENTION) {
		add(&s, "; ");
		add_command(&s, a, "report");
		add(&s, " --section offsets");
	}
	if (caused && a->causes[0].layout) {
		add(&s, "; ");
		add_command(&s, a, "report");
		add(&s, " --section %s,advice",
		    a->causes[0].kind == CAUSE_CONTENTION ? "sharing" : "layout");
	}
	if (caused)
		reason_link(link, sizeof(link), cause_reason(&a->causes[0]));
	else
		snprintf(link, sizeof(link), "remedies.md#no-memory-or-branch-problem");
	add(&s, "; docs/howto/%s", link);
	out_wrapped(o, s.text, "# next:", 8, width);
	free(s.text);
}

static void put_interpreter(struct out *o, const struct interpreter *interpreter, unsigned width)
{
	char *text =
	        xasprintf("the functions are those of %s, not of the program that it executes; to "
	                  "see that program's own functions, %s",
	                  interpreter->name, interpreter_advice(interpreter));

	out_wrapped(o, text, "# note:", 8, width);
	free(text);
}

/* Say what a name like fn_49c0 means, if the summary has one. */
static void put_unnamed(struct out *o, const struct summary *a, unsigned width)
{
	const struct place *found = NULL;
	char *text;

	for (unsigned i = 0; i < a->count && !found; i++) {
		if (!a->causes[i].functions && place_is_unnamed(a->causes[i].place))
			found = a->causes[i].place;
	}
	for (unsigned i = 0; i < a->hot_count && !found && shows_functions(a); i++)
		found = place_is_unnamed(a->hot[i].place) ? a->hot[i].place : NULL;
	if (!found)
		return;
	text = xasprintf("%s is a function without a symbol, named by its address in %s",
	                 found->symbol, place_object(found));
	out_wrapped(o, text, "# note:", 8, width);
	free(text);
}

static void put_coverage(struct out *o, const struct summary *a)
{
	if (a->flat)
		out_comment(o,
		            "the profile is flat: no few functions explain most of the avoidable "
		            "cycles");
	if (a->count)
		out_comment_fmt(o, "together %.1f%% of the cycles, %.0f%% of the avoidable ones",
		                percent(a->covered, a->whole), percent(a->covered, a->avoidable));
}

static void put_causes(struct out *o, const struct summary *a, unsigned width)
{
	if (!a->whole)
		return;
	out_fmt(o, "#\n# %s%s%s\n", color_on ? "\033[1m" : "",
	        is_worth(a) || !a->count ? "The largest causes" : "Small causes",
	        color_on ? "\033[0m" : "");
	if (!a->count)
		out_text(o, "#   (none)\n");
	for (unsigned i = 0; i < a->count; i++)
		put_cause(o, a, i, width);
	put_coverage(o, a);
}

void summary_print(const struct summary *a, struct out *o)
{
	unsigned width = screen_width() ? screen_width() : WIDEST;
	char *text = summary_text(a);

	out_fmt(o, "#\n# %sSummary%s\n", color_on ? "\033[1m" : "", color_on ? "\033[0m" : "");
	out_wrapped(o, text, "  ", 2, width);
	free(text);
	/* If little is avoidable, the functions with the most cycles come first. */
	if (!is_worth(a))
		put_hot(o, a, width);
	put_causes(o, a, width);
	if (is_worth(a) && shows_functions(a))
		put_hot(o, a, width);
	put_unnamed(o, a, width);
	if (a->interpreter)
		put_interpreter(o, a->interpreter, width);
	put_next(o, a, width);
}
