/* SPDX-License-Identifier: MIT */
/*
 * Translation table descriptors: their addresses, their output addresses, and reading and updating
 * them.
 *
 * Arm ARM:     DDI 0487 M.a, D8.2 (walk), D8.3 (formats), D8.15 (faults), D8.17 (nT)
 * Pseudocode:  AArch64.DecodeDescriptorType(), AArch64.BlockDescSupported(), AArch64.S1LeafBase(),
 *              AArch64.NextTableBase(), AArch64.S1TTBaseAddress(), AArch64.S2TTBaseAddress(),
 *              AArch64.S1TTEntryAddress(), AArch64.S2SLTTEntryAddress(), AArch64.OAOutOfRange(),
 *              FetchDescriptor(), AArch64.MemSwapTableDesc()
 * Choices:     no-translation-bit. Bits of a table base below its alignment are taken as 0; the
 *              Contiguous bit is taken as 0
 */
#include "mmu/mmu.h"

enum { UPDATES_MAX = 64 };

int spemu__translation_fault(struct request *r, bool stage2, enum spemu_fault_type type, int level)
{
	*r->fault = (struct spemu_fault){.kind = stage2 ? SPEMU_FAULT_STAGE2 : SPEMU_FAULT_STAGE1,
	                                 .fsc = (uint8_t)spemu_fsc(type, level)};
	return r->fault->kind;
}

unsigned spemu__level_shift(const struct format *f, int level)
{
	return f->granule_log2 + (f->granule_log2 - 3u) * (unsigned)(FINAL_LEVEL - level);
}

static bool block_is_supported(const struct request *r, const struct format *f, int level)
{
	switch (f->granule_log2) {
	case 12:
		return level == 1 || level == 2 || (level == 0 && f->ds);
	case 14:
		return level == 2 || (level == 1 && f->ds);
	default:
		return level == 2 || (level == 1 && spemu__pe_pamax(r->pe) >= 52);
	}
}

enum desc_kind spemu__descriptor_kind(const struct request *r, const struct format *f,
                                      uint64_t desc, int level)
{
	if (!bit_is_set(desc, DESC_VALID))
		return DESC_KIND_INVALID;
	if (bit_is_set(desc, DESC_TABLE))
		return level == FINAL_LEVEL ? DESC_KIND_LEAF : DESC_KIND_TABLE;
	return block_is_supported(r, f, level) ? DESC_KIND_LEAF : DESC_KIND_INVALID;
}

/* Return bits [51:48] of the address in a descriptor. */
static uint64_t high_bits(const struct request *r, const struct format *f, uint64_t desc)
{
	if (f->granule_log2 == 16)
		return spemu__pe_pamax(r->pe) >= 52 ? bits_get(desc, 15, 12) << 48 : 0;
	return f->ds ? bits_get(desc, 9, 8) << 50 | bits_get(desc, 49, 48) << 48 : 0;
}

uint64_t spemu__leaf_base(const struct request *r, const struct format *f, uint64_t desc, int level)
{
	return (desc & BITMASK(47, spemu__level_shift(f, level))) | high_bits(r, f, desc);
}

uint64_t spemu__next_table(const struct request *r, const struct format *f, uint64_t desc)
{
	return (desc & BITMASK(47, f->granule_log2)) | high_bits(r, f, desc);
}

uint64_t spemu__first_table(const struct format *f, uint64_t ttbr, int start_level)
{
	unsigned size_log2 = f->input_bits - spemu__level_shift(f, start_level) + 3;
	uint64_t base = ttbr & BITMASK(47, 1);

	if (f->base_52) {
		if (size_log2 < 6)
			size_log2 = 6;
		base = bits_get(ttbr, 5, 2) << 48 | (ttbr & BITMASK(47, 6));
	}
	return base & ~BITMASK(size_log2 - 1, 0);
}

uint64_t spemu__entry_address(const struct format *f, uint64_t table, uint64_t input, int level,
                              bool start)
{
	unsigned low = spemu__level_shift(f, level);
	unsigned high = start ? f->input_bits - 1u : low + f->granule_log2 - 3u - 1u;

	return table | bits_get(input, high, low) << 3;
}

bool spemu__output_out_of_range(const struct format *f, uint64_t address)
{
	return address >> f->output_bits != 0;
}

uint8_t spemu__leaf_region_log2(const struct format *f, int level)
{
	unsigned size = spemu__level_shift(f, level);

	return size < f->output_bits ? (uint8_t)size : f->output_bits;
}

/* Return true if the nT bit of a Block descriptor causes a fault (nTFaults()). */
static bool block_faults(const struct request *r, uint64_t desc, int level)
{
	return level < FINAL_LEVEL && pe_has(r->pe, SPEMU_FEAT_BBML1) &&
	       bit_is_set(desc, DESC_NT) &&
	       pe_choice(r->pe, SPEMU_CHOICE_NO_TRANSLATION_BIT) == SPEMU_NO_TRANSLATION_BIT_FAULT;
}

int spemu__check_leaf(struct request *r, const struct format *f, uint64_t desc, uint64_t address,
                      int level)
{
	if (block_faults(r, desc, level))
		return spemu__translation_fault(r, f->stage2, SPEMU_FT_TRANSLATION, level);
	if (spemu__output_out_of_range(f, address))
		return spemu__translation_fault(r, f->stage2, SPEMU_FT_ADDRESS_SIZE, level);
	if (!bit_is_set(desc, DESC_AF) && !f->ha)
		return spemu__translation_fault(r, f->stage2, SPEMU_FT_ACCESS_FLAG, level);
	return 0;
}

/* Do the Granule Protection Check of the location of a descriptor. */
static int check_location(struct request *r, const struct format *f, const struct location *at,
                          int level)
{
	struct location checked = *at;

	return spemu__granule_protection_check(r, &checked, f->stage2, SPEMU_FT_GPF_ON_WALK, level);
}

static struct spemu_physical physical(const struct location *at)
{
	return (struct spemu_physical){at->address, at->pas, at->mecid};
}

int spemu__fetch_descriptor(struct request *r, uint64_t *desc, const struct format *f,
                            const struct location *at, int level)
{
	struct spemu_physical where = physical(at);
	int status = check_location(r, f, at, level);

	*desc = 0;
	if (status)
		return status;
	if (r->memory->read(r->memory->ctx, desc, &where))
		return spemu__translation_fault(r, f->stage2, SPEMU_FT_EXTERNAL_ON_WALK, level);
	if (f->big_endian)
		*desc = __builtin_bswap64(*desc);
	return 0;
}

int spemu__update_descriptor(struct request *r, const struct format *f, const struct location *at,
                             uint64_t old, uint64_t desired, int level)
{
	struct spemu_physical where = physical(at);
	uint64_t expected = f->big_endian ? __builtin_bswap64(old) : old, found = ~expected;
	int status = check_location(r, f, at, level);

	if (status)
		return status;
	/* After too many changes by other observers, the location counts as not atomically
	 * updatable. */
	if (!r->memory->compare_and_swap || r->updates++ >= UPDATES_MAX)
		return spemu__translation_fault(r, spemu__stage2_takes_part(r),
		                                SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE,
		                                level); /* RVSXXT */
	if (r->memory->compare_and_swap(r->memory->ctx, &found, &where, expected,
	                                f->big_endian ? __builtin_bswap64(desired) : desired))
		return spemu__translation_fault(r, f->stage2, SPEMU_FT_EXTERNAL_ON_WALK, level);
	return found == expected ? 0 : UPDATE_RACED;
}
