/* SPDX-License-Identifier: MIT */
/* A map from keys of three numbers to dense indexes 0, 1, 2, ... It is the only hash table of the
 * tools. */
#ifndef TOOLS_MAP_H
#define TOOLS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAP_NONE SIZE_MAX

struct map_key {
	uint64_t a, b, c;
};

/* A zeroed struct is an empty map. */
struct map {
	struct map_key *keys; /* keys by index */
	size_t count, capacity;
	uint32_t *slots; /* index + 1, or 0 */
	size_t slot_count;
};

/* Return a hash whose lowest bits are well mixed. */
size_t map_hash(const struct map_key *key);
/* Return the index of key, or MAP_NONE if the map does not have it. */
size_t map_find(const struct map *m, struct map_key key);
/* Return the index of a key. A new key gets the next index, m->count - 1 after the call. */
size_t map_add(struct map *m, struct map_key key);
/* Set *index to the index of key. Return true if the key is new. */
static inline bool map_insert(struct map *m, struct map_key key, size_t *index)
{
	size_t before = m->count;

	*index = map_add(m, key);
	return *index == before;
}
/* Return a hash of two numbers with this number of bits, for a cache. */
static inline uint32_t hash_pair(uint64_t a, uint64_t b, unsigned bits)
{
	return (uint32_t)((a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xd6e8feb86659fd93)) >>
	                  (64 - bits));
}
/* Remove all entries and free the memory. */
void map_free(struct map *m);

#endif
