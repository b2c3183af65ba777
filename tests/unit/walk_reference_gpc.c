/* SPDX-License-Identifier: MIT */
/*
 * The reference walk: the granule protection check.
 *
 * Arm ARM: DDI 0487 M.a, D9.4 (Table D9-2), D9.6, D9.7, D24.2 (GPCCR_EL3, GPTBR_EL3)
 */
#include "walk_reference.h"

#define bits reference_bits

static unsigned decode_size(unsigned pps)
{
	switch (pps) {
	case 0:
		return 32;
	case 1:
		return 36;
	case 2:
		return 40;
	case 3:
		return 42;
	case 4:
		return 44;
	case 5:
		return 48;
	case 6:
		return 52;
	case 7:
		return 56;
	case 8:
		return 46;
	case 9:
		return 47;
	default:
		return 0; /* reserved */
	}
}

static unsigned decode_granule(unsigned pgs)
{
	switch (pgs) {
	case 0:
		return 12;
	case 1:
		return 16;
	case 2:
		return 14;
	default:
		return 0;
	}
}

static unsigned decode_l0(unsigned l0gptsz)
{
	switch (l0gptsz) {
	case 0:
		return 30;
	case 4:
		return 34;
	case 6:
		return 36;
	case 9:
		return 39;
	default:
		return 0;
	}
}

/* Return true if the GPI value is valid (RGYQGW). */
static bool gpi_valid(const struct ref_machine *m, unsigned gpi)
{
	switch (gpi) {
	case 0x0:
	case 0x9:
	case 0xa:
	case 0xb:
	case 0xf:
		return true;
	case 0x8:
		return m->has.sel2;
	case 0xd:
		return m->has.rme_gpc2 && bits(m->reg.gpccr_el3, 19, 19) == 1;
	default:
		return false;
	}
}

static enum ref_gpc gpi_check(unsigned gpi, unsigned pas, unsigned security)
{
	bool permitted = false;

	switch (gpi) {
	case 0x0:
		break;
	case 0x8:
		permitted = pas == REF_SECURE;
		break;
	case 0x9:
		permitted = pas == REF_NON_SECURE;
		break;
	case 0xa:
		permitted = pas == REF_ROOT;
		break;
	case 0xb:
		permitted = pas == REF_REALM;
		break;
	case 0xd:
		permitted = pas == REF_NON_SECURE &&
		            (security == REF_NON_SECURE || security == REF_ROOT);
		break;
	case 0xf:
		permitted = true;
		break;
	}
	return permitted ? REF_GPC_PASS : REF_GPC_FAIL;
}

static int read_root(const struct ref_machine *m, uint64_t *entry, uint64_t address)
{
	struct spemu_physical at = {.address = address, .pas = REF_ROOT};

	return m->memory.read(m->memory.ctx, entry, &at);
}

static enum ref_gpc level1(const struct ref_machine *m, unsigned *region_log2, uint64_t table,
                           uint64_t address, unsigned pas, unsigned security)
{
	unsigned s = decode_l0((unsigned)bits(m->reg.gpccr_el3, 23, 20));
	unsigned p = decode_granule((unsigned)bits(m->reg.gpccr_el3, 15, 14));
	unsigned i, gpi;
	uint64_t entry;

	if (read_root(m, &entry, table + 8 * bits(address, s - 1, p + 4)))
		return REF_GPC_OTHER;
	if (bits(entry, 3, 0) == 1) { /* Contiguous */
		unsigned contig = (unsigned)bits(entry, 9, 8);

		gpi = (unsigned)bits(entry, 7, 4);
		if (bits(entry, 63, 10) || contig == 0 || !gpi_valid(m, gpi))
			return REF_GPC_OTHER;
		*region_log2 = contig == 1 ? 21 : contig == 2 ? 25 : 29;
		return gpi_check(gpi, pas, security);
	}
	for (i = 0; i < 16; i++) /* Granules: all 16 GPIs must be valid */
		if (!gpi_valid(m, (unsigned)bits(entry, 4 * i + 3, 4 * i)))
			return REF_GPC_OTHER;
	i = (unsigned)bits(address, p + 3, p);
	*region_log2 = p;
	return gpi_check((unsigned)bits(entry, 4 * i + 3, 4 * i), pas, security);
}

/* Return true if the configuration of GPCBW_EL3 is valid (D24.2). */
static bool bypass_valid(const struct ref_machine *m)
{
	unsigned size = (unsigned)bits(m->reg.gpcbw_el3, 39, 37);
	unsigned stride = (unsigned)bits(m->reg.gpcbw_el3, 36, 32);
	uint64_t base = bits(m->reg.gpcbw_el3, 25, 0) << 30;

	switch (size) {
	case 0:
	case 1:
	case 2:
	case 4:
	case 6:
		break;
	default:
		return false;
	}
	switch (stride) {
	case 0:
	case 2:
	case 4:
	case 6:
	case 7:
	case 8:
	case 9:
	case 10:
	case 16:
		break;
	default:
		return false;
	}
	return base >> (40 + stride) == 0 && (size == 0 || bits(base, 29 + size, 30) == 0);
}

