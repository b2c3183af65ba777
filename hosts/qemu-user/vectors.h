/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SVE operations: their vector length and their Governing predicate, which both follow from
 * registers at the operation and not from its encoding.
 *
 * A callback before the instruction reads the registers, so a sampled SVE operation stays in flight
 * until its callback has run. Like memory callbacks, these callbacks are only in blocks of the
 * timing model, and in the variants that sample_block() restarts.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.6 (vectors), D18.2.6 (E[17], E[18]).
 */
#ifndef VECTORS_H
#define VECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include <spemu/op.h>

enum vectors_found {
	VECTORS_ABSENT,     /* the CPU of this QEMU does not have SVE */
	VECTORS_UNREADABLE, /* this QEMU does not give its registers to plugins */
	VECTORS_READABLE,
};

/* Return whether the registers of SVE can be read. Call it on a thread that executes guest code. */
enum vectors_found vectors_find(void);

/* Return true for an encoding of SVE (C4.1). */
static inline bool vectors_used(uint32_t opcode)
{
	return (opcode >> 25 & 15) == 2;
}

/* Describe an operation on vectors of unknown length: without the format for SVE, which has the
 * length. */
void vectors_hide(struct spemu_op_kind *kind);

/* Complete the SVE operation before it executes: add its vector length, and events 17 and 18. For
 * callbacks that may read registers. */
void vectors_complete(struct spemu_op *op, uint32_t opcode);

#endif
