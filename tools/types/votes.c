/* SPDX-License-Identifier: MIT */
/* See votes.h. */
#include "votes.h"

#include "../base/common.h"

#include <stdlib.h>

enum {
	LEAST_SHARE = 20,   /* a type needs 1/20 of the votes of the most frequent one */
	ARRAY_SHARE = 10,   /* an array needs 1/10 of the votes of its object */
	CONFLICT_SHARE = 20 /* objects with 1/20 contradicting votes are dropped */
};

struct vote {
	uint64_t owner; /* object or kind */
	struct types *types;
	struct type *type;
	uint64_t offset, count;
};

/* Votes by owner, sorted by owner and type after votes_finish(). */
struct ballot {
	struct map index;
	struct map dropped; /* owners of several types, such as suballocated objects */
	struct vote *of;
	size_t count, capacity;
};

struct votes {
	struct ballot objects, kinds;
};

struct votes *votes_new(void)
{
	return xcalloc(1, sizeof(struct votes));
}

static void free_ballot(struct ballot *b)
{
	map_free(&b->index);
	map_free(&b->dropped);
	free(b->of);
}

void votes_free(struct votes *v)
{
	free_ballot(&v->objects);
	free_ballot(&v->kinds);
	free(v);
}

static void count_vote(struct ballot *b, uint64_t owner, struct types *types, struct type *type,
                       uint64_t offset)
{
	size_t i;

	if (map_insert(&b->index, (struct map_key){owner, (uintptr_t)type, offset}, &i))
		GROW(b->of, i, b->capacity)[i] = (struct vote){owner, types, type, offset, 0};
	b->of[i].count++;
	b->count = b->index.count;
}

void votes_add(struct votes *v, uint64_t object, uint64_t kind, struct types *types,
               struct type *type, uint64_t offset)
{
	count_vote(&v->objects, object, types, type, offset);
	count_vote(&v->kinds, kind, types, type, offset);
}

static int compare_votes(const void *pa, const void *pb)
{
	const struct vote *a = pa, *b = pb;

	if (a->owner != b->owner)
		return compare_numbers(a->owner, b->owner);
	if (a->type != b->type)
		return compare_numbers((uintptr_t)a->type, (uintptr_t)b->type);
	return compare_numbers(a->offset, b->offset);
}

/* Return the votes of an owner, and set their number. */
static const struct vote *votes_of(const struct ballot *b, size_t *count, uint64_t owner)
{
	size_t first, end;

	COUNT_LEADING(first, b->count, mid, b->of[mid].owner < owner);
	COUNT_LEADING(end, b->count, mid, b->of[mid].owner <= owner);
	*count = end - first;
	return *count ? b->of + first : NULL;
}

/* Return the vote whose type contains the offset: the largest type among the frequent ones. */
static const struct vote *containing(const struct vote *votes, size_t n, uint64_t offset)
{
	const struct vote *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		if (offset - votes[i].offset < votes[i].type->size && votes[i].count > most)
			most = votes[i].count;
	}
	for (size_t i = 0; i < n; i++) {
		const struct vote *v = &votes[i];

		if (offset - v->offset >= v->type->size || v->count * LEAST_SHARE < most)
			continue;
		if (!best || v->type->size > best->type->size)
			best = v;
	}
	return best;
}

/* Find the element type of an object that is an array. The votes for it are at several offsets, and
 * their distances are multiples of its size. */
static struct type *array_element(struct types **types, uint64_t *in_type, const struct vote *votes,
                                  size_t n, uint64_t offset)
{
	const struct vote *best = NULL;
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += votes[i].count;
	for (size_t i = 0, end; i < n; i = end) {
		uint64_t size = votes[i].type->size, sum = 0;
		bool same = true;

		for (end = i; end < n && votes[end].type == votes[i].type; end++) {
			same = same && votes[end].offset % size == votes[i].offset % size;
			sum += votes[end].count;
		}
		if (same && end - i > 1 && sum * ARRAY_SHARE >= all &&
		    offset >= votes[i].offset % size && (!best || size > best->type->size))
			best = &votes[i];
	}
	if (!best)
		return NULL;
	*types = best->types;
	*in_type = (offset - best->offset % best->type->size) % best->type->size;
	return best->type;
}

static struct type *find_in(const struct ballot *b, struct types **types, uint64_t *in_type,
                            uint64_t owner, uint64_t offset)
{
	size_t n;
	const struct vote *votes = votes_of(b, &n, owner), *v = containing(votes, n, offset);

	if (map_find(&b->dropped, (struct map_key){owner, 0, 0}) != MAP_NONE)
		return NULL;
	if (!v)
		return array_element(types, in_type, votes, n, offset);
	*types = v->types;
	*in_type = offset - v->offset;
	return v->type;
}

/* Drop the owner if its votes contradict the answers that they give. */
static void judge_owner(struct ballot *b, const struct vote *votes, size_t n)
{
	uint64_t all = 0, contradicting = 0;

	for (size_t i = 0; i < n; i++) {
		const struct vote *best = containing(votes, n, votes[i].offset);

		all += votes[i].count;
		if (best && !type_agrees(best->types, best->type, votes[i].offset - best->offset,
		                         votes[i].type, 0))
			contradicting += votes[i].count;
	}
	if (contradicting * CONFLICT_SHARE > all)
		map_add(&b->dropped, (struct map_key){votes->owner, 0, 0});
}

static void finish(struct ballot *b)
{
	if (b->count)
		qsort(b->of, b->count, sizeof(*b->of), compare_votes);
	map_free(&b->index);
	for (size_t i = 0, end; i < b->count; i = end) {
		for (end = i; end < b->count && b->of[end].owner == b->of[i].owner; end++)
			;
		judge_owner(b, b->of + i, end - i);
	}
}

void votes_finish(struct votes *v)
{
	finish(&v->objects);
	finish(&v->kinds);
}

struct type *votes_of_object(const struct votes *v, struct types **types, uint64_t *in_type,
                             uint64_t object, uint64_t offset)
{
	return find_in(&v->objects, types, in_type, object, offset);
}

struct type *votes_of_kind(const struct votes *v, struct types **types, uint64_t *in_type,
                           uint64_t kind, uint64_t offset)
{
	return find_in(&v->kinds, types, in_type, kind, offset);
}
