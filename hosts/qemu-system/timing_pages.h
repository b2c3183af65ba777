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
 * address space has zeroes, of which bits [54:48] tell address spaces apart.
 */
uint64_t timing_address(const struct vcpu *vcpu, uint64_t va);

/* From now on the model's core is told of the guest's pages. False: no memory. */
bool timing_pages_start(struct vcpu *vcpu);

/* The vCPU was reset, or another state of it was loaded: no translation is known. */
void timing_pages_reset(struct vcpu *vcpu);

/* The vCPU has executed this TLBI with the operand value. */
void timing_pages_tlbi(struct vcpu *vcpu, const struct private_reg *tlbi, uint64_t value);

#endif
