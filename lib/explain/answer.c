/* SPDX-License-Identifier: MIT */
/*
 * The decisions of a PE, and the trace of each decision.
 *
 * Arm ARM:     DDI 0487 M.a, D13.9, D17.4, D17.7.5, D17.8, D24.7; Tables D17-4, D13-10 (names)
 */
#include <string.h>

#include "explain/explain.h"

const char *spemu_security_name(unsigned security)
{
	static const char *const names[] = {"Secure", "Non-secure", "Root", "Realm"};

	return security < 4 ? names[security] : NULL;
}

static const char *regime_name(const struct spemu_pe *pe, struct spemu_owner owner)
{
	static const char *const names[4][3] = {
	        [SPEMU_SS_SECURE] = {"Secure EL1&0", "Secure EL2", "Secure EL2&0"},
	        [SPEMU_SS_NON_SECURE] = {"Non-secure EL1&0", "Non-secure EL2", "Non-secure EL2&0"},
	        [SPEMU_SS_REALM] = {"Realm EL1&0", "Realm EL2", "Realm EL2&0"},
	};

	return names[owner.security][owner.el == 1 ? 0 : spemu__pe_hcr_e2h(pe) ? 2 : 1];
}

void spemu_explain_decide(const struct spemu_pe *pe, struct spemu_decisions *d)
{
	static const char *const capture_names[] = {"Disabled", "Prohibited", "Allowed"};

	d->security = (uint8_t)spemu__pe_security_at(pe, pe->state.el);
	d->stopped = spemu__spu_stopped(pe);
	d->buffer_enabled = spemu__spu_buffer_enabled(pe);
	d->owner = spemu__spu_owner(pe);
	d->regime = regime_name(pe, d->owner);
	for (unsigned el = 0; el < 4; el++) {
		d->available[el] = spemu__spu_el_available(pe, el);
		d->enabled[el] = spemu__spu_enabled_at(pe, el);
	}
	d->written = (uint8_t)spemu__explain_written_value(pe);
	d->capture =
	        (uint8_t)decide(&spemu__pmu_capture_decision, &(struct clause_context){.pe = pe});
	d->capture_name = capture_names[d->capture];
}

/* Return a copy of the PE with another current Exception level. */
static struct spemu_pe at_level(const struct spemu_pe *pe, unsigned el)
{
	struct spemu_pe there = *pe;

	there.state.el = (uint8_t)el;
	return there;
}

int spemu_explain_access(const struct spemu_pe *pe, struct spemu_access_result *result,
                         enum spemu_reg *reg, uint32_t encoding, bool write, unsigned el)
{
	const struct sysreg_desc *desc = spemu__sysreg_by_encoding(encoding);
	struct spemu_pe there;

	*result = (struct spemu_access_result){0};
	*reg = SPEMU_REG_COUNT;
	if (!desc || desc->host_owned)
		return SPEMU_ERR_NOT_SUPPORTED;
	if (el > 3)
		return SPEMU_ERR_INVALID;
	there = at_level(pe, el);
	spemu__pe_access_nth(&there, result, desc, encoding - desc->encoding, write);
	*reg = (enum spemu_reg)result->reg;
	return SPEMU_OK;
}

uint64_t spemu_explain_pmbidr(const struct spemu_pe *pe, unsigned el)
{
	return spemu__identify_programming(pe, el, false);
}

void spemu_explain_signals(const struct spemu_pe *pe, struct spemu_signals *out)
{
	out->pmbirq = spemu__signal_irq_level(pe);
	for (unsigned el = 1; el <= 3; el++)
		out->exception[el] = spemu__signal_exception(pe, el);
	out->exception[0] = (struct spemu_profiling_exception){0};
	out->taken_to = (uint8_t)spemu__signal_taken_to(pe);
}

/* Fill in the raw values of the fields whose names are in fields, which is constant text. */
static void step_fields(struct spemu_trace_step *step, const struct spemu_pe *pe,
                        const char *fields)
{
	step->field_count = 0;
	while (fields && *fields && step->field_count < SPEMU_TRACE_FIELDS) {
		size_t length = strcspn(fields, " ");
		bool seen = false;

		for (unsigned i = 0; i < step->field_count; i++)
			seen |= step->field[i].length == length &&
			        memcmp(step->field[i].name, fields, length) == 0;
		if (!seen && spemu_explain_value(pe, &step->field[step->field_count], fields,
		                                 length) == SPEMU_OK)
			step->field_count++;
		fields = next_name(fields, length);
	}
}

/* Return the decision that a question is about. Return NULL for a register access, and for a
 * question that has no answer. */
