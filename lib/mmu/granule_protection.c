/* SPDX-License-Identifier: MIT */
/*
 * The Granule Protection Check.
 *
 * Arm ARM:     DDI 0487 M.a, D9 (not D9.3: FEAT_RME_GDI), D24.2 (GPCCR_EL3, GPTBR_EL3, GPCBW_EL3)
 * Pseudocode:  GranuleProtectionCheck(), GPTWalk(), GPCRegistersConsistent(), GPICheck(),
 *              PAWithinGPCBypassWindow()
 */
#include "mmu/mmu.h"

enum { GPT_BLOCK = 1, GPT_TABLE = 3, GPT_CONTIGUOUS = 1 }; /* values of bits [3:0] of an entry */
enum {
	GPI_NONE = 0x0,
	GPI_SECURE = 0x8,
	GPI_NON_SECURE = 0x9,
	GPI_ROOT = 0xa,
	GPI_REALM = 0xb,
	GPI_NON_SECURE_ONLY = 0xd,
	GPI_ANY = 0xf,
};

enum gpc {
	GPC_PASS,
	GPC_GPF,
	GPC_OTHER,
	GPC_EXTERNAL /* External abort on the fetch of an entry */
};

/* Geometry of the Granule Protection Tables from GPCCR_EL3, in log2 of bytes. */
struct gpt {
	unsigned protected_bits, granule, level0_entry;
};

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool bypass_window_is_valid(const struct spemu_pe *pe)
{
	const uint32_t strides = 1u << 0 | 1u << 2 | 1u << 4 | 1u << 6 | 1u << 7 | 1u << 8 |
	                         1u << 9 | 1u << 10 | 1u << 16;
	const unsigned sizes = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 4 | 1u << 6;
	uint64_t address = REG_FIELD(pe, GPCBW_EL3, BWADDR);
	unsigned size = (unsigned)REG_FIELD(pe, GPCBW_EL3, BWSIZE);
	unsigned stride = (unsigned)REG_FIELD(pe, GPCBW_EL3, BWSTRIDE);

	return (sizes >> size & 1) && (strides >> stride & 1) &&
	       BIT64(40 + stride) > address << 30 && (address & (BIT64(size) - 1)) == 0;
}

static bool registers_are_consistent(const struct spemu_pe *pe, struct gpt *g)
{
	static const uint8_t sizes[16] = {32, 36, 40, 42, 44, 48, 52, 56, 46, 47};
	static const uint8_t granules[4] = {12, 16, 14, 0};
	static const enum spemu_feature needs[4] = {SPEMU_FEAT_TGRAN4K, SPEMU_FEAT_TGRAN64K,
	                                            SPEMU_FEAT_TGRAN16K, SPEMU_FEAT_RME};
	unsigned pgs = (unsigned)REG_FIELD(pe, GPCCR_EL3, PGS);
	unsigned pps =
	        (unsigned)(REG_FIELD(pe, GPCCR_EL3, PPS3) << 3 | REG_FIELD(pe, GPCCR_EL3, PPS));
	unsigned l0 = (unsigned)REG_FIELD(pe, GPCCR_EL3, L0GPTSZ);

	if (pps == 7 && !pe_has(pe, SPEMU_FEAT_RME_GPC3))
		return false;
	g->protected_bits = sizes[pps];
	g->granule = granules[pgs];
	g->level0_entry = l0 == 4 ? 34 : l0 == 6 ? 36 : l0 == 9 ? 39 : 30;
	if (REG_FIELD(pe, GPCCR_EL3, GPCBW) && !bypass_window_is_valid(pe))
		return false;
	if (!g->protected_bits || g->protected_bits > spemu__pe_pamax(pe) || !g->granule ||
	    !pe_has(pe, needs[pgs]) || REG_FIELD(pe, GPCCR_EL3, SH) == 1)
		return false;
	/* Non-cacheable tables must be Outer Shareable. */
	return REG_FIELD(pe, GPCCR_EL3, ORGN) || REG_FIELD(pe, GPCCR_EL3, IRGN) ||
	       REG_FIELD(pe, GPCCR_EL3, SH) == SPEMU_OUTER_SHAREABLE;
}

