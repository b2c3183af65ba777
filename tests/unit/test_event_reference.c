/* SPDX-License-Identifier: MIT */
/*
 * Compare the model with a second implementation of RHJXHT, RYZJQX and RTSJRP over random states.
 * The second implementation follows the text of the rules, paragraph by paragraph, and uses raw
 * register values. It does not use the model's Effective values.
 *
 * RYZJQX mentions "the current Security state". At EL3 this file takes the state that {SCR_EL3.NSE,
 * SCR_EL3.NS} selects, as Tables D17-8 and D17-9 print it. Nothing is taken at EL3, so the state
 * only distinguishes "disabled" from "masked".
 */
#include "share.h"
#include "spu_fixture.h"
#include "base/prng.h"
#include "spu/spu_object.h"

#define STATES 60000

static const char *const feature_sets[] = {
        "v9.6",
        "v9.6,-FEAT_SEL2",
        "v9.6,-FEAT_RME",
        "v9.6,-FEAT_RME,-FEAT_SEL2",
        "v9.6,-FEAT_RME,-EL3",
        "v9.6,-FEAT_RME,-EL3,+SecureOnly",
        "v9.6,-FEAT_RME,-EL2",
        "v9.6,-FEAT_RME,-EL3,-EL2",
        "v9.6,-FEAT_NV,-FEAT_NV2",
        "v9.6,-FEAT_RME,-FEAT_SPEv1p5,-FEAT_SPE_EXC",
};
#define FEATURE_SETS (sizeof(feature_sets) / sizeof(*feature_sets))

/* A state with raw register values. */
struct world {
	struct spemu_features features;
	uint64_t scr, mdcr3, mdcr2, hcr, pmscr1, pmscr2, pmbsr[4];
	struct spemu_pe_state pe;
	unsigned reserved_nspb, reserved_e2pb, reserved_ee; /* options of the choices */
};

static bool has(const struct world *w, enum spemu_feature f)
{
	return spemu_has(&w->features, f);
}

static unsigned field(uint64_t value, unsigned low, unsigned width)
{
	return (unsigned)(value >> low & ((1u << width) - 1));
}

/* Return true in Secure state. If Secure state is not implemented, SCR_EL3.NS behaves as 1. Without
 * EL3, the only state decides. */
static bool secure(const struct world *w)
{
	if (!has(w, SPEMU_EL3))
		return has(w, SPEMU_SECUREONLY);
	if (has(w, SPEMU_FEAT_RME) && !has(w, SPEMU_FEAT_SEL2))
		return false;
	return has(w, SPEMU_SECURE) && !field(w->scr, 0, 1);
}

static bool secure_el2(const struct world *w)
{
	if (!has(w, SPEMU_EL2) || !has(w, SPEMU_FEAT_SEL2))
		return false;
	return has(w, SPEMU_EL3) ? field(w->scr, 18, 1) : has(w, SPEMU_SECUREONLY);
}

static bool el2_usable(const struct world *w)
{
	return has(w, SPEMU_EL2) && (!secure(w) || secure_el2(w));
}

static unsigned current_security(const struct world *w)
{
	if (has(w, SPEMU_FEAT_RME) && field(w->scr, 62, 1))
		return SPEMU_SS_REALM;
	return secure(w) ? SPEMU_SS_SECURE : SPEMU_SS_NON_SECURE;
}

/* Return the owning Security state (RBWRVP). */
static unsigned owning_security(const struct world *w)
{
	static const unsigned replaced[] = {SPEMU_SS_SECURE, SPEMU_SS_NON_SECURE, SPEMU_SS_REALM,
	                                    SPEMU_SS_NON_SECURE};
	bool nspb1 = field(w->mdcr3, 13, 1), nspbe = field(w->mdcr3, 11, 1);
	/* FEAT_RME has Secure state only with FEAT_SEL2. */
	bool have_secure = has(w, SPEMU_FEAT_SEL2);

	if (!has(w, SPEMU_EL3))
		return has(w, SPEMU_SECUREONLY) ? SPEMU_SS_SECURE : SPEMU_SS_NON_SECURE;
	if (!has(w, SPEMU_FEAT_RME))
		return nspb1 ? SPEMU_SS_NON_SECURE : SPEMU_SS_SECURE;
	if (nspb1)
		return nspbe ? SPEMU_SS_REALM : SPEMU_SS_NON_SECURE;
	return !nspbe && have_secure ? SPEMU_SS_SECURE : replaced[w->reserved_nspb];
}

