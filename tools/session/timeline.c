/* SPDX-License-Identifier: MIT */
/*
 * The timeline. The events of a file are not sorted, so they are sorted by time first; events with
 * the same time stay in the order of the file. The mappings of a process are a list of changes. A
 * look-up walks the list backwards from the requested time, continues in the parent at a fork(),
 * and ends at an exec.
 */
#define _GNU_SOURCE
#include "timeline.h"
#include "../base/common.h"
#include "jit_runtime.h"
#include "kernel_object.h"
#include "raw_events.h"
#include "../base/map.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KERNEL_PID UINT32_MAX
#define KERNEL_NAME "[kernel.kallsyms]"

enum change_kind {
	CHANGE_MAP,
	CHANGE_EXEC,
	CHANGE_FORK,
};

struct change {
	uint64_t time;
	enum change_kind kind;
	uint32_t parent; /* index of the parent process for CHANGE_FORK */
	struct mapping map;
};

struct process {
	uint32_t pid;
	unsigned runtime; /* runtime that the process has mapped so far (jit_runtime.h), or 0 */
	struct change *changes;
	size_t count, capacity;
	size_t last; /* result of the last changes_until() */
};

struct thread_state {
	uint64_t time;
	const struct task *task;
};

struct thread {
	struct thread_state *states;
	size_t count, capacity;
};

/* A cached mapping: of a page, in a process, between two changes. */
struct cache_entry {
	uint64_t page;
	size_t process, changes;
	const struct mapping *map;
	bool valid;
};
#define CACHE_ENTRIES 8192
#define MOMENTS 64

struct timeline {
	struct raw_events raw;
	struct copies copies;
	bool has_totals;
	uint64_t totals[SPEMU_PERF_TOTALS];
	struct map process_index, thread_index;
	struct process *processes;
	struct thread *threads;
	size_t process_capacity, thread_capacity;
	struct task **tasks;
	size_t task_count, task_capacity;
	/* Trees of tsearch(3), because a hostile file could make its names collide in a hash
	 * table. */
	void *task_tree;     /* struct task */
	void *build_id_tree; /* struct spemu_perf_build_id, by name */
	const struct spemu_perf_build_id *kernel_id;
	struct object *kernel; /* the kernel, or NULL if its mapping was not recorded */
	uint64_t kernel_shift; /* distance from the address of the first recording's kernel */
	struct cache_entry cache[CACHE_ENTRIES];
	struct map moment_index;
	struct moment moments[MOMENTS]; /* last moment of each tid; task is NULL if there is none */
};

struct timeline *timeline_new(void)
{
	return xcalloc(1, sizeof(struct timeline));
}

static void add_totals(struct timeline *t, const struct spemu_perf_event *event)
{
	struct spemu_perf_totals totals;

	if (spemu_perf_get_totals(&totals, event) != SPEMU_OK)
		return;
	t->has_totals = true;
	for (unsigned i = 0; i < SPEMU_PERF_TOTALS; i++)
		t->totals[i] += totals.of[i];
}

const uint64_t *timeline_totals(const struct timeline *t)
{
	return t->has_totals ? t->totals : NULL;
}

void timeline_add(struct timeline *t, const struct spemu_perf_event *event)
{
	copies_add(&t->copies, event);
	add_totals(t, event);
	if (event->type != SPEMU_PERF_COMM && event->type != SPEMU_PERF_FORK &&
	    event->type != SPEMU_PERF_MMAP && event->type != SPEMU_PERF_MMAP2)
		return;
	raw_events_add(&t->raw, event);
}

static struct process *get_process(struct timeline *t, uint32_t pid)
{
	size_t i;

	if (map_insert(&t->process_index, (struct map_key){pid, 0, 0}, &i))
		GROW(t->processes, i, t->process_capacity)[i] = (struct process){.pid = pid};
	return &t->processes[i];
}

static struct thread *get_thread(struct timeline *t, uint32_t tid)
{
	size_t i;

	if (map_insert(&t->thread_index, (struct map_key){tid, 0, 0}, &i))
		GROW(t->threads, i, t->thread_capacity)[i] = (struct thread){0};
	return &t->threads[i];
}

