/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of heap objects and allocation sites; see heap_objects.h. */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <spemu/perfdata.h>

#include "heap_objects.h"
#include "locks.h"
#include "sideband.h"

enum { NAME_SIZE = 160 };

struct allocation_site {
	struct allocation_call of;
	uint64_t objects, bytes, freed;
	uint64_t recorded_objects, recorded_freed; /* values when totals were last recorded */
	struct allocation_site *next;
};

struct object {
	uint64_t start, size; /* size: at least 1 */
	struct allocation_site *site;
	uint64_t number, time;
	int tid;
	bool mapped, recorded;
};

static void *objects; /* a tsearch(3) tree; overlapping objects compare equal */
static void *site_tree;
static struct allocation_site *sites;
static uint64_t numbers, born; /* born: start time of a forked child */
static uint8_t events[RECORDING_EVENTS_MAX];
static size_t events_size;

static int compare_objects(const void *pa, const void *pb)
{
	const struct object *a = pa, *b = pb;

	if (a->start < b->start)
		return b->start - a->start >= a->size ? -1 : 0;
	return a->start - b->start >= b->size ? 1 : 0;
}

static int compare_sites(const void *pa, const void *pb)
{
	const struct allocation_site *a = pa, *b = pb;

	if (a->of.pc != b->of.pc)
		return a->of.pc < b->of.pc ? -1 : 1;
	for (unsigned i = 0; i < HEAP_CALLERS; i++) {
		if (a->of.callers[i] != b->of.callers[i])
			return a->of.callers[i] < b->of.callers[i] ? -1 : 1;
	}
	return a->of.call < b->of.call ? -1 : a->of.call > b->of.call;
}

/* ---- events ---- */

static void flush(void)
{
	if (events_size)
		sideband_append(events, (int)events_size);
	events_size = 0;
}

static void put(const struct spemu_perf_mmap *map, int tid, uint64_t time)
{
	struct spemu_perf_who who = {
	        .pid = (uint32_t)process.pid, .tid = (uint32_t)tid, .time = time};
	int n = spemu_perf_put_mmap2(events + events_size, sizeof(events) - events_size, &who, map);

	if (n < 0) {
		flush();
		n = spemu_perf_put_mmap2(events, sizeof(events), &who, map);
	}
	if (n > 0)
		events_size += (size_t)n;
}

static struct spemu_perf_mmap event_of(const struct allocation_site *site, char name[NAME_SIZE])
{
	int n = snprintf(name, NAME_SIZE, "[heap] %s 0x%llx", site->of.call,
	                 (unsigned long long)site->of.pc);

	for (unsigned i = 0; i < HEAP_CALLERS && site->of.callers[i]; i++)
		n += snprintf(name + n, NAME_SIZE - (size_t)n, " 0x%llx",
		              (unsigned long long)site->of.callers[i]);
	return (struct spemu_perf_mmap){.pid = (uint32_t)process.pid,
	                                .tid = (uint32_t)process.pid,
	                                .pgoff = site->of.pc,
	                                .prot = PROT_READ | PROT_WRITE,
	                                .flags = MAP_PRIVATE | MAP_ANONYMOUS,
	                                .data = true,
	                                .filename = name};
}

static void put_object(const struct object *o, const char *filename, int tid, uint64_t time)
{
	char name[NAME_SIZE];
	struct spemu_perf_mmap map = event_of(o->site, name);

	map.start = o->start;
	map.len = o->size;
	map.ino = o->number;
	if (filename)
		map.filename = filename;
	put(&map, tid, time);
}

static void record_end(const struct object *o)
{
	if (o->recorded)
		put_object(o, "[heap] free", recording_thread_number(&process.rec),
		           recording_now());
}

static void record_totals(struct allocation_site *site)
{
	char name[NAME_SIZE];
	struct spemu_perf_mmap map = event_of(site, name);

	if (site->recorded_objects == site->objects && site->recorded_freed == site->freed)
		return;
	site->recorded_objects = site->objects;
	site->recorded_freed = site->freed;
	map.ino = site->objects;
	map.ino_generation = site->bytes;
	map.maj = (uint32_t)site->freed;
	map.min = (uint32_t)(site->freed >> 32);
	put(&map, (int)process.pid, recording_now());
}

/* ---- objects; under the lock ---- */

static struct object *find(uint64_t start, uint64_t size)
{
	const struct object key = {.start = start, .size = size};
	struct object *const *known = tfind(&key, &objects, compare_objects);

	return known ? *known : NULL;
}

static void end(struct object *o)
{
	tdelete(o, &objects, compare_objects);
	record_end(o);
	o->site->freed++;
	free(o);
}

