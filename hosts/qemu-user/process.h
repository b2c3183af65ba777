/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of the process and its threads: creation, fork, exec, signals, exit.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu_plugin_api.h"
#include "vcpu.h"

void process_vcpu_init(qemu_plugin_id_t id, unsigned cpu);
void process_vcpu_exit(qemu_plugin_id_t id, unsigned cpu);
void process_atexit(qemu_plugin_id_t id, void *udata);
void process_syscall(qemu_plugin_id_t id, unsigned cpu, int64_t num, uint64_t a1, uint64_t a2,
                     uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
void process_syscall_ret(qemu_plugin_id_t id, unsigned cpu, int64_t num, int64_t ret);

/* Once, at installation: hooks of the C library. False if there is no memory. */
bool process_install(void);

/* The thread executes its first block: give it a lane and an SPU, load the countdown. */
void process_thread_start(struct vcpu *vcpu);

/* Whether the guest has a signal handler at pc. */
bool process_is_handler(uint64_t pc);

/* Deliver what all threads have; with every other thread kept out of guest code. */
void process_drain_all(bool restart);

/* The first event of an image: its name, as of an exec. */
void process_comm_exec(void);

#endif
