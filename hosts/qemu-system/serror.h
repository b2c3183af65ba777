/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SError exceptions by External aborts of the SPU (choice external-abort=serror).
 *
 * QEMU does not have physical SError exceptions, but it takes virtual ones with the syndrome in
 * VSESR_EL2. The plugin keeps a physical SError pending until a block begins in a state that does
 * not mask it. Then it raises the SError as a virtual one, with the physical target and syndrome.
 * So QEMU's PE takes it: vector, SPSR_ELx, ELR_ELx, PSTATE. The plugin also shows a pending SError
 * to software: in ISR_EL1.A, in ESB, and by a WFI that does not wait.
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

/* Make an SError exception pending. For host.serror. */
void serror_pend(void *vcpu);

/* Return true if an SError exception is pending. */
bool serror_pending(const struct vcpu *vcpu);

/* Add the callback of a block, before all others: the block may not be entered. */
void serror_before_block(struct qemu_plugin_tb *tb);
/* Add the callbacks of the block's instructions, after all others: the instructions may be
 * skipped. */
void serror_before_insns(struct qemu_plugin_tb *tb, size_t insns);

/* Note that an exception has been taken; it may have been the pending SError. */
void serror_taken(struct vcpu *vcpu);

#endif
