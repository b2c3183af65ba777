/* SPDX-License-Identifier: MIT */
/* Test the fields of ID registers that show features, and the NVMem[] offsets of registers. The
 * numbers are copied by hand from the pages of the registers: D24.2.80 to D24.2.94, D24.5.19,
 * D24.7. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <spemu/feature.h>
#include <spemu/sysreg.h>
#include "sysreg/tables.h"

/* {CRm, op2} of the ID registers with op0 3, op1 0, CRn 0 */
#define PFR0 4, 0
#define PFR1 4, 1
#define DFR0 5, 0
#define DFR1 5, 1
#define DFR2 5, 2
#define ISAR1 6, 1
#define ISAR2 6, 2
#define MMFR0 7, 0
#define MMFR1 7, 1
#define MMFR2 7, 2
#define MMFR3 7, 3
#define MMFR4 7, 4

/* A field of an ID register that shows a feature. `absent` is the greatest value that does not show
 * the feature, and `present` is the least value that does. */
static const struct row {
	enum spemu_feature feature;
	uint8_t crm, op2, lsb, width;
	uint8_t absent, present;
} rows[] = {
        {SPEMU_EL2, PFR0, 8, 4, 0, 1},
        {SPEMU_EL3, PFR0, 12, 4, 0, 1},
        {SPEMU_FEAT_AA32, PFR0, 0, 4, 1, 2},
        {SPEMU_FEAT_RAS, PFR0, 28, 4, 0, 1},
        {SPEMU_FEAT_SVE, PFR0, 32, 4, 0, 1},
        {SPEMU_FEAT_SEL2, PFR0, 36, 4, 0, 1},
        {SPEMU_FEAT_RME, PFR0, 52, 4, 0, 1},
        {SPEMU_FEAT_RME_GPC2, PFR0, 52, 4, 1, 2},
        {SPEMU_FEAT_RME_GPC3, PFR0, 52, 4, 2, 3},
        {SPEMU_FEAT_MTE2, PFR1, 8, 4, 1, 2},
        {SPEMU_FEAT_SME, PFR1, 24, 4, 0, 1},
        {SPEMU_FEAT_GCS, PFR1, 44, 4, 0, 1},
        {SPEMU_FEAT_THE, PFR1, 48, 4, 0, 1},
        {SPEMU_FEAT_PMUV3, DFR0, 8, 4, 0, 1},
        {SPEMU_FEAT_PMUV3, DFR0, 8, 4, 15, 9},
        {SPEMU_FEAT_PMUV3P1, DFR0, 8, 4, 1, 4},
        {SPEMU_FEAT_PMUV3P4, DFR0, 8, 4, 4, 5},
        {SPEMU_FEAT_PMUV3P5, DFR0, 8, 4, 5, 6},
        {SPEMU_FEAT_PMUV3P7, DFR0, 8, 4, 6, 7},
        {SPEMU_FEAT_PMUV3P8, DFR0, 8, 4, 7, 8},
        {SPEMU_FEAT_PMUV3P9, DFR0, 8, 4, 8, 9},
        {SPEMU_FEAT_PMUV3P9, DFR0, 8, 4, 15, 9},
        {SPEMU_FEAT_PMUV3_SS, DFR0, 16, 4, 0, 1},
        {SPEMU_FEAT_SPE, DFR0, 32, 4, 0, 1},
        {SPEMU_FEAT_SPEV1P1, DFR0, 32, 4, 1, 2},
        {SPEMU_FEAT_SPEV1P2, DFR0, 32, 4, 2, 3},
        {SPEMU_FEAT_SPEV1P3, DFR0, 32, 4, 3, 4},
        {SPEMU_FEAT_SPEV1P4, DFR0, 32, 4, 4, 5},
        {SPEMU_FEAT_SPEV1P5, DFR0, 32, 4, 5, 6},
        {SPEMU_FEAT_HPMN0, DFR0, 60, 4, 0, 1},
        {SPEMU_FEAT_PMUV3_ICNTR, DFR1, 36, 4, 0, 1},
        {SPEMU_FEAT_SPE_DPFZS, DFR1, 52, 4, 0, 1},
        {SPEMU_FEAT_SPE_EXC, DFR2, 16, 4, 0, 1},
        {SPEMU_FEAT_SPE_NVM, DFR2, 20, 4, 0, 1},
        {SPEMU_FEAT_XS, ISAR1, 56, 4, 0, 1},
        {SPEMU_FEAT_MOPS, ISAR2, 16, 4, 0, 1},
        {SPEMU_FEAT_LPA, MMFR0, 0, 4, 5, 6},
        {SPEMU_FEAT_TGRAN16K, MMFR0, 20, 4, 0, 1},
        {SPEMU_FEAT_LPA2, MMFR0, 20, 4, 1, 2},
        {SPEMU_FEAT_TGRAN64K, MMFR0, 24, 4, 15, 0},
        {SPEMU_FEAT_TGRAN4K, MMFR0, 28, 4, 15, 0},
        {SPEMU_FEAT_LPA2, MMFR0, 28, 4, 0, 1},
        {SPEMU_FEAT_LPA2, MMFR0, 28, 4, 15, 1},
        {SPEMU_FEAT_FGT, MMFR0, 56, 4, 0, 1},
        {SPEMU_FEAT_FGT2, MMFR0, 56, 4, 1, 2},
        {SPEMU_FEAT_ECV, MMFR0, 60, 4, 0, 1},
        {SPEMU_FEAT_ECV_POFF, MMFR0, 60, 4, 1, 2},
        {SPEMU_FEAT_HAFDBS, MMFR1, 0, 4, 0, 1},
        {SPEMU_FEAT_HAFT, MMFR1, 0, 4, 2, 3},
        {SPEMU_FEAT_VHE, MMFR1, 8, 4, 0, 1},
        {SPEMU_FEAT_HPDS, MMFR1, 12, 4, 0, 1},
        {SPEMU_FEAT_HCX, MMFR1, 40, 4, 0, 1},
        {SPEMU_FEAT_LVA, MMFR2, 16, 4, 0, 1},
        {SPEMU_FEAT_NV, MMFR2, 24, 4, 0, 1},
        {SPEMU_FEAT_NV2, MMFR2, 24, 4, 1, 2},
        {SPEMU_FEAT_TTST, MMFR2, 28, 4, 0, 1},
        {SPEMU_FEAT_IDST, MMFR2, 36, 4, 0, 1},
        {SPEMU_FEAT_S2FWB, MMFR2, 40, 4, 0, 1},
        {SPEMU_FEAT_BBML1, MMFR2, 52, 4, 0, 1},
        {SPEMU_FEAT_TCR2, MMFR3, 0, 4, 0, 1},
        {SPEMU_FEAT_SCTLR2, MMFR3, 4, 4, 0, 1},
        {SPEMU_FEAT_S1PIE, MMFR3, 8, 4, 0, 1},
        {SPEMU_FEAT_S2PIE, MMFR3, 12, 4, 0, 1},
        {SPEMU_FEAT_S1POE, MMFR3, 16, 4, 0, 1},
        {SPEMU_FEAT_S2POE, MMFR3, 20, 4, 0, 1},
        {SPEMU_FEAT_AIE, MMFR3, 24, 4, 0, 1},
        {SPEMU_FEAT_MEC, MMFR3, 28, 4, 0, 1},
        {SPEMU_FEAT_D128, MMFR3, 32, 4, 0, 1},
        {SPEMU_FEAT_E2H0, MMFR4, 24, 4, 14, 0},
        {SPEMU_FEAT_E2H0, MMFR4, 24, 4, 15, 0},
};
/* Fields of PMSIDR_EL1 (3 0 C9 C9 7) and PMMIR_EL1 (3 0 C9 C14 6), in the same format. */
static const struct row rows_c9[] = {
        {SPEMU_FEAT_SPE_ARCHINST, 9, 7, 3, 1, 0, 1}, {SPEMU_FEAT_SPE_LDS, 9, 7, 4, 1, 0, 1},
        {SPEMU_FEAT_SPE_ERND, 9, 7, 5, 1, 0, 1},     {SPEMU_FEAT_SPE_FNE, 9, 7, 6, 1, 0, 1},
        {SPEMU_FEAT_SPE_FDS, 9, 7, 7, 1, 0, 1},      {SPEMU_FEAT_SPE_PBT, 9, 7, 24, 1, 0, 1},
        {SPEMU_FEAT_SPE_CRR, 9, 7, 25, 1, 0, 1},     {SPEMU_FEAT_SPE_EFT, 9, 7, 26, 1, 0, 1},
        {SPEMU_FEAT_SPE_FPF, 9, 7, 27, 1, 0, 1},     {SPEMU_FEAT_SPE_ALTCLK, 9, 7, 28, 4, 0, 1},
        {SPEMU_FEAT_SPE_ALTCLK, 9, 7, 28, 4, 0, 2},  {SPEMU_FEAT_SPE_SME, 9, 7, 32, 1, 0, 1},
        {SPEMU_FEAT_PMUV3_SME, 14, 6, 28, 1, 0, 1},
};
#define ROWS (sizeof(rows) / sizeof(*rows))
#define ROWS_C9 (sizeof(rows_c9) / sizeof(*rows_c9))

