/* SPDX-License-Identifier: MIT */
/*
 * Test explain.h: the names of answers, and the text of each trace step. Also test that a remedy is
 * as small as possible and needs the lowest possible Exception levels, by trying all sets of writes
 * of the same size.
 *
 * Arm ARM: DDI 0487 M.a, D17.4, Tables D17-1, D17-4 and D13-10
 */
#include "share.h"
#include "spu_fixture.h"

#include <string.h>

#include "draw.h"
#include "explain/explain.h"

static void put(struct spemu_machine *m, const char *text, size_t length)
{
	struct spemu_refusal_detail detail;

	assert_int_equal(spemu_machine_set(m, &detail, text, length), SPEMU_OK);
}

/* Apply settings, which are separated by blanks, to a machine whose registers are 0. */
static void start(struct spemu_machine *m, const char *text)
{
	assert_int_equal(spemu_machine_init(&m, m, sizeof(*m)), SPEMU_OK);
	while (*text) {
		size_t length = strcspn(text, " ");

		put(m, text, length);
		text += length + strspn(text + length, " ");
	}
}

static void security_and_capture_states_have_names(void **state)
{
	(void)state;
	assert_string_equal(spemu_security_name(SPEMU_SS_SECURE), "Secure");
	assert_string_equal(spemu_security_name(SPEMU_SS_NON_SECURE), "Non-secure");
	assert_string_equal(spemu_security_name(SPEMU_SS_ROOT), "Root");
	assert_string_equal(spemu_security_name(SPEMU_SS_REALM), "Realm");
	for (unsigned n = 4; n < 20; n++)
		assert_null(spemu_security_name(n));
}

