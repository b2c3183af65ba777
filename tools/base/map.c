/* SPDX-License-Identifier: MIT */
/* See map.h. The table uses open addressing with linear probing, and is at most half full. */
#include "map.h"
#include "common.h"

#include <stdlib.h>

size_t map_hash(const struct map_key *k)
{
	uint64_t h = k->a * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ (h >> 32) ^ k->b) * UINT64_C(0xd6e8feb86659fd93);
	h = (h ^ (h >> 32) ^ k->c) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(h ^ (h >> 29));
}

static size_t find_slot(const struct map *m, const struct map_key *key)
{
	size_t i = map_hash(key) & (m->slot_count - 1);

	while (m->slots[i]) {
		const struct map_key *k = &m->keys[m->slots[i] - 1];

		if (k->a == key->a && k->b == key->b && k->c == key->c)
			break;
		i = (i + 1) & (m->slot_count - 1);
	}
	return i;
}

static void grow(struct map *m)
{
	free(m->slots);
	m->slot_count = m->slot_count ? 2 * m->slot_count : 1024;
	m->slots = xcalloc(m->slot_count, sizeof(*m->slots));
	for (size_t i = 0; i < m->count; i++)
		m->slots[find_slot(m, &m->keys[i])] = (uint32_t)(i + 1);
}

size_t map_find(const struct map *m, struct map_key key)
{
	size_t i;

	if (!m->slot_count)
		return MAP_NONE;
	i = find_slot(m, &key);
	return m->slots[i] ? m->slots[i] - 1 : MAP_NONE;
}

size_t map_add(struct map *m, struct map_key key)
{
	size_t i;

	if (2 * m->count >= m->slot_count)
		grow(m);
	i = find_slot(m, &key);
	if (m->slots[i])
		return m->slots[i] - 1;
	if (m->count >= UINT32_MAX - 1)
		die(EXIT_OWN, "the file has more distinct places than spemu can count");
	GROW(m->keys, m->count, m->capacity)[m->count] = key;
	m->slots[i] = (uint32_t)++m->count;
	return m->count - 1;
}

void map_free(struct map *m)
{
	free(m->keys);
	free(m->slots);
	*m = (struct map){0};
}
