/* SPDX-License-Identifier: MIT */
/*
 * Heap objects of a recording, found by buckets. A bucket of class k has the objects of up to 2^k
 * bytes in one aligned piece of 2^k bytes. An object is in one or two buckets of its class. A
 * look-up searches one bucket of each class that has objects.
 */
#define _GNU_SOURCE
#include "allocations.h"
#include "raw_events.h"
#include "../base/common.h"
#include "../base/map.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "[heap] ";

enum { CLASSES = 64, LEAST_CLASS = 4, STEPS_MAX = 4096, CALL_MAX = 31 };

struct bucket {
	uint32_t *objects; /* indexes of objects, sorted by the start of their lifetime */
	uint64_t last;     /* latest end of a lifetime so far */
	size_t count, capacity;
};

struct heap {
	struct raw_events raw;
	/* An image is a process between two execve(). */
	struct map image_index; /* keys are pids */
	uint32_t *image_of;     /* current image of each pid */
	uint64_t *image_ends;
	size_t image_of_capacity, image_count, image_capacity;
	void *calls; /* names of allocators: a tree of tsearch(3) */
	struct map callers_index, allocation_site_index, number_index, bucket_index;
	struct allocation_site *allocation_sites;
	uint32_t *numbered; /* index of the last object with each number */
	struct heap_object *objects;
	struct bucket *buckets;
	size_t allocation_site_capacity, numbered_capacity, object_count, object_capacity,
	        bucket_capacity;
	uint64_t classes; /* size classes that have an object, as bits */
};

struct heap *heap_new(void)
{
	return xcalloc(1, sizeof(struct heap));
}

bool heap_add(struct heap *h, const struct spemu_perf_event *event)
{
	bool exec = event->type == SPEMU_PERF_COMM && event->u.comm.exec;
	bool heap = event->type == SPEMU_PERF_MMAP2 &&
	            !strncmp(event->u.mmap.filename, mark, sizeof(mark) - 1);

	if (!exec && !heap)
		return false;
	raw_events_add(&h->raw, event);
	return heap;
}

static uint32_t new_image(struct heap *h, uint32_t pid)
{
	size_t i;

	if (map_insert(&h->image_index, (struct map_key){pid, 0, 0}, &i))
		(void)GROW(h->image_of, i, h->image_of_capacity);
	h->image_of[i] = (uint32_t)h->image_count;
	GROW(h->image_ends, h->image_count, h->image_capacity)[h->image_count] = UINT64_MAX;
	return (uint32_t)h->image_count++;
}

static uint32_t image_of(struct heap *h, uint32_t pid)
{
	size_t i = map_find(&h->image_index, (struct map_key){pid, 0, 0});

	return i == MAP_NONE ? new_image(h, pid) : h->image_of[i];
}

static void take_exec(struct heap *h, const struct raw_event *raw)
{
	uint32_t pid = raw->event.u.comm.pid, before = image_of(h, pid);

	h->image_ends[before] = raw->time;
	new_image(h, pid);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Return the word after the mark. Equal words are the same pointer. */
static const char *call_of(struct heap *h, const char *filename)
{
	const char *text = filename + sizeof(mark) - 1;
	char word[CALL_MAX + 1];
	const char *const *known;
	char *copy;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, " "), text);
	known = tfind(word, &h->calls, compare_texts);
	if (known)
		return *known;
	copy = xstrdup(word);
	tree_add(&h->calls, copy, compare_texts);
	return copy;
}

/* Read the callers, which follow the word and the address of the call. */
static void read_callers(uint64_t callers[ALLOCATION_CALLERS], const char *filename)
{
	const char *text = filename + sizeof(mark) - 1;
	unsigned long long n[ALLOCATION_CALLERS] = {0};

	sscanf(text + strcspn(text, " "), " 0x%*x 0x%llx 0x%llx 0x%llx", &n[0], &n[1], &n[2]);
	for (unsigned i = 0; i < ALLOCATION_CALLERS; i++)
		callers[i] = n[i];
}

static uint32_t get_allocation_site(struct heap *h, const struct raw_event *raw)
{
	const struct spemu_perf_mmap *m = &raw->event.u.mmap;
	struct allocation_site site = {.pid = m->pid,
	                               .pc = m->pgoff,
	                               .call = call_of(h, m->filename),
	                               .time = raw->time,
	                               .image = image_of(h, m->pid)};
	uint64_t *c = site.callers;
	size_t callers, i;

	read_callers(c, m->filename);
	callers = map_add(&h->callers_index, (struct map_key){c[0], c[1], c[2]});
	if (map_insert(&h->allocation_site_index,
	               (struct map_key){(uint64_t)site.image << 32 | callers, site.pc,
	                                (uintptr_t)site.call},
	               &i))
		GROW(h->allocation_sites, i, h->allocation_site_capacity)[i] = site;
	return (uint32_t)i;
}

