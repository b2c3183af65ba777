/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Features of QEMU's CPU from its ID registers, and features of SPE from the configuration.
 *
 * Arm ARM: DDI 0487 M.a, A2.2 and D24.2 (ID registers).
 */
#include <spemu/sysreg.h>

#include "id_registers.h"
#include "pe_features.h"

/* ID_AA64MMFR0_EL1, ID_AA64PFR1_EL1 */
#define MMFR0 SPEMU_SYSREG(3, 0, 0, 7, 0)
#define PFR1 SPEMU_SYSREG(3, 0, 0, 4, 1)
#define PFR1_GCS (UINT64_C(15) << 44)

static uint64_t id_value(void *ctx, uint32_t encoding)
{
	return private_sysreg(ctx, encoding);
}

/* Add SPE up to v1p<minor>, with the optional features that the release of that version
 * introduced. */
static void put_spe(struct spemu_features *set, unsigned minor)
{
	static const struct {
		enum spemu_feature feature;
		unsigned minor;
	} spe[] = {
	        {SPEMU_FEAT_SPE, 0},     {SPEMU_FEAT_SPE_ARCHINST, 0}, {SPEMU_FEAT_SPE_LDS, 0},
	        {SPEMU_FEAT_SPEV1P1, 1}, {SPEMU_FEAT_SPEV1P2, 2},      {SPEMU_FEAT_SPE_FNE, 2},
	        {SPEMU_FEAT_SPEV1P3, 3}, {SPEMU_FEAT_SPEV1P4, 4},      {SPEMU_FEAT_SPE_CRR, 4},
	        {SPEMU_FEAT_SPE_FDS, 4}, {SPEMU_FEAT_SPEV1P5, 5},      {SPEMU_FEAT_SPE_EFT, 5},
	        {SPEMU_FEAT_SPE_FPF, 5}, {SPEMU_FEAT_SPE_NVM, 5},      {SPEMU_FEAT_SPE_EXC, 5},
	};

	for (size_t i = 0; i < sizeof(spe) / sizeof(spe[0]); i++)
		spemu_features_put(set, spe[i].feature, spe[i].minor <= minor);
}

/*
 * Hide FEAT_GCS from the guest if the configured SPE does not have FEAT_SPE_CRR, which FEAT_GCS
 * requires and which comes with FEAT_SPEv1p4 (A2.2).
 */
static void hide_gcs(struct spemu_features *set, struct CPUArchState *env)
{
	struct private_reg *pfr1 = private_reg_find(env, PFR1);

	if (spemu_has(set, SPEMU_FEAT_SPE_CRR) || !spemu_has(set, SPEMU_FEAT_GCS) || !pfr1)
		return;
	id_register_show(pfr1, pfr1->resetvalue & ~PFR1_GCS);
	spemu_features_put(set, SPEMU_FEAT_GCS, false);
}

/* Return the address size of ID_AA64MMFR0_EL1.PARange. */
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
	spemu_features_from_id(&out->features, id_value, env);
	put_spe(&out->features, wanted->spe_minor);
	spemu_features_put(&out->features, SPEMU_FEAT_SPE_PBT, wanted->previous_target);
	spemu_features_put(&out->features, SPEMU_FEAT_SPE_SME, wanted->sme);
	spemu_features_put(&out->features, SPEMU_FEAT_SPE_ALTCLK, wanted->spu.alternate_clock);
	hide_gcs(&out->features, env);
	/* QEMU 11.1 shows FEAT_MEC for every `-cpu max` with EL3, even without FEAT_RME. */
	if (!spemu_has(&out->features, SPEMU_FEAT_RME))
		spemu_features_put(&out->features, SPEMU_FEAT_MEC, false);
	out->pa_bits = pa_bits(id_value(env, MMFR0));
	if (spemu_features_check(&out->features, &rule) != SPEMU_OK)
		return rule;
	return NULL;
}
