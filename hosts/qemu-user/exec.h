/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execve() of the guest: the new image stays under the plugin.
 *
 * QEMU passes execve() to the host's kernel, which cannot run AArch64 programs, or runs them by
 * binfmt_misc without a plugin. So when the guest calls execve() on an AArch64 ELF file, or on a
 * script whose interpreter is one, the plugin itself executes QEMU with the options that this
 * process was started with, as the kernel would have done with binfmt_misc. Everything else, and
 * everything that fails here, is left to QEMU.
 */
#ifndef EXEC_H
#define EXEC_H

#include <stdint.h>

/* Keep what a later exec needs from this process's command line. Once, at installation. */
void exec_install(void);

/* The guest calls execve(path, argv, envp), in guest addresses. Returns if QEMU is to do it. */
void exec_call(uint64_t path, uint64_t argv, uint64_t envp);

#endif
