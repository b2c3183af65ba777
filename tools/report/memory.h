/* SPDX-License-Identifier: MIT */
/* The variable, stack, heap object or mapping at an address. */
#ifndef TOOLS_REPORT_MEMORY_H
#define TOOLS_REPORT_MEMORY_H

#include "profile.h"

enum memory_kind {
	MEMORY_UNKNOWN,
	MEMORY_GLOBAL,  /* variable with a symbol */
	MEMORY_STACK,   /* stack of a thread */
	MEMORY_HEAP,    /* heap object whose allocation was recorded */
	MEMORY_MAPPING, /* any other mapping */
};
const char *memory_word(enum memory_kind kind);

struct memory {
	enum memory_kind kind;
	struct object *object; /* file that is mapped there, or NULL */
	const char *name;
	uint64_t start, size;            /* address and size of the symbol, or 0 */
	const struct heap_row *heap_row; /* row of MEMORY_HEAP, else NULL */
	uint64_t offset;                 /* offset of the address in the variable or heap object */
};

static inline uint64_t touch_address(const struct touch *t, const struct profile *p)
{
	return p->lines[t->line].addr + t->offset;
}

/* Return a key that is equal for all addresses of an object. */
struct map_key memory_key(const struct memory *m);

/* Return the memory at a touch, as it was at the time of the touch's first memory access. */
struct memory memory_of_touch(struct profile *p, const struct touch *touch);
/* Look up all touches, once. Set touch.memory to an index of p->memories. */
void memory_find_all(struct profile *p);

/* Write the name, with the offset unless it is 0. */
void memory_name(char *text, size_t size, const struct memory *m);

/* Write the names of up to three sampled objects on the cache line. */
void line_names(char *text, size_t size, struct profile *p, const struct cache_line *line);

#endif
