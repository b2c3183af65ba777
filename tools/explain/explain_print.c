/* SPDX-License-Identifier: MIT */
/* spemu explain: answers, as text for people and as JSON for programs. */
#define _GNU_SOURCE
#include "explain.h"
#include "../base/json.h"

#include <stdlib.h>
#include <string.h>

enum {
	SHORT_FIELDS = 3, /* shown of a clause that is not what the answer hangs on */
	TEXT_COLUMN = 48,
};

void out_value(struct out *o, uint64_t value, unsigned width)
{
	out_text(o, width <= 4 ? "0b" : "0x");
	for (unsigned i = width; width <= 4 && i-- > 0;)
		out_text(o, value >> i & 1 ? "1" : "0");
	if (width > 4)
		out_hex(o, value, 0);
}

static void out_color(struct out *o, const char *code, const char *text)
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
		out_value(o, f->value, f->width);
}

static void add_bool(struct json_object *o, const char *name, bool value)
{
	json_object_object_add(o, name, json_object_new_boolean(value));
}

static struct json_object *json_slice(const char *text, size_t length)
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

static const char *verdict(const struct spemu_question *q, const struct spemu_trace_step *s)
{
	if (q->topic == SPEMU_TOPIC_ENABLED)
		return s->holds ? "ok" : "FAIL";
	return s->decides ? "->" : "no";
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
		if (shown == SHORT_FIELDS && !s->decides && !all_fields) {
			out_text(o, " ...");
			break;
		}
		shown++;
		put_field_text(o, &s->field[i]);
	}
	out_text(o, "\n");
}

static void put_trace_text(struct out *o, const struct spemu_pe *pe, const struct spemu_question *q,
                           bool all_fields)
{
	struct spemu_trace_step step;
	unsigned position = 0;

	while (spemu_explain_trace(pe, &step, &position, q) == SPEMU_OK)
		put_step_text(o, q, &step, all_fields);
}

/* Return the last step of a trace: of a topic whose first clause that holds decides, the step that decides. */
static struct spemu_trace_step last_step(const struct spemu_pe *pe, const struct spemu_question *q)
{
	struct spemu_trace_step step, last = {0};
	unsigned position = 0;

	while (spemu_explain_trace(pe, &step, &position, q) == SPEMU_OK)
		last = step;
	return last;
}

static void add_trace(struct json_object *root, const char *key, const struct spemu_pe *pe,
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

static void put_effective(struct out *o, const struct spemu_pe *pe)
{
	struct spemu_effective e;
	bool any = false;

	for (unsigned i = 0; spemu_explain_effective(pe, &e, i) == SPEMU_OK; i++) {
		if (!e.why)
			continue;
		out_text(o, any ? "" : "Effective values that differ from what is written:\n");
		any = true;
		out_fmt(o, "  %s is ", e.name);
		out_value(o, e.raw, e.width);
		out_text(o, ", Effectively ");
		out_value(o, e.effective, e.width);
		out_fmt(o, ": %s\n", e.why);
	}
}

static void add_effective(struct json_object *root, const struct spemu_pe *pe)
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

static const char *at_level(const struct spemu_decisions *d, unsigned el)
{
	return d->enabled[el] ? "enabled" : d->available[el] ? "disabled" : "n/a";
}

static void put_write_text(struct out *o, const struct spemu_remedy_write *w, unsigned security,
                           const struct spemu_decisions *d)
{
	out_fmt(o, "  %.*s=", (int)w->length, w->field);
	out_value(o, w->value, w->width);
	if (!w->el)
		out_text(o, "  which no Exception level may write in this state");
	else
		out_fmt(o, "  writable at EL%u%s (MSR %s)", w->el, w->el == 3 ? " only" : "",
		        w->name);
	if (!strncmp(w->field, "MDCR_EL3.NSPB", 13) && d->owner.security != security)
		out_fmt(o, "; firmware keeps the buffer for %s state",
		        spemu_security_name(d->owner.security));
	out_text(o, "\n");
}

static void put_remedy_text(struct out *o, const struct spemu_pe *pe, unsigned el,
                            unsigned security, const struct spemu_decisions *d)
{
	struct spemu_remedy r;

	spemu_explain_remedy(pe, &r, el);
	if (r.never_text) {
		out_fmt(o, "to enable it: never in this state; what stays: %s (%s)\n", r.never_text,
		        r.never_rule);
		return;
	}
	out_text(o, "to enable it:\n");
	for (unsigned i = 0; i < r.count; i++)
		put_write_text(o, &r.write[i], security, d);
}

static struct json_object *write_json(const struct spemu_remedy_write *w)
{
	struct json_object *o = json_object_new_object();
	char level[8];

	json_object_object_add(o, "field", json_slice(w->field, w->length));
	json_add_number(o, "value", w->value);
	snprintf(level, sizeof(level), "EL%u", w->el);
	json_object_object_add(o, "writable_at", w->el ? json_text(level) : NULL);
	json_object_object_add(o, "as", w->el ? json_text(w->name) : NULL);
	return o;
}

static void add_remedy(struct json_object *root, const struct spemu_pe *pe, unsigned el)
{
	struct json_object *never = NULL, *writes = json_object_new_array();
	struct spemu_remedy r;

	spemu_explain_remedy(pe, &r, el);
	if (r.never_text) {
		never = json_object_new_object();
		json_add_text(never, "rule", r.never_rule);
		json_add_text(never, "text", r.never_text);
	}
	json_object_object_add(root, "never", never);
	for (unsigned i = 0; i < r.count; i++)
		json_object_array_add(writes, write_json(&r.write[i]));
	json_object_object_add(root, "to_enable", writes);
}

/* {"EL0":..., ..., "EL3":...} */
static void add_levels(struct json_object *root, const char *key, const bool *levels)
{
	static const char *const names[] = {"EL0", "EL1", "EL2", "EL3"};
	struct json_object *o = json_object_new_object();

	for (unsigned el = 0; el < 4; el++)
		add_bool(o, names[el], levels[el]);
	json_object_object_add(root, key, o);
}

static void add_decisions(struct json_object *root, const struct spemu_decisions *d)
{
	struct json_object *owner = json_object_new_object();

	add_bool(root, "stopped", d->stopped);
	add_bool(root, "buffer_enabled", d->buffer_enabled);
	json_add_text(owner, "security", spemu_security_name(d->owner.security));
	json_add_number(owner, "el", d->owner.el);
	json_object_object_add(root, "owner", owner);
	json_add_text(root, "regime", d->regime);
	add_levels(root, "enabled", d->enabled);
	add_levels(root, "available", d->available);
}

/* The beginning of an answer. */
static struct json_object *question_json(const char *question)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "question", question);
	return o;
}

