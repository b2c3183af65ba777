/* SPDX-License-Identifier: MIT */
/*
 * The reference walk: memory attributes.
 *
 * Arm ARM: DDI 0487 M.a, D24.2 (MAIR_EL1), D8.6 (Tables D8-96 to D8-103), D8.7.4
 */
#include "walk_reference.h"

/* Decode half of MAIR_EL1.Attr<n>, 'oooo' or 'iiii'. */
static void normal_half(uint8_t *cacheability, uint8_t *hints, unsigned half)
{
	unsigned rw = half & 3, allocate = 0;

	if (rw & 1)
		allocate |= SPEMU_HINT_WRITE_ALLOCATE;
	if (rw & 2)
		allocate |= SPEMU_HINT_READ_ALLOCATE;
	switch (half >> 2) {
	case 0: /* 0b00RW, RW != 00 */
		*cacheability = SPEMU_WRITE_THROUGH;
		*hints = (uint8_t)(allocate | SPEMU_HINT_TRANSIENT);
		break;
	case 1:
		if (rw == 0) { /* 0b0100 */
			*cacheability = SPEMU_NON_CACHEABLE;
			*hints = 0;
		} else { /* 0b01RW */
			*cacheability = SPEMU_WRITE_BACK;
			*hints = (uint8_t)(allocate | SPEMU_HINT_TRANSIENT);
		}
		break;
	case 2: /* 0b10RW */
		*cacheability = SPEMU_WRITE_THROUGH;
		*hints = (uint8_t)allocate;
		break;
	default: /* 0b11RW */
		*cacheability = SPEMU_WRITE_BACK;
		*hints = (uint8_t)allocate;
		break;
	}
}

static bool mair_is_reserved(unsigned attr, bool has_xs, bool has_mte2)
{
	if ((attr & 0xf0) == 0)
		return (attr & 2) || ((attr & 1) && !has_xs);
	if (attr & 0x0f)
		return false;
	switch (attr) {
	case 0x40:
	case 0xa0:
		return !has_xs;
	case 0xf0:
		return !has_mte2;
	default:
		return true;
	}
}

void reference_mair(struct spemu_memory *memory, unsigned attr, unsigned sh, bool has_xs,
                    bool has_mte2, unsigned reserved)
{
	static const uint8_t taken_as[3] = {0x00, 0x44, 0xff};

	if (mair_is_reserved(attr, has_xs, has_mte2))
		attr = taken_as[reserved];
	*memory = (struct spemu_memory){.shareability = (uint8_t)sh};
	if ((attr & 0xf0) == 0) { /* 0b0000dd0x */
		memory->type = (uint8_t)((attr >> 2) & 3);
		memory->xs = (attr & 1) == 0;
	} else if ((attr & 0x0f) == 0) {
		memory->type = SPEMU_MEMORY_NORMAL;
		memory->xs = false;
		switch (attr) {
		case 0x40:
			break;
		case 0xa0:
			memory->inner = memory->outer = SPEMU_WRITE_THROUGH;
			memory->inner_hints = memory->outer_hints = SPEMU_HINT_READ_ALLOCATE;
			break;
		case 0xf0:
			memory->inner = memory->outer = SPEMU_WRITE_BACK;
			memory->inner_hints = memory->outer_hints =
			        SPEMU_HINT_READ_ALLOCATE | SPEMU_HINT_WRITE_ALLOCATE;
			memory->tagged = has_mte2;
			break;
		}
	} else {
		memory->type = SPEMU_MEMORY_NORMAL;
		normal_half(&memory->outer, &memory->outer_hints, attr >> 4);
		normal_half(&memory->inner, &memory->inner_hints, attr & 15);
		memory->xs =
		        !(memory->inner == SPEMU_WRITE_BACK && memory->outer == SPEMU_WRITE_BACK);
	}
	if (!has_xs)
		memory->xs = true;
}

/* Replace the Shareability by its Effective value (RPYFVQ). */
void reference_effective_shareability(struct spemu_memory *memory)
{
	if (memory->type != SPEMU_MEMORY_NORMAL ||
	    (memory->inner == SPEMU_NON_CACHEABLE && memory->outer == SPEMU_NON_CACHEABLE))
		memory->shareability = SPEMU_OUTER_SHAREABLE;
}

/* Combine the Shareability of two stages (Table D8-103). */
static uint8_t combine_shareability(unsigned a, unsigned b)
{
	if (a == SPEMU_OUTER_SHAREABLE || b == SPEMU_OUTER_SHAREABLE)
		return SPEMU_OUTER_SHAREABLE;
	if (a == SPEMU_INNER_SHAREABLE || b == SPEMU_INNER_SHAREABLE)
		return SPEMU_INNER_SHAREABLE;
	return SPEMU_NON_SHAREABLE;
}

/* Combine the cacheability of two stages (Table D8-98). The allocation hints are those of stage 1
 * (RWYQVN). */
static void combine_half(uint8_t *cacheability, uint8_t *hints, unsigned s1, unsigned s1_hints,
                         unsigned s2)
{
	if (s1 == SPEMU_NON_CACHEABLE || s2 == SPEMU_NON_CACHEABLE)
		*cacheability = SPEMU_NON_CACHEABLE;
	else if (s1 == SPEMU_WRITE_THROUGH || s2 == SPEMU_WRITE_THROUGH)
		*cacheability = SPEMU_WRITE_THROUGH;
	else
		*cacheability = SPEMU_WRITE_BACK;
	*hints = *cacheability == SPEMU_NON_CACHEABLE ? 0 : (uint8_t)s1_hints;
}

