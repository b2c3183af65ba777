/* SPDX-License-Identifier: MIT */
/*
 * The access rules of every SPE register, and of the registers that control them, against a second writing
 * of the "Accessing ..." pages of D24.7, D24.2, D24.3 and D24.10: plain conditions, one function for each
 * group of registers, over random states of the controls, at every Exception level, both directions.
 */
#include "base/prng.h"
#include "share.h"
#include "spu_fixture.h"
#include "pe/clause.h"
#include "spu/spu_object.h"

#define B(n) (UINT64_C(1) << (n))

struct env {
	const struct spemu_features *fs;
	uint64_t scr, hcr, mdcr2, mdcr3, fgr, fgw, fgr2, fgw2, hfgr, hfgw, pmscr1, pmscr2;
	bool sdd; /* Debug state with EDSCR.SDD */
	unsigned el;
	bool write;
};

struct expected {
	uint8_t outcome;
	unsigned nvmem;
};

#define OK_                        \
	{                          \
		SPEMU_ACCESS_OK, 0 \
	}
static const struct expected ok = OK_, undef = {SPEMU_ACCESS_UNDEFINED, 0},
                             trap2 = {SPEMU_ACCESS_TRAP_EL2, 0};

static bool feat(const struct env *e, enum spemu_feature f)
{
	return spemu_has(e->fs, f);
}

static bool el2_on(const struct env *e)
{
	bool ns = !feat(e, SPEMU_EL3) || (e->scr & B(0));

	return feat(e, SPEMU_EL2) && (ns || (feat(e, SPEMU_FEAT_SEL2) && (e->scr & B(18))));
}

static bool in_host(const struct env *e)
{
	return el2_on(e) && feat(e, SPEMU_FEAT_VHE) && (e->hcr & B(34));
}

static unsigned nvx(const struct env *e)
{
	if (!el2_on(e) || !feat(e, SPEMU_FEAT_NV) || !(e->hcr & B(42)))
		return 0;
	return (feat(e, SPEMU_FEAT_NV2) && (e->hcr & B(45)) ? 4 : 0) | (e->hcr & B(43) ? 2 : 0) | 1;
}

/* The choice that the model takes for reserved values: trapped. */
static bool nspb_traps(const struct env *e)
{
	bool rme = feat(e, SPEMU_FEAT_RME);
	unsigned nspb = e->mdcr3 >> 12 & 3, nspbe = rme ? e->mdcr3 >> 11 & 1 : 0;
	bool no_secure = !feat(e, SPEMU_SECURE) || (rme && !feat(e, SPEMU_FEAT_SEL2));

	if (!feat(e, SPEMU_EL3))
		return false;
	if (rme && !(nspb & 2) && (nspbe || no_secure))
		return true;
	return !(nspb & 1) || (nspb >> 1) != (e->scr & 1) || (rme && nspbe != (e->scr >> 62 & 1));
}

static struct expected trap3(const struct env *e)
{
	struct expected result = {e->sdd ? SPEMU_ACCESS_UNDEFINED : SPEMU_ACCESS_TRAP_EL3, 0};

	return result;
}

static bool fgt(const struct env *e, unsigned bit, bool value)
{
	bool on = el2_on(e) && feat(e, SPEMU_FEAT_FGT) && (!feat(e, SPEMU_EL3) || (e->scr & B(27)));

	return on && !!((e->write ? e->fgw : e->fgr) & B(bit)) == value;
}

static bool fgt2(const struct env *e, unsigned bit)
{
	if (!el2_on(e) || !feat(e, SPEMU_FEAT_FGT2))
		return false;
	return (feat(e, SPEMU_EL3) && !(e->scr & B(59))) ||
	       !((e->write ? e->fgw2 : e->fgr2) & B(bit));
}

static bool tpms(const struct env *e)
{
	return el2_on(e) && (e->mdcr2 & B(14));
}

static bool e2pb(const struct env *e)
{
	return el2_on(e) && !(e->mdcr2 & B(12));
}

static struct expected nvmem(unsigned offset)
{
	struct expected result = {SPEMU_ACCESS_NVMEM, offset};

	return result;
}

