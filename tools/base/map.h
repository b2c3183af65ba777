/* SPDX-License-Identifier: MIT */
/* Keys of three numbers to dense indexes 0, 1, 2, ...: the one hash table of the tools. */
#ifndef TOOLS_MAP_H
#define TOOLS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NONE SIZE_MAX

struct map_key {
	uint64_t a, b, c;
};

/* All zero is an empty map. */
struct map {
	struct map_key *keys; /* by index */
	size_t count, capacity;
	uint32_t *slots; /* index + 1, or 0 */
	size_t slot_count;
};

/* A number whose lowest bits are as good as any. */
size_t map_hash(const struct map_key *key);
/* The index of key, MAP_NONE if it is not there. */
size_t map_find(const struct map *m, struct map_key key);
/* The index of key, m->count - 1 after the call if it is new. */
size_t map_add(struct map *m, struct map_key key);
/* Set *index to the index of key. Return true if the key is new. */
static inline bool map_insert(struct map *m, struct map_key key, size_t *index)
{
	size_t before = m->count;

	*index = map_add(m, key);
	return *index == before;
}
/* Remove all entries and free the memory. */
void map_free(struct map *m);

#endif