/* ID registers of a PE with EL2, EL3 and FEAT_VHE. One field has a different value. */
struct pe {
	uint32_t encoding;
	uint64_t mask, value;
};

static uint64_t read_id(void *ctx, uint32_t encoding)
{
	const struct pe *pe = ctx;
	uint64_t value = 0;

	if (encoding == SPEMU_SYSREG(3, 0, 0, 4, 0))
		value = 0x1111;
	if (encoding == SPEMU_SYSREG(3, 0, 0, 7, 1))
		value = 0x100;
	if (encoding == SPEMU_SYSREG(3, 0, 0, 7, 0)) /* neither the 4KB nor the 64KB granule */
		value = UINT64_C(0xff000000);
	return encoding == pe->encoding ? (value & ~pe->mask) | pe->value : value;
}

static bool found(const struct row *row, uint32_t encoding, unsigned value)
{
	struct pe pe = {encoding, (UINT64_C(1) << row->width) - 1, value};
	struct spemu_features set;

	pe.mask <<= row->lsb;
	pe.value <<= row->lsb;
	spemu_features_from_id(&set, read_id, &pe);
	return spemu_has(&set, row->feature);
}

static void check_row(const struct row *row, uint32_t encoding, bool *seen)
{
	assert_false(found(row, encoding, row->absent));
	assert_true(found(row, encoding, row->present));
	seen[row->feature] = true;
}

