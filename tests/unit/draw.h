/* SPDX-License-Identifier: MIT */
/* Random values for tests, derived from a seed. */
#ifndef SPEMU_TESTS_DRAW_H
#define SPEMU_TESTS_DRAW_H

#include <stdbool.h>

#include "base/prng.h"

static inline bool coin(uint64_t *seed)
{
	return prng_next(seed) >> 63;
}

/* Return a number from 0 to n - 1. */
static inline unsigned below(uint64_t *seed, unsigned n)
{
	return (unsigned)(prng_next(seed) >> 32) % n;
}

#endif
