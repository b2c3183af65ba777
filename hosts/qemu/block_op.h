/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about an operation that are known without running it: from its encoding, from the registers
 * at its block's entry, and from where execution went on. Inline, as each sample comes through
 * here.
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

/* Describe an operation as far as its encoding says: executed, and a branch not decided yet.
 * vector_bits: the length of vectors, 0 for 128. */
static inline void block_op_describe(struct spemu_op *op, uint64_t pc, uint32_t opcode,
                                     unsigned vector_bits)
{
	memset(op, 0, sizeof(*op));
	a64_classify(&op->kind, opcode, vector_bits);
	/* It is not known here if a conditional select or compare passed. D17.6.5 leaves it open
	 * whether those are conditional operations: here they are not. */
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
 * Compute the address of the access that the k-th instruction of the block makes, from x0 .. x30
 * and the stack pointer at the block's entry. Most accesses use base and index registers that
 * nothing in between writes. Return false for the others, and for those whose address does not
 * follow from registers.
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
 * Decide a branch by where execution went on. Return false if that was at neither of its ways. The
 * target of a branch that is not taken is the address after it, as in cores; the choice
 * not-taken-target determines whether it is recorded.
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