static const struct decision *topic_decision(const struct spemu_question *q)
{
	static const struct decision *const decisions[] = {
	        [SPEMU_TOPIC_STOPPED] = &spemu__spu_profiling_stopped,
	        [SPEMU_TOPIC_BUFFER] = &spemu__spu_buffer_decision,
	        [SPEMU_TOPIC_ENABLED] = &spemu__spu_enabled_decision,
	        [SPEMU_TOPIC_OWNER_SECURITY] = &spemu__spu_owner_security,
	        [SPEMU_TOPIC_OWNER_EL] = &spemu__spu_owner_el,
	        [SPEMU_TOPIC_EVENT] = &spemu__spu_route_decision,
	        [SPEMU_TOPIC_CAPTURE] = &spemu__pmu_capture_decision,
	        [SPEMU_TOPIC_WRITTEN] = &spemu__explain_written,
	        [SPEMU_TOPIC_OCCURS] = &spemu__explain_occurs,
	        [SPEMU_TOPIC_INTERRUPT] = &spemu__spu_interrupt_decision,
	        [SPEMU_TOPIC_PENDING] = spemu__spu_exception_pending,
	        [SPEMU_TOPIC_MASKED] = spemu__spu_exception_masked,
	};
	bool of_level = q->topic == SPEMU_TOPIC_PENDING || q->topic == SPEMU_TOPIC_MASKED;

	if (of_level)
		return q->el ? decisions[q->topic] + q->el - 1 : NULL;
	return decisions[q->topic];
}

#define POSITION_ENDED (~0u)

static void fill_step(struct spemu_trace_step *step, const struct spemu_pe *pe,
                      const struct clause *clause, const char *fields, bool holds, bool decides,
                      unsigned value)
{
	step->rule = clause->rule;
	step->text = clause->text;
	step->holds = holds;
	step->decides = decides;
	step->value = value;
	step_fields(step, pe, fields);
}

static int next_access(struct spemu_trace_step *step, unsigned *position, const struct spemu_pe *pe,
                       struct clause_context *c)
{
	const struct clause *clause = spemu__pe_access_clause(c, *position);
	bool holds = clause->holds(c);

	fill_step(step, pe, clause, spemu__pe_access_fields(clause, c), holds, holds,
	          clause->value);
	*position = holds ? POSITION_ENDED : *position + 1;
	return SPEMU_OK;
}

static int next_of(struct spemu_trace_step *step, unsigned *position, const struct spemu_pe *pe,
                   const struct decision *d, const struct clause_context *c)
{
	const struct clause *clause;
	bool holds, decides;

	while (*position < d->count && d->clauses[*position].applies &&
	       !d->clauses[*position].applies(c))
		(*position)++;
	if (*position >= d->count)
		return SPEMU_ERR_END;
	clause = &d->clauses[(*position)++];
	holds = clause->holds(c);
	decides = d->fold == FOLD_ALL ? !holds : holds;
	fill_step(step, pe, clause, clause->fields, holds, decides,
	          d->fold == FOLD_FIRST ? clause->value : holds);
	if (d->fold == FOLD_FIRST && holds)
		*position = POSITION_ENDED;
	return SPEMU_OK;
}

int spemu_explain_trace(const struct spemu_pe *pe, struct spemu_trace_step *step,
                        unsigned *position, const struct spemu_question *question)
{
	const struct decision *d;
	bool at_el =
	        question->topic == SPEMU_TOPIC_ENABLED || question->topic == SPEMU_TOPIC_ACCESS;
	struct spemu_pe there;
	struct clause_context c = {.pe = pe,
	                           .el = question->el,
	                           .write = question->write,
	                           .ec = question->ec,
	                           .fsc = question->fsc,
	                           .collision = question->collision};

	*step = (struct spemu_trace_step){0};
	if (question->topic > SPEMU_TOPIC_MASKED || question->el > 3)
		return SPEMU_ERR_INVALID;
	d = topic_decision(question);
	if (!d && question->topic != SPEMU_TOPIC_ACCESS)
		return SPEMU_ERR_INVALID;
	if (*position == POSITION_ENDED)
		return SPEMU_ERR_END;
	if (at_el && pe->state.el != question->el) { /* the question is about a level other than the
	                                                current one: answer it for a PE at that
	                                                level */
		there = at_level(pe, question->el);
		c.pe = &there;
	}
	if (d)
		return next_of(step, position, c.pe, d, &c);
	c.desc = spemu__sysreg_by_encoding(question->encoding);
	if (!c.desc || c.desc->host_owned)
		return SPEMU_ERR_NOT_SUPPORTED;
	c.index = question->encoding - c.desc->encoding;
	return next_access(step, position, c.pe, &c);
}

int spemu_access_rule(struct spemu_access_rule *out, unsigned index, unsigned el, unsigned n)
{
	struct spemu_pe pe = {.state.el = (uint8_t)el};
	struct clause_context c = {.pe = &pe, .write = true};
	const struct clause *clause;
	const struct access_clause *list;

	*out = (struct spemu_access_rule){.alias_of = -1};
	if (index >= spemu__sysreg_table_size || el > 3)
		return SPEMU_ERR_END;
	list = spemu__sysreg_table[index].access[el];
	if (!list)
		return SPEMU_ERR_END;
	for (unsigned i = 0; i < n; i++)
		if (list[i].last)
			return SPEMU_ERR_END;
	c.access = &list[n];
	clause = spemu__pe_access_row(&list[n]);
	*out = (struct spemu_access_rule){.word = list[n].word,
	                                  .text = clause->text,
	                                  .fields = spemu__pe_access_fields(clause, &c),
	                                  .outcome = (uint8_t)clause->value,
	                                  .nvmem_offset = list[n].offset,
	                                  .alias_of = list[n].reg};
	return SPEMU_OK;
}
