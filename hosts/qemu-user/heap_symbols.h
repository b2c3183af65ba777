/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The allocators of a program, by the symbols of its files. */
#ifndef HEAP_SYMBOLS_H
#define HEAP_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* What a function does, and where its arguments are. */
enum heap_action {
	HEAP_SIZE,           /* x0 bytes */
	HEAP_COUNT_SIZE,     /* x0 * x1 bytes */
	HEAP_ALIGN_SIZE,     /* x1 bytes */
	HEAP_POSIX_MEMALIGN, /* x2 bytes, the result where x0 says */
	HEAP_REALLOC,        /* x1 bytes instead of x0 */
	HEAP_REALLOCARRAY,   /* x1 * x2 bytes instead of x0 */
	HEAP_FREE,           /* x0 */
	HEAP_MMAP,           /* x1 bytes, flags in x3 */
	HEAP_MREMAP,         /* x2 bytes instead of x1 bytes at x0 */
	HEAP_MUNMAP,         /* x1 bytes at x0 */
};

struct heap_function {
	const char *symbol;
	bool prefix; /* the symbol begins so */
	enum heap_action action;
	const char *call; /* as the recording names it */
};

/* Add the allocators of the ELF file at path, of which offset is mapped at start. */
void heap_symbols_add(const char *path, uint64_t start, uint64_t len, uint64_t offset);
/* The allocator that begins at address, or NULL. */
const struct heap_function *heap_symbols_find(uint64_t address);

#endif
