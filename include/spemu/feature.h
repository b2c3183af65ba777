/* SPDX-License-Identifier: MIT */
/*
 * What of the architecture a PE implements.
 *
 * Arm ARM: DDI 0487 M.a, A2.
 */
#ifndef SPEMU_FEATURE_H
#define SPEMU_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/api.h>
#include <spemu/feature_list.h>
#include <spemu/status.h>

SPEMU_BEGIN_DECLS

/* What is implemented: a set of enum spemu_feature (<spemu/feature_list.h>, made
 * from arch/features.txt). */
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

SPEMU_END_DECLS
#endif
