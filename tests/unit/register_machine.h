/* SPDX-License-Identifier: MIT */
/* A PE with an SPU and a PMU, and the feature sets with which the register tests apply the
 * tables. */
#ifndef SPEMU_TESTS_REGISTER_MACHINE_H
#define SPEMU_TESTS_REGISTER_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "field.h"
#include <spemu/pmu.h>
#include <spemu/spu.h>

struct machine {
	struct spemu_features features;
	struct spemu_pe *pe;
	struct spemu_spu *spu; /* NULL without FEAT_SPE */
	struct spemu_pmu *pmu; /* NULL without FEAT_PMUv3 */
	unsigned highest;      /* the highest implemented Exception level */
	unsigned counters;
	bool impdef, wide; /* IMPLEMENTATION DEFINED events; counters of 16 bits */
};

static inline void machine_start(struct machine *m, const struct spemu_features *features,
                                 unsigned variant, uint64_t seed)
{
	struct spemu_pe_config pe = {.size = sizeof(pe), .features = *features, .seed = seed};
	struct spemu_spu_config spu = {.size = sizeof(spu)};
	struct spemu_pmu_config pmu = {
	        .size = sizeof(pmu), .seed = seed, .common_events = {~UINT64_C(0), ~UINT64_C(0)}};
	struct spemu_spu_host host = {.size = sizeof(host)};

	memset(m, 0, sizeof(*m));
	m->features = *features;
	m->highest = spemu_has(features, SPEMU_EL3) ? 3 : spemu_has(features, SPEMU_EL2) ? 2 : 1;
	m->impdef = variant & 1;
	m->wide = variant & 2;
	m->counters = variant & 1 ? 31 : 6;
	spu.impdef_events = m->impdef ? ~UINT64_C(0) : 0;
	spu.events_size = m->impdef ? 8 : 0;
	spu.counter_bits = m->wide ? 16 : 12;
	pmu.event_counters = (uint8_t)m->counters;
	m->pe = malloc(spemu_pe_size());
	assert_int_equal(spemu_pe_init(&m->pe, m->pe, spemu_pe_size(), &pe), SPEMU_OK);
	if (spemu_has(features, SPEMU_FEAT_SPE)) {
		m->spu = malloc(spemu_spu_size());
		assert_int_equal(
		        spemu_spu_init(&m->spu, m->spu, spemu_spu_size(), m->pe, &spu, &host),
		        SPEMU_OK);
	}
	if (spemu_has(features, SPEMU_FEAT_PMUV3)) {
		m->pmu = malloc(spemu_pmu_size());
		assert_int_equal(
		        spemu_pmu_init(&m->pmu, m->pmu, spemu_pmu_size(), m->pe, &pmu, NULL),
		        SPEMU_OK);
	}
}

static inline void machine_stop(struct machine *m)
{
	free(m->spu);
	free(m->pmu);
	free(m->pe);
}

/* Return the number of the feature with this name, or -1. */
static inline int feature_named(const char *name, size_t length)
{
	for (int i = 0; i < SPEMU_FEATURE_COUNT; i++) {
		const char *known = spemu_feature_name((enum spemu_feature)i);

		if (strlen(known) == length && memcmp(known, name, length) == 0)
			return i;
	}
	return -1;
}

/* Execute MSR or MRS. Return false if neither unit has the register. */
static inline bool machine_access(struct machine *m, struct spemu_access_result *result,
                                  uint32_t encoding, bool write, uint64_t *value)
{
	int status = SPEMU_ERR_NOT_SUPPORTED;

	if (m->spu)
		status = write ? spemu_spu_msr(m->spu, result, encoding, *value)
		               : spemu_spu_mrs(m->spu, result, value, encoding);
	if (status && m->pmu)
		status = write ? spemu_pmu_msr(m->pmu, result, encoding, *value)
		               : spemu_pmu_mrs(m->pmu, result, value, encoding);
	return status == SPEMU_OK;
}

/* Make an access like machine_access(), or access a register of the host by name. */
static inline bool machine_access_or_name(struct machine *m, struct spemu_access_result *result,
                                          uint32_t encoding, int reg, bool write, uint64_t *value)
{
	if (machine_access(m, result, encoding, write, value))
		return true;
	result->outcome = SPEMU_ACCESS_OK;
	return reg >= 0 && (write ? spemu_reg_set(m->pe, (enum spemu_reg)reg, *value)
	                          : spemu_reg_get(m->pe, value, (enum spemu_reg)reg)) == SPEMU_OK;
}

/* Set a register without access rules. */
static inline void machine_put(struct machine *m, enum spemu_reg reg, uint64_t value)
{
	assert_int_equal(spemu_reg_set(m->pe, reg, value), SPEMU_OK);
}

static inline void machine_at(struct machine *m, unsigned el)
{
	struct spemu_pe_state state = {.el = (uint8_t)el};

	assert_int_equal(spemu_pe_set(m->pe, &state), SPEMU_OK);
}

/* Remove a feature, and all features that require it. */
static inline void features_without(struct spemu_features *set, enum spemu_feature feature)
{
	const char *rule;

	spemu_features_put(set, feature, false);
	while (spemu_features_check(set, &rule) != SPEMU_OK) {
		int needs_it = feature_named(rule, strcspn(rule, " "));

		assert_true(needs_it >= 0 && spemu_has(set, (enum spemu_feature)needs_it));
		spemu_features_put(set, (enum spemu_feature)needs_it, false);
	}
}

static inline struct spemu_features features_of(const char *text)
{
	struct spemu_features set;

	assert_int_equal(spemu_features_parse(&set, NULL, text), SPEMU_OK);
	return set;
}

/* Return all features that can be implemented together. */
static inline struct spemu_features features_all(void)
{
	struct spemu_features set = features_of("v9.6");

	for (int i = 0; i < SPEMU_FEATURE_COUNT; i++)
		if (i != SPEMU_SECUREONLY && i != SPEMU_FEAT_PMUV3_EXT64)
			spemu_features_put(&set, (enum spemu_feature)i, true);
	assert_int_equal(spemu_features_check(&set, NULL), SPEMU_OK);
	return set;
}

enum { FEATURE_SETS = 4 * (SPEMU_FEATURE_COUNT + 1) + 17 };

/* Return the IMPLEMENTATION DEFINED variant of feature set n. Each variant occurs with and without
 * EL2 and EL3. */
static inline unsigned feature_set_variant(unsigned n)
{
	return n ^ n >> 2;
}

/* Return feature set n. The first sets have all features, without EL3, without EL2 or without both.
 * Each of these lacks one feature and all features that require it. The sets of the architecture
 * versions follow. */
static inline struct spemu_features feature_set(unsigned n)
{
	struct spemu_features set;
	char text[16];

	if (n >= 4 * (SPEMU_FEATURE_COUNT + 1)) {
		n -= 4 * (SPEMU_FEATURE_COUNT + 1);
		snprintf(text, sizeof(text), n < 8 ? "v8.%u" : "v9.%u", n < 8 ? n + 2 : n - 8);
		return features_of(n < 15 ? text : n == 15 ? "v9.4,-EL3" : "v8.9,-EL2");
	}
	set = features_all();
	if (n & 1)
		features_without(&set, SPEMU_EL3);
	if (n & 2)
		features_without(&set, SPEMU_EL2);
	if (n / 4 < SPEMU_FEATURE_COUNT)
		features_without(&set, (enum spemu_feature)(n / 4));
	return set;
}

#endif
