/* SPDX-License-Identifier: MIT */
/*
 * spemu explain --event and --signal: the fate of a management event, as the library decides it.
 * For a hypothetical event, the registers are set as the event would leave them, and the library
 * evaluates that state.
 */
#define _GNU_SOURCE
#include "explain_put.h"

#include <stdlib.h>
#include <string.h>

/* ---- signals of the PMBSR_ELx ---- */

static bool has_exceptions(const struct spemu_pe *pe)
{
	return spemu_has(spemu_pe_features(pe), SPEMU_FEAT_SPE_EXC);
}

/* Return true if `el` has its own PMBSR_ELx. */
static bool has_level(const struct spemu_pe *pe, unsigned el)
{
	static const enum spemu_feature features[4] = {[2] = SPEMU_EL2, [3] = SPEMU_EL3};

	return has_exceptions(pe) && (el < 2 || spemu_has(spemu_pe_features(pe), features[el]));
}

static void put_exception(struct out *o, const struct spemu_pe *pe,
                          const struct spemu_profiling_exception *e, unsigned el, bool all_fields)
{
	struct spemu_question pending = {.topic = SPEMU_TOPIC_PENDING, .el = (uint8_t)el};
	struct spemu_question masked = {.topic = SPEMU_TOPIC_MASKED, .el = (uint8_t)el};

	out_fmt(o, "the SPE Profiling exception of PMBSR_EL%u is ", el);
	if (!e->pending) {
		out_text(o, "not pending\n");
		put_trace_text(o, pe, &pending, DECIDING_STEPS, all_fields);
		return;
	}
	out_fmt(o, "pending for EL%u", e->target_el);
	if (e->target_el != el)
		out_text(o, ", because HCR_EL2.TGE is Effectively 1");
	out_text(o, e->masked ? ", and masked\n" : ", and not masked\n");
	put_trace_text(o, pe, &masked, DECIDING_STEPS, all_fields);
}

static void put_arrival(struct out *o, const struct spemu_pe *pe, const struct spemu_signals *s)
{
	struct spemu_pe_state state;

	spemu_pe_get(pe, &state);
	if (s->taken_to)
		out_fmt(o, "EL%u takes the exception\n", s->taken_to);
	if (!s->pmbirq)
		return;
	if (state.debug)
		out_text(o, "no interrupt is taken in Debug state\n");
	out_text(
	        o,
	        "if the interrupt does not arrive: check the GIC, PSTATE.I, and HCR_EL2.{TGE, IMO} "
	        "and SCR_EL3.IRQ, which route it. In the GIC, PMBIRQ is a level-sensitive PPI, 21 "
	        "by Arm's recommendation; check its enable, group and priority\n");
}

static void put_signals(struct out *o, const struct spemu_pe *pe, const struct spemu_signals *s,
                        bool all_fields)
{
	struct spemu_question interrupt = {.topic = SPEMU_TOPIC_INTERRUPT};

	out_fmt(o, "PMBIRQ is %s\n", s->pmbirq ? "asserted" : "not asserted");
	put_trace_text(o, pe, &interrupt, all_fields ? ALL_STEPS : DECIDING_STEPS, all_fields);
	for (unsigned el = 1; el <= 3; el++)
		if (has_level(pe, el))
			put_exception(o, pe, &s->exception[el], el, all_fields);
	put_arrival(o, pe, s);
}

static struct json_object *exception_json(const struct spemu_pe *pe,
                                          const struct spemu_profiling_exception *e, unsigned el)
{
	struct spemu_question pending = {.topic = SPEMU_TOPIC_PENDING, .el = (uint8_t)el};
	struct spemu_question masked = {.topic = SPEMU_TOPIC_MASKED, .el = (uint8_t)el};
	struct json_object *o = json_object_new_object();
	char name[16];

	snprintf(name, sizeof(name), "PMBSR_EL%u", el);
	json_add_text(o, "register", name);
	add_bool(o, "pending", e->pending);
	if (e->pending) {
		json_add_number(o, "target", e->target_el);
		add_bool(o, "masked", e->masked);
	}
	add_trace(o, "pending_clauses", pe, &pending);
	add_trace(o, "masked_clauses", pe, &masked);
	return o;
}

static void add_signals(struct json_object *root, const struct spemu_pe *pe,
                        const struct spemu_signals *s)
{
	struct spemu_question interrupt = {.topic = SPEMU_TOPIC_INTERRUPT};
	struct json_object *list = json_object_new_array();

	add_bool(root, "pmbirq", s->pmbirq);
	add_trace(root, "pmbirq_clauses", pe, &interrupt);
	for (unsigned el = 1; el <= 3; el++)
		if (has_level(pe, el))
			json_object_array_add(list, exception_json(pe, &s->exception[el], el));
	json_object_object_add(root, "exceptions", list);
	if (s->taken_to)
		json_add_number(root, "taken_to", s->taken_to);
}

int print_signal(const struct spemu_pe *pe, bool json, bool all_fields)
{
	struct spemu_signals s;
	bool arrives;

	spemu_explain_signals(pe, &s);
	arrives = s.pmbirq || s.taken_to;
	if (json) {
		struct json_object *root = question_json("signal");

		add_bool(root, "answer", arrives);
		add_signals(root, pe, &s);
		add_effective(root, pe);
		out_json_line(&out_stdout, root);
	} else {
		put_signals(&out_stdout, pe, &s, all_fields);
		put_effective(&out_stdout, pe, NULL);
	}
	return arrives ? ANSWER_YES : ANSWER_NO;
}

