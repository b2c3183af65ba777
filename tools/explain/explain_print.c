/* SPDX-License-Identifier: MIT */
/* spemu explain: answers as text for people and as JSON for programs. */
#define _GNU_SOURCE
#include "explain_put.h"

#include <stdlib.h>
#include <string.h>

static const char *at_level(const struct spemu_decisions *d, unsigned el)
{
	return d->enabled[el] ? "enabled" : d->available[el] ? "disabled" : "n/a";
}

static void put_write_text(struct out *o, const struct spemu_remedy_write *w,
                           const struct spemu_decisions *d)
{
	out_fmt(o, "  %.*s=", (int)w->length, w->field);
	out_bits(o, w->value, w->width, BINARY_MAX);
	if (!w->el)
		out_text(o, "  which no Exception level may write in this state");
	else
		out_fmt(o, "  writable at EL%u%s (MSR %s)", w->el, w->el == 3 ? " only" : "",
		        w->name);
	if (!strncmp(w->field, "MDCR_EL3.NSPB", 13) && d->owner.security != d->security)
		out_fmt(o, "; firmware keeps the buffer for %s state",
		        spemu_security_name(d->owner.security));
	out_text(o, "\n");
}

static void put_remedy_text(struct out *o, const struct spemu_pe *pe, unsigned el,
                            const struct spemu_decisions *d)
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
		put_write_text(o, &r.write[i], d);
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

/* Add {"EL0":..., ..., "EL3":...} to the object. */
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

/* Return the fate of records while profiling is enabled. */
static const char *written_text(unsigned written)
{
	switch (written) {
	case SPEMU_WRITTEN_NEVER:
		return ", but no record is written";
	case SPEMU_WRITTEN_UNPREDICTABLE:
		return ", but the records are unpredictable";
	default:
		return "";
	}
}

static const char *written_word(unsigned written)
{
	static const char *const words[] = {[SPEMU_WRITTEN_YES] = "yes",
	                                    [SPEMU_WRITTEN_UNPREDICTABLE] = "unpredictable",
	                                    [SPEMU_WRITTEN_NEVER] = "never"};

	return words[written];
}

static void print_enabled_json(const struct spemu_pe *pe, const struct spemu_question *q,
                               const struct spemu_decisions *d, const char *why)
{
	struct spemu_question written = {.topic = SPEMU_TOPIC_WRITTEN};
	struct json_object *root = question_json("enabled");

	add_bool(root, "answer", d->enabled[q->el]);
	json_add_number(root, "el", q->el);
	json_add_text(root, "security", spemu_security_name(d->security));
	add_decisions(root, d);
	if (why)
		json_add_text(root, "stopped_by", why);
	add_trace(root, "clauses", pe, q);
	json_add_text(root, "written", written_word(d->written));
	add_trace(root, "written_clauses", pe, &written);
	add_effective(root, pe);
	add_remedy(root, pe, q->el);
	out_json_line(&out_stdout, root);
}

static void print_enabled_text(const struct spemu_pe *pe, const struct spemu_question *q,
                               const struct spemu_decisions *d, const char *why, bool all_fields)
{
	struct spemu_question written = {.topic = SPEMU_TOPIC_WRITTEN};
	struct out *o = &out_stdout;
	bool enabled = d->enabled[q->el];

	out_text(o, "profiling is ");
	out_color(o, enabled ? "1;32" : "1;31", enabled ? "ENABLED" : "DISABLED");
	out_fmt(o, " at EL%u, %s state%s\n", q->el, spemu_security_name(d->security),
	        enabled ? written_text(d->written) : "");
	if (why)
		out_fmt(o, "stopped by %s\n", why);
	put_trace_text(o, pe, q, ALL_STEPS, all_fields);
	if (enabled)
		put_trace_text(o, pe, &written, all_fields ? ALL_STEPS : DECIDING_STEPS,
		               all_fields);
	out_fmt(o, "the buffer's owner: %s; EL0 %s, EL1 %s, EL2 %s, EL3 %s\n", d->regime,
	        at_level(d, 0), at_level(d, 1), at_level(d, 2), at_level(d, 3));
	put_effective(o, pe, NULL);
	if (!enabled)
		put_remedy_text(o, pe, q->el, d);
}

