/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vector length of an operation, and whether it executes in Streaming SVE mode.
 *
 * PSTATE.SM, ZCR_ELx and SMCR_ELx change only at the end of a block, so their values at the block's
 * entry apply to each of its operations.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.1 (clocks), D17.6.6 (vectors), D18.2.6 (E[24], E[25]).
 */
#ifndef STREAMING_H
#define STREAMING_H

#include "vcpu.h"

/* Find the offset of PSTATE.SM in QEMU's env. */
void streaming_start(struct vcpu *vcpu);

/* Note PSTATE.SM and the vector length for a sampled operation, at its block's entry or before
 * it. */
void streaming_note(struct vcpu *vcpu, uint32_t opcode);

/* Add the event and the counter of the alternate clock (--alternate-clock) to a sampled operation
 * that has its latencies. The modelled unit executes all operations on vectors and on ZA. Its clock
 * is as fast as the PE's clock. */
void streaming_complete(struct vcpu *vcpu);

#endif
