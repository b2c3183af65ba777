/* SPDX-License-Identifier: MIT */
/* A PE with an SPU and a PMU, of one of several implementations, made once and put back for each
 * input. */
#ifndef SPEMU_TESTS_FUZZ_WORLD_H
#define SPEMU_TESTS_FUZZ_WORLD_H

#include <spemu/pe.h>
#include <spemu/pmu.h>
#include <spemu/spu.h>
#include "fuzz.h"

enum {
	FUZZ_FEATURE_SETS = 7,
	FUZZ_SHAPES = 4, /* configurations of the SPU */
	FUZZ_WORLDS = FUZZ_FEATURE_SETS * FUZZ_SHAPES,
	FUZZ_PLACES = 2, /* of objects that are there at the same time */
};

struct fuzz_world {
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	struct spemu_pmu *pmu;
	const struct spemu_spu_config *config; /* of the SPU */
};

/*
 * The objects of world number 0 .. FUZZ_WORLDS - 1, in one of the places, as they are after init.
 * host and pmu_host are those of the first call for this world and place. Of every second shape the
 * host does not translate.
 */
struct fuzz_world fuzz_world(unsigned number, unsigned place, const struct spemu_spu_host *host,
                             const struct spemu_pmu_host *pmu_host);

/* Its features, as spemu_features_parse() reads them. */
const char *fuzz_world_features(unsigned number);

/* The bits of a register that exist in a world, by the register reference alone. */
uint64_t fuzz_world_mask(unsigned number, enum spemu_reg reg);

#endif
