/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Features of QEMU's CPU from its ID registers; those of SPE from the configuration.
 *
 * Arm ARM: DDI 0487 M.a, A2.2 and D24.2 (ID registers).
 */
#include <string.h>

#include <spemu/sysreg.h>

#include "pe_features.h"

/* An ID register as the MRS encoding. */
#define ID(crm, op2) SPEMU_SYSREG(3, 0, 0, crm, op2)
#define PFR0 ID(4, 0)
#define PFR1 ID(4, 1)
#define DFR0 ID(5, 0)
#define ISAR1 ID(6, 1)
#define ISAR2 ID(6, 2)
#define MMFR0 ID(7, 0)
#define MMFR1 ID(7, 1)
#define MMFR2 ID(7, 2)
#define MMFR3 ID(7, 3)
#define MMFR4 ID(7, 4)

/* The feature is there if the unsigned field at shift is from least to most. */
static const struct feature_field {
	enum spemu_feature feature;
	uint32_t id;
	uint8_t shift, least, most;
} fields[] = {
        {SPEMU_EL2, PFR0, 8, 1, 15},
        {SPEMU_EL3, PFR0, 12, 1, 15},
        {SPEMU_SECURE, PFR0, 12, 1, 15},
        {SPEMU_FEAT_AA32, PFR0, 0, 2, 2},
        {SPEMU_FEAT_RAS, PFR0, 28, 1, 15},
        {SPEMU_FEAT_SVE, PFR0, 32, 1, 15},
        {SPEMU_FEAT_SEL2, PFR0, 36, 1, 15},
        {SPEMU_FEAT_RME, PFR0, 52, 1, 15},
        {SPEMU_FEAT_RME_GPC2, PFR0, 52, 2, 15},
        {SPEMU_FEAT_RME_GPC3, PFR0, 52, 3, 15},
        {SPEMU_FEAT_MTE2, PFR1, 8, 2, 15},
        {SPEMU_FEAT_SME, PFR1, 24, 1, 15},
        {SPEMU_FEAT_GCS, PFR1, 44, 1, 15},
        {SPEMU_FEAT_THE, PFR1, 48, 1, 15},
        {SPEMU_FEAT_PMUV3, DFR0, 8, 1, 14},
        {SPEMU_FEAT_PMUV3P1, DFR0, 8, 4, 14},
        {SPEMU_FEAT_PMUV3P4, DFR0, 8, 5, 14},
        {SPEMU_FEAT_PMUV3P5, DFR0, 8, 6, 14},
        {SPEMU_FEAT_PMUV3P7, DFR0, 8, 7, 14},
        {SPEMU_FEAT_PMUV3P8, DFR0, 8, 8, 14},
        {SPEMU_FEAT_PMUV3P9, DFR0, 8, 9, 14},
        {SPEMU_FEAT_HPMN0, DFR0, 60, 1, 15},
        {SPEMU_FEAT_XS, ISAR1, 56, 1, 15},
        {SPEMU_FEAT_MOPS, ISAR2, 16, 1, 15},
        {SPEMU_FEAT_TGRAN4K, MMFR0, 28, 0, 14},
        {SPEMU_FEAT_TGRAN16K, MMFR0, 20, 1, 15},
        {SPEMU_FEAT_TGRAN64K, MMFR0, 24, 0, 14},
        {SPEMU_FEAT_LPA, MMFR0, 0, 6, 15},
        {SPEMU_FEAT_LPA2, MMFR0, 28, 1, 14},
        {SPEMU_FEAT_FGT, MMFR0, 56, 1, 15},
        {SPEMU_FEAT_FGT2, MMFR0, 56, 2, 15},
        {SPEMU_FEAT_ECV, MMFR0, 60, 1, 15},
        {SPEMU_FEAT_ECV_POFF, MMFR0, 60, 2, 15},
        {SPEMU_FEAT_HAFDBS, MMFR1, 0, 1, 15},
        {SPEMU_FEAT_HAFT, MMFR1, 0, 3, 15},
        {SPEMU_FEAT_VHE, MMFR1, 8, 1, 15},
        {SPEMU_FEAT_HPDS, MMFR1, 12, 1, 15},
        {SPEMU_FEAT_HCX, MMFR1, 40, 1, 15},
        {SPEMU_FEAT_LVA, MMFR2, 16, 1, 15},
        {SPEMU_FEAT_NV, MMFR2, 24, 1, 15},
        {SPEMU_FEAT_NV2, MMFR2, 24, 2, 15},
        {SPEMU_FEAT_TTST, MMFR2, 28, 1, 15},
        {SPEMU_FEAT_IDST, MMFR2, 36, 1, 15},
        {SPEMU_FEAT_S2FWB, MMFR2, 40, 1, 15},
        {SPEMU_FEAT_BBML1, MMFR2, 52, 1, 15},
        {SPEMU_FEAT_TCR2, MMFR3, 0, 1, 15},
        {SPEMU_FEAT_SCTLR2, MMFR3, 4, 1, 15},
        {SPEMU_FEAT_S1PIE, MMFR3, 8, 1, 15},
        {SPEMU_FEAT_S2PIE, MMFR3, 12, 1, 15},
        {SPEMU_FEAT_S1POE, MMFR3, 16, 1, 15},
        {SPEMU_FEAT_S2POE, MMFR3, 20, 1, 15},
        {SPEMU_FEAT_AIE, MMFR3, 24, 1, 15},
        {SPEMU_FEAT_MEC, MMFR3, 28, 1, 15},
        {SPEMU_FEAT_D128, MMFR3, 32, 1, 15},
        {SPEMU_FEAT_E2H0, MMFR4, 24, 0, 0},
};

