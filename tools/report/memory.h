/* SPDX-License-Identifier: MIT */
/* What data addresses are of: objects of a program, stacks, heaps, files. */
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
	struct object *object; /* what is mapped there; NULL: unknown */
	const char *name;
	uint64_t start, size;        /* of a symbol: its vaddr and bytes; else 0 */
	const struct heap_row *site; /* of MEMORY_HEAP */
	uint64_t offset;             /* of the address that was looked up, in it */
};

static inline uint64_t touch_address(const struct touch *t, const struct profile *p)
{
	return p->lines[t->line].addr + t->offset;
}

/* What was there when a touch was made first. */
struct memory memory_of_touch(struct profile *p, const struct touch *touch);
/* Looks up all touches, once: their member memory is an index of p->memories. */
void memory_find_all(struct profile *p);

/* The name of what is there, with the offset in it where there is a beginning to count from. */
void memory_name(char *text, size_t size, const struct memory *m);

/* The names of everything that was touched on the line: up to three. */
void line_names(char *text, size_t size, struct profile *p, const struct cache_line *line);

#endif
