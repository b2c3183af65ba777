/* SPDX-License-Identifier: MIT */
/* Test the decisions whether profiling is stopped and enabled, and who owns the buffer (D17.4,
 * D17.7.5). */
#include "spu_fixture.h"
#include <spemu/choices.h>

#define MDCR_EL3_NSPB(v) FIELD(MDCR_EL3, NSPB, v)
#define MDCR_EL2_E2PB(v) FIELD(MDCR_EL2, E2PB, v)
#define HCR_TGE FIELD(HCR_EL2, TGE, 1)
#define SCR_NS 1

/* RWXXFL, with EL1 as the owner and without EL2 and EL3: if any single condition fails, profiling
 * is disabled. */
static void rwxxfl_each_condition_alone_disables(void **state)
{
	struct fixture f;
	struct spemu_pe_state pe = {.el = 0};

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	assert_true(spemu_spu_profiling_enabled(f.spu, 0));
	assert_true(spemu_spu_profiling_enabled(f.spu, 1));
	assert_false(spemu_spu_profiling_enabled(f.spu, 2));
	assert_false(spemu_spu_profiling_enabled(f.spu, 3));

	pe.debug = true;
	spemu_pe_set(f.pe, &pe);
	assert_false(spemu_spu_profiling_enabled(f.spu, 0));
	pe.debug = false;
	pe.aarch32 = true;
	spemu_pe_set(f.pe, &pe);
	assert_false(spemu_spu_profiling_enabled(f.spu, 0));
	pe.aarch32 = false;
	spemu_pe_set(f.pe, &pe);
	assert_true(spemu_spu_profiling_enabled(f.spu, 0));

	set(&f, SPEMU_REG_PMBLIMITR_EL1, BUFFER_BASE + BUFFER_SIZE);
	assert_false(decisions_of(f.pe).buffer_enabled);
	set(&f, SPEMU_REG_PMBLIMITR_EL1, (BUFFER_BASE + BUFFER_SIZE) | 1);
	assert_true(decisions_of(f.pe).buffer_enabled);
	set(&f, SPEMU_REG_PMBSR_EL1, 1 << 17);
	assert_false(decisions_of(f.pe).buffer_enabled);
	set(&f, SPEMU_REG_PMBSR_EL1, ~(UINT64_C(1) << 17));
	assert_true(spemu_spu_profiling_enabled(f.spu, 0));
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E0SPE, 1));
	assert_true(spemu_spu_profiling_enabled(f.spu, 0));
	assert_false(spemu_spu_profiling_enabled(f.spu, 1));
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E1SPE, 1));
	assert_false(spemu_spu_profiling_enabled(f.spu, 0));
	assert_true(spemu_spu_profiling_enabled(f.spu, 1));
	fixture_stop(&f);
}

/* RBWRVP, RKFMHR: MDCR_EL3.NSPB and MDCR_EL2.E2PB select the owner. */
static void rbwrvp_owner_follows_nspb_and_e2pb(void **state)
{
	struct fixture f;
	struct spemu_owner who;

	(void)state;
	fixture_start(&f, "v8.2", NULL); /* EL3, EL2, Secure state without Secure EL2 */
	for (unsigned nspb = 0; nspb < 4; nspb++) {
		for (unsigned e2pb = 0; e2pb < 4; e2pb++) {
			bool secure = nspb < 2;

			set(&f, SPEMU_REG_MDCR_EL3, MDCR_EL3_NSPB(nspb));
			set(&f, SPEMU_REG_MDCR_EL2, MDCR_EL2_E2PB(e2pb));
			spemu_spu_buffer_owner(f.spu, &who);
			assert_int_equal(who.security,
			                 secure ? SPEMU_SS_SECURE : SPEMU_SS_NON_SECURE);
			assert_int_equal(who.el, !secure && e2pb == 0 ? 2 : 1);
		}
	}
	fixture_stop(&f);
}

