/* SPDX-License-Identifier: MIT */
/* Compare MSR and MRS of every PMU register with a second implementation of the "Accessing ..."
 * sections of D24.5, over random states of the controls. Also test Tables D13-11 and D13-12. */
#include "base/prng.h"
#include "pmu_fixture.h"
#include "share.h"

#define B(n) (UINT64_C(1) << (n))

static uint64_t seed = 99991;

static uint64_t next(void)
{
	return prng_next(&seed);
}

struct env {
	const struct spemu_features *fs;
	uint64_t scr, hcr, mdcr2, mdcr3, fgr, fgw, fgr2, fgw2, user;
	bool sdd;
	unsigned el, counters, sel;
	bool write;
};

static bool feat(const struct env *e, enum spemu_feature f)
{
	return spemu_has(e->fs, f);
}

static bool el2_on(const struct env *e)
{
	bool ns = !feat(e, SPEMU_EL3) || (e->scr & B(0));

	return feat(e, SPEMU_EL2) && (ns || (feat(e, SPEMU_FEAT_SEL2) && (e->scr & B(18))));
}

/* Groups of registers whose pages have the same conditions. */
enum page {
	PLAIN,    /* MDCR_ELx.TPM and a bit of HDFGxTR */
	PM2,      /* like PLAIN, with MDCR_EL3.EnPM2 and a bit of HDFGxTR2 */
	SNAPSHOT, /* MDCR_EL3.EnPMSS and a bit of HDFGxTR2; not TPM */
};
enum user { NO_EL0, EN, ER, CR, ID, PMCR, SELR, SWINC, ICNT, USERENR };
struct reg {
	uint32_t encoding;
	enum page page;
	enum user user;
	int fgr, fgw; /* bits of HDFGRTR and HDFGWTR, or -1 */
	/* Number of the counter; -1 if none, -2 if PMSELR_EL0.SEL selects it, -3 likewise, with 31
	 * as the cycle counter. */
	int counter;
	char direction; /* r, w or b (both) */
	enum spemu_feature needs;
};

#define ROW(name, page, user, fgr, fgw, counter, direction, needs)                   \
	{                                                                            \
		SPEMU_SYSREG_##name, page, user, fgr, fgw, counter, direction, needs \
	}