static void print_json(struct json_object *o)
{
	out_json(&out_stdout, o);
	out_text(&out_stdout, "\n");
}

int print_enabled(const struct spemu_pe *pe, unsigned el, bool json, bool all_fields)
{
	struct spemu_question q = {.topic = SPEMU_TOPIC_ENABLED, .el = (uint8_t)el};
	struct spemu_decisions d;
	struct out *o = &out_stdout;
	unsigned security = spemu_explain_security(pe);
	char why[SPEMU_STOPPED_TEXT_MAX];
	bool stopped = spemu_explain_stopped(why, sizeof(why), pe) > 0;

	spemu_explain_decide(pe, &d);
	if (json) {
		struct json_object *root = question_json("enabled");

		add_bool(root, "answer", d.enabled[el]);
		json_add_number(root, "el", el);
		json_add_text(root, "security", spemu_security_name(security));
		add_decisions(root, &d);
		if (stopped)
			json_add_text(root, "stopped_by", why);
		add_trace(root, "clauses", pe, &q);
		add_effective(root, pe);
		add_remedy(root, pe, el);
		print_json(root);
	} else {
		out_text(o, "profiling is ");
		out_color(o, d.enabled[el] ? "1;32" : "1;31",
		          d.enabled[el] ? "ENABLED" : "DISABLED");
		out_fmt(o, " at EL%u, %s state\n", el, spemu_security_name(security));
		if (stopped)
			out_fmt(o, "stopped by %s\n", why);
		put_trace_text(o, pe, &q, all_fields);
		out_fmt(o, "the buffer's owner: %s; EL0 %s, EL1 %s, EL2 %s, EL3 %s\n", d.regime,
		        at_level(&d, 0), at_level(&d, 1), at_level(&d, 2), at_level(&d, 3));
		put_effective(o, pe);
		if (!d.enabled[el])
			put_remedy_text(o, pe, el, security, &d);
	}
	return d.enabled[el] ? ANSWER_YES : ANSWER_NO;
}

int print_owner(const struct spemu_pe *pe, bool json, bool all_fields)
{
	struct spemu_question security = {.topic = SPEMU_TOPIC_OWNER_SECURITY};
	struct spemu_question level = {.topic = SPEMU_TOPIC_OWNER_EL};
	struct spemu_decisions d;
	struct out *o = &out_stdout;

	spemu_explain_decide(pe, &d);
	if (json) {
		struct json_object *root = question_json("owner");

		add_decisions(root, &d);
		add_trace(root, "security_clauses", pe, &security);
		add_trace(root, "el_clauses", pe, &level);
		add_effective(root, pe);
		print_json(root);
		return ANSWER_YES;
	}
	out_fmt(o, "the Profiling Buffer belongs to %s state, EL%u: translation regime %s\n",
	        spemu_security_name(d.owner.security), d.owner.el, d.regime);
	out_text(o, "owning Security state:\n");
	put_trace_text(o, pe, &security, all_fields);
	out_text(o, "owning Exception level:\n");
	put_trace_text(o, pe, &level, all_fields);
	put_effective(o, pe);
	return ANSWER_YES;
}

