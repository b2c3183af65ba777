/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lies where in the guest's memory: MMAP2 events with guest addresses.
 *
 * /proc/self/maps at the start and the guest's system calls say which file lies where. QEMU's own
 * page flags say which memory is the guest's and with which protection, as QEMU maps the guest's
 * code readable only.
 */
#ifndef MAPPINGS_H
#define MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

/* All mappings of the guest, before its first instruction. */
void mappings_initial(void);

/* The guest's mappings in [start, start + len), which have just been made or changed. */
void mappings_range(uint64_t start, uint64_t len);

/* Memory of no file that the guest has just been given, with the name that perf has for it
 * ("[heap]", "//anon"). */
void mappings_memory(uint64_t start, uint64_t len, int prot, bool shared, const char *name);

/* The same memory by another name, which is told whatever was told before. */
void mappings_named(uint64_t start, uint64_t len, const char *name);

/* The host address of guest address addr. */
void *mappings_host(uint64_t addr);

/*
 * Find the physical address behind guest address va, whose top byte is ignored. User-mode emulation
 * gives the guest no physical memory of its own: it is that of the host. Return false if it is not
 * known: the page is not in memory, or the kernel hides frame numbers from processes without
 * CAP_SYS_ADMIN.
 */
bool mappings_physical(uint64_t *pa, uint64_t va);

/*
 * Return true if the guest may read, and with `write` also write, size bytes at addr. Another
 * thread may change that at once: guest_memory.h reads.
 */
bool mappings_accessible(uint64_t addr, uint64_t size, bool write);

#endif
