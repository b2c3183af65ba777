/* SPDX-License-Identifier: MIT */
/* Files and facts from which the kernel's symbols are found. */
#ifndef TOOLS_KERNEL_OBJECT_H
#define TOOLS_KERNEL_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#define COPY_KALLSYMS                                                                             \
	"copy /proc/kallsyms of that machine as root, before it reboots, and give the copy with " \
	"--kallsyms FILE"

/* Set a file that the user names. Die if it cannot be read. A different build-id is reported later,
 * when the kernel is loaded. */
void kernel_set_kallsyms(const char *path);
void kernel_set_vmlinux(const char *path);
/* Return true if the user or the recording provides a file with the kernel's symbols. */
bool kernel_is_given(void);

/* Return the symbols of a list that has the recorded addresses, by enum symbol_kind, or NULL. The
 * list includes those of modules. Valid after the kernel was loaded. */
struct symbol_list;
const struct symbol_list *kernel_listed(void);
/* Return the release of the recorded kernel, or NULL. */
const char *kernel_release(void);

/* Set the symbol list that is part of the recording, or the kernel's release. */
void kernel_set_recorded_kallsyms(const char *path);
void kernel_set_release(const char *release);
/*
 * Record the address of a symbol. Return its distance from the symbol's address in the first
 * recording, because a kernel has other addresses after each boot.
 */
uint64_t kernel_set_reference(const char *symbol, uint64_t address);

#endif
