/* SPDX-License-Identifier: MIT */
/* Test access to counters from EL0, which PMUSERENR_EL0 and PMUACR_EL1 control (D13.11). */
#include "pmu_fixture.h"

#define B(n) (UINT64_C(1) << (n))

/* Check whether EL0 can read and write the bit of a counter in PMCNTENSET_EL0, PMOVSCLR_EL0 and
 * PMZR_EL0. */
static void controls_at_el0(struct pmu_fixture *f, uint32_t counter, uint64_t bit, bool reads,
                            bool writes)
{
	pmu_set(f, SPEMU_SYSREG_PMCNTENSET_EL0, bit);
	pmu_set(f, SPEMU_SYSREG_PMOVSSET_EL0, bit);
	pmu_set(f, counter, 7);
	assert_true(pmu_mrs(f, SPEMU_SYSREG_PMCNTENCLR_EL0) == (reads ? bit : 0));
	pmu_msr(f, SPEMU_SYSREG_PMCNTENCLR_EL0, bit);
	pmu_msr(f, SPEMU_SYSREG_PMOVSCLR_EL0, bit);
	pmu_msr(f, SPEMU_SYSREG_PMZR_EL0, bit);
	assert_true(pmu_get(f, SPEMU_SYSREG_PMCNTENSET_EL0) == (writes ? 0 : bit));
	assert_true(pmu_get(f, SPEMU_SYSREG_PMOVSSET_EL0) == (writes ? 0 : bit));
	assert_int_equal(pmu_get(f, counter), writes ? 0 : 7);
}

/* Table D13-12: the access from EL0 for each combination of UEN, EN, xR and PMUACR_EL1. */
static void table_d13_12_access_from_el0(void **state)
{
	static const struct {
		unsigned kind; /* kind of counter: 0 events, 1 cycles, 2 instructions */
		uint32_t encoding;
		unsigned bit, xr;
	} counters[] = {{0, SPEMU_SYSREG_PMEVCNTRn_EL0(1), 1, 3},
	                {1, SPEMU_SYSREG_PMCCNTR_EL0, 31, 2},
	                {2, SPEMU_SYSREG_PMICNTR_EL0, 32, 5}};
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_at(&f, (struct spemu_pe_state){.el = 0});
	for (unsigned i = 0; i < 3; i++)
		for (unsigned n = 0; n < 16; n++) {
			bool uen = n & 1, en = n & 2, xr = n & 4, acr = n & 8;
			bool instruction = counters[i].kind == 2;
			bool reads = uen || (!instruction && (en || xr));
			bool writes = uen || (!instruction && en);
			bool zero = uen && !acr, ignored = uen && (!acr || xr);
			struct spemu_access_result got;
			uint64_t value = 77;

			pmu_set(&f, SPEMU_SYSREG_PMUSERENR_EL0,
			        FIELD(PMUSERENR_EL0, UEN, uen) | en |
			                (uint64_t)xr << counters[i].xr);
			pmu_set(&f, SPEMU_SYSREG_PMUACR_EL1, acr ? B(counters[i].bit) : 0);
			pmu_set(&f, counters[i].encoding, 5);
			spemu_pmu_mrs(f.pmu, &got, &value, counters[i].encoding);
			assert_int_equal(got.outcome,
			                 reads ? SPEMU_ACCESS_OK : SPEMU_ACCESS_TRAP_EL1);
			if (reads)
				assert_int_equal(value, zero ? 0 : 5);
			spemu_pmu_msr(f.pmu, &got, counters[i].encoding, 9);
			assert_int_equal(got.outcome,
			                 writes ? SPEMU_ACCESS_OK : SPEMU_ACCESS_TRAP_EL1);
			assert_int_equal(pmu_get(&f, counters[i].encoding),
			                 writes && !ignored ? 9 : 5);
			if (uen || en)
				controls_at_el0(&f, counters[i].encoding, B(counters[i].bit),
				                uen ? acr : !instruction,
				                uen ? !ignored : !instruction);
		}
	pmu_stop(&f);
}

/* IKGJMV, GetPMUAccessMask(): PMUACR_EL1 has no effect while EL1 is in AArch32 state. */
static void ikgjmv_pmuacr_is_ignored_below_aarch32(void **state)
{
	struct pmu_fixture f;

	(void)state;
	/* A bit for each Exception level in AArch32 state. */
	for (unsigned aarch32 = 0; aarch32 < 4; aarch32++) {
		if (aarch32 == 2)
			continue;
		pmu_start(&f, "v8.9");
		pmu_program(&f);
		pmu_at(&f, (struct spemu_pe_state){.el = 0,
		                                   .aarch32 = aarch32 & 1,
		                                   .el_aarch32 = (uint8_t)aarch32});
		pmu_set(&f, SPEMU_SYSREG_PMUSERENR_EL0,
		        FIELD(PMUSERENR_EL0, EN, 1) | FIELD(PMUSERENR_EL0, UEN, 1));
		pmu_set(&f, SPEMU_SYSREG_PMUACR_EL1, B(1));
		pmu_set(&f, SPEMU_SYSREG_PMCNTENSET_EL0, 7);
		assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCNTENSET_EL0), aarch32 == 3 ? 7 : 2);
		pmu_stop(&f);
	}
}

