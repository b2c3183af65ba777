/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shadow stacks; see shadow.h. */
#include "shadow.h"

#include "fresh_memory.h"

/* Make an empty stack the present one: a new stack, or the oldest of the others, emptied. */
static bool begin_one(struct shadow *s)
{
	struct shadow_one *one = NULL;

	if (s->stacks < SHADOW_STACKS)
		one = fresh_memory(sizeof(*one), MAP_NORESERVE);
	if (one) {
		s->stack[s->stacks++] = one;
	} else if (!s->stacks) {
		return false;
	} else {
		s->next = (s->next + 1) % s->stacks;
		if (s->stack[s->next] == s->now)
			s->next = (s->next + 1) % s->stacks;
		one = s->stack[s->next];
		one->depth = one->floor = one->handlers = 0;
	}
	s->now = one;
	return true;
}

bool shadow_make(struct shadow *s)
{
	*s = (struct shadow){0};
	return begin_one(s);
}

void shadow_free(struct shadow *s)
{
	for (unsigned i = 0; i < s->stacks; i++)
		munmap(s->stack[i], sizeof(*s->stack[i]));
	*s = (struct shadow){0};
}

static inline struct shadow_frame *top(struct shadow_one *one)
{
	return &one->frame[one->depth - 1];
}

/* Drop the frames below the present stack pointer. */
static inline void trim(struct shadow *s, uint64_t sp)
{
	struct shadow_one *one = s->now;

	if (s->dropped && one->depth && top(one)->sp < sp)
		s->dropped = 0;
	while (one->depth > one->floor && top(one)->sp < sp)
		one->depth--;
}

/* End a handler: drop its own frame and the frames above it. */
static void end_handler(struct shadow_one *one)
{
	one->depth = one->handler[--one->handlers].at;
	one->floor = one->handlers ? one->handler[one->handlers - 1].at + 1 : 0;
}

/* Return another stack, or NULL. With `exact`, its latest call had this stack pointer; otherwise
 * the stack pointer may lie on the stack. */
static struct shadow_one *find(const struct shadow *s, uint64_t sp, bool exact)
{
	for (unsigned i = 0; i < s->stacks; i++) {
		struct shadow_one *one = s->stack[i];

		if (one == s->now || !one->depth)
			continue;
		if (exact ? top(one)->sp == sp : top(one)->sp <= sp && sp <= one->frame[0].sp)
			return one;
	}
	return NULL;
}

/* End the handlers whose stack does not contain the stack pointer. Return the stack pointer that
 * the last of them interrupted, or without such handlers the stack pointer before it was set. */
static uint64_t end_handlers(struct shadow *s, uint64_t sp)
{
	struct shadow_one *one = s->now;
	uint64_t from = s->left_from;

	while (one->handlers) {
		const struct shadow_handler *h = &one->handler[one->handlers - 1];

		if (h->low <= sp && sp <= one->frame[h->at].sp)
			break;
		from = h->interrupted;
		end_handler(one);
	}
	return from;
}

/* Return the highest known stack pointer of the current stack, from the latest handler or the first
 * call. */
static uint64_t end_of(const struct shadow_one *one)
{
	return one->frame[one->handlers ? one->handler[one->handlers - 1].at : 0].sp;
}

/*
 * Handle the new value of a stack pointer that was set. On the same stack it went up to a function
 * that called others at this stack pointer, so drop their frames. Otherwise switch to another
 * stack.
 */
static void land(struct shadow *s, uint64_t sp)
{
	struct shadow_one *other = find(s, sp, true), *one = s->now;
	uint64_t from;

	s->left = false;
	if (!other) {
		from = end_handlers(s, sp);
		if (one->depth && !(from <= sp && sp <= end_of(one))) {
			other = find(s, sp, false);
			if (!other && !begin_one(s))
				return;
		}
	}
	if (other)
		s->now = other;
	one = s->now;
	while (one->depth > one->floor && top(one)->sp <= sp)
		one->depth--;
	s->dropped = 0;
}

/* End the handler that has returned, after its trampoline has ended, too. The trampoline has the
 * handler's stack pointer. */
static void come_back(struct shadow *s, uint64_t entry)
{
	if (top(s->now)->sp == entry)
		return;
	end_handler(s->now);
	s->left = s->returned = false;
}

