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
	struct map dropped;           /* owners of several types, such as suballocated objects */
	struct map arrays;            /* owners that are arrays */
	const struct vote **elements; /* vote for the element type of each array */
	struct vote *of;
	size_t count, capacity, element_capacity;
};

struct votes {
	struct ballot objects, kinds, sites;
};

struct votes *votes_new(void)
{
	return xcalloc(1, sizeof(struct votes));
}

static void free_ballot(struct ballot *b)
{
	map_free(&b->index);
	map_free(&b->dropped);
	map_free(&b->arrays);
	free(b->elements);
	free(b->of);
}

void votes_free(struct votes *v)
{
	free_ballot(&v->objects);
	free_ballot(&v->kinds);
	free_ballot(&v->sites);
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

void votes_add(struct votes *v, const struct voted *voted, struct types *types, struct type *type,
               uint64_t offset)
{
	count_vote(&v->objects, voted->object, types, type, offset);
	count_vote(&v->kinds, voted->kind, types, type, offset);
	count_vote(&v->sites, voted->site, types, type, offset);
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

/* Return the number of the first votes that have one type. */
static size_t votes_of_type(const struct vote *votes, size_t n)
{
	size_t count;

	COUNT_LEADING(count, n, mid, votes[mid].type == votes->type);
	return count;
}

/* Narrow the votes of one type to those whose type contains the offset. Return their number. */
static size_t narrow(const struct vote **votes, size_t n, uint64_t offset)
{
	const struct vote *of = *votes;
	uint64_t size = of->type->size;
	size_t first, end;

	COUNT_LEADING(first, n, mid, of[mid].offset <= offset && offset - of[mid].offset >= size);
	COUNT_LEADING(end, n, mid, of[mid].offset <= offset);
	*votes = of + first;
	return end - first;
}

/* Return the vote whose type contains the offset: the largest type among the frequent ones. */
static const struct vote *containing(const struct vote *votes, size_t n, uint64_t offset)
{
	const struct vote *best = NULL;
	uint64_t most = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0, of_type; i < n; i += of_type) {
			const struct vote *v = &votes[i];
			size_t count;

			of_type = votes_of_type(v, n - i);
			count = narrow(&v, of_type, offset);
			for (const struct vote *end = v + count; v < end; v++) {
				if (!pass && v->count > most)
					most = v->count;
				if (pass && v->count * LEAST_SHARE >= most &&
				    (!best || v->type->size > best->type->size))
					best = v;
			}
		}
	}
	return best;
}

/* Return a vote for the element type of an object that is an array, or NULL. The votes for it are
 * at several offsets, and their distances are multiples of its size. */
static const struct vote *element_vote(const struct vote *votes, size_t n)
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
		    (!best || size > best->type->size))
			best = &votes[i];
	}
	return best;
}

/* Find the element type at an offset of an object that is an array. */
static struct type *array_element(const struct ballot *b, struct types **types, uint64_t *in_type,
                                  uint64_t owner, uint64_t offset)
{
	size_t i = map_find(&b->arrays, (struct map_key){owner, 0, 0});
	const struct vote *element = i == MAP_NONE ? NULL : b->elements[i];
	uint64_t size = element ? element->type->size : 1;

	if (!element || offset < element->offset % size)
		return NULL;
	*types = element->types;
	*in_type = (offset - element->offset % size) % size;
	return element->type;
}

static bool is_dropped(const struct ballot *b, uint64_t owner)
{
	return map_find(&b->dropped, (struct map_key){owner, 0, 0}) != MAP_NONE;
}

static struct type *find_in(const struct ballot *b, struct types **types, uint64_t *in_type,
                            uint64_t owner, uint64_t offset)
{
	size_t n;
	const struct vote *votes = votes_of(b, &n, owner), *v = containing(votes, n, offset);

	if (is_dropped(b, owner))
		return NULL;
	if (!v)
		return array_element(b, types, in_type, owner, offset);
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

/* Return true if the votes contradict an array of such elements. Memory pools are an example. */
static bool contradict(const struct vote *votes, size_t n, const struct vote *element)
{
	uint64_t size = element->type->size, all = 0, contradicting = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t at = (votes[i].offset % size + size - element->offset % size) % size;

		all += votes[i].count;
		if (!type_agrees(element->types, element->type, at, votes[i].type, 0))
			contradicting += votes[i].count;
	}
	return contradicting * CONFLICT_SHARE > all;
}

static void find_array(struct ballot *b, const struct vote *votes, size_t n)
{
	const struct vote *element = n > 1 ? element_vote(votes, n) : NULL;
	size_t i;

	if (element && !contradict(votes, n, element) &&
	    map_insert(&b->arrays, (struct map_key){votes->owner, 0, 0}, &i))
		GROW(b->elements, i, b->element_capacity)[i] = element;
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
		find_array(b, b->of + i, end - i);
	}
}

void votes_finish(struct votes *v)
{
	finish(&v->objects);
	finish(&v->kinds);
	finish(&v->sites);
}

struct type *votes_of_object(const struct votes *v, struct types **types, uint64_t *in_type,
                             const struct voted *voted, uint64_t offset)
{
	return find_in(&v->objects, types, in_type, voted->object, offset);
}

struct type *votes_of_kind(const struct votes *v, struct types **types, uint64_t *in_type,
                           const struct voted *voted, uint64_t offset)
{
	if (is_dropped(&v->sites, voted->site))
		return NULL;
	return find_in(&v->kinds, types, in_type, voted->kind, offset);
}
