/* SPDX-License-Identifier: MIT */
/*
 * The reference walk: stage 1, and the complete translation.
 *
 * Arm ARM: DDI 0487 M.a, D8.2 to D8.5, D8.12, D8.15, D17.7.1 to D17.7.3
 */
#include "walk_reference_stage.h"

#include <string.h>

/* Return the Effective value of TCR2_ELx, which is 0 if a higher Exception level has not enabled
 * the register. */
static uint64_t tcr2(const struct walk *w)
{
	const struct ref_registers *r = &w->m->reg;

	if (!w->m->has.tcr2 || (w->m->has.el3 && !bits(r->scr_el3, 43, 43)))
		return 0;
	if (w->q->el == 2)
		return r->tcr2_el2;
	if (reference_el2_enabled(w)) {
		if (!w->m->has.hcx || (w->m->has.el3 && !bits(r->scr_el3, 38, 38)))
			return 0;
		if (!bits(r->hcrx_el2, 14, 14))
			return 0;
	}
	return r->tcr2_el1;
}

static void stage1_of(const struct walk *w, struct stage *s)
{
	const struct ref_registers *r = &w->m->reg;
	uint64_t tcr = w->q->el == 1 ? r->tcr_el1 : r->tcr_el2;

	memset(s, 0, sizeof(*s));
	s->number = 1;
	s->el = w->q->el;
	s->two_ranges = w->q->el == 1 || w->q->e2h;
	s->upper = s->two_ranges && bits(w->q->address, 55, 55);
	s->ttbr_pas = w->q->security;
	if (!s->two_ranges) { /* TCR_EL2 if E2H is 0 */
		s->granule = reference_granule_of_tg0(w, (unsigned)bits(tcr, 15, 14));
		s->tsz = (unsigned)bits(tcr, 5, 0);
		s->ps = (unsigned)bits(tcr, 18, 16);
		s->sh0 = (unsigned)bits(tcr, 13, 12);
		s->tbi = bits(tcr, 20, 20);
		s->ha = w->m->has.hafdbs && bits(tcr, 21, 21);
		s->hd = s->ha && bits(tcr, 22, 22);
		s->hpd = w->m->has.hpds && bits(tcr, 24, 24);
		s->ds = w->m->has.lpa2 && s->granule != KB64 && bits(tcr, 32, 32);
	} else {
		if (!s->upper) {
			s->granule = reference_granule_of_tg0(w, (unsigned)bits(tcr, 15, 14));
			s->tsz = (unsigned)bits(tcr, 5, 0);
			s->epd = bits(tcr, 7, 7);
			s->sh0 = (unsigned)bits(tcr, 13, 12);
			s->tbi = bits(tcr, 37, 37);
			s->hpd = w->m->has.hpds && bits(tcr, 41, 41);
		} else {
			s->granule = reference_granule_of_tg1(w, (unsigned)bits(tcr, 31, 30));
			s->tsz = (unsigned)bits(tcr, 21, 16);
			s->epd = bits(tcr, 23, 23);
			s->sh0 = (unsigned)bits(tcr, 29, 28);
			s->tbi = bits(tcr, 38, 38);
			s->hpd = w->m->has.hpds && bits(tcr, 42, 42);
		}
		s->ps = (unsigned)bits(tcr, 34, 32);
		s->ha = w->m->has.hafdbs && bits(tcr, 39, 39);
		s->hd = s->ha && bits(tcr, 40, 40);
		s->ds = w->m->has.lpa2 && s->granule != KB64 && bits(tcr, 59, 59);
	}
	if (w->q->el == 1) {
		s->ttbr = s->upper ? r->ttbr1_el1 : r->ttbr0_el1;
		s->big_endian = bits(r->sctlr_el1, 25, 25);
	} else {
		s->ttbr = s->upper ? r->ttbr1_el2 : r->ttbr0_el2;
		s->big_endian = bits(r->sctlr_el2, 25, 25);
	}
	s->haft = s->ha && w->m->has.haft && bits(tcr2(w), 11, 11);
	s->aie = w->m->has.aie && bits(tcr2(w), 4, 4);
	if (s->aie) /* RMJGNV */
		s->hpd = true;
	if (reference_emec(w)) {
		if (w->q->el == 1)
			s->walk_mecid = reference_mecid(w, r->vmecid_p_el2);
		else if (!s->two_ranges || bits(r->tcr_el2, 22, 22)) /* RXBDTH: A1 */
			s->walk_mecid = reference_mecid(w, r->mecid_p0_el2);
		else
			s->walk_mecid = reference_mecid(w, r->mecid_p1_el2);
	}
}

/* Return the output space of a descriptor (RWGTQD, RKZLVM, RLXLSC). `table_pas` is the space of the
 * table with the descriptor. */
