/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of threads, told as mappings: "[stack]" of the first one, "[stack:TID]" of others.
 *
 * A stack is what holds the stack pointer where the thread begins: of the first thread the memory
 * that QEMU made for it, of others what one mmap() made. A stack that a program cuts out of other
 * memory has no name of its own.
 */
#ifndef STACKS_H
#define STACKS_H

#include <stdint.h>

#include "vcpu.h"

/* mmap() made memory of no file there. */
void stacks_mapped(uint64_t start, uint64_t len);

/* The thread is at the entry of its first block. */
void stacks_thread_starts(const struct vcpu *vcpu);

#endif