/* The bulk: one fine-grained trap, one EL2 trap, NSPB, and a redirection under {1, x, 1}. */
static struct expected simple(const struct env *e, unsigned fgt_bit, bool buffer, unsigned offset)
{
	if (e->el == 3)
		return ok;
	if (e->sdd && nspb_traps(e))
		return undef;
	if (e->el == 1 && fgt(e, fgt_bit, true))
		return trap2;
	if (e->el == 1 && (buffer ? e2pb(e) : tpms(e)))
		return trap2;
	if (nspb_traps(e))
		return trap3(e);
	if (e->el == 1 && offset && (nvx(e) & 5) == 5)
		return nvmem(offset);
	return ok;
}

/* Those with an enable in MDCR_EL3; which of the two EL3 conditions is first makes no difference. */
static struct expected enabled(const struct env *e, unsigned el3_bit, bool fgt_trap, bool buffer,
                               unsigned offset)
{
	bool off = feat(e, SPEMU_EL3) && !(e->mdcr3 & B(el3_bit));

	if (e->el == 3)
		return ok;
	if (e->sdd && (nspb_traps(e) || off))
		return undef;
	if (e->el == 1 && (fgt_trap || (buffer ? e2pb(e) : tpms(e))))
		return trap2;
	if (nspb_traps(e) || off)
		return trap3(e);
	if (e->el == 1 && offset && (nvx(e) & 5) == 5)
		return nvmem(offset);
	return ok;
}

static struct expected el2_register(const struct env *e)
{
	if (e->el == 3)
		return ok;
	if (e->el == 1)
		return nvx(e) & 1 ? trap2 : undef;
	return nspb_traps(e) ? trap3(e) : ok;
}

static struct expected el12_register(const struct env *e, unsigned offset)
{
	if (e->el == 1)
		return nvx(e) == 5 ? nvmem(offset) : nvx(e) & 1 ? trap2 : undef;
	if (!in_host(e))
		return undef;
	return e->el == 2 && nspb_traps(e) ? trap3(e) : ok;
}

static unsigned pmsee(const struct env *e)
{
	if (!feat(e, SPEMU_FEAT_SPE_EXC))
		return 0;
	return feat(e, SPEMU_EL3) ? e->mdcr3 >> 51 & 3 : 1;
}

static unsigned ee2(const struct env *e)
{
	return pmsee(e) == 0 ? 0 : el2_on(e) ? e->pmscr2 >> 8 & 3 : 1;
}

static struct expected pmscr_el1(const struct env *e)
{
	struct expected x = simple(e, 26, false, 0);

	return x.outcome == SPEMU_ACCESS_OK && e->el == 1 && nvx(e) == 7 ? nvmem(0x828) : x;
}

static struct expected pmbsr_el1(const struct env *e)
{
	struct expected x = simple(e, 25, true, 0);

	if (x.outcome == SPEMU_ACCESS_OK && e->el == 1 && (nvx(e) & 5) == 5 &&
	    (ee2(e) == 0 || !(e->pmscr1 & 0x300) || nvx(e) == 7))
		return nvmem(0x820);
	return x;
}

static struct expected pmbsr_el2(const struct env *e)
{
	if (e->el == 2 && feat(e, SPEMU_EL3) && pmsee(e) == 0)
		return trap3(e);
	return el2_register(e);
}

static struct expected pmbidr(const struct env *e)
{
	return e->el == 1 && fgt(e, 63, true) ? trap2 : ok;
}

/* Names of EL2 at EL1: to memory with {NV2, NV} {1, 1}, if there is a place for them, else to EL2. */
static struct expected nested(const struct env *e, unsigned offset)
{
	if (offset && (nvx(e) & 5) == 5)
		return nvmem(offset);
	return nvx(e) & 1 ? trap2 : undef;
}

/* Those that a bit of EL3 keeps from EL2: off is its value that traps. */
static struct expected kept_by_el3(const struct env *e, bool off, unsigned offset)
{
	if (e->el == 1)
		return nested(e, offset);
	return e->el == 2 && feat(e, SPEMU_EL3) && off ? trap3(e) : ok;
}

/* D24.2.34 */
static struct expected contextidr_el1(const struct env *e)
{
	bool fgt_on = feat(e, SPEMU_FEAT_FGT) && (!feat(e, SPEMU_EL3) || (e->scr & B(27)));