int print_enabled(const struct spemu_pe *pe, unsigned el, bool json, bool all_fields)
{
	struct spemu_question q = {.topic = SPEMU_TOPIC_ENABLED, .el = (uint8_t)el};
	struct spemu_decisions d;
	char text[SPEMU_STOPPED_TEXT_MAX];
	const char *why = spemu_explain_stopped(text, sizeof(text), pe) > 0 ? text : NULL;

	spemu_explain_decide(pe, &d);
	if (json)
		print_enabled_json(pe, &q, &d, why);
	else
		print_enabled_text(pe, &q, &d, why, all_fields);
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
		out_json_line(&out_stdout, root);
		return ANSWER_YES;
	}
	out_fmt(o, "the Profiling Buffer belongs to %s state, EL%u: translation regime %s\n",
	        spemu_security_name(d.owner.security), d.owner.el, d.regime);
	out_text(o, "owning Security state:\n");
	put_trace_text(o, pe, &security, ALL_STEPS, all_fields);
	out_text(o, "owning Exception level:\n");
	put_trace_text(o, pe, &level, ALL_STEPS, all_fields);
	put_effective(o, pe, NULL);
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

static const char *address_mode(uint64_t pmbidr)
{
	switch (pmbidr >> SPEMU_PMBIDR_EL1_AddrMode_LSB & 3) {
	case SPEMU_PMBIDR_EL1_AddrMode_BOTH:
		return "virtual and physical addresses";
	case SPEMU_PMBIDR_EL1_AddrMode_PHYSICAL:
		return "physical addresses";
	default:
		return "virtual addresses";
	}
}

static bool reads_pmbidr(const struct spemu_access_result *result, enum spemu_reg reg, bool write)
{
	return result->outcome == SPEMU_ACCESS_OK && reg == SPEMU_REG_PMBIDR_EL1 && !write;
}

static void add_pmbidr(struct json_object *root, uint64_t pmbidr)
{
	json_add_number(root, "pmbidr_p", pmbidr >> SPEMU_PMBIDR_EL1_P_LSB & 1);
	json_add_number(root, "pmbidr_addrmode", pmbidr >> SPEMU_PMBIDR_EL1_AddrMode_LSB & 3);
}

static void put_pmbidr(struct out *o, uint64_t pmbidr, const char *owner)
{
	out_fmt(o, "PMBIDR_EL1.P reads as %u: the buffer's owner is %s\n",
	        (unsigned)(pmbidr >> SPEMU_PMBIDR_EL1_P_LSB & 1), owner);
	out_text(o, "PMBIDR_EL1.AddrMode reads as ");
	out_bits(o, pmbidr >> SPEMU_PMBIDR_EL1_AddrMode_LSB & 3, 2, BINARY_MAX);
	out_fmt(o, ": %s\n", address_mode(pmbidr));
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
			add_pmbidr(root, spemu_explain_pmbidr(pe, el));
		if (result.outcome == SPEMU_ACCESS_NVMEM)
			json_add_number(root, "offset", result.nvmem_offset);
		if (trap) {
			json_add_number(root, "ec", 24);
			json_add_number(root, "iss", result.iss);
		}
		add_trace(root, "clauses", pe, &q);
		add_effective(root, pe);
		out_json_line(&out_stdout, root);
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
			put_pmbidr(o, spemu_explain_pmbidr(pe, el), d.regime);
		put_trace_text(o, pe, &q, ALL_STEPS, all_fields);
		put_effective(o, pe, all_fields ? NULL : &q);
	}
	return result.outcome == SPEMU_ACCESS_OK ? ANSWER_YES : ANSWER_NO;
}

/* Return the software that writes the deciding control, by the control's name. */
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
		json_add_text(root, "capture", d.capture_name);
		add_trace(root, "clauses", pe, &q);
		out_json_line(&out_stdout, root);
		return allowed ? ANSWER_YES : ANSWER_NO;
	}
	out_text(o, "PMU snapshots are ");
	out_color(o, allowed ? "1;32" : "1;31", words[d.capture]);
	out_text(o, "\n");
	put_trace_text(o, pe, &q, ALL_STEPS, all_fields);
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