static bool space_is_disabled(const struct spemu_pe *pe, unsigned pas)
{
	switch (pas) {
	case SPEMU_SS_SECURE:
		return REG_FIELD(pe, GPCCR_EL3, SPAD);
	case SPEMU_SS_NON_SECURE:
		return REG_FIELD(pe, GPCCR_EL3, NSPAD);
	case SPEMU_SS_REALM:
		return REG_FIELD(pe, GPCCR_EL3, RLPAD);
	default:
		return false;
	}
}

static bool in_bypass_window(const struct spemu_pe *pe, uint64_t address, uint8_t *region_log2)
{
	unsigned size = (unsigned)REG_FIELD(pe, GPCBW_EL3, BWSIZE);
	unsigned top = 9 + (unsigned)REG_FIELD(pe, GPCBW_EL3, BWSTRIDE);

	if (!REG_FIELD(pe, GPCCR_EL3, GPCBW))
		return false;
	*region_log2 = (uint8_t)smaller(*region_log2, 30 + size);
	return bits_get(address >> 30, top, size) ==
	       bits_get(REG_FIELD(pe, GPCBW_EL3, BWADDR), top, size);
}

static bool gpi_is_valid(const struct spemu_pe *pe, unsigned gpi)
{
	switch (gpi) {
	case GPI_NONE:
	case GPI_NON_SECURE:
	case GPI_ROOT:
	case GPI_REALM:
	case GPI_ANY:
		return true;
	case GPI_SECURE:
		return pe_has(pe, SPEMU_FEAT_SEL2);
	case GPI_NON_SECURE_ONLY:
		return pe_has(pe, SPEMU_FEAT_RME_GPC2) && REG_FIELD(pe, GPCCR_EL3, NSO);
	default:
		return false;
	}
}

static bool gpi_permits(const struct request *r, unsigned gpi, unsigned pas)
{
	if (gpi == GPI_ANY)
		return true;
	if (gpi == GPI_NON_SECURE_ONLY)
		return pas == SPEMU_SS_NON_SECURE && r->security == SPEMU_SS_NON_SECURE;
	return (gpi & 0xc) == 0x8 && (gpi & 3) == pas;
}

static bool read_entry(const struct request *r, uint64_t *entry, uint64_t address)
{
	struct spemu_physical at = {address, SPEMU_SS_ROOT, 0};

	*entry = 0;
	return r->memory->read(r->memory->ctx, entry, &at) == 0;
}

static bool table_is_valid(const struct gpt *g, uint64_t entry)
{
	unsigned align = g->level0_entry - g->granule - 1;

	uint64_t above = g->protected_bits == 56 ? BITMASK(63, 56) : BITMASK(63, 52);

	return (entry & (above | BITMASK(11, 4))) == 0 &&
	       (align <= 12 || (entry & BITMASK(align - 1, 12)) == 0);
}

static bool granules_are_valid(const struct spemu_pe *pe, uint64_t entry)
{
	for (unsigned i = 0; i < 16; i++)
		if (!gpi_is_valid(pe, entry >> (4 * i) & 15))
			return false;
	return true;
}

/* Return the GPI of a level 1 entry, or -1 if the entry is not valid. */
static int level1_gpi(const struct request *r, const struct gpt *g, uint64_t entry,
                      uint64_t address, uint8_t *region_log2)
{
	static const uint8_t contiguous[4] = {0, 21, 25, 29};
	unsigned gpi = entry >> 4 & 15, contig = entry >> 8 & 3;

	if ((entry & 15) == GPT_CONTIGUOUS) {
		if (entry >> 10 || !contig || !gpi_is_valid(r->pe, gpi))
			return -1;
		*region_log2 = (uint8_t)smaller(*region_log2, contiguous[contig]);
		return (int)gpi;
	}
	if (!granules_are_valid(r->pe, entry))
		return -1;
	*region_log2 = (uint8_t)smaller(*region_log2, g->granule);
	return (int)(entry >> (4 * (address >> g->granule & 15)) & 15);
}

