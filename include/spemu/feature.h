/* SPDX-License-Identifier: MIT */
/*
 * The features of the architecture that a PE implements.
 *
 * Arm ARM: DDI 0487 M.a, A2. The functions keep no state, so any thread may call them.
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

/* A set of features (enum spemu_feature), which a PE implements. <spemu/feature_list.h>, generated
 * from arch/features.txt, declares the features. */
struct spemu_features {
	uint64_t word[2];
};

/* Return true if the set contains the feature. */
static inline bool spemu_has(const struct spemu_features *set, enum spemu_feature feature)
{
	return (set->word[(unsigned)feature / 64] >> ((unsigned)feature % 64)) & 1;
}

/* Add a feature to the set, or remove it. Other features do not change. */
static inline void spemu_features_put(struct spemu_features *set, enum spemu_feature feature,
                                      bool on)
{
	uint64_t bit = UINT64_C(1) << ((unsigned)feature % 64);
	uint64_t *word = &set->word[(unsigned)feature / 64];

	*word = on ? *word | bit : *word & ~bit;
}

/*
 * Parse a feature set from its description: an architecture version "v8.2" ... "v9.6", followed by
 * any number of ",+NAME" and ",-NAME" with names of arch/features.txt. A version contains its
 * mandatory features and the SPE of that version, with EL2, EL3 and Secure state. Features that a
 * version requires together with others are added at the end, unless a "-NAME" removes them:
 * FEAT_SPE_SME and FEAT_PMUv3_SME from v9.5 on with FEAT_SME.
 *
 * Return SPEMU_OK; or SPEMU_ERR_INVALID for an unknown word, with its offset in *error_offset (may
 * be NULL) and an empty set. spemu_features_check() checks the set for consistency.
 */
int spemu_features_parse(struct spemu_features *set, size_t *error_offset, const char *text);

/* Return the name of a feature as in the manual ("FEAT_SPE_FDS"), or NULL if there is no such
 * feature. */
const char *spemu_feature_name(enum spemu_feature feature);

/*
 * Check that the set is possible: every "requires" of arch/features.txt holds. Return SPEMU_OK; or
 * SPEMU_ERR_INVALID, with a constant text that names the broken rule in *rule (may be NULL).
 */
int spemu_features_check(const struct spemu_features *set, const char **rule);

/*
 * Return the value of the ID register with an encoding (SPEMU_SYSREG() of <spemu/sysreg.h>), or 0
 * for a register that does not exist and so reads as zero. ctx is the caller's.
 */
typedef uint64_t (*spemu_id_read_fn)(void *ctx, uint32_t encoding);

/*
 * Find the features that ID registers show. read is called at least once for each register for
 * which spemu_id_from_features() returns a nonzero mask. Features that require EL2, EL3, Secure
 * state or FEAT_VHE are absent without these, whatever their own fields contain. Secure state has
 * no field, and is assumed to exist if EL3 exists. Other features that ID registers do not show are
 * not in the set. spemu_features_check() checks the set further.
 */
void spemu_features_from_id(struct spemu_features *set, spemu_id_read_fn read, void *ctx);
/*
 * Do the inverse: make the fields of one ID register that show features, for a PE with this set.
 * *mask (may be NULL) has the bits of these fields. Both are 0 for a register without such fields.
 * A field that shows more than features (PARange, EL0 to EL3, HAFDBS, ALTCLK) has the smallest
 * value that shows them.
 */
void spemu_id_from_features(uint64_t *value, uint64_t *mask, const struct spemu_features *set,
                            uint32_t encoding);

SPEMU_END_DECLS
#endif
