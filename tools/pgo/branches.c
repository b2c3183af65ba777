/* SPDX-License-Identifier: MIT */
/* Count the branches of a recording. */
#include "branches.h"
#include "../base/common.h"
#include "../base/map.h"

#include <spemu/codec.h>
#include <stdlib.h>
#include <string.h>

/* Limit of the instructions up to the next branch, which no compiler reaches. */
enum { RUN_MAX = 1 << 16 };

struct collection {
	struct branches *b;
	struct session *session;
	struct map index, before_index;
	size_t capacity, before_capacity;
	uint8_t *matches; /* enum object_match + 1 by object_index(), or 0 if unknown */
	size_t match_count;
};

static bool is_program(struct collection *c, const struct object *recorded)
{
	size_t i = object_index(recorded);

	if (i >= c->match_count) {
		c->matches = xreallocarray(c->matches, i + 1, 1);
		memset(c->matches + c->match_count, 0, i + 1 - c->match_count);
		c->match_count = i + 1;
	}
	if (!c->matches[i]) {
		enum object_match match = object_match(c->b->program, recorded);

		c->matches[i] = (uint8_t)(match + 1);
		c->b->mapped |= match == OBJECT_SAME;
		c->b->changed |= match == OBJECT_CHANGED;
	}
	return c->matches[i] == OBJECT_SAME + 1;
}

/* Convert an address in memory to an address in the program's file. Return false if the address is
 * elsewhere. Set *in_file to true if a file is mapped there. */
static bool locate(struct collection *c, uint64_t *vaddr, bool *in_file, uint32_t pid,
                   uint64_t addr, uint64_t time)
{
	const struct mapping *m = timeline_mapping(c->session->timeline, pid, addr, time);

	*vaddr = 0;
	*in_file = m && object_path(m->object)[0] == '/' && object_path(m->object)[1] != '/';
	return m && is_program(c, m->object) &&
	       object_vaddr(c->b->program, vaddr, addr - m->start + m->pgoff, m->writable);
}

static void add_branch(struct collection *c, const struct branch *branch)
{
	struct branches *b = c->b;
	uint64_t flags = (branch->from_inside ? 1u : 0u) | (branch->to_inside ? 2u : 0u) |
	                 (branch->taken ? 4u : 0u);
	size_t i;

	if (map_insert(&c->index, (struct map_key){branch->from, branch->to, flags}, &i)) {
		GROW(b->list, i, c->capacity)[i] = *branch;
		b->count = c->index.count;
		return;
	}
	b->list[i].count++;
	b->list[i].mispredicted += branch->mispredicted;
	b->list[i].followed += branch->followed;
}

/* Count the run from first to the branch at last. Ignore it if it cannot be a run: first may be
 * elsewhere, or an exception may have occurred in between. */
static void add_before(struct collection *c, uint64_t first, uint64_t last)
{
	struct branches *b = c->b;
	size_t i;

	if (first > last || last - first > 4 * (uint64_t)RUN_MAX)
		return;
	if (map_insert(&c->before_index, (struct map_key){first, last, 0}, &i)) {
		GROW(b->before, i, c->before_capacity)[i] = (struct run){first, last, 0};
		b->before_count = c->before_index.count;
	}
	b->before[i].count++;
}

/* Return true if the record is a branch that counts. Otherwise, count the reason. */
static bool is_counted(struct branches *b, const struct spemu_record *rec)
{
	uint64_t events = rec->present & SPEMU_RECORD_EVENTS ? rec->events : 1u << SPEMU_EV_RETIRED;

	if (!(rec->present & SPEMU_RECORD_OP_TYPE) || rec->op_class != SPEMU_CLASS_BRANCH ||
	    !(rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC)))
		return false;
	if (!(events >> SPEMU_EV_RETIRED & 1))
		b->not_retired++;
	else if (!(events >> SPEMU_EV_NOT_TAKEN & 1) &&
	         !(rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_BRANCH_TARGET)))
		b->targetless++;
	else
		return true;
	return false;
}

/* Count a branch of the program. If records have the previous target, ignore branches that are not
 * taken: the run of the next taken branch contains them. */
static void count_inside(struct collection *c, const struct branch *branch, bool previous,
                         uint64_t first)
{
	c->b->inside++;
	if (previous && !branch->taken)
		return;
	add_branch(c, branch);
	if (previous && branch->from_inside)
		add_before(c, first, branch->from);
}

