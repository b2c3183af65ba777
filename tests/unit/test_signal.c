/* SPDX-License-Identifier: MIT */
/*
 * Test every cell of Tables D17-8, D17-9 and D17-10 in the owning Security state (RTSJRP, RYZJQX).
 * Also test the parts of the rule without a table: outside the owning Security state, and in Debug
 * state.
 */
#include "share.h"
#include "spu_fixture.h"
#include "spu/spu_object.h"
#include "table.h"

#define S FIELD(PMBSR_EL1, S, 1)

static const char *const feature_sets[] = {
        "v9.6",
        "v9.6,-FEAT_SEL2",
        "v9.6,-FEAT_RME",
        "v9.6,-FEAT_RME,-FEAT_SEL2",
        "v9.6,-FEAT_RME,-EL3",
        "v9.6,-FEAT_RME,-EL2",
        "v9.6,-FEAT_RME,-EL3,-EL2",
        "v9.6,-FEAT_RME,-FEAT_SPEv1p5,-FEAT_SPE_EXC",
};
#define FEATURE_SETS (sizeof(feature_sets) / sizeof(*feature_sets))

/* The raw values of the controls. */
struct controls {
	unsigned security, eel2, pmsee, ee2, ke2, ee1, ke1, tge;
	unsigned s;     /* bit n: PMBSR_EL<n + 1>.S */
	unsigned owner; /* the owning Security state */
	unsigned el;
	bool pm, debug;
};

struct bench {
	struct fixture f; /* first member: the context of the host points to it */
	struct table table[3];
	struct spemu_features features;
	unsigned reported; /* target that the callback reported last */
	uint64_t checks;
};

static bool has(const struct bench *b, enum spemu_feature f)
{
	return spemu_has(&b->features, f);
}

static void notify(void *ctx, unsigned target_el)
{
	struct bench *b = ctx;

	assert_true(target_el != b->reported); /* the host is notified of changes only */
	b->reported = target_el;
}

static bool el2_enabled(const struct bench *b, const struct controls *c)
{
	return has(b, SPEMU_EL2) &&
	       (c->security != SPEMU_SS_SECURE || (has(b, SPEMU_FEAT_SEL2) && c->eel2));
}

/* Return true if the combination can exist. A control whose register or field does not exist is 0.
 * EEL2 is 0 if it does not matter. */
static bool exists(const struct bench *b, const struct controls *c)
{
	bool rme = has(b, SPEMU_FEAT_RME), sel2 = has(b, SPEMU_FEAT_SEL2);

	if (!has(b, SPEMU_EL3) && (c->security != SPEMU_SS_NON_SECURE || c->pmsee))
		return false;
	if (!has(b, SPEMU_EL2) && (c->ee2 || c->ke2 || c->tge))
		return false;
	if (c->security == SPEMU_SS_SECURE)
		return (!rme || sel2) && (sel2 || !c->eel2);
	return !c->eel2 &&
	       (c->security == SPEMU_SS_NON_SECURE || (c->security == SPEMU_SS_REALM && rme));
}

static void apply(struct bench *b, const struct controls *c)
{
	struct fixture *f = &b->f;

	set(f, SPEMU_REG_SCR_EL3,
	    FIELD(SCR_EL3, NSE, c->security >> 1) | FIELD(SCR_EL3, EEL2, c->eel2) |
	            (c->security & 1));
	set(f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, TGE, c->tge));
	set(f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, KE, c->ke2) | FIELD(PMSCR_EL2, EE, c->ee2));
	set(f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, KE, c->ke1) | FIELD(PMSCR_EL1, EE, c->ee1));
}

static void apply_owner(struct bench *b, const struct controls *c)
{
	set(&b->f, SPEMU_REG_MDCR_EL3,
	    FIELD(MDCR_EL3, PMSEE, c->pmsee) | FIELD(MDCR_EL3, NSPBE, c->owner == SPEMU_SS_REALM) |
	            FIELD(MDCR_EL3, NSPB, c->owner == SPEMU_SS_SECURE ? UINT64_C(1) : UINT64_C(3)));
}

static void apply_events(struct bench *b, unsigned s)
{
	set(&b->f, SPEMU_REG_PMBSR_EL1, s & 1 ? S : 0);
	set(&b->f, SPEMU_REG_PMBSR_EL2, s & 2 ? S : 0);
	set(&b->f, SPEMU_REG_PMBSR_EL3, s & 4 ? S : 0);
}