static bool in_bypass_window(const struct ref_machine *m, uint64_t address)
{
	unsigned lower = 30 + (unsigned)bits(m->reg.gpcbw_el3, 39, 37);
	unsigned upper = 39 + (unsigned)bits(m->reg.gpcbw_el3, 36, 32);
	uint64_t base = bits(m->reg.gpcbw_el3, 25, 0) << 30;

	return bits(address, upper, lower) == bits(base, upper, lower);
}

enum ref_gpc reference_gpc(const struct ref_machine *m, unsigned *region_log2, uint64_t address,
                           unsigned pas, unsigned security)
{
	uint64_t cr = m->reg.gpccr_el3;
	unsigned t, s, p, x, gpi;
	uint64_t base, entry, index, next;
	bool bypass;

	*region_log2 = 48;
	if (!m->has.rme || bits(cr, 16, 16) == 0)
		return REF_GPC_PASS;
	t = decode_size((unsigned)bits(cr, m->has.rme_gpc3 ? 3 : 2, 0));
	p = decode_granule((unsigned)bits(cr, 15, 14));
	s = decode_l0((unsigned)bits(cr, 23, 20));
	/* Step 1: the configuration is invalid. */
	if (t == 0 || t > m->has.pa_bits || p == 0 || s == 0 || bits(cr, 13, 12) == 1)
		return REF_GPC_OTHER;
	if (bits(cr, 11, 10) == 0 && bits(cr, 9, 8) == 0 && bits(cr, 13, 12) != 2)
		return REF_GPC_OTHER;
	if ((p == 12 && m->has.no_4k) || (p == 14 && m->has.no_16k) || (p == 16 && m->has.no_64k))
		return REF_GPC_OTHER;
	if (!m->has.rme_gpc3 && t == 56)
		return REF_GPC_OTHER;
	bypass = m->has.rme_gpc3 && bits(cr, 29, 29);
	if (bypass && !bypass_valid(m))
		return REF_GPC_OTHER;
	/* Step 2: the PA space is disabled. */
	if (m->has.rme_gpc2 &&
	    ((pas == REF_SECURE && bits(cr, 7, 7)) || (pas == REF_NON_SECURE && bits(cr, 6, 6)) ||
	     (pas == REF_REALM && bits(cr, 5, 5))))
		return REF_GPC_FAIL;
	/* Step 3: the address is above the protected range. */
	if (t < 56 && bits(address, 55, t)) {
		*region_log2 = t;
		if (pas == REF_NON_SECURE || (m->has.rme_gpc2 && bits(cr, 24, 24)))
			return REF_GPC_PASS;
		return REF_GPC_FAIL;
	}
	if (bypass && in_bypass_window(m, address)) {
		*region_log2 = 30 + (unsigned)bits(m->reg.gpcbw_el3, 39, 37);
		return REF_GPC_PASS;
	}
	/* Step 4: the table is above the protected range. */
	base = bits(m->reg.gptbr_el3, m->has.rme_gpc3 ? 43 : 39, 0) << 12;
	if (t < 56 && bits(base, 55, t))
		return REF_GPC_OTHER;
	x = t > s && t - s + 2 > 11 ? t - s + 2 : 11;
	base &= ~((UINT64_C(1) << (x + 1)) - 1);
	/* Steps 5 and 6: level 0. */
	index = t > s ? bits(address, t - 1, s) : 0;
	if (read_root(m, &entry, base + 8 * index))
		return REF_GPC_OTHER;
	switch (bits(entry, 3, 0)) {
	case 1: /* Block */
		gpi = (unsigned)bits(entry, 7, 4);
		if (bits(entry, 63, 8) || !gpi_valid(m, gpi))
			return REF_GPC_OTHER;
		*region_log2 = s;
		return gpi_check(gpi, pas, security);
	case 3: /* Table */
		if (bits(entry, 63, 56) || (t < 56 && bits(entry, 55, 52)) || bits(entry, 11, 4))
			return REF_GPC_OTHER;
		if (s - p - 2 >= 12 && bits(entry, s - p - 2, 12))
			return REF_GPC_OTHER;
		/* Step 7: level 1. */
		next = bits(entry, 55, 12) << 12;
		if (next >> t)
			return REF_GPC_OTHER;
		return level1(m, region_log2, next, address, pas, security);
	default:
		return REF_GPC_OTHER;
	}
}
