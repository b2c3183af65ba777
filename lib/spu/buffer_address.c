/* SPDX-License-Identifier: MIT */
/*
 * The destination of a write to the Profiling Buffer: the kind of its address, its attributes after
 * stage 1, and its translation by the host.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.1 to D17.7.3, D17.7.6, D17.7.10
 * Implements:  IJXFJK IFRCPH IDJRBT RPSLVX RLWHSF RVGJHQ RRPSLW RDQTTB RQJNFT RXBFCM RDFFVT, RTDHBH
 *              RKRVDC (kind of address)
 * Pseudocode:  AArch64.S1Enabled(), AArch64.S1DisabledOutput(), CreateAccDescSPE()
 * Choices:     address-above-oamax (RXBFCM)
 */
#include "spu/spu_object.h"

/* Prepare the properties that all writes have in common until a register changes. */
void spemu__address_prepare(struct spemu_spu *s)
{
	const struct spemu_pe *pe = s->pe;
	struct spemu_owner owner = spemu__spu_owner(pe);
	struct spemu_buffer_write access = {
	        .owner_el = owner.el,
	        .security = owner.security,
	        .e2h = owner.el == 2 && spemu__pe_hcr_e2h(pe),
	        .privileged = true,
	        .tag_unchecked = pe_has(pe, SPEMU_FEAT_MTE2),
	};

	if (spemu__spu_effective_nvm(pe)) {
		/* RRPSLW: the address is an IPA if the owning regime has a stage 2. */
		bool stage2 = owner.el == 1 && spemu__pe_el2_in_security(pe, owner.security);
		const struct mecid_context mec = {
		        .security = owner.security, .el = owner.el, .pas = owner.security};

		access.mecid = spemu__pe_mecid(pe, &mec);
		access.address_type = stage2 ? SPEMU_ADDRESS_IPA : SPEMU_ADDRESS_PA;
		access.memory = stage2 && spemu__pe_hcr_dc(pe)
		                        ? spemu__pe_default_cacheable(pe)
		                        : spemu__pe_memory_attributes(
		                                  pe, (unsigned)REG_FIELD(pe, PMBMAR_EL1, Attr),
		                                  (unsigned)REG_FIELD(pe, PMBMAR_EL1, SH));
	}
	s->access = access;
}

/* Return false if the address causes a stage 1 Address size fault (RQJNFT, RXBFCM). */
static bool output_address_fits(const struct spemu_pe *pe, uint64_t *address)
{
	unsigned oamax = spemu__pe_oamax(pe), pamax = spemu__pe_pamax(pe);
	uint64_t above = *address & ~BITMASK(oamax, 0);

	if (above &&
	    pe_choice(pe, SPEMU_CHOICE_ADDRESS_ABOVE_OAMAX) == SPEMU_ADDRESS_ABOVE_OAMAX_FAULT)
		return false;
	*address -= above;
	return (*address & BITMASK(oamax, 0)) >> pamax == 0;
}

/* Return true if the values of a translation are possible. A host may return any values. */
static bool is_sane(const struct spemu_translation *t)
{
	return t->region_log2 >= 12 && t->region_log2 < 64 && t->pas <= SPEMU_SS_REALM &&
	       t->memory.type <= SPEMU_MEMORY_NORMAL;
}

/*
 * Resolve a write at address, and translate it if the host has a callback for that. Return 0;
 * SPEMU_FAULT_* with *fault filled; or the negative value of a host that cannot translate.
 */
int spemu__address_resolve(struct spemu_spu *s, struct spemu_buffer_write *access,
                           struct spemu_translation *t, struct spemu_fault *fault, uint64_t address)
{
	int end;

	*access = s->access;
	access->address = address;
	if (access->address_type != SPEMU_ADDRESS_VA &&
	    !output_address_fits(s->pe, &access->address)) {
		*fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1,
		                              .fsc = (uint8_t)spemu_fsc(SPEMU_FT_ADDRESS_SIZE, 0)};
		return SPEMU_FAULT_STAGE1;
	}
	/* Without a translation, treat everything as one region with the attributes of stage 1. */
	*t = (struct spemu_translation){
	        .region_log2 = 63, .memory = access->memory, .stage1 = access->memory};
	if (access->address_type == SPEMU_ADDRESS_VA)
		t->memory.type = t->stage1.type = SPEMU_MEMORY_NORMAL;
	if (!s->host.translate)
		return 0;
	end = s->host.translate(s->host.ctx, t, fault, s->pe, access);
	if (end > 0) {
		fault->kind = (uint16_t)end;
		return end == fault->kind && end != SPEMU_FAULT_EXTERNAL &&
		                       spemu__fault_is_valid(fault)
		               ? end
		               : SPEMU_ERR_INVALID;
	}
	if (end < 0)
		return end;
	if (!is_sane(t))
		return SPEMU_ERR_INVALID;
	access->translated = true;
	access->physical = t->physical;
	access->pas = t->pas;
	access->mecid = t->mecid;
	access->memory = t->memory;
	return 0;
}
