/* SPDX-License-Identifier: MIT */
/* Test the functions of explain.h. A clause depends only on the fields that it names. Traces lead
 * to the results of spu.h. Remedies and Effective values agree with the model. A refused text
 * changes nothing. */
#include "base/prng.h"
#include "share.h"
#include "spu_fixture.h"

#include <stdio.h>

#include "explain/explain.h"

#define ROUNDS 3000

static uint64_t seed;

static uint64_t next(void)
{
	return prng_next(&seed);
}

static void put(struct spemu_machine *m, const char *text)
{
	struct spemu_refusal_detail detail;

	assert_int_equal(spemu_machine_set(m, &detail, text, strlen(text)), SPEMU_OK);
}

static void random_machine(struct spemu_machine *m)
{
	static const char *const features[] = {
	        "features=v8.2", "features=v8.4",      "features=v8.4,-EL2",
	        "features=v9.2", "features=v8.2,-EL3", "features=v9.6,-FEAT_SEL2",
	        "features=v9.6", "features=v9.6",      "features=v9.6,-FEAT_E2H0",
	};

	struct spemu_pe_state state = {0};

	assert_int_equal(spemu_machine_init(&m, m, sizeof(*m)), SPEMU_OK);
	put(m, features[next() % 9]);
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++) {
		uint64_t value = next() & next();

		if (i == SPEMU_REG_PMBLIMITR_EL1)
			value |= next() & 1;
		assert_int_equal(spemu_machine_set_reg(m, (enum spemu_reg)i, value), SPEMU_OK);
	}
	state.el = next() & 3;
	state.aarch32 = next() % 8 == 0;
	state.debug = next() % 8 == 0;
	state.edscr_sdd = next() & 1;
	spemu_machine_set_state(m, &state);
}

static struct spemu_question random_question(void)
{
	struct spemu_management_event_description event;
	struct spemu_reg_description reg;
	struct spemu_question q = {.topic = next() % (SPEMU_TOPIC_CAPTURE + 1), .el = next() & 3};
	unsigned regs = 0, events = 0;

	while (spemu_reg_describe(&reg, regs) == SPEMU_OK)
		regs++;
	while (spemu_management_event_describe(&event, events) == SPEMU_OK)
		events++;
	spemu_reg_describe(&reg, (unsigned)(next() % regs));
	spemu_management_event_describe(&event, (unsigned)(next() % events));
	q.encoding = reg.encoding;
	q.write = next() & 1;
	q.ec = event.ec;
	q.fsc = event.fsc;
	return q;
}

static bool looks_at(const struct spemu_trace_step *s, const char *name)
{
	for (unsigned i = 0; i < s->field_count; i++)
		if (s->field[i].length == strlen(name) &&
		    strncmp(s->field[i].name, name, strlen(name)) == 0)
			return true;
	return false;
}

/* Compare the traces of q in two states. The states differ only in the field `name`. */
static void compare(const struct spemu_machine *before, const struct spemu_machine *after,
                    const struct spemu_question *q, const char *name, unsigned *changed)
{
	struct spemu_trace_step a, b;
	unsigned pa = 0, pb = 0;

	while (spemu_explain_trace(spemu_machine_pe(before), &a, &pa, q) == SPEMU_OK &&
	       spemu_explain_trace(spemu_machine_pe(after), &b, &pb, q) == SPEMU_OK) {
		/* A trace omits clauses that do not apply, so only steps with the same clause are
		 * compared. */
		if (a.text != b.text)
			break;
		if (a.holds == b.holds)
			continue;
		++*changed;
		if (!looks_at(&a, name))
			fail_msg("%s: \"%s\" looks at %s", a.rule, a.text, name);
		break;
	}
}

