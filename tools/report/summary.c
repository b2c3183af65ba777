/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "summary.h"
#include "memory.h"
#include "../base/clean.h"
#include "../base/fit.h"
#include "../base/json.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 4200, WIDEST = 120, INDENT = 11 };

/* Insert a cause into the list of the largest ones. Equal causes stay in the order of the calls. */
static void offer(struct summary *a, const struct cause *c)
{
	unsigned at = a->count;

	while (at && a->causes[at - 1].size < c->size)
		at--;
	if (at == CAUSES)
		return;
	if (a->count < CAUSES)
		a->count++;
	memmove(&a->causes[at + 1], &a->causes[at], (a->count - 1 - at) * sizeof(*c));
	a->causes[at] = *c;
}

/* Return the cache line that was sampled most among those in another core's cache, or NULL. */
static const struct cache_line *shared_line(const struct profile *p, const struct group *g)
{
	const struct cache_line *line = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct bin *bin = g->members[i].bin;
		uint32_t index = p->facets[bin->facet].line;

		if (!index || bin->sums.samples <= most)
			continue;
		most = bin->sums.samples;
		line = &p->lines[index - 1];
	}
	return line;
}

static void offer_group(struct summary *a, const struct profile *p, const struct group *g,
                        uint64_t whole)
{
	struct cause c = {.place = member_place(p, g->members),
	                  .metrics = group_metrics(p, g),
	                  .whole = whole ? whole : p->all.samples};

	metrics_free(&c.metrics); /* the summary does not show data sources */
	c.wait = reason_take_wait(c.metrics.reasons);
	c.size = whole ? reason_sum(c.metrics.reasons) : g->samples;
	if (!c.size)
		return;
	c.line = shared_line(p, g);
	offer(a, &c);
}

static uint64_t all_reasons(const struct profile *p)
{
	uint64_t cycles[REASON_MAX] = {0};

	for (size_t i = 0; i < p->bin_index.count; i++)
		reason_add(cycles, p, &p->facets[p->bins[i].facet], &p->bins[i].sums);
	reason_take_wait(cycles);
	return reason_sum(cycles);
}

void summary_find(struct summary *a, struct profile *p)
{
	static const char *const keys[] = {"sym", "srcline", NULL};
	static const struct view empty;
	struct view view = view_of(&empty, keys);
	uint64_t whole = all_reasons(p);
	struct groups g;

	memset(a, 0, sizeof(*a));
	a->has_latencies = whole;
	groups_make(&g, p, &view, false, NULL);
	for (size_t i = 0; i < g.count; i++)
		offer_group(a, p, &g.group[i], whole);
	groups_free(&g);
}

static const struct reason *reason_of(const struct cause *c)
{
	unsigned most = reason_most(c->metrics.reasons);

	return most == REASON_MAX ? NULL : reason_at(most);
}