/* Return the owning Exception level (RKFMHR). */
static unsigned owning_el(const struct world *w)
{
	unsigned e2pb = field(w->mdcr2, 12, 2);

	if (!has(w, SPEMU_EL2) || (owning_security(w) == SPEMU_SS_SECURE && !secure_el2(w)))
		return 1;
	if (e2pb == 1)
		return w->reserved_e2pb == SPEMU_RESERVED_E2PB_EL2 ? 2 : 1;
	return e2pb ? 1 : 2;
}

static unsigned pmsee(const struct world *w)
{
	return field(w->mdcr3, 51, 2);
}

static unsigned ee2(const struct world *w)
{
	return field(w->pmscr2, 8, 2);
}

/* Return true if PMSCR_EL1.EE enables the exception and disables PMBIRQ. A reserved value counts as
 * one or the other, whatever the field reads as. */
static bool ee1_on(const struct world *w)
{
	unsigned ee = field(w->pmscr1, 8, 2);

	if (ee == 0 || ee == 3)
		return ee == 3;
	if (has(w, SPEMU_FEAT_NV)) /* nested virtualization: 0b01 disables, 0b10 enables */
		return ee == 2;
	if (w->reserved_ee == SPEMU_RESERVED_PMSEE_BY_BIT_1)
		return ee == 2;
	return w->reserved_ee == SPEMU_RESERVED_PMSEE_ENABLED;
}

enum { STAGE1 = 0x24, STAGE2 = 0x25, GPC = 0x1e };

static bool is_abort(unsigned ec)
{
	return ec == STAGE1 || ec == STAGE2;
}

/* Return true if the EC and FSC of PMBSR_EL1 (D24.7.5) are those of a GPF. */
static bool is_gpf(const struct world *w, unsigned ec, unsigned fsc)
{
	static const uint8_t codes[] = {0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28};

	return has(w, SPEMU_FEAT_RME) && is_abort(ec) && memchr(codes, (int)fsc, sizeof(codes));
}

static bool is_external(unsigned ec, unsigned fsc)
{
	static const uint8_t codes[] = {0x10, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x1b};

	return is_abort(ec) && memchr(codes, (int)fsc, sizeof(codes));
}

/* Return the Exception level whose PMBSR_ELx records the event (RHJXHT). In Debug state an External
 * abort is not routed to EL3 (EffectiveEA()). */
static unsigned recorded_in(const struct world *w, unsigned ec, unsigned fsc)
{
	bool other_gpc_fault = has(w, SPEMU_FEAT_RME) && ec == GPC;

	if (!has(w, SPEMU_FEAT_SPE_EXC))
		return 1;
	if (has(w, SPEMU_EL3)) {
		if (pmsee(w) == 3)
			return 3;
		if (pmsee(w) == 2) {
			if (other_gpc_fault)
				return 3;
			if (field(w->scr, 48, 1) && is_gpf(w, ec, fsc))
				return 3;
			if (field(w->scr, 3, 1) && is_external(ec, fsc) && !w->pe.debug)
				return 3;
		}
		if (pmsee(w) == 0)
			return 1;
	}
	if (!has(w, SPEMU_EL2))
		return 1;
	if (secure(w) && !secure_el2(w))
		return 1;
	if (ee2(w) == 3)
		return 2;
	if (ee2(w) != 2)
		return 1;
	if (other_gpc_fault)
		return 2;
	if (!is_abort(ec))
		return 1;
	if (owning_el(w) == 2 || ec == STAGE2)
		return 2;
	if (field(w->hcr, 48, 1) && is_gpf(w, ec, fsc))
		return 2;
	return field(w->hcr, 37, 1) && is_external(ec, fsc) ? 2 : 1;
}

/* The three results of RYZJQX for one Exception level. */
struct exception {
	bool pending, masked;
	unsigned target;
};

static struct exception for_el3(const struct world *w)
{
	struct exception a = {false, false, 0};

	if (!has(w, SPEMU_EL3) || pmsee(w) < 2 || !field(w->pmbsr[3], 17, 1))
		return a;
	a.pending = true;
	a.target = 3;
	a.masked = !(w->pe.el <= 2 && !w->pe.debug);
	return a;
}

static bool enabled_below_el3(const struct world *w)
{
	return !has(w, SPEMU_EL3) || pmsee(w) != 0;
}

static bool may_be_taken(const struct world *w)
{
	return w->pe.el < 3 && owning_security(w) == current_security(w) && !w->pe.debug;
}

static struct exception for_el2(const struct world *w)
{
	struct exception a = {false, false, 0};

	if (!enabled_below_el3(w) || !el2_usable(w) || ee2(w) < 2 || !field(w->pmbsr[2], 17, 1))
		return a;
	a.pending = true;
	a.target = 2;
	a.masked = true;
	if (may_be_taken(w)) {
		if (w->pe.el < 2)
			a.masked = false;
		else if (ee2(w) == 3 && field(w->pmscr2, 10, 1) && !w->pe.pm)
			a.masked = false;
	}
	return a;
}