static enum gpc walk(const struct request *r, const struct gpt *g, const struct location *at,
                     uint8_t *region_log2)
{
	uint64_t base = (REG_FIELD(r->pe, GPTBR_EL3, BADDR_43_40) << 40 |
	                 REG_FIELD(r->pe, GPTBR_EL3, BADDR))
	                << 12;
	unsigned index_bits =
	        g->protected_bits > g->level0_entry ? g->protected_bits - g->level0_entry : 0;
	uint64_t entry, table,
	        index = at->address >> g->level0_entry; /* the index is in range because the
	                                                   address is below PPS */
	int gpi;

	if (base >> g->protected_bits)
		return GPC_OTHER; /* address size fault */
	/* The base is aligned to the size of the table. */
	base &= ~((BIT64(index_bits) << 3) - 1);
	if (!read_entry(r, &entry, base + index * 8))
		return GPC_EXTERNAL;
	*region_log2 = (uint8_t)smaller(*region_log2, g->level0_entry);
	if ((entry & 15) == GPT_BLOCK) {
		if (entry >> 8 || !gpi_is_valid(r->pe, entry >> 4 & 15))
			return GPC_OTHER;
		return gpi_permits(r, entry >> 4 & 15, at->pas) ? GPC_PASS : GPC_GPF;
	}
	if ((entry & 15) != GPT_TABLE || !table_is_valid(g, entry))
		return GPC_OTHER;
	table = entry & BITMASK(55, 12);
	if (table >> g->protected_bits)
		return GPC_OTHER;
	index = bits_get(at->address, g->level0_entry - 1, g->granule + 4);
	if (!read_entry(r, &entry, table + index * 8))
		return GPC_EXTERNAL;
	gpi = level1_gpi(r, g, entry, at->address, region_log2);
	if (gpi < 0)
		return GPC_OTHER;
	return gpi_permits(r, (unsigned)gpi, at->pas) ? GPC_PASS : GPC_GPF;
}

static enum gpc check(const struct request *r, const struct location *at, uint8_t *region_log2)
{
	const struct spemu_pe *pe = r->pe;
	struct gpt g;

	if (!pe_has(pe, SPEMU_FEAT_RME) || !REG_FIELD(pe, GPCCR_EL3, GPC))
		return GPC_PASS;
	if (!registers_are_consistent(pe, &g))
		return GPC_OTHER;
	if (space_is_disabled(pe, at->pas))
		return GPC_GPF;
	*region_log2 = (uint8_t)smaller(*region_log2, g.protected_bits);
	if (at->address >> g.protected_bits)
		return at->pas == SPEMU_SS_NON_SECURE || REG_FIELD(pe, GPCCR_EL3, APPSAA) ? GPC_PASS
		                                                                          : GPC_GPF;
	if (in_bypass_window(pe, at->address, region_log2))
		return GPC_PASS;
	return walk(r, &g, at, region_log2);
}

int spemu__granule_protection_check(struct request *r, struct location *at, bool stage2,
                                    enum spemu_fault_type type, int level)
{
	enum gpc result = check(r, at, &at->region_log2);

	switch (result) {
	case GPC_PASS:
		return 0;
	case GPC_GPF:
		return spemu__translation_fault(r, stage2, type, level);
	default:
		*r->fault = (struct spemu_fault){.kind = SPEMU_FAULT_GPC,
		                                 .external = result == GPC_EXTERNAL};
		return SPEMU_FAULT_GPC;
	}
}
