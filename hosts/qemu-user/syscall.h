/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's system calls that matter to its recording: callbacks of QEMU. */
#ifndef SYSCALL_H
#define SYSCALL_H

#include "qemu_plugin_api.h"

void syscall_begins(qemu_plugin_id_t id, unsigned cpu, int64_t num, uint64_t a1, uint64_t a2,
                    uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
void syscall_returns(qemu_plugin_id_t id, unsigned cpu, int64_t num, int64_t ret);

#endif