static const struct reg regs[] = {
        ROW(PMCCFILTR_EL0, PLAIN, EN, 14, 14, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMCCNTR_EL0, PLAIN, CR, 15, 15, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMCCNTSVR_EL1, SNAPSHOT, NO_EL0, 6, 6, -1, 'r', SPEMU_FEAT_PMUV3_SS),
        ROW(PMCEID0_EL0, PLAIN, ID, 58, 58, -1, 'r', SPEMU_FEAT_PMUV3),
        ROW(PMCEID1_EL0, PLAIN, ID, 58, 58, -1, 'r', SPEMU_FEAT_PMUV3),
        ROW(PMCNTENCLR_EL0, PLAIN, EN, 16, 16, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMCNTENSET_EL0, PLAIN, EN, 16, 16, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMCR_EL0, PLAIN, PMCR, -1, 21, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMECR_EL1, PM2, NO_EL0, 0, 0, -1, 'b', SPEMU_FEAT_PMUV3_SS),
        ROW(PMEVCNTRn_EL0(0), PLAIN, ER, 12, 12, 0, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMEVCNTRn_EL0(3), PLAIN, ER, 12, 12, 3, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMEVCNTRn_EL0(6), PLAIN, ER, 12, 12, 6, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMEVCNTRn_EL0(30), PLAIN, ER, 12, 12, 30, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMEVCNTSVRn_EL1(0), SNAPSHOT, NO_EL0, 6, 6, 0, 'r', SPEMU_FEAT_PMUV3_SS),
        ROW(PMEVCNTSVRn_EL1(5), SNAPSHOT, NO_EL0, 6, 6, 5, 'r', SPEMU_FEAT_PMUV3_SS),
        ROW(PMEVCNTSVRn_EL1(9), SNAPSHOT, NO_EL0, 6, 6, 9, 'r', SPEMU_FEAT_PMUV3_SS),
        ROW(PMEVTYPERn_EL0(1), PLAIN, EN, 13, 13, 1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMEVTYPERn_EL0(5), PLAIN, EN, 13, 13, 5, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMEVTYPERn_EL0(7), PLAIN, EN, 13, 13, 7, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMICFILTR_EL0, PM2, ICNT, 3, 3, -1, 'b', SPEMU_FEAT_PMUV3_ICNTR),
        ROW(PMICNTR_EL0, PM2, ICNT, 2, 2, -1, 'b', SPEMU_FEAT_PMUV3_ICNTR),
        ROW(PMICNTSVR_EL1, SNAPSHOT, NO_EL0, 6, 6, -1, 'r', SPEMU_FEAT_PMUV3_ICNTR),
        ROW(PMINTENCLR_EL1, PLAIN, NO_EL0, 17, 17, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMINTENSET_EL1, PLAIN, NO_EL0, 17, 17, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMMIR_EL1, PLAIN, NO_EL0, 22, 22, -1, 'r', SPEMU_FEAT_PMUV3P4),
        ROW(PMOVSCLR_EL0, PLAIN, EN, 18, 18, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMOVSSET_EL0, PLAIN, EN, 18, 18, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMSELR_EL0, PLAIN, SELR, 19, 19, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMSSCR_EL1, SNAPSHOT, NO_EL0, 7, 7, -1, 'b', SPEMU_FEAT_PMUV3_SS),
        ROW(PMSWINC_EL0, PLAIN, SWINC, -1, 20, -1, 'w', SPEMU_FEAT_PMUV3),
        ROW(PMUACR_EL1, PM2, NO_EL0, 4, 4, -1, 'b', SPEMU_FEAT_PMUV3P9),
        ROW(PMUSERENR_EL0, PLAIN, USERENR, 57, 57, -1, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMXEVCNTR_EL0, PLAIN, ER, 12, 12, -2, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMXEVTYPER_EL0, PLAIN, EN, 13, 13, -3, 'b', SPEMU_FEAT_PMUV3),
        ROW(PMZR_EL0, PLAIN, EN, -1, -1, -1, 'w', SPEMU_FEAT_PMUV3P9),
};
enum { REGS = sizeof(regs) / sizeof(*regs) };

static bool user_traps(const struct env *e, const struct reg *r)
{
	bool p9 = feat(e, SPEMU_FEAT_PMUV3P9), uen = p9 && (e->user & B(4)), en = e->user & B(0);

	switch (r->user) {
	case EN:
		return !en && !uen;
	case ER:
		return e->write ? !en && !uen : !en && !uen && !(e->user & B(3));
	case CR:
		return e->write ? !en && !uen : !en && !uen && !(e->user & B(2));
	case ID:
		return (!en && !uen) || (p9 && (e->user & B(6)));
	case PMCR:
		return !en || uen;
	case SELR:
		return !en && !uen && !(e->user & B(3));
	case SWINC:
		return !en && !uen && !(e->user & B(1));
	case ICNT:
		return !(e->user & B(4));
	case NO_EL0:
	case USERENR:
		break;
	}
	return false;
}

static bool fine_grained(const struct env *e, const struct reg *r)
{
	int bit = e->write ? r->fgw : r->fgr;
	bool second = r->page != PLAIN || r->encoding == SPEMU_SYSREG_PMZR_EL0;
	bool host = (e->hcr & B(34)) && feat(e, SPEMU_FEAT_VHE) && (e->hcr & B(27)) && el2_on(e);

	if (r->encoding == SPEMU_SYSREG_PMZR_EL0)
		bit = 21;
	if (!el2_on(e) || bit < 0 || (e->el == 0 && host))
		return false;
	if (second)
		return feat(e, SPEMU_FEAT_FGT2) && ((feat(e, SPEMU_EL3) && !(e->scr & B(59))) ||
		                                    !((e->write ? e->fgw2 : e->fgr2) >> bit & 1));
	return feat(e, SPEMU_FEAT_FGT) && (!feat(e, SPEMU_EL3) || (e->scr & B(27))) &&
	       ((e->write ? e->fgw : e->fgr) >> bit & 1);
}