	if (e->el != 1)
		return ok;
	if (el2_on(e) && (e->hcr & (e->write ? B(26) : B(30))))
		return trap2;
	if (el2_on(e) && fgt_on && ((e->write ? e->hfgw : e->hfgr) & B(11)))
		return trap2;
	return nvx(e) == 7 ? nvmem(0x108) : ok;
}

static struct expected contextidr_el12(const struct env *e)
{
	if (!feat(e, SPEMU_FEAT_VHE))
		return undef;
	if (e->el == 1)
		return nvx(e) == 5 ? nvmem(0x108) : nvx(e) & 1 ? trap2 : undef;
	return in_host(e) ? ok : undef;
}

/* D24.2.62 to D24.2.75, D24.3.17, D24.10: what the registers of D24.7 depend on. */
static struct expected expect_control(const struct env *e, uint32_t encoding)
{
	switch (encoding) {
	case SPEMU_SYSREG_MDCR_EL2:
		return kept_by_el3(e, e->mdcr3 & B(9), 0); /* TDA */
	case SPEMU_SYSREG_HCR_EL2:
		return kept_by_el3(e, false, 0x78);
	case SPEMU_SYSREG_HFGRTR_EL2:
		return feat(e, SPEMU_FEAT_FGT) ? kept_by_el3(e, !(e->scr & B(27)), 0x1b8) : undef;
	case SPEMU_SYSREG_HFGWTR_EL2:
		return feat(e, SPEMU_FEAT_FGT) ? kept_by_el3(e, !(e->scr & B(27)), 0x1c0) : undef;
	case SPEMU_SYSREG_HDFGRTR_EL2:
		return feat(e, SPEMU_FEAT_FGT) ? kept_by_el3(e, !(e->scr & B(27)), 0x1d0) : undef;
	case SPEMU_SYSREG_HDFGWTR_EL2:
		return feat(e, SPEMU_FEAT_FGT) ? kept_by_el3(e, !(e->scr & B(27)), 0x1d8) : undef;
	case SPEMU_SYSREG_HDFGRTR2_EL2:
		return feat(e, SPEMU_FEAT_FGT2) ? kept_by_el3(e, !(e->scr & B(59)), 0x1a0) : undef;
	case SPEMU_SYSREG_HDFGWTR2_EL2:
		return feat(e, SPEMU_FEAT_FGT2) ? kept_by_el3(e, !(e->scr & B(59)), 0x1b0) : undef;
	case SPEMU_SYSREG_CONTEXTIDR_EL1:
		return contextidr_el1(e);
	case SPEMU_SYSREG_CONTEXTIDR_EL12:
		return contextidr_el12(e);
	case SPEMU_SYSREG_CONTEXTIDR_EL2:
	case SPEMU_SYSREG_CNTHCTL_EL2:
		return kept_by_el3(e, false, 0);
	case SPEMU_SYSREG_CNTVOFF_EL2:
		return kept_by_el3(e, false, 0x60);
	case SPEMU_SYSREG_CNTPOFF_EL2:
		return feat(e, SPEMU_FEAT_ECV_POFF) ? kept_by_el3(e, !(e->scr & B(28)), 0x1a8)
		                                    : undef;
	}
	return undef;
}

