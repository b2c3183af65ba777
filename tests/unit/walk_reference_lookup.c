/* SPDX-License-Identifier: MIT */
/*
 * The reference walk: lookup levels, table addresses, descriptors and faults.
 *
 * Arm ARM: DDI 0487 M.a, D8.1.7 to D8.1.10, D8.2, D8.3, D8.15
 */
#include "walk_reference_stage.h"

static unsigned reference_fsc(unsigned type, int level)
{
	switch (type) { /* D24.7.5 */
	case SPEMU_FT_ADDRESS_SIZE:
		return level < 0 ? 0x29u : (unsigned)level;
	case SPEMU_FT_TRANSLATION:
		return level < 0 ? 0x2bu : 4u + (unsigned)level;
	case SPEMU_FT_ACCESS_FLAG:
		return 8u + (unsigned)level;
	case SPEMU_FT_PERMISSION:
		return 12u + (unsigned)level;
	case SPEMU_FT_EXTERNAL_ON_WALK:
		return (unsigned)(20 + level);
	case SPEMU_FT_GPF_ON_WALK:
		return (unsigned)(36 + level);
	case SPEMU_FT_GPF:
		return 40;
	default:
		return 49; /* Unsupported atomic hardware update */
	}
}

bool reference_fault(struct walk *w, unsigned stage, unsigned type, int level)
{
	w->a->kind = stage == 2 ? SPEMU_FAULT_STAGE2 : SPEMU_FAULT_STAGE1;
	w->a->type = type;
	w->a->level = level;
	w->a->fsc = reference_fsc(type, level);
	w->a->top_level = w->a->assured_only = false;
	return false;
}

bool reference_gpc_fault(struct walk *w)
{
	w->a->kind = SPEMU_FAULT_GPC;
	return false;
}

/* Return EL2Enabled() for the owning Security state. */
bool reference_el2_enabled(const struct walk *w)
{
	if (!w->m->has.el2)
		return false;
	switch (w->q->security) {
	case REF_SECURE:
		return w->m->has.sel2 && (!w->m->has.el3 || bits(w->m->reg.scr_el3, 18, 18));
	default:
		return true;
	}
}

/* Return true if HCR_EL2.{E2H, TGE} is {1, 1}. Most fields of HCR_EL2 then count as 0. */
static bool host(const struct walk *w)
{
	return w->m->has.vhe && bits(w->m->reg.hcr_el2, 34, 34) && bits(w->m->reg.hcr_el2, 27, 27);
}

bool reference_hcr(const struct walk *w, unsigned bit)
{
	return reference_el2_enabled(w) && !host(w) && bits(w->m->reg.hcr_el2, bit, bit);
}

bool reference_default_cacheable(const struct walk *w)
{
	return reference_hcr(w, 12);
}

bool reference_stage2_enabled(const struct walk *w)
{
	return w->q->el == 1 && (reference_hcr(w, 0) || reference_default_cacheable(w));
}

bool reference_emec(const struct walk *w)
{
	/* SCR_EL3.SCTLR2En, bit [44], enables SCTLR2_EL2. */
	return w->m->has.mec && bits(w->m->reg.scr_el3, 44, 44) &&
	       bits(w->m->reg.sctlr2_el2, 1, 1) && w->q->security == REF_REALM;
}

/* Return the Effective value of a MECID register. If SCR_EL3.MECEn, bit [49], is 0, the value is
 * 0. */
unsigned reference_mecid(const struct walk *w, uint64_t reg)
{
	return bits(w->m->reg.scr_el3, 49, 49) ? (unsigned)reg : 0;
}

/* ------------------------------------------------------------------------------- descriptors */

static uint64_t swapped(uint64_t value, bool swap)
{
	uint64_t result = 0;

	if (!swap)
		return value;
	for (unsigned i = 0; i < 8; i++)
		result |= bits(value, 8 * i + 7, 8 * i) << (56 - 8 * i);
	return result;
}

/* Check the access to a descriptor before the access is made (D8.15.5). */
static bool check_walk(struct walk *w, unsigned stage, int level, const struct spemu_physical *at)
{
	unsigned region;

	switch (reference_gpc(w->m, &region, at->address, at->pas, w->q->security)) {
	case REF_GPC_PASS:
		return true;
	case REF_GPC_FAIL:
		return reference_fault(w, stage, SPEMU_FT_GPF_ON_WALK, level);
	default:
		return reference_gpc_fault(w);
	}
}