static unsigned s2_half(unsigned two_bits)
{
	switch (two_bits) {
	case 1:
		return SPEMU_NON_CACHEABLE;
	case 2:
		return SPEMU_WRITE_THROUGH;
	default:
		return SPEMU_WRITE_BACK;
	}
}

static void make_device(struct spemu_memory *memory, unsigned device)
{
	memory->type = (uint8_t)device;
	memory->inner = memory->outer = SPEMU_NON_CACHEABLE;
	memory->inner_hints = memory->outer_hints = 0;
}

static void make_non_cacheable(struct spemu_memory *memory)
{
	make_device(memory, SPEMU_MEMORY_NORMAL);
}

/* Combine the attributes of two stages if HCR_EL2.FWB is 0 (Tables D8-96, D8-97, D8-98). */
static void combine_plain(struct spemu_memory *r, const struct spemu_memory *s1,
                          const struct ref_stage2_attributes *s2)
{
	bool s1_device = s1->type != SPEMU_MEMORY_NORMAL;
	bool s2_device = (s2->memattr & 0xc) == 0;

	if (s1_device && s2_device) {
		/* Device types are numbered from the most restrictive on. */
		unsigned device = s2->memattr & 3;

		make_device(r, s1->type < device ? s1->type : device);
	} else if (s1_device) {
		make_device(r, s1->type);
	} else if (s2_device) {
		make_device(r, s2->memattr & 3);
	} else {
		r->type = SPEMU_MEMORY_NORMAL;
		combine_half(&r->outer, &r->outer_hints, s1->outer, s1->outer_hints,
		             s2_half(s2->memattr >> 2));
		combine_half(&r->inner, &r->inner_hints, s1->inner, s1->inner_hints,
		             s2_half(s2->memattr & 3));
	}
}

static void force_half(uint8_t *cacheability, uint8_t *hints, bool s1_cacheable, unsigned s1_hints)
{
	*cacheability = SPEMU_WRITE_BACK;
	*hints = s1_cacheable ? (uint8_t)s1_hints
	                      : SPEMU_HINT_READ_ALLOCATE | SPEMU_HINT_WRITE_ALLOCATE;
}

/* Combine the attributes of two stages if HCR_EL2.FWB is 1 (Tables D8-100, D8-101). */
static void combine_forced(struct spemu_memory *r, const struct spemu_memory *s1,
                           const struct ref_stage2_attributes *s2)
{
	bool s1_device = s1->type != SPEMU_MEMORY_NORMAL;
	unsigned device = s2->memattr & 3;

	*r = *s1;
	if ((s2->memattr & 4) == 0) {
		make_device(r, s1_device && s1->type < device ? s1->type : device);
	} else if (device == 2) { /* Write-Back */
		r->type = SPEMU_MEMORY_NORMAL;
		force_half(&r->inner, &r->inner_hints,
		           !s1_device && s1->inner != SPEMU_NON_CACHEABLE, s1->inner_hints);
		force_half(&r->outer, &r->outer_hints,
		           !s1_device && s1->outer != SPEMU_NON_CACHEABLE, s1->outer_hints);
	} else if (device != 3 && !s1_device) { /* 01: Non-cacheable; 11: as stage 1 */
		make_non_cacheable(r);
	}
}

static bool is_write_back(const struct spemu_memory *memory)
{
	return memory->type == SPEMU_MEMORY_NORMAL && memory->inner == SPEMU_WRITE_BACK &&
	       memory->outer == SPEMU_WRITE_BACK;
}

/* Return the attributes, with a reserved MemAttr replaced by the chosen one. */
static struct ref_stage2_attributes allocated(const struct ref_stage2_attributes *stage2)
{
	static const uint8_t plain[3] = {0x0, 0x5, 0xf}, forced[3] = {0x0, 0x5, 0x7};
	struct ref_stage2_attributes result = *stage2;

	if (stage2->fwb) {
		if ((stage2->memattr & 7) == 4)
			result.memattr = forced[stage2->reserved];
	} else if ((stage2->memattr & 3) == 0 && stage2->memattr != 0) {
		result.memattr = plain[stage2->reserved];
	}
	return result;
}

void reference_combine(struct spemu_memory *memory, const struct spemu_memory *stage1,
                       const struct ref_stage2_attributes *descriptor)
{
	const struct ref_stage2_attributes known = allocated(descriptor), *stage2 = &known;
	const unsigned rwa = SPEMU_HINT_READ_ALLOCATE | SPEMU_HINT_WRITE_ALLOCATE;

	*memory = *stage1;
	if (stage2->fwb)
		combine_forced(memory, stage1, stage2);
	else
		combine_plain(memory, stage1, stage2);
	/* D8.7.4 defines the XS attribute. HCR_EL2.CD does not affect it (D7.5.5). */
	memory->xs = stage1->xs && !stage2->fnxs && !is_write_back(memory);
	if (!stage2->xs)
		memory->xs = true;
	if (stage2->cd && memory->type == SPEMU_MEMORY_NORMAL)
		make_non_cacheable(memory);
	memory->shareability = combine_shareability(stage1->shareability, stage2->shareability);
	reference_effective_shareability(memory);
	memory->tagged = stage1->tagged && is_write_back(memory) && memory->inner_hints == rwa &&
	                 memory->outer_hints == rwa;
}

bool reference_walk_is_device(const struct ref_stage2_attributes *descriptor)
{
	const struct ref_stage2_attributes stage2 = allocated(descriptor);

	if (stage2.fwb)
		return (stage2.memattr & 4) == 0;
	return (stage2.memattr & 0xc) == 0;
}
