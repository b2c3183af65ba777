/* SPDX-License-Identifier: MIT */
/*
 * Test hosts/qemu-user/shadow.c alone: random calls, returns, longjmp(), coroutines and signal
 * handlers. The callers are known at every step. Also test the limits of the shadow stacks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "draw.h"
#include "shadow.h"

enum { STEPS = 200000, DEPTH = 64, STACKS = 4, HANDLERS = 3, SEEDS = 8 };

/* A pending call, or a pending signal. */
struct call {
	uint64_t caller, sp;
	bool exact, signal;
	uint64_t interrupted; /* stack pointer that a signal interrupted */
	uint64_t low;         /* lowest address of the handlers' stack, if the handler is on it */
};

struct stack {
	struct call call[DEPTH];
	unsigned depth, handlers;
	uint64_t sp;
};

static uint64_t seed;
static struct stack stacks[STACKS], *now;
static struct shadow shadow;
static uint64_t next_caller;

static uint64_t top_of(unsigned stack)
{
	return (UINT64_C(1) << 40) + (stack << 20);
}

static struct call *latest(void)
{
	return &now->call[now->depth - 1];
}

/* Check the part of the stack of the function that made a call, or that a signal interrupted: from
 * its stack pointer to the one at its own call. The plugin knows an inexact stack pointer 16 bytes
 * too high. */
static void check_range(const struct shadow_range *range, unsigned number)
{
	const struct call *c = &now->call[number];
	uint64_t low = c->signal ? c->interrupted : c->sp + (c->exact ? 0 : 16);
	uint64_t cfa = number && c[-1].exact ? c[-1].sp : 0;

	assert_int_equal(range->low, low < cfa ? low : 0);
	assert_int_equal(range->cfa, low < cfa ? cfa : 0);
}

/* Check the callers above one of the calls, if no handler runs. */
static void check_callers_above(void)
{
	uint64_t caller[DEPTH];
	unsigned number, max = below(&seed, 4);

	if (!now->depth || now->handlers)
		return;
	number = below(&seed, now->depth);
	assert_int_equal(shadow_callers_above(&shadow, caller, max, now->call[number].sp,
	                                      now->call[number].caller),
	                 number < max ? number : max);
	for (unsigned i = 0; i < max && i < number; i++)
		assert_int_equal(caller[i], now->call[number - 1 - i].caller);
}

static void check_callers(void)
{
	struct shadow_range range[DEPTH];
	uint64_t caller[DEPTH];
	unsigned max = below(&seed, 4) ? DEPTH : below(&seed, DEPTH);
	unsigned expected = now->depth < max ? now->depth : max;
	bool cut;

	assert_int_equal(shadow_callers(&shadow, &cut, caller, range, max, now->sp), expected);
	assert_int_equal(cut, now->depth > max);
	for (unsigned i = 0; i < expected; i++)
		assert_int_equal(caller[i], now->call[now->depth - 1 - i].caller);
	for (unsigned i = 0; i < expected; i++)
		check_range(&range[i], now->depth - 1 - i);
	check_callers_above();
}

/* Call a function that moves the stack pointer, or a leaf that does not. */
static void call_function(bool exact)
{
	uint64_t entry = now->sp, caller = next_caller++;

	if (now->depth == DEPTH)
		return;
	if (!exact)
		now->sp -= 16; /* the plugin does not follow this instruction */
	shadow_call(&shadow, entry, entry | (exact ? 0 : SHADOW_INEXACT), caller);
	if (below(&seed, 4) == 0) /* the block runs again after a fault */
		shadow_call(&shadow, entry, entry | (exact ? 0 : SHADOW_INEXACT), caller);
	now->call[now->depth++] = (struct call){caller, now->sp, exact, false, 0, 0};
	now->sp -= 16 + 16 * below(&seed, 8);
}

static void call(void)
{
	call_function(below(&seed, 8) != 0);
}

static void return_to_caller(void)
{
	struct call last;

	if (!now->depth)
		return;
	last = *latest();
	shadow_return(&shadow, now->sp, last.sp);
	now->sp = last.sp;
	if (last.signal) { /* return to the trampoline, above the interrupted function */
		if (below(&seed, 2))
			check_callers();
		now->sp = last.interrupted;
		now->handlers--;
	}
	now->depth--;
}

/* Jump to a function that has made a call at a known stack pointer. This may leave signal
 * handlers. */
static void longjmp_up(void)
{
	unsigned to;

	if (!now->depth)
		return;
	to = below(&seed, now->depth);
	if (!now->call[to].exact || now->call[to].signal)
		return;
	shadow_leave(&shadow, now->sp);
	now->sp = now->call[to].sp;
	for (; now->depth > to; now->depth--)
		now->handlers -= latest()->signal;
}