static unsigned expect(const struct env *e, const struct reg *r)
{
	bool el3 = feat(e, SPEMU_EL3) && e->el != 3;
	bool enpm2 = r->page == PM2 && el3 && !(e->mdcr3 & B(7));
	bool tpm3 = r->page != SNAPSHOT && el3 && (e->mdcr3 & B(6));
	bool enpmss = r->page == SNAPSHOT && el3 && !(e->mdcr3 & B(44));
	bool trap3 = enpm2 || tpm3 || enpmss;
	unsigned hpmn = feat(e, SPEMU_EL2) ? e->mdcr2 & 31 : e->counters;
	int counter = r->counter == -1 ? -1 : r->counter < -1 ? (int)e->sel : r->counter;

	if (r->counter == -3 && e->sel == 31)
		counter = -1;
	if (!feat(e, r->needs) || (e->write && r->direction == 'r') ||
	    (!e->write && r->direction == 'w') || (e->el == 0 && r->user == NO_EL0) ||
	    (e->el == 0 && r->user == USERENR && e->write))
		return SPEMU_ACCESS_UNDEFINED;
	if (counter >= (int)e->counters)
		return SPEMU_ACCESS_UNDEFINED;
	if (e->sdd && trap3)
		return SPEMU_ACCESS_UNDEFINED;
	if (e->el == 0 && user_traps(e, r))
		return el2_on(e) && (e->hcr & B(27)) ? SPEMU_ACCESS_TRAP_EL2
		                                     : SPEMU_ACCESS_TRAP_EL1;
	if (e->el < 2) {
		if (fine_grained(e, r))
			return SPEMU_ACCESS_TRAP_EL2;
		if (r->page != SNAPSHOT && el2_on(e) && (e->mdcr2 & B(6)))
			return SPEMU_ACCESS_TRAP_EL2;
		if (r->user == PMCR && el2_on(e) && (e->mdcr2 & B(5)))
			return SPEMU_ACCESS_TRAP_EL2;
		/* Without FEAT_FGT the outcome is a choice. */
		if (el2_on(e) && counter >= (int)hpmn)
			return r->page == SNAPSHOT || feat(e, SPEMU_FEAT_FGT)
			               ? SPEMU_ACCESS_TRAP_EL2
			               : SPEMU_ACCESS_UNDEFINED;
	}
	return trap3 ? SPEMU_ACCESS_TRAP_EL3 : SPEMU_ACCESS_OK;
}

static uint64_t rarely(void)
{
	return next() & next() & next();
}

static void randomize(struct pmu_fixture *f, struct env *e)
{
	struct spemu_pe_state state = {0};

	e->scr = (next() & 1 ? 1 : 0) | (next() & B(18)) | (next() & 3 ? B(59) | B(27) : 0);
	e->hcr = next() & (B(27) | B(34));
	e->mdcr2 = (rarely() & (B(6) | B(5))) | (1 + next() % 6);
	e->mdcr3 = (next() & next() & B(6)) | (next() & 3 ? B(7) | B(44) : next() & (B(7) | B(44)));
	e->fgr = rarely();
	e->fgw = rarely();
	e->fgr2 = ~rarely();
	e->fgw2 = ~rarely();
	e->user = next() & next();
	e->sel = (unsigned)(next() % 9 ? next() % 8 : 31);
	e->el = (unsigned)(next() & 3);
	if (e->el == 3 && !feat(e, SPEMU_EL3))
		e->el = 1;
	if (e->el == 2 && !el2_on(e))
		e->el = 0;
	e->sdd = next() % 8 == 0;
	state.el = (uint8_t)e->el;
	state.debug = state.edscr_sdd = e->sdd;
	pmu_set_if(f, SPEMU_EL3, SPEMU_SYSREG_SCR_EL3, e->scr);
	pmu_set_if(f, SPEMU_EL3, SPEMU_SYSREG_MDCR_EL3, e->mdcr3);
	if (feat(e, SPEMU_EL2)) {
		pmu_set(f, SPEMU_SYSREG_HCR_EL2, e->hcr);
		pmu_set(f, SPEMU_SYSREG_MDCR_EL2, e->mdcr2);
	}
	pmu_set_if(f, SPEMU_FEAT_FGT, SPEMU_SYSREG_HDFGRTR_EL2, e->fgr);
	pmu_set_if(f, SPEMU_FEAT_FGT, SPEMU_SYSREG_HDFGWTR_EL2, e->fgw);
	pmu_set_if(f, SPEMU_FEAT_FGT2, SPEMU_SYSREG_HDFGRTR2_EL2, e->fgr2);
	pmu_set_if(f, SPEMU_FEAT_FGT2, SPEMU_SYSREG_HDFGWTR2_EL2, e->fgw2);
	pmu_set(f, SPEMU_SYSREG_PMUSERENR_EL0, e->user);
	pmu_set(f, SPEMU_SYSREG_PMSELR_EL0, e->sel);
	pmu_at(f, state);
	e->hcr = feat(e, SPEMU_EL2) ? pmu_get(f, SPEMU_SYSREG_HCR_EL2) : 0;
	e->user = pmu_get(f, SPEMU_SYSREG_PMUSERENR_EL0);
}

