/* SPDX-License-Identifier: MIT */
/*
 * Random worlds for the walkers: registers and a sparse physical memory. The memory is a hash of
 * the address, biased so that walks go deep and often succeed; each world draws a rate of planted
 * errors. Bits [20:16] of an address tell whether a table (of which stage and level) or data lies
 * there, so that a descriptor suits its place.
 */
#ifndef WALK_WORLD_H
#define WALK_WORLD_H

#include "walk_reference.h"

/* Tables: stage 1 through TTBR0 or TTBR1, stage 2 by VTCR_EL2 or VSTCR_EL2. */
enum { WORLD_TTBR0, WORLD_TTBR1, WORLD_VTTBR, WORLD_VSTTBR, WORLD_TABLES };

struct world_tables {
	unsigned granule, tsz;
	bool ds, high_in_15_12; /* positions of address bits above 47 */
	int level;              /* initial */
	uint64_t base, size;    /* of the initial table */
	uint64_t mask;          /* mask of plausible output addresses */
};

struct world {
	uint64_t seed;
	struct ref_registers reg;
	struct ref_choices choose;
	unsigned granule_option; /* log2 of the granule that replaces a reserved TG, if it exists */
	unsigned security, el;
	bool e2h, has_cas;
	struct world_tables tables[WORLD_TABLES];
	unsigned l0_bits, pgs_bits; /* of the GPT */
	uint64_t l0_base, l0_size, root_mask;
	/* Rates in 1/65536. */
	unsigned invalid, junk, block, too_big, no_af, read_only, ap_table, bad_gpi, aborts, dbm;
	unsigned contiguous_gpt, block_gpt;
};

#define WORLD_OVERLAY 2048
/* A memory of a world: the hash gives its contents, except where it was written. */
struct world_memory {
	const struct world *world;
	unsigned written;
	uint8_t used[WORLD_OVERLAY]; /* a hash table: linear probing, never full */
	struct world_word {
		struct spemu_physical at;
		uint64_t value;
	} word[WORLD_OVERLAY];
};
void world_memory_clear(struct world_memory *memory, const struct world *w);
/* Return true if both memories were written alike. */
bool world_memory_same(const struct world_memory *a, const struct world_memory *b);

uint64_t world_random(uint64_t *state);
void world_make(struct world *w, const struct ref_implemented *has, uint64_t seed);
void world_request(struct ref_request *request, const struct world *w,
                   const struct ref_implemented *has, uint64_t *state);

/* Read for a struct spemu_mmu_memory over a struct world_memory. */
int world_read(void *ctx, uint64_t *value, const struct spemu_physical *at);
int world_compare_and_swap(void *ctx, uint64_t *old, const struct spemu_physical *at,
                           uint64_t expected, uint64_t desired);

#endif
