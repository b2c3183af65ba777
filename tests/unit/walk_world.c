/* SPDX-License-Identifier: MIT */
/*
 * Random registers for a world. FIELD() takes the positions of fields from arch/sysreg.txt. The
 * reference walk has its own positions, from the pages of D24.2.
 */
#include "field.h"
#include "walk_world.h"

#include <string.h>

#define RES1_31 (UINT64_C(1) << 31) /* in TCR_EL2, VTCR_EL2 and VSTCR_EL2 */
#define HCR_RW (UINT64_C(1) << 31)

static bool chance(uint64_t *state, unsigned percent)
{
	return world_random(state) % 100 < percent;
}

static unsigned below(uint64_t *state, unsigned n)
{
	return (unsigned)(world_random(state) % n);
}

static uint64_t mask_of(unsigned bits)
{
	return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static bool there_is(const struct ref_implemented *has, unsigned granule)
{
	return !(granule == 12 ? has->no_4k : granule == 14 ? has->no_16k : has->no_64k);
}

static unsigned random_granule(const struct ref_implemented *has, uint64_t *r)
{
	unsigned granule;

	do {
		granule = 12 + 2 * below(r, 3);
	} while (!there_is(has, granule));
	return granule;
}

/* Return the number of output address bits that an {I}PS value and the format of the tables
 * allow. */
static unsigned size_of(unsigned ps, const struct ref_implemented *has, unsigned granule, bool ds)
{
	static const unsigned size[8] = {32, 36, 40, 42, 44, 48, 52, 56};
	unsigned most = has->lpa && (granule == 16 || ds) ? 52 : 48, n = size[ps];

	if (n > most)
		n = most;
	return n > has->pa_bits ? has->pa_bits : n;
}

static unsigned random_ps(uint64_t *r)
{
	return chance(r, 75) ? 5 + below(r, 2) : below(r, 8);
}

/* Draw TnSZ of stage 1, in most cases within its limits. */
static unsigned random_tsz(uint64_t *r, const struct ref_implemented *has, unsigned granule,
                           bool ds)
{
	unsigned min = has->lva && (granule == 16 || ds) ? 12 : 16, max = 39;

	if (chance(r, 2))
		return below(r, 64);
	if (has->ttst && chance(r, 30))
		max = granule == 16 ? 47 : 48;
	if (chance(r, 50)) /* then each level is about equally likely */
		max = min + 10;
	return min + below(r, max - min + 1);
}

static uint64_t random_base(uint64_t *r, uint64_t mask, unsigned which, int level)
{
	uint64_t base = world_random(r) & mask & ~UINT64_C(0x1fffff);

	/* Add the code of the table, as in walk_world_memory.c. */
	return base | (uint64_t)(1 + which * 5 + (unsigned)(level + 1)) << 16;
}

static uint64_t ttbr_of(uint64_t base, bool extended)
{
	uint64_t ttbr = base & UINT64_C(0xffffffffffff);

	if (extended)
		ttbr |= base >> 48 << 2;
	return ttbr;
}

/* Return the initial level of a stage 1 walk with these parameters. */
static int initial_level(unsigned granule, unsigned tsz)
{
	int level = 3;

	for (unsigned low = granule + granule - 3; low < 64 - tsz; low += granule - 3)
		level--;
	return level;
}

static bool extended_base(const struct ref_implemented *has, unsigned granule, bool ds, unsigned ps)
{
	return ds || (granule == 16 && ps >= 6 && has->pa_bits >= 52);
}

static uint64_t stage1_ttbr(struct world *w, unsigned which, const struct ref_implemented *has,
                            unsigned ps, uint64_t mask, uint64_t *r)
{
	struct world_tables *t = &w->tables[which];
	uint64_t base;

	t->high_in_15_12 = t->granule == 16 && has->lpa;
	t->mask = mask;
	t->level = initial_level(t->granule, t->tsz);
	base = random_base(r, chance(r, 98) ? mask : mask_of(52), which, t->level);
	return ttbr_of(base, extended_base(has, t->granule, t->ds, ps)) | (world_random(r) & 1);
}

/* Return TG0 for a granule. Sometimes return the reserved value, if it is treated as this
 * granule. */
static unsigned tg0_of(const struct world *w, unsigned granule, uint64_t *r)
{
	if (granule == w->choose.reserved_tg && chance(r, 10))
		return 3;
	return granule == 12 ? 0 : granule == 16 ? 1 : 2;
}

static unsigned tg1_of(const struct world *w, unsigned granule, uint64_t *r)
{
	if (granule == w->choose.reserved_tg && chance(r, 10))
		return 0;
	return granule == 12 ? 2 : granule == 16 ? 3 : 1;
}

static unsigned random_sh(uint64_t *r)
{
	return chance(r, 5) ? 1 : (uint8_t[3]){0, 2, 3}[below(r, 3)];
}

static uint64_t random_mair(const struct ref_implemented *has, bool reserved, uint64_t *r)
{
	uint64_t mair = 0;

	for (unsigned i = 0; i < 8; i++) {
		unsigned attr = below(r, 256);

		if (chance(r, 25))
			attr = 0xff;
		if (reserved && chance(r, 10)) {
			mair |= (uint64_t)attr << (8 * i);
			continue;
		}
		if ((attr & 0xf0) == 0)
			attr &= has->xs ? 0x0d : 0x0c;
		else if ((attr & 15) == 0) {
			static const uint8_t special[3] = {0x40, 0xa0, 0xf0};
			unsigned n = below(r, 3);

			attr = special[n];
			if (n == 2 ? !has->mte2 : !has->xs)
				attr = 0x44;
		}
		mair |= (uint64_t)attr << (8 * i);
	}
	return mair;
}

static uint64_t random_sctlr(uint64_t *r)
{
	uint64_t sctlr = 0;

	sctlr |= FIELD(SCTLR_EL1, M, chance(r, 95));
	sctlr |= FIELD(SCTLR_EL1, C, chance(r, 90));
	sctlr |= FIELD(SCTLR_EL1, EE, chance(r, 10));
	return sctlr;
}

/* Draw TCR_ELx of a regime with two ranges, and draw the TTBRs. */
static uint64_t random_tcr(struct world *w, uint64_t ttbr[2], const struct ref_implemented *has,
                           uint64_t ipa_mask, uint64_t *r)
{
	unsigned ps = random_ps(r);
	bool ds = has->lpa2 && chance(r, 50);
	uint64_t tcr = 0;

	for (unsigned n = 0; n < 2; n++) {
		struct world_tables *t = &w->tables[n];

		t->granule = random_granule(has, r);
		t->ds = ds && t->granule != 16;
		t->tsz = random_tsz(r, has, t->granule, t->ds);
		ttbr[n] = stage1_ttbr(w, n, has, ps,
		                      mask_of(size_of(ps, has, t->granule, t->ds)) & ipa_mask, r);
		tcr |= n ? FIELD(TCR_EL1, T1SZ, t->tsz) : FIELD(TCR_EL1, T0SZ, t->tsz);
		tcr |= (uint64_t)chance(r, 3)
		       << (n ? SPEMU_TCR_EL1_EPD1_LSB : SPEMU_TCR_EL1_EPD0_LSB);
		tcr |= (uint64_t)random_sh(r)
		       << (n ? SPEMU_TCR_EL1_SH1_LSB : SPEMU_TCR_EL1_SH0_LSB);
		tcr |= FIELD(TCR_EL1, TBI0, chance(r, 50)) << n;
		tcr |= FIELD(TCR_EL1, HPD0, chance(r, 30)) << n;
	}
	tcr |= FIELD(TCR_EL1, TG0, tg0_of(w, w->tables[0].granule, r));
	tcr |= FIELD(TCR_EL1, TG1, tg1_of(w, w->tables[1].granule, r));
	tcr |= FIELD(TCR_EL1, IPS, ps);
	tcr |= FIELD(TCR_EL1, A1, chance(r, 50));
	tcr |= FIELD(TCR_EL1, HA, chance(r, 60));
	tcr |= FIELD(TCR_EL1, HD, chance(r, 60));
	tcr |= FIELD(TCR_EL1, DS, ds);
	tcr |= world_random(r) & UINT64_C(0x0f000f00); /* IRGNn, ORGNn */
	return tcr;
}

/* Draw TCR_EL2 for HCR_EL2.E2H 0. */
static uint64_t random_tcr_el2(struct world *w, uint64_t *ttbr, const struct ref_implemented *has,
                               uint64_t *r)
{
	struct world_tables *t = &w->tables[WORLD_TTBR0];
	unsigned ps = random_ps(r);
	bool ds = has->lpa2 && chance(r, 50);
	enum { PS = 16, TBI = 20, HA = 21, HD = 22, HPD = 24, DS = 32 };
	uint64_t tcr = RES1_31 | UINT64_C(1) << 23; /* both RES1 */

	t->granule = random_granule(has, r);
	t->ds = ds && t->granule != 16;
	t->tsz = random_tsz(r, has, t->granule, t->ds);
	*ttbr = stage1_ttbr(w, WORLD_TTBR0, has, ps, mask_of(size_of(ps, has, t->granule, t->ds)),
	                    r);
	tcr |= t->tsz;
	tcr |= FIELD(TCR_EL2, SH0, random_sh(r));
	tcr |= FIELD(TCR_EL2, TG0, tg0_of(w, t->granule, r));
	tcr |= (uint64_t)ps << PS;
	tcr |= (uint64_t)chance(r, 50) << TBI;
	tcr |= (uint64_t)chance(r, 60) << HA;
	tcr |= (uint64_t)chance(r, 60) << HD;
	tcr |= (uint64_t)chance(r, 30) << HPD;
	tcr |= (uint64_t)ds << DS;
	return tcr;
}

static bool agrees(const struct world_tables *t, const struct ref_implemented *has, int level,
                   unsigned tsz, unsigned x)
{
	unsigned stride = t->granule - 3, ia = 64 - tsz;
	bool wide = has->lpa && (t->ds || t->granule == 16);

	if (ia <= x || ia > x + stride + 4 || ia > has->pa_bits || tsz < (wide ? 12u : 16u))
		return false;
	switch (t->granule) {
	case 12:
		return (level > -1 || t->ds) && (level < 3 || has->ttst);
	case 14:
		return level > 0 || (level == 0 && t->ds);
	default:
		return level > 0;
	}
}

/* Draw T0SZ, SL0 and SL2, which agree in most cases. Set the level, T0SZ and the size of the
 * initial table in t. */
static uint64_t random_stage2(struct world_tables *t, const struct ref_implemented *has,
                              uint64_t *r)
{
	static const uint8_t sl_4k[5] = {4, 2, 1, 0, 3}; /* for level -1 to 3 */
	unsigned stride = t->granule - 3, tsz, sl, x;
	int level;

	do {
		level = (int)below(r, 5) - 1;
		x = t->granule + stride * (unsigned)(3 - level); /* IA bits below the level's own */
		tsz = 12 + below(r, has->ttst ? 36 : 28);
		for (unsigned i = 0; i < 40 && !agrees(t, has, level, tsz, x); i++)
			tsz = 12 + below(r, has->ttst ? 36 : 28);
	} while (!agrees(t, has, level, tsz, x) || (chance(r, 70) && tsz > 28));
	t->level = level;
	t->size = UINT64_C(8) << (64 - tsz - x);
	if (chance(r, 2))
		tsz = below(r, 64);
	t->tsz = tsz;
	sl = t->granule == 12 ? sl_4k[level + 1] : (unsigned)(3 - level);
	if (chance(r, 2))
		sl = below(r, 8);
	return FIELD(VTCR_EL2, T0SZ, tsz) | FIELD(VTCR_EL2, SL0, sl & 3) |
	       FIELD(VTCR_EL2, SL2, sl >> 2);
}

static void random_vtcr(struct world *w, const struct ref_implemented *has, uint64_t *r)
{
	unsigned ps = random_ps(r);
	bool ds = has->lpa2 && chance(r, 70);
	uint64_t vtcr = RES1_31;
	uint64_t *ttbr[2] = {&w->reg.vttbr_el2, &w->reg.vsttbr_el2};
	uint64_t value[2];

	for (unsigned n = 0; n < 2; n++) {
		struct world_tables *t = &w->tables[WORLD_VTTBR + n];
		unsigned size;

		t->granule = random_granule(has, r);
		t->ds = ds && t->granule != 16;
		t->high_in_15_12 = t->granule == 16 && has->lpa;
		size = size_of(ps, has, t->granule, t->ds);
		t->mask = mask_of(size);
		value[n] =
		        random_stage2(t, has, r) | FIELD(VTCR_EL2, TG0, tg0_of(w, t->granule, r));
		t->base = random_base(r, chance(r, 98) ? t->mask : mask_of(52), WORLD_VTTBR + n,
		                      t->level);
		if (t->size > 8)
			t->base &= ~(t->size - 1);
		*ttbr[n] = ttbr_of(t->base, extended_base(has, t->granule, t->ds, ps));
	}
	vtcr |= value[0] | FIELD(VTCR_EL2, PS, ps) | FIELD(VTCR_EL2, SH0, random_sh(r)) |
	        FIELD(VTCR_EL2, DS, ds);
	vtcr |= FIELD(VTCR_EL2, HA, chance(r, 60));
	vtcr |= FIELD(VTCR_EL2, HD, chance(r, 60));
	if (has->haft)
		vtcr |= FIELD(VTCR_EL2, HAFT, chance(r, 40));
	if (w->security == REF_SECURE)
		vtcr |= (uint64_t)below(r, 4) << SPEMU_VTCR_EL2_NSW_LSB; /* NSW, NSA */
	if (has->the) {
		vtcr |= FIELD(VTCR_EL2, AssuredOnly, chance(r, 30));
		vtcr |= FIELD(VTCR_EL2, TL1, chance(r, 5));
		vtcr |= FIELD(VTCR_EL2, TL0, chance(r, 5));
	}
	w->reg.vtcr_el2 = vtcr;
	w->reg.vstcr_el2 = value[1] | RES1_31;
	if (chance(r, 50))
		w->reg.vstcr_el2 |= (uint64_t)below(r, 4) << SPEMU_VSTCR_EL2_SW_LSB; /* SW, SA */
}

static void random_bypass(struct world *w, uint64_t *r)
{
	static const uint8_t strides[9] = {0, 2, 4, 6, 7, 8, 9, 10, 16};
	static const uint8_t sizes[5] = {0, 1, 2, 4, 6};
	unsigned size = sizes[below(r, 5)], stride = strides[below(r, 9)];
	uint64_t base = world_random(r) & mask_of(stride < 16 ? 10 + stride : 26) & ~mask_of(size);

	w->reg.gpccr_el3 |= FIELD(GPCCR_EL3, GPCBW, chance(r, 50));
	if (chance(r, 4)) /* PPS3 */
		w->reg.gpccr_el3 |= FIELD(GPCCR_EL3, PPS3, 1);
	w->reg.gpcbw_el3 =
	        FIELD(GPCBW_EL3, BWSIZE, size) | FIELD(GPCBW_EL3, BWSTRIDE, stride) | base;
	if (chance(r, 5))
		w->reg.gpcbw_el3 = world_random(r) & (UINT64_C(0xff) << 32 | mask_of(26));
}

static void random_gpt(struct world *w, const struct ref_implemented *has, uint64_t *r)
{
	static const unsigned size[7] = {32, 36, 40, 42, 44, 48, 52};
	static const unsigned pgs_bits[3] = {12, 16, 14};
	static const uint8_t l0_sizes[4] = {0, 4, 6, 9};
	static const uint8_t l0_bits[4] = {30, 34, 36, 39};
	unsigned pps = 6, pgs = below(r, 3), sh = 2 + below(r, 2);
	unsigned l0 = chance(r, 50) ? 0 : below(r, 4);
	unsigned x;

	while (size[pps] > has->pa_bits)
		pps--;
	if (chance(r, 30))
		pps = below(r, 7);
	if (chance(r, 1))
		sh = 1;
	w->l0_bits = l0_bits[l0];
	w->pgs_bits = pgs_bits[pgs];
	w->reg.gpccr_el3 = pps | FIELD(GPCCR_EL3, SH, sh) | FIELD(GPCCR_EL3, PGS, pgs) |
	                   FIELD(GPCCR_EL3, L0GPTSZ, l0_sizes[l0]);
	if (chance(r, 90))
		w->reg.gpccr_el3 |= FIELD(GPCCR_EL3, IRGN, 1 + below(r, 3)) |
		                    FIELD(GPCCR_EL3, ORGN, below(r, 4));
	w->reg.gpccr_el3 |= FIELD(GPCCR_EL3, GPC, chance(r, 50));
	if (has->rme_gpc2 && chance(r, 30))
		w->reg.gpccr_el3 |= FIELD(GPCCR_EL3, SPAD, chance(r, 5)) |
		                    FIELD(GPCCR_EL3, NSPAD, chance(r, 5)) |
		                    FIELD(GPCCR_EL3, RLPAD, chance(r, 5));
	if (has->rme_gpc2)
		w->reg.gpccr_el3 |= FIELD(GPCCR_EL3, APPSAA, chance(r, 50)) |
		                    FIELD(GPCCR_EL3, NSO, chance(r, 50));
	if (has->rme_gpc3)
		random_bypass(w, r);
	x = size[pps] > w->l0_bits ? size[pps] - w->l0_bits + 3 : 12;
	if (x < 12)
		x = 12;
	w->root_mask = mask_of(size[pps]);
	w->l0_size = UINT64_C(1) << x;
	w->l0_base = world_random(r) & w->root_mask & ~(w->l0_size - 1);
	if (chance(r, 2))
		w->l0_base = world_random(r) & mask_of(52) & ~(w->l0_size - 1);
	w->reg.gptbr_el3 = w->l0_base >> 12;
}

static void random_hcr(struct world *w, const struct ref_implemented *has, uint64_t *r)
{
	uint64_t hcr = HCR_RW;

	hcr |= FIELD(HCR_EL2, VM, chance(r, 80));
	hcr |= FIELD(HCR_EL2, PTW, chance(r, 30));
	hcr |= FIELD(HCR_EL2, DC, chance(r, 6));
	hcr |= FIELD(HCR_EL2, TGE, chance(r, 4));
	hcr |= FIELD(HCR_EL2, CD, chance(r, 8));
	hcr |= FIELD(HCR_EL2, FWB, chance(r, 30));
	hcr |= FIELD(HCR_EL2, DCT, chance(r, 50));
	if (w->el == 2 ? w->e2h : has->vhe && chance(r, 30))
		hcr |= FIELD(HCR_EL2, E2H, 1);
	w->reg.hcr_el2 = hcr;
}

static void random_owner(struct world *w, const struct ref_implemented *has, uint64_t *r)
{
	w->security = REF_NON_SECURE;
	if (chance(r, 35))
		w->security = REF_SECURE;
	if (has->rme && chance(r, 45))
		w->security = REF_REALM;
	w->el = chance(r, 70) ? 1 : 2;
	if (!has->el2 || (w->security == REF_SECURE && !has->sel2))
		w->el = 1;
	w->e2h = w->el == 2 && has->vhe && chance(r, 50);
}

static void random_rates(struct world *w, uint64_t *r)
{
	static const uint16_t rates[4] = {0, 60, 600, 6000};

	w->invalid = rates[below(r, 4)];
	w->junk = chance(r, 70) ? 0 : rates[below(r, 3)];
	w->block = chance(r, 50) ? 2000 : 16000;
	w->too_big = chance(r, 50) ? 0 : rates[below(r, 4)];
	w->no_af = chance(r, 40) ? 0 : rates[below(r, 4)] * 8;
	w->read_only = chance(r, 30) ? 0 : rates[below(r, 4)] * 3;
	w->ap_table = chance(r, 50) ? 0 : rates[below(r, 4)];
	w->bad_gpi = chance(r, 40) ? 0 : rates[below(r, 4)];
	w->aborts = chance(r, 50) ? 0 : rates[1 + below(r, 2)];
	w->dbm = chance(r, 50) ? 16000 : 60000;
	w->contiguous_gpt = chance(r, 50) ? 0 : 16000;
	w->block_gpt = chance(r, 50) ? 3000 : 40000;
	w->has_cas = chance(r, 96);
}

static unsigned granule_of(const struct world *w, const struct ref_implemented *has, uint64_t tcr,
                           unsigned which)
{
	static const uint8_t tg0[4] = {12, 16, 14, 0}, tg1[4] = {0, 14, 12, 16};
	unsigned granule = which == WORLD_TTBR1 ? tg1[tcr >> 30 & 3] : tg0[tcr >> 14 & 3];

	return granule && there_is(has, granule) ? granule : w->choose.reserved_tg;
}

/* Draw random registers, and describe the tables according to their values. */
static void anything(struct world *w, const struct ref_implemented *has, uint64_t *r)
{
	const uint64_t unsupported = UINT64_C(0x27) << 36 | UINT64_C(1) << 45; /* Indirect, D128 */
	uint64_t tcr;

	w->reg.tcr_el1 = world_random(r);
	w->reg.tcr_el2 = world_random(r);
	w->reg.vtcr_el2 = world_random(r) & ~unsupported;
	w->reg.vstcr_el2 = world_random(r);
	w->reg.ttbr0_el1 = world_random(r);
	w->reg.ttbr1_el1 = world_random(r);
	w->reg.ttbr0_el2 = world_random(r);
	w->reg.ttbr1_el2 = world_random(r);
	w->reg.vttbr_el2 = world_random(r);
	w->reg.vsttbr_el2 = world_random(r);
	w->reg.gptbr_el3 = world_random(r);
	w->reg.gpcbw_el3 = world_random(r);
	w->reg.gpccr_el3 =
	        (world_random(r) & ~FIELD(GPCCR_EL3, L0GPTSZ, 15)) | FIELD(GPCCR_EL3, L0GPTSZ, 6);
	w->l0_bits = 36;
	tcr = w->el == 1 ? w->reg.tcr_el1 : w->reg.tcr_el2;
	for (unsigned which = 0; which < WORLD_TABLES; which++) {
		struct world_tables *t = &w->tables[which];
		unsigned ds_bit = w->el == 2 && !w->e2h ? 32 : 59;

		if (which >= WORLD_VTTBR) {
			tcr = which == WORLD_VTTBR ? w->reg.vtcr_el2 : w->reg.vstcr_el2;
			ds_bit = 32;
		}
		t->granule = granule_of(w, has, tcr, which);
		t->tsz = tcr >> (which == WORLD_TTBR1 ? 16 : 0) & 63;
		if (t->tsz == 0)
			t->tsz = 1;
		if (which == WORLD_VSTTBR)
			tcr = w->reg.vtcr_el2;
		t->ds = has->lpa2 && t->granule != 16 && (tcr >> ds_bit & 1);
		t->high_in_15_12 = t->granule == 16 && has->lpa;
		t->size = 0;
	}
}

static void random_choices(struct world *w, const struct ref_implemented *has, uint64_t *r)
{
	unsigned granule = 12 + 2 * below(r, 3);

	w->choose = (struct ref_choices){
	        .tsz_above_faults = chance(r, 50),
	        .tsz_below_faults = chance(r, 50),
	        .reserved_memattr = below(r, 3),
	        .reserved_mair = below(r, 3),
	        .reserved_sh = (unsigned[3]){0, 2, 3}[below(r, 3)],
	        .stage1_outer = true,
	        .af_with_permission = true,
	};
	if (granule == 14 && has->no_16k)
		granule = 12;
	w->granule_option = granule;
	/* Take the next larger granule, or the smallest one after the largest. */
	while (!there_is(has, granule))
		granule = granule == 16 ? 12 : granule + 2;
	w->choose.reserved_tg = granule;
}

void world_make(struct world *w, const struct ref_implemented *has, uint64_t seed)
{
	uint64_t r = seed, *const reg[6] = {&w->reg.mecid_p0_el2, &w->reg.mecid_a0_el2,
	                                    &w->reg.mecid_p1_el2, &w->reg.mecid_a1_el2,
	                                    &w->reg.vmecid_p_el2, &w->reg.vmecid_a_el2};
	uint64_t ttbr[2] = {0, 0}, ipa_mask = ~UINT64_C(0);
	bool stage2;

	memset(w, 0, sizeof(*w));
	w->seed = world_random(&r);
	random_choices(w, has, &r);
	random_owner(w, has, &r);
	random_rates(w, &r);
	random_hcr(w, has, &r);
	w->reg.scr_el3 = FIELD(SCR_EL3, EEL2, chance(&r, 85));
	if (w->el == 2)
		w->reg.scr_el3 |= FIELD(SCR_EL3, EEL2, 1);
	w->reg.scr_el3 |=
	        FIELD(SCR_EL3, TCR2En, chance(&r, 90)) | FIELD(SCR_EL3, SCTLR2En, chance(&r, 90));
	w->reg.scr_el3 |= FIELD(SCR_EL3, HXEn, chance(&r, 90));
	w->reg.scr_el3 |= FIELD(SCR_EL3, MECEn, chance(&r, 90));
	w->reg.scr_el3 |= w->security & 1;
	w->reg.scr_el3 |= FIELD(SCR_EL3, NSE, w->security >> 1);
	random_vtcr(w, has, &r);
	stage2 = w->el == 1 && has->el2 && (w->reg.hcr_el2 & 1);
	if (stage2) {
		ipa_mask = mask_of(64 - w->tables[WORLD_VTTBR].tsz);
		if (w->security == REF_SECURE)
			ipa_mask &= mask_of(64 - w->tables[WORLD_VSTTBR].tsz);
	}
	w->reg.sctlr_el1 = random_sctlr(&r);
	w->reg.sctlr_el2 = random_sctlr(&r);
	w->reg.mair_el1 = random_mair(has, true, &r);
	w->reg.mair_el2 = random_mair(has, true, &r);
	if (w->el == 1) {
		w->reg.tcr_el1 = random_tcr(w, ttbr, has, ipa_mask, &r);
		w->reg.ttbr0_el1 = ttbr[0];
		w->reg.ttbr1_el1 = ttbr[1];
	} else if (w->e2h) {
		w->reg.tcr_el2 = random_tcr(w, ttbr, has, ipa_mask, &r);
	} else {
		w->reg.tcr_el2 = random_tcr_el2(w, ttbr, has, &r);
	}
	if (w->el == 2) {
		w->reg.ttbr0_el2 = ttbr[0];
		w->reg.ttbr1_el2 = ttbr[1];
	}
	w->reg.tcr2_el2 = (uint64_t)below(&r, 4) << SPEMU_TCR2_EL2_AMEC0_LSB; /* AMEC0, AMEC1 */
	w->reg.tcr2_el1 =
	        FIELD(TCR2_EL1, AIE, chance(&r, 30)) | FIELD(TCR2_EL1, HAFT, chance(&r, 40));
	w->reg.tcr2_el2 |=
	        FIELD(TCR2_EL2, AIE, chance(&r, 30)) | FIELD(TCR2_EL2, HAFT, chance(&r, 40));
	w->reg.tcr2_el1 |= chance(&r, 50); /* PnCH: bit [52] is not the Contiguous bit */
	w->reg.tcr2_el2 |= chance(&r, 50);
	w->reg.hcrx_el2 = FIELD(HCRX_EL2, TCR2En, chance(&r, 85));
	w->reg.mair2_el1 = random_mair(has, true, &r);
	w->reg.mair2_el2 = random_mair(has, true, &r);
	w->reg.sctlr2_el2 = FIELD(SCTLR2_EL2, EMEC, chance(&r, 60));
	for (unsigned i = 0; i < 6; i++)
		*reg[i] = world_random(&r) & 0xffff;
	random_gpt(w, has, &r);
	if (chance(&r, 3))
		anything(w, has, &r);
}

void world_request(struct ref_request *request, const struct world *w,
                   const struct ref_implemented *has, uint64_t *r)
{
	bool two = w->el == 1 || w->e2h, upper = two && chance(r, 40);
	const struct world_tables *t = &w->tables[upper ? WORLD_TTBR1 : WORLD_TTBR0];
	uint64_t in = mask_of(64 - t->tsz), address = world_random(r);

	memset(request, 0, sizeof(*request));
	request->el = w->el;
	request->security = w->security;
	request->e2h = w->e2h;
	if (chance(r, 6)) { /* FEAT_SPE_nVM: no VA */
		bool ipa = w->el == 1 && has->el2;

		if (ipa && w->security == REF_SECURE)
			ipa = has->sel2 && (w->reg.scr_el3 >> 18 & 1);
		request->type = ipa ? SPEMU_ADDRESS_IPA : SPEMU_ADDRESS_PA;
		request->address = address & mask_of(has->lpa || has->lpa2 ? 52 : 48);
		if (!chance(r, 15))
			request->address &= mask_of(has->pa_bits) &
			                    (ipa ? w->tables[WORLD_TTBR0].mask : ~UINT64_C(0));
		reference_mair(&request->memory, (unsigned)(random_mair(has, false, r) & 0xff),
		               random_sh(r) | 2, has->xs, has->mte2, 0);
		reference_effective_shareability(&request->memory);
		return;
	}
	request->type = SPEMU_ADDRESS_VA;
	if (!(w->el == 1 ? w->reg.sctlr_el1 & 1 : w->reg.sctlr_el2 & 1) || chance(r, 3))
		address &= mask_of(has->pa_bits) & (chance(r, 50) ? t->mask : ~UINT64_C(0));
	else if (upper)
		address |= ~in;
	else
		address &= in;
	if (chance(r, 10)) /* add a tag */
		address ^= world_random(r) << 56;
	if (chance(r, 1)) /* make the address out of range */
		address ^= UINT64_C(1) << below(r, 64);
	request->address = address;
}