/* Return the n-th field that shows the feature, or NULL. */
static const struct feature_id *way(enum spemu_feature feature, unsigned n)
{
	for (unsigned i = 0; i < spemu__feature_ids_size; i++)
		if (spemu__feature_ids[i].feature == feature && n-- == 0)
			return &spemu__feature_ids[i];
	return NULL;
}

static void id_field_of_every_feature_matches_the_manual(void **state)
{
	bool seen[SPEMU_FEATURE_COUNT] = {false};

	(void)state;
	for (unsigned i = 0; i < ROWS; i++)
		check_row(&rows[i], SPEMU_SYSREG(3, 0, 0, (uint32_t)rows[i].crm, rows[i].op2),
		          seen);
	for (unsigned i = 0; i < ROWS_C9; i++)
		check_row(&rows_c9[i],
		          SPEMU_SYSREG(3, 0, 9, (uint32_t)rows_c9[i].crm, rows_c9[i].op2), seen);
	for (int i = 0; i < SPEMU_FEATURE_COUNT; i++)
		assert_true(seen[i] == (way((enum spemu_feature)i, 0) != NULL));
}

static void feature_id_lists_register_and_field(void **state)
{
	const struct feature_id *id = way(SPEMU_FEAT_SPEV1P2, 0);

	(void)state;
	assert_non_null(id);
	assert_int_equal(id->encoding, SPEMU_SYSREG_ID_AA64DFR0_EL1);
	assert_int_equal(id->hi, 35);
	assert_int_equal(id->lo, 32);
	assert_int_equal(id->least, 3);
	assert_int_equal(id->most, 15);
	assert_null(way(SPEMU_FEAT_SPEV1P2, 1));
	assert_non_null(way(SPEMU_FEAT_LPA2, 1));
	assert_null(way(SPEMU_FEAT_LPA2, 2));
}

