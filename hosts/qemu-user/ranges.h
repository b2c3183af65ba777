/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of the ranges of memory that were added last; the oldest one gives way to a new one. */
#ifndef RANGES_H
#define RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* From start to before end; an entry that is not used has end 0. */
struct range {
	uint64_t start, end;
};

struct ranges {
	struct range *range;
	unsigned count, next;
};

/* Initialize a table of n ranges. */
#define RANGES(n)                               \
	{                                       \
		(struct range[n]){{0, 0}}, n, 0 \
	}

void ranges_add(struct ranges *ranges, uint64_t start, uint64_t end);

/* Remove the ranges that overlap. */
void ranges_remove(struct ranges *ranges, uint64_t start, uint64_t end);

/* Find the newest range that contains all from start to before end. `found` may be NULL. */
bool ranges_find(struct range *found, const struct ranges *ranges, uint64_t start, uint64_t end);

#endif
