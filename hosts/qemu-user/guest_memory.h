/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the guest's memory. Nothing else in the plugin dereferences an address of the guest.
 *
 * Another thread of the guest can unmap or protect memory at any time, so that a check before a
 * copy proves nothing. The kernel makes these copies: memory that is not there is an error code,
 * and never a signal.
 */
#ifndef GUEST_MEMORY_H
#define GUEST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copy `size` bytes at guest address `addr`. Return false if the guest cannot read all of them;
 * `to` is then undefined. */
bool guest_read(void *to, uint64_t addr, size_t size);

/* Copy up to `size` bytes, ending before the first page that the guest cannot read. Return how many
 * were copied. */
size_t guest_read_part(void *to, uint64_t addr, size_t size);

/*
 * Copy the string at `addr`, at most `max` bytes with its NUL. Return it in memory of malloc(), or
 * NULL if it is not readable to its end, is longer, or there is no memory.
 */
char *guest_string(uint64_t addr, size_t max);

#endif
