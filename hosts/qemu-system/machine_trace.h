/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace lines about the PE around its SPU: writes to the registers with which firmware, a
 * hypervisor and a kernel control the SPU, exceptions, exception returns, and where operations are
 * sampled.
 *
 * Writes to MDCR_EL3 and MDCR_EL2 are always traced. Everything else is traced only while
 * PMBLIMITR_EL1.E is 1 or profiling is enabled at some Exception level.
 */
#ifndef MACHINE_TRACE_H
#define MACHINE_TRACE_H

#include "vcpu.h"

/* Follow the registers, before the vCPU's first instruction and after all other hooks of
 * registers. */
void machine_trace_start(struct vcpu *vcpu);
/* Note the state before and after each exception entry and exception return. */
void machine_trace_before_el_change(struct vcpu *vcpu);
void machine_trace_after_el_change(struct vcpu *vcpu);

#endif