/* Table D17-1: the rows of Non-secure state, which SCR_EL3.NS = 1 selects. */
static void table_d17_1_owner_and_tge_decide_enabled_levels(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2", NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_SCR_EL3, SCR_NS);
	for (unsigned c = 0; c < 64; c++) {
		bool nspb_ns = c & 1, owner_el2 = c & 2, tge = c & 4;
		bool e2spe = c & 8, e1spe = c & 16, e0 = c & 32;

		set(&f, SPEMU_REG_MDCR_EL3, MDCR_EL3_NSPB(nspb_ns ? 3 : 1));
		set(&f, SPEMU_REG_MDCR_EL2, MDCR_EL2_E2PB(0));
		set(&f, SPEMU_REG_PMSCR_EL2,
		    (e2spe ? FIELD(PMSCR_EL2, E2SPE, 1) : 0) |
		            (tge && e0 ? FIELD(PMSCR_EL2, E0HSPE, 1) : 0));
		set(&f, SPEMU_REG_MDCR_EL2, MDCR_EL2_E2PB(owner_el2 ? 0 : 3));
		set(&f, SPEMU_REG_PMSCR_EL1,
		    (e1spe ? FIELD(PMSCR_EL1, E1SPE, 1) : 0) |
		            (!tge && e0 ? FIELD(PMSCR_EL1, E0SPE, 1) : 0));
		set(&f, SPEMU_REG_HCR_EL2, tge ? HCR_TGE : 0);
		assert_false(spemu_spu_profiling_enabled(f.spu, 3));
		assert_int_equal(spemu_spu_profiling_enabled(f.spu, 2),
		                 nspb_ns && owner_el2 && e2spe);
		if (!tge)
			assert_int_equal(spemu_spu_profiling_enabled(f.spu, 1), nspb_ns && e1spe);
		assert_int_equal(spemu_spu_profiling_enabled(f.spu, 0),
		                 nspb_ns && e0 && (owner_el2 || !tge));
	}
	fixture_stop(&f);
}

/* RTWFRY with FEAT_SPE_EXC: PMBSR_ELx.S stops profiling only if events can be reported to ELx. */
static void rtwfry_pmbsr_s_stops_only_if_level_can_be_notified(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v9.6", NULL);
	set(&f, SPEMU_REG_SCR_EL3, SCR_NS);
	for (unsigned c = 0; c < 8 * 16; c++) {
		bool s1 = c & 1, s2 = c & 2, s3 = c & 4;
		unsigned pmsee = c >> 3 & 3, ee = c >> 5 & 3;

		set(&f, SPEMU_REG_PMBSR_EL1, s1 ? 1 << 17 : 0);
		set(&f, SPEMU_REG_PMBSR_EL2, s2 ? 1 << 17 : 0);
		set(&f, SPEMU_REG_PMBSR_EL3, s3 ? 1 << 17 : 0);
		set(&f, SPEMU_REG_MDCR_EL3, (uint64_t)pmsee << 51 | MDCR_EL3_NSPB(3));
		set(&f, SPEMU_REG_PMSCR_EL2, (uint64_t)ee << 8);
		assert_int_equal(decisions_of(f.pe).stopped,
		                 s1 || (pmsee != 0 && ee >= 2 && s2) || (pmsee >= 2 && s3));
	}
	fixture_stop(&f);
}

/* RTWFRY: PMBSR_EL2.S stops profiling only if EL2 exists and is enabled in the current Security
 * state. Without EL3, MDCR_EL3.PMSEE prevents nothing. */