/* Return true if threads share the data, so that the names of the data matter. */
static bool is_sharing(const struct reason *reason)
{
	return reason &&
	       (!strcmp(reason->word, "false sharing") || !strcmp(reason->word, "data sharing"));
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

/* Return "symbol at file:line", with both parts cut to fit the room. The caller frees it. */
static char *place_text(const struct place *place, unsigned room)
{
	char name[NAME_SIZE], line[NAME_SIZE], cut[NAME_SIZE], where[NAME_SIZE];
	unsigned width;

	place_name(name, sizeof(name), place, false);
	if (!place->file) {
		snprintf(line, sizeof(line), "%s", place_object(place));
	} else {
		place_line_text(line, sizeof(line), place);
	}
	width = text_width(line) + 4 > room / 2 ? room / 2 - 4 : text_width(line);
	if (text_width(name) + 4 + text_width(line) <= room)
		width = text_width(line);
	else if (text_width(name) + 4 < room - width)
		width = room - 4 - text_width(name);
	cut_middle(where, sizeof(where), line, width);
	cut_symbol(cut, sizeof(cut), name, room - 4 - text_width(where));
	return xasprintf("%s %s %s", cut, place->file ? "at" : "in", where);
}

/* Write text as indented lines of at most width columns. */
static void put_wrapped(struct out *o, char *text, unsigned width)
{
	unsigned used = 0;

	for (char *word = strtok(clean_text(text), " "); word; word = strtok(NULL, " ")) {
		char cut[NAME_SIZE];
		unsigned w;

		cut_middle(cut, sizeof(cut), word, width - INDENT);
		w = text_width(cut);
		if (!used || used + 1 + w > width) {
			out_fmt(o, "%s%*s%s", used ? "\n" : "", INDENT, "", cut);
			used = INDENT + w;
		} else {
			out_fmt(o, " %s", cut);
			used += 1 + w;
		}
	}
	out_text(o, "\n");
}

/* Write "46% LLC loads, 28% TLB walks": reasons of at least a tenth, the largest first. */
static void reasons_text(char *text, size_t size, const struct metrics *m)
{
	uint64_t cycles[REASON_MAX], whole = reason_sum(m->reasons);
	size_t length = 0;

	memcpy(cycles, m->reasons, sizeof(cycles));
	text[0] = 0;
	for (unsigned r = reason_most(cycles); r != REASON_MAX && 10 * cycles[r] >= whole;
	     r = reason_most(cycles)) {
		length += (size_t)snprintf(
		        text + length, size - length, "%s%.0f%% %s", length ? ", " : "",
		        100 * (double)cycles[r] / (double)whole, reason_at(r)->word);
		cycles[r] = 0;
	}
}

static void put_detail(struct out *o, const struct cause *c, struct profile *p, unsigned width)
{
	const struct reason *reason = reason_of(c);
	const struct sums *s = &c->metrics.sums;
	char samples[32], reasons[400], all[700] = "", names[700], waiting[64] = "", *text;

	grouped(samples, sizeof(samples), s->samples);
	if (!reason) {
		text = xasprintf("%s samples; no reason is known, because the records do not have "
		                 "both latencies and events",
		                 samples);
	} else {
		if (c->line && is_sharing(reason))
			line_names(all, sizeof(all), p, c->line);
		cut_symbol(names, sizeof(names), all, width - INDENT);
		reasons_text(reasons, sizeof(reasons), &c->metrics);
		if (c->wait)
			snprintf(waiting, sizeof(waiting), ", %.1f of them waiting to issue",
			         (double)c->wait / (double)s->timed);
		text = xasprintf("%s; %s samples of %.1f cycles%s: %s%s%s", reason->meaning,
		                 samples, s->timed ? (double)s->latency / (double)s->timed : 0.0,
		                 waiting, reasons, names[0] ? "; data: " : "", names);
	}
	put_wrapped(o, text, width);
	free(text);
}

static void put_cause(struct out *o, unsigned rank, const struct cause *c, struct profile *p,
                      unsigned width)
{
	const char *word = reason_of(c) ? reason_of(c)->word : NULL;
	unsigned used = INDENT + (word ? text_width(word) + 2 : 0);
	char *place = clean_text(place_text(c->place, width - used));

	out_fmt(o, "%3u %5.1f%% %s%s%s%s%s\n", rank, 100 * (double)c->size / (double)c->whole,
	        color_on ? "\033[1m" : "", word ? word : "", color_on ? "\033[0m" : "",
	        word ? ": " : "", place);
	free(place);
	put_detail(o, c, p, width);
}

void summary_print(const struct summary *a, struct profile *p, struct out *o)
{
	unsigned width = screen_width() ? screen_width() : WIDEST;
	uint64_t size = 0, mispredicted = 0;

	out_fmt(o, "#\n# %sThe largest causes%s\n", color_on ? "\033[1m" : "",
	        color_on ? "\033[0m" : "");
	if (!a->count) {
		out_text(o, "#   (none)\n");
		return;
	}
	for (unsigned i = 0; i < a->count; i++) {
		put_cause(o, i + 1, &a->causes[i], p, width);
		size += a->causes[i].size;
		mispredicted += a->causes[i].metrics.events[SPEMU_EV_MISPREDICTED];
	}
	out_comment_fmt(o, "together %.1f%% of the %s",
	                100 * (double)size / (double)a->causes[0].whole,
	                a->has_latencies ? "cycles" : "samples");
	if (a->has_latencies && mispredicted)
		out_comment_fmt(o, "assuming %d cycles for each misprediction",
		                MISPREDICTION_CYCLES);
}

static struct json_object *cause_reasons(const struct metrics *m)
{
	struct json_object *o = json_object_new_object();

	for (unsigned r = 0; r < reason_count(); r++) {
		if (m->reasons[r])
			json_add_number(o, reason_at(r)->word, m->reasons[r]);
	}
	return o;
}

static struct json_object *cause_json(const struct cause *c, struct profile *p)
{
	struct json_object *o = json_object_new_object();
	const struct reason *reason = reason_of(c);
	const struct sums *s = &c->metrics.sums;
	char name[NAME_SIZE], names[700];

	place_name(name, sizeof(name), c->place, false);
	json_object_object_add(o, "share",
	                       json_object_new_double(100 * (double)c->size / (double)c->whole));
	json_object_object_add(o, "reason", reason ? json_object_new_string(reason->word) : NULL);
	json_add_text(o, "meaning", reason ? reason->meaning : NULL);
	json_add_text(o, "object", place_object(c->place));
	json_add_text(o, "symbol", name);
	json_add_text(o, "file", c->place->file);
	if (c->place->file)
		json_add_number(o, "line", (uint64_t)c->place->line);
	json_add_number(o, "samples", s->samples);
	if (s->timed)
		json_object_object_add(
		        o, "latency",
		        json_object_new_double((double)s->latency / (double)s->timed));
	if (s->timed)
		json_object_object_add(o, "wait",
		                       json_object_new_double((double)c->wait / (double)s->timed));
	/* These include the estimated cycles of mispredictions, but not the waits for issue. */
	json_object_object_add(o, "cycles", cause_reasons(&c->metrics));
	if (c->line) {
		line_names(names, sizeof(names), p, c->line);
		json_add_text(o, "data", names);
	}
	return o;
}

struct json_object *summary_json(const struct summary *a, struct profile *p)
{
	struct json_object *all = json_object_new_array();

	for (unsigned i = 0; i < a->count; i++)
		json_object_array_add(all, cause_json(&a->causes[i], p));
	return all;
}
