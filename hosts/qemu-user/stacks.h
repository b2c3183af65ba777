/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of threads, recorded as mappings: "[stack]" of the first thread, "[stack:TID]" of others.
 *
 * A thread's stack is the memory around its stack pointer when the thread begins. For the first
 * thread it is memory that QEMU mapped, for others the memory of one mmap(). A stack that a program
 * cuts out of other memory does not get a name.
 */
#ifndef STACKS_H
#define STACKS_H

#include <stdint.h>

#include "vcpu.h"

/* Note that mmap() made memory without a file at these addresses. */
void stacks_mapped(uint64_t start, uint64_t len);

/* Record the stack of a thread that is at the entry of its first block. */
void stacks_thread_starts(const struct vcpu *vcpu);

#endif
