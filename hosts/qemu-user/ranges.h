/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of the ranges of memory that were added last. A new range replaces the oldest. */
#ifndef RANGES_H
#define RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* From start to before end. An unused entry has end 0. */
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

/* Remove the ranges that overlap this one. */
void ranges_remove(struct ranges *ranges, uint64_t start, uint64_t end);

/* Find the newest range that contains everything from start to before end. `found` may be NULL. */
bool ranges_find(struct range *found, const struct ranges *ranges, uint64_t start, uint64_t end);

#endif