static const char *const outcome_text[] = {
        [SPEMU_ACCESS_OK] = "succeeds",
        [SPEMU_ACCESS_UNDEFINED] = "is UNDEFINED",
        [SPEMU_ACCESS_TRAP_EL2] = "traps to EL2",
        [SPEMU_ACCESS_TRAP_EL3] = "traps to EL3",
        [SPEMU_ACCESS_NVMEM] = "becomes a memory access",
        [SPEMU_ACCESS_TRAP_EL1] = "traps to EL1",
};
static const char *const outcome_word[] = {
        [SPEMU_ACCESS_OK] = "ok",
        [SPEMU_ACCESS_UNDEFINED] = "undefined",
        [SPEMU_ACCESS_TRAP_EL2] = "trap-el2",
        [SPEMU_ACCESS_TRAP_EL3] = "trap-el3",
        [SPEMU_ACCESS_NVMEM] = "nvmem",
        [SPEMU_ACCESS_TRAP_EL1] = "trap-el1",
};

static bool reads_pmbidr(const struct spemu_access_result *result, enum spemu_reg reg, bool write)
{
	return result->outcome == SPEMU_ACCESS_OK && reg == SPEMU_REG_PMBIDR_EL1 && !write;
}

static struct json_object *access_json(const struct spemu_access_result *result, const char *name,
                                       bool write, unsigned el)
{
	struct json_object *root = question_json("access");
	char *instruction = xasprintf("%s %s", write ? "MSR" : "MRS", name);

	add_bool(root, "answer", result->outcome == SPEMU_ACCESS_OK);
	json_add_text(root, "instruction", instruction);
	json_add_number(root, "el", el);
	json_add_text(root, "outcome", outcome_word[result->outcome]);
	free(instruction);
	return root;
}

int print_access(const struct spemu_pe *pe, const char *name, uint32_t encoding, bool write,
                 unsigned el, bool json, bool all_fields)
{
	struct spemu_question q = {SPEMU_TOPIC_ACCESS, (uint8_t)el, .write = write,
	                           .encoding = encoding};
	struct spemu_access_result result;
	struct out *o = &out_stdout;
	enum spemu_reg reg = SPEMU_REG_COUNT;
	struct spemu_decisions d;
	const char *target;
	bool trap;

	spemu_explain_decide(pe, &d);
	spemu_explain_access(pe, &result, &reg, encoding, write, el);
	target = reg < SPEMU_REG_COUNT ? spemu_reg_name(reg) : name;
	trap = result.outcome == SPEMU_ACCESS_TRAP_EL1 || result.outcome == SPEMU_ACCESS_TRAP_EL2 ||
	       result.outcome == SPEMU_ACCESS_TRAP_EL3;
	if (json) {
		struct json_object *root = access_json(&result, name, write, el);

		if (result.outcome == SPEMU_ACCESS_OK)
			json_add_text(root, "register", target);
		if (reads_pmbidr(&result, reg, write))
			json_add_number(root, "pmbidr_p", spemu_explain_pmbidr_p(pe, el));
		if (result.outcome == SPEMU_ACCESS_NVMEM)
			json_add_number(root, "offset", result.nvmem_offset);
		if (trap) {
			json_add_number(root, "ec", 24);
			json_add_number(root, "iss", result.iss);
		}
		add_trace(root, "clauses", pe, &q);
		add_effective(root, pe);
		print_json(root);
	} else {
		out_fmt(o, "%s %s at EL%u ", write ? "MSR" : "MRS", name, el);
		out_color(o, result.outcome == SPEMU_ACCESS_OK ? "1;32" : "1;31",
		          outcome_text[result.outcome]);
		if (result.outcome == SPEMU_ACCESS_OK && strcmp(name, target) != 0)
			out_fmt(o, " and accesses %s", target);
		if (result.outcome == SPEMU_ACCESS_NVMEM)
			out_fmt(o, " at VNCR_EL2.BADDR + %#x", result.nvmem_offset);
		if (trap)
			out_fmt(o, ", EC 0x18, ISS %#x with Rt 0", result.iss);
		out_text(o, "\n");
		if (reads_pmbidr(&result, reg, write))
			out_fmt(o, "PMBIDR_EL1.P reads as %u: the buffer's owner is %s\n",
			        spemu_explain_pmbidr_p(pe, el), d.regime);
		put_trace_text(o, pe, &q, all_fields);
		if (all_fields)
			put_effective(o, pe);
	}
	return result.outcome == SPEMU_ACCESS_OK ? ANSWER_YES : ANSWER_NO;
}

