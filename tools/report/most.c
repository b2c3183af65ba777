/* SPDX-License-Identifier: MIT */
/* See most.h. */
#include "most.h"

#include "../base/common.h"
#include "../types/debug_index.h"

#include <stdlib.h>

void most_add(struct most *most, const char *text, uint64_t weight)
{
	size_t i;

	most->all += weight;
	if (!*text)
		return;
	if (map_insert(&most->index, debug_text_key(text), &i))
		GROW(most->of, i, most->capacity)[i] = (struct most_item){xstrdup(text), 0};
	most->of[i].weight += weight;
}

static int compare_items(const void *pa, const void *pb)
{
	const struct most_item *a = pa, *b = pb;

	return compare_numbers(b->weight, a->weight);
}

/* Write an item, unless its share is too small. Return the length. */
static size_t write_item(char *text, size_t size, const struct most_item *item, uint64_t all,
                         unsigned least)
{
	double share = 100.0 * (double)item->weight / (double)(all ? all : 1);

	if (!item->weight || share < least)
		return 0;
	if (share > 99.5)
		return (size_t)snprintf(text, size, "%s", item->text);
	return (size_t)snprintf(text, size, "%s %.0f%%", item->text, share);
}

void most_write(char text[MOST_TEXT], struct most *most, unsigned count, unsigned least)
{
	size_t n = most->index.count, used = 0;

	text[0] = 0;
	if (n)
		qsort(most->of, n, sizeof(*most->of), compare_items);
	for (size_t i = 0; i < n; i++) {
		char one[MOST_TEXT];

		if (i < count && used < MOST_TEXT &&
		    write_item(one, sizeof(one), &most->of[i], most->all, least))
			used += (size_t)snprintf(text + used, MOST_TEXT - used, "%s%s",
			                         used ? ", " : "", one);
		free(most->of[i].text);
	}
	free(most->of);
	map_free(&most->index);
	*most = (struct most){0};
}
