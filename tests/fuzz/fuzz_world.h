/* SPDX-License-Identifier: MIT */
/* Worlds: a PE with an SPU and a PMU, in one of several implementations. A world is made once and
 * restored for each input. */
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
	FUZZ_PLACES = 2, /* sets of objects that exist at the same time */
};

struct fuzz_world {
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	struct spemu_pmu *pmu;
	const struct spemu_spu_config *config; /* configuration of the SPU */
};

/*
 * Return the objects of a world (0 to FUZZ_WORLDS - 1) in one of the places, in their state after
 * init. The first call for this world and place determines host and pmu_host. In every second
 * shape, the host does not translate.
 */
struct fuzz_world fuzz_world(unsigned number, unsigned place, const struct spemu_spu_host *host,
                             const struct spemu_pmu_host *pmu_host);

/* Return the features of a world, as text for spemu_features_parse(). */
const char *fuzz_world_features(unsigned number);

/* Return the bits of a register that exist in a world, from the register reference only. */
uint64_t fuzz_world_mask(unsigned number, enum spemu_reg reg);

#endif