/* The outcome of a clause changes only if a field changes that the clause names. */
static void clauses_depend_only_on_named_fields(void **state)
{
	static const char *const controls[] = {
	        "SCR_EL3",    "HCR_EL2",     "MDCR_EL3",  "MDCR_EL2",
	        "PMSCR_EL1",  "PMSCR_EL2",   "PMBSR_EL1", "PMBLIMITR_EL1",
	        "PMBSR_EL2",  "HDFGWTR_EL2", "OSLSR_EL1", "PMUSERENR_EL0",
	        "PMSELR_EL0", "PMCR_EL0",    "PMECR_EL1", "HDFGWTR2_EL2"};
	unsigned changed = 0;

	(void)state;
	seed = 7;
	for (unsigned n = 0; n < 4 * ROUNDS; n += test_share()) {
		struct spemu_question q = random_question();
		struct spemu_reg_description r;
		struct spemu_field_description f;
		struct spemu_machine before;
		unsigned index;
		int none;

		random_machine(&before);
		if (q.topic == SPEMU_TOPIC_ACCESS || n % 2) {
			q.topic = SPEMU_TOPIC_ACCESS;
			q.el = n % 7 ? (uint8_t)(1 + next() % 3 / 2) : 0;
			if (next() & 1) /* the trap to EL3 often hides the other traps */
				spemu_machine_set_reg(&before, SPEMU_REG_MDCR_EL3,
				                      ~UINT64_C(0x1800));
		}
		for (unsigned i = 0; i < sizeof(controls) / sizeof(*controls); i++) {
			spemu_reg_find(&index, &none, controls[i], strlen(controls[i]));
			spemu_reg_describe(&r, index);
			for (unsigned k = 0; spemu_field_describe(&f, index, k) == SPEMU_OK; k++) {
				struct spemu_machine after = before;
				char name[64];

				spemu_machine_set_reg(&after, r.reg,
				                      before.written[r.reg] ^
				                              ((next() << 1 | 1) << f.lo &
				                               (~UINT64_C(0) >> (63 - f.hi))));
				snprintf(name, sizeof(name), "%s.%s", r.name, f.name);
				compare(&before, &after, &q, name, &changed);
			}
		}
	}
	print_message("# %u clauses changed\n", changed);
	assert_true(changed > ROUNDS / test_share());
}

static bool any(bool all_so_far, unsigned n)
{
	return n ? all_so_far : false;
}

/* The steps of a trace lead to the decision of its topic. spemu_explain_decide() gives the same
 * decision for the state. */
static void traces_fold_to_decisions(void **state)
{
	(void)state;
	seed = 11;
	for (unsigned n = 0; n < ROUNDS; n += test_share()) {
		struct spemu_machine m;
		struct spemu_decisions d;
		struct spemu_trace_step s;

		random_machine(&m);
		spemu_explain_decide(&m.pe, &d);
		for (uint8_t topic = 0; topic <= SPEMU_TOPIC_OWNER_EL; topic++) {
			for (uint8_t el = 0; el < 4; el++) {
				struct spemu_question q = {.topic = topic, .el = el};
				bool all = true, one = false;
				unsigned position = 0, count = 0;
				unsigned value = 0;

				while (spemu_explain_trace(&m.pe, &s, &position, &q) == SPEMU_OK) {
					all = all && s.holds;
					one = one || s.holds;
					value = s.value;
					count++;
				}
				if (topic == SPEMU_TOPIC_STOPPED)
					assert_int_equal(one, d.stopped);
				if (topic == SPEMU_TOPIC_BUFFER)
					assert_int_equal(any(all, count), d.buffer_enabled);
				if (topic == SPEMU_TOPIC_ENABLED)
					assert_int_equal(any(all, count), d.enabled[el]);
				if (topic == SPEMU_TOPIC_OWNER_SECURITY)
					assert_int_equal(value, d.owner.security);
				if (topic == SPEMU_TOPIC_OWNER_EL)
					assert_int_equal(value, d.owner.el);
			}
		}
		for (unsigned position = 0; position != ~0u;) /* ~0u: a clause has decided */
			if (spemu_explain_trace(
			            &m.pe, &s, &position,
			            &(struct spemu_question){.topic = SPEMU_TOPIC_CAPTURE}))
				fail_msg("no clause of a Capture decides");
		assert_int_equal(s.value, d.capture);
	}
}

/* The model is brought into the same state through its public functions. It makes the same
 * decisions as the explanation. */
static void model_and_explanation_decide_alike(void **state)
{
	(void)state;
	seed = 13;
	for (unsigned n = 0; n < ROUNDS; n += test_share()) {
		struct spemu_machine m;
		struct spemu_decisions d;
		struct spemu_owner owner;
		struct fixture f;

		random_machine(&m);
		m.state.aarch32 = false;
		spemu_machine_set_state(&m, &m.state);
		fixture_start(&f, "v9.6", NULL);
		put(&m, "features=v9.6");
		for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
			set(&f, (enum spemu_reg)i, m.written[i]);
		spemu_pe_set(f.pe, &m.state);
		spemu_explain_decide(&m.pe, &d);
		spemu_spu_buffer_owner(f.spu, &owner);
		assert_int_equal(owner.security, d.owner.security);
		assert_int_equal(owner.el, d.owner.el);
		assert_int_equal(decisions_of(f.pe).stopped, d.stopped);
		assert_int_equal(decisions_of(f.pe).buffer_enabled, d.buffer_enabled);
		/* PMSCR_EL2.{E2SPE, E0HSPE} stay 0 while MDCR_EL2.E2PB is not 0b00. EL1 then owns
		 * the buffer, and neither bit has an effect. */
		for (unsigned el = 0; el < 4; el++)
			assert_int_equal(spemu_spu_profiling_enabled(f.spu, el), d.enabled[el]);
		fixture_stop(&f);
	}
}

