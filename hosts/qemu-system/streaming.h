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

/* Finds where QEMU has PSTATE.SM. */
void streaming_start(struct vcpu *vcpu);

/* At the entry of the block, or before the operation itself: notes what holds for this one, which
 * is sampled. */
void streaming_note(struct vcpu *vcpu, uint32_t opcode);

/* The sampled operation has its latencies: the event and the counter of the unit of vectors and
 * matrices (--alternate-clock), which is modelled: it takes all operations on vectors and on ZA,
 * and its clock is as fast as the PE's. */
void streaming_complete(struct vcpu *vcpu);

#endif
