/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's system calls that matter to its recording: callbacks of QEMU. */
#ifndef SYSCALL_H
#define SYSCALL_H

#include <stdint.h>

void syscall_begins(unsigned cpu, int64_t num, const uint64_t argument[8]);
void syscall_returns(unsigned cpu, int64_t num, int64_t ret);

#endif
