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

/* Note that a control register is about to be written. Return true if the write is traced even if
 * the SPU is disabled after it. */
bool machine_trace_before_write(struct vcpu *vcpu, bool always);
/* Trace the write, whose result of machine_trace_before_write() is `reported`. */
void machine_trace_after_write(struct vcpu *vcpu, uint64_t pc, const char *name, uint64_t value,
                               bool reported);
/* Note the state before and after each exception entry and exception return. */
void machine_trace_before_el_change(struct vcpu *vcpu);
void machine_trace_after_el_change(struct vcpu *vcpu);

#endif