/* D24.5.25: PMUACR_EL1 has a bit for each counter. EL1 writes only the bits of the counters that
 * HPMN assigns to EL1. EL2 writes the bits of all counters. */
static void pmuacr_bits_follow_counters_and_hpmn(void **state)
{
	const uint64_t fixed = B(32) | B(31); /* F0, C */
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL2, FIELD(MDCR_EL2, HPMN, 2));
	pmu_set(&f, SPEMU_SYSREG_PMUACR_EL1, 0);
	pmu_at(&f, (struct spemu_pe_state){.el = 1});
	pmu_msr(&f, SPEMU_SYSREG_PMUACR_EL1, ~UINT64_C(0));
	pmu_at(&f, (struct spemu_pe_state){.el = 2});
	assert_true(pmu_mrs(&f, SPEMU_SYSREG_PMUACR_EL1) == (fixed | 3));
	pmu_msr(&f, SPEMU_SYSREG_PMUACR_EL1, ~UINT64_C(0));
	assert_true(pmu_mrs(&f, SPEMU_SYSREG_PMUACR_EL1) == (fixed | 0x3f)); /* N is 6 */
	pmu_at(&f, (struct spemu_pe_state){.el = 1});
	pmu_msr(&f, SPEMU_SYSREG_PMUACR_EL1, 0);
	pmu_at(&f, (struct spemu_pe_state){.el = 2});
	/* The bits of EL2's counters do not change. */
	assert_true(pmu_mrs(&f, SPEMU_SYSREG_PMUACR_EL1) == 0x3c);
	pmu_stop(&f);
}

/* GetPMUReadMask() and GetPMUWriteMask(): try each control of the instruction counter's bit in
 * PMCNTENSET_EL0. */
static void instruction_counter_bit_follows_its_controls(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	for (unsigned n = 0; n < 4 * 64; n++) {
		unsigned el = n / 64;
		bool enpm2 = n & 1, fgten2 = n & 2, reads = n & 4, writes = n & 8;
		bool e2h = n & 16, tge = n & 32;
		bool trapped = el != 3 && !enpm2, guest = el < 2 && !(e2h && tge);

		pmu_program(&f);
		pmu_set(&f, SPEMU_SYSREG_PMUSERENR_EL0,
		        FIELD(PMUSERENR_EL0, EN, 1) | FIELD(PMUSERENR_EL0, UEN, 1));
		pmu_set(&f, SPEMU_SYSREG_PMUACR_EL1, ~UINT64_C(0));
		pmu_set(&f, SPEMU_SYSREG_HCR_EL2,
		        (e2h ? FIELD(HCR_EL2, E2H, 1) : 0) | (tge ? FIELD(HCR_EL2, TGE, 1) : 0));
		pmu_set(&f, SPEMU_SYSREG_SCR_EL3,
		        FIELD(SCR_EL3, NS, 1) | (fgten2 ? FIELD(SCR_EL3, FGTEn2, 1) : 0) |
		                FIELD(SCR_EL3, FGTEn, 1));
		pmu_set(&f, SPEMU_SYSREG_MDCR_EL3,
		        (enpm2 ? FIELD(MDCR_EL3, EnPM2, 1) : 0) | NAMED(MDCR_EL3, PMSSE, ALLOWED) |
		                FIELD(MDCR_EL3, EnPMSS, 1) | NAMED(MDCR_EL3, EPMSSAD, ALL));
		pmu_set(&f, SPEMU_SYSREG_HDFGRTR2_EL2, reads ? ~UINT64_C(0) : ~B(3));
		pmu_set(&f, SPEMU_SYSREG_HDFGWTR2_EL2, writes ? ~UINT64_C(0) : ~B(3));
		pmu_at(&f, (struct spemu_pe_state){.el = (uint8_t)el});
		assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCNTENSET_EL0) >> 32 & 1,
		                 !(trapped || (guest && !(fgten2 && reads))));
		pmu_msr(&f, SPEMU_SYSREG_PMCNTENCLR_EL0, B(32));
		assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMCNTENSET_EL0) >> 32 & 1,
		                 trapped || (guest && !(fgten2 && writes)));
	}
	pmu_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(table_d13_12_access_from_el0),
	        cmocka_unit_test(ikgjmv_pmuacr_is_ignored_below_aarch32),
	        cmocka_unit_test(pmuacr_bits_follow_counters_and_hpmn),
	        cmocka_unit_test(instruction_counter_bit_follows_its_controls),
	};
	return cmocka_run_group_tests_name("pmu_user_access", tests, NULL, NULL);
}
