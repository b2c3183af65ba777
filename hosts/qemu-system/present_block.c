/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a block, and the rest of the present block after an instruction; see present_block.h.
 *
 * QEMU ends an A64 block after a branch, an exception generating instruction, and a System
 * instruction that may change how code is translated, and at the end of a page. The predicates
 * below need not be complete: a block that ends elsewhere is irregular.
 */
#include "present_block.h"

#define PAGE 4096u
#define INSNS_OF_PAGE (PAGE / 4)
#define AT_ONCE 16 /* instructions read from the guest's memory at a time */

/* Return true for a branch (also test or compare and branch) or exception generation (C4.1.94). */
static bool is_branch(uint32_t opcode)
{
	return (opcode & 0x7c000000) == 0x14000000 || /* B, BL */
	       (opcode & 0x7c000000) == 0x34000000 || /* CBZ, CBNZ, TBZ, TBNZ */
	       (opcode & 0xfe000000) == 0x54000000 || /* B.cond, BC.cond */
	       (opcode & 0xff000000) == 0xd4000000 || /* SVC, HVC, SMC, BRK, HLT, DCPSn */
	       (opcode & 0xfe000000) == 0xd6000000;   /* BR, BLR, RET, ERET */
}

/* Return true for a System instruction that ends a block: MSR of most registers and fields, ISB,
 * WFI, address translation, and TLB maintenance. */
static bool is_ending_system(uint32_t opcode)
{
	unsigned op0 = opcode >> 19 & 3, op1 = opcode >> 16 & 7, crn = opcode >> 12 & 15,
	         crm = opcode >> 8 & 15, op2 = opcode >> 5 & 7;

	if (opcode >> 21 != 0x6a8) /* bit 21 is set for a read */
		return false;
	switch (op0) {
	case 0:
		if (crn == 2)
			return crm == 0 && op2 == 3; /* WFI */
		if (crn == 3)
			return op2 == 6;                   /* ISB */
		return crn == 4 && !(op1 == 0 && op2 < 3); /* not CFINV, XAFLAG, AXFLAG */
	case 1:
		return crn == 8 || crn == 9 || (crn == 7 && (crm == 8 || crm == 9));
	default: /* not NZCV, FPCR, FPSR */
		return !(op0 == 3 && op1 == 3 && crn == 4 && (crm == 2 || crm == 4) &&
		         (crm == 4 || op2 == 0));
	}
}

static bool ends(uint64_t pc, uint32_t opcode)
{
	return is_branch(opcode) || is_ending_system(opcode) || pc % PAGE == PAGE - 4;
}

/* A single instruction that is not a branch is irregular: QEMU cut that block for its own
 * reasons. */
bool present_block_irregular(const struct block *block)
{
	unsigned last = block->insns - 1u;

	if (last == 0)
		return !is_branch(block->opcode[0]);
	for (unsigned i = 0; i < last; i++)
		if (ends(block_insn_pc(block, i), block->opcode[i]))
			return true;
	return !ends(block_insn_pc(block, last), block->opcode[last]);
}

void present_block_entered(unsigned cpu, void *block)
{
	struct vcpu *vcpu = &vcpus[cpu];

	vcpu->present.block = block;
	vcpu->present.count = *vcpu->count;
	vcpu->present.single = false;
}

/* Count the guest's instructions after pc in its block, in the present regime. */
static unsigned regular_rest(const struct vcpu *vcpu, uint64_t pc)
{
	unsigned left = INSNS_OF_PAGE - (unsigned)(pc % PAGE / 4), rest = 0;
	uint32_t opcode[AT_ONCE];

	while (left) {
		unsigned n = left < AT_ONCE ? left : AT_ONCE;

		if (!private_code(vcpu->cpu, pc, opcode, n))
			return rest;
		for (unsigned i = 0; i < n; i++, pc += 4, rest++)
			if (ends(pc, opcode[i]))
				return rest;
		left -= n;
	}
	return rest;
}

unsigned present_block_rest(const struct vcpu *vcpu, uint64_t pc)
{
	const struct block *block = vcpu->present.block;
	unsigned index;

	/* The single instruction has begun but not counted yet. */
	if (vcpu->present.single && vcpu->present.count == *vcpu->count + 1)
		return 0;
	if (vcpu->present.count != *vcpu->count)
		return regular_rest(vcpu, pc);
	if (vcpu->present.single)
		return 0;
	/* The same page may be mapped at several addresses, and QEMU may run its block at any of
	 * them. */
	index = (unsigned)(pc - block->pc) % PAGE / 4;
	return index < block->insns ? block->insns - 1 - index : 0;
}
