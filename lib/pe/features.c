/* SPDX-License-Identifier: MIT */
/*
 * Feature sets: parsing, names, and checks of consistency.
 *
 * Arm ARM:     DDI 0487 M.a, A2
 */
#include <string.h>

#include "pe/pe_object.h"

const char *spemu_feature_name(enum spemu_feature feature)
{
	return (unsigned)feature < SPEMU_FEATURE_COUNT ? spemu__feature_table[feature].name : NULL;
}

static int feature_by_name(const char *name, size_t length)
{
	for (int i = 0; i < SPEMU_FEATURE_COUNT; i++)
		if (strlen(spemu__feature_table[i].name) == length &&
		    memcmp(spemu__feature_table[i].name, name, length) == 0)
			return i;
	return -1;
}

/* Return the position of "v8.2" to "v8.9" or "v9.0" to "v9.6" in the order of versions, or -1. */
static int level_index(const char *word, size_t length)
{
	if (length != 4 || word[0] != 'v' || word[2] != '.')
		return -1;
	if (word[1] == '8' && word[3] >= '2' && word[3] <= '9')
		return word[3] - '0';
	if (word[1] == '9' && word[3] >= '0' && word[3] <= '6')
		return word[3] - '0' + 5;
	return -1;
}

static bool reached(struct version from, unsigned level, bool is_v9)
{
	return from.index <= level && (is_v9 || !from.v9_only);
}

void spemu__features_remove_dependents(struct spemu_features *set,
                                       const struct spemu_features *before)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < SPEMU_FEATURE_COUNT; i++) {
			const struct feature_desc *f = &spemu__feature_table[i];

			for (unsigned r = 0; r < f->require_count; r++) {
				if (!spemu_has(set, (enum spemu_feature)i) ||
				    spemu__guard_holds(&f->require[r], set) ||
				    !spemu__guard_holds(&f->require[r], before))
					continue;
				spemu_features_put(set, (enum spemu_feature)i, false);
				changed = true;
			}
		}
	}
}

/* Add the features that other features imply at this version, unless they were removed by name. */
static void add_implied(struct spemu_features *set, const struct spemu_features *removed,
                        unsigned level, bool is_v9)
{
	for (int i = 0; i < SPEMU_FEATURE_COUNT; i++) {
		const struct feature_desc *f = &spemu__feature_table[i];

		if (reached(f->implied_from, level, is_v9) &&
		    !spemu_has(removed, (enum spemu_feature)i) &&
		    spemu__guard_holds(&f->implied_by, set))
			spemu_features_put(set, (enum spemu_feature)i, true);
	}
}

static int apply_word(struct spemu_features *set, struct spemu_features *removed, const char *word,
                      size_t length)
{
	struct spemu_features before = *set;
	int feature;

	if (word[0] != '+' && word[0] != '-')
		return SPEMU_ERR_INVALID;
	feature = feature_by_name(word + 1, length - 1);
	if (feature < 0)
		return SPEMU_ERR_INVALID;
	spemu_features_put(set, (enum spemu_feature)feature, word[0] == '+');
	spemu_features_put(removed, (enum spemu_feature)feature, word[0] == '-');
	if (word[0] == '-' &&
	    (feature == SPEMU_EL2 || feature == SPEMU_EL3 || feature == SPEMU_SECURE))
		spemu__features_remove_dependents(set, &before);
	return SPEMU_OK;
}

int spemu_features_parse(struct spemu_features *set, size_t *error_offset, const char *text)
{
	struct spemu_features removed = {{0, 0}};
	size_t offset = 0;
	size_t length = strcspn(text, ",");
	int level = level_index(text, length);
	bool is_v9 = level >= 0 && text[1] == '9';
	bool good = level >= 0;

	*set = (struct spemu_features){{0, 0}};
	for (int i = 0; i < SPEMU_FEATURE_COUNT && good; i++)
		spemu_features_put(set, (enum spemu_feature)i,
		                   reached(spemu__feature_table[i].preset, (unsigned)level, is_v9));
	while (good && text[offset + length]) {
		offset += length + 1;
		length = strcspn(text + offset, ",");
		good = apply_word(set, &removed, text + offset, length) == SPEMU_OK;
	}
	if (good)
		add_implied(set, &removed, (unsigned)level, is_v9);
	else
		*set = (struct spemu_features){{0, 0}};
	if (error_offset)
		*error_offset = good ? 0 : offset;
	return good ? SPEMU_OK : SPEMU_ERR_INVALID;
}

/*
 * Return a rule that the set breaks and that arch/features.txt cannot express by "requires", or
 * NULL.
 */
static const char *forbidden(const struct spemu_features *set)
{
	if (spemu_has(set, SPEMU_SECUREONLY) && spemu_has(set, SPEMU_EL3))
		return "SecureOnly is for implementations without EL3";
	if (spemu_has(set, SPEMU_FEAT_PMUV3_EXT32) && spemu_has(set, SPEMU_FEAT_PMUV3_EXT64))
		return "FEAT_PMUv3_EXT64 is without FEAT_PMUv3_EXT32";
	if (spemu_has(set, SPEMU_EL2) && !spemu_has(set, SPEMU_FEAT_FGT2)) {
		if (spemu_has(set, SPEMU_FEAT_PMUV3_SS))
			return "FEAT_PMUv3_SS with EL2 requires FEAT_FGT2";
		if (spemu_has(set, SPEMU_FEAT_PMUV3_ICNTR))
			return "FEAT_PMUv3_ICNTR with EL2 requires FEAT_FGT2";
	}
	return NULL;
}

int spemu_features_check(const struct spemu_features *set, const char **rule)
{
	const char *why = forbidden(set);

	for (int i = 0; !why && i < SPEMU_FEATURE_COUNT; i++) {
		const struct feature_desc *f = &spemu__feature_table[i];

		for (unsigned r = 0; !why && r < f->require_count; r++)
			if (spemu_has(set, (enum spemu_feature)i) &&
			    !spemu__guard_holds(&f->require[r], set))
				why = f->require_text;
	}
	if (rule)
		*rule = why;
	return why ? SPEMU_ERR_INVALID : SPEMU_OK;
}
