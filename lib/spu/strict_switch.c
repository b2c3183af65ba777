/* SPDX-License-Identifier: MIT */
/*
 * Strict mode: changes of the context, of the buffer's owner or of its translation regime. They are
 * reported while records of sampled operations are in flight. Changes of the owner and of stage 2
 * are also reported while the buffer is enabled. Other changes do not affect the writing of
 * records.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.5 (RTDHBH, RKRVDC: the owning translation regime), D17.9.1
 * Implements:  IPDDCL RTDHBH
 *
 * By RTDHBH and RKRVDC, the addresses of an enabled buffer belong to the current owner, ASID and
 * VMID. The architecture does not say that the SPU uses them only while profiling is enabled.
 * Therefore the SPU may translate them with the tables of a new owner or VMID whenever the buffer
 * is enabled. A kernel changes stage 1 while the buffer is enabled, so only changes of the owner
 * and of stage 2 are reported.
 */
#include "spu/strict_state.h"

#define EVERY_BIT UINT64_MAX
#define SCTLR_REGIME (BIT64(0) | BIT64(2) | BIT64(19) | BIT64(25)) /* M, C, WXN, EE */
#define HCR_VM BIT64(0)
#define HCR_DC BIT64(12)
#define HCR_TGE BIT64(27)
#define HCR_E2H BIT64(34)

/*
 * Return the bits of reg that belong to stage 1 of the owner, or none if the addresses of the
 * buffer are not virtual. Bits of SCTLR_ELx that change with each program (pointer authentication,
 * tags) do not belong to a regime.
 */
static uint64_t stage1_bits(const struct spemu_pe *pe, unsigned owner_el, enum spemu_reg reg)
{
	bool el2 = owner_el == 2;

	if (spemu__spu_effective_nvm(pe))
		return 0;
	if (reg == (el2 ? SPEMU_REG_SCTLR_EL2 : SPEMU_REG_SCTLR_EL1))
		return SCTLR_REGIME;
	return reg == (el2 ? SPEMU_REG_TCR_EL2 : SPEMU_REG_TCR_EL1) ? EVERY_BIT : 0;
}

/* Return the bits of reg that belong to the regime or its stage 2. HCR_EL2 selects the regime.
 * EL1&0 has a stage 2, which HCR_EL2.DC also enables. */
static uint64_t stage2_bits(const struct spemu_pe *pe, struct spemu_owner owner, enum spemu_reg reg)
{
	if (owner.el == 2)
		return reg == SPEMU_REG_HCR_EL2 ? HCR_E2H : 0;
	if (!spemu__pe_el2_in_security(pe, owner.security))
		return 0;
	if (reg == SPEMU_REG_HCR_EL2)
		return HCR_VM | HCR_DC | HCR_TGE | HCR_E2H;
	return reg == SPEMU_REG_VTCR_EL2 || reg == SPEMU_REG_VTTBR_EL2
	               ? (pe->reg[SPEMU_REG_HCR_EL2] & (HCR_VM | HCR_DC) ? EVERY_BIT : 0)
	               : 0;
}

static unsigned security_state(const struct spemu_pe *pe)
{
	return spemu__pe_scr_nse(pe) << 1 | spemu__pe_scr_ns(pe);
}

/* Return true if the write changes the owner. *after is the new owner. *other_state is true if the
 * write changes the Security state. */
static bool changes_owner(struct spemu_pe *pe, enum spemu_reg reg, uint64_t changed,
                          struct spemu_owner *after, bool *other_state)
{
	struct spemu_owner before = spemu__spu_owner(pe);
	unsigned state = security_state(pe);

	*after = before;
	*other_state = false;
	if (reg != SPEMU_REG_SCR_EL3 && reg != SPEMU_REG_MDCR_EL2 && reg != SPEMU_REG_MDCR_EL3)
		return false;
	pe->reg[reg] ^= changed;
	*after = spemu__spu_owner(pe);
	*other_state = security_state(pe) != state;
	pe->reg[reg] ^= changed;
	return before.el != after->el || before.security != after->security;
}

#define PMSCR_EL1_ENABLES (BIT64(SPEMU_PMSCR_EL1_E0SPE_LSB) | BIT64(SPEMU_PMSCR_EL1_E1SPE_LSB))

/*
 * Return true if reg changes the process: a Context packet contains it, and the owner's virtual
 * addresses use its tables. Records of a host at EL2 that does not profile its guests do not
 * contain CONTEXTIDR_EL1, which the guests write.
 */
static bool changes_context(const struct strict *strict, unsigned owner_el, enum spemu_reg reg)
{
	const struct spemu_pe *pe = strict->spu->pe;
	bool el2 = owner_el == 2;

	switch (reg) {
	case SPEMU_REG_CONTEXTIDR_EL1:
		return !el2 ||
		       (spemu__strict_direct(strict, SPEMU_REG_PMSCR_EL1) & PMSCR_EL1_ENABLES);
	case SPEMU_REG_CONTEXTIDR_EL2:
		return true;
	case SPEMU_REG_TTBR0_EL1:
	case SPEMU_REG_TTBR1_EL1:
		return !el2;
	case SPEMU_REG_TTBR0_EL2:
		return el2;
	case SPEMU_REG_TTBR1_EL2:
		return el2 && spemu__pe_hcr_e2h(pe);
	default:
		return false;
	}
}

/* Return true if the buffer is enabled, or was enabled at the last Context synchronization
 * event. */
static bool buffer_is_on(const struct strict *strict)
{
	uint64_t limit = spemu__strict_direct(strict, SPEMU_REG_PMBLIMITR_EL1);

	return ((limit & 1) || strict->buffer_was_on) && !strict->spu->stopped &&
	       !strict->spu->discard_mode;
}

/* Return true if the buffer is used. Nothing is profiled in a Security state other than the
 * owner's. */
static bool is_used(const struct spemu_pe *pe, struct spemu_owner before, struct spemu_owner after)
{
	unsigned state = security_state(pe);

	return state == (unsigned)before.security || state == (unsigned)after.security;
}

void spemu__check_switch(struct strict *strict, enum spemu_reg reg, uint64_t changed)
{
	struct spemu_pe *pe = strict->spu->pe;
	uint64_t value = pe->reg[reg] ^ changed;
	bool in_flight = strict_in_flight(strict), other_owner, other_state;
	struct spemu_owner owner, after;

	if (!changed || !(in_flight || buffer_is_on(strict)))
		return;
	owner = spemu__spu_owner(pe);
	other_owner = changes_owner(pe, reg, changed, &after, &other_state) ||
	              (changed & stage2_bits(pe, owner, reg));
	if (!in_flight && other_owner && is_used(pe, owner, after))
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_REGIME_WHILE_ENABLED, reg,
		                             value);
	else if (in_flight && changes_context(strict, owner.el, reg))
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_CONTEXT_IN_FLIGHT, reg, value);
	else if (in_flight &&
	         (other_owner || other_state || (changed & stage1_bits(pe, owner.el, reg))))
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_REGIME_IN_FLIGHT, reg, value);
}
