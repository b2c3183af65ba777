/* SPDX-License-Identifier: MIT */
/*
 * Compare the model with Tables D17-1, D17-2 and D17-4: every combination of the control fields, at
 * every Exception level and Security state, for the relevant feature sets. Every combination must
 * match exactly one row.
 */
#include "spu_fixture.h"
#include "table.h"

static const char *const feature_sets[] = {
        "v8.2",                      /* neither Secure EL2 nor Realms */
        "v8.4",                      /* Secure EL2 */
        "v9.2",                      /* Realms and Secure state */
        "v9.6",                      /* FEAT_SPE_EXC, FEAT_SPE_nVM */
        "v9.6,-FEAT_SEL2",           /* Realms without Secure state */
        "v8.4,-FEAT_VHE,-FEAT_E2H0", /* no EL2&0 */
        "v8.4,-EL2",                 /* only EL3 and EL1 */
};
#define FEATURE_SETS (sizeof(feature_sets) / sizeof(*feature_sets))

/* One combination of the raw controls, and whether EL2 is enabled. */
struct controls {
	unsigned nse, ns, eel2, nspbe, nspb, e2pb, tge, e2h, enable, pmscr, s;
	bool el2_enabled;
};

static bool has(const struct spemu_features *set, enum spemu_feature f)
{
	return spemu_has(set, f);
}

/* Unpack the bits of n into the controls. Return false for combinations that are impossible below
 * EL3 or in no table. */
static bool unpack(struct controls *c, const struct spemu_features *set, uint32_t n)
{
	bool rme = has(set, SPEMU_FEAT_RME), sel2 = has(set, SPEMU_FEAT_SEL2);
	bool secure = has(set, SPEMU_SECURE) && (!rme || sel2);

	c->nse = n & 1, c->ns = n >> 1 & 1, c->eel2 = n >> 2 & 1, c->nspbe = n >> 3 & 1;
	c->nspb = n >> 4 & 3, c->e2pb = n >> 6 & 3, c->tge = n >> 8 & 1, c->e2h = n >> 9 & 1;
	c->enable = n >> 10 & 1, c->s = n >> 11 & 1, c->pmscr = n >> 12 & 15;
	if ((!rme && (c->nse || c->nspbe)) || (!sel2 && c->eel2) ||
	    (!has(set, SPEMU_FEAT_VHE) && c->e2h) || (!has(set, SPEMU_EL2) && (c->tge || c->e2pb)))
		return false; /* the field is RES0, so this equals another combination */
	if ((c->nse && !c->ns) || (!c->ns && !secure))
		return false;
	c->el2_enabled = has(set, SPEMU_EL2) && (c->ns || c->eel2);
	return c->e2pb != 1; /* 0b01 is reserved and in no table */
}

static void apply(struct fixture *f, const struct controls *c)
{
	set(f, SPEMU_REG_SCR_EL3,
	    FIELD(SCR_EL3, NSE, c->nse) | FIELD(SCR_EL3, EEL2, c->eel2) | (uint64_t)c->ns);
	set(f, SPEMU_REG_MDCR_EL3,
	    FIELD(MDCR_EL3, NSPBE, c->nspbe) | FIELD(MDCR_EL3, NSPB, c->nspb));
	set(f, SPEMU_REG_MDCR_EL2, 0);
	set(f, SPEMU_REG_PMSCR_EL2, c->pmscr & 3);
	set(f, SPEMU_REG_MDCR_EL2, FIELD(MDCR_EL2, E2PB, c->e2pb));
	set(f, SPEMU_REG_PMSCR_EL1, c->pmscr >> 2);
	set(f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, TGE, c->tge) | FIELD(HCR_EL2, E2H, c->e2h));
	set(f, SPEMU_REG_PMBLIMITR_EL1, (BUFFER_BASE + BUFFER_SIZE) | c->enable);
	set(f, SPEMU_REG_PMBSR_EL1, FIELD(PMBSR_EL1, S, c->s));
}

/* Return true if a cell of Table D17-1 enables profiling with the given PMSCR_EL2.{E2SPE, E0HSPE}
 * and PMSCR_EL1.{E1SPE, E0SPE}. */
static bool cell_enables(const char *cell, const struct controls *c)
{
	if (strcmp(cell, "E2SPE") == 0)
		return c->pmscr & 2;
	if (strcmp(cell, "E0HSPE") == 0)
		return c->pmscr & 1;
	if (strcmp(cell, "E1SPE") == 0)
		return c->pmscr & 8;
	if (strcmp(cell, "E0SPE") == 0)
		return c->pmscr & 4;
	assert_true(strcmp(cell, "D") == 0 || strcmp(cell, "n/a") == 0);
	return false;
}

/* Return the cell of Table D17-1, or NULL if no row matches. The table considers a PE without EL2
 * only in Secure state with EEL2 0. In other rows EL2 exists. */
static const char *d17_1_cell(const struct table *t, const struct controls *c, unsigned el,
                              bool have_el2)
{
	/* Without EL2 the owner is EL1 (RKFMHR), as with E2PB 0b11. TGE is then Effectively 0. */
	const struct table_input inputs[] = {
	        {"NSE", c->nse},   {"NS", c->ns},     {"NSPBE", c->nspbe},
	        {"NSPB", c->nspb}, {"EEL2", c->eel2}, {"E2PB", have_el2 ? c->e2pb : 3},
	        {"TGE", c->tge},
	};
	static const char *const column[] = {"EL0", "EL1", "EL2", "EL3"};
	unsigned matching, row = table_find(t, inputs, 7, &matching);

	if (!row && !c->ns && c->nspbe && !(c->nspb & 2))
		return NULL; /* the reserved value in Secure state has no row */
	assert_int_equal(matching, 1);
	return table_get(t, row, column[el]);
}

