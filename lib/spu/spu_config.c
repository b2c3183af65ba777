/* SPDX-License-Identifier: MIT */
/*
 * The IMPLEMENTATION DEFINED properties of an SPU: defaults, and what cannot be.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7 (PMSIDR_EL1, PMBIDR_EL1)
 */
#include "spu/spu_object.h"

/* PMSIDR_EL1.ALTCLK: nonzero with FEAT_SPE_ALTCLK alone; the SMCU's clock needs FEAT_SPE_SME
 * (IPXWXV). */
static bool alternate_clock_is_good(const struct spemu_config *c,
                                    const struct spemu_features *features)
{
	if (!spemu_has(features, SPEMU_FEAT_SPE_ALTCLK))
		return c->alternate_clock == 0;
	return c->alternate_clock == SPEMU_ALTCLK_IMPDEF ||
	       (c->alternate_clock == SPEMU_ALTCLK_SMCU && spemu_has(features, SPEMU_FEAT_SPE_SME));
}

/* Defaults, then what no implementation can be, or this version is not. */
int spemu__config_resolve(struct spemu_config *c, const struct spemu_features *features)
{
	unsigned words[] = {256, 512, 768, 1024, 1536, 2048, 3072, 4096};
	bool interval_ok = false;

	c->max_size_log2 = c->max_size_log2 ? c->max_size_log2 : 6;
	c->counter_bits = c->counter_bits ? c->counter_bits : 12;
	c->min_interval = c->min_interval ? c->min_interval : 256;
	c->data_source_size = c->data_source_size ? c->data_source_size : 1;
	c->samples_in_flight = c->samples_in_flight ? c->samples_in_flight : 1;
	if (!c->events_size)
		c->events_size = spemu_has(features, SPEMU_FEAT_SPEV1P4) ||
		                                 spemu_has(features, SPEMU_FEAT_SVE) ||
		                                 spemu_has(features, SPEMU_FEAT_SME)
		                         ? 4
		                         : 2;
	if (!c->alternate_clock && spemu_has(features, SPEMU_FEAT_SPE_ALTCLK))
		c->alternate_clock = spemu_has(features, SPEMU_FEAT_SPE_SME) ? SPEMU_ALTCLK_SMCU
		                                                             : SPEMU_ALTCLK_IMPDEF;
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		interval_ok |= c->min_interval == words[i];
	if (!interval_ok || c->max_size_log2 < 6 || c->max_size_log2 > 11 ||
	    c->layout.align_log2 > c->max_size_log2 ||
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