static bool nspb_is_reserved(const struct spemu_machine *m)
{
	struct spemu_effective e;

	for (unsigned i = 0; spemu_explain_effective(&m->pe, &e, i) == SPEMU_OK; i++)
		if (e.why && strstr(e.why, "reserved-nspb"))
			return true;
	return false;
}

/* The writes of a remedy enable profiling. If any one of them is left out, profiling stays
 * disabled. */
static void remedies_enable_profiling_and_are_minimal(void **state)
{
	unsigned helped = 0, never = 0;

	(void)state;
	seed = 17;
	for (unsigned n = 0; n < 300; n += test_share()) {
		struct spemu_machine m;
		struct spemu_remedy r;
		struct spemu_decisions d;
		unsigned el = (unsigned)(next() % 3);

		random_machine(&m);
		spemu_explain_decide(&m.pe, &d);
		spemu_explain_remedy(&m.pe, &r, el);
		if (d.enabled[el]) {
			assert_true(r.count == 0 && !r.never_text);
			continue;
		}
		assert_true((r.count == 0) == (r.never_text != NULL));
		for (unsigned i = r.count; i < SPEMU_REMEDY_MAX; i++)
			assert_null(r.write[i].field);
		never += r.count == 0;
		for (unsigned left_out = 0; r.count && left_out <= r.count; left_out++) {
			struct spemu_machine after = m;

			for (unsigned i = 0; i < r.count; i++) {
				char text[64];

				snprintf(text, sizeof(text), "%.*s=%u", (int)r.write[i].length,
				         r.write[i].field, (unsigned)r.write[i].value);
				if (i != left_out)
					put(&after, text);
			}
			spemu_explain_decide(&after.pe, &d);
			/* If one half of a write to {NSPBE, NSPB} is left out, the pair may be
			 * reserved, and the choice for reserved values may enable profiling. That
			 * does not make the other half unnecessary. */
			if (left_out == r.count || !nspb_is_reserved(&after))
				assert_int_equal(d.enabled[el], left_out == r.count);
			helped++;
		}
	}
	assert_true(helped > 100 / test_share() && never > 20 / test_share());
}

/* Return true if MSR of the register `name` at `el` writes the register `reg`. */
static bool may_write(const struct spemu_machine *m, const char *name, enum spemu_reg reg,
                      unsigned el)
{
	struct spemu_access_result result;
	struct spemu_reg_description d;
	enum spemu_reg target;
	unsigned index;
	int field;

	assert_int_equal(spemu_reg_find(&index, &field, name, strlen(name)), SPEMU_OK);
	spemu_reg_describe(&d, index);
	return !d.host_owned &&
	       spemu_explain_access(&m->pe, &result, &target, d.encoding, true, el) == SPEMU_OK &&
	       result.outcome == SPEMU_ACCESS_OK && target == reg;
}

/* Each write of a remedy names the Exception level and the register name with which it can be
 * made. */
