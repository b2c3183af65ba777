/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PE around its SPU in the trace: writes of the registers that firmware, a hypervisor
 * and a kernel control it with, exceptions, exception returns, and where operations are sampled.
 *
 * Writes of MDCR_EL3 and MDCR_EL2 are always in it; the rest is while the SPU is enabled:
 * PMBLIMITR_EL1.E is 1, or profiling is enabled at some Exception level.
 */
#ifndef MACHINE_TRACE_H
#define MACHINE_TRACE_H

#include "vcpu.h"

/* Before the vCPU's first instruction, and after all others that follow registers. */
void machine_trace_start(struct vcpu *vcpu);
/* Around each exception entry and exception return. */
void machine_trace_before_el_change(struct vcpu *vcpu);
void machine_trace_after_el_change(struct vcpu *vcpu);

#endif