/* Table D17-4: the translation regime that owns the buffer. */
static void table_d17_4_owning_translation_regime(void **state)
{
	static const struct {
		const char *state, *regime;
	} rows[] = {
	        {"MDCR_EL3.NSPB=1", "Secure EL1&0"},
	        {"MDCR_EL3.NSPB=1 HCR_EL2.E2H=1", "Secure EL1&0"},
	        {"MDCR_EL3.NSPB=1 SCR_EL3.EEL2=1", "Secure EL2"},
	        {"MDCR_EL3.NSPB=1 SCR_EL3.EEL2=1 HCR_EL2.E2H=1", "Secure EL2&0"},
	        {"MDCR_EL3.NSPB=1 SCR_EL3.EEL2=1 MDCR_EL2.E2PB=2", "Secure EL1&0"},
	        {"MDCR_EL3.NSPB=3 MDCR_EL2.E2PB=3", "Non-secure EL1&0"},
	        {"MDCR_EL3.NSPB=3 MDCR_EL2.E2PB=3 HCR_EL2.E2H=1", "Non-secure EL1&0"},
	        {"MDCR_EL3.NSPB=3", "Non-secure EL2"},
	        {"MDCR_EL3.NSPB=3 HCR_EL2.E2H=1", "Non-secure EL2&0"},
	        {"MDCR_EL3.NSPBE=1 MDCR_EL3.NSPB=3 MDCR_EL2.E2PB=3", "Realm EL1&0"},
	        {"MDCR_EL3.NSPBE=1 MDCR_EL3.NSPB=3", "Realm EL2"},
	        {"MDCR_EL3.NSPBE=1 MDCR_EL3.NSPB=3 HCR_EL2.E2H=1", "Realm EL2&0"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_decisions d;
		struct spemu_machine m;

		start(&m, rows[i].state);
		spemu_explain_decide(&m.pe, &d);
		assert_string_equal(d.regime, rows[i].regime);
	}
}

/*
 * Table D17-1 marks Exception levels that do not exist with "n/a". They are EL1 with TGE, EL2 if it
 * is not enabled, and levels that are not implemented.
 */
static void table_d17_1_existing_levels(void **state)
{
	static const struct {
		const char *state;
		bool available[4];
	} rows[] = {
	        {"SCR_EL3.NS=1", {true, true, true, true}},
	        {"SCR_EL3.NS=1 HCR_EL2.TGE=1", {true, false, true, true}},
	        {"", {true, true, false, true}},
	        {"HCR_EL2.TGE=1", {true, true, false, true}},
	        {"SCR_EL3.EEL2=1", {true, true, true, true}},
	        {"features=v8.4,-EL2", {true, true, false, true}},
	        {"features=v8.2,-EL3", {true, true, true, false}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_decisions d;
		struct spemu_machine m;

		start(&m, rows[i].state);
		memset(&d, i % 2 ? 0xff : 0, sizeof(d));
		spemu_explain_decide(&m.pe, &d);
		for (unsigned el = 0; el < 4; el++)
			assert_int_equal(d.available[el], rows[i].available[el]);
	}
}

/* RWXXFL: the other conditions hold at every Exception level, so only the enable bits of each row
 * decide. */
static void rwxxfl_profiling_is_enabled_level_by_level(void **state)
{
	static const struct {
		const char *state;
		bool enabled[4];
	} rows[] = {
	        {"PMSCR_EL1.E0SPE=1", {true, false, false, false}},
	        {"PMSCR_EL1.E1SPE=1", {false, true, false, false}},
	        {"PMSCR_EL2.E2SPE=1", {false, false, true, false}},
	        {"PMSCR_EL2.E0HSPE=1", {false, false, false, false}},
	        {"HCR_EL2.TGE=1 PMSCR_EL2.E0HSPE=1", {true, false, false, false}},
	        {"PMSCR_EL1=3 PMSCR_EL2=3", {true, true, true, false}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_decisions d;
		struct spemu_machine m;
		char text[200] = "SCR_EL3.NS=1 MDCR_EL3.NSPB=3 PMBLIMITR_EL1.E=1 ";

		start(&m, strcat(text, rows[i].state));
		memset(&d, i % 2 ? 0xff : 0, sizeof(d));
		spemu_explain_decide(&m.pe, &d);
		for (unsigned el = 0; el < 4; el++)
			assert_int_equal(d.enabled[el], rows[i].enabled[el]);
		assert_true(d.buffer_enabled && !d.stopped);
	}
}

static void random_machine(struct spemu_machine *m, uint64_t *seed)
{
	static const char *const features[] = {"features=v8.2",      "features=v8.4",
	                                       "features=v8.4,-EL2", "features=v9.2",
	                                       "features=v8.2,-EL3", "features=v9.6,-FEAT_SEL2",
	                                       "features=v9.6",      "features=v9.6,-FEAT_E2H0"};
	struct spemu_pe_state state = {.el = (uint8_t)below(seed, 4)};

	start(m, features[below(seed, 8)]);
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		spemu_machine_set_reg(m, (enum spemu_reg)i, prng_next(seed) & prng_next(seed));
	state.aarch32 = below(seed, 8) == 0;
	state.debug = below(seed, 8) == 0;
	spemu_machine_set_state(m, &state);
}

/* Check the fields of a step and their values. They are the names of the clause, each once, in
 * order of first occurrence. */
static void check_fields(const struct spemu_pe *pe, const struct spemu_trace_step *s,
                         const char *names)
{
	const char *seen[SPEMU_TRACE_FIELDS];
	unsigned n = 0;

	while (*names) {
		size_t length = strcspn(names, " ");
		bool again = false;

		for (unsigned i = 0; i < n; i++)
			again |= strcspn(seen[i], " ") == length &&
			         strncmp(seen[i], names, length) == 0;
		if (!again) {
			struct spemu_field_value v;

			assert_true(n < s->field_count);
			assert_int_equal(spemu_explain_value(pe, &v, names, length), SPEMU_OK);
			assert_int_equal(s->field[n].length, length);
			assert_memory_equal(s->field[n].name, names, length);
			assert_true(s->field[n].value == v.value);
			assert_int_equal(s->field[n].width, v.width);
			seen[n++] = names;
		}
		names += length + strspn(names + length, " ");
	}
	assert_int_equal(s->field_count, n);
}

/* Check that the trace has a step for each clause of the topic that applies, in order and with its
 * text. */
static void check_trace(const struct spemu_machine *m, const struct spemu_question *q,
                        const struct decision *d)
{
	bool at_el = q->topic == SPEMU_TOPIC_ENABLED;
	struct spemu_machine there = *m;
	struct clause_context c = {.pe = &there.pe, .el = q->el, .ec = q->ec, .fsc = q->fsc};
	struct spemu_trace_step s;
	unsigned position = 0;

	if (at_el)
		there.pe.state.el = q->el;
	for (unsigned i = 0; i < d->count; i++) {
		const struct clause *clause = &d->clauses[i];
		bool holds = clause->holds(&c);

		if (clause->applies && !clause->applies(&c))
			continue;
		memset(&s, 0xff, sizeof(s));
		assert_int_equal(spemu_explain_trace(&m->pe, &s, &position, q), SPEMU_OK);
		assert_ptr_equal(s.rule, clause->rule);
		assert_ptr_equal(s.text, clause->text);
		assert_int_equal(s.holds, holds);
		check_fields(&there.pe, &s, clause->fields);
		switch (d->fold) {
		case FOLD_ALL: /* one clause that does not hold decides */
			assert_int_equal(s.decides, !holds);
			assert_int_equal(s.value, holds);
			break;
		case FOLD_ANY:
			assert_int_equal(s.decides, holds);
			assert_int_equal(s.value, holds);
			break;
		case FOLD_FIRST:
			assert_int_equal(s.decides, holds);
			assert_int_equal(s.value, clause->value);
			break;
		}
		if (d->fold == FOLD_FIRST && holds)
			break;
	}
	assert_int_equal(spemu_explain_trace(&m->pe, &s, &position, q), SPEMU_ERR_END);
	assert_int_equal(spemu_explain_trace(&m->pe, &s, &position, q), SPEMU_ERR_END);
}

static void trace_steps_describe_their_clauses(void **state)
{
	static const struct {
		uint8_t topic;
		const struct decision *decision;
	} topics[] = {
	        {SPEMU_TOPIC_STOPPED, &spemu__spu_profiling_stopped},
	        {SPEMU_TOPIC_BUFFER, &spemu__spu_buffer_decision},
	        {SPEMU_TOPIC_ENABLED, &spemu__spu_enabled_decision},
	        {SPEMU_TOPIC_OWNER_SECURITY, &spemu__spu_owner_security},
	        {SPEMU_TOPIC_OWNER_EL, &spemu__spu_owner_el},
	        {SPEMU_TOPIC_EVENT, &spemu__spu_route_decision},
	        {SPEMU_TOPIC_CAPTURE, &spemu__pmu_capture_decision},
	        {SPEMU_TOPIC_WRITTEN, &spemu__explain_written},
	        {SPEMU_TOPIC_OCCURS, &spemu__explain_occurs},
	        {SPEMU_TOPIC_INTERRUPT, &spemu__spu_interrupt_decision},
	};
	uint64_t seed = 1;

	(void)state;
	for (unsigned n = 0; n < 1000; n += test_share()) {
		struct spemu_machine m;

		random_machine(&m, &seed);
		for (unsigned i = 0; i < sizeof(topics) / sizeof(*topics); i++) {
			struct spemu_question q = {.topic = topics[i].topic,
			                           .el = (uint8_t)below(&seed, 4),
			                           .ec = (uint8_t)(coin(&seed) ? 0x24 : 0),
			                           .fsc = (uint8_t)below(&seed, 64)};

			check_trace(&m, &q, topics[i].decision);
		}
		for (unsigned el = 1; el <= 3; el++) {
			struct spemu_question q = {.topic = SPEMU_TOPIC_PENDING, .el = (uint8_t)el};

			check_trace(&m, &q, &spemu__spu_exception_pending[el - 1]);
			q.topic = SPEMU_TOPIC_MASKED;
			check_trace(&m, &q, &spemu__spu_exception_masked[el - 1]);
		}
	}
}

static void invalid_questions_are_refused(void **state)
{
	struct spemu_reg_description reg;
	struct spemu_trace_step s;
	struct spemu_machine m;
	unsigned index;
	int field;

	(void)state;
	start(&m, "SCR_EL3.NS=1 MDCR_EL3.NSPB=3");
	for (unsigned topic = 0; topic < 20; topic++) {
		for (unsigned el = 0; el < 8; el++) {
			struct spemu_question q = {.topic = (uint8_t)topic, .el = (uint8_t)el};
			unsigned position = 0;
			int expected =
			        topic == SPEMU_TOPIC_ACCESS ? SPEMU_ERR_NOT_SUPPORTED : SPEMU_OK;

			if (topic > SPEMU_TOPIC_MASKED || el > 3 ||
			    ((topic == SPEMU_TOPIC_PENDING || topic == SPEMU_TOPIC_MASKED) && !el))
				expected = SPEMU_ERR_INVALID;
			assert_int_equal(spemu_explain_trace(&m.pe, &s, &position, &q), expected);
		}
	}
	/* A question about a register access names the Exception level of the access. The level of
	 * the PE does not matter. */
	assert_int_equal(spemu_reg_find(&index, &field, "PMSCR_EL1", 9), SPEMU_OK);
	spemu_reg_describe(&reg, index);
	for (unsigned at = 0; at < 4; at++) {
		for (unsigned el = 0; el < 4; el++) {
			struct spemu_question q = {.topic = SPEMU_TOPIC_ACCESS,
			                           .el = (uint8_t)el,
			                           .encoding = reg.encoding};
			struct spemu_access_result result;
			enum spemu_reg target;
			unsigned position = 0;

			m.pe.state.el = (uint8_t)at;
			do
				assert_int_equal(spemu_explain_trace(&m.pe, &s, &position, &q),
				                 SPEMU_OK);
			while (!s.holds);
			assert_int_equal(spemu_explain_access(&m.pe, &result, &target, reg.encoding,
			                                      false, el),
			                 SPEMU_OK);
			assert_int_equal(s.value, result.outcome);
			/* Nothing traps the access. */
			assert_int_equal(s.value == SPEMU_ACCESS_OK, el > 0);
			assert_int_equal(spemu_explain_trace(&m.pe, &s, &position, &q),
			                 SPEMU_ERR_END);
		}
	}
	assert_int_equal(spemu_explain_access(&m.pe, &(struct spemu_access_result){0},
	                                      &(enum spemu_reg){0}, reg.encoding, false, 4),
	                 SPEMU_ERR_INVALID);
}

/* Access rules exist only for existing registers, and only at EL0 to EL3. */
static void access_rules_end_at_last_register_and_el3(void **state)
{
	struct spemu_reg_description reg;
	struct spemu_access_rule rule;
	unsigned registers = 0, levels = 0;

	(void)state;
	for (; spemu_reg_describe(&reg, registers) == SPEMU_OK; registers++) {
		for (unsigned el = 0; el < 4; el++)
			levels += spemu_access_rule(&rule, registers, el, 0) == SPEMU_OK;
		assert_int_equal(spemu_access_rule(&rule, registers, 4, 0), SPEMU_ERR_END);
	}
	assert_true(levels > registers);
	assert_int_equal(spemu_access_rule(&rule, registers + 1, 1, 0), SPEMU_ERR_END);
}

/* A field that a remedy may write. */
struct control {
	const char *name;
	size_t length;
	enum spemu_reg reg;
	unsigned hi, lo;
};

struct controls {
	struct control control[20];
	unsigned count;
};

/* Return the lowest Exception level that may write the register, or 4 if none may. */
static unsigned lowest_level(const struct spemu_pe *pe, enum spemu_reg reg)
{
	struct spemu_decisions d;

	spemu_explain_decide(pe, &d);
	for (unsigned el = 0; el < 4; el++) {
		struct spemu_reg_description r;

		for (unsigned i = 0; d.available[el] && spemu_reg_describe(&r, i) == SPEMU_OK;
		     i++) {
			struct spemu_access_result result;
			enum spemu_reg target;

			if (!r.host_owned &&
			    spemu_explain_access(pe, &result, &target, r.encoding, true, el) ==
			            SPEMU_OK &&
			    result.outcome == SPEMU_ACCESS_OK && target == reg)
				return el;
		}
	}
	return 4;
}

/* Find the fields that a remedy may write. These are the fields of the clauses, except for PSTATE,
 * Debug state, SCR_EL3 and HCR_EL2. */
static void find_controls(struct controls *c, const struct spemu_machine *m, unsigned el)
{
	static const char *const names[] = {
	        "PMBLIMITR_EL1.E", "PMBSR_EL1.S",     "PMBSR_EL2.S",     "PMBSR_EL3.S",
	        "MDCR_EL3.PMSEE",  "PMSCR_EL2.EE",    "MDCR_EL3.NSPBE",  "MDCR_EL3.NSPB",
	        "MDCR_EL2.E2PB",   "PMSCR_EL2.E2SPE", "PMSCR_EL1.E1SPE", "PMSCR_EL2.E0HSPE",
	        "PMSCR_EL1.E0SPE"};
	bool host = spemu__pe_tge(&m->pe);

	c->count = 0;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct spemu_field_value v;
		struct spemu_reg_description r;
		struct spemu_field_description f;
		unsigned index;
		int field;

		/* Fields that enable another Exception level do not take part. */
		if ((i == 9 && el != 2) || (i == 10 && el != 1) || (i == 11 && (el || !host)) ||
		    (i == 12 && (el || host)))
			continue;
		assert_int_equal(spemu_explain_value(&m->pe, &v, names[i], strlen(names[i])),
		                 SPEMU_OK);
		assert_int_equal(spemu_reg_find(&index, &field, names[i], strlen(names[i])),
		                 SPEMU_OK);
		spemu_reg_describe(&r, index);
		spemu_field_describe(&f, index, (unsigned)field);
		if (v.exists)
			c->control[c->count++] =
			        (struct control){names[i], strlen(names[i]), r.reg, f.hi, f.lo};
	}
}

struct cost {
	unsigned highest, sum;
};

static bool less(struct cost a, struct cost b)
{
	return a.highest != b.highest ? a.highest < b.highest : a.sum < b.sum;
}

static struct cost with(struct cost cost, unsigned el)
{
	return (struct cost){el > cost.highest ? el : cost.highest, cost.sum + el};
}

/* A set of writes to try: indices of controls, and values. */
struct tried {
	unsigned count, control[8], value[8];
	bool owner_written;
};

/* Return the cost of the writes, made in the state `before`. Registers of EL3 are written first,
 * and registers of EL1 last. */
static struct cost cost_of(const struct controls *c, const struct spemu_pe *before,
                           const struct tried *t)
{
	struct cost cost = {0, 0};
	struct spemu_pe pe = *before;

	for (char owner = '3'; owner >= '1'; owner--) {
		for (unsigned i = 0; i < t->count; i++) {
			const struct control *f = &c->control[t->control[i]];

			if (strstr(f->name, "_EL")[3] != owner)
				continue;
			cost = with(cost, lowest_level(&pe, f->reg));
			pe.reg[f->reg] = bits_set(pe.reg[f->reg], f->hi, f->lo, t->value[i]);
		}
	}
	return cost;
}

/* Return the lowest cost of n more writes that enable profiling. The writes are to controls from
 * index `first` on. If no such writes exist, `highest` of the result is 9. */
static struct cost cheapest(const struct controls *c, const struct spemu_pe *before,
                            struct spemu_pe *pe, unsigned n, unsigned first, struct tried *t)
{
	struct cost best = {9, 0};

	if (n == 0)
		return spemu__spu_enabled_at(pe, pe->state.el) &&
		                       !(t->owner_written && spemu__pe_nspb(pe).reserved)
		               ? cost_of(c, before, t)
		               : best;
	for (unsigned i = first; i < c->count; i++) {
		const struct control *f = &c->control[i];
		bool owner = strncmp(f->name, "MDCR_EL3.NSPB", 13) == 0,
		     e2pb = strcmp(f->name, "MDCR_EL2.E2PB") == 0, was = t->owner_written;
		uint64_t now = pe->reg[f->reg];

		for (unsigned v = 0; v < 2u << (f->hi - f->lo); v++) {
			struct cost cost;

			if (v == bits_get(now, f->hi, f->lo) || (e2pb && v == 1))
				continue;
			pe->reg[f->reg] = bits_set(now, f->hi, f->lo, v);
			t->control[t->count] = i;
			t->value[t->count++] = v;
			t->owner_written = was || owner;
			cost = cheapest(c, before, pe, n - 1, i + 1, t);
			t->owner_written = was;
			t->count--;
			best = less(cost, best) ? cost : best;
		}
		pe->reg[f->reg] = now;
	}
	return best;
}

/* Check the description of each written field. Return the cost of the writes. */
static struct cost check_writes(const struct controls *c, const struct spemu_machine *m,
                                const struct spemu_remedy *r)
{
	struct cost cost = {0, 0};
	struct spemu_pe pe = m->pe;

	for (unsigned i = 0; i < r->count; i++) {
		const struct spemu_remedy_write *w = &r->write[i];
		const struct control *f = NULL;
		unsigned lowest;
		struct spemu_access_result result;
		struct spemu_reg_description own;
		enum spemu_reg target;
		unsigned index;
		int field;

		for (unsigned k = 0; k < c->count; k++)
			if (c->control[k].length == w->length &&
			    memcmp(c->control[k].name, w->field, w->length) == 0)
				f = &c->control[k];
		assert_non_null(f);
		assert_int_equal(w->width, f->hi - f->lo + 1);
		lowest = lowest_level(&pe, f->reg);
		assert_int_equal(w->el, lowest % 4);
		cost = with(cost, lowest);
		assert_int_equal(spemu_reg_find(&index, &field, f->name, strcspn(f->name, ".")),
		                 SPEMU_OK);
		spemu_reg_describe(&own, index);
		/* The write uses the register's own name if that name works. */
		if (w->el &&
		    spemu_explain_access(&pe, &result, &target, own.encoding, true, w->el) ==
		            SPEMU_OK &&
		    result.outcome == SPEMU_ACCESS_OK && target == f->reg)
			assert_string_equal(w->name, own.name);
		pe.reg[f->reg] = bits_set(pe.reg[f->reg], f->hi, f->lo, w->value);
	}
	return cost;
}

static void remedies_are_smallest_and_at_lowest_level(void **state)
{
	unsigned of_size[SPEMU_REMEDY_MAX + 1] = {0};
	uint64_t seed = 5;

	(void)state;
	for (unsigned n = 0; n < 600; n += test_share()) {
		unsigned el = below(&seed, 3), most;
		struct spemu_decisions d;
		struct spemu_machine m;
		struct spemu_remedy r;
		struct controls c;
		struct cost cost;
		struct spemu_pe pe;

		random_machine(&m, &seed);
		spemu_explain_decide(&m.pe, &d);
		if (d.enabled[el])
			continue;
		spemu_explain_remedy(&m.pe, &r, el);
		find_controls(&c, &m, el);
		cost = check_writes(&c, &m, &r);
		pe = m.pe;
		pe.state.el = (uint8_t)el;
		of_size[r.count]++;
		most = r.count && r.count <= 4 ? r.count : 3;
		for (unsigned size = 1; size <= most; size++) {
			struct spemu_pe with_writes = pe;
			struct tried tried = {0};
			struct cost least = cheapest(&c, &pe, &with_writes, size, 0, &tried);

			if (size < r.count || !r.count) {
				assert_int_equal(least.highest, 9);
				continue;
			}
			if (r.count <= 4) {
				assert_int_equal(least.highest, cost.highest);
				assert_int_equal(least.sum, cost.sum);
			}
		}
	}
	assert_true(test_share() > 1 ||
	            (of_size[0] > 20 && of_size[1] > 10 && of_size[2] > 10 && of_size[3] > 10));
}

/* Every state that a caller can construct has an answer. This includes Exception levels in AArch32
 * below levels in AArch64. */
static void every_state_has_an_answer(void **state)
{
	static const char *const features[] = {"features=v8.2", "features=v8.4", "features=v9.2"};
	unsigned never = 0;

	(void)state;
	for (unsigned n = 0; n < 3 * 8 * 3; n++) {
		struct spemu_machine m;
		struct spemu_remedy r;

		start(&m, features[n % 3]);
		m.pe.state.el_aarch32 = (uint8_t)(n / 3 % 8);
		spemu_explain_remedy(&m.pe, &r, n / 24);
		assert_true((r.count != 0) != (r.never_rule != NULL));
		never += r.never_rule != NULL;
	}
	assert_in_range(never, 1, 3 * 8 * 3 - 1);
}

/* If the features change, each register has the bits that the new features give it. Bits that were
 * hidden appear again. */
static void register_bits_follow_features(void **state)
{
	static const char *const features[] = {"v8.2", "v9.6", "v8.4,-EL2", "v8.2,-EL3", "v9.2"};
	struct spemu_machine m;
	unsigned whole = 0;

	(void)state;
	start(&m, "");
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		assert_int_equal(spemu_machine_set_reg(&m, (enum spemu_reg)i, UINT64_MAX),
		                 SPEMU_OK);
	assert_int_equal(spemu_machine_set_reg(&m, SPEMU_REG_COUNT, 1), SPEMU_ERR_INVALID);
	for (unsigned n = 0; n < sizeof(features) / sizeof(*features); n++) {
		char text[40] = "features=";

		strcat(text, features[n]);
		put(&m, text, strlen(text));
		for (unsigned i = 0; i < SPEMU_REG_COUNT; i++) {
			uint64_t mask = spemu__sysreg_mask(spemu__sysreg_desc_of((enum spemu_reg)i),
			                                   &m.pe.features);

			assert_true(m.pe.reg[i] == mask);
			whole += mask != 0;
		}
	}
	assert_true(whole > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(security_and_capture_states_have_names),
	        cmocka_unit_test(table_d17_4_owning_translation_regime),
	        cmocka_unit_test(table_d17_1_existing_levels),
	        cmocka_unit_test(rwxxfl_profiling_is_enabled_level_by_level),
	        cmocka_unit_test(trace_steps_describe_their_clauses),
	        cmocka_unit_test(invalid_questions_are_refused),
	        cmocka_unit_test(access_rules_end_at_last_register_and_el3),
	        cmocka_unit_test(remedies_are_smallest_and_at_lowest_level),
	        cmocka_unit_test(every_state_has_an_answer),
	        cmocka_unit_test(register_bits_follow_features),
	};
	return cmocka_run_group_tests_name("explain_answer", tests, NULL, NULL);
}