static void remedies_can_be_applied_where_they_say(void **state)
{
	unsigned aliases = 0, at[4] = {0};

	(void)state;
	seed = 23;
	for (unsigned n = 0; n < 1500; n++) {
		struct spemu_machine m;
		struct spemu_remedy r;

		random_machine(&m);
		spemu_explain_remedy(&m.pe, &r, (unsigned)(next() % 3));
		for (unsigned i = 0; i < r.count; i++) {
			const struct spemu_remedy_write *w = &r.write[i];
			struct spemu_reg_description d;
			struct spemu_field_description f;
			unsigned index;
			char reg[32];
			int field;

			snprintf(reg, sizeof(reg), "%.*s", (int)strcspn(w->field, "."), w->field);
			assert_int_equal(spemu_reg_find(&index, &field, reg, strlen(reg)),
			                 SPEMU_OK);
			spemu_reg_describe(&d, index);
			at[w->el]++;
			if (w->el)
				assert_true(may_write(&m, w->name, d.reg, w->el));
			if (w->el != 1 && !REG_FIELD(&m.pe, HCR_EL2, TGE))
				assert_false(may_write(&m, reg, d.reg, 1));
			aliases += w->el && strcmp(w->name, reg) != 0;
			/* A value of a remedy fits the field. */
			assert_true(w->value >> w->width == 0);
			assert_memory_not_equal(w->field, "PSTATE", 6);
			assert_memory_not_equal(w->field, "SCR_EL3", 7);
			assert_memory_not_equal(w->field, "HCR_EL2", 7);
			if (strncmp(w->field, "MDCR_EL2.E2PB", 13) == 0)
				assert_int_not_equal(w->value, 1); /* 0b01 is reserved */
			/* The next write is made in the state that this write produces. */
			assert_int_equal(spemu_reg_find(&index, &field, w->field, w->length),
			                 SPEMU_OK);
			spemu_field_describe(&f, index, (unsigned)field);
			m.pe.reg[d.reg] = bits_set(m.pe.reg[d.reg], f.hi, f.lo, w->value);
		}
	}
	assert_true(aliases > 0 && at[1] > 0 && at[2] > 0 && at[3] > 0);
}

static void every_differing_effective_value_has_a_reason(void **state)
{
	unsigned differ = 0;

	(void)state;
	seed = 19;
	for (unsigned n = 0; n < ROUNDS; n += test_share()) {
		struct spemu_machine m;
		struct spemu_effective e;

		random_machine(&m);
		for (unsigned i = 0; spemu_explain_effective(&m.pe, &e, i) == SPEMU_OK; i++) {
			assert_true(e.effective >> e.width == 0);
			assert_int_equal(e.why != NULL, e.raw != e.effective);
			differ += e.why != NULL;
		}
	}
	assert_true(differ > ROUNDS / test_share());
}

static void refused_text_changes_nothing(void **state)
{
	static const struct {
		const char *text;
		enum spemu_refusal kind;
		size_t offset, length;
	} rows[] = {
	        {"", SPEMU_REFUSED_FORM, 0, 0},
	        {"PMSCR_EL1", SPEMU_REFUSED_FORM, 0, 9},
	        {"=1", SPEMU_REFUSED_FORM, 0, 2},
	        {"PMSCR=1", SPEMU_REFUSED_NAME, 0, 5},
	        {"PMSCR_EL1.X=1", SPEMU_REFUSED_FIELD, 10, 1},
	        {"PMSCR_EL1=", SPEMU_REFUSED_VALUE, 10, 0},
	        {"PMSCR_EL1=0x", SPEMU_REFUSED_VALUE, 10, 2},
	        {"PMSCR_EL1=-1", SPEMU_REFUSED_VALUE, 10, 2},
	        {"PMSCR_EL1=18446744073709551616", SPEMU_REFUSED_VALUE, 10, 20},
	        {"PMSCR_EL1.EE=4", SPEMU_REFUSED_WIDTH, 13, 1},
	        {"features=v9.6,+NO", SPEMU_REFUSED_FEATURE, 14, 3},
	        {"features=v9.6,-FEAT_SPE", SPEMU_REFUSED_MACHINE, 9, 14},
	};
	struct spemu_machine m, before, *made;
	struct spemu_refusal_detail detail;

	(void)state;
	assert_int_equal(spemu_machine_init(&made, &m, sizeof(m)), SPEMU_OK);
	assert_ptr_equal(made, &m);
	put(&m, "PMSCR_EL1=0xffffffffffffffff");
	before = m;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(spemu_machine_set(&m, &detail, rows[i].text, strlen(rows[i].text)),
		                 SPEMU_ERR_INVALID);
		assert_int_equal(detail.kind, rows[i].kind);
		assert_int_equal(detail.offset, rows[i].offset);
		assert_int_equal(detail.length, rows[i].length);
		assert_memory_equal(&m, &before, sizeof(m));
	}
}