static void register_accesses_match_the_pages(void **state)
{
	static const char *const sets[] = {"v8.2",
	                                   "v8.6",
	                                   "v8.9",
	                                   "v9.6",
	                                   "v8.9,-EL2",
	                                   "v8.9,-EL3,-Secure",
	                                   "v8.7,-EL3,-EL2,-Secure"};
	unsigned seen[REGS][6] = {{0}}, checked = 0;

	(void)state;
	for (unsigned i = 0; i < 7; i++) {
		struct pmu_fixture f;
		struct env e = {.counters = 6};

		pmu_start(&f, sets[i]);
		e.fs = &f.features;
		for (unsigned n = 0; n < 8000; n += test_share()) {
			randomize(&f, &e);
			for (unsigned k = 0; k < REGS; k++) {
				struct spemu_access_result got;
				uint64_t value;

				e.write = next() & 1;
				/* A write would change the state, so only check the access. */
				assert_int_equal(spemu_pmu_access_check(f.pmu, &got,
				                                        regs[k].encoding, e.write),
				                 0);
				if (!e.write) {
					unsigned asked = got.outcome;

					assert_int_equal(spemu_pmu_mrs(f.pmu, &got, &value,
					                               regs[k].encoding),
					                 0);
					assert_int_equal(got.outcome, asked);
				}
				if (got.outcome != expect(&e, &regs[k]))
					fail_msg("%s: %s %#x at EL%u: %u, not %u (%s)", sets[i],
					         e.write ? "MSR" : "MRS", regs[k].encoding, e.el,
					         got.outcome, expect(&e, &regs[k]),
					         got.rule ? got.rule : "");
				seen[k][got.outcome]++;
				checked++;
			}
			/* Make some writes, and draw a new state after each. */
			for (unsigned k = 0; k < 3; k++) {
				const struct reg *r = &regs[next() % REGS];
				struct spemu_access_result got;

				e.write = true;
				assert_int_equal(spemu_pmu_msr(f.pmu, &got, r->encoding, next()),
				                 0);
				if (got.outcome != expect(&e, r))
					fail_msg("%s: MSR %#x at EL%u: %u, not %u (%s)", sets[i],
					         r->encoding, e.el, got.outcome, expect(&e, r),
					         got.rule ? got.rule : "");
				checked++;
				randomize(&f, &e);
			}
		}
		pmu_stop(&f);
	}
	for (unsigned k = 0; k < REGS; k++)
		assert_true(regs[k].direction == 'w' || seen[k][SPEMU_ACCESS_OK] ||
		            (regs[k].counter > 5));
	print_message("# %u accesses\n", checked);
}

/* IDXWRB, Table D13-11: for software below EL2, counters that EL2 reserves are RAZ/WI in the
 * registers of flags, and PMCR_EL0.N does not include them. */
