/* SPDX-License-Identifier: MIT */
/* Files and facts from which the kernel's symbols are found. */
#ifndef TOOLS_KERNEL_OBJECT_H
#define TOOLS_KERNEL_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

/* Set a file that the user names. Die if it cannot be read. A different build-id is reported later,
 * when the kernel is loaded. */
void kernel_set_kallsyms(const char *path);
void kernel_set_vmlinux(const char *path);
/* Return true if the user or the recording provides a file with the kernel's symbols. */
bool kernel_is_given(void);

/* Set the symbol list that is part of the recording, or the kernel's release. */
void kernel_set_recorded_kallsyms(const char *path);
void kernel_set_release(const char *release);
/*
 * Record the address of a symbol. Return its distance from the symbol's address in the first
 * recording, because a kernel has other addresses after each boot.
 */
uint64_t kernel_set_reference(const char *symbol, uint64_t address);

#endif
