/* SPDX-License-Identifier: MIT */
/*
 * The conversion between features and the ID registers that show them, by the rows of
 * arch/features.txt.
 *
 * Arm ARM:     DDI 0487 M.a, A2.2, A2.3, D24.2, D24.5.19, D24.7.14
 */
#include "pe/pe_object.h"

static bool shows(const struct feature_id *id, uint64_t field)
{
	return field >= id->least && field <= id->most;
}

/*
 * Remove features whose requirements are absent. ID registers of some implementations show features
 * of EL2 or Secure state without having either, and ID_AA64MMFR4_EL1.E2H0 is 0, "implemented", on
 * implementations from before its definition.
 */
static void drop_dependents(struct spemu_features *set)
{
	static const enum spemu_feature roots[] = {SPEMU_EL2, SPEMU_EL3, SPEMU_SECURE,
	                                           SPEMU_FEAT_VHE};
	const struct spemu_features all = {{UINT64_MAX, UINT64_MAX}};
	struct spemu_features possible = all;

	for (unsigned i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		spemu_features_put(&possible, roots[i], spemu_has(set, roots[i]));
	spemu__features_remove_dependents(&possible, &all);
	for (unsigned i = 0; i < sizeof(set->word) / sizeof(*set->word); i++)
		set->word[i] &= possible.word[i];
}

void spemu_features_from_id(struct spemu_features *set, spemu_id_read_fn read, void *ctx)
{
	*set = (struct spemu_features){{0, 0}};
	for (unsigned i = 0; i < spemu__feature_ids_size; i++) {
		const struct feature_id *id = &spemu__feature_ids[i];

		if (shows(id, bits_get(read(ctx, id->encoding), id->hi, id->lo)))
			spemu_features_put(set, (enum spemu_feature)id->feature, true);
	}
	spemu_features_put(set, SPEMU_SECURE, spemu_has(set, SPEMU_EL3));
	drop_dependents(set);
}

/*
 * Return the value of a field with rows: the smallest value that shows the features of the set and
 * no others. If another field has to show one of them (FEAT_LPA2 without a granule), return the
 * value that shows no others.
 */
static uint64_t field_value(const struct feature_id *rows, unsigned count,
                            const struct spemu_features *set)
{
	const uint64_t greatest = BITMASK(rows->hi - rows->lo, 0);
	uint64_t other = 0, fallback = 0;
	bool any = false, has_fallback = false;

	for (unsigned i = 0; i < count; i++) {
		any |= spemu_has(set, (enum spemu_feature)rows[i].feature);
		other = rows[i].other > other ? rows[i].other : other;
	}
	for (uint64_t value = 0; any && value <= greatest; value++) {
		bool all = true, no_other = true;

		for (unsigned i = 0; i < count; i++) {
			bool has = spemu_has(set, (enum spemu_feature)rows[i].feature);

			all &= shows(&rows[i], value) == has;
			no_other &= has || !shows(&rows[i], value);
		}
		if (all)
			return value;
		if (no_other && !has_fallback)
			fallback = value;
		has_fallback |= no_other;
	}
	return any ? fallback : other;
}

void spemu_id_from_features(uint64_t *value, uint64_t *mask, const struct spemu_features *set,
                            uint32_t encoding)
{
	uint64_t fields = 0;

	*value = 0;
	for (unsigned i = 0, end; i < spemu__feature_ids_size; i = end) {
		const struct feature_id *rows = &spemu__feature_ids[i];

		for (end = i + 1; end < spemu__feature_ids_size; end++) {
			const struct feature_id *next = &spemu__feature_ids[end];

			if (next->encoding != rows->encoding || next->lo != rows->lo)
				break;
		}
		if (rows->encoding != encoding)
			continue;
		*value |= field_value(rows, end - i, set) << rows->lo;
		fields |= BITMASK(rows->hi, rows->lo);
	}
	if (mask)
		*mask = fields;
}
