/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How large the guest's pages are, for the timing model: its translation tables say, until it
 * maintains TLBs.
 *
 * Arm ARM: DDI 0487 M.a, D8.1, D8.2, D8.17.
 */
#ifndef TIMING_PAGES_H
#define TIMING_PAGES_H

#include "vcpu.h"

/*
 * Addresses as the timing model knows them. It ignores bits [63:56]; below them, EL0's half of the
 * address space has zeroes, and bits [54:48] that differ between address spaces.
 */
uint64_t timing_address(const struct vcpu *vcpu, uint64_t va);

/* Let the model's core look up the guest's pages. Return false if memory is exhausted. */
bool timing_pages_start(struct vcpu *vcpu);

/* Forget all translations: the vCPU was reset, or another state of it was loaded. */
void timing_pages_reset(struct vcpu *vcpu);

/* Note that the vCPU has executed this TLBI with the operand value. */
void timing_pages_tlbi(struct vcpu *vcpu, const struct private_reg *tlbi, uint64_t value);

#endif