bool reference_fetch(struct walk *w, uint64_t *descriptor, const struct stage *s, int level,
                     const struct spemu_physical *at)
{
	if (!check_walk(w, s->number, level, at))
		return false;
	if (w->m->memory.read(w->m->memory.ctx, descriptor, at))
		return reference_fault(w, s->number, SPEMU_FT_EXTERNAL_ON_WALK, level);
	*descriptor = swapped(*descriptor, s->big_endian);
	return true;
}

/* Update a descriptor atomically. If the descriptor has changed in the meantime, set *again, and
 * the caller restarts the walk of the stage. */
bool reference_update(struct walk *w, bool *again, const struct stage *s, int level,
                      const struct spemu_physical *at, uint64_t from, uint64_t to)
{
	const struct spemu_mmu_memory *memory = &w->m->memory;
	uint64_t expected = swapped(from, s->big_endian), old;

	*again = false;
	if (!check_walk(w, s->number, level, at))
		return false;
	if (!memory->compare_and_swap) /* RVSXXT */
		return reference_fault(w, reference_stage2_enabled(w) ? 2 : 1,
		                       SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE, level);
	if (memory->compare_and_swap(memory->ctx, &old, at, expected, swapped(to, s->big_endian)))
		return reference_fault(w, s->number, SPEMU_FT_EXTERNAL_ON_WALK, level);
	if (old != expected && old != swapped(to, s->big_endian)) {
		*again = true;
		if (++w->restarts > 16) {
			w->a->gave_up = true;
			return reference_fault(w, s->number, SPEMU_FT_TRANSLATION, 0);
		}
		return false;
	}
	w->a->updates++;
	return true;
}

static const struct lookup lookups[] = {
        {KB4, -1, 19, 48}, {KB4, 0, 28, 39},  {KB4, 1, 37, 30},  {KB4, 2, 46, 21},
        {KB4, 3, 55, 12},  {KB16, 0, 20, 47}, {KB16, 1, 31, 36}, {KB16, 2, 42, 25},
        {KB16, 3, 53, 14}, {KB64, 1, 25, 42}, {KB64, 2, 38, 29}, {KB64, 3, 51, 16},
};

const struct lookup *reference_lookup_of(unsigned granule, int level)
{
	const struct lookup *l = lookups;

	while (l->granule != granule || l->level != level)
		l++;
	return l;
}

/* Initial levels of stage 1: Tables D8-18, D8-28, D8-37. */
enum need { ALWAYS, NEEDS_DS, NEEDS_TTST, NEEDS_LVA, NEEDS_LPA };
struct initial {
	unsigned granule;
	int level;
	unsigned tsz_min, tsz_max;
	enum need need;
};
static const struct initial stage1_initial[] = {
        {KB4, -1, 12, 15, NEEDS_DS},  {KB4, 0, 16, 24, ALWAYS},      {KB4, 1, 25, 33, ALWAYS},
        {KB4, 2, 34, 39, ALWAYS},     {KB4, 2, 40, 42, NEEDS_TTST},  {KB4, 3, 43, 48, NEEDS_TTST},
        {KB16, 0, 12, 15, NEEDS_DS},  {KB16, 0, 16, 16, ALWAYS},     {KB16, 1, 17, 27, ALWAYS},
        {KB16, 2, 28, 38, ALWAYS},    {KB16, 3, 39, 39, ALWAYS},     {KB16, 3, 40, 48, NEEDS_TTST},
        {KB64, 1, 12, 15, NEEDS_LVA}, {KB64, 1, 16, 21, ALWAYS},     {KB64, 2, 22, 34, ALWAYS},
        {KB64, 3, 35, 39, ALWAYS},    {KB64, 3, 40, 47, NEEDS_TTST},
};
/* Initial levels of stage 2, with concatenated tables: Tables D8-20 to D8-24, D8-30 to D8-33, D8-39
 * to D8-41. */
