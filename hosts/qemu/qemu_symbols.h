/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of QEMU outside the plugin interface that both plugins use. Debian's binaries export
 * them because they are built with modules. They are weak because another build may not export
 * them. */
#ifndef QEMU_SYMBOLS_H
#define QEMU_SYMBOLS_H

#include <stdint.h>

#include "qemu_plugin_api.h"

struct CPUState;

extern QEMU_WEAK __thread struct CPUState *current_cpu; /* the calling thread's CPU */
QEMU_WEAK uint32_t curr_cflags(struct CPUState *cpu);   /* translation flags in force */
QEMU_WEAK _Noreturn void cpu_loop_exit_restore(struct CPUState *cpu, uintptr_t ra);
/* Keep all other threads out of guest code between the two calls. */
QEMU_WEAK void start_exclusive(void);
QEMU_WEAK void end_exclusive(void);

#endif
