/* SPDX-License-Identifier: MIT */
/*
 * Objects are counted by the distances of the sampled ones, because a sample in thousands sees few
 * of them: if the distances are alike, the memory between them is full of objects. A large gap
 * divides two arrays or pieces of heap.
 */
#include "type_use.h"

#include "../base/common.h"

#include <stdlib.h>

enum {
	GAP = 64,          /* times the mean distance that divide two pieces of memory */
	FAR = 1 << 26,     /* bytes that divide them in any case */
	FEW = 4,           /* samples for each object that show all objects */
	IN_ARRAY = 9,      /* tenths of the distances that are multiples of the size */
	MALLOC_ROUND = 16, /* distances of heap objects are multiples of this */
	MALLOC_HEADER = 8,
};

static int compare_bases(const void *pa, const void *pb)
{
	const struct visit *a = pa, *b = pb;

	return a->pid != b->pid ? compare_numbers(a->pid, b->pid)
	                        : compare_numbers(a->base, b->base);
}

static int compare_distances(const void *pa, const void *pb)
{
	return compare_numbers(*(const uint64_t *)pa, *(const uint64_t *)pb);
}

void sort_distances(uint64_t *distances, size_t count)
{
	if (count)
		qsort(distances, count, sizeof(*distances), compare_distances);
}

/* Write the distances of neighboring objects. Return their number. */
static size_t distances_of(uint64_t *distances, const struct visit *visits, size_t count)
{
	size_t n = 0;

	for (size_t i = 1; i < count; i++) {
		if (compare_bases(&visits[i - 1], &visits[i]) && visits[i].pid == visits[i - 1].pid)
			distances[n++] = visits[i].base - visits[i - 1].base;
	}
	return n;
}

/* Return the largest distance of objects that are in one piece of memory. Sort out larger ones
 * until none is much larger than the mean of the rest. */
static uint64_t largest_distance(const uint64_t *distances, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)distances[i];
	while (n > 1 &&
	       (distances[n - 1] > FAR || (double)distances[n - 1] * (double)n > GAP * sum))
		sum -= (double)distances[--n];
	return n ? distances[n - 1] : 0;
}

/* Estimate the number of objects from the sorted distances. */
static double count_objects(const struct type_use *use, const uint64_t *distances, size_t n,
                            uint64_t largest)
{
	uint64_t chunk =
	        (use->size + MALLOC_HEADER + MALLOC_ROUND - 1) / MALLOC_ROUND * MALLOC_ROUND;
	uint64_t stride = use->is_array ? use->size : chunk;
	double objects = (double)(use->seen - n);

	for (size_t i = 0; i < n; i++) {
		bool one = distances[i] > largest || distances[i] < stride;

		objects += one ? 1 : (double)distances[i] / (double)stride;
	}
	return objects;
}

static void find_objects(struct visits *v, struct type_use *use)
{
	uint64_t *distances = xcalloc(v->count + 1, sizeof(*distances));
	size_t n, multiples = 0;

	for (size_t i = 0; i < v->count; i++)
		use->seen += !i || compare_bases(&v->of[i - 1], &v->of[i]) != 0;
	n = distances_of(distances, v->of, v->count);
	sort_distances(distances, n);
	for (size_t i = 0; i < n; i++)
		multiples += distances[i] % use->size == 0;
	use->is_array = n && 10 * multiples >= IN_ARRAY * n;
	v->largest = largest_distance(distances, n);
	use->objects = use->samples >= FEW * use->seen
	                       ? (double)use->seen
	                       : count_objects(use, distances, n, v->largest);
	free(distances);
}

void visits_find(struct visits *v, struct type_use *use, const struct profile *p,
                 const struct group *group)
{
	double operations = 0, samples = 0;

	*v = (struct visits){.of = xcalloc(group->count + 1, sizeof(*v->of))};
	for (size_t i = 0; i < group->count; i++) {
		const struct touch *touch = member_touch(&group->members[i]);
		const struct place *place = &p->samples.places[touch->bin.place];

		v->of[v->count++] = (struct visit){.place = place,
		                                   .pid = p->lines[touch->line].pid,
		                                   .tid = place->task->tid,
		                                   .time = touch->time,
		                                   .base = touch_base(p, touch)};
		operations += (double)touch->bin.sums.operations;
		samples += (double)touch->bin.sums.samples;
	}
	v->period = samples > 0 ? operations / samples : 0;
	qsort(v->of, v->count, sizeof(*v->of), compare_bases);
	find_objects(v, use);
}

bool visits_offset(const struct visits *v, const struct type_use *use, uint64_t *offset,
                   uint32_t pid, uint64_t address)
{
	const struct visit key = {.pid = pid, .base = address};
	uint64_t distance;
	size_t low;

	COUNT_LEADING(low, v->count, mid, compare_bases(&v->of[mid], &key) <= 0);
	if (!low || v->of[low - 1].pid != pid)
		return false;
	distance = address - v->of[low - 1].base;
	*offset = distance % use->size;
	return distance < use->size || (use->is_array && low < v->count && v->of[low].pid == pid &&
	                                v->of[low].base - v->of[low - 1].base <= v->largest);
}