/* Return the row in the table of PMBSR_EL<el>. The tables are written with Effective values. */
static unsigned row_of(const struct bench *b, const struct controls *c, unsigned el)
{
	unsigned pmsee = has(b, SPEMU_EL3) ? c->pmsee : 1, row, matching;
	bool el2 = el2_enabled(b, c);
	struct table_input inputs[3][6] = {
	        {{"PMSEE", pmsee},
	         {"EE2", el2 ? c->ee2 : 1},
	         {"TGE", el2 && c->tge},
	         {"EE1", c->ee1},
	         {"KE1", c->ke1},
	         {"PM", c->pm}},
	        {{"PMSEE", pmsee},
	         {"EE", el2 ? c->ee2 : 1},
	         {"KE", c->ke2},
	         {"TGE", el2 && c->tge},
	         {"PM", c->pm}},
	        {{"PMSEE", pmsee}, {"TGE", el2 && c->tge}},
	};
	static const unsigned columns[] = {6, 5, 2};

	if (!has(b, SPEMU_FEAT_SPE_EXC))
		inputs[0][0].value = inputs[1][0].value = inputs[2][0].value = 0;
	row = table_find(&b->table[el - 1], inputs[el - 1], columns[el - 1], &matching);
	assert_int_equal(matching, 1);
	return row;
}

/* Check the Profiling exception of PMBSR_EL<el>.S. Return its target Exception level, or 0 if the
 * exception is not taken. */
static unsigned check_exception(struct bench *b, const struct controls *c, unsigned el)
{
	static const char *const column[] = {"EL0", "EL1", "EL2", "EL3"};
	const char *cell = table_get(&b->table[el - 1], row_of(b, c, el), column[c->el]);
	bool pending = c->s >> (el - 1) & 1 && strcmp(cell, "None") != 0;
	bool taken = pending && strncmp(cell, "EL", 2) == 0 && !c->debug &&
	             (el == 3 || c->owner == c->security);
	unsigned target = el == 1 && el2_enabled(b, c) && c->tge ? 2 : el;
	struct spemu_profiling_exception e = spemu__signal_exception(b->f.pe, el);

	assert_string_not_equal(cell, "n/a");
	assert_true(strcmp(cell, "B") != 0 || c->pm);
	if (strncmp(cell, "EL", 2) == 0)
		assert_int_equal(cell[2] - '0', target);
	assert_int_equal(e.pending, pending);
	assert_int_equal(e.masked, pending && !taken);
	assert_int_equal(e.masked_by != NULL, e.masked);
	assert_int_equal(e.target_el, pending ? target : 0);
	return taken ? target : 0;
}

static void check_state(struct bench *b, const struct controls *c)
{
	struct spemu_pe_state pe = {.el = (uint8_t)c->el, .pm = c->pm, .debug = c->debug};
	unsigned row = row_of(b, c, 1), to[4], highest = 0, lowest = 0;
	bool irq = c->s & 1 && strcmp(table_get(&b->table[0], row, "IRQ"), "HIGH") == 0;
	unsigned order = c->s == 7 || c->s == 3 ? 2 : 1;

	spemu_pe_set(b->f.pe, &pe);
	assert_int_equal(spemu_spu_pmbirq(b->f.spu), irq);
	assert_int_equal(b->f.irq, irq);
	for (unsigned el = 3; el; el--) {
		to[el] = check_exception(b, c, el);
		highest = highest ? highest : to[el];
		lowest = to[el] ? to[el] : lowest;
	}
	for (unsigned o = 0; o < order; o++) {
		unsigned expected = o ? lowest : highest;

		if (order > 1)
			spemu_choice_set(b->f.pe, SPEMU_CHOICE_PROFILING_EXCEPTION_ORDER,
			                 !o ? SPEMU_PROFILING_EXCEPTION_ORDER_HIGHEST_FIRST
			                    : SPEMU_PROFILING_EXCEPTION_ORDER_LOWEST_FIRST);
		assert_int_equal(spemu_spu_profiling_exception_target(b->f.spu), expected);
		assert_int_equal(b->reported, expected);
	}
	if (order > 1)
		spemu_choice_set(b->f.pe, SPEMU_CHOICE_PROFILING_EXCEPTION_ORDER,
		                 SPEMU_PROFILING_EXCEPTION_ORDER_HIGHEST_FIRST);
	b->checks++;
}

