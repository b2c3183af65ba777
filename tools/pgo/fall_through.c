/* SPDX-License-Identifier: MIT */
/*
 * Find fall-throughs: places where code continues into the next block without a branch. Sampled
 * branches do not show them, but runs do.
 *
 * As in BOLT, a block begins at the target of a direct branch of its function, and after a
 * conditional branch. A run across such a place falls through into the block. A return to such a
 * place counts, too, if the instruction before it is a call.
 */
#include "branches.h"
#include "../base/common.h"
#include "../base/map.h"
#include "../session/symbol_list.h"

#include <stdlib.h>

struct search {
	const struct branches *b;
	struct map functions, leaders; /* start addresses of functions, and of blocks */
	struct map index;              /* addresses of the blocks in found */
	struct branch *found;
	size_t capacity;
};

static struct map_key key_of(uint64_t address)
{
	return (struct map_key){address, 0, 0};
}

/* Add the targets of branches within the function around vaddr, once for each function. */
static void add_leaders(struct search *s, uint64_t vaddr)
{
	const struct symbol *f = symbols_find_function(object_code_symbols(s->b->program), vaddr);
	size_t before = s->functions.count;
	int32_t offset;

	if (!f || map_add(&s->functions, key_of(f->start)) < before)
		return;
	for (uint64_t at = f->start; at < f->end; at += 4) {
		enum instruction in = program_instruction(s->b->program, at, &offset);
		uint64_t target = at + (uint64_t)(int64_t)offset;

		if (in == NO_CODE)
			return;
		if (offset && in != CALL && target >= f->start && target < f->end)
			map_add(&s->leaders, key_of(target));
	}
}

static void add(struct search *s, uint64_t leader, uint64_t count)
{
	size_t i;

	if (map_insert(&s->index, key_of(leader), &i)) {
		GROW(s->found, i, s->capacity)
		[i] = (struct branch){
		        .from = leader - 4, .to = leader, .from_inside = true, .to_inside = true};
	}
	s->found[i].count += count;
}

static bool is_leader(const struct search *s, uint64_t vaddr)
{
	return map_find(&s->leaders, key_of(vaddr)) != MAP_NONE;
}

/* Return true if a block begins at vaddr. A jump after a conditional branch belongs to the block of
 * that branch. */
static bool begins_block(const struct search *s, uint64_t vaddr)
{
	int32_t offset;

	return is_leader(s, vaddr) ||
	       (program_instruction(s->b->program, vaddr - 4, &offset) == CONDITIONAL &&
	        (program_instruction(s->b->program, vaddr, &offset) != JUMP || !offset));
}

static void search_run(struct search *s, const struct run *run)
{
	add_leaders(s, run->first);
	for (uint64_t at = run->first + 4; at <= run->last; at += 4) {
		if (begins_block(s, at))
			add(s, at, run->count);
	}
}

/* Count a return to the instruction after a call. The return may be outside the program. */
static void search_return(struct search *s, const struct branch *branch)
{
	struct object *program = s->b->program;
	int32_t offset;

	if (!branch->to_inside || !branch->taken || !is_leader(s, branch->to) ||
	    (branch->from_inside &&
	     program_instruction(program, branch->from, &offset) != RETURN) ||
	    program_instruction(program, branch->to - 4, &offset) != CALL)
		return;
	add(s, branch->to, branch->count);
}

size_t branches_fall_throughs(const struct branches *b, struct branch **found)
{
	struct search s = {.b = b};
	struct run *runs;
	size_t n = branches_runs(b, &runs);

	for (size_t i = 0; i < n; i++)
		search_run(&s, &runs[i]);
	for (size_t i = 0; i < b->count; i++)
		search_return(&s, &b->list[i]);
	*found = s.found;
	n = s.index.count;
	free(runs);
	map_free(&s.functions);
	map_free(&s.leaders);
	map_free(&s.index);
	return n;
}
