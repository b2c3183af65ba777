/* SPDX-License-Identifier: MIT */
/*
 * Writing a record to the Profiling Buffer.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7, D17.8.2, D17.5.5
 * Implements:  RPSLVX RLWHSF RRPSLW RTDHBH RKRVDC (kind of address), RTHGCR (never past the limit), buffer full
 * Pseudocode:  SPEWriteToBuffer(), SPEBufferIsFull()
 * Choices:     pointer-restriction (RPGGHS): a record that does not fit is discarded with a buffer
 *              full event
 */
#include "spu/spu.h"

bool buffer_discard_mode(const struct spemu *s)
{
	return spu_has(s, SPEMU_FEAT_SPEV1P2) &&
	       REG_FIELD(&s->pe, PMBLIMITR_EL1, FM) == SPEMU_PMBLIMITR_EL1_FM_DISCARD;
}

static uint64_t limit(const struct spemu *s)
{
	return REG_FIELD(&s->pe, PMBLIMITR_EL1, LIMIT) << 12;
}

static bool fits(const struct spemu *s, uint64_t size)
{
	uint64_t ptr = s->pe.reg[SPEMU_REG_PMBPTR_EL1];

	return ptr <= limit(s) && limit(s) - ptr >= size;
}

static struct spemu_access describe_access(const struct spemu *s)
{
	struct spemu_owner owner = spu_owner(&s->pe);
	struct spemu_access access = {
	        .address = s->pe.reg[SPEMU_REG_PMBPTR_EL1],
	        .owner_el = owner.el,
	        .security = owner.security,
	        .e2h = owner.el == 2 && pe_hcr_e2h(&s->pe),
	};

	if (spu_effective_nvm(&s->pe)) {
		/* RRPSLW: an IPA where the owning regime has a stage 2. */
		bool stage2 = owner.el == 1 && pe_el2_in_security(&s->pe, owner.security);

		access.address_type = stage2 ? SPEMU_ADDRESS_IPA : SPEMU_ADDRESS_PA;
	}
	return access;
}

uint8_t buffer_write_record(struct spemu *s, unsigned size)
{
	struct spemu_access access = describe_access(s);
	struct spemu_fault fault = {0};

	if (!fits(s, size)) {
		manage_other(s, BSC_FILLED);
		return SPEMU_SAMPLE_LOST;
	}
	if (s->host.buffer_write(s->host.ctx, &access, s->record, size, &fault)) {
		manage_fault(s, &fault);
		if (spu_stopped(&s->pe))
			return SPEMU_SAMPLE_LOST;
	}
	s->pe.reg[SPEMU_REG_PMBPTR_EL1] += size;
	if (!fits(s, UINT64_C(1) << s->config.max_size_log2)) {
		manage_other(s, BSC_FILLED);
		spu_pmu_event(s, SPEMU_PMU_SAMPLE_BUFFER_FULL, 1);
	}
	return SPEMU_SAMPLE_RECORDED;
}
