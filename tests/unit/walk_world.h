/* SPDX-License-Identifier: MIT */
/*
 * Random worlds for the walkers: registers and a sparse physical memory.
 *
 * The contents of the memory are a hash of the address, biased so that walks go deep and often
 * succeed. Each world draws a rate of errors. Bits [20:16] of an address say whether data or a
 * table is there, and for a table, its stage and level. So each descriptor suits its place.
 */
#ifndef WALK_WORLD_H
#define WALK_WORLD_H

#include "walk_reference.h"

/* The tables of stage 1 through TTBR0 or TTBR1, and of stage 2 through VTTBR or VSTTBR. */
enum { WORLD_TTBR0, WORLD_TTBR1, WORLD_VTTBR, WORLD_VSTTBR, WORLD_TABLES };

struct world_tables {
	unsigned granule, tsz;
	bool ds, high_in_15_12; /* positions of the address bits above 47 */
	int level;              /* initial level */
	uint64_t base, size;    /* base and size of the initial table */
	uint64_t mask;          /* mask of plausible output addresses */
};

struct world {
	uint64_t seed;
	struct ref_registers reg;
	struct ref_choices choose;
	/* Log2 of the granule that replaces a reserved TG, if implemented. */
	unsigned granule_option;
	unsigned security, el;
	bool e2h, has_cas;
	struct world_tables tables[WORLD_TABLES];
	unsigned l0_bits, pgs_bits; /* sizes in GPCCR_EL3 */
	uint64_t l0_base, l0_size, root_mask;
	/* Rates, in units of 1/65536. */
	unsigned invalid, junk, block, too_big, no_af, read_only, ap_table, bad_gpi, aborts, dbm;
	unsigned contiguous_gpt, block_gpt;
};

#define WORLD_OVERLAY 2048
/* One memory of a world. The hash gives its contents, except for words that were written. */
struct world_memory {
	const struct world *world;
	unsigned written;
	uint8_t used[WORLD_OVERLAY]; /* hash table with linear probing; never full */
	struct world_word {
		struct spemu_physical at;
		uint64_t value;
	} word[WORLD_OVERLAY];
};
void world_memory_clear(struct world_memory *memory, const struct world *w);
/* Return true if the same words were written in both memories. */
bool world_memory_same(const struct world_memory *a, const struct world_memory *b);

uint64_t world_random(uint64_t *state);
void world_make(struct world *w, const struct ref_implemented *has, uint64_t seed);
void world_request(struct ref_request *request, const struct world *w,
                   const struct ref_implemented *has, uint64_t *state);

/* The read function of a struct spemu_mmu_memory. The context is a struct world_memory. */
int world_read(void *ctx, uint64_t *value, const struct spemu_physical *at);
int world_compare_and_swap(void *ctx, uint64_t *old, const struct spemu_physical *at,
                           uint64_t expected, uint64_t desired);

#endif
