/* SPDX-License-Identifier: MIT */
/* The variable, stack, heap object or mapping at each touch. */
#ifndef TOOLS_REPORT_MEMORY_H
#define TOOLS_REPORT_MEMORY_H

#include "profile.h"
#include "../session/data_memory.h"

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

/* Write the names of up to three sampled objects on the cache line. */
void line_names(char *text, size_t size, struct profile *p, const struct cache_line *line);

#endif
