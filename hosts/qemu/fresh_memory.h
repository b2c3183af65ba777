/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FRESH_MEMORY_H
#define FRESH_MEMORY_H

#include <stddef.h>
#include <sys/mman.h>

/* Return size bytes of zeros in their own pages, or NULL. `flags` are added to those of mmap(). */
static inline void *fresh_memory(size_t size, int flags)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1,
	               0);

	return p == MAP_FAILED ? NULL : p;
}

#endif