static const struct initial stage2_initial[] = {
        {KB4, -1, 12, 15, NEEDS_DS},  {KB4, 0, 16, 24, ALWAYS},      {KB4, 0, 12, 15, NEEDS_DS},
        {KB4, 1, 25, 33, ALWAYS},     {KB4, 1, 21, 24, ALWAYS},      {KB4, 2, 40, 42, NEEDS_TTST},
        {KB4, 2, 34, 39, ALWAYS},     {KB4, 2, 30, 33, ALWAYS},      {KB4, 3, 43, 48, NEEDS_TTST},
        {KB4, 3, 39, 42, NEEDS_TTST}, {KB16, 0, 12, 16, NEEDS_DS},   {KB16, 1, 17, 27, ALWAYS},
        {KB16, 1, 16, 16, ALWAYS},    {KB16, 1, 13, 15, NEEDS_DS},   {KB16, 2, 28, 38, ALWAYS},
        {KB16, 2, 24, 27, ALWAYS},    {KB16, 3, 40, 48, NEEDS_TTST}, {KB16, 3, 39, 39, ALWAYS},
        {KB16, 3, 35, 38, ALWAYS},    {KB64, 1, 12, 15, NEEDS_LPA},  {KB64, 1, 16, 21, ALWAYS},
        {KB64, 2, 22, 34, ALWAYS},    {KB64, 2, 18, 21, ALWAYS},     {KB64, 3, 40, 47, NEEDS_TTST},
        {KB64, 3, 35, 39, ALWAYS},    {KB64, 3, 31, 34, ALWAYS},
};

static bool met(const struct walk *w, const struct stage *s, enum need need)
{
	switch (need) {
	case NEEDS_DS:
		return s->ds;
	case NEEDS_TTST:
		return w->m->has.ttst;
	case NEEDS_LVA:
		return w->m->has.lva;
	case NEEDS_LPA:
		return w->m->has.lpa;
	default:
		return true;
	}
}

/* Store the initial level that SL selects (Tables D8-19, D8-29, D8-38 and D8-9). Return false if SL
 * is reserved. */
static bool stage2_level(const struct walk *w, int *level, const struct stage *s)
{
	unsigned pa = w->m->has.pa_bits;

	switch (s->granule) {
	case KB4:
		switch (s->sl) { /* SL2:SL0 */
		case 0:
			*level = 2;
			return true;
		case 1:
			*level = 1;
			return true;
		case 2:
			*level = 0;
			return pa >= 44;
		case 3:
			*level = 3;
			return w->m->has.ttst;
		case 4:
			*level = -1;
			return pa >= 52;
		default:
			return false;
		}
	case KB16:
		switch (s->sl & 3) {
		case 0:
			*level = 3;
			return true;
		case 1:
			*level = 2;
			return true;
		case 2:
			*level = 1;
			return pa >= 42;
		default:
			*level = 0;
			return s->ds && pa >= 52;
		}
	default:
		switch (s->sl & 3) {
		case 0:
			*level = 3;
			return true;
		case 1:
			*level = 2;
			return true;
		case 2:
			*level = 1;
			return pa >= 44;
		default:
			return false;
		}
	}
}

bool reference_initial_level(const struct walk *w, int *level, const struct stage *s)
{
	const struct initial *row = s->number == 1 ? stage1_initial : stage2_initial;
	unsigned rows = s->number == 1 ? sizeof(stage1_initial) / sizeof(*row)
	                               : sizeof(stage2_initial) / sizeof(*row);
	int wanted = 0;

	if (s->number == 2 && !stage2_level(w, &wanted, s))
		return false;
	for (; rows; rows--, row++) {
		if (row->granule != s->granule || s->tsz < row->tsz_min || s->tsz > row->tsz_max)
			continue;
		if (s->number == 2 && row->level != wanted)
			continue;
		if (!met(w, s, row->need))
			continue;
		*level = row->level;
		return true;
	}
	return false;
}

/* Limit TnSZ (Tables D8-7 and D8-8, RGTJBY). Return false if a value out of the limits causes a
 * fault. */
bool reference_limit_tsz(const struct walk *w, struct stage *s)
{
	const struct ref_implemented *has = &w->m->has;
	bool wide = s->granule == KB64 || s->ds;
	unsigned max = 39, min = 16;
	bool below_faults;

	if (has->ttst)
		max = s->granule == KB64 ? 47 : 48;
	if (s->number == 1) {
		if (wide && has->lva)
			min = 12;
		below_faults = has->lva || w->m->choose.tsz_below_faults;
	} else {
		unsigned pa = has->pa_bits > 52 ? 52 : has->pa_bits;

		min = 64 - pa;
		if (pa == 52 && !wide)
			min = 16;
		below_faults = has->lpa || w->m->choose.tsz_below_faults;
	}
	if (s->tsz < min) {
		if (below_faults)
			return false;
		s->tsz = min;
	} else if (s->tsz > max) {
		if (w->m->choose.tsz_above_faults)
			return false;
		s->tsz = max;
	}
	return true;
}

