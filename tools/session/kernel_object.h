/* SPDX-License-Identifier: MIT */
/* Where the symbols of the kernel come from. */
#ifndef TOOLS_KERNEL_OBJECT_H
#define TOOLS_KERNEL_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

/* Given by the user: what cannot be read, or is of another build-id, ends the program. */
void kernel_set_kallsyms(const char *path);
void kernel_set_vmlinux(const char *path);
/* Whether there are symbols, whatever the recording says of the kernel. */
bool kernel_is_given(void);

/* Of the recording: a list that is part of it, and the name of the kernel's version. */
void kernel_set_recorded_kallsyms(const char *path);
void kernel_set_release(const char *release);
/*
 * Where a symbol was while it was recorded. Returns how much further that is than in the first
 * recording: a kernel that started again is elsewhere.
 */
uint64_t kernel_set_reference(const char *symbol, uint64_t address);

#endif