static void take_totals(struct heap *h, const struct raw_event *raw)
{
	const struct spemu_perf_mmap *m = &raw->event.u.mmap;
	uint32_t index = get_allocation_site(h, raw);
	struct allocation_site *s = &h->allocation_sites[index];

	s->totals = true;
	s->objects = m->ino;
	s->bytes = m->ino_generation;
	s->freed = (uint64_t)m->min << 32 | m->maj;
}

static struct map_key number_key(struct heap *h, const struct spemu_perf_mmap *m)
{
	return (struct map_key){image_of(h, m->pid), m->ino, m->start};
}

static void take_object(struct heap *h, const struct raw_event *raw)
{
	const struct spemu_perf_mmap *m = &raw->event.u.mmap;
	size_t i;

	if (map_insert(&h->number_index, number_key(h, m), &i))
		(void)GROW(h->numbered, i, h->numbered_capacity);
	h->numbered[i] = (uint32_t)h->object_count;
	APPEND(h->objects, h->object_count, h->object_capacity) = (struct heap_object){
	        .allocation_site = get_allocation_site(h, raw),
	        .start = m->start,
	        .len = m->len,
	        .from = raw->time,
	        .to = UINT64_MAX,
	};
}

static void take_end(struct heap *h, const struct raw_event *raw)
{
	size_t i = map_find(&h->number_index, number_key(h, &raw->event.u.mmap));

	if (i != MAP_NONE && h->objects[h->numbered[i]].to == UINT64_MAX)
		h->objects[h->numbered[i]].to = raw->time;
}

static unsigned class_of(uint64_t len)
{
	unsigned k = LEAST_CLASS;

	while (k < CLASSES - 1 && UINT64_C(1) << k < len)
		k++;
	return k;
}

static void add_to_bucket(struct heap *h, uint32_t object, unsigned class, uint64_t piece)
{
	const struct heap_object *o = &h->objects[object];
	struct map_key key = {h->allocation_sites[o->allocation_site].pid, class, piece};
	size_t i;
	struct bucket *b;

	if (map_insert(&h->bucket_index, key, &i))
		GROW(h->buckets, i, h->bucket_capacity)[i] = (struct bucket){0};
	b = &h->buckets[i];
	APPEND(b->objects, b->count, b->capacity) = object;
	b->last = o->to > b->last ? o->to : b->last;
}

static void index_object(struct heap *h, uint32_t object)
{
	struct heap_object *o = &h->objects[object];
	uint64_t end = h->image_ends[h->allocation_sites[o->allocation_site].image];
	unsigned class = class_of(o->len);

	o->to = o->to < end ? o->to : end;
	if (!o->len || o->start + o->len < o->start)
		return;
	h->classes |= UINT64_C(1) << class;
	add_to_bucket(h, object, class, o->start >> class);
	if ((o->start + o->len - 1) >> class != o->start >> class)
		add_to_bucket(h, object, class, (o->start + o->len - 1) >> class);
}

void heap_finish(struct heap *h)
{
	raw_events_sort(&h->raw);
	for (size_t i = 0; i < h->raw.count; i++) {
		const struct raw_event *raw = &h->raw.items[i];

		if (raw->event.type == SPEMU_PERF_COMM)
			take_exec(h, raw);
		else if (!strcmp(raw->event.u.mmap.filename + sizeof(mark) - 1, "free"))
			take_end(h, raw);
		else if (raw->event.u.mmap.len)
			take_object(h, raw);
		else
			take_totals(h, raw);
	}
	for (size_t i = 0; i < h->object_count; i++)
		index_object(h, (uint32_t)i);
	free(h->raw.items);
	h->raw = (struct raw_events){0};
}

const struct allocation_site *heap_allocation_site(const struct heap *h, size_t index)
{
	return index < h->allocation_site_index.count ? &h->allocation_sites[index] : NULL;
}

/* Return the latest object in a bucket that contained the address at that time. */
static const struct heap_object *find_in(const struct heap *h, const struct bucket *b,
                                         uint64_t addr, uint64_t time)
{
	size_t low;

	if (time != UINT64_MAX && time >= b->last)
		return NULL;
	COUNT_LEADING(low, b->count, i, h->objects[b->objects[i]].from <= time);
	/* Few objects live in such a small piece at one time, but a hostile file may claim more. */
	for (size_t steps = 0; low > 0 && steps < STEPS_MAX; steps++) {
		const struct heap_object *o = &h->objects[b->objects[--low]];

		if (addr >= o->start && addr - o->start < o->len &&
		    (time < o->to || time == UINT64_MAX))
			return o;
	}
	return NULL;
}

const struct heap_object *heap_find(const struct heap *h, uint32_t pid, uint64_t addr,
                                    uint64_t time)
{
	const struct heap_object *best = NULL;

	for (uint64_t classes = h->classes; classes; classes &= classes - 1) {
		unsigned class = (unsigned)__builtin_ctzll(classes);
		size_t i = map_find(&h->bucket_index, (struct map_key){pid, class, addr >> class});
		const struct heap_object *o =
		        i == MAP_NONE ? NULL : find_in(h, &h->buckets[i], addr, time);

		if (o && (!best || o->from > best->from))
			best = o;
	}
	return best;
}