/* ---- a hypothetical event ---- */

/* Return the machine after the event has been recorded in PMBSR_EL<el>. */
static struct spemu_machine *after_event(const struct spemu_machine *m,
                                         const struct spemu_management_event_description *e,
                                         unsigned el)
{
	static const enum spemu_reg registers[4] = {
	        [1] = SPEMU_REG_PMBSR_EL1, [2] = SPEMU_REG_PMBSR_EL2, [3] = SPEMU_REG_PMBSR_EL3};
	struct spemu_machine *after = new_machine();
	uint64_t value = UINT64_C(1) << SPEMU_PMBSR_EL1_COLL_LSB;

	if (!e->collision)
		value = (uint64_t)e->ec << SPEMU_PMBSR_EL1_EC_LSB |
		        UINT64_C(1) << SPEMU_PMBSR_EL1_S_LSB | e->fsc;
	spemu_machine_copy(after, m);
	spemu_machine_set_reg(after, registers[el], value);
	return after;
}

static void put_recorded(struct out *o, const struct spemu_management_event_description *e,
                         unsigned el)
{
	const char *status = spemu_management_event_status_text(e->ec, e->fsc);

	out_fmt(o, "%s is recorded in PMBSR_EL%u: ", e->name, el);
	if (e->collision) {
		out_text(o, "COLL alone; it stops nothing and signals nothing\n");
		return;
	}
	out_fmt(o, "EC %#x (%s)", e->ec, spemu_management_event_class_text(e->ec));
	if (strcmp(status, "reserved") != 0)
		out_fmt(o, ", %s %#x (%s)", e->ec ? "FSC" : "BSC", e->fsc, status);
	out_text(o, "\n");
}

/* Print how the event in PMBSR_EL<el> is signaled. */
static void put_signal_of(struct out *o, const struct spemu_pe *pe, unsigned el, bool all_fields)
{
	struct spemu_signals s;

	spemu_explain_signals(pe, &s);
	if (el == 1 && s.pmbirq) {
		out_text(o,
		         "it is signaled by PMBIRQ: the Effective PMSCR_EL1.EE is 0b00 (RTSJRP)\n");
		put_arrival(o, pe, &s);
		return;
	}
	put_exception(o, pe, &s.exception[el], el, all_fields);
	if (s.exception[el].pending && !s.exception[el].masked)
		out_fmt(o, "EL%u takes the exception\n", s.exception[el].target_el);
}

static int event_json(const struct spemu_machine *m,
                      const struct spemu_management_event_description *e,
                      const struct spemu_trace_step *occurs, unsigned el)
{
	const struct spemu_pe *pe = spemu_machine_pe(m);
	struct spemu_question route = {SPEMU_TOPIC_EVENT, .ec = e->ec, .fsc = e->fsc};
	struct json_object *root = question_json("event"), *never = NULL;
	struct spemu_machine *after = after_event(m, e, el);
	struct spemu_signals s;
	char name[16];

	json_add_text(root, "event", e->name);
	add_bool(root, "answer", occurs->value);
	if (!occurs->value) {
		never = json_object_new_object();
		json_add_text(never, "rule", occurs->rule);
		json_add_text(never, "text", occurs->text);
	}
	json_object_object_add(root, "never", never);
	json_add_number(root, "ec", e->ec);
	json_add_number(root, "status", e->fsc);
	if (occurs->value) {
		snprintf(name, sizeof(name), "PMBSR_EL%u", el);
		json_add_text(root, "register", name);
		add_trace(root, "clauses", pe, &route);
		spemu_explain_signals(spemu_machine_pe(after), &s);
		add_signals(root, spemu_machine_pe(after), &s);
	}
	add_effective(root, pe);
	out_json_line(&out_stdout, root);
	free(after);
	return occurs->value ? ANSWER_YES : ANSWER_NO;
}

int print_event(const struct spemu_machine *m, const struct spemu_management_event_description *e,
                bool json, bool all_fields)
{
	const struct spemu_pe *pe = spemu_machine_pe(m);
	struct spemu_question route = {SPEMU_TOPIC_EVENT, .ec = e->ec, .fsc = e->fsc};
	struct spemu_question happens = {SPEMU_TOPIC_OCCURS, .ec = e->ec, .fsc = e->fsc,
	                                 .collision = e->collision};
	struct spemu_trace_step occurs = last_step(pe, &happens);
	unsigned el = last_step(pe, &route).value;
	struct spemu_machine *after;
	struct out *o = &out_stdout;

	if (json)
		return event_json(m, e, &occurs, el);
	if (!occurs.value) {
		out_fmt(o, "%s cannot happen in this state\n", e->name);
		put_trace_text(o, pe, &happens, all_fields ? ALL_STEPS : DECIDING_STEPS,
		               all_fields);
		put_effective(o, pe, all_fields ? NULL : &happens);
		return ANSWER_NO;
	}
	put_recorded(o, e, el);
	put_trace_text(o, pe, &route, ALL_STEPS, all_fields);
	if (!e->collision) {
		after = after_event(m, e, el);
		put_signal_of(o, spemu_machine_pe(after), el, all_fields);
		free(after);
	}
	put_effective(o, pe, all_fields ? NULL : &route);
	return ANSWER_YES;
}