static void count_record(struct collection *c, const struct chunk *chunk,
                         const struct spemu_record *rec)
{
	bool previous = rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PREV_BRANCH_TARGET);
	struct branch branch = {.taken = !(rec->events >> SPEMU_EV_NOT_TAKEN & 1),
	                        .count = 1,
	                        .mispredicted = rec->events >> SPEMU_EV_MISPREDICTED & 1,
	                        .followed = !previous};
	uint64_t time, from, to, first = UINT64_MAX;
	const struct task *task;
	bool in_file, other_in_file;

	if (!is_counted(c->b, rec))
		return;
	time = session_time(c->session, rec);
	task = timeline_task(c->session->timeline, session_tid(chunk, rec), time);
	from = spemu_addr_va(rec->addr[SPEMU_ADDR_PC]);
	to = branch.taken ? spemu_addr_va(rec->addr[SPEMU_ADDR_BRANCH_TARGET]) : from + 4;
	branch.from_inside = locate(c, &branch.from, &in_file, task->pid, from, time);
	branch.to_inside = locate(c, &branch.to, &other_in_file, task->pid, to, time);
	if (previous && !locate(c, &first, &other_in_file, task->pid,
	                        spemu_addr_va(rec->addr[SPEMU_ADDR_PREV_BRANCH_TARGET]), time))
		first = UINT64_MAX;
	if (branch.from_inside || branch.to_inside) {
		count_inside(c, &branch, previous, first);
		return;
	}
	c->b->elsewhere++;
	c->b->jit += !in_file && spemu_addr_el(rec->addr[SPEMU_ADDR_PC]) == 0;
}

static void count_records(void *collection, const struct chunk *chunk,
                          const struct spemu_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		count_record(collection, chunk, &records[i]);
}

static int compare_branches(const void *pa, const void *pb)
{
	const struct branch *a = pa, *b = pb;

	if (a->from_inside != b->from_inside)
		return a->from_inside ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to_inside != b->to_inside)
		return a->to_inside ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->taken - b->taken;
}

void branches_collect(struct branches *b, struct session *s, struct object *program)
{
	struct collection c = {.b = b, .session = s};
	struct spemu_shapes shapes = {0};

	b->program = program;
	for (size_t i = 0; i < s->chunk_count; i++) {
		session_records(s, &s->chunks[i], &shapes, count_records, &c);
		progress("reading records", i + 1, s->chunk_count);
	}
	progress_end();
	if (b->count)
		qsort(b->list, b->count, sizeof(*b->list), compare_branches);
	map_free(&c.index);
	map_free(&c.before_index);
	free(c.matches);
}

void branches_free(struct branches *b)
{
	free(b->list);
	free(b->before);
}

/* Find the first branch at or after vaddr. Return false if the file has none. */
static bool next_branch(uint64_t *last, struct object *program, uint64_t vaddr)
{
	enum instruction in;
	int32_t offset;

	for (unsigned i = 0; i < RUN_MAX; i++, vaddr += 4) {
		in = program_instruction(program, vaddr, &offset);
		if (in != OTHER) {
			*last = vaddr;
			return in != NO_CODE;
		}
	}
	return false;
}

static int compare_runs(const void *pa, const void *pb)
{
	const struct run *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->last < b->last ? -1 : a->last > b->last;
}

size_t branches_runs(const struct branches *b, struct run **runs)
{
	size_t n = 0, count = 0;
	struct run *r = xcalloc(b->count + b->before_count + 1, sizeof(*r));

	for (size_t i = 0; i < b->count; i++) {
		const struct branch *branch = &b->list[i];

		r[count] = (struct run){.first = branch->to, .count = branch->followed};
		count += branch->to_inside && branch->followed &&
		         next_branch(&r[count].last, b->program, branch->to);
	}
	for (size_t i = 0; i < b->before_count; i++)
		r[count++] = b->before[i];
	if (count)
		qsort(r, count, sizeof(*r), compare_runs);
	for (size_t i = 0; i < count; i++) {
		if (n && !compare_runs(&r[n - 1], &r[i]))
			r[n - 1].count += r[i].count;
		else
			r[n++] = r[i];
	}
	*runs = r;
	return n;
}