/* Check every existing Exception level with both values of PSTATE.PM, also in Debug state. */
static void check_states(struct bench *b, struct controls *c)
{
	for (c->el = 0; c->el < 4; c->el++) {
		if ((c->el == 1 && c->tge && el2_enabled(b, c)) ||
		    (c->el == 2 && !el2_enabled(b, c)) || (c->el == 3 && !has(b, SPEMU_EL3)))
			continue;
		for (unsigned i = 0; i < 4; i++) {
			c->pm = i & 1;
			c->debug = i >> 1;
			check_state(b, c);
		}
	}
}

static void check_owners(struct bench *b, struct controls *c)
{
	static const unsigned states[] = {SPEMU_SS_SECURE, SPEMU_SS_NON_SECURE, SPEMU_SS_REALM};

	for (unsigned i = 0; i < 3; i++) {
		c->owner = states[i];
		if (c->owner != c->security && !has(b, SPEMU_EL3))
			continue;
		if ((c->owner == SPEMU_SS_REALM && !has(b, SPEMU_FEAT_RME)) ||
		    (c->owner == SPEMU_SS_SECURE && has(b, SPEMU_FEAT_RME) &&
		     !has(b, SPEMU_FEAT_SEL2)))
			continue;
		apply_owner(b, c);
		for (c->s = 0; c->s < 8; c->s++) {
			if (c->s & 6 && c->owner != c->security && c->s != 6)
				/* The S bits are independent, so one combination is enough. */
				continue;
			apply_events(b, c->s);
			check_states(b, c);
		}
		apply_events(b, 0);
	}
}

static void tables_d17_8_to_d17_10_signal_events(void **state)
{
	static struct bench b;

	(void)state;
	table_load(&b.table[0], "D17-8");
	table_load(&b.table[1], "D17-9");
	table_load(&b.table[2], "D17-10");
	for (unsigned i = 0; i < FEATURE_SETS; i++) {
		fixture_start(&b.f, feature_sets[i], NULL);
		b.f.spu->host.profiling_exception = notify;
		b.reported = 0;
		assert_int_equal(spemu_features_parse(&b.features, NULL, feature_sets[i]),
		                 SPEMU_OK);
		apply_events(&b, 0);
		for (unsigned n = 0; n < 1u << 12; n += test_share()) {
			struct controls c = {.security = n & 3,
			                     .eel2 = n >> 2 & 1,
			                     .pmsee = n >> 3 & 3,
			                     .ee2 = n >> 5 & 3,
			                     .ke2 = n >> 7 & 1,
			                     .ee1 = n >> 8 & 3,
			                     .ke1 = n >> 10 & 1,
			                     .tge = n >> 11};

			/* EE 0b01 and 0b10 exist only with FEAT_NV. Otherwise they are reserved. */
			if (!exists(&b, &c) ||
			    (!has(&b, SPEMU_FEAT_NV) && (c.ee1 == 1 || c.ee1 == 2)))
				continue;
			apply(&b, &c);
			check_owners(&b, &c);
		}
		fixture_stop(&b.f);
	}
	print_message("# %llu states\n", (unsigned long long)b.checks);
	assert_true(b.checks > 200000 / test_share());
}

/* Each table has exactly one row for each combination of its columns. */
static void signal_tables_are_complete_without_overlap(void **state)
{
	static const char *const names[] = {"D17-8", "D17-9", "D17-10"};
	struct table t;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		table_load(&t, names[i]);
		for (unsigned n = 0; n < 1u << 9; n++) {
			const struct table_input inputs[3][6] = {
			        {{"PMSEE", n & 3},
			         {"TGE", n >> 2 & 1},
			         {"EE2", n >> 3 & 3},
			         {"EE1", n >> 5 & 3},
			         {"KE1", n >> 7 & 1},
			         {"PM", n >> 8}},
			        {{"PMSEE", n & 3},
			         {"TGE", n >> 2 & 1},
			         {"EE", n >> 3 & 3},
			         {"KE", n >> 5 & 1},
			         {"PM", n >> 6 & 1}},
			        {{"PMSEE", n & 3}, {"TGE", n >> 2 & 1}},
			};
			unsigned matching;

			table_find(&t, inputs[i], i == 0 ? 6 : i == 1 ? 5 : 2, &matching);
			assert_int_equal(matching, 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(tables_d17_8_to_d17_10_signal_events),
	        cmocka_unit_test(signal_tables_are_complete_without_overlap),
	};
	return cmocka_run_group_tests_name("signal", tests, NULL, NULL);
}
