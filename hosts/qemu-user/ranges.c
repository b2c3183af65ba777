/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of ranges; see ranges.h. */
#include "ranges.h"

#include "locks.h"

void ranges_add(struct ranges *ranges, uint64_t start, uint64_t end)
{
	pthread_mutex_lock(&locks[LOCK_RANGES]);
	ranges->range[ranges->next] = (struct range){start, end};
	ranges->next = (ranges->next + 1) % ranges->count;
	pthread_mutex_unlock(&locks[LOCK_RANGES]);
}

void ranges_remove(struct ranges *ranges, uint64_t start, uint64_t end)
{
	pthread_mutex_lock(&locks[LOCK_RANGES]);
	for (unsigned i = 0; i < ranges->count; i++)
		if (ranges->range[i].start < end && start < ranges->range[i].end)
			ranges->range[i] = (struct range){0, 0};
	pthread_mutex_unlock(&locks[LOCK_RANGES]);
}

bool ranges_find(struct range *found, const struct ranges *ranges, uint64_t start, uint64_t end)
{
	bool any = false;

	pthread_mutex_lock(&locks[LOCK_RANGES]);
	for (unsigned i = 1; i <= ranges->count && !any; i++) {
		const struct range *r =
		        &ranges->range[(ranges->next + ranges->count - i) % ranges->count];

		any = r->start <= start && end <= r->end;
		if (any && found)
			*found = *r;
	}
	pthread_mutex_unlock(&locks[LOCK_RANGES]);
	return any;
}