static inline void arrive(struct shadow *s, uint64_t entry)
{
	if (__builtin_expect(!s->left, 1))
		return;
	if (s->returned)
		come_back(s, entry);
	else
		land(s, entry);
}

void shadow_call_any(struct shadow *s, uint64_t entry, uint64_t sp, uint64_t caller)
{
	struct shadow_one *one;

	arrive(s, entry);
	trim(s, sp & ~SHADOW_INEXACT);
	one = s->now;
	/* The block runs again, after a fault or as another translation. */
	if (one->depth > one->floor && top(one)->sp == sp && top(one)->caller == caller)
		return;
	if (one->depth == SHADOW_FRAMES) {
		s->dropped++;
		return;
	}
	one->frame[one->depth++] = (struct shadow_frame){caller, sp};
}

/* Follow a return that matches no frame of this stack. It may belong to another stack. */
static void return_elsewhere(struct shadow *s, uint64_t sp)
{
	struct shadow_one *one = s->now;

	if (one->handlers && one->depth == one->floor && top(one)->sp == sp) {
		s->left = s->returned = true;
		return;
	}
	if (s->stacks > 1 && (one = find(s, sp, true))) {
		s->now = one;
		one->depth--;
	}
}

void shadow_return_any(struct shadow *s, uint64_t entry, uint64_t sp)
{
	struct shadow_one *one;

	arrive(s, entry);
	trim(s, sp);
	one = s->now;
	if (one->depth > one->floor && (top(one)->sp == sp || (top(one)->sp & SHADOW_INEXACT))) {
		one->depth--;
		s->dropped = 0;
		return;
	}
	return_elsewhere(s, sp);
}

void shadow_leave(struct shadow *s, uint64_t entry)
{
	arrive(s, entry);
	s->left = true;
	s->returned = false;
	s->left_from = entry;
}

void shadow_handler(struct shadow *s, uint64_t sp, uint64_t low, uint64_t pc, uint64_t interrupted)
{
	struct shadow_one *one;

	one = s->now;
	if (!s->left && one->handlers && one->depth == one->floor && top(one)->sp == sp &&
	    top(one)->caller == pc)
		return; /* it has been followed already */
	arrive(s, interrupted);
	trim(s, interrupted);
	one = s->now;
	if (one->handlers == SHADOW_HANDLERS || one->depth == SHADOW_FRAMES)
		return;
	one->handler[one->handlers++] = (struct shadow_handler){one->depth, low, interrupted};
	one->frame[one->depth++] = (struct shadow_frame){pc, sp};
	one->floor = one->depth;
}

/* Return the caller's part of the stack. `at` is the number of its frame. The frame address of a
 * function is the stack pointer at its call. */
static struct shadow_range range_of(const struct shadow_one *one, uint32_t at, unsigned *handlers)
{
	uint64_t low = one->frame[at].sp & ~SHADOW_INEXACT, cfa = at ? one->frame[at - 1].sp : 0;

	if (*handlers && one->handler[*handlers - 1].at == at)
		low = one->handler[--*handlers].interrupted;
	return low < cfa && !(cfa & SHADOW_INEXACT) ? (struct shadow_range){low, cfa}
	                                            : (struct shadow_range){0, 0};
}

uint32_t shadow_callers(struct shadow *s, bool *cut, uint64_t *caller, struct shadow_range *range,
                        uint32_t max, uint64_t entry)
{
	const struct shadow_one *one;
	unsigned handlers;
	uint32_t n = 0;

	arrive(s, entry);
	trim(s, entry);
	one = s->now;
	handlers = one->handlers;
	for (uint32_t i = one->depth; i > 0 && n < max; i--, n++) {
		caller[n] = one->frame[i - 1].caller;
		range[n] =
		        s->dropped ? (struct shadow_range){0, 0} : range_of(one, i - 1, &handlers);
	}
	*cut = one->depth > n || s->dropped;
	return n;
}

uint32_t shadow_callers_above(const struct shadow *s, uint64_t *caller, uint32_t max, uint64_t sp,
                              uint64_t link)
{
	const struct shadow_one *one = s->now;
	uint32_t n = 0, at = s->dropped ? 0 : one->depth;

	while (at > 0 && (one->frame[at - 1].sp & ~SHADOW_INEXACT) < sp)
		at--;
	if (at > 0 && one->frame[at - 1].caller == link)
		at--;
	for (; at > 0 && n < max; at--)
		caller[n++] = one->frame[at - 1].caller;
	return n;
}
