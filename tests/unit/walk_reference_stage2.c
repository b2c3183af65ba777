/* SPDX-License-Identifier: MIT */
/*
 * The reference walk: stage 2.
 *
 * Arm ARM: DDI 0487 M.a, D8.2.7, D8.2.8 to D8.2.10, D8.3 (Table D8-53), D8.4.2, D8.5, D8.12.1.3,
 * D8.15
 */
#include "walk_reference_stage.h"

#include <string.h>

static void stage2_of(const struct walk *w, struct stage *s, unsigned ipa_pas)
{
	const struct ref_registers *r = &w->m->reg;
	bool secure = w->q->security == REF_SECURE && ipa_pas == REF_SECURE;
	uint64_t control = secure ? r->vstcr_el2 : r->vtcr_el2;

	memset(s, 0, sizeof(*s));
	s->number = 2;
	s->el = 1;
	s->granule = reference_granule_of_tg0(w, (unsigned)bits(control, 15, 14));
	s->tsz = (unsigned)bits(control, 5, 0);
	s->ps = (unsigned)bits(r->vtcr_el2, 18, 16);
	s->sh0 = (unsigned)bits(r->vtcr_el2, 13, 12);
	s->ds = w->m->has.lpa2 && s->granule != KB64 && bits(r->vtcr_el2, 32, 32);
	s->sl = (unsigned)bits(control, 7, 6);
	if (s->ds && s->granule == KB4)
		s->sl |= (unsigned)bits(control, 33, 33) << 2;
	s->ha = w->m->has.hafdbs && bits(r->vtcr_el2, 21, 21);
	s->hd = s->ha && bits(r->vtcr_el2, 22, 22);
	s->haft = s->ha && w->m->has.haft && bits(r->vtcr_el2, 44, 44);
	s->big_endian = bits(r->sctlr_el2, 25, 25);
	s->ttbr = secure ? r->vsttbr_el2 : r->vttbr_el2;
	s->ttbr_pas = w->q->security;
	if (w->q->security == REF_SECURE) { /* IVRNWF: VSTCR_EL2.SW, VTCR_EL2.NSW */
		if (secure ? bits(r->vstcr_el2, 29, 29) : bits(r->vtcr_el2, 29, 29))
			s->ttbr_pas = REF_NON_SECURE;
	}
	s->walk_mecid = reference_emec(w) ? reference_mecid(w, r->vmecid_p_el2) : 0;
}

/* Return the output space of a descriptor: IKXGHL, and RLXLSC for Realm state. */
static unsigned stage2_pas(const struct walk *w, unsigned ipa_pas, uint64_t descriptor)
{
	const struct ref_registers *r = &w->m->reg;
	bool sw = bits(r->vstcr_el2, 29, 29), sa = bits(r->vstcr_el2, 30, 30) || sw;
	bool nsw = bits(r->vtcr_el2, 29, 29), nsa = bits(r->vtcr_el2, 30, 30) || nsw || sa;

	switch (w->q->security) {
	case REF_SECURE:
		if (ipa_pas == REF_SECURE)
			return sa ? REF_NON_SECURE : REF_SECURE;
		return nsa ? REF_NON_SECURE : REF_SECURE;
	case REF_REALM:
		return bits(descriptor, 55, 55) ? REF_NON_SECURE : REF_REALM;
	default:
		return REF_NON_SECURE;
	}
}

static void stage2_attributes(const struct walk *w, struct ref_stage2_attributes *attributes,
                              const struct stage *s, uint64_t descriptor)
{
	*attributes = (struct ref_stage2_attributes){
	        .fwb = w->m->has.s2fwb && bits(w->m->reg.hcr_el2, 46, 46),
	        .cd = reference_hcr(w, 32),
	        .xs = w->m->has.xs,
	        .mte2 = w->m->has.mte2,
	        .memattr = (unsigned)bits(descriptor, 5, 2),
	        .shareability = s->ds ? s->sh0 : (unsigned)bits(descriptor, 9, 8),
	        .reserved = w->m->choose.reserved_memattr,
	        .fnxs = w->m->has.xs && bits(descriptor, 11, 11),
	};
	if (attributes->shareability == 1)
		attributes->shareability = w->m->choose.reserved_sh;
}

/* Return true if the descriptor permits the access (RLTQNW). With Direct permissions, TopLevel0 and
 * TopLevel1 are 0, and MRO does not occur. */
static bool permitted2(struct walk *w, const struct input *in, const struct stage *s,
                       uint64_t descriptor, bool device, unsigned pas, int level)
{
	const struct ref_registers *r = &w->m->reg;
	bool tl0 = w->m->has.the && bits(r->vtcr_el2, 41, 41);
	bool tl1 = w->m->has.the && bits(r->vtcr_el2, 35, 35);
	bool assured_only = w->m->has.the && bits(r->vtcr_el2, 34, 34) && bits(descriptor, 58, 58);
	bool writable = bits(descriptor, 7, 7) || (s->hd && bits(descriptor, 51, 51));
	bool readable = bits(descriptor, 6, 6);

	if (in->on_walk && in->top_level && (in->upper ? tl1 : tl0)) { /* Tables D8-14, D8-15 */
		(void)reference_fault(w, 2, SPEMU_FT_PERMISSION, level);
		w->a->top_level = true;
		return false;
	}
	if (assured_only && !in->assured) { /* RWWYDL */
		(void)reference_fault(w, 2, SPEMU_FT_PERMISSION, level);
		w->a->assured_only = true;
		return false;
	}
	if (in->on_walk) {
		bool ptw = bits(r->hcr_el2, 2, 2) && !bits(r->hcr_el2, 27, 27);

		if ((device && ptw) || !readable || (in->write && !writable))
			return reference_fault(w, 2, SPEMU_FT_PERMISSION, level);
		if (w->q->security == REF_REALM && pas != REF_REALM) /* RQMLYQ */
			return reference_fault(w, 2, SPEMU_FT_PERMISSION, level);
		return true;
	}
	if (!writable)
		return reference_fault(w, 2, SPEMU_FT_PERMISSION, level);
	return true;
}

