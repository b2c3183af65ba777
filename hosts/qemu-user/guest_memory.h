/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of the guest's memory. No other part of the plugin dereferences guest addresses.
 *
 * Another thread of the guest can unmap or protect memory at any time, so a check before a copy
 * proves nothing. The kernel makes these copies, so missing memory is an error code and never a
 * signal.
 */
#ifndef GUEST_MEMORY_H
#define GUEST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copy `size` bytes at guest address `addr`. Return false if the guest cannot read all of them;
 * `to` is then undefined. */
bool guest_read(void *to, uint64_t addr, size_t size);

/* Copy up to `size` bytes, but stop before the first page that the guest cannot read. Return the
 * number of bytes copied. */
size_t guest_read_part(void *to, uint64_t addr, size_t size);

/*
 * Copy the string at `addr`, at most `max` bytes with its NUL. Return memory of malloc(), or NULL
 * if the string is longer, not readable to its end, or memory is exhausted.
 */
char *guest_string(uint64_t addr, size_t max);

#endif