static struct exception for_el1(const struct world *w)
{
	struct exception a = {false, false, 0};

	if (!enabled_below_el3(w) || (el2_usable(w) && ee2(w) == 0) || !ee1_on(w) ||
	    !field(w->pmbsr[1], 17, 1))
		return a;
	a.pending = true;
	a.target = el2_usable(w) && field(w->hcr, 27, 1) ? 2 : 1;
	a.masked = true;
	if (may_be_taken(w)) {
		if (w->pe.el == 0)
			a.masked = false;
		else if (w->pe.el == 1 && field(w->pmscr1, 10, 1) && !w->pe.pm)
			a.masked = false;
	}
	return a;
}

/* Return true if PMBIRQ is asserted (RTSJRP). */
static bool pmbirq(const struct world *w)
{
	bool enabled = false;

	if (!has(w, SPEMU_FEAT_SPE_EXC))
		enabled = true;
	if (has(w, SPEMU_EL3) && pmsee(w) == 0)
		enabled = true;
	if (el2_usable(w) && ee2(w) == 0)
		enabled = true;
	if (!ee1_on(w))
		enabled = true;
	return enabled && field(w->pmbsr[1], 17, 1);
}

/* Return true if profiling is stopped (RTWFRY). The freeze of the PMU's counters depends on it. */
static bool stopped(const struct world *w)
{
	if (field(w->pmbsr[1], 17, 1))
		return true;
	if (!has(w, SPEMU_FEAT_SPE_EXC) || (has(w, SPEMU_EL3) && pmsee(w) == 0))
		return false;
	if (has(w, SPEMU_EL3) && pmsee(w) >= 2 && field(w->pmbsr[3], 17, 1))
		return true;
	return el2_usable(w) && ee2(w) >= 2 && field(w->pmbsr[2], 17, 1);
}

struct bench {
	struct fixture f; /* first member: the host's context points to it */
	uint64_t prng;
	unsigned target;
	bool freeze;
};

static void note_target(void *ctx, unsigned target_el)
{
	((struct bench *)ctx)->target = target_el;
}

static void note_freeze(void *ctx, bool freeze)
{
	((struct bench *)ctx)->freeze = freeze;
}

static uint64_t random_bits(struct bench *b)
{
	return prng_next(&b->prng);
}

static uint64_t set_and_read(struct bench *b, enum spemu_reg r, uint64_t value)
{
	set(&b->f, r, value);
	return reg(&b->f, r);
}

static void random_choices(struct bench *b, struct world *w)
{
	/* Draw the Security state that replaces a reserved value, or a value that disables
	 * profiling. The Security state is implemented. */
	do
		w->reserved_nspb = (unsigned)(random_bits(b) % 4);
	while ((w->reserved_nspb == SPEMU_RESERVED_NSPB_SECURE && !has(w, SPEMU_FEAT_SEL2)) ||
	       (w->reserved_nspb == SPEMU_RESERVED_NSPB_REALM && !has(w, SPEMU_FEAT_RME)));
	w->reserved_e2pb = (unsigned)(random_bits(b) % 3);
	w->reserved_ee = (unsigned)(random_bits(b) % 3);
	spemu_choice_set(b->f.pe, SPEMU_CHOICE_RESERVED_NSPB, w->reserved_nspb);
	spemu_choice_set(b->f.pe, SPEMU_CHOICE_RESERVED_E2PB, w->reserved_e2pb);
	spemu_choice_set(b->f.pe, SPEMU_CHOICE_RESERVED_PMSEE, w->reserved_ee);
}

/* Draw a possible state: the Exception level exists, and {NSE, NS} does not have its reserved
 * value. */