static void idxwrb_counters_reserved_by_el2_are_raz_wi(void **state)
{
	static const uint32_t set[] = {SPEMU_SYSREG_PMCNTENSET_EL0, SPEMU_SYSREG_PMINTENSET_EL1,
	                               SPEMU_SYSREG_PMOVSSET_EL0};
	static const uint32_t clear[] = {SPEMU_SYSREG_PMCNTENCLR_EL0, SPEMU_SYSREG_PMINTENCLR_EL1,
	                                 SPEMU_SYSREG_PMOVSCLR_EL0};
	const uint64_t fixed = B(31) | B(32);
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL2, FIELD(MDCR_EL2, HPME, 1) | FIELD(MDCR_EL2, HPMN, 2));
	for (unsigned i = 0; i < 3; i++) {
		pmu_set(&f, set[i], 0);
		pmu_msr(&f, set[i], ~UINT64_C(0));
		assert_true(pmu_get(&f, set[i]) == (fixed | 3));
		pmu_set(&f, set[i], ~UINT64_C(0)); /* the host sets every implemented bit */
		assert_true(pmu_get(&f, set[i]) == (fixed | 0x3f));
		assert_true(pmu_mrs(&f, set[i]) == (fixed | 3));
		assert_true(pmu_mrs(&f, clear[i]) == (fixed | 3));
		pmu_msr(&f, clear[i], ~UINT64_C(0));
		assert_true(pmu_get(&f, set[i]) == 0x3c);
		pmu_at(&f, (struct spemu_pe_state){.el = 2});
		assert_true(pmu_mrs(&f, set[i]) == 0x3c);
		pmu_msr(&f, clear[i], 4);
		assert_true(pmu_get(&f, set[i]) == 0x38);
		pmu_at(&f, (struct spemu_pe_state){.el = 1});
	}
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCR_EL0) >> 11 & 31, 2);
	/* PMCR_EL0.P and PMZR_EL0 do not change the reserved counters at EL1. They do at EL2. */
	for (unsigned n = 0; n < 6; n++)
		pmu_set(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(n), 5);
	pmu_msr(&f, SPEMU_SYSREG_PMCR_EL0, FIELD(PMCR_EL0, P, 1) | FIELD(PMCR_EL0, E, 1));
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(1)), 0);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(2)), 5);
	pmu_msr(&f, SPEMU_SYSREG_PMZR_EL0, 0x3f);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(5)), 5);
	pmu_at(&f, (struct spemu_pe_state){.el = 2});
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCR_EL0) >> 11 & 31, 6);
	pmu_msr(&f, SPEMU_SYSREG_PMCR_EL0, FIELD(PMCR_EL0, P, 1) | FIELD(PMCR_EL0, E, 1));
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(5)), 0);
	/*
	 * If EL2 is not enabled, the counters are not reserved from EL1. HPMN still splits them
	 * into two ranges.
	 */
	pmu_set(&f, SPEMU_SYSREG_SCR_EL3, FIELD(SCR_EL3, FGTEn2, 1) | FIELD(SCR_EL3, FGTEn, 1));
	pmu_at(&f, (struct spemu_pe_state){.el = 1});
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCR_EL0) >> 11 & 31, 6);
	pmu_msr(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(5), 8);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(5)), 8);
	pmu_stop(&f);
}

/* PMSELR_EL0.SEL selects the counter that PMXEVCNTR_EL0 and PMXEVTYPER_EL0 access. With 31,
 * PMXEVTYPER_EL0 is the filter of the cycle counter. */
static void pmselr_selects_counter_of_pmxev_registers(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_msr(&f, SPEMU_SYSREG_PMSELR_EL0, 4);
	pmu_msr(&f, SPEMU_SYSREG_PMXEVCNTR_EL0, 44);
	pmu_msr(&f, SPEMU_SYSREG_PMXEVTYPER_EL0,
	        FIELD(PMXEVTYPER_EL0, P, 1) | FIELD(PMXEVTYPER_EL0, evtCount, 8));
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(4)), 44);
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMEVTYPERn_EL0(4)), B(31) | 0x8);
	pmu_msr(&f, SPEMU_SYSREG_PMSELR_EL0, 31);
	pmu_msr(&f, SPEMU_SYSREG_PMXEVTYPER_EL0,
	        FIELD(PMXEVTYPER_EL0, U, 1) | FIELD(PMXEVTYPER_EL0, evtCount, 8));
	/* PMCCFILTR_EL0.evtCount is RES0. */
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCCFILTR_EL0), FIELD(PMCCFILTR_EL0, U, 1));
	pmu_stop(&f);
}