static void rtwfry_pmbsr_el2_s_stops_only_where_el2_is_enabled(void **state)
{
	static const struct {
		const char *features;
		unsigned nse, ns, eel2;
		bool stopped;
	} rows[] = {
	        {"v9.6", 0, 1, 0, true},
	        {"v9.6", 1, 1, 0, true},
	        {"v9.6", 0, 0, 1, true},
	        {"v9.6", 0, 0, 0, false},
	        {"v9.6,-FEAT_RME,-EL3", 0, 0, 0, true},
	        {"v9.6,-FEAT_RME,-EL2", 0, 1, 0, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture f;

		fixture_start(&f, rows[i].features, NULL);
		set(&f, SPEMU_REG_SCR_EL3,
		    FIELD(SCR_EL3, NSE, rows[i].nse) | FIELD(SCR_EL3, EEL2, rows[i].eel2) |
		            rows[i].ns);
		set(&f, SPEMU_REG_MDCR_EL3, NAMED(MDCR_EL3, PMSEE, DELEGATED));
		set(&f, SPEMU_REG_PMSCR_EL2, NAMED(PMSCR_EL2, EE, ENABLED));
		set(&f, SPEMU_REG_PMBSR_EL1, 0);
		set(&f, SPEMU_REG_PMBSR_EL2, 1 << 17);
		assert_int_equal(decisions_of(f.pe).stopped, rows[i].stopped);
		fixture_stop(&f);
	}
}

/* D24.3.18: a reserved owner can select an implemented Security state alone, or profiling is
 * disabled. */
static void reserved_owner_selects_only_implemented_state(void **state)
{
	static const char *const sets[] = {"v9.4,-Secure", "v9.4,-FEAT_SEL2"};
	static const unsigned values[] = {0x0, 0x1, 0x4,
	                                  0x5}; /* all reserved values of {NSPBE, NSPB} */
	struct spemu_owner owner;

	(void)state;
	for (unsigned n = 0; n < 2 * 4 * 3; n++) {
		unsigned value = values[n / 2 % 4], option = n / 8 + 1;
		struct fixture f;

		fixture_start(&f, sets[n & 1], NULL);
		assert_int_equal(spemu_choice_get(f.pe, SPEMU_CHOICE_RESERVED_NSPB),
		                 SPEMU_RESERVED_NSPB_NONE);
		assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_RESERVED_NSPB,
		                                  SPEMU_RESERVED_NSPB_SECURE),
		                 SPEMU_ERR_NOT_SUPPORTED);
		assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_RESERVED_NSPB, option),
		                 SPEMU_OK);
		set(&f, SPEMU_REG_MDCR_EL3,
		    FIELD(MDCR_EL3, NSPBE, value >> 2) | FIELD(MDCR_EL3, NSPB, value & 3));
		set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
		set(&f, SPEMU_REG_HCR_EL2, 0);
		set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E1SPE, 1));
		set(&f, SPEMU_REG_PMBSR_EL1, 0);
		set(&f, SPEMU_REG_PMBLIMITR_EL1, 0x1000 | FIELD(PMBLIMITR_EL1, E, 1));
		spemu_spu_buffer_owner(f.spu, &owner);
		assert_int_not_equal(owner.security, SPEMU_SS_SECURE);
		for (unsigned realm = 0; realm < 2; realm++) {
			bool owns = option == (realm ? SPEMU_RESERVED_NSPB_REALM
			                             : SPEMU_RESERVED_NSPB_NON_SECURE);

			set(&f, SPEMU_REG_SCR_EL3,
			    realm ? FIELD(SCR_EL3, NSE, 1) | FIELD(SCR_EL3, NS, 1)
			          : FIELD(SCR_EL3, NS, 1));
			at_el(&f, 1);
			assert_int_equal(spemu_spu_profiling_enabled(f.spu, 1), owns);
			assert_int_equal(decisions_of(f.pe).buffer_enabled, owns);
		}
		fixture_stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rwxxfl_each_condition_alone_disables),
	        cmocka_unit_test(rbwrvp_owner_follows_nspb_and_e2pb),
	        cmocka_unit_test(table_d17_1_owner_and_tge_decide_enabled_levels),
	        cmocka_unit_test(rtwfry_pmbsr_s_stops_only_if_level_can_be_notified),
	        cmocka_unit_test(rtwfry_pmbsr_el2_s_stops_only_where_el2_is_enabled),
	        cmocka_unit_test(reserved_owner_selects_only_implemented_state),
	};
	return cmocka_run_group_tests_name("enable", tests, NULL, NULL);
}
