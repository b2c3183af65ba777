/* SPDX-License-Identifier: MIT */
/* See explain_put.h. */
#define _GNU_SOURCE
#include "explain_put.h"

#include <string.h>

enum {
	SHORT_FIELDS = 3, /* number of shown fields of a clause that does not decide */
	TEXT_COLUMN = 48,
};

void out_color(struct out *o, const char *code, const char *text)
{
	out_fmt(o, color_on ? "\033[%sm%s\033[0m" : "%.0s%s", code, text);
}

static void put_field_text(struct out *o, const struct spemu_field_value *f)
{
	out_fmt(o, " %.*s=", (int)f->length, f->name);
	if (!strncmp(f->name, "PE.state", 8))
		out_text(o, f->label);
	else if (!strncmp(f->name, "PSTATE.EL", 9))
		out_dec(o, f->value);
	else
		out_bits(o, f->value, f->width, BINARY_MAX);
}

void add_bool(struct json_object *o, const char *name, bool value)
{
	json_object_object_add(o, name, json_object_new_boolean(value));
}

struct json_object *json_slice(const char *text, size_t length)
{
	return json_object_new_string_len(text, (int)length);
}

static struct json_object *field_json(const struct spemu_field_value *f)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_slice(f->name, f->length));
	json_add_number(o, "value", f->value);
	json_add_text(o, "label", f->label);
	if (!f->exists)
		add_bool(o, "res0", true);
	return o;
}

static bool all_must_hold(const struct spemu_question *q)
{
	return q->topic == SPEMU_TOPIC_ENABLED || q->topic == SPEMU_TOPIC_WRITTEN ||
	       q->topic == SPEMU_TOPIC_INTERRUPT || q->topic == SPEMU_TOPIC_PENDING;
}

static const char *verdict(const struct spemu_question *q, const struct spemu_trace_step *s)
{
	return all_must_hold(q) ? s->holds ? "ok" : "FAIL" : s->decides ? "->" : "no";
}

static void put_step_text(struct out *o, const struct spemu_question *q,
                          const struct spemu_trace_step *s, bool all_fields)
{
	const char *word = verdict(q, s);
	unsigned shown = 0;

	out_text(o, "  ");
	out_color(o, *word == 'F' ? "1;31" : *word == 'n' ? "2" : "32", word);
	out_fmt(o, "%*s%-7s %-*s", (int)(6 - strlen(word)), "", s->rule,
	        s->field_count ? TEXT_COLUMN : 0, s->text);
	if (s->field_count && strlen(s->text) >= TEXT_COLUMN)
		out_text(o, " ");
	for (unsigned i = 0; i < s->field_count; i++) {
		if (!s->field[i].exists && !all_fields)
			continue;
		if (shown == SHORT_FIELDS && !s->decides && !all_fields &&
		    q->topic != SPEMU_TOPIC_ACCESS) {
			out_text(o, " ...");
			break;
		}
		shown++;
		put_field_text(o, &s->field[i]);
	}
	out_text(o, "\n");
}

void put_trace_text(struct out *o, const struct spemu_pe *pe, const struct spemu_question *q,
                    enum shown_steps shown, bool all_fields)
{
	struct spemu_trace_step step;
	unsigned position = 0;

	while (spemu_explain_trace(pe, &step, &position, q) == SPEMU_OK)
		if (shown == ALL_STEPS || step.decides)
			put_step_text(o, q, &step, all_fields);
}

struct spemu_trace_step last_step(const struct spemu_pe *pe, const struct spemu_question *q)
{
	struct spemu_trace_step step, last = {0};
	unsigned position = 0;

	while (spemu_explain_trace(pe, &step, &position, q) == SPEMU_OK)
		last = step;
	return last;
}

void add_trace(struct json_object *root, const char *key, const struct spemu_pe *pe,
               const struct spemu_question *q)
{
	struct json_object *steps = json_object_new_array();
	struct spemu_trace_step s;
	unsigned position = 0;

	while (spemu_explain_trace(pe, &s, &position, q) == SPEMU_OK) {
		struct json_object *o = json_object_new_object(), *fields = json_object_new_array();

		json_add_text(o, "rule", s.rule);
		json_add_text(o, "text", s.text);
		add_bool(o, "holds", s.holds);
		add_bool(o, "decides", s.decides);
		for (unsigned i = 0; i < s.field_count; i++)
			json_object_array_add(fields, field_json(&s.field[i]));
		json_object_object_add(o, "fields", fields);
		json_object_array_add(steps, o);
	}
	json_object_object_add(root, key, steps);
}

/* Return true if a clause of the question reads the field. */
static bool looks_at(const struct spemu_pe *pe, const struct spemu_question *q, const char *name)
{
	struct spemu_trace_step s;
	unsigned position = 0;

	while (spemu_explain_trace(pe, &s, &position, q) == SPEMU_OK)
		for (unsigned i = 0; i < s.field_count; i++)
			if (s.field[i].length == strlen(name) &&
			    !memcmp(s.field[i].name, name, s.field[i].length))
				return true;
	return false;
}

void put_effective(struct out *o, const struct spemu_pe *pe, const struct spemu_question *q)
{
	struct spemu_effective e;
	bool any = false;

	for (unsigned i = 0; spemu_explain_effective(pe, &e, i) == SPEMU_OK; i++) {
		if (!e.why || (q && !looks_at(pe, q, e.name)))
			continue;
		out_text(o, any ? "" : "Effective values that differ from the written values:\n");
		any = true;
		out_fmt(o, "  %s is ", e.name);
		out_bits(o, e.raw, e.width, BINARY_MAX);
		out_text(o, ", Effectively ");
		out_bits(o, e.effective, e.width, BINARY_MAX);
		out_fmt(o, ": %s\n", e.why);
	}
}

void add_effective(struct json_object *root, const struct spemu_pe *pe)
{
	struct json_object *list = json_object_new_array();
	struct spemu_effective e;

	for (unsigned i = 0; spemu_explain_effective(pe, &e, i) == SPEMU_OK; i++) {
		struct json_object *o = json_object_new_object();

		json_add_text(o, "name", e.name);
		json_add_number(o, "raw", e.raw);
		json_add_number(o, "effective", e.effective);
		json_add_text(o, "why", e.why);
		json_object_array_add(list, o);
	}
	json_object_object_add(root, "effective", list);
}

struct json_object *question_json(const char *question)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "question", question);
	return o;
}