static void table_d17_1_profiling_enabled(void **state)
{
	struct table t;
	uint64_t cells = 0;

	(void)state;
	table_load(&t, "D17-1");
	for (unsigned i = 0; i < FEATURE_SETS; i++) {
		struct fixture f;
		struct spemu_features fs;

		fixture_start(&f, feature_sets[i], NULL);
		spemu_features_parse(&fs, NULL, feature_sets[i]);
		for (uint32_t n = 0; n < 1u << 16; n++) {
			struct controls c;

			if (!unpack(&c, &fs, n))
				continue;
			apply(&f, &c);
			for (unsigned el = 0; el < 4; el++) {
				bool live = c.enable && !c.s;
				const char *cell = d17_1_cell(&t, &c, el, has(&fs, SPEMU_EL2));

				if (!cell)
					continue;
				assert_int_equal(spemu_spu_profiling_enabled(f.spu, el),
				                 live && cell_enables(cell, &c));
				cells++;
				if (spemu_pe_set(f.pe, &(struct spemu_pe_state){.el = (uint8_t)el}))
					/* "n/a": the PE does not have this Exception level. */
					continue;
				assert_int_equal(spemu_spu_ops_until_sample(f.spu) != UINT64_MAX,
				                 live && cell_enables(cell, &c));
			}
		}
		fixture_stop(&f);
	}
	print_message("# Table D17-1: %llu cells\n", (unsigned long long)cells);
	assert_true(cells > 100000);
}

static const char *regime_name(char *text, const struct spemu_owner *owner, unsigned e2h)
{
	static const char *const security[] = {"Secure", "Non-secure", "Root", "Realm"};

	strcpy(text, security[owner->security]);
	strcat(text, owner->el == 1 ? " EL1&0" : e2h ? " EL2&0" : " EL2");
	return text;
}

static void table_d17_4_owning_regime(void **state)
{
	struct table t;
	uint64_t count = 0;

	(void)state;
	table_load(&t, "D17-4");
	for (unsigned i = 0; i < FEATURE_SETS; i++) {
		struct fixture f;
		struct spemu_features fs;

		fixture_start(&f, feature_sets[i], NULL);
		spemu_features_parse(&fs, NULL, feature_sets[i]);
		at_el(&f, 0);
		for (uint32_t n = 0; n < 1u << 11; n++) {
			struct controls c;
			struct spemu_owner owner;
			unsigned matching, row;
			const char *regime;
			char text[32];

			if (!unpack(&c, &fs, n) || c.tge || !has(&fs, SPEMU_EL2))
				continue;
			/* Leave out the reserved value, which is the last row of the table, and an
			 * owner in another Security state. */
			if ((c.nspbe && !(c.nspb & 2)) || c.nspbe != c.nse)
				continue;
			apply(&f, &c);
			spemu_spu_buffer_owner(f.spu, &owner);
			const struct table_input inputs[] = {
			        {"E", c.enable},  {"NSE", c.nse},     {"NS", c.ns},
			        {"EEL2", c.eel2}, {"NSPBE", c.nspbe}, {"NSPB", c.nspb},
			        {"E2PB", c.e2pb}, {"E2H", c.e2h},
			};
			row = table_find(&t, inputs, 8, &matching);
			assert_int_equal(matching, 1);
			regime = table_get(&t, row, "regime");
			assert_int_equal(decisions_of(f.pe).buffer_enabled,
			                 strcmp(regime, "Disabled") != 0);
			if (strcmp(regime, "Disabled") != 0)
				assert_string_equal(regime_name(text, &owner, c.e2h), regime);
			count++;
		}
		fixture_stop(&f);
	}
	print_message("# Table D17-4: %llu combinations\n", (unsigned long long)count);
	assert_true(count > 900);
}

static void table_d17_2_profiling_stopped(void **state)
{
	struct table t;
	struct fixture f;

	(void)state;
	table_load(&t, "D17-2");
	fixture_start(&f, "v9.6", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	for (unsigned n = 0; n < 128; n++) {
		const struct table_input inputs[] = {
		        {"PMBSR_EL1.S", n & 1},      {"PMSEE", n >> 1 & 3},   {"EE", n >> 3 & 3},
		        {"PMBSR_EL2.S", n >> 5 & 1}, {"PMBSR_EL3.S", n >> 6},
		};
		unsigned matching, row = table_find(&t, inputs, 5, &matching);

		assert_int_equal(matching, 1);
		set(&f, SPEMU_REG_PMBSR_EL1, FIELD(PMBSR_EL1, S, n & 1));
		set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, PMSEE, n >> 1 & 3));
		set(&f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, EE, n >> 3 & 3));
		set(&f, SPEMU_REG_PMBSR_EL2, FIELD(PMBSR_EL2, S, n >> 5 & 1));
		set(&f, SPEMU_REG_PMBSR_EL3, FIELD(PMBSR_EL3, S, n >> 6));
		assert_int_equal(decisions_of(f.pe).stopped,
		                 strcmp(table_get(&t, row, "stopped"), "yes") == 0);
	}
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(table_d17_1_profiling_enabled),
	        cmocka_unit_test(table_d17_4_owning_regime),
	        cmocka_unit_test(table_d17_2_profiling_stopped),
	};
	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
