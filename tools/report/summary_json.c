/* SPDX-License-Identifier: MIT */
#include "advice.h"
#include "interpreter.h"
#include "summary.h"
#include "../base/json.h"

#include <stdlib.h>

enum { NAME_SIZE = 4200 };

static void add_percent(struct json_object *to, const char *key, uint64_t part, uint64_t whole)
{
	json_object_object_add(
	        to, key, whole ? json_object_new_double(100 * (double)part / (double)whole) : NULL);
}

static struct json_object *cost_json(const struct cost *cost)
{
	struct json_object *o = json_object_new_object();

	for (unsigned r = 0; r < REASONS; r++) {
		if (cost->cycles[r])
			json_add_number(o, reason_texts[r].word, cost->cycles[r]);
	}
	return o;
}

static struct json_object *lines_json(const struct cause *c)
{
	struct json_object *all = json_object_new_array(), *one;

	for (unsigned i = 0; i < CAUSE_LINES && c->lines[i].file; i++) {
		one = json_object_new_object();
		json_add_text(one, "file", c->lines[i].file);
		json_add_number(one, "line", (uint64_t)c->lines[i].line);
		add_percent(one, "share", c->lines[i].cycles, c->size);
		json_object_array_add(all, one);
	}
	return all;
}

/* Add the change of a layout that saves the most of a cause. */
static void add_layout(struct json_object *to, const struct advice *a, uint64_t latency)
{
	struct json_object *o;

	if (!a)
		return;
	o = json_object_new_object();
	json_add_text(o, "advice", advice_word(a->kind));
	json_add_text(o, "data_type", a->type->name);
	json_add_text(o, "change", a->what);
	add_percent(o, "saves", (uint64_t)a->cycles, latency);
	json_object_object_add(to, "layout", o);
}

static struct json_object *cause_json(const struct cause *c, const struct summary *s)
{
	struct json_object *o = json_object_new_object();
	const struct reason_text *reason = cause_reason(c);
	char name[NAME_SIZE], link[80];

	add_percent(o, "share", c->size, s->whole);
	json_add_text(o, "reason", reason->word);
	json_add_text(o, "area", area_words[reason->area]);
	json_add_text(o, "meaning", reason->meaning);
	json_add_text(o, "advice", reason->advice);
	reason_link(link, sizeof(link), reason);
	json_add_text(o, "remedies", link);
	json_add_text(o, "object", place_object(c->place));
	if (c->functions) {
		json_add_number(o, "functions", c->functions);
	} else {
		cause_name(name, sizeof(name), c);
		json_add_text(o, "symbol", name);
	}
	json_object_object_add(o, "lines", lines_json(c));
	json_add_number(o, "samples", c->sums.samples);
	if (c->sums.timed)
		json_object_object_add(
		        o, "latency",
		        json_object_new_double((double)c->sums.latency / (double)c->sums.timed));
	json_object_object_add(o, "model_error",
	                       cause_error(s, c) < 0 ? NULL
	                                             : json_object_new_int(cause_error(s, c)));
	json_object_object_add(o, "cycles", cost_json(&c->cost));
	json_add_text(o, "members", c->members);
	json_add_text(o, "data", c->data);
	add_layout(o, c->layout, s->latency);
	if (c->threads) {
		json_add_number(o, "threads", c->threads);
		json_object_object_add(o, "estimated", json_object_new_boolean(c->estimated));
	}
	return o;
}

static struct json_object *hot_json(const struct hot_function *hot, uint64_t whole)
{
	struct json_object *o = json_object_new_object();
	char name[NAME_SIZE];

	place_name(name, sizeof(name), hot->place, false);
	add_percent(o, "share", hot->cycles, whole);
	json_add_text(o, "object", place_object(hot->place));
	json_add_text(o, "symbol", name);
	return o;
}

struct json_object *summary_json(const struct summary *s)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	char *text = summary_text(s);

	json_add_text(o, "text", text);
	free(text);
	json_object_object_add(o, "cycles", cost_json(&s->cost));
	add_percent(o, "avoidable", s->avoidable, s->whole);
	add_percent(o, "covered", s->covered, s->avoidable);
	add_percent(o, "startup", s->startup, s->whole);
	json_object_object_add(o, "flat", json_object_new_boolean(s->flat));
	if (s->interpreter)
		json_add_text(o, "interpreter", s->interpreter->name);
	for (unsigned i = 0; i < s->count; i++)
		json_object_array_add(list, cause_json(&s->causes[i], s));
	json_object_object_add(o, "causes", list);
	list = json_object_new_array();
	for (unsigned i = 0; i < s->hot_count; i++)
		json_object_array_add(list, hot_json(&s->hot[i], s->whole ? s->whole : s->samples));
	json_object_object_add(o, "functions", list);
	return o;
}