static unsigned stage1_pas(const struct walk *w, unsigned table_pas, uint64_t descriptor)
{
	bool ns = bits(descriptor, 5, 5);

	switch (w->q->security) {
	case REF_SECURE:
		return table_pas == REF_SECURE && !ns ? REF_SECURE : REF_NON_SECURE;
	case REF_REALM:
		return w->q->el == 2 && ns ? REF_NON_SECURE : REF_REALM;
	default:
		return REF_NON_SECURE;
	}
}

/* Store the MECID according to the tables of D8.12.1.2. Return false for a Translation fault. */
static bool stage1_mecid(const struct walk *w, unsigned *mecid, const struct stage *s, unsigned pas,
                         uint64_t descriptor)
{
	const struct ref_registers *r = &w->m->reg;
	bool amec = bits(descriptor, 63, 63), alternate;

	*mecid = 0;
	if (!reference_emec(w) || pas != REF_REALM)
		return true;
	if (w->q->el == 1) {
		*mecid = reference_mecid(w, r->vmecid_p_el2);
		return true;
	}
	alternate = s->upper ? bits(tcr2(w), 13, 13) : bits(tcr2(w), 12, 12);
	if (amec && !alternate)
		return false;
	if (s->upper)
		*mecid = reference_mecid(w, amec ? r->mecid_a1_el2 : r->mecid_p1_el2);
	else
		*mecid = reference_mecid(w, amec ? r->mecid_a0_el2 : r->mecid_p0_el2);
	return true;
}

static void stage1_attributes(const struct walk *w, struct spemu_memory *memory,
                              const struct stage *s, uint64_t descriptor)
{
	const struct ref_registers *r = &w->m->reg;
	uint64_t mair = w->q->el == 1 ? r->mair_el1 : r->mair_el2;
	uint64_t sctlr = w->q->el == 1 ? r->sctlr_el1 : r->sctlr_el2;
	unsigned n = (unsigned)bits(descriptor, 4, 2);
	unsigned sh = s->ds ? s->sh0 : (unsigned)bits(descriptor, 9, 8);

	if (sh == 1)
		sh = w->m->choose.reserved_sh;
	if (s->aie && bits(descriptor, 59, 59)) /* AttrIndx[3] */
		mair = w->q->el == 1 ? r->mair2_el1 : r->mair2_el2;
	reference_mair(memory, (unsigned)bits(mair, 8 * n + 7, 8 * n), sh, w->m->has.xs,
	               w->m->has.mte2, w->m->choose.reserved_mair);
	if (!bits(sctlr, 2, 2) && memory->type == SPEMU_MEMORY_NORMAL) { /* D7.5.5; XS stays */
		memory->inner = memory->outer = SPEMU_NON_CACHEABLE;
		memory->inner_hints = memory->outer_hints = 0;
		memory->tagged = false;
	}
}

/* Locate a stage 1 descriptor, by a stage 2 translation of its address. */
static bool locate(struct walk *w, struct spemu_physical *at, const struct spemu_physical *ipa,
                   const struct stage *s, bool write, bool initial)
{
	const struct ref_registers *r = &w->m->reg;
	struct input in = {.address = ipa->address, .pas = ipa->pas, .mecid = ipa->mecid};
	struct output out = {0};

	in.memory.type = SPEMU_MEMORY_NORMAL;
	in.on_walk = true;
	in.write = write;
	in.upper = s->upper;
	in.top_level = initial && !write;
	/* At deeper levels, the access would be assured only through a table with MRO permission,
	 * which Direct permissions do not have. */
	in.assured = initial && w->m->has.the &&
	             bits(r->vtcr_el2, s->upper ? 35 : 41, s->upper ? 35 : 41);
	if (w->q->el == 1) {
		if (!reference_translate2(w, &out, &in)) {
			w->a->on_stage1_walk = true;
			return false;
		}
	} else {
		out.address = in.address;
		out.pas = in.pas;
		out.mecid = in.mecid;
	}
	*at = (struct spemu_physical){
	        .address = out.address, .pas = (uint8_t)out.pas, .mecid = (uint16_t)out.mecid};
	return true;
}

static bool translate1(struct walk *w, struct output *out);