/* QEMU's ID registers show some features of EL2 on a PE without EL2, where they are not there. */
static const enum spemu_feature features_of_el2[] = {
        SPEMU_FEAT_VHE, SPEMU_FEAT_E2H0,  SPEMU_FEAT_NV,    SPEMU_FEAT_NV2,      SPEMU_FEAT_SEL2,
        SPEMU_FEAT_HCX, SPEMU_FEAT_S2FWB, SPEMU_FEAT_S2PIE, SPEMU_FEAT_ECV_POFF, SPEMU_FEAT_HPMN0};

static void drop_el2(struct spemu_features *set)
{
	for (size_t i = 0; i < sizeof(features_of_el2) / sizeof(features_of_el2[0]); i++)
		spemu_features_put(set, features_of_el2[i], false);
	if (!spemu_has(set, SPEMU_EL3)) {
		spemu_features_put(set, SPEMU_FEAT_FGT, false);
		spemu_features_put(set, SPEMU_FEAT_FGT2, false);
	}
}

static uint64_t id_value(struct CPUArchState *env, uint32_t encoding)
{
	const struct private_reg *reg = private_reg_find(env, encoding);

	return reg ? private_reg_value(env, reg) : 0;
}

/* SPE up to v1p<minor>, with the optional parts that the release of that version brought. */
static void put_spe(struct spemu_features *set, unsigned minor)
{
	static const struct {
		enum spemu_feature feature;
		unsigned minor;
	} spe[] = {
	        {SPEMU_FEAT_SPE, 0},     {SPEMU_FEAT_SPE_LDS, 0}, {SPEMU_FEAT_SPEV1P1, 1},
	        {SPEMU_FEAT_SPEV1P2, 2}, {SPEMU_FEAT_SPE_FNE, 2}, {SPEMU_FEAT_SPEV1P3, 3},
	        {SPEMU_FEAT_SPEV1P4, 4}, {SPEMU_FEAT_SPE_CRR, 4}, {SPEMU_FEAT_SPE_FDS, 4},
	        {SPEMU_FEAT_SPEV1P5, 5}, {SPEMU_FEAT_SPE_EFT, 5}, {SPEMU_FEAT_SPE_FPF, 5},
	        {SPEMU_FEAT_SPE_NVM, 5},
	};

	for (size_t i = 0; i < sizeof(spe) / sizeof(spe[0]); i++)
		spemu_features_put(set, spe[i].feature, spe[i].minor <= minor);
}

/* ID_AA64MMFR0_EL1.PARange */
static uint8_t pa_bits(uint64_t mmfr0)
{
	static const uint8_t bits[16] = {32, 36, 40, 42, 44, 48, 52, 56};

	return bits[mmfr0 & 15];
}

const char *features_of(struct spemu_pe_config *out, struct CPUArchState *env,
                        const struct config *wanted)
{
	const char *rule;

	*out = (struct spemu_pe_config){.size = sizeof(*out)};
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t value = id_value(env, fields[i].id) >> fields[i].shift & 15;

		spemu_features_put(&out->features, fields[i].feature,
		                   value >= fields[i].least && value <= fields[i].most);
	}
	if (!spemu_has(&out->features, SPEMU_EL2))
		drop_el2(&out->features);
	if (!spemu_has(&out->features, SPEMU_FEAT_VHE)) /* E2H is RES0 */
		spemu_features_put(&out->features, SPEMU_FEAT_E2H0, false);
	if (!spemu_has(&out->features, SPEMU_SECURE)) /* which QEMU shows without EL3 */
		spemu_features_put(&out->features, SPEMU_FEAT_SEL2, false);
	put_spe(&out->features, wanted->spe_minor);
	out->pa_bits = pa_bits(id_value(env, MMFR0));
	if (spemu_features_check(&out->features, &rule) != SPEMU_OK)
		return rule;
	return NULL;
}