static struct expected expect(const struct env *e, uint32_t encoding)
{
	switch (encoding) {
	case SPEMU_SYSREG_PMSCR_EL1:
		return pmscr_el1(e);
	case SPEMU_SYSREG_PMSCR_EL12:
		return feat(e, SPEMU_FEAT_VHE) ? el12_register(e, 0x828) : undef;
	case SPEMU_SYSREG_PMSCR_EL2:
		return el2_register(e);
	case SPEMU_SYSREG_PMSNEVFR_EL1:
		return !feat(e, SPEMU_FEAT_SPE_FNE)
		               ? undef
		               : enabled(e, 36, fgt(e, 62, false), false, 0x850);
	case SPEMU_SYSREG_PMSICR_EL1:
		return simple(e, 29, false, 0x838);
	case SPEMU_SYSREG_PMSIRR_EL1:
		return simple(e, 31, false, 0x840);
	case SPEMU_SYSREG_PMSFCR_EL1:
		return simple(e, 28, false, 0);
	case SPEMU_SYSREG_PMSEVFR_EL1:
		return simple(e, 27, false, 0x830);
	case SPEMU_SYSREG_PMSLATFR_EL1:
		return simple(e, 32, false, 0x848);
	case SPEMU_SYSREG_PMSIDR_EL1:
		return e->write ? undef : simple(e, 30, false, 0);
	case SPEMU_SYSREG_PMBLIMITR_EL1:
		return simple(e, 23, true, 0x800);
	case SPEMU_SYSREG_PMBPTR_EL1:
		return simple(e, 24, true, 0x810);
	case SPEMU_SYSREG_PMBSR_EL1:
		return pmbsr_el1(e);
	case SPEMU_SYSREG_PMBSR_EL12:
		return feat(e, SPEMU_FEAT_VHE) && feat(e, SPEMU_FEAT_SPE_EXC)
		               ? el12_register(e, 0x820)
		               : undef;
	case SPEMU_SYSREG_PMBSR_EL2:
		return feat(e, SPEMU_FEAT_SPE_EXC) ? pmbsr_el2(e) : undef;
	case SPEMU_SYSREG_PMBSR_EL3:
		return feat(e, SPEMU_FEAT_SPE_EXC) && feat(e, SPEMU_EL3) && e->el == 3 ? ok : undef;
	case SPEMU_SYSREG_PMSDSFR_EL1:
		return !feat(e, SPEMU_FEAT_SPE_FDS) ? undef
		                                    : enabled(e, 42, fgt2(e, 19), false, 0x858);
	case SPEMU_SYSREG_PMBMAR_EL1:
		return !feat(e, SPEMU_FEAT_SPE_NVM) ? undef : enabled(e, 55, fgt2(e, 24), true, 0);
	case SPEMU_SYSREG_PMBIDR_EL1:
		return e->write ? undef : pmbidr(e);
	}
	return expect_control(e, encoding);
}

static const uint32_t registers[] = {
        SPEMU_SYSREG_PMSCR_EL1,      SPEMU_SYSREG_PMSCR_EL12,      SPEMU_SYSREG_PMSCR_EL2,
        SPEMU_SYSREG_PMSNEVFR_EL1,   SPEMU_SYSREG_PMSICR_EL1,      SPEMU_SYSREG_PMSIRR_EL1,
        SPEMU_SYSREG_PMSFCR_EL1,     SPEMU_SYSREG_PMSEVFR_EL1,     SPEMU_SYSREG_PMSLATFR_EL1,
        SPEMU_SYSREG_PMSIDR_EL1,     SPEMU_SYSREG_PMBLIMITR_EL1,   SPEMU_SYSREG_PMBPTR_EL1,
        SPEMU_SYSREG_PMBSR_EL1,      SPEMU_SYSREG_PMBSR_EL12,      SPEMU_SYSREG_PMBSR_EL2,
        SPEMU_SYSREG_PMBSR_EL3,      SPEMU_SYSREG_PMSDSFR_EL1,     SPEMU_SYSREG_PMBMAR_EL1,
        SPEMU_SYSREG_PMBIDR_EL1,     SPEMU_SYSREG_MDCR_EL2,        SPEMU_SYSREG_HCR_EL2,
        SPEMU_SYSREG_HFGRTR_EL2,     SPEMU_SYSREG_HFGWTR_EL2,      SPEMU_SYSREG_HDFGRTR_EL2,
        SPEMU_SYSREG_HDFGWTR_EL2,    SPEMU_SYSREG_HDFGRTR2_EL2,    SPEMU_SYSREG_HDFGWTR2_EL2,
        SPEMU_SYSREG_CONTEXTIDR_EL1, SPEMU_SYSREG_CONTEXTIDR_EL12, SPEMU_SYSREG_CONTEXTIDR_EL2,
        SPEMU_SYSREG_CNTVOFF_EL2,    SPEMU_SYSREG_CNTPOFF_EL2,     SPEMU_SYSREG_CNTHCTL_EL2,
};
#define REGISTERS (sizeof(registers) / sizeof(*registers))

