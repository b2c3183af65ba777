/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page sizes of the guest for the timing model, from the guest's translation tables. They are
 * cached until the guest executes TLB maintenance.
 *
 * Arm ARM: DDI 0487 M.a, D8.1, D8.2, D8.17.
 */
#ifndef TIMING_PAGES_H
#define TIMING_PAGES_H

#include "vcpu.h"

/*
 * Return a virtual address as the timing model sees it. The model ignores bits [63:56]. In EL0's
 * half of the address space, bits [54:48] differ between address spaces.
 */
uint64_t timing_address(const struct vcpu *vcpu, uint64_t va);

/* Let the model's core look up the guest's pages. Return false if memory is exhausted. */
bool timing_pages_start(struct vcpu *vcpu);

/* Forget all translations, after a reset of the vCPU or the load of another state. */
void timing_pages_reset(struct vcpu *vcpu);

/* Note that the vCPU has executed this TLBI with the operand `value`. */
void timing_pages_tlbi(struct vcpu *vcpu, const struct private_reg *tlbi, uint64_t value);

#endif
