/* SPDX-License-Identifier: MIT */
/* The variable, stack, heap object or mapping at an address. */
#ifndef TOOLS_REPORT_MEMORY_H
#define TOOLS_REPORT_MEMORY_H

#include "profile.h"

enum memory_kind {
	MEMORY_UNKNOWN,
	MEMORY_GLOBAL,  /* an object with a symbol */
	MEMORY_STACK,   /* of a thread */
	MEMORY_HEAP,    /* of an allocation that was recorded */
	MEMORY_MAPPING, /* anything else that is mapped */
};
const char *memory_word(enum memory_kind kind);

struct memory {
	enum memory_kind kind;
	struct object *object; /* the file that is mapped there, or NULL */
	const char *name;
	uint64_t start, size;            /* vaddr and bytes of a symbol; else 0 */
	const struct heap_row *heap_row; /* of MEMORY_HEAP */
	uint64_t offset;                 /* offset of the address in it */
};

static inline uint64_t touch_address(const struct touch *t, const struct profile *p)
{
	return p->lines[t->line].addr + t->offset;
}

/* Return the memory at the time of the first memory access. */
struct memory memory_of_touch(struct profile *p, const struct touch *touch);
/* Look up all touches, once: their member memory is an index of p->memories. */
void memory_find_all(struct profile *p);

/* Write the name, with the offset if the beginning is known. */
void memory_name(char *text, size_t size, const struct memory *m);

/* Write the names of up to three objects on the line that samples access. */
void line_names(char *text, size_t size, struct profile *p, const struct cache_line *line);

#endif
