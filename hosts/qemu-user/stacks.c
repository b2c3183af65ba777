/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See stacks.h. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "entry_registers.h"
#include "guest_memory.h"
#include "mappings.h"
#include "stacks.h"

#define MAIN_STACK_MAX (UINT64_C(1) << 30)

struct range {
	uint64_t start, end;
};

/*
 * What mmap() made last, and what of it has been a stack: pthread_create() uses stacks again.
 * Another thread that is here at the same time, or was when the process forked, costs a name.
 */
static struct {
	atomic_flag busy;
	struct range recent[64], stack[1024];
	unsigned next_recent, next_stack;
} known = {.busy = ATOMIC_FLAG_INIT};

static bool enter(void)
{
	return !atomic_flag_test_and_set_explicit(&known.busy, memory_order_acquire);
}

static void leave(void)
{
	atomic_flag_clear_explicit(&known.busy, memory_order_release);
}

void stacks_mapped(uint64_t start, uint64_t len)
{
	struct range range = {start, start + len};

	if (!enter())
		return;
	for (unsigned i = 0; i < sizeof(known.stack) / sizeof(known.stack[0]); i++) {
		if (known.stack[i].start < range.end && range.start < known.stack[i].end)
			known.stack[i] = (struct range){0, 0};
	}
	known.recent[known.next_recent] = range;
	known.next_recent =
	        (known.next_recent + 1) % (sizeof(known.recent) / sizeof(known.recent[0]));
	leave();
}

static bool find(struct range *found, const struct range *ranges, unsigned count, unsigned next,
                 uint64_t sp)
{
	/* The newest first. */
	for (unsigned i = 0; i < count; i++) {
		const struct range *r = &ranges[(next + count - 1 - i) % count];

		/* An empty stack's pointer is just after it. */
		if (sp <= r->start || sp > r->end)
			continue;
		*found = *r;
		return true;
	}
	return false;
}

static bool find_of_thread(struct range *found, uint64_t sp)
{
	bool there;

	if (!enter())
		return false;
	there = find(found, known.stack, sizeof(known.stack) / sizeof(known.stack[0]),
	             known.next_stack, sp);
	if (!there && find(found, known.recent, sizeof(known.recent) / sizeof(known.recent[0]),
	                   known.next_recent, sp)) {
		known.stack[known.next_stack] = *found;
		known.next_stack =
		        (known.next_stack + 1) % (sizeof(known.stack) / sizeof(known.stack[0]));
		there = true;
	}
	leave();
	return there;
}

/* The pages around the pointer that may be written: there is none that may below them. */
static bool find_of_first(struct range *found, uint64_t sp)
{
	uint64_t page = guest_page(sp);

	if (!mappings_accessible(page, 1, true))
		return false;
	*found = (struct range){page, page + GUEST_PAGE};
	while (found->end - found->start < MAIN_STACK_MAX &&
	       mappings_accessible(found->start - GUEST_PAGE, 1, true))
		found->start -= GUEST_PAGE;
	while (found->end - found->start < MAIN_STACK_MAX &&
	       mappings_accessible(found->end, 1, true))
		found->end += GUEST_PAGE;
	return true;
}

void stacks_thread_starts(const struct vcpu *vcpu)
{
	struct range range;
	char name[32];
	uint64_t sp;

	if (!process.registers)
		return;
	sp = registers_at_entry(1u << STACK_POINTER)[STACK_POINTER];
	if (vcpu->tid == process.pid) {
		if (find_of_first(&range, sp))
			mappings_named(range.start, range.end - range.start, "[stack]");
	} else if (find_of_thread(&range, sp)) {
		snprintf(name, sizeof(name), "[stack:%d]", (int)vcpu->tid);
		mappings_named(range.start, range.end - range.start, name);
	}
}