int print_event(const struct spemu_pe *pe, const struct spemu_management_event_description *event,
                bool json, bool all_fields)
{
	struct spemu_question q = {SPEMU_TOPIC_EVENT, .ec = event->ec, .fsc = event->fsc};
	struct spemu_trace_step step = last_step(pe, &q);
	struct spemu_effective ee = {0};
	struct out *o = &out_stdout;
	bool interrupt;

	for (unsigned i = 0; spemu_explain_effective(pe, &ee, i) == SPEMU_OK; i++)
		if (!strcmp(ee.name, "PMSCR_EL1.EE"))
			break;
	interrupt = step.value == 1 && ee.effective == 0;
	if (json) {
		struct json_object *root = question_json("event");
		char name[16];

		snprintf(name, sizeof(name), "PMBSR_EL%u", (unsigned)step.value);
		json_add_text(root, "event", event->name);
		json_add_text(root, "register", name);
		json_add_number(root, "ec", event->ec);
		json_add_number(root, "status", event->fsc);
		add_bool(root, "pmbirq", interrupt);
		add_trace(root, "clauses", pe, &q);
		add_effective(root, pe);
		print_json(root);
		return ANSWER_YES;
	}
	out_fmt(o, "%s is recorded in PMBSR_EL%u: EC %#x (%s)", event->name, step.value, event->ec,
	        spemu_management_event_class_text(event->ec));
	if (!strcmp(event->name, "collision"))
		out_text(o, ", COLL alone");
	else if (spemu_management_event_status_text(event->ec, event->fsc)[0] != 'r')
		out_fmt(o, ", %s %#x (%s)", event->ec ? "FSC" : "BSC", event->fsc,
		        spemu_management_event_status_text(event->ec, event->fsc));
	out_text(o, "\n");
	put_trace_text(o, pe, &q, all_fields);
	if (!strcmp(event->name, "collision"))
		out_text(o, "a collision stops nothing and signals nothing\n");
	else if (interrupt)
		out_text(o, "signaled by PMBIRQ: the Effective PMSCR_EL1.EE is 0b00 (RTSJRP)\n");
	else
		out_fmt(o, "no PMBIRQ: EL%u gets an SPE Profiling exception (RTSJRP)\n",
		        step.value);
	if (all_fields)
		put_effective(o, pe);
	return ANSWER_YES;
}

/* Who writes the control that decided, from its name. */
static const char *writer(const char *field)
{
	if (!strncmp(field, "MDCR_EL3", 8))
		return "EL3";
	return strncmp(field, "MDCR_EL2", 8) == 0 ? "EL2 and EL3" : "EL1 and above";
}

int print_capture(const struct spemu_pe *pe, bool json, bool all_fields)
{
	static const char *const words[] = {"DISABLED", "PROHIBITED", "ALLOWED"};
	struct spemu_question q = {.topic = SPEMU_TOPIC_CAPTURE};
	struct spemu_trace_step step = last_step(pe, &q);
	struct spemu_decisions d;
	struct out *o = &out_stdout;
	bool allowed;

	spemu_explain_decide(pe, &d);
	allowed = d.capture == SPEMU_CAPTURE_ALLOWED;
	if (json) {
		struct json_object *root = question_json("capture");

		add_bool(root, "answer", allowed);
		json_add_text(root, "capture", spemu_capture_name(d.capture));
		add_trace(root, "clauses", pe, &q);
		print_json(root);
		return allowed ? ANSWER_YES : ANSWER_NO;
	}
	out_text(o, "PMU snapshots are ");
	out_color(o, allowed ? "1;32" : "1;31", words[d.capture]);
	out_text(o, "\n");
	put_trace_text(o, pe, &q, all_fields);
	if (d.capture == SPEMU_CAPTURE_DISABLED)
		out_text(o, "a request is ignored: PMSSCR_EL1 stays as it is (RMFJWS)\n");
	else if (!allowed)
		out_text(o, "a request sets PMSSCR_EL1.{NC, SS} to {1, 0} and captures nothing\n");
	else
		out_text(
		        o,
		        "a request captures all counters and sets PMSSCR_EL1.{NC, SS} to {0, 0}\n");
	if (step.field_count && strstr(step.field[0].name, "SSE"))
		out_fmt(o, "%.*s is for %s to write\n", (int)step.field[0].length,
		        step.field[0].name, writer(step.field[0].name));
	return allowed ? ANSWER_YES : ANSWER_NO;
}