/* DXWVNH: reserved values of HPMN, and accesses to inaccessible counters, follow the choices. */
static void inaccessible_counters_follow_choice(void **state)
{
	struct spemu_access_result got;
	struct pmu_fixture f;
	uint64_t value;

	(void)state;
	pmu_start(&f, "v8.4"); /* FEAT_FGT and FEAT_HPMN0 are not implemented */
	pmu_program(&f);
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL2, 0);
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCR_EL0) >> 11 & 31, 6);
	spemu_choice_set(f.pe, SPEMU_CHOICE_RESERVED_HPMN, SPEMU_RESERVED_HPMN_ONE);
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCR_EL0) >> 11 & 31, 1);
	/* HPMN above the number of counters is also reserved. */
	for (unsigned hpmn = 1; hpmn <= 31; hpmn++) {
		pmu_set(&f, SPEMU_SYSREG_MDCR_EL2, hpmn);
		assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCR_EL0) >> 11 & 31,
		                 hpmn <= 6 ? hpmn : 1);
	}
	spemu_pmu_mrs(f.pmu, &got, &value, SPEMU_SYSREG_PMEVCNTRn_EL0(2));
	assert_int_equal(got.outcome, SPEMU_ACCESS_UNDEFINED);
	spemu_choice_set(f.pe, SPEMU_CHOICE_INACCESSIBLE_COUNTER,
	                 SPEMU_INACCESSIBLE_COUNTER_TRAPPED);
	spemu_pmu_mrs(f.pmu, &got, &value, SPEMU_SYSREG_PMEVCNTRn_EL0(2));
	assert_int_equal(got.outcome, SPEMU_ACCESS_TRAP_EL2);
	assert_int_equal(spemu_choice_get(f.pe, SPEMU_CHOICE_RESERVED_HPMN),
	                 SPEMU_RESERVED_HPMN_ONE);
	pmu_stop(&f);
}

/* Access a register in `f` with MSR or MRS. In `other`, make a check and then the permitted access.
 * Assert that both end alike. */
static void access_in_two_steps(struct pmu_fixture *f, struct pmu_fixture *other, uint32_t encoding,
                                bool write)
{
	struct spemu_access_result result, checked;
	uint64_t value = next(), read = 0;
	int status;

	assert_int_equal(spemu_pmu_access_check(other->pmu, &checked, encoding, write), SPEMU_OK);
	if (write) {
		spemu_pmu_msr(f->pmu, &result, encoding, value);
		status = spemu_pmu_msr_permitted(other->pmu, &checked, encoding, value);
	} else {
		spemu_pmu_mrs(f->pmu, &result, &value, encoding);
		status = spemu_pmu_mrs_permitted(other->pmu, &read, &checked, encoding);
		assert_true(read == value);
	}
	assert_int_equal(result.outcome, checked.outcome);
	assert_int_equal(status, checked.outcome == SPEMU_ACCESS_OK ? SPEMU_OK : SPEMU_ERR_INVALID);
	for (unsigned k = 0; k < REGS; k++)
		assert_true(pmu_get(f, regs[k].encoding) == pmu_get(other, regs[k].encoding));
}

/* A check followed by the permitted access has the same effects as MSR and MRS. A permitted access
 * to a register in a direction that the register does not have is refused. */
static void access_check_then_permitted_access_equals_msr_mrs(void **state)
{
	struct spemu_access_result ok = {.outcome = SPEMU_ACCESS_OK, .reg = SPEMU_REG_COUNT};
	struct pmu_fixture f, other;
	uint64_t value = 1;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_start(&other, "v9.6");
	pmu_program(&f);
	pmu_program(&other);
	for (unsigned n = 0; n < 4000; n++) {
		struct spemu_pe_state there = {.el = (uint8_t)(next() & 3)};

		assert_int_equal(spemu_pe_set(f.pe, &there), SPEMU_OK);
		assert_int_equal(spemu_pe_set(other.pe, &there), SPEMU_OK);
		access_in_two_steps(&f, &other, regs[next() % REGS].encoding, next() & 1);
	}
	assert_int_equal(spemu_pmu_msr_permitted(f.pmu, &ok, SPEMU_SYSREG_PMCEID0_EL0, 1),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pmu_msr_permitted(f.pmu, &ok, SPEMU_SYSREG_PMCR_EL0, 1),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pmu_mrs_permitted(f.pmu, &value, &ok, SPEMU_SYSREG_PMSWINC_EL0),
	                 SPEMU_ERR_INVALID);
	assert_true(value == 0);
	pmu_stop(&f);
	pmu_stop(&other);
}

