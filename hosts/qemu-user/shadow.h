/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread's shadow stack: the calls that have not returned, as far as they were seen.
 *
 * The stack pointer ties it to the program's own stack, as a function leaves the stack pointer as
 * it found it (AAPCS64): a frame whose call had a stack pointer below the present one is gone,
 * however it ended. So returns that never come (longjmp, exceptions) and calls that were not seen
 * leave traces only for a short time.
 *
 * A program may have several stacks: coroutines, and signal handlers on a stack of their own. When
 * the stack pointer is set to somewhere else, the frames of the stack that was left are kept until
 * it comes back.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#define SHADOW_FRAMES (1u << 17) /* calls that are followed on one stack; deeper ones are dropped */
#define SHADOW_STACKS 64         /* of a thread; the oldest is dropped */
#define SHADOW_HANDLERS 16       /* nested signal handlers */

/* Added to the stack pointer of a call that is not known exactly: the call had this one or one
 * below. */
#define SHADOW_INEXACT UINT64_C(1)

struct shadow_frame {
	uint64_t caller; /* the return address, or where a signal interrupted */
	uint64_t sp;     /* at the call */
};

/* A handler began above frame `at`, which is the interrupted function. */
struct shadow_handler {
	uint32_t at;
	uint64_t low;         /* lowest stack pointer of the handler's stack */
	uint64_t interrupted; /* stack pointer */
};

struct shadow_one {
	uint32_t depth, floor; /* frames below are the interrupted function's and its callers' */
	unsigned handlers;
	struct shadow_handler handler[SHADOW_HANDLERS];
	struct shadow_frame frame[SHADOW_FRAMES];
};

struct shadow {
	struct shadow_one *now, *stack[SHADOW_STACKS];
	unsigned stacks, next;
	bool left;     /* the stack pointer was set; the next event shows where to */
	bool returned; /* as left, but the handler on top has only returned to its trampoline */
	uint64_t left_from; /* the stack pointer before */
	uint64_t dropped;   /* present calls that are too deep */
};

/* Make the shadow. Return false if there is no memory. */
bool shadow_make(struct shadow *s);
void shadow_free(struct shadow *s);

/* Follow a call or a return, with the stack pointer at that instruction. entry: the stack pointer
 * at the entry of its block. */
void shadow_call_any(struct shadow *s, uint64_t entry, uint64_t sp, uint64_t caller);
void shadow_return_any(struct shadow *s, uint64_t entry, uint64_t sp);
/* Do the same. Nearly every call and return takes the fast path, on which only the depth and one
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
/* Follow the begin of a signal handler at sp, on a stack that begins at low. A second call for the
 * same handler changes nothing. */
void shadow_handler(struct shadow *s, uint64_t sp, uint64_t low, uint64_t pc, uint64_t interrupted);

/* Return the callers at a block's entry, the innermost first, at most max of them. *cut: there are
 * others, or calls were too deep to be followed. */
uint32_t shadow_callers(struct shadow *s, bool *cut, uint64_t *caller, uint32_t max,
                        uint64_t entry);

#endif