static void random_state(struct bench *b, struct world *w)
{
	uint64_t bits = random_bits(b), nse = FIELD(SCR_EL3, NSE, 1), tge = FIELD(HCR_EL2, TGE, 1);
	uint64_t scr = random_bits(b);
	unsigned el;

	if (!(scr & 1))
		scr &= ~nse;
	if (has(w, SPEMU_FEAT_RME) && !has(w, SPEMU_FEAT_SEL2))
		scr |= 1; /* without Secure state, SCR_EL3.NS counts as 1 */
	w->scr = set_and_read(b, SPEMU_REG_SCR_EL3, scr);
	w->mdcr3 = set_and_read(b, SPEMU_REG_MDCR_EL3, random_bits(b));
	w->mdcr2 = set_and_read(b, SPEMU_REG_MDCR_EL2, random_bits(b));
	w->hcr = set_and_read(b, SPEMU_REG_HCR_EL2, random_bits(b));
	w->pmscr1 = set_and_read(b, SPEMU_REG_PMSCR_EL1, random_bits(b));
	w->pmscr2 = set_and_read(b, SPEMU_REG_PMSCR_EL2, random_bits(b));
	w->pmbsr[1] = set_and_read(b, SPEMU_REG_PMBSR_EL1, random_bits(b));
	w->pmbsr[2] = set_and_read(b, SPEMU_REG_PMBSR_EL2, random_bits(b));
	w->pmbsr[3] = set_and_read(b, SPEMU_REG_PMBSR_EL3, random_bits(b));
	do
		el = (unsigned)(random_bits(b) >> 20 & 3);
	while ((el == 3 && !has(w, SPEMU_EL3)) || (el == 2 && !el2_usable(w)) ||
	       (el == 1 && el2_usable(w) && (w->hcr & tge)));
	w->pe = (struct spemu_pe_state){
	        .el = (uint8_t)el, .pm = bits & 1, .debug = (bits & 0x700) == 0};
	spemu_pe_set(b->f.pe, &w->pe);
}

static void compare_signals(const struct bench *b, const struct world *w)
{
	const struct exception expected[] = {for_el1(w), for_el2(w), for_el3(w)};
	unsigned highest = 0;

	for (unsigned el = 1; el <= 3; el++) {
		struct exception e = expected[el - 1];
		struct spemu_profiling_exception got = spemu__signal_exception(b->f.pe, el);

		if (!has(w, SPEMU_FEAT_SPE_EXC))
			e = (struct exception){false, false, 0};
		assert_int_equal(got.pending, e.pending);
		assert_int_equal(got.masked, e.masked);
		assert_int_equal(got.target_el, e.target);
		if (e.pending && !e.masked)
			highest = e.target;
	}
	assert_int_equal(spemu_spu_profiling_exception_target(b->f.spu), highest);
	assert_int_equal(b->target, highest);
	assert_int_equal(spemu_spu_pmbirq(b->f.spu), pmbirq(w));
	assert_int_equal(b->f.irq, pmbirq(w));
	assert_int_equal(decisions_of(b->f.pe).stopped, stopped(w));
}

/* SPEFreezeOnEvent(): counters freeze if PMBLIMITR_EL1.{E, PMFZ} is {1, 1} and profiling is
 * stopped. */
static void compare_freeze(struct bench *b, const struct world *w, uint64_t limit)
{
	bool expected;

	limit = set_and_read(b, SPEMU_REG_PMBLIMITR_EL1, limit);
	expected = (limit & 0x21) == 0x21 && stopped(w);
	assert_int_equal(spemu_spu_pmu_freeze(b->f.spu), expected);
	assert_int_equal(b->freeze, expected);
}

static void compare_routes(struct bench *b, const struct world *w)
{
	static const uint8_t ec[] = {0, GPC, 0x1f, STAGE1, STAGE2};
	unsigned event = ec[random_bits(b) % sizeof(ec)];

	for (unsigned fsc = 0; fsc < 64; fsc++)
		assert_int_equal(spemu__route_target_el(b->f.spu->pe, event, fsc),
		                 recorded_in(w, event, fsc));
}

static void signals_and_routes_match_the_reference(void **state)
{
	static struct bench b;
	unsigned states = 0, taken = 0;

	(void)state;
	b.prng = 17;
	for (unsigned i = 0; i < FEATURE_SETS; i++) {
		struct world w = {0};

		assert_int_equal(spemu_features_parse(&w.features, NULL, feature_sets[i]),
		                 SPEMU_OK);
		fixture_start(&b.f, feature_sets[i], NULL);
		b.f.spu->host.profiling_exception = note_target;
		b.f.spu->host.pmu_freeze = note_freeze;
		b.f.irq = spemu_spu_pmbirq(b.f.spu);
		b.target = spemu_spu_profiling_exception_target(b.f.spu);
		b.freeze = spemu_spu_pmu_freeze(b.f.spu);
		for (unsigned n = 0; n < STATES; n += test_share(), states++) {
			if (n % 16 == 0)
				random_choices(&b, &w);
			random_state(&b, &w);
			compare_signals(&b, &w);
			compare_freeze(&b, &w, random_bits(&b));
			compare_routes(&b, &w);
			taken += b.target != 0;
		}
		fixture_stop(&b.f);
	}
	print_message("# %u states, in %u of them an exception is taken\n", states, taken);
	assert_true(taken > states / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(signals_and_routes_match_the_reference),
	};
	return cmocka_run_group_tests_name("event_reference", tests, NULL, NULL);
}