static bool leaf2(struct walk *w, struct output *out, const struct input *in, const struct stage *s,
                  const struct spemu_physical *at, uint64_t descriptor, int level)
{
	unsigned low = reference_lookup_of(s->granule, level)->low;
	struct ref_stage2_attributes attributes;
	uint64_t wanted = descriptor;
	bool allowed, again;

	out->address =
	        reference_descriptor_address(w, s, descriptor, low) | bits(in->address, low - 1, 0);
	if (reference_too_large(w, s, out->address))
		return reference_fault(w, 2, SPEMU_FT_ADDRESS_SIZE, level);
	if (!bits(descriptor, 10, 10) && !s->ha)
		return reference_fault(w, 2, SPEMU_FT_ACCESS_FLAG, level);
	stage2_attributes(w, &attributes, s, descriptor);
	out->pas = stage2_pas(w, in->pas, descriptor);
	allowed = permitted2(w, in, s, descriptor, reference_walk_is_device(&attributes), out->pas,
	                     level);
	if (s->ha && (allowed || w->m->choose.af_with_permission))
		wanted |= UINT64_C(1) << 10;
	if (s->hd && allowed && in->write && bits(descriptor, 51, 51))
		wanted |= UINT64_C(1) << 7;
	if (wanted != descriptor &&
	    !reference_update(w, &again, s, level, at, descriptor, wanted)) {
		if (again && !w->a->gave_up) {
			w->a->kind = SPEMU_FAULT_NONE;
			w->a->top_level = w->a->assured_only = false;
			return reference_translate2(w, out, in);
		}
		return false;
	}
	if (!allowed)
		return false;
	reference_combine(&out->memory, &in->memory, &attributes);
	out->mecid = 0;
	if (reference_emec(w) && out->pas == REF_REALM)
		out->mecid = reference_mecid(w, bits(descriptor, 63, 63) ? w->m->reg.vmecid_a_el2
		                                                         : w->m->reg.vmecid_p_el2);
	out->region_log2 = low;
	out->level = level;
	return true;
}

bool reference_translate2(struct walk *w, struct output *out, const struct input *in)
{
	struct spemu_physical at;
	const struct lookup *l;
	struct stage s;
	uint64_t descriptor, base;
	unsigned x;
	bool again;
	int level;

	if (!reference_stage2_enabled(w)) {
		*out = (struct output){.address = in->address,
		                       .pas = in->pas,
		                       .mecid = in->mecid,
		                       .memory = in->memory,
		                       .region_log2 = 48,
		                       .level = -9};
		return true;
	}
	stage2_of(w, &s, in->pas);
	w->a->granule2 = s.granule;
	if (!reference_limit_tsz(w, &s) || !reference_initial_level(w, &level, &s))
		return reference_fault(w, 2, SPEMU_FT_TRANSLATION, 0);
	if (bits(in->address, 55, 64 - s.tsz)) /* RDTLMN */
		return reference_fault(w, 2, SPEMU_FT_TRANSLATION, 0);
	l = reference_lookup_of(s.granule, level);
	x = l->x_plus_tsz - s.tsz;
	base = reference_table_base(w, &s, x);
	if (reference_too_large(w, &s, base))
		return reference_fault(w, 2, SPEMU_FT_ADDRESS_SIZE, 0);
	for (;; level++) {
		l = reference_lookup_of(s.granule, level);
		at = (struct spemu_physical){
		        .address = base | bits(in->address, x + l->low - 4, l->low) << 3,
		        .pas = (uint8_t)s.ttbr_pas,
		        .mecid = (uint16_t)s.walk_mecid};
		if (!reference_fetch(w, &descriptor, &s, level, &at))
			return false;
		switch (reference_descriptor_kind(w, &s, descriptor, level)) {
		case INVALID:
			return reference_fault(w, 2, SPEMU_FT_TRANSLATION, level);
		case LEAF:
			return leaf2(w, out, in, &s, &at, descriptor, level);
		case TABLE:
			break;
		}
		base = reference_descriptor_address(w, &s, descriptor, s.granule);
		if (reference_too_large(w, &s, base))
			return reference_fault(w, 2, SPEMU_FT_ADDRESS_SIZE, level);
		if (s.haft && !bits(descriptor, 10, 10) &&
		    !reference_update(w, &again, &s, level, &at, descriptor,
		                      descriptor | 1 << 10)) {
			if (!again || w->a->gave_up)
				return false;
			return reference_translate2(w, out, in);
		}
		x = s.granule;
	}
}
