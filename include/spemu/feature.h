/* SPDX-License-Identifier: MIT */
/*
 * The features of the architecture that a PE implements.
 *
 * Arm ARM: DDI 0487 M.a, A2. Nothing here keeps state: any thread may call it.
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

/* The implemented features: a set of enum spemu_feature (<spemu/feature_list.h>, made from
 * arch/features.txt). */
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
 * by any number of ",+NAME" and ",-NAME" over the names of arch/features.txt. What the version
 * makes of some features together is added at the end, unless a "-NAME" takes it away: FEAT_SPE_SME
 * and FEAT_PMUv3_SME from v9.5 on with FEAT_SME. Returns SPEMU_OK; SPEMU_ERR_INVALID for an unknown
 * word, with *error_offset (may be NULL) set to its offset in text and the set empty. The result is
 * not checked for consistency: see spemu_features_check().
 */
int spemu_features_parse(struct spemu_features *set, size_t *error_offset, const char *text);

/* The name of a feature as in the manual ("FEAT_SPE_FDS"), or NULL if out of range. */
const char *spemu_feature_name(enum spemu_feature feature);

/*
 * Check that the set can exist: every "requires" of arch/features.txt holds. SPEMU_OK, or
 * SPEMU_ERR_INVALID with *rule (may be NULL) set to a constant text that names the broken rule.
 */
int spemu_features_check(const struct spemu_features *set, const char **rule);

/*
 * The value of the ID register with an encoding (SPEMU_SYSREG() of <spemu/sysreg.h>), 0 for one
 * that is not there: it reads as zero. ctx is the caller's.
 */
typedef uint64_t (*spemu_id_read_fn)(void *ctx, uint32_t encoding);

/*
 * Find the features that ID registers show. read is called once or more for each register for which
 * spemu_id_from_features() gives a nonzero mask. Features that require EL2, EL3, Secure state or
 * FEAT_VHE are left out if these are absent, whatever their own fields say. Secure state has no
 * field and is taken to be there with EL3. Other features that no ID register shows are not in the
 * set. The set is not checked further: see spemu_features_check().
 */
void spemu_features_from_id(struct spemu_features *set, spemu_id_read_fn read, void *ctx);
/*
 * Do the inverse: make the fields of one ID register that show features, as a PE with the set has
 * them. *mask (may be NULL) has the bits of these fields; both are 0 for another register. A field
 * that shows more than features (PARange, EL0 to EL3, HAFDBS, ALTCLK) has the least value that
 * shows them.
 */
void spemu_id_from_features(uint64_t *value, uint64_t *mask, const struct spemu_features *set,
                            uint32_t encoding);

SPEMU_END_DECLS
#endif
