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

/* Nothing of what follows is called without config.serror. */

/* Finds the registers, and defines what ISR_EL1 reads. */
void serror_define(struct vcpu *vcpu);
void serror_reset(struct vcpu *vcpu);

/* host.serror: one is pending now. */
void serror_pend(void *vcpu);

/* Whether one is. */
bool serror_pending(const struct vcpu *vcpu);

/* Adds what a block needs, before all others: it may not be entered. */
void serror_before_block(struct qemu_plugin_tb *tb);
/* Adds what its instructions need, after all others: these may be left out. */
void serror_before_insns(struct qemu_plugin_tb *tb, size_t insns);

/* The exception, if it was this, has been taken. */
void serror_taken(struct vcpu *vcpu);

#endif
