/* SPDX-License-Identifier: MIT */
/*
 * The PE around the SPU: which features it has and which state it is in.
 *
 * Arm ARM: DDI 0487 M.a, A2 (features), D1 (Exception levels), D17.4.
 */
#ifndef SPEMU_PE_H
#define SPEMU_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/feature.h>
#include <spemu/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Security states, in the order of {SCR_EL3.NSE, SCR_EL3.NS}. */
enum spemu_security {
	SPEMU_SS_SECURE = 0,
	SPEMU_SS_NON_SECURE = 1,
	SPEMU_SS_ROOT = 2,
	SPEMU_SS_REALM = 3,
};

/* What is implemented: a set of enum spemu_feature (generated from arch/features.txt). */
struct spemu_features {
	uint64_t word[2];
};

static inline bool spemu_has(const struct spemu_features *set, enum spemu_feature feature)
{
	return (set->word[(unsigned)feature / 64] >> ((unsigned)feature % 64)) & 1;
}

static inline void spemu_features_put(struct spemu_features *set, enum spemu_feature feature,
                                      bool on)
{
	uint64_t bit = UINT64_C(1) << ((unsigned)feature % 64);
	uint64_t *word = &set->word[(unsigned)feature / 64];

	*word = on ? *word | bit : *word & ~bit;
}

/*
 * A feature set from its description: an architecture version "v8.2" ... "v9.6" (the mandatory
 * features of that version and the SPE of that version, with EL2, EL3 and Secure state), followed
 * by any number of ",+NAME" and ",-NAME" over the names of arch/features.txt.
 * Returns SPEMU_OK; SPEMU_ERR_INVALID for an unknown word, with *error_offset (may be NULL) set to
 * its offset in text. The result is not checked for consistency: see spemu_features_check().
 */
int spemu_features_parse(struct spemu_features *set, size_t *error_offset, const char *text);

/* The name of a feature as in the manual ("FEAT_SPE_FDS"), or NULL if out of range. */
const char *spemu_feature_name(enum spemu_feature feature);

/*
 * Whether the set can exist: every "requires" of arch/features.txt holds. SPEMU_OK, or
 * SPEMU_ERR_INVALID with *rule (may be NULL) set to a constant text that names the broken rule.
 */
int spemu_features_check(const struct spemu_features *set, const char **rule);

/* The state of the PE that the SPU depends on and that is in no System register. */
struct spemu_pe_state {
	uint8_t el;         /* PSTATE.EL, 0..3 */
	bool aarch32;       /* PSTATE.nRW: the current Exception level uses AArch32 */
	bool debug;         /* Debug state: Halted() */
	bool edscr_sdd;     /* EDSCR.SDD */
	bool pm;            /* PSTATE.PM (FEAT_EBEP, FEAT_SPE_EXC) */
	bool streaming;     /* PSTATE.SM */
	uint8_t el_aarch32; /* bit n: ELn uses AArch32, whatever the current one (ELUsingAArch32) */
};

#ifdef __cplusplus
}
#endif
#endif