/* Switch coroutines. Each calls a function whose last block sets the other coroutine's stack
 * pointer and returns to it. */
static void switch_stack(void)
{
	struct stack *other = &stacks[below(&seed, STACKS)];

	if (other == now || now->handlers || now->depth == DEPTH)
		return;
	call_function(true);
	shadow_leave(&shadow, now->sp);
	now->sp = latest()->sp;
	now = other;
	if (now->depth)
		now->sp = now->call[--now->depth].sp;
}

/* Return the lowest address of the handlers' stack if the program is on it, or 0. */
static uint64_t present_low(void)
{
	uint64_t low = 0;

	for (unsigned i = 0; i < now->depth; i++) {
		if (now->call[i].low)
			low = now->call[i].low;
	}
	return low;
}

/* Enter a handler on the same stack, or on its own stack above or below all others. */
static void signal_comes(void)
{
	struct call *from = now->depth ? latest() : NULL;
	uint64_t pc = next_caller++, interrupted = now->sp, low = present_low();
	unsigned where = below(&seed, 3);

	if (now->depth == DEPTH || now->handlers == HANDLERS || (from && from->signal))
		return;
	if (where && !low) {
		low = where == 1 ? 0x10000 : top_of(STACKS + 1);
		now->sp = low + 0x8000;
	} else {
		now->sp -= 0x400;
	}
	shadow_handler(&shadow, now->sp, low, pc, interrupted);
	/* The first block of the handler runs again. */
	shadow_handler(&shadow, now->sp, low, pc, interrupted);
	now->call[now->depth++] = (struct call){pc, now->sp, true, true, interrupted, low};
	now->handlers++;
}

static void random_program(void **state)
{
	static void (*const step[])(void) = {
	        call, call, call, return_to_caller, longjmp_up, switch_stack, signal_comes};

	(void)state;
	for (unsigned n = 0; n < SEEDS; n++) {
		seed = n;
		memset(stacks, 0, sizeof(stacks));
		for (unsigned i = 0; i < STACKS; i++)
			stacks[i].sp = top_of(i);
		now = &stacks[0];
		next_caller = 1;
		assert_true(shadow_make(&shadow));
		for (unsigned i = 0; i < STEPS / SEEDS; i++) {
			step[below(&seed, sizeof(step) / sizeof(step[0]))]();
			if (below(&seed, 3) == 0) /* check as often as samples would */
				check_callers();
		}
		shadow_free(&shadow);
	}
}

/* Calls that are too deep are unknown. After they return, all callers are known again. */
static void too_deep(void **state)
{
	uint64_t top = top_of(0), *caller = calloc(SHADOW_FRAMES + 1, sizeof(*caller));
	struct shadow_range *range = calloc(SHADOW_FRAMES + 1, sizeof(*range));
	bool cut;

	(void)state;
	assert_non_null(caller);
	assert_non_null(range);
	assert_true(shadow_make(&shadow));
	for (uint64_t i = 0; i < SHADOW_FRAMES + 3; i++)
		shadow_call(&shadow, top - 16 * i, top - 16 * i, i);
	assert_int_equal(shadow_callers(&shadow, &cut, caller, range, SHADOW_FRAMES + 1,
	                                top - 16 * (SHADOW_FRAMES + 3)),
	                 SHADOW_FRAMES);
	assert_true(cut);
	assert_int_equal(range[0].cfa, 0);
	for (uint64_t i = SHADOW_FRAMES + 2; i >= SHADOW_FRAMES - 1; i--)
		shadow_return(&shadow, top - 16 * (i + 1), top - 16 * i);
	assert_int_equal(shadow_callers(&shadow, &cut, caller, range, SHADOW_FRAMES + 1,
	                                top - 16 * (SHADOW_FRAMES - 1)),
	                 SHADOW_FRAMES - 1);
	assert_false(cut);
	for (uint32_t i = 0; i < SHADOW_FRAMES - 1; i++)
		assert_int_equal(caller[i], SHADOW_FRAMES - 2 - i);
	assert_int_equal(range[0].low, top - 16 * (SHADOW_FRAMES - 2));
	assert_int_equal(range[0].cfa, top - 16 * (SHADOW_FRAMES - 3));
	shadow_free(&shadow);
	free(range);
	free(caller);
}

