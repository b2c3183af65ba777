/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings of the guest's memory: MMAP2 events with guest addresses.
 *
 * The files come from /proc/self/maps at the start, and from the guest's system calls later. The
 * guest's memory and its protection come from QEMU's page flags, because QEMU maps the guest's code
 * as readable only.
 */
#ifndef MAPPINGS_H
#define MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Record all mappings of the guest, before its first instruction. */
void mappings_initial(void);

/* Record the guest's mappings in [start, start + len), which have just been made or changed. */
void mappings_range(uint64_t start, uint64_t len);

/* Record memory without a file that the guest has just mapped, with perf's name for it ("[heap]",
 * "//anon"). */
void mappings_memory(uint64_t start, uint64_t len, int prot, bool shared, const char *name);

/* Record memory under another name, even if it has been recorded before. */
void mappings_named(uint64_t start, uint64_t len, const char *name);

/* Return the host address of guest address addr. */
void *mappings_host(uint64_t addr);

/*
 * Find the physical address of guest address va, whose top byte is ignored. In user-mode emulation
 * it is a physical address of the host. Return false if the address is unknown, because the page is
 * not in memory or the kernel hides frame numbers from processes without CAP_SYS_ADMIN.
 */
bool mappings_physical(uint64_t *pa, uint64_t va);

/* Return true if the guest may read, and with `write` also write, size bytes at addr. Another
 * thread may change that at any time, so use guest_memory.h to read. */
bool mappings_accessible(uint64_t addr, uint64_t size, bool write);

#endif