static bool leaf1(struct walk *w, struct output *out, const struct stage *s,
                  const struct spemu_physical *ipa, uint64_t descriptor, int level, bool initial,
                  bool read_only)
{
	unsigned low = reference_lookup_of(s->granule, level)->low;
	uint64_t wanted = descriptor;
	struct spemu_physical at;
	bool allowed, again = false;

	out->pas = stage1_pas(w, ipa->pas, descriptor);
	if (!stage1_mecid(w, &out->mecid, s, out->pas, descriptor))
		return reference_fault(w, 1, SPEMU_FT_TRANSLATION, level);
	out->address = reference_descriptor_address(w, s, descriptor, low) |
	               bits(w->q->address, low - 1, 0);
	if (reference_too_large(w, s, out->address))
		return reference_fault(w, 1, SPEMU_FT_ADDRESS_SIZE, level);
	if (!bits(descriptor, 10, 10) && !s->ha)
		return reference_fault(w, 1, SPEMU_FT_ACCESS_FLAG, level);
	/* Tables D8-62 to D8-64, RXZFQH. */
	allowed = !read_only && (!bits(descriptor, 7, 7) || (s->hd && bits(descriptor, 51, 51)));
	if (s->ha && (allowed || w->m->choose.af_with_permission))
		wanted |= UINT64_C(1) << 10;
	if (s->hd && allowed && bits(descriptor, 51, 51))
		wanted &= ~(UINT64_C(1) << 7);
	if (wanted != descriptor) {
		if (!locate(w, &at, ipa, s, true, initial))
			return false;
		if (!reference_update(w, &again, s, level, &at, descriptor, wanted)) {
			if (again && !w->a->gave_up) {
				w->a->kind = SPEMU_FAULT_NONE;
				return translate1(w, out);
			}
			return false;
		}
	}
	if (!allowed)
		return reference_fault(w, 1, SPEMU_FT_PERMISSION, level);
	stage1_attributes(w, &out->memory, s, descriptor);
	out->region_log2 = low;
	out->level = level;
	return true;
}

/* Return true if the address is in the range that the TTBR translates (RVZZSZ). */
static bool in_range(const struct walk *w, const struct stage *s)
{
	unsigned top = s->tbi ? 55 : 63, low = 64 - s->tsz;
	uint64_t above;

	if (low > top)
		return true;
	above = bits(w->q->address, top, low);
	if (s->upper)
		return above == bits(~UINT64_C(0), top, low);
	return above == 0;
}

static bool walk1(struct walk *w, struct output *out, struct stage *s)
{
	struct spemu_physical ipa, at;
	const struct lookup *l;
	uint64_t descriptor, base;
	bool read_only = false, initial = true, again;
	unsigned x, pas = s->ttbr_pas;
	int level;

	w->a->granule1 = s->granule;
	if (!reference_limit_tsz(w, s) || !in_range(w, s) || s->epd ||
	    !reference_initial_level(w, &level, s))
		return reference_fault(w, 1, SPEMU_FT_TRANSLATION, 0);
	l = reference_lookup_of(s->granule, level);
	x = l->x_plus_tsz - s->tsz;
	base = reference_table_base(w, s, x);
	if (reference_too_large(w, s, base))
		return reference_fault(w, 1, SPEMU_FT_ADDRESS_SIZE, 0);
	for (;; level++, initial = false) {
		l = reference_lookup_of(s->granule, level);
		ipa = (struct spemu_physical){
		        .address = base | bits(w->q->address, x + l->low - 4, l->low) << 3,
		        .pas = (uint8_t)pas,
		        .mecid = (uint16_t)s->walk_mecid};
		if (!locate(w, &at, &ipa, s, false, initial) ||
		    !reference_fetch(w, &descriptor, s, level, &at))
			return false;
		switch (reference_descriptor_kind(w, s, descriptor, level)) {
		case INVALID:
			return reference_fault(w, 1, SPEMU_FT_TRANSLATION, level);
		case LEAF:
			return leaf1(w, out, s, &ipa, descriptor, level, initial, read_only);
		case TABLE:
			break;
		}
		base = reference_descriptor_address(w, s, descriptor, s->granule);
		if (reference_too_large(w, s, base))
			return reference_fault(w, 1, SPEMU_FT_ADDRESS_SIZE, level);
		if (s->haft && !bits(descriptor, 10, 10)) {
			if (!locate(w, &at, &ipa, s, true, initial))
				return false;
			if (!reference_update(w, &again, s, level, &at, descriptor,
			                      descriptor | 1 << 10)) {
				if (!again || w->a->gave_up)
					return false;
				return translate1(w, out);
			}
		}
		if (!s->hpd && bits(descriptor, 62, 62)) /* APTable[1] */
			read_only = true;
		if (pas == REF_SECURE && bits(descriptor, 63, 63)) /* NSTable */
			pas = REF_NON_SECURE;
		x = s->granule;
	}
}

