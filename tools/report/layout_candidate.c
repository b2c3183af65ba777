/* SPDX-License-Identifier: MIT */
#include "layout_candidate.h"

#include "../base/common.h"

#include <math.h>
#include <string.h>

enum {
	ALIGN_MAX = 16, /* largest alignment of a member, and that of malloc() */
	POINTER = 8,
	PAIR_CODE = 16, /* bytes of code between two loads that become one */
};
/* Standard deviations in half of a 95 % interval. */
static const double INTERVAL = 1.96;

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static uint64_t alignment(uint64_t size)
{
	uint64_t lowest = size & -size;

	return lowest > ALIGN_MAX ? ALIGN_MAX : lowest;
}

/* ---- arrangements ---- */

/* Place a member in a part whose first `end` bytes are taken. Return the new end. */
static uint64_t put(struct candidate *c, const struct type_use *use, size_t member, unsigned part,
                    uint64_t end)
{
	uint64_t size = use->members[member].size;

	c->part[member] = part;
	c->offset[member] = round_up(end, alignment(size));
	return c->offset[member] + size;
}

/* Place the hot members in part 0, the largest first. Return the end. */
static uint64_t put_hot(struct candidate *c, const struct type_use *use)
{
	uint64_t end = 0, size = UINT64_MAX, next;

	do {
		next = 0;
		for (size_t i = 0; i < use->member_count; i++) {
			uint64_t own = use->members[i].size;

			if (c->hot[i] && own == size)
				end = put(c, use, i, 0, end);
			if (c->hot[i] && own < size && own > next)
				next = own;
		}
		size = next;
	} while (next);
	return end;
}

/* Place the other members in a part, in the order of the structure. Return the end. */
static uint64_t put_cold(struct candidate *c, const struct type_use *use, unsigned part,
                         uint64_t end)
{
	for (size_t i = 0; i < use->member_count; i++) {
		if (!c->hot[i])
			end = put(c, use, i, part, end);
	}
	return end;
}

/* Add a part of an object. Unless it is in an array, a pointer leads to it, and malloc() adds a
 * header. A new piece of memory begins like the present one, but malloc() aligns it. */
static void add_part(struct candidate *c, const struct type_use *use, uint64_t size)
{
	uint64_t stride = size >= POINTER ? round_up(size, POINTER) : size + !size;

	if (!use->is_array)
		stride = round_up(stride + POINTER + POINTER, ALIGN_MAX);
	c->parts[c->part_count++] =
	        (struct shape_part){stride, use->start - use->start % ALIGN_MAX,
	                            use->step > ALIGN_MAX ? use->step : ALIGN_MAX};
}

static void arrange_as_it_is(struct candidate *c, const struct type_use *use)
{
	c->parts[0] = (struct shape_part){use->size, use->start, use->step};
	c->part_count = 1;
	for (size_t i = 0; i < use->member_count; i++) {
		c->part[i] = 0;
		c->offset[i] = use->members[i].offset;
	}
}

static void arrange_arrays(struct candidate *c, const struct type_use *use)
{
	for (size_t i = 0; i < use->member_count; i++) {
		if (c->hot[i])
			add_part(c, use, put(c, use, i, c->part_count, 0));
	}
	add_part(c, use, put_cold(c, use, c->part_count, 0));
}

static void arrange_aligned(struct candidate *c, const struct type_use *use, unsigned line_size)
{
	uint64_t stride = line_size;

	while (stride / 2 >= use->size)
		stride /= 2;
	c->parts[0] = (struct shape_part){round_up(use->size, stride), 0, line_size};
}

static void arrange(struct candidate *c, const struct type_use *use, unsigned line_size)
{
	arrange_as_it_is(c, use);
	switch (c->kind) {
	case ADVICE_SPLIT:
	case ADVICE_UNUSED:
		c->part_count = 0;
		add_part(c, use, put_hot(c, use));
		add_part(c, use, put_cold(c, use, 1, 0));
		break;
	case ADVICE_ARRAYS:
		c->part_count = 0;
		arrange_arrays(c, use);
		break;
	case ADVICE_REORDER:
		put_cold(c, use, 0, put_hot(c, use));
		break;
	default:
		arrange_aligned(c, use, line_size);
		break;
	}
}

/* ---- cycles ---- */

static struct shape shape_in(const struct candidate *c, const struct type_use *use,
                             const struct function_use *f, unsigned line_size)
{
	struct shape_member members[USE_MEMBERS];
	size_t n = 0;

	for (size_t i = 0; i < use->member_count; i++) {
		if (!use->members[i].large && f->members[i].samples)
			members[n++] = (struct shape_member){
			        c->part[i], c->offset[i], use->members[i].size, use_weight(f, i)};
	}
	return shape_of(c->parts, members, n, line_size);
}

/* Return true if a member follows another one in memory, so that one load can take both. */
static bool follows(const struct candidate *c, const struct member_use *a, size_t i, size_t k)
{
	return a->access && c->part[i] == c->part[k] && c->offset[k] == c->offset[i] + a->access;
}

/* Return true if the compiler would take two members that follow each other with one load. */
static bool can_pair(const struct member_use *a, const struct member_use *b)
{
	uint64_t code =
	        a->first_pc < b->first_pc ? b->first_pc - a->first_pc : a->first_pc - b->first_pc;

	return (a->access == 4 || a->access == 8) && a->access == b->access && !a->stores &&
	       !b->stores && a->first_pc == a->last_pc && b->first_pc == b->last_pc &&
	       a->first_pc != b->first_pc && code <= PAIR_CODE;
}

/* Return the loads of a visit that loads of pairs make unnecessary. `now` is the arrangement of the
 * program. */
static double pairs_in(const struct candidate *c, const struct candidate *now,
                       const struct type_use *use, const struct function_use *f)
{
	bool taken[USE_MEMBERS] = {false};
	double pairs = 0;

	for (size_t i = 0; i < use->member_count; i++) {
		const struct member_use *a = &f->members[i];

		for (size_t k = 0; k < use->member_count && a->samples; k++) {
			double x = use_weight(f, i), y = use_weight(f, k);
			bool paired = a->paired && follows(now, a, i, k);

			if (!f->members[k].samples || k == i || !follows(c, a, i, k))
				continue;
			if (paired)
				pairs += (double)a->paired / f->loads.visits;
			else if (!taken[i] && !taken[k] && can_pair(a, &f->members[k]))
				pairs += x < y ? x : y;
			else
				continue;
			taken[i] = taken[k] = true;
		}
	}
	return pairs;
}

void candidate_estimate(struct candidate *c, const struct type_use *use, unsigned line_size)
{
	struct candidate now = {0};
	double most = 0, squares = 0;

	arrange_as_it_is(&now, use);
	arrange(c, use, line_size);
	for (size_t i = 0; i < use->function_count; i++) {
		const struct function_use *f = &use->functions[i];
		struct shape before = shape_in(&now, use, f, line_size);
		struct shape after = shape_in(c, use, f, line_size);
		double cycles = load_cycles(&f->loads);
		double pairs = pairs_in(c, &now, use, f) - pairs_in(&now, &now, use, f);
		double gain = cycles - load_estimate(&f->loads, &before, &after, pairs);

		if (cycles <= 0 || gain == 0)
			continue;
		c->gain += gain;
		squares += f->squares * gain / cycles * gain / cycles;
		c->samples += f->samples;
		if (gain > most) {
			c->main = f;
			c->main_now = before;
			c->main_then = after;
		}
		most = gain > most ? gain : most;
	}
	c->error = INTERVAL * sqrt(squares);
}
