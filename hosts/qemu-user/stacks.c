/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search for stacks; see stacks.h. */
#include <stdio.h>

#include "entry_registers.h"
#include "guest_abi.h"
#include "mappings.h"
#include "ranges.h"
#include "stacks.h"

#define MAIN_STACK_MAX (UINT64_C(1) << 30)

/* Memory that mmap() made last, and the ranges that have been stacks, which pthread_create()
 * reuses. */
static struct ranges recent = RANGES(64), known = RANGES(1024);

void stacks_mapped(uint64_t start, uint64_t len)
{
	ranges_remove(&known, start, start + len);
	ranges_add(&recent, start, start + len);
}

/* Find the stack of a thread. The stack pointer of an empty stack is at its end. */
static bool find_of_thread(struct range *found, uint64_t sp)
{
	if (!sp)
		return false;
	if (ranges_find(found, &known, sp - 1, sp))
		return true;
	if (!ranges_find(found, &recent, sp - 1, sp))
		return false;
	ranges_add(&known, found->start, found->end);
	return true;
}

/* Find the stack of the first thread: the writable pages around the stack pointer. The pages below
 * the stack are not writable. */
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