/* Every name of the register reference is found, also in lower case. */
static void register_names_resolve_in_any_case(void **state)
{
	struct spemu_reg_description r;
	struct spemu_field_description f;
	unsigned index, names = 0;
	int field;

	(void)state;
	for (unsigned i = 0; spemu_reg_describe(&r, i) == SPEMU_OK; i++) {
		char name[64];

		if (r.reg == SPEMU_REG_COUNT) /* a state cannot set the value of such a register */
			continue;
		assert_int_equal(spemu_reg_find(&index, &field, r.name, strlen(r.name)), SPEMU_OK);
		assert_true(index == i && field == -1);
		for (unsigned k = 0; spemu_field_describe(&f, i, k) == SPEMU_OK; k++) {
			snprintf(name, sizeof(name), "%s.%s", r.name, f.name);
			for (char *c = name; *c; c++)
				if (*c >= 'A' && *c <= 'Z')
					*c = (char)(*c - 'A' + 'a');
			assert_int_equal(spemu_reg_find(&index, &field, name, strlen(name)),
			                 SPEMU_OK);
			assert_true(index == i && field == (int)k);
			names++;
		}
		assert_int_equal(spemu_field_describe(&f, i, r.field_count), SPEMU_ERR_INVALID);
	}
	assert_true(names > 150);
	assert_int_equal(spemu_reg_find(&index, &field, "PMSCR_EL", 8), SPEMU_ERR_INVALID);
}

/* RTWFRY, D24.7.5, D17.8.3: EC, FSC and BSC are described in the words of the tables of
 * PMBSR_EL1. */
