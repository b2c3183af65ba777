/* SPDX-License-Identifier: MIT */
/*
 * Profiling Buffer management events: what PMBSR_ELx says of them.
 *
 * Arm ARM:     DDI 0487 M.a, D17.8, D17.8.2 to D17.8.5, D17.3.7
 * Implements:  RFJDLW RMYXZK RDTGVZ RBPFPN RLTMKQ
 * Pseudocode:  OtherSPEManagementEvent(), DebugWriteFault(),
 *              SPESampleCollision(); where they leave DL alone after a fault inside a record, the
 *              text of D17.8.3 sets it, and the text decides
 * Choices:     external-abort: reported synchronously without FEAT_SPEv1p3, ignored with it
 */
#include "spu/spu.h"

enum { EC_OTHER = 0, FSC_SYNC_EXTERNAL = 0x10 };

static enum spemu_reg pmbsr(unsigned el)
{
	return el == 3 ? SPEMU_REG_PMBSR_EL3 : el == 2 ? SPEMU_REG_PMBSR_EL2 : SPEMU_REG_PMBSR_EL1;
}

#define PMBSR_EL1_BIT(F) BIT64(SPEMU_PMBSR_EL1_##F##_LSB)

/* The first event wins: only while S is 0 are S, EC, MSS and MSS2 written. */
static uint64_t syndrome(uint64_t old, unsigned ec, unsigned mss)
{
	if (old & PMBSR_EL1_BIT(S))
		return old;
	old &= ~(BITMASK(55, 32) | BITMASK(31, 26) | BITMASK(15, 0));
	return old | (uint64_t)ec << SPEMU_PMBSR_EL1_EC_LSB | PMBSR_EL1_BIT(S) | mss;
}

void manage_other(struct spemu *s, enum bsc bsc)
{
	enum spemu_reg reg = pmbsr(manage_target_el(&s->pe, EC_OTHER, 0));
	uint64_t old = s->pe.reg[reg];

	s->pe.reg[reg] = syndrome(old, EC_OTHER, bsc);
	if (bsc == BSC_NOT_ALLOWED && !(old & PMBSR_EL1_BIT(S)))
		s->pe.reg[reg] |= PMBSR_EL1_BIT(DL);
}

void manage_fault(struct spemu *s, const struct spemu_fault *fault)
{
	bool external = fault->kind == SPEMU_FAULT_EXTERNAL;
	unsigned ec = external ? SPEMU_FAULT_STAGE1 : fault->kind;
	unsigned fsc = external ? FSC_SYNC_EXTERNAL : fault->fsc & 0x3f;
	enum spemu_reg reg;

	if (external && spu_has(s, SPEMU_FEAT_SPEV1P3))
		return;
	reg = pmbsr(manage_target_el(&s->pe, ec, fsc));
	s->pe.reg[reg] = syndrome(s->pe.reg[reg], ec, ec == SPEMU_FAULT_GPC ? 0 : fsc);
	/* Padding belongs to the record before it, so a record starts where the pointer stands: any
	 * byte written means that the pointer is no longer behind the last whole record. */
	if (fault->written)
		s->pe.reg[reg] |= PMBSR_EL1_BIT(DL);
	if (external)
		s->pe.reg[reg] |= PMBSR_EL1_BIT(EA);
	s->pe.reg[SPEMU_REG_PMBPTR_EL1] += fault->written;
}

void manage_collision(struct spemu *s)
{
	spu_pmu_event(s, SPEMU_PMU_SAMPLE_COLLISION, 1);
	s->pe.reg[pmbsr(manage_target_el(&s->pe, EC_OTHER, 0))] |= PMBSR_EL1_BIT(COLL);
}
