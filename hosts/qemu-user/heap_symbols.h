/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The allocators of a program, by the symbols of its files. */
#ifndef HEAP_SYMBOLS_H
#define HEAP_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of functions, with their arguments other than the size. */
enum heap_action {
	HEAP_ALLOCATE,       /* returns memory */
	HEAP_POSIX_MEMALIGN, /* stores its result at x0 */
	HEAP_REALLOC,        /* replaces the object at x0 */
	HEAP_FREE,           /* frees the object at x0 */
	HEAP_MMAP,           /* flags in x3 */
	HEAP_MREMAP,         /* replaces x1 bytes at x0 */
	HEAP_MUNMAP,         /* unmaps x1 bytes at x0 */
};

struct heap_function {
	const char *symbol;
	bool prefix; /* `symbol` is a prefix of names */
	enum heap_action action;
	const char *call; /* name in the recording */
	uint8_t size;     /* index of the argument with the size in bytes */
	uint8_t count;    /* index of the argument that multiplies the size; 0: none */
};

/* Add the allocators of the ELF file at path, whose part from `offset` on is mapped at start. */
void heap_symbols_add(const char *path, uint64_t start, uint64_t len, uint64_t offset);
/* Return the allocator that begins at this address, or NULL. */
const struct heap_function *heap_symbols_find(uint64_t address);

#endif