/*
 * Return a register whose fields are all 1. *ctx gives the value of one register, for example the
 * Exception levels or FEAT_VHE.
 */
static uint64_t read_ones(void *ctx, uint32_t encoding)
{
	const struct pe *pe = ctx;

	if (encoding == pe->encoding)
		return pe->value;
	if (encoding == SPEMU_SYSREG(3, 0, 0, 7, 4)) /* FEAT_E2H0 is implemented */
		return 0;
	return UINT64_C(0x1111111111111111);
}

static void absent_levels_remove_dependent_features(void **state)
{
	static const enum spemu_feature of_el2[] = {
	        SPEMU_EL2,        SPEMU_FEAT_VHE,   SPEMU_FEAT_E2H0,  SPEMU_FEAT_NV,
	        SPEMU_FEAT_SEL2,  SPEMU_FEAT_RME,   SPEMU_FEAT_HCX,   SPEMU_FEAT_S2FWB,
	        SPEMU_FEAT_S2PIE, SPEMU_FEAT_S2POE, SPEMU_FEAT_HPMN0,
	};
	struct pe pe = {.encoding = SPEMU_SYSREG(3, 0, 0, 4, 0)};
	struct spemu_features set;

	(void)state;
	pe.value = UINT64_C(0x1111111111111111);
	spemu_features_from_id(&set, read_ones, &pe);
	for (unsigned i = 0; i < sizeof(of_el2) / sizeof(*of_el2); i++)
		assert_true(spemu_has(&set, of_el2[i]));
	assert_true(spemu_has(&set, SPEMU_SECURE));
	pe.value = UINT64_C(0x1111111111111011); /* EL2 is not implemented */
	spemu_features_from_id(&set, read_ones, &pe);
	for (unsigned i = 0; i < sizeof(of_el2) / sizeof(*of_el2); i++)
		assert_false(spemu_has(&set, of_el2[i]));
	assert_true(spemu_has(&set, SPEMU_FEAT_FGT)); /* EL3 has traps, too */
	assert_true(spemu_has(&set, SPEMU_FEAT_GCS)); /* GCS needs neither EL2 nor EL3 */
	pe.value = UINT64_C(0x1111111111110111);      /* EL3 is not implemented */
	spemu_features_from_id(&set, read_ones, &pe);
	assert_false(spemu_has(&set, SPEMU_SECURE));
	assert_false(spemu_has(&set, SPEMU_FEAT_SEL2));
	assert_false(spemu_has(&set, SPEMU_FEAT_RME));
	assert_true(spemu_has(&set, SPEMU_FEAT_FGT)); /* EL2 has traps, too */
	pe.value = UINT64_C(0x1111111111110011);
	spemu_features_from_id(&set, read_ones, &pe);
	assert_false(spemu_has(&set, SPEMU_FEAT_FGT));
	pe = (struct pe){.encoding = SPEMU_SYSREG(3, 0, 0, 7, 1)}; /* FEAT_VHE is not implemented */
	spemu_features_from_id(&set, read_ones, &pe);
	assert_false(spemu_has(&set, SPEMU_FEAT_E2H0));
	assert_true(spemu_has(&set, SPEMU_FEAT_NV));
}

