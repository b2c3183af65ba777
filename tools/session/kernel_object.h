/* SPDX-License-Identifier: MIT */
/* The sources of the kernel's symbols. */
#ifndef TOOLS_KERNEL_OBJECT_H
#define TOOLS_KERNEL_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

/* Set a file of the user. Die if it cannot be read; a build-id that differs ends the program
 * later. */
void kernel_set_kallsyms(const char *path);
void kernel_set_vmlinux(const char *path);
/* Return true if there are symbols, whatever the recording says of the kernel. */
bool kernel_is_given(void);

/* Set a list that is part of the recording, and the kernel's release. */
void kernel_set_recorded_kallsyms(const char *path);
void kernel_set_release(const char *release);
/*
 * Record the address of a symbol. Return how far it is above its address in the first recording: a
 * kernel that started again is elsewhere.
 */
uint64_t kernel_set_reference(const char *symbol, uint64_t address);

#endif
