/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Physical addresses of the guest's data.
 *
 * User-mode emulation gives the guest no physical memory of its own: its pages are this process's,
 * and the physical address of an access is the host's, as /proc/self/pagemap shows it to those with
 * CAP_SYS_ADMIN.
 */
#ifndef PHYSICAL_H
#define PHYSICAL_H

#include <stdbool.h>
#include <stdint.h>

/* The physical address behind guest address va (its top byte ignored); false if it is not to be
 * had: the page is not in memory, or the frame number is hidden. */
bool physical_address(uint64_t *pa, uint64_t va);

#endif