/* With one stack more than the limit, the plugin forgets the oldest stack, and only this one. */
static void many_stacks(void **state)
{
	struct shadow_range range[2];
	uint64_t caller[2];
	bool cut;

	(void)state;
	assert_true(shadow_make(&shadow));
	for (unsigned i = 0; i <= SHADOW_STACKS; i++) {
		shadow_call(&shadow, top_of(i), top_of(i), i);
		shadow_leave(&shadow, top_of(i) - 16);
	}
	for (unsigned i = SHADOW_STACKS; i > 0; i--) {
		shadow_return(&shadow, top_of(i), top_of(i));
		shadow_call(&shadow, top_of(i), top_of(i), 100 + i);
		assert_int_equal(shadow_callers(&shadow, &cut, caller, range, 2, top_of(i) - 16),
		                 1);
		assert_int_equal(caller[0], 100 + i);
		shadow_leave(&shadow, top_of(i) - 16);
	}
	assert_int_equal(shadow_callers(&shadow, &cut, caller, range, 2, top_of(0) - 16), 0);
	assert_false(cut);
	shadow_free(&shadow);
}

/* A return to the stack pointer at which another stack was left switches to this other stack. */
static void unseen_switch(void **state)
{
	struct shadow_range range[4];
	uint64_t caller[4];
	bool cut;

	(void)state;
	assert_true(shadow_make(&shadow));
	shadow_call(&shadow, top_of(1), top_of(1), 1);
	shadow_call(&shadow, top_of(1) - 32, top_of(1) - 32, 2);
	shadow_leave(&shadow, top_of(1) - 64);
	shadow_call(&shadow, top_of(0), top_of(0), 3);
	shadow_call(&shadow, top_of(0) - 32, top_of(0) - 32, 4);
	shadow_return(&shadow, top_of(1) - 32, top_of(1) - 32);
	assert_int_equal(shadow_callers(&shadow, &cut, caller, range, 4, top_of(1) - 32), 1);
	assert_int_equal(caller[0], 1);
	assert_false(cut);
	shadow_free(&shadow);
}

/* The plugin does not follow every instruction. If such an instruction raises the stack pointer,
 * the frames below it end. */
static void unseen_end(void **state)
{
	struct shadow_range range[4];
	uint64_t caller[4], top = top_of(0);
	bool cut;

	(void)state;
	assert_true(shadow_make(&shadow));
	for (uint64_t i = 0; i < 3; i++)
		shadow_call(&shadow, top - 32 * i, top - 32 * i, i);
	assert_int_equal(shadow_callers(&shadow, &cut, caller, range, 4, top - 64), 3);
	assert_int_equal(shadow_callers(&shadow, &cut, caller, range, 4, top - 48), 2);
	assert_int_equal(caller[0], 1);
	assert_int_equal(shadow_callers(&shadow, &cut, caller, range, 4, top + 16), 0);
	assert_false(cut);
	shadow_free(&shadow);
}

/* Nested handlers beyond the limit are unknown. All others stay known. */
static void many_handlers(void **state)
{
	uint64_t sp = top_of(0), caller[SHADOW_HANDLERS + 2];
	struct shadow_range range[SHADOW_HANDLERS + 2];
	bool cut;

	(void)state;
	assert_true(shadow_make(&shadow));
	for (unsigned i = 0; i <= SHADOW_HANDLERS; i++, sp -= 0x400)
		shadow_handler(&shadow, sp - 0x400, 0, i, sp);
	assert_int_equal(shadow_callers(&shadow, &cut, caller, range, SHADOW_HANDLERS + 2, sp),
	                 SHADOW_HANDLERS);
	for (unsigned i = 0; i < SHADOW_HANDLERS; i++)
		assert_int_equal(caller[i], SHADOW_HANDLERS - 1 - i);
	shadow_free(&shadow);
}

/* A thread that ends frees its memory. */
static void memory_is_given_back(void **state)
{
	unsigned char resident;
	void *page;

	(void)state;
	assert_true(shadow_make(&shadow));
	page = (void *)((uintptr_t)shadow.now & -(uintptr_t)sysconf(_SC_PAGESIZE));
	assert_int_equal(mincore(page, 1, &resident), 0);
	shadow_free(&shadow);
	assert_null(shadow.now);
	assert_int_equal(mincore(page, 1, &resident), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(random_program),       cmocka_unit_test(too_deep),
	        cmocka_unit_test(many_stacks),          cmocka_unit_test(unseen_switch),
	        cmocka_unit_test(unseen_end),           cmocka_unit_test(many_handlers),
	        cmocka_unit_test(memory_is_given_back),
	};

	return cmocka_run_group_tests_name("shadow", tests, NULL, NULL);
}
