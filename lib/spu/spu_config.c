/* SPDX-License-Identifier: MIT */
/*
 * The IMPLEMENTATION DEFINED properties of an SPU: their defaults and limits.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7 (PMSIDR_EL1, PMBIDR_EL1)
 */
#include "base/take.h"
#include "spu/spu_object.h"

/* Return true for a possible PMSIDR_EL1.ALTCLK: nonzero only with FEAT_SPE_ALTCLK. The clock of
 * the SMCU requires FEAT_SPE_SME (IPXWXV). */
static bool alternate_clock_is_good(const struct spemu_spu_config *c,
                                    const struct spemu_features *features)
{
	if (!spemu_has(features, SPEMU_FEAT_SPE_ALTCLK))
		return c->alternate_clock == 0;
	return c->alternate_clock == SPEMU_ALTCLK_IMPDEF ||
	       (c->alternate_clock == SPEMU_ALTCLK_SMCU && spemu_has(features, SPEMU_FEAT_SPE_SME));
}

static void fill_packet_sizes(struct spemu_spu_config *c, const struct spemu_features *features)
{
	bool wide = spemu_has(features, SPEMU_FEAT_SPEV1P4) ||
	            spemu_has(features, SPEMU_FEAT_SVE) || spemu_has(features, SPEMU_FEAT_SME);

	c->data_source_size = c->data_source_size ? c->data_source_size : 1;
	if (!c->events_size)
		c->events_size = wide ? 4 : 2;
}

/* Return the packets that every record may have, and those of a branch (D17.6.3) or of a memory
 * access (D17.6.4). An operation that is both accesses a Guarded Control Stack. */
static uint32_t largest_present(const struct spemu_features *features, bool branch)
{
	const uint32_t access =
	        SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA) | SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA) |
	        SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TRANSLATION) | SPEMU_RECORD_DATA_SOURCE;
	uint32_t present = SPEMU_RECORD_ADDR(SPEMU_ADDR_PC) |
	                   SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL) |
	                   SPEMU_RECORD_COUNTER(SPEMU_COUNTER_ISSUE) |
	                   SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL1) | SPEMU_RECORD_OP_TYPE |
	                   SPEMU_RECORD_EVENTS | SPEMU_RECORD_TIMESTAMP;

	if (spemu_has(features, SPEMU_EL2))
		present |= SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL2);
	if (spemu_has(features, SPEMU_FEAT_SPE_PBT))
		present |= SPEMU_RECORD_ADDR(SPEMU_ADDR_PREV_BRANCH_TARGET);
	if (spemu_has(features, SPEMU_FEAT_SPE_ALTCLK))
		present |= SPEMU_RECORD_COUNTER(SPEMU_COUNTER_ALT_ISSUE);
	if (branch)
		present |= SPEMU_RECORD_ADDR(SPEMU_ADDR_BRANCH_TARGET);
	if (!branch || spemu_has(features, SPEMU_FEAT_GCS))
		present |= access;
	return spemu_has(features, SPEMU_FEAT_SPE_LDS)
	               ? present
	               : present & ~(uint32_t)SPEMU_RECORD_DATA_SOURCE;
}

int spemu_spu_largest_record(const struct spemu_spu_config *config,
                             const struct spemu_features *features)
{
	struct spemu_spu_config c;
	int largest = 0;

	if (!features || !take_struct(&c, sizeof(c), config))
		return SPEMU_ERR_INVALID;
	fill_packet_sizes(&c, features);
	for (int branch = 0; branch < 2; branch++) {
		uint8_t bytes[SPEMU_RECORD_MAX];
		struct spemu_record rec = {.present = largest_present(features, branch),
		                           .events_size = c.events_size,
		                           .data_source_size = c.data_source_size};
		int size = spemu_record_encode(bytes, sizeof(bytes), &rec, &c.layout);

		if (size < 0)
			return SPEMU_ERR_INVALID;
		largest = size > largest ? size : largest;
	}
	return largest;
}

/* Resolve PMSIDR_EL1.MaxSize, which must be enough for each record (D24.7.14). The default is
 * the smallest possible value. */
static bool resolve_max_size(struct spemu_spu_config *c, const struct spemu_features *features)
{
	int largest = spemu_spu_largest_record(c, features);
	uint8_t least = 6;

	if (largest < 0)
		return false;
	while (BIT64(least) < (uint64_t)largest)
		least++;
	if (!c->max_size_log2)
		c->max_size_log2 = least;
	return c->max_size_log2 >= least && c->max_size_log2 <= 11;
}

/* Fill in defaults. Then refuse values that no implementation can have, or that this version does
 * not support. */
int spemu__config_resolve(struct spemu_spu_config *c, const struct spemu_features *features)
{
	unsigned words[] = {256, 512, 768, 1024, 1536, 2048, 3072, 4096};
	bool interval_ok = false;

	c->counter_bits = c->counter_bits ? c->counter_bits : 12;
	c->min_interval = c->min_interval ? c->min_interval : 256;
	c->samples_in_flight = c->samples_in_flight ? c->samples_in_flight : 1;
	fill_packet_sizes(c, features);
	if (!c->alternate_clock && spemu_has(features, SPEMU_FEAT_SPE_ALTCLK))
		c->alternate_clock = spemu_has(features, SPEMU_FEAT_SPE_SME) ? SPEMU_ALTCLK_SMCU
		                                                             : SPEMU_ALTCLK_IMPDEF;
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		interval_ok |= c->min_interval == words[i];
	if (!interval_ok || !resolve_max_size(c, features) ||
	    (c->counter_bits != 12 && c->counter_bits != 16) ||
	    (c->data_source_size != 1 && c->data_source_size != 2) ||
	    c->samples_in_flight > SPEMU_IN_FLIGHT_MAX || !alternate_clock_is_good(c, features) ||
	    (c->missing_events & ~SPEMU_OPTIONAL_EVENTS) ||
	    (c->events_size != 1 && c->events_size != 2 && c->events_size != 4 &&
	     c->events_size != 8) ||
	    !spemu_has(features, SPEMU_FEAT_SPE))
		return SPEMU_ERR_INVALID;
	return SPEMU_OK;
}
