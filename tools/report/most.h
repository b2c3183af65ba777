/* SPDX-License-Identifier: MIT */
/* A short list of the texts with the most weight, as "next 31%, price 5%". */
#ifndef TOOLS_REPORT_MOST_H
#define TOOLS_REPORT_MOST_H

#include "../base/map.h"

enum { MOST_TEXT = 400 };

struct most_item {
	char *text;
	uint64_t weight;
};

/* All zero is empty. */
struct most {
	struct map index;
	struct most_item *of;
	size_t capacity;
	uint64_t all; /* sum of the weights, also of empty texts */
};

/* Add a weight to a text. An empty text counts for the shares of the others alone. */
void most_add(struct most *most, const char *text, uint64_t weight);
/*
 * Write at most `count` texts with their shares, the largest first, and empty the list. A share of
 * 100 % is not written. Texts below `least` percent are left out.
 */
void most_write(char text[MOST_TEXT], struct most *most, unsigned count, unsigned least);

#endif
