/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timing model of lib/timing, one core for each vCPU: latencies, data sources and cache, TLB
 * and branch events of samples.
 *
 * It is told of every access and branch while an SPU can sample, so it costs several times what
 * sampling alone does. Its caches know addresses of EL0 by their address space, so that processes
 * do not share lines that they do not share.
 */
#ifndef TIMING_H
#define TIMING_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

/* Make the vCPU's core, if the configuration has a machine. */
void timing_start(struct vcpu *vcpu);

/* Of each access, as its callback is told. */
void timing_memory_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t va, void *insn);

/* Callback of a block's entry: decides the branch that led there. */
void timing_block(unsigned cpu, void *block);
/* The Exception level has changed: an exception or its return came between blocks. */
void timing_break(struct vcpu *vcpu);

/* Blocks are dropped. */
void timing_forget(struct vcpu *vcpu);

/* What the sampled operation in flight met on its way. */
void timing_complete(struct vcpu *vcpu);

#endif