static int compare_tasks(const void *pa, const void *pb)
{
	const struct task *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return strcmp(a->comm, b->comm);
}

static const struct task *get_task(struct timeline *t, uint32_t pid, uint32_t tid, const char *comm)
{
	const struct task key = {.pid = pid, .tid = tid, .comm = (char *)(uintptr_t)comm};
	const struct task *const *known = tfind(&key, &t->task_tree, compare_tasks);
	struct task *task;

	if (known)
		return *known;
	task = xcalloc(1, sizeof(*task));
	*task = (struct task){.pid = pid, .tid = tid, .comm = xstrdup(comm)};
	tree_add(&t->task_tree, task, compare_tasks);
	APPEND(t->tasks, t->task_count, t->task_capacity) = task;
	return task;
}

static void add_state(struct timeline *t, uint64_t time, const struct task *task)
{
	struct thread *th = get_thread(t, task->tid);

	/* A file may have many threads, most of them with one or two names. */
	if (!th->states)
		th->states = xcalloc(th->capacity = 2, sizeof(*th->states));
	APPEND(th->states, th->count, th->capacity) = (struct thread_state){time, task};
}

static struct change *add_change(struct timeline *t, uint32_t pid, uint64_t time,
                                 enum change_kind kind)
{
	struct process *p = get_process(t, pid);

	if (!p->changes)
		p->changes = xcalloc(p->capacity = 2, sizeof(*p->changes));
	GROW(p->changes, p->count, p->capacity)
	[p->count] = (struct change){.time = time, .kind = kind};
	return &p->changes[p->count++];
}

static void take_comm(struct timeline *t, const struct raw_event *raw)
{
	const struct spemu_perf_comm *c = &raw->event.u.comm;

	add_state(t, raw->time, get_task(t, c->pid, c->tid, c->comm));
	if (c->exec) {
		add_change(t, c->pid, raw->time, CHANGE_EXEC);
		get_process(t, c->pid)->runtime = 0;
	} else {
		get_process(t, c->pid);
	}
}

static void take_fork(struct timeline *t, const struct raw_event *raw)
{
	const struct spemu_perf_task *f = &raw->event.u.task;
	const struct thread *parent = get_thread(t, f->ptid);
	const char *comm = parent->count ? parent->states[parent->count - 1].task->comm : "";

	add_state(t, raw->time, get_task(t, f->pid, f->tid, comm));
	if (f->pid != f->ppid) {
		struct process *parent_process = get_process(t, f->ppid);
		uint32_t index = (uint32_t)(parent_process - t->processes);

		add_change(t, f->pid, raw->time, CHANGE_FORK)->parent = index;
		get_process(t, f->pid)->runtime = t->processes[index].runtime;
	}
}

static int compare_build_ids(const void *pa, const void *pb)
{
	const struct spemu_perf_build_id *a = pa, *b = pb;

	return strcmp(a->filename, b->filename);
}

static const struct spemu_perf_build_id *build_id_of(const struct timeline *t, const char *name)
{
	const struct spemu_perf_build_id key = {.filename = name};
	const struct spemu_perf_build_id *const *entry =
	        tfind(&key, &t->build_id_tree, compare_build_ids);

	return entry ? *entry : t->kernel_id && !strcmp(name, KERNEL_NAME) ? t->kernel_id : NULL;
}

static struct object *find_object(struct timeline *t, const struct spemu_perf_mmap *m)
{
	bool kernel = m->cpumode == SPEMU_PERF_MISC_KERNEL;
	bool main = kernel && !strncmp(m->filename, KERNEL_NAME, strlen(KERNEL_NAME));
	const struct spemu_perf_build_id *entry = NULL;
	const uint8_t *id = m->build_id;
	size_t id_size = m->build_id_size;

	if (!id_size)
		entry = build_id_of(t, main ? KERNEL_NAME : m->filename);
	if (entry) {
		id = entry->id;
		id_size = entry->size;
	}
	if (main) {
		/* The name ends with the symbol whose address is pgoff. */
		t->kernel_shift = kernel_set_reference(m->filename + strlen(KERNEL_NAME), m->pgoff);
		t->kernel = object_find_kernel(id, id_size);
		return t->kernel;
	}
	if (kernel)
		return object_find_module(m->filename, m->start,
		                          t->kernel_shift ||
		                                  (t->kernel && t->kernel != objects_kernel()),
		                          id, id_size);
	if (mapping_is_dump(m))
		return object_find_dump(m->filename,
		                        copies_find(&t->copies, SPEMU_PERF_COPY_DUMP, m->pid));
	if (mapping_is_jit(m))
		return object_find_jit(m->pid,
		                       copies_find(&t->copies, SPEMU_PERF_COPY_MAP, m->pid));
	return object_find(m->filename, id, id_size);
}

/* Return the start of a mapping in the address space of its object. */
static uint64_t mapping_offset(const struct timeline *t, const struct spemu_perf_mmap *m,
                               const struct object *object)
{
	if (m->cpumode != SPEMU_PERF_MISC_KERNEL)
		return mapping_is_jit(m) ? m->start : m->pgoff;
	return object == t->kernel ? m->start - t->kernel_shift : object_base(object);
}

/* Learn from the program and its libraries which runtime generates code in the process. */
static void note_runtime(struct timeline *t, const struct spemu_perf_mmap *m, struct object *object)
{
	struct process *p = get_process(t, m->pid);

	if (mapping_is_jit(m))
		object_set_runtime(object, p->runtime);
	else if (!m->data)
		p->runtime = jit_runtime_both(p->runtime, jit_runtime_of(m->filename));
}

static void take_mmap(struct timeline *t, const struct raw_event *raw)
{
	const struct spemu_perf_mmap *m = &raw->event.u.mmap;
	uint32_t pid = m->cpumode == SPEMU_PERF_MISC_KERNEL ? KERNEL_PID : m->pid;
	struct change *c = add_change(t, pid, raw->time, CHANGE_MAP);
	struct object *object = find_object(t, m);

	c->map = (struct mapping){.start = m->start,
	                          .len = m->len,
	                          .pgoff = mapping_offset(t, m, object),
	                          .object = object,
	                          .writable = (m->prot & PROT_WRITE) || (!m->prot && m->data)};
	if (m->cpumode != SPEMU_PERF_MISC_KERNEL)
		note_runtime(t, m, object);
}

/* Map the kernel to the upper half of the addresses if it was given but its mapping was not
 * recorded. */
static void assume_kernel(struct timeline *t)
{
	struct change *c;

	if (!kernel_is_given() ||
	    map_find(&t->process_index, (struct map_key){KERNEL_PID, 0, 0}) != MAP_NONE)
		return;
	c = add_change(t, KERNEL_PID, 0, CHANGE_MAP);
	c->map = (struct mapping){
	        .start = UINT64_C(1) << 63,
	        .len = UINT64_C(1) << 63,
	        .pgoff = UINT64_C(1) << 63,
	        .object = object_find_kernel(t->kernel_id ? t->kernel_id->id : NULL,
	                                     t->kernel_id ? t->kernel_id->size : 0)};
}

static void read_build_ids(struct timeline *t, const struct spemu_perf_file *file)
{
	struct spemu_perf_build_id entry, *kept;
	uint64_t pos = 0;

	/* The first build-id of a name counts. */
	while (spemu_perf_next_build_id(file, &entry, &pos) == SPEMU_OK) {
		if (!entry.size || tfind(&entry, &t->build_id_tree, compare_build_ids))
			continue;
		kept = xcalloc(1, sizeof(*kept));
		*kept = entry;
		tree_add(&t->build_id_tree, kept, compare_build_ids);
		/* perf may have written the path of the kernel's file instead of KERNEL_NAME. */
		if (kept->cpumode == SPEMU_PERF_MISC_KERNEL && !t->kernel_id &&
		    !strstr(kept->filename, ".ko") &&
		    (kept->filename[0] != '[' || !strcmp(kept->filename, KERNEL_NAME)))
			t->kernel_id = kept;
	}
}

void timeline_finish(struct timeline *t, const struct spemu_perf_file *file)
{
	read_build_ids(t, file);
	raw_events_add_dumps(&t->raw, file, &t->copies);
	raw_events_sort(&t->raw);
	for (size_t i = 0; i < t->raw.count; i++) {
		const struct raw_event *raw = &t->raw.items[i];

		if (raw->event.type == SPEMU_PERF_COMM)
			take_comm(t, raw);
		else if (raw->event.type == SPEMU_PERF_FORK)
			take_fork(t, raw);
		else
			take_mmap(t, raw);
	}
	assume_kernel(t);
	free(t->raw.items);
	t->raw = (struct raw_events){0};
}

/* Return the task of the only process, or an unknown task if there are several. This is for records
 * without the id of a thread. */
static const struct task *only_task(struct timeline *t)
{
	const struct task *task = NULL;

	for (size_t i = 0; i < t->task_count; i++) {
		if (t->tasks[i]->pid == 0)
			continue;
		if (task && task->pid != t->tasks[i]->pid)
			return get_task(t, 0, 0, "[unknown]");
		task = t->tasks[i];
	}
	return task ? task : get_task(t, 0, 0, "[unknown]");
}

/* Return the number of states of th up to time. The result is at least 1, because the first state
 * also applies before its time. th must have a state. */
static size_t states_until(const struct thread *th, uint64_t time)
{
	size_t i = th->count;

	while (i > 1 && th->states[i - 1].time > time)
		i--;
	return i;
}

const struct task *timeline_task(struct timeline *t, uint32_t tid, uint64_t time)
{
	const struct thread *th;
	char name[16];
	size_t i = tid == UINT32_MAX ? MAP_NONE
	                             : map_find(&t->thread_index, (struct map_key){tid, 0, 0});

	if (tid == UINT32_MAX)
		return only_task(t);
	if (i == MAP_NONE || !t->threads[i].count) {
		/* perf calls the idle thread of each CPU "swapper". */
		snprintf(name, sizeof(name), tid ? ":%u" : "swapper", tid);
		return get_task(t, tid, tid, name);
	}
	th = &t->threads[i];
	return th->states[states_until(th, time) - 1].task;
}

/* Return the number of changes of p up to time. Try the previous result first, because records are
 * nearly in order. */
static size_t changes_until(struct process *p, uint64_t time)
{
	if (p->last <= p->count && (!p->last || p->changes[p->last - 1].time <= time) &&
	    (p->last == p->count || p->changes[p->last].time > time))
		return p->last;
	COUNT_LEADING(p->last, p->count, i, p->changes[i].time <= time);
	return p->last;
}

/* Restrict the moment to a range of time. */
static void narrow(struct moment *m, uint64_t first, uint64_t last)
{
	if (first > m->first)
		m->first = first;
	if (last < m->last)
		m->last = last;
}

/* Restrict the moment to the period around time without a change of the process. Return the number
 * of changes before that period. */
static size_t narrow_to_process(struct moment *m, struct timeline *t, uint32_t pid, uint64_t time)
{
	size_t i = map_find(&t->process_index, (struct map_key){pid, 0, 0}), changes;
	struct process *p;

	if (i == MAP_NONE)
		return 0;
	p = &t->processes[i];
	changes = changes_until(p, time);
	narrow(m, changes ? p->changes[changes - 1].time : 0,
	       changes < p->count ? p->changes[changes].time - 1 : UINT64_MAX);
	return changes;
}

static void find_moment(struct moment *m, struct timeline *t, uint32_t tid, uint64_t time)
{
	size_t thread = map_find(&t->thread_index, (struct map_key){tid, 0, 0}), own, kernel;

	*m = (struct moment){.task = timeline_task(t, tid, time), .last = UINT64_MAX, .tid = tid};
	if (tid != UINT32_MAX && thread != MAP_NONE && t->threads[thread].count) {
		const struct thread *th = &t->threads[thread];
		size_t i = states_until(th, time);

		narrow(m, i > 1 ? th->states[i - 1].time : 0,
		       i < th->count ? th->states[i].time - 1 : UINT64_MAX);
	}
	own = narrow_to_process(m, t, m->task->pid, time);
	kernel = narrow_to_process(m, t, KERNEL_PID, time);
	m->number = (uint32_t)map_add(&t->moment_index,
	                              (struct map_key){(uintptr_t)m->task, own, kernel});
}

const struct moment *timeline_moment(struct timeline *t, uint32_t tid, uint64_t time)
{
	struct moment *m = &t->moments[tid % MOMENTS];

	if (!m->task || !moment_has(m, tid, time))
		find_moment(m, t, tid, time);
	return m;
}

/* Set *best to m if m is a better match. Return true if the walk can stop. */
typedef bool match_fn(const struct mapping *m, uint64_t addr, const struct mapping **best);

static bool match_inside(const struct mapping *m, uint64_t addr, const struct mapping **best)
{
	if (addr < m->start || addr - m->start >= m->len)
		return false;
	*best = m;
	return true;
}

static bool match_below(const struct mapping *m, uint64_t addr, const struct mapping **best)
{
	if (m->start <= addr && object_path(m->object)[0] == '/' &&
	    object_path(m->object)[1] != '/' && (!*best || m->start > (*best)->start))
		*best = m;
	return false;
}

/* The kernel's data may be behind its mapping, too. */
static bool match_kernel_below(const struct mapping *m, uint64_t addr, const struct mapping **best)
{
	if (m->start <= addr && !strcmp(object_path(m->object), KERNEL_NAME))
		*best = m;
	return *best;
}

static const struct mapping *walk(struct timeline *t, size_t process, uint64_t addr, uint64_t time,
                                  match_fn *match)
{
	const struct mapping *best = NULL;

	/* A chain of forks is not longer than the number of processes, unless the file is
	 * invalid. */
	for (size_t depth = 0; depth <= t->process_index.count; depth++) {
		struct process *p = &t->processes[process];
		size_t i = changes_until(p, time);
		bool forked = false;

		for (; i > 0; i--) {
			const struct change *c = &p->changes[i - 1];

			if (c->kind == CHANGE_EXEC)
				return best;
			if (c->kind == CHANGE_FORK) {
				process = c->parent;
				time = c->time;
				forked = true;
				break;
			}
			if (match(&c->map, addr, &best))
				return best;
		}
		if (!forked)
			break;
	}
	return best;
}

const struct mapping *timeline_mapping(struct timeline *t, uint32_t pid, uint64_t addr,
                                       uint64_t time)
{
	size_t i =
	        map_find(&t->process_index, (struct map_key){addr >> 55 ? KERNEL_PID : pid, 0, 0});
	uint64_t page = addr >> 12;
	struct cache_entry *e;
	size_t changes;

	if (i == MAP_NONE)
		return NULL;
	changes = changes_until(&t->processes[i], time);
	e = &t->cache[(page ^ (i * 977) ^ (changes * 31)) % CACHE_ENTRIES];
	if (!e->valid || e->page != page || e->process != i || e->changes != changes)
		*e = (struct cache_entry){page, i, changes, walk(t, i, addr, time, match_inside),
		                          true};
	/* Kernel mappings may end inside a page. */
	if (e->map && (addr < e->map->start || addr - e->map->start >= e->map->len))
		return walk(t, i, addr, time, match_inside);
	return e->map;
}

const struct mapping *timeline_mapping_below(struct timeline *t, uint32_t pid, uint64_t addr,
                                             uint64_t time)
{
	bool kernel = addr >> 55;
	size_t i = map_find(&t->process_index, (struct map_key){kernel ? KERNEL_PID : pid, 0, 0});

	if (i == MAP_NONE)
		return NULL;
	return walk(t, i, addr, time, kernel ? match_kernel_below : match_below);
}

size_t timeline_process_count(const struct timeline *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->process_index.count; i++)
		n += t->processes[i].pid != KERNEL_PID && t->processes[i].pid != 0;
	return n;
}

size_t timeline_thread_count(const struct timeline *t)
{
	return t->thread_index.count;
}
