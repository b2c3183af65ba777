/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SPE Profiling exceptions (FEAT_SPE_EXC) and PSTATE.PM, which masks them.
 *
 * QEMU has neither. The model decides whether one is taken, and to which Exception level; it is
 * raised where a block begins, and QEMU's PE takes it: vector, SPSR_ELx, ELR_ELx, PSTATE. PSTATE.PM
 * is kept here, beside QEMU's PSTATE: exception entry saves it in SPSR_ELx and sets it, an
 * exception return restores it, MSR and MRS access it.
 *
 * Arm ARM: DDI 0487 M.a, D17.8 (RYZJQX, RYMRRB, RNXPMV), D1.4.2 (RWTXBY), D1.4.4, C5.2.13 (PM),
 * C6.2.287, D1.7.3 (IWNMSV), D24.2 (ESR_ELx: ISS encoding for a Profiling exception).
 */
#ifndef PROFILING_EXCEPTION_H
#define PROFILING_EXCEPTION_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

/* Call these functions only if config.profiling_exceptions is set. */

/* Find the registers, and define PM. */
void profiling_exception_define(struct vcpu *vcpu);
void profiling_exception_reset(struct vcpu *vcpu);

/* host.profiling_exception: note the Exception level that one is to be taken to; 0: none. */
void profiling_exception_pend(void *vcpu, unsigned target_el);

/* Add the callbacks of a block's instructions, after all others: the instructions may be
 * skipped. */
void profiling_exception_before_insns(struct qemu_plugin_tb *tb, size_t insns);

/* Around every exception entry and exception return; the model is notified after the second. */
void profiling_exception_before_el_change(struct vcpu *vcpu);
void profiling_exception_after_el_change(struct vcpu *vcpu);

#endif