static struct allocation_site *get_site(const struct allocation_call *call)
{
	const struct allocation_site key = {.of = *call};
	struct allocation_site *const *known = tfind(&key, &site_tree, compare_sites), *site;

	if (known)
		return *known;
	site = malloc(sizeof(*site));
	if (!site)
		return NULL;
	*site = key;
	if (!tsearch(site, &site_tree, compare_sites)) {
		free(site);
		return NULL;
	}
	site->next = sites;
	sites = site;
	return site;
}

void heap_objects_add(const struct allocation_call *call, uint64_t start, uint64_t size,
                      bool mapped)
{
	struct object *o = malloc(sizeof(*o)), *old;

	if (!o)
		return;
	*o = (struct object){.start = start,
	                     .size = size ? size : 1,
	                     .time = recording_now(),
	                     .tid = recording_thread_number(&process.rec),
	                     .mapped = mapped};
	pthread_mutex_lock(&locks[LOCK_HEAP_OBJECTS]);
	/* End the objects that lie there, whose release was not seen. */
	while ((old = find(start, o->size)))
		end(old);
	o->number = ++numbers;
	o->site = get_site(call);
	if (o->site && tsearch(o, &objects, compare_objects)) {
		o->site->objects++;
		o->site->bytes += size;
		o = NULL;
	}
	pthread_mutex_unlock(&locks[LOCK_HEAP_OBJECTS]);
	free(o);
}

uint64_t heap_objects_number(uint64_t start)
{
	const struct object *o;
	uint64_t number;

	pthread_mutex_lock(&locks[LOCK_HEAP_OBJECTS]);
	o = find(start, 1);
	number = o && o->start == start ? o->number : 0;
	pthread_mutex_unlock(&locks[LOCK_HEAP_OBJECTS]);
	return number;
}

void heap_objects_remove(uint64_t start, uint64_t number)
{
	struct object *o;

	pthread_mutex_lock(&locks[LOCK_HEAP_OBJECTS]);
	o = find(start, 1);
	if (o && o->start == start && !o->mapped && (!number || o->number == number))
		end(o);
	pthread_mutex_unlock(&locks[LOCK_HEAP_OBJECTS]);
}

/* Cut an object. Keep its part before start or, if that is empty, its part after stop. */
static void cut(struct object *o, uint64_t start, uint64_t stop)
{
	uint64_t o_end = o->start + o->size;
	struct object rest = *o;

	if (o->start >= start && o_end <= stop) {
		end(o);
		return;
	}
	tdelete(o, &objects, compare_objects);
	record_end(o);
	rest.recorded = false;
	if (rest.start < start) {
		rest.size = start - rest.start;
	} else {
		rest.start = stop;
		rest.size = o_end - stop;
	}
	rest.time = recording_now();
	rest.number = ++numbers;
	*o = rest;
	if (!tsearch(o, &objects, compare_objects))
		free(o);
}

void heap_objects_unmap(uint64_t start, uint64_t size)
{
	struct object *o;

	if (!size)
		return;
	pthread_mutex_lock(&locks[LOCK_HEAP_OBJECTS]);
	while ((o = find(start, size)) && o->mapped)
		cut(o, start, start + size);
	pthread_mutex_unlock(&locks[LOCK_HEAP_OBJECTS]);
}

void heap_objects_touched(uint64_t address)
{
	struct object *o;

	pthread_mutex_lock(&locks[LOCK_HEAP_OBJECTS]);
	o = find(address, 1);
	if (o && !o->recorded) {
		put_object(o, NULL, o->tid, o->time > born ? o->time : born);
		o->recorded = true;
	}
	pthread_mutex_unlock(&locks[LOCK_HEAP_OBJECTS]);
}

void heap_objects_flush(void)
{
	pthread_mutex_lock(&locks[LOCK_HEAP_OBJECTS]);
	flush();
	pthread_mutex_unlock(&locks[LOCK_HEAP_OBJECTS]);
}

void heap_objects_totals(void)
{
	pthread_mutex_lock(&locks[LOCK_HEAP_OBJECTS]);
	for (struct allocation_site *s = sites; s; s = s->next)
		record_totals(s);
	flush();
	pthread_mutex_unlock(&locks[LOCK_HEAP_OBJECTS]);
}

static void not_recorded(const void *node, VISIT visit, int depth)
{
	struct object *o = *(struct object *const *)node;

	(void)depth;
	if (visit != postorder && visit != leaf)
		return;
	o->recorded = false;
	o->tid = (int)process.pid;
}

void heap_objects_forked(void)
{
	events_size = 0;
	born = recording_now();
	twalk(objects, not_recorded);
	for (struct allocation_site *s = sites; s; s = s->next)
		s->objects = s->bytes = s->freed = s->recorded_objects = s->recorded_freed = 0;
}
