/* SPDX-License-Identifier: MIT */
/* The seeded generator of all pseudo-random choices: splitmix64, which its authors placed in the
 * public domain (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
#ifndef SPEMU_BASE_PRNG_H
#define SPEMU_BASE_PRNG_H

#include <stdint.h>

static inline uint64_t prng_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif
