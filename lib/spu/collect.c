/* SPDX-License-Identifier: MIT */
/*
 * Data collected when the chosen operation starts (PC, context, timestamp), and the controls that
 * permit them.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6, D17.6.9, Table D17-3
 * Implements:  D17.6.9 (data that EL1 and EL2 permit, Table D17-3)
 * Pseudocode:  SPESampleAddAddressPCVirtual(), CollectContextIDR1(), CollectContextIDR2(),
 *              CollectTimeStamp(), CollectPhysicalAddress(), PhysicalOffsetIsValid()
 * Choices:     timestamp-at-start, timestamp-counter-disabled, reserved-pct
 */
#include "base/prng.h"
#include "spu/spu_object.h"

enum pct { PCT_VIRTUAL = 0, PCT_PHYSICAL = 1, PCT_RESERVED = 2, PCT_GUEST_PHYSICAL = 3 };
enum timestamp { TIMESTAMP_VIRTUAL, TIMESTAMP_PHYSICAL, TIMESTAMP_OFFSET_PHYSICAL };

uint64_t spemu__collect_context_of(unsigned security, unsigned el)
{
	return spemu_addr_context(security & 1, security >> 1, el);
}

uint64_t spemu__collect_context_byte(const struct spemu_pe *pe)
{
	return spemu_addr_context(spemu__pe_scr_ns(pe), spemu__pe_scr_nse(pe), pe->state.el);
}

static bool context1(const struct spemu_pe *pe)
{
	return pe->state.el < 2 && !spemu__pe_tge(pe) && REG_FIELD(pe, PMSCR_EL1, CX);
}

static bool context2(const struct spemu_pe *pe)
{
	return spemu__pe_el2_enabled(pe) && REG_FIELD(pe, PMSCR_EL2, CX);
}

/* Decode PCT. Its bit 1 is RES0 without FEAT_ECV. */
static enum pct pct(const struct spemu_pe *pe, uint64_t field)
{
	static const enum pct reserved[] = {
	        [SPEMU_RESERVED_PCT_GUEST_PHYSICAL] = PCT_GUEST_PHYSICAL,
	        [SPEMU_RESERVED_PCT_PHYSICAL] = PCT_PHYSICAL,
	        [SPEMU_RESERVED_PCT_VIRTUAL] = PCT_VIRTUAL,
	};

	if (!pe_has(pe, SPEMU_FEAT_ECV))
		return (enum pct)(field & 1);
	return field == PCT_RESERVED ? reserved[pe_choice(pe, SPEMU_CHOICE_RESERVED_PCT)]
	                             : (enum pct)field;
}

/* Return the kind of timestamp by Table D17-3, and by the text around it if EL2 is absent. */
static enum timestamp timestamp_kind(const struct spemu_pe *pe, const struct spemu_owner *owner)
{
	enum pct pct1 =
	        pe_has(pe, SPEMU_EL2) ? pct(pe, REG_FIELD(pe, PMSCR_EL1, PCT)) : PCT_PHYSICAL;
	enum pct pct2 =
	        spemu__pe_el2_enabled(pe) ? pct(pe, REG_FIELD(pe, PMSCR_EL2, PCT)) : PCT_PHYSICAL;
	enum pct chosen = owner->el == 2 ? pct2 : pct1;

	if (owner->el == 1 && pct2 == PCT_VIRTUAL)
		chosen = PCT_VIRTUAL;
	if (owner->el == 1 && pct2 == PCT_GUEST_PHYSICAL && pct1 == PCT_PHYSICAL)
		chosen = PCT_GUEST_PHYSICAL;
	switch (chosen) {
	case PCT_VIRTUAL:
		return spemu__pe_el_is_in_host(pe, pe->state.el) ? TIMESTAMP_PHYSICAL
		                                                 : TIMESTAMP_VIRTUAL;
	case PCT_GUEST_PHYSICAL:
		return TIMESTAMP_OFFSET_PHYSICAL;
	default:
		return TIMESTAMP_PHYSICAL;
	}
}

static uint64_t physical_offset(const struct spemu_pe *pe)
{
	if (!pe_has(pe, SPEMU_EL2) || !pe_has(pe, SPEMU_FEAT_ECV_POFF) ||
	    !REG_FIELD(pe, CNTHCTL_EL2, ECV) ||
	    (pe_has(pe, SPEMU_EL3) && !REG_FIELD(pe, SCR_EL3, ECVEn)))
		return 0;
	return pe->reg[SPEMU_REG_CNTPOFF_EL2];
}

static uint64_t timestamp_less(const struct spemu_pe *pe, const struct spemu_owner *owner)
{
	switch (timestamp_kind(pe, owner)) {
	case TIMESTAMP_VIRTUAL:
		return pe_has(pe, SPEMU_EL2) ? pe->reg[SPEMU_REG_CNTVOFF_EL2] : 0;
	case TIMESTAMP_OFFSET_PHYSICAL:
		return physical_offset(pe);
	case TIMESTAMP_PHYSICAL:
		break;
	}
	return 0;
}

void spemu__collect_prepare(struct spemu_spu *s)
{
	const struct spemu_pe *pe = s->pe;
	struct spemu_owner owner = spemu__spu_owner(pe);
	bool ts = owner.el == 2 ? REG_FIELD(pe, PMSCR_EL2, TS) : REG_FIELD(pe, PMSCR_EL1, TS);

	s->facts = (struct facts){
	        .context_byte = spemu__collect_context_byte(pe),
	        .events = spemu__operation_existing_events(s),
	        .timestamp_less = timestamp_less(pe, &owner),
	        .context1 = context1(pe),
	        .context2 = context2(pe),
	        .timestamp = ts && (s->host.counter ||
	                            pe_choice(pe, SPEMU_CHOICE_TIMESTAMP_COUNTER_DISABLED) ==
	                                    SPEMU_TIMESTAMP_COUNTER_DISABLED_UNKNOWN),
	        .timestamp_at_end = pe_choice(pe, SPEMU_CHOICE_TIMESTAMP_AT_START) ==
	                            SPEMU_TIMESTAMP_AT_START_AT_END,
	        .physical_address = spemu__collect_physical_address(pe),
	        .counter_max = (1u << s->config.counter_bits) - 1,
	        .filters = spemu__filter_any(pe),
	        .reserved_owner = spemu__pe_nspb(pe).reserved,
	        .direct = !s->host.translate && s->access.address_type == SPEMU_ADDRESS_VA,
	};
}

void spemu__collect_begin(struct spemu_spu *s, struct collected *sample, uint64_t pc)
{
	const struct spemu_pe *pe = s->pe;
	const struct facts *f = &s->facts;

	*sample = (struct collected){
	        .in_flight = true,
	        .serial = s->next_serial++,
	        .pc = spemu_addr_bits(pc) | f->context_byte,
	        .streaming = pe->state.streaming,
	        .has_previous_target = s->has_previous_target,
	        .previous_target = s->previous_target,
	        .has_context1 = f->context1,
	        .context1 = (uint32_t)pe->reg[SPEMU_REG_CONTEXTIDR_EL1],
	        .has_context2 = f->context2,
	        .context2 = (uint32_t)pe->reg[SPEMU_REG_CONTEXTIDR_EL2],
	        .has_timestamp = f->timestamp,
	        .at_end = f->timestamp && s->host.counter && f->timestamp_at_end,
	        .has_physical = f->physical_address,
	};
	if (f->timestamp && !s->host.counter)
		sample->timestamp = prng_next(&s->pe->prng);
	else if (f->timestamp)
		sample->timestamp =
		        (sample->at_end ? 0 : s->host.counter(s->host.ctx)) - f->timestamp_less;
}

uint64_t spemu__collect_end(const struct spemu_spu *s, const struct collected *sample)
{
	uint64_t counter = sample->at_end && s->host.counter ? s->host.counter(s->host.ctx) : 0;

	return sample->timestamp + counter;
}

bool spemu__collect_physical_address(const struct spemu_pe *pe)
{
	struct spemu_owner owner = spemu__spu_owner(pe);

	if (!spemu__pe_el2_in_security(pe, owner.security))
		return REG_FIELD(pe, PMSCR_EL1, PA);
	return REG_FIELD(pe, PMSCR_EL2, PA) && (owner.el == 2 || REG_FIELD(pe, PMSCR_EL1, PA));
}