/* A2.3: a PE has SVE in Streaming SVE mode alone if PFR0.SVE is 0 and PFR1.SME is not. */
static void sve_in_streaming_mode_alone_is_not_sve(void **state)
{
	struct pe pe = {
	        .encoding = SPEMU_SYSREG(3, 0, 0, 4, 1), .value = 1 << 24, .mask = 0xf << 24};
	struct spemu_features set;

	(void)state;
	spemu_features_from_id(&set, read_id, &pe);
	assert_true(spemu_has(&set, SPEMU_FEAT_SME));
	assert_false(spemu_has(&set, SPEMU_FEAT_SVE));
}

static uint64_t read_set(void *ctx, uint32_t encoding)
{
	uint64_t value, mask;

	spemu_id_from_features(&value, &mask, ctx, encoding);
	assert_int_equal(value & ~mask, 0);
	return value;
}

/* The features of a PE are written to ID registers and read back. Only features that ID registers
 * do not show are lost. */
static void features_round_trip_through_id_registers(void **state)
{
	static const char *const texts[] = {
	        "v8.2",
	        "v8.3",
	        "v8.4",
	        "v8.5",
	        "v8.6",
	        "v8.7",
	        "v8.8",
	        "v8.9",
	        "v9.0",
	        "v9.1",
	        "v9.2",
	        "v9.3",
	        "v9.4",
	        "v9.5",
	        "v9.6",
	        "v8.4,-EL3,-FEAT_SEL2",
	        "v8.4,-EL2",
	        "v9.6,-FEAT_RME,-EL3,-EL2",
	        "v8.4,-FEAT_VHE,-FEAT_E2H0",
	        "v8.9,-FEAT_E2H0",
	        "v8.9,-FEAT_AA32,+FEAT_LPA",
	        "v8.9,-FEAT_TGran4K,+FEAT_LVA,+FEAT_LPA2",
	        "v8.9,-FEAT_TGran16K,+FEAT_LVA,+FEAT_LPA2",
	        "v8.9,-FEAT_TGran64K,-FEAT_PMUv3p9",
	        "v9.6,+FEAT_SME,+FEAT_SPE_SME,+FEAT_SPE_PBT,+FEAT_SPE_ALTCLK,+FEAT_PMUv3_SME",
	        "v9.2,-FEAT_SVE,+FEAT_SME",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct spemu_features set, shown;

		assert_int_equal(spemu_features_parse(&set, NULL, texts[i]), SPEMU_OK);
		spemu_features_from_id(&shown, read_set, &set);
		for (int k = 0; k < SPEMU_FEATURE_COUNT; k++) {
			enum spemu_feature feature = (enum spemu_feature)k;

			if (spemu_has(&shown, feature) != spemu_has(&set, feature) &&
			    way(feature, 0))
				fail_msg("%s: %s", texts[i], spemu_feature_name(feature));
		}
	}
}

static void id_values_and_masks_of_feature_sets(void **state)
{
	struct spemu_features set;
	uint64_t value, mask;

	(void)state;
	assert_int_equal(spemu_features_parse(&set, NULL, "v8.8"), SPEMU_OK);
	spemu_id_from_features(&value, &mask, &set, SPEMU_SYSREG(3, 0, 0, 5, 0));
	assert_int_equal(mask, UINT64_C(0xf000000f000f0f00)); /* HPMN0, PMSVer, PMSS, PMUVer */
	assert_int_equal(value, UINT64_C(0x1000000400000800));
	/* A PE with neither a translation granule nor AArch32. */
	assert_int_equal(spemu_features_parse(&set, NULL,
	                                      "v8.2,-FEAT_TGran4K,-FEAT_TGran16K,-FEAT_TGran64K,"
	                                      "-FEAT_AA32"),
	                 SPEMU_OK);
	spemu_id_from_features(&value, NULL, &set, SPEMU_SYSREG(3, 0, 0, 7, 0));
	assert_int_equal(value, UINT64_C(0xff000000));
	spemu_id_from_features(&value, NULL, &set, SPEMU_SYSREG(3, 0, 0, 4, 0));
	assert_int_equal(value & 0xf, 1);
	spemu_id_from_features(&value, &mask, &set, SPEMU_SYSREG_PMSCR_EL1);
	assert_int_equal(value | mask, 0);
}

