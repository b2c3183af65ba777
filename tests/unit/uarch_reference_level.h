/* SPDX-License-Identifier: MIT */
/* A part of the second model in test_uarch_reference.c: caches and TLBs, as lists from the most to
 * the least recently used entry. */
#ifndef SPEMU_TESTS_UARCH_REFERENCE_LEVEL_H
#define SPEMU_TESTS_UARCH_REFERENCE_LEVEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "timing/uarch.h"

enum state { INVALID, SHARED, EXCLUSIVE, MODIFIED };

/* A line or a page in a list, with its state. */
struct item {
	uint64_t number;
	enum state state; /* state in a cache */
	bool unused;      /* prefetched into L1, and not used since */
	uint64_t sharers; /* directory bits of the sharers */
	bool owned;       /* true if one core has the line exclusive or modified */
};

struct list {
	struct item item[64];
	unsigned count;
};

/* A level with a list for each set. A level without sets is absent. */
struct level {
	struct list *set;
	unsigned sets, ways;
};

static void make_level(struct level *level, struct uarch_level of)
{
	level->ways = of.ways;
	level->sets = of.entries ? of.entries / of.ways : 0;
	level->set = calloc(level->sets + 1, sizeof(*level->set));
	assert_non_null(level->set);
}

static struct list *set_of(struct level *level, uint64_t number)
{
	return &level->set[number % level->sets];
}

static struct item *find(struct level *level, uint64_t number)
{
	struct list *list = set_of(level, number);

	for (unsigned i = 0; i < list->count; i++)
		if (list->item[i].number == number)
			return &list->item[i];
	return NULL;
}

static void take_out(struct level *level, uint64_t number)
{
	struct list *list = set_of(level, number);
	struct item *item = find(level, number);

	if (!item)
		return;
	memmove(item, item + 1, (size_t)(&list->item[--list->count] - item) * sizeof(*item));
}

/* Move an item to the front, and return it. *dropped is the item that was evicted, or has the
 * number UINT64_MAX if there is none. */
static struct item *to_front(struct level *level, uint64_t number, struct item *dropped)
{
	struct list *list = set_of(level, number);
	struct item item = {.number = number}, *there = find(level, number);

	dropped->number = UINT64_MAX;
	if (there) {
		item = *there;
		take_out(level, number);
	} else if (list->count == level->ways) {
		*dropped = list->item[--list->count];
	}
	memmove(&list->item[1], &list->item[0], list->count++ * sizeof(item));
	list->item[0] = item;
	return &list->item[0];
}

#endif
