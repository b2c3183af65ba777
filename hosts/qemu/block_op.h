/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about an operation that are known without running it: from its encoding, from the registers
 * at its block's entry, and from the address where execution continued. The functions are inline
 * because each sample calls them.
 *
 * Arm ARM: DDI 0487 M.a, D17.6 (what is collected).
 */
#ifndef BLOCK_OP_H
#define BLOCK_OP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "timing/a64.h"
#include <spemu/op.h>

#include "block.h"

/* Describe an executed operation from its encoding, without the outcome of a branch. vector_bits is
 * the vector length; 0 stands for 128. */
static inline void block_op_describe(struct spemu_op *op, uint64_t pc, uint32_t opcode,
                                     unsigned vector_bits)
{
	memset(op, 0, sizeof(*op));
	a64_classify(&op->kind, opcode, vector_bits);
	/* The outcome of a conditional select or compare is unknown here. D17.6.5 leaves open
	 * whether they are conditional operations; spemu treats them as unconditional. */
	if (op->kind.type != SPEMU_OP_BRANCH)
		op->kind.flags &= ~(uint32_t)SPEMU_OPF_CONDITIONAL;
	op->pc = pc;
	op->cond_pass = true;
	op->retired = true;
}

/* Return true if the instruction is a branch with link. */
static inline bool block_op_is_call(uint32_t opcode)
{
	struct spemu_op_kind kind;

	a64_classify(&kind, opcode, 0);
	return kind.type == SPEMU_OP_BRANCH && (kind.flags & SPEMU_OPF_LINK);
}

/* Return true if the operation loads or stores. */
static inline bool block_op_is_access(const struct spemu_op_kind *kind)
{
	return kind->type == SPEMU_OP_LOAD || kind->type == SPEMU_OP_STORE ||
	       kind->type == SPEMU_OP_LOAD_ATOMIC;
}

/*
 * Compute the address of the memory access of the block's k-th instruction, from x0 .. x30 and the
 * stack pointer at the block's entry. Most memory accesses use base and index registers that no
 * instruction before them in the block writes. Return false for the others, and for addresses that
 * do not follow from registers.
 */
static inline bool block_op_address(uint64_t *va, const struct block *block, unsigned k,
                                    const uint64_t x[32])
{
	struct a64_mode mode;

	if (!a64_mode(&mode, block->opcode[k]))
		return false;
	for (unsigned i = 0; i < k; i++)
		if (a64_written(block->opcode[i]) & a64_uses(&mode))
			return false;
	*va = a64_address(&mode, block_insn_pc(block, k), x);
	return true;
}

/*
 * Decide a branch by the address where execution continued. Return false if that is neither its
 * target nor the next instruction. As in cores, a branch that is not taken has the address after it
 * as target. The choice not-taken-target determines whether that is recorded.
 */
static inline bool block_op_decide_branch(struct spemu_op *op, uint64_t next_pc)
{
	uint64_t target = op->pc + (uint64_t)(int64_t)op->kind.branch_offset;

	if (op->kind.flags & (SPEMU_OPF_INDIRECT | SPEMU_OPF_ERET))
		target = next_pc;
	else if (op->kind.flags & SPEMU_OPF_CONDITIONAL)
		op->cond_pass = next_pc == target;
	if (!op->cond_pass)
		target = op->pc + 4;
	op->target = target;
	op->valid |= SPEMU_OPV_TARGET;
	return op->cond_pass || next_pc == target;
}

#endif
