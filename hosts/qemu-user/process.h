/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creation, fork and exit of the process and its threads, and callbacks of QEMU.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu_plugin_api.h"
#include "vcpu.h"

void process_vcpu_init(unsigned cpu);
void process_vcpu_exit(unsigned cpu);
void process_atexit(void);

/*
 * Make the blocks of a translation and register their callbacks (translate.c). In user mode QEMU
 * translates under its mmap lock, so there is one translation at a time.
 */
void translate_block(struct qemu_plugin_tb *tb);

/* Follow the guest's system calls (syscall.c). */
void syscall_begins(unsigned cpu, int64_t num, const uint64_t argument[8]);
void syscall_returns(unsigned cpu, int64_t num, int64_t ret);

/* Start a thread that executes its first block: give it a lane and an SPU, and load its
 * countdown. */
void process_thread_start(struct vcpu *vcpu);

/* End the thread's operation in flight, because the thread makes a system call. */
void process_end_sample(struct vcpu *vcpu);

/* Restart recording if the calling process is the child of a fork. Called when a system call that
 * made a thread or process returns. */
void process_after_fork(struct vcpu *vcpu);

/* Deliver the buffers of all threads, while every other thread is kept out of guest code. */
void process_drain_all(void);

#endif
