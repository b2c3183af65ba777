/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SError exceptions by External aborts of the SPU (choice external-abort=serror).
 *
 * QEMU has no physical SError exception of its own, and takes the virtual one with the syndrome in
 * VSESR_EL2. A physical one is pending here until a block begins with the PE in a state that does
 * not mask it; it is then raised as the virtual one, with its own target and syndrome. So QEMU's PE
 * takes it: vector, SPSR_ELx, ELR_ELx, PSTATE. What else software sees of one that is pending is
 * here too: ISR_EL1.A, ESB, and that WFI does not wait.
 *
 * Arm ARM: DDI 0487 M.a, D17.8.4.2 (IZGGXW), D1.3 (asynchronous exceptions), D24.2 (ISR_EL1,
 * DISR_EL1, ESR_ELx), PhysicalSErrorTarget().
 */
#ifndef SERROR_H
#define SERROR_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

/* Call these functions only if config.serror is set. */

/* Find the registers, and define the value of ISR_EL1. */
void serror_define(struct vcpu *vcpu);
void serror_reset(struct vcpu *vcpu);

/* host.serror: make an SError exception pending. */
void serror_pend(void *vcpu);

/* Return true if an SError exception is pending. */
bool serror_pending(const struct vcpu *vcpu);

/* Add the callback of a block, before all others: the block may not be entered. */
void serror_before_block(struct qemu_plugin_tb *tb);
/* Add the callbacks of its instructions, after all others: the instructions may be skipped. */
void serror_before_insns(struct qemu_plugin_tb *tb, size_t insns);

/* Note that an exception has been taken; it may have been the pending SError. */
void serror_taken(struct vcpu *vcpu);

#endif
