/* SPDX-License-Identifier: MIT */
/* The variable, stack, heap object or mapping at an address, and its name. */
#ifndef TOOLS_DATA_MEMORY_H
#define TOOLS_DATA_MEMORY_H

#include "place.h"

enum memory_kind {
	MEMORY_UNKNOWN,
	MEMORY_GLOBAL,  /* variable with a symbol */
	MEMORY_STACK,   /* stack of a thread */
	MEMORY_HEAP,    /* heap object whose allocation was recorded */
	MEMORY_MAPPING, /* any other mapping */
};
const char *memory_word(enum memory_kind kind);

struct heap_row;
struct memory {
	enum memory_kind kind;
	struct object *object; /* file that is mapped there, or NULL */
	const char *name;
	uint64_t start, size;            /* address and size of the symbol, or 0 */
	const struct heap_row *heap_row; /* row of MEMORY_HEAP in a report, else NULL */
	uint64_t offset;                 /* offset of the address in the variable or heap object */
};

/* Return the memory at an address of a process. heap is the heap object there, or NULL. The caller
 * sets the name of MEMORY_HEAP, for example to allocation_name(). */
struct memory memory_at(struct session *s, uint32_t pid, uint64_t addr, uint64_t time,
                        const struct heap_object *heap);
/* Write the name, with the offset unless it is 0. */
void memory_name(char *text, size_t size, const struct memory *m);

/*
 * Return the source line of an allocating call, or 0. If the call is inlined, as in C++ containers,
 * that is the line of the outermost function, which uses the container.
 */
int allocation_line(const struct place *place, const char **file);
/* Return the name of the objects that a call allocates, as "malloc@make_node:12". Look up the
 * symbol and the line of the place first. The caller frees the text. */
char *allocation_name(const struct place *place, const char *call);

#endif
