/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SPE Profiling exceptions (FEAT_SPE_EXC) and PSTATE.PM, which masks them.
 *
 * QEMU has neither. The model decides whether an exception is taken, and to which Exception level.
 * The plugin raises it where a block begins, and QEMU's PE takes it: vector, SPSR_ELx, ELR_ELx,
 * PSTATE. PSTATE.PM is kept in struct vcpu, beside QEMU's PSTATE. Exception entry saves it in
 * SPSR_ELx and sets it, an exception return restores it, and MSR and MRS access it.
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

/* Note the target Exception level of the pending exception; 0 means that none is pending. For
 * host.profiling_exception. */
void profiling_exception_pend(void *vcpu, unsigned target_el);

/* Add the callbacks of a block's instructions, after all others: the instructions may be
 * skipped. */
void profiling_exception_before_insns(struct qemu_plugin_tb *tb, size_t insns);

/* Follow an exception entry or exception return, before and after it. The model is notified after
 * the second call. */
void profiling_exception_before_el_change(struct vcpu *vcpu);
void profiling_exception_after_el_change(struct vcpu *vcpu);

#endif
