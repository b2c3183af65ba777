/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execve() of the guest, which keeps the new image under the plugin.
 *
 * QEMU passes execve() to the host's kernel. The kernel cannot run AArch64 programs, or runs them
 * by binfmt_misc without a plugin. So if the guest calls execve() on an AArch64 ELF file, or on a
 * script with such an interpreter, the plugin executes QEMU itself. It uses the options with which
 * this process was started, as the kernel would with binfmt_misc. QEMU handles every other image,
 * and every failure.
 *
 * QEMU's option -L makes the guest open files of a sysroot, but execute files of this machine. So a
 * shell of the guest would start this machine's programs. The plugin executes the sysroot's file
 * instead if it is an AArch64 program and the file of this machine is not (executable.h).
 */
#ifndef EXEC_H
#define EXEC_H

#include <stdint.h>

/* Keep the options of this process's command line for a later execve(). Call this once, at
 * installation. */
void exec_install(void);

/* Handle the guest's execve(path, argv, envp), with guest addresses. Return if QEMU has to execute
 * it. */
void exec_call(uint64_t path, uint64_t argv, uint64_t envp);

#endif