/* Every MRS and MSR of a PMU register draws a random CONSTRAINED UNPREDICTABLE choice again. */
static void register_access_redraws_unpredictable_choices(void **state)
{
	(void)state;
	for (unsigned write = 0; write < 2; write++) {
		struct pmu_fixture f;
		unsigned seen = 0;

		pmu_start(&f, "v9.6");
		pmu_program(&f);
		assert_int_equal(spemu_choice_describe(SPEMU_CHOICE_RESERVED_HPMN)->kind,
		                 SPEMU_CHOICE_KIND_UNPREDICTABLE);
		spemu_choice_set(f.pe, SPEMU_CHOICE_RESERVED_HPMN, SPEMU_CHOICE_RANDOM);
		for (unsigned n = 0; n < 64; n++) {
			struct spemu_access_result result;
			uint64_t value;

			if (write)
				spemu_pmu_msr(f.pmu, &result, SPEMU_SYSREG_PMCCNTR_EL0, 0);
			else
				spemu_pmu_mrs(f.pmu, &result, &value, SPEMU_SYSREG_PMCCNTR_EL0);
			seen |= 1u << spemu_choice_get(f.pe, SPEMU_CHOICE_RESERVED_HPMN);
		}
		assert_int_equal(seen, 3);
		pmu_stop(&f);
	}
}

/* PMCEIDn_EL0 and PMMIR_EL1 only identify the PMU. The PMU does not accept registers of the SPU. */
static void pmceid_and_pmmir_follow_configuration(void **state)
{
	struct spemu_pmu_config config = {.common_events = {B(3) | B(40), B(1)}, .slots = 8};
	struct spemu_access_result got;
	struct pmu_fixture f;
	uint64_t value;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	assert_true(pmu_mrs(&f, SPEMU_SYSREG_PMCEID0_EL0) == (B(0) | B(8) | B(0x11) | B(0x1e)));
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCEID1_EL0), 0);
	assert_int_equal(spemu_pmu_mrs(f.pmu, &got, &value, SPEMU_SYSREG_PMSCR_EL1),
	                 SPEMU_ERR_NOT_SUPPORTED);
	assert_int_equal(spemu_pmu_reg_set(f.pmu, SPEMU_SYSREG_PMMIR_EL1, 1), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reg_encoding("PMEVCNTR30_EL0"), SPEMU_SYSREG_PMEVCNTRn_EL0(30));
	assert_int_equal(spemu_reg_encoding("PMEVCNTR31_EL0"), -1);
	assert_int_equal(spemu_reg_encoding("PMEVCNTR07_EL0"), -1);
	pmu_stop(&f);
	pmu_start_with(&f, "v9.6", &config);
	pmu_program(&f);
	assert_true(pmu_mrs(&f, SPEMU_SYSREG_PMCEID0_EL0) == (B(3) | B(40)));
	assert_true(pmu_mrs(&f, SPEMU_SYSREG_PMCEID1_EL0) == B(1));
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMMIR_EL1), 8);
	pmu_stop(&f);
	/* The configuration has events for one of the two registers. The other register is 0, and
	 * the PMU adds no events. */
	config.common_events[1] = 0;
	pmu_start_with(&f, "v9.6", &config);
	pmu_program(&f);
	assert_true(pmu_mrs(&f, SPEMU_SYSREG_PMCEID0_EL0) == (B(3) | B(40)));
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCEID1_EL0), 0);
	pmu_stop(&f);
	config.common_events[0] = 0;
	config.common_events[1] = B(1);
	pmu_start_with(&f, "v9.6", &config);
	pmu_program(&f);
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCEID0_EL0), 0);
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCEID1_EL0), B(1));
	pmu_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(register_accesses_match_the_pages),
	        cmocka_unit_test(idxwrb_counters_reserved_by_el2_are_raz_wi),
	        cmocka_unit_test(pmselr_selects_counter_of_pmxev_registers),
	        cmocka_unit_test(inaccessible_counters_follow_choice),
	        cmocka_unit_test(access_check_then_permitted_access_equals_msr_mrs),
	        cmocka_unit_test(register_access_redraws_unpredictable_choices),
	        cmocka_unit_test(pmceid_and_pmmir_follow_configuration),
	};
	return cmocka_run_group_tests_name("pmu_access", tests, NULL, NULL);
}