/* Return the output address and attributes if stage 1 is disabled (D8.2.12.1). */
static bool disabled1(struct walk *w, struct output *out, const struct stage *s)
{
	unsigned top = s->tbi ? 55 : 63;

	out->address = bits(w->q->address, 55, 0);
	if (bits(w->q->address, top, w->m->has.pa_bits))
		return reference_fault(w, 1, SPEMU_FT_ADDRESS_SIZE, 0);
	if (w->q->el == 1 && reference_default_cacheable(w)) {
		const uint8_t rwa = SPEMU_HINT_READ_ALLOCATE | SPEMU_HINT_WRITE_ALLOCATE;

		out->memory = (struct spemu_memory){.type = SPEMU_MEMORY_NORMAL,
		                                    .inner = SPEMU_WRITE_BACK,
		                                    .outer = SPEMU_WRITE_BACK,
		                                    .inner_hints = rwa,
		                                    .outer_hints = rwa,
		                                    .shareability = SPEMU_NON_SHAREABLE};
		out->memory.tagged = w->m->has.mte2 && bits(w->m->reg.hcr_el2, 57, 57);
		out->memory.xs = !w->m->has.xs;
	} else {
		out->memory = (struct spemu_memory){.type = SPEMU_MEMORY_DEVICE_NGNRNE,
		                                    .shareability = SPEMU_OUTER_SHAREABLE,
		                                    .xs = true};
	}
	return true;
}

/* Return the output of an address that stage 1 does not translate (RQJNFT, RXBFCM). */
static bool untranslated(struct walk *w, struct output *out)
{
	unsigned oamax = w->m->has.lpa || w->m->has.lpa2 ? 51 : 47;
	uint64_t address = w->q->address;

	if (bits(address, 63, oamax + 1) && w->m->choose.high_bits_fault)
		return reference_fault(w, 1, SPEMU_FT_ADDRESS_SIZE, 0);
	if (oamax >= w->m->has.pa_bits && bits(address, oamax, w->m->has.pa_bits))
		return reference_fault(w, 1, SPEMU_FT_ADDRESS_SIZE, 0);
	out->address = bits(address, oamax, 0);
	out->memory = w->q->memory;
	return true;
}

static bool translate1(struct walk *w, struct output *out)
{
	const struct ref_registers *r = &w->m->reg;
	struct stage s;
	bool enabled;

	stage1_of(w, &s);
	if (w->q->el == 1)
		enabled = bits(r->sctlr_el1, 0, 0) && !reference_default_cacheable(w) &&
		          !(reference_el2_enabled(w) && bits(r->hcr_el2, 27, 27));
	else
		enabled = bits(r->sctlr_el2, 0, 0);
	if (w->q->type == SPEMU_ADDRESS_VA && enabled)
		return walk1(w, out, &s);
	out->pas = w->q->security;
	out->region_log2 = 48;
	if (reference_emec(w))
		out->mecid = reference_mecid(w, w->q->el == 1 ? r->vmecid_p_el2 : r->mecid_p0_el2);
	if (w->q->type == SPEMU_ADDRESS_VA)
		return disabled1(w, out, &s);
	return untranslated(w, out);
}

static bool whole(struct walk *w)
{
	struct output s1 = {.level = -9}, s2 = {.level = -9};
	struct ref_result *a = w->a;
	unsigned gpc_region;
	struct input in;

	if (!translate1(w, &s1))
		return false;
	a->leaf1 = s1.level;
	a->stage1 = s1.memory;
	reference_effective_shareability(&a->stage1);
	in = (struct input){.address = s1.address,
	                    .pas = s1.pas,
	                    .mecid = s1.mecid,
	                    .memory = w->m->choose.stage1_outer ? a->stage1 : s1.memory,
	                    .write = true};
	if (!reference_translate2(w, &s2, &in))
		return false;
	a->leaf2 = s2.level;
	a->has_stage2 = reference_stage2_enabled(w);
	a->physical = s2.address;
	a->pas = s2.pas;
	a->mecid = s2.mecid;
	a->memory = s2.memory;
	reference_effective_shareability(&a->memory);
	a->region_log2 = s1.region_log2 < s2.region_log2 ? s1.region_log2 : s2.region_log2;
	switch (reference_gpc(w->m, &gpc_region, a->physical, a->pas, w->q->security)) {
	case REF_GPC_PASS:
		if (gpc_region < a->region_log2)
			a->region_log2 = gpc_region;
		return true;
	case REF_GPC_FAIL:
		return reference_fault(w, 1, SPEMU_FT_GPF, 0);
	default:
		return reference_gpc_fault(w);
	}
}

void reference_translate(const struct ref_machine *m, struct ref_result *result,
                         const struct ref_request *request)
{
	struct walk w = {.m = m, .q = request, .a = result};

	memset(result, 0, sizeof(*result));
	result->leaf1 = result->leaf2 = -9;
	(void)whole(&w);
}