/* Return the size of output addresses in bits (Table D8-6, RQQQSJ, RCLPQT). */
static unsigned oa_bits(const struct walk *w, const struct stage *s)
{
	static const unsigned size[8] = {32, 36, 40, 42, 44, 48, 52, 56};
	unsigned result = size[s->ps], most = 48;

	if (w->m->has.lpa && (s->granule == KB64 || s->ds))
		most = 52;
	if (result > most)
		result = most;
	if (result > w->m->has.pa_bits)
		result = w->m->has.pa_bits;
	return result;
}

bool reference_too_large(const struct walk *w, const struct stage *s, uint64_t address)
{
	return bits(address, 55, oa_bits(w, s)) != 0;
}

/* Return the address of the initial table (D24.2, TTBR0_EL1.BADDR). x is the log2 of the size of
 * the table. */
uint64_t reference_table_base(const struct walk *w, const struct stage *s, unsigned x)
{
	bool extended = s->ds;
	uint64_t base;

	if (s->granule == KB64 && s->ps >= 6)
		extended = w->m->has.pa_bits >= 52 || w->m->choose.baddr_extended;
	if (extended && x < 6)
		x = 6;
	base = bits(s->ttbr, 47, x) << x;
	if (extended)
		base |= bits(s->ttbr, 5, 2) << 48;
	return base;
}

/* Return the address in a descriptor (Tables D8-50 to D8-53). `low` is its lowest bit. */
uint64_t reference_descriptor_address(const struct walk *w, const struct stage *s,
                                      uint64_t descriptor, unsigned low)
{
	uint64_t address = bits(descriptor, 47, low) << low;

	switch (s->granule) {
	case KB64:
		if (w->m->has.lpa || w->m->choose.res0_address_faults)
			address |= bits(descriptor, 15, 12) << 48;
		break;
	default:
		if (s->ds)
			address |= bits(descriptor, 9, 8) << 50 | bits(descriptor, 49, 48) << 48;
		break;
	}
	return address;
}

/* Return the kind of a descriptor (Table D8-48). Tables D8-16, D8-26 and D8-35 list the levels that
 * can have a Block. */
enum kind reference_descriptor_kind(const struct walk *w, const struct stage *s,
                                    uint64_t descriptor, int level)
{
	if (bits(descriptor, 0, 0) == 0)
		return INVALID;
	if (level == 3)
		return bits(descriptor, 1, 1) ? LEAF : INVALID;
	if (bits(descriptor, 1, 1))
		return TABLE;
	switch (s->granule) {
	case KB4:
		if (level == -1)
			return INVALID;
		return level == 0 && !s->ds ? INVALID : LEAF;
	case KB16:
		if (level == 0)
			return INVALID;
		return level == 1 && !s->ds ? INVALID : LEAF;
	default:
		return level == 1 && !w->m->has.lpa ? INVALID : LEAF;
	}
}

static unsigned granule_there_is(const struct walk *w, unsigned granule)
{
	if ((granule == KB4 && w->m->has.no_4k) || (granule == KB16 && w->m->has.no_16k) ||
	    (granule == KB64 && w->m->has.no_64k))
		return w->m->choose.reserved_tg;
	return granule;
}

unsigned reference_granule_of_tg0(const struct walk *w, unsigned tg)
{
	switch (tg) {
	case 0:
		return granule_there_is(w, KB4);
	case 1:
		return granule_there_is(w, KB64);
	case 2:
		return granule_there_is(w, KB16);
	default:
		return w->m->choose.reserved_tg;
	}
}

unsigned reference_granule_of_tg1(const struct walk *w, unsigned tg)
{
	switch (tg) {
	case 1:
		return granule_there_is(w, KB16);
	case 2:
		return granule_there_is(w, KB4);
	case 3:
		return granule_there_is(w, KB64);
	default:
		return w->m->choose.reserved_tg;
	}
}