/* D24.7: the offsets in NVMem[], as listed on the pages of the registers for accesses from EL1. */
static void nvmem_offsets_match_the_pages(void **state)
{
	static const struct {
		uint32_t encoding;
		int offset, nv1; /* offset is -1 if accesses are not redirected */
	} registers[] = {
	        {SPEMU_SYSREG_PMBLIMITR_EL1, 0x800, -1}, {SPEMU_SYSREG_PMBPTR_EL1, 0x810, -1},
	        {SPEMU_SYSREG_PMBSR_EL1, 0x820, -1},     {SPEMU_SYSREG_PMBSR_EL12, 0x820, 0},
	        {SPEMU_SYSREG_PMSCR_EL1, 0x828, 1},      {SPEMU_SYSREG_PMSCR_EL12, 0x828, 0},
	        {SPEMU_SYSREG_PMSEVFR_EL1, 0x830, -1},   {SPEMU_SYSREG_PMSICR_EL1, 0x838, -1},
	        {SPEMU_SYSREG_PMSIRR_EL1, 0x840, -1},    {SPEMU_SYSREG_PMSLATFR_EL1, 0x848, -1},
	        {SPEMU_SYSREG_PMSNEVFR_EL1, 0x850, -1},  {SPEMU_SYSREG_PMSDSFR_EL1, 0x858, -1},
	        {SPEMU_SYSREG_PMSFCR_EL1, -1, 0},        {SPEMU_SYSREG_PMSIDR_EL1, -1, 0},
	        {SPEMU_SYSREG_PMSCR_EL2, -1, 0},         {SPEMU_SYSREG(3, 0, 0, 0, 0), -1, 0},
	        {SPEMU_SYSREG_CONTEXTIDR_EL1, 0x108, 1}, {SPEMU_SYSREG_CONTEXTIDR_EL12, 0x108, 0},
	        {SPEMU_SYSREG_HCR_EL2, 0x78, -1},        {SPEMU_SYSREG_CNTVOFF_EL2, 0x60, -1},
	        {SPEMU_SYSREG_HDFGRTR2_EL2, 0x1a0, -1},  {SPEMU_SYSREG_MDCR_EL2, -1, 0},
	};
	struct spemu_features set;
	uint16_t offset;
	int nv1;

	(void)state;
	assert_int_equal(spemu_features_parse(&set, NULL, "v9.6"), SPEMU_OK);
	for (unsigned i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		int status = spemu_reg_nvmem(&offset, &nv1, &set, registers[i].encoding);

		assert_int_equal(status, registers[i].offset < 0 ? SPEMU_ERR_INVALID : SPEMU_OK);
		if (status)
			continue;
		assert_int_equal(offset, registers[i].offset);
		assert_int_equal(nv1, registers[i].nv1);
	}
	/* The features do not have this register. */
	assert_int_equal(spemu_features_parse(&set, NULL, "v8.4"), SPEMU_OK);
	assert_int_equal(spemu_reg_nvmem(&offset, &nv1, &set, SPEMU_SYSREG_PMSDSFR_EL1),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reg_nvmem(&offset, &nv1, &set, SPEMU_SYSREG_PMBPTR_EL1), SPEMU_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(id_field_of_every_feature_matches_the_manual),
	        cmocka_unit_test(feature_id_lists_register_and_field),
	        cmocka_unit_test(absent_levels_remove_dependent_features),
	        cmocka_unit_test(sve_in_streaming_mode_alone_is_not_sve),
	        cmocka_unit_test(features_round_trip_through_id_registers),
	        cmocka_unit_test(id_values_and_masks_of_feature_sets),
	        cmocka_unit_test(nvmem_offsets_match_the_pages),
	};
	return cmocka_run_group_tests_name("feature_id", tests, NULL, NULL);
}
