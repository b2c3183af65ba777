/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vectors: how long they are at an operation, and whether it is executed in Streaming SVE mode.
 *
 * PSTATE.SM, ZCR_ELx and SMCR_ELx change at the end of a block only, so that what holds at its
 * entry holds for each of its operations.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.1 (clocks), D17.6.6 (vectors), D18.2.6 (E[24], E[25]).
 */
#ifndef STREAMING_H
#define STREAMING_H

#include "vcpu.h"

/* Find where QEMU has PSTATE.SM. */
void streaming_start(struct vcpu *vcpu);

/* Note PSTATE.SM and the vector length for a sampled operation, at its block's entry or before
 * it. */
void streaming_note(struct vcpu *vcpu, uint32_t opcode);

/* Add the event and the counter of the alternate clock (--alternate-clock) to a sampled operation
 * that has its latencies. Its modelled unit executes all operations on vectors and on ZA, and its
 * clock is as fast as the PE's. */
void streaming_complete(struct vcpu *vcpu);

#endif