static void randomize(struct env *e, struct fixture *f, uint64_t *r)
{
	struct spemu_pe_state pe = {0};

	/* Sparse and dense bits in turn, so that the later conditions of a list are reached too. */
	e->scr = prng_next(r);
	if (feat(e, SPEMU_FEAT_RME) && !feat(e, SPEMU_FEAT_SEL2))
		e->scr |= B(0); /* no Secure state: NS is Effectively 1 */
	e->hcr = prng_next(r);
	e->mdcr2 = prng_next(r);
	e->mdcr3 =
	        prng_next(r) | (prng_next(r) & 1 ? UINT64_C(3) << 12 | B(36) | B(42) | B(55) : 0);
	e->fgr = prng_next(r) & prng_next(r) & prng_next(r),
	e->fgw = prng_next(r) & prng_next(r) & prng_next(r);
	if (prng_next(r) & 1)
		e->fgr |= B(62), e->fgw |= B(62);
	e->fgr2 = prng_next(r) | prng_next(r), e->fgw2 = prng_next(r) | prng_next(r);
	e->hfgr = prng_next(r), e->hfgw = prng_next(r);
	e->pmscr1 = prng_next(r) & prng_next(r), e->pmscr2 = prng_next(r) & prng_next(r);
	set(f, SPEMU_REG_SCR_EL3, e->scr);
	set(f, SPEMU_REG_HCR_EL2, e->hcr);
	set(f, SPEMU_REG_MDCR_EL2, e->mdcr2);
	set(f, SPEMU_REG_MDCR_EL3, e->mdcr3);
	set(f, SPEMU_REG_HDFGRTR_EL2, e->fgr);
	set(f, SPEMU_REG_HDFGWTR_EL2, e->fgw);
	set(f, SPEMU_REG_HDFGRTR2_EL2, e->fgr2);
	set(f, SPEMU_REG_HDFGWTR2_EL2, e->fgw2);
	set(f, SPEMU_REG_HFGRTR_EL2, e->hfgr);
	set(f, SPEMU_REG_HFGWTR_EL2, e->hfgw);
	set(f, SPEMU_REG_PMSCR_EL1, e->pmscr1);
	set(f, SPEMU_REG_PMSCR_EL2, e->pmscr2);
	do
		e->el = (unsigned)(prng_next(r) % 3) + 1;
	while ((e->el == 3 && !feat(e, SPEMU_EL3)) || (e->el == 2 && !el2_on(e)));
	e->sdd = e->el != 3 && prng_next(r) % 4 == 0;
	pe.el = (uint8_t)e->el;
	pe.debug = e->sdd;
	pe.edscr_sdd = e->sdd;
	spemu_pe_set(f->pe, &pe);
}

/* How often each row of each access list decided: [register][EL - 1][row][write]. */
static unsigned decided[REGISTERS][3][16][2];

static void count_row(const struct fixture *f, unsigned reg_i, const struct env *e)
{
	struct clause_context c = {.pe = f->spu->pe,
	                           .desc = spemu__sysreg_by_encoding(registers[reg_i]),
	                           .write = e->write};
	const struct clause *row;
	unsigned index = 0;

	do
		row = spemu__pe_access_clause(&c, index++);
	while (!row->holds(&c));
	if (c.access)
		decided[reg_i][e->el - 1][c.access - c.desc->access[e->el]][e->write]++;
}

/* Each row of each list decided in both directions, but that there is no MSR to what is read-only. */
static void check_every_row_decided(void)
{
	unsigned rows = 0;

	for (unsigned reg_i = 0; reg_i < REGISTERS; reg_i++) {
		const struct sysreg_desc *desc = spemu__sysreg_by_encoding(registers[reg_i]);

		for (unsigned el = 0; el < 3; el++) {
			const struct access_clause *row = desc->access[el + 1];

			for (unsigned i = 0;; i++) {
				assert_true(decided[reg_i][el][i][0] > 0);
				assert_true(desc->readonly || decided[reg_i][el][i][1] > 0);
				rows++;
				if (row[i].last)
					break;
			}
		}
	}
	print_message("# %u rows of access lists, each decided\n", rows);
}

