/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timing model of lib/timing, one core for each vCPU: latencies, data sources and cache, TLB
 * and branch events of samples.
 *
 * It gets every memory access and branch while an SPU can sample, so it costs several times as much
 * as sampling alone. Its caches tag EL0 addresses with their address space, so that processes share
 * only lines of shared addresses.
 */
#ifndef TIMING_H
#define TIMING_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

/* Make the vCPU's core, if the configuration has a machine. */
void timing_start(struct vcpu *vcpu);

/* Give the model a memory access. Callback of each memory access. */
void timing_memory_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t va, void *insn);

/* Decide the branch that led to the block. Callback of each block's entry. */
void timing_block(unsigned cpu, void *block);
/* Note an exception or an exception return between two blocks. */
void timing_break(struct vcpu *vcpu);

/* Forget the last block, because blocks are dropped or the block is entered again. */
void timing_forget(struct vcpu *vcpu);

/* Complete the sampled operation with its latencies, events and data source. */
void timing_complete(struct vcpu *vcpu);

#endif