static void rtwfry_stop_reason_has_words_of_pmbsr_tables(void **state)
{
	static const struct {
		const char *assign[4];
		const char *text;
	} rows[] = {
	        {{"PMBSR_EL1=0", "PMBPTR_EL1=0x10040"}, ""},
	        {{"PMBSR_EL1=0x90000007"}, ""}, /* S is 0 */
	        {{"PMBSR_EL1=0x20001", "PMBPTR_EL1=0x10040"},
	         "PMBSR_EL1=0x20001: other management event, Profiling Buffer filled"},
	        {{"PMBSR_EL1=0xe0000"},
	         "PMBSR_EL1=0xe0000: other management event, access to the Profiling Buffer not "
	         "allowed, an External abort, data lost"},
	        {{"PMBSR_EL1=0x900b0007", "PMBPTR_EL1=0x10040"},
	         "PMBSR_EL1=0x900b0007: stage 1 Data Abort, Translation fault, level 3, at "
	         "0x10040, "
	         "data lost, samples collided"},
	        {{"PMBSR_EL1=0x94060010", "PMBPTR_EL1=0xffff000000010040"},
	         "PMBSR_EL1=0x94060010: stage 2 Data Abort, synchronous External abort on the "
	         "write, at 0xffff000000010040"},
	        /* RBPFPN: the address is not known. */
	        {{"PMBSR_EL1=0x900e0011", "PMBPTR_EL1=0x10040"},
	         "PMBSR_EL1=0x900e0011: stage 1 Data Abort, asynchronous External abort, data "
	         "lost"},
	        /* EC and FSC are read only up to the bits of MSS2 and of the rest of MSS. */
	        {{"PMBSR_EL1=0x190020047", "PMBPTR_EL1=0x10040"},
	         "PMBSR_EL1=0x190020047: stage 1 Data Abort, Translation fault, level 3, at "
	         "0x10040"},
	        {{"PMBSR_EL1=0x900e0051", "PMBPTR_EL1=0x10040"},
	         "PMBSR_EL1=0x900e0051: stage 1 Data Abort, asynchronous External abort, data "
	         "lost"},
	        {{"PMBSR_EL1=0x100020041"},
	         "PMBSR_EL1=0x100020041: other management event, Profiling Buffer filled"},
	        {{"PMBSR_EL1=0x78020000", "PMBPTR_EL1=0x10040"},
	         "PMBSR_EL1=0x78020000: Granule Protection Check fault other than a GPF, at "
	         "0x10040"},
	        {{"PMBSR_EL1=0x7c020123"},
	         "PMBSR_EL1=0x7c020123: IMPLEMENTATION DEFINED management event"},
	        /* S of EL2 and EL3 stops profiling only if their Profiling exception is enabled. */
	        {{"PMBSR_EL2=0x20001", "SCR_EL3.NS=1"}, ""},
	        {{"PMBSR_EL2=0x20001", "SCR_EL3.NS=1", "PMSCR_EL2.EE=3", "MDCR_EL3.PMSEE=2"},
	         "PMBSR_EL2=0x20001: other management event, Profiling Buffer filled"},
	        {{"PMBSR_EL1=0x20004", "PMBSR_EL3=0x20001", "MDCR_EL3.PMSEE=3"},
	         "PMBSR_EL1=0x20004: other management event, Profiling Buffer too large; "
	         "PMBSR_EL3=0x20001: other management event, Profiling Buffer filled"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[SPEMU_STOPPED_TEXT_MAX], part[8];
		int length = (int)strlen(rows[i].text);
		struct spemu_machine machine, *m;

		assert_int_equal(spemu_machine_init(&m, &machine, sizeof(machine)), SPEMU_OK);
		for (unsigned k = 0; k < 4 && rows[i].assign[k]; k++)
			put(m, rows[i].assign[k]);
		assert_int_equal(spemu_explain_stopped(text, sizeof(text), &m->pe), length);
		assert_string_equal(text, rows[i].text);
		assert_int_equal(spemu_explain_stopped(part, sizeof(part), &m->pe), length);
		assert_int_equal(strlen(part), length < 7 ? length : 7);
		assert_int_equal(spemu_explain_stopped(NULL, 0, &m->pe), length);
		assert_int_equal(spemu_explain_stopped(NULL, 1, &m->pe), SPEMU_ERR_INVALID);
	}
	assert_int_equal(spemu_explain_stopped(NULL, 0, NULL), SPEMU_ERR_INVALID);
}

/* Check that rule n of a register at an Exception level has the given word. The words
 * nv:PATTERN:OFFSET and nv-pmbsr:OFFSET give an offset. The words alias:REG and alias-exc:REG give
 * a register. */
static void check_access_rule(unsigned index, unsigned el, unsigned n, const char *word)
{
	struct spemu_access_rule rule;
	const char *last = strrchr(word, ':');
	bool nv = strncmp(word, "nv:", 3) == 0 || strncmp(word, "nv-pmbsr:", 9) == 0;
	bool alias = strncmp(word, "alias", 5) == 0;

	assert_int_equal(spemu_access_rule(&rule, index, el, n), SPEMU_OK);
	assert_string_equal(rule.word, word);
	assert_int_equal(rule.nvmem_offset, nv ? strtoul(last + 1, NULL, 16) : 0);
	assert_int_equal(rule.alias_of, alias ? spemu_reg_by_name(last + 1) : -1);
}

/* Check the rules of a line of arch/sysreg.txt. A rule for HCR_EL2.TGE precedes each word that
 * denies EL0 (user*). No rules follow the last word. */
static void check_access_line(unsigned index, unsigned el, char *words)
{
	struct spemu_access_rule rule;
	unsigned n = 0;

	for (char *word = strtok(words, " \n"); word; word = strtok(NULL, " \n")) {
		int kind = (int)strcspn(word, ":");
		char tge[64];

		snprintf(tge, sizeof(tge), "%.*s-tge%s", kind, word, word + kind);
		if (strncmp(word, "user", 4) == 0)
			check_access_rule(index, el, n++, tge);
		check_access_rule(index, el, n++, word);
	}
	assert_true(n > 0);
	for (unsigned after = n; after < n + 4; after++)
		assert_int_equal(spemu_access_rule(&rule, index, el, after), SPEMU_ERR_END);
}

static void access_rules_match_the_table(void **state)
{
	FILE *in = fopen(SPEMU_ARCH_DIR "/sysreg.txt", "r");
	unsigned index = 0, lines = 0, el;
	char line[1024], name[64];
	int at;

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		struct spemu_reg_description reg;

		if (sscanf(line, "Sysreg %63s", name) == 1) {
			for (index = 0; spemu_reg_describe(&reg, index) == SPEMU_OK; index++)
				if (strcmp(reg.name, name) == 0)
					break;
		}
		if (sscanf(line, "Access EL%u %n", &el, &at) != 1)
			continue;
		check_access_line(index, el, line + at);
		lines++;
	}
	fclose(in);
	assert_true(lines > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(clauses_depend_only_on_named_fields),
	        cmocka_unit_test(traces_fold_to_decisions),
	        cmocka_unit_test(model_and_explanation_decide_alike),
	        cmocka_unit_test(remedies_enable_profiling_and_are_minimal),
	        cmocka_unit_test(remedies_can_be_applied_where_they_say),
	        cmocka_unit_test(every_differing_effective_value_has_a_reason),
	        cmocka_unit_test(refused_text_changes_nothing),
	        cmocka_unit_test(register_names_resolve_in_any_case),
	        cmocka_unit_test(rtwfry_stop_reason_has_words_of_pmbsr_tables),
	        cmocka_unit_test(access_rules_match_the_table),
	};
	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
