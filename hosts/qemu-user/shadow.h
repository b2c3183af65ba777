/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread's shadow stack: the observed calls that have not returned.
 *
 * The stack pointer ties it to the program's stack, because a function preserves the stack pointer
 * (AAPCS64). If a call had a stack pointer below the present one, its frame has ended in some way.
 * So returns that never come (longjmp, exceptions) and calls that were not observed have an effect
 * only for a short time.
 *
 * A program may have several stacks: coroutines, and signal handlers with their own stack. When the
 * stack pointer moves to another stack, the frames of the old one are kept until it returns.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#define SHADOW_FRAMES (1u << 17) /* calls followed on one stack; deeper ones are dropped */
#define SHADOW_STACKS 64         /* stacks of a thread; a new one replaces the oldest */
#define SHADOW_HANDLERS 16       /* nested signal handlers */

/* Flag in the stack pointer of a call: the exact value is unknown, and may be lower. */
#define SHADOW_INEXACT UINT64_C(1)

struct shadow_frame {
	uint64_t caller; /* return address, or address that a signal interrupted */
	uint64_t sp;     /* stack pointer at the call */
};

/* A signal handler. Frame `at` holds the interrupted function. */
struct shadow_handler {
	uint32_t at;
	uint64_t low;         /* lowest stack pointer of the handler's stack */
	uint64_t interrupted; /* interrupted stack pointer */
};

struct shadow_one {
	uint32_t depth, floor; /* frames below floor: interrupted function and its callers */
	unsigned handlers;
	struct shadow_handler handler[SHADOW_HANDLERS];
	struct shadow_frame frame[SHADOW_FRAMES];
};

struct shadow {
	struct shadow_one *now, *stack[SHADOW_STACKS];
	unsigned stacks, next;
	bool left;          /* the stack pointer was set; the next event shows its value */
	bool returned;      /* like left, but the top handler only returned to its trampoline */
	uint64_t left_from; /* the stack pointer before it was set */
	uint64_t dropped;   /* present calls that were too deep to follow */
};

/* Make the shadow stack. Return false if memory is exhausted. */
bool shadow_make(struct shadow *s);
void shadow_free(struct shadow *s);

/* Follow a call or a return. sp is the stack pointer at that instruction; entry is the stack
 * pointer at the entry of its block. */
void shadow_call_any(struct shadow *s, uint64_t entry, uint64_t sp, uint64_t caller);
void shadow_return_any(struct shadow *s, uint64_t entry, uint64_t sp);
/* Follow a call or a return inline. Nearly all take the fast path, on which only the depth and one
 * frame change. */
static inline void shadow_call(struct shadow *s, uint64_t entry, uint64_t sp, uint64_t caller)
{
	struct shadow_one *one = s->now;
	uint32_t depth = one->depth;

	if (!s->left && depth > one->floor && depth < SHADOW_FRAMES &&
	    one->frame[depth - 1].sp > (sp | SHADOW_INEXACT)) {
		one->frame[depth] = (struct shadow_frame){caller, sp};
		one->depth = depth + 1;
		return;
	}
	shadow_call_any(s, entry, sp, caller);
}
static inline void shadow_return(struct shadow *s, uint64_t entry, uint64_t sp)
{
	struct shadow_one *one = s->now;
	uint32_t depth = one->depth;

	if (!s->left && !s->dropped && depth > one->floor && one->frame[depth - 1].sp == sp) {
		one->depth = depth - 1;
		return;
	}
	shadow_return_any(s, entry, sp);
}
/* Follow an instruction that sets the stack pointer to an unknown value. */
void shadow_leave(struct shadow *s, uint64_t entry);
/* Follow the start of a signal handler at sp, on a stack that begins at low. pc and `interrupted`
 * are the interrupted pc and stack pointer. A second call for the same handler changes nothing. */
void shadow_handler(struct shadow *s, uint64_t sp, uint64_t low, uint64_t pc, uint64_t interrupted);

/* The part of a stack that belongs to a caller: low <= address < cfa. low is its stack pointer at
 * the call, or a higher address if that is not exact. cfa is the canonical frame address. Both are
 * 0 if the frame address is unknown, or calls were too deep to follow. */
struct shadow_range {
	uint64_t low, cfa;
};

/* Return the number of callers at a block's entry, at most max, with the innermost first in
 * `caller`, and their parts of the stack in `range`. Set *cut if there are more, or calls were too
 * deep to follow. */
uint32_t shadow_callers(struct shadow *s, bool *cut, uint64_t *caller, struct shadow_range *range,
                        uint32_t max, uint64_t entry);

/* Return the number of callers above a call, at most max, with the innermost first in `caller`. The
 * call was at stack pointer sp, and returns to `link`. */
uint32_t shadow_callers_above(const struct shadow *s, uint64_t *caller, uint32_t max, uint64_t sp,
                              uint64_t link);

#endif