static void every_register_against_the_pages(void **state)
{
	const char *const sets[] = {"v8.2",
	                            "v8.4",
	                            "v8.7",
	                            "v8.9",
	                            "v9.6",
	                            "v9.6,-FEAT_RME",
	                            "v9.6,-FEAT_SEL2",
	                            "v9.6,-EL3",
	                            "v9.6,-FEAT_NV2",
	                            "v8.9,-EL2",
	                            "v8.4,-EL3,-EL2",
	                            "v8.9,-FEAT_FGT2"};
	uint64_t r = 88172645463325252u, seen[5][REGISTERS] = {{0}};

	(void)state;
	for (unsigned i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		struct fixture f;
		struct spemu_features fs;
		struct env e = {.fs = &fs};

		assert_int_equal(spemu_features_parse(&fs, NULL, sets[i]), SPEMU_OK);
		if (strstr(sets[i], "-FEAT_FGT2")) { /* those that need it go too */
			spemu_features_parse(
			        &fs, NULL,
			        "v8.9,-FEAT_FGT2,-FEAT_SPE_FDS,-FEAT_PMUv3_SS,-FEAT_PMUv3_ICNTR");
			fixture_start(
			        &f,
			        "v8.9,-FEAT_FGT2,-FEAT_SPE_FDS,-FEAT_PMUv3_SS,-FEAT_PMUv3_ICNTR",
			        NULL);
		} else {
			fixture_start(&f, sets[i], NULL);
		}
		for (unsigned n = 0; n < 20000; n += test_share()) {
			randomize(&e, &f, &r);
			for (unsigned reg_i = 0; reg_i < REGISTERS; reg_i++) {
				struct spemu_access_result got;
				struct expected want;
				uint64_t value = 0;

				/* A write that succeeds would change the state: read them only. */
				e.write = false;
				want = expect(&e, registers[reg_i]);
				count_row(&f, reg_i, &e);
				spemu_spu_mrs(f.spu, &got, &value, registers[reg_i]);
				assert_int_equal(got.outcome, want.outcome);
				if (want.outcome == SPEMU_ACCESS_NVMEM)
					assert_int_equal(got.nvmem_offset, want.nvmem);
				seen[got.outcome][reg_i]++;
				e.write = true;
				want = expect(&e, registers[reg_i]);
				count_row(&f, reg_i, &e);
				if (registers[reg_i] == SPEMU_SYSREG_PMSCR_EL1 ||
				    registers[reg_i] == SPEMU_SYSREG_PMSCR_EL12 ||
				    registers[reg_i] == SPEMU_SYSREG_PMSCR_EL2)
					value = registers[reg_i] == SPEMU_SYSREG_PMSCR_EL2
					                ? e.pmscr2
					                : e.pmscr1;
				if (want.outcome == SPEMU_ACCESS_OK &&
				    (registers[reg_i] == SPEMU_SYSREG_PMSCR_EL1 ||
				     registers[reg_i] == SPEMU_SYSREG_PMSCR_EL12) &&
				    in_host(&e) && e.el == 2)
					continue; /* would write the other register */
				spemu_spu_msr(f.spu, &got, registers[reg_i], value);
				assert_int_equal(got.outcome, want.outcome);
				if (want.outcome == SPEMU_ACCESS_NVMEM)
					assert_int_equal(got.nvmem_offset, want.nvmem);
			}
		}
		fixture_stop(&f);
	}
	for (unsigned reg_i = 0; reg_i < REGISTERS; reg_i++) {
		assert_true(seen[SPEMU_ACCESS_OK][reg_i] > 0);
		assert_true(seen[SPEMU_ACCESS_UNDEFINED][reg_i] > 0 ||
		            registers[reg_i] == SPEMU_SYSREG_PMBIDR_EL1 ||
		            registers[reg_i] == SPEMU_SYSREG_CONTEXTIDR_EL1);
		if (registers[reg_i] != SPEMU_SYSREG_PMBSR_EL3)
			assert_true(seen[SPEMU_ACCESS_TRAP_EL2][reg_i] > 0);
	}
	check_every_row_decided();
}

/* EL0 never: D24.7. */
static void undefined_at_el0(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v9.6", NULL);
	at_el(&f, 0);
	for (unsigned i = 0; i < REGISTERS; i++) {
		struct spemu_access_result got;
		uint64_t value;

		spemu_spu_mrs(f.spu, &got, &value, registers[i]);
		assert_int_equal(got.outcome, SPEMU_ACCESS_UNDEFINED);
		spemu_spu_msr(f.spu, &got, registers[i], 0);
		assert_int_equal(got.outcome, SPEMU_ACCESS_UNDEFINED);
	}
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_register_against_the_pages),
	        cmocka_unit_test(undefined_at_el0),
	};
	return cmocka_run_group_tests_name("access_rule", tests, NULL, NULL);
}
