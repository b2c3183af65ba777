/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The count and its callbacks; vcpu_count.h has the states of the sampled operation.
 *
 * Between any two callbacks, while profiling is enabled and no operation is chosen, two equations
 * hold:
 *
 * executed = *count - loaded operations not yet given to the model loaded = COUNT_LIMIT - until +
 * early so *count reaches COUNT_LIMIT when `early` operations are left
 *
 * `until` is the model's distance to the sample. While profiling is disabled, `until` is UINT64_MAX
 * and `loaded` starts at 0. In the table + and - change a number, = sets it, and an empty field
 * leaves it unchanged:
 *
 *   step                        *count       loaded               until        early   the model gets
 *   a block of n is entered     + n
 *   uncount(n)                  - n
 *   count_commit()                           = *count             - executed           executed
 *   load_behind(n)              = loaded + n = COUNT_LIMIT - until = the model's = 0
 *   hold(), early by n          + n          + n                               + n
 *   release()                   - early      - early                           = 0
 *
 * Arm ARM: DDI 0487 M.a, D17.2 (population), D17.3 (interval).
 */

#include <spemu/strict.h>

#include "block_op.h"
#include "config.h"
#include "counting.h"
#include "events.h"
#include "pmu_events.h"
#include "present_block.h"
#include "vcpu_previous.h"
#include "restart_block.h"
#include "streaming.h"
#include "timing.h"
#include "vcpu_count.h"
#include "vcpu_sample.h"

/* Longest block that has at most one sample, by the least PMSIDR_EL1.Interval. */
#define MAX_DEFERRED_BLOCK 256

static struct qemu_plugin_scoreboard *generated;

void count_start(void)
{
	generated = qemu_plugin_scoreboard_new(sizeof(struct generated));
}

struct qemu_plugin_u64 generated_entry(size_t member)
{
	return (struct qemu_plugin_u64){generated, member};
}

/* Return the number of operations that the vCPU has executed, for the timing model. */
static uint64_t executed(void *vcpu)
{
	return *((const struct vcpu *)vcpu)->count;
}

void count_find(struct vcpu *vcpu)
{
	vcpu->generated = qemu_plugin_scoreboard_find(generated, vcpu->index);
	vcpu->count = &vcpu->generated->count;
	if (vcpu->core)
		uarch_count_operations(vcpu->core, executed, vcpu);
}

void count_commit(struct vcpu *vcpu)
{
	uint64_t *count = vcpu->count;
	uint64_t executed = *count - vcpu->loaded;

	if (vcpu->flight.active || vcpu->until == UINT64_MAX)
		return;
	if (executed >= vcpu->until)
		executed = vcpu->until - 1;
	if (executed && spemu_spu_ops(vcpu->spu, executed) == SPEMU_OK)
		vcpu->until -= executed;
	vcpu->loaded = *count;
}

/* Take back what hold() added, so that the limit is at the sample itself. */
static void release(struct vcpu *vcpu)
{
	present_count_set(vcpu, *vcpu->count - vcpu->early);
	vcpu->loaded -= vcpu->early;
	vcpu->early = 0;
}

/* Make the count reach its limit `more` operations earlier, or at the next block if fewer are
 * left. */
static void bring_forward(struct vcpu *vcpu, uint64_t more)
{
	uint64_t left = COUNT_LIMIT - 1 - *vcpu->count;

	more = more < left ? more : left;
	present_count_set(vcpu, *vcpu->count + more);
	vcpu->loaded += more;
	vcpu->early += more;
}

/*
 * Make the count reach its limit early: to follow the branches before the sample, and to stop after
 * the operation that makes a PMU counter overflow. Called after the count was loaded, or when it
 * continues.
 */
static void hold(struct vcpu *vcpu)
{
	uint64_t *count = vcpu->count, counted, left;

	previous_target_hold(vcpu);
	if (vcpu->overflow == UINT64_MAX || vcpu->flight.active || *count >= COUNT_LIMIT)
		return;
	counted = *count - vcpu->loaded;
	left = COUNT_LIMIT - 1 - *count;
	if (counted >= vcpu->overflow)
		bring_forward(vcpu, left);
	else if (vcpu->overflow - counted < left)
		bring_forward(vcpu, left - (vcpu->overflow - counted));
}

static void look_for_overflow(struct vcpu *vcpu)
{
	bool may = vcpu->watched && vcpu->until != UINT64_MAX && !vcpu->flight.active;

	vcpu->overflow = may ? pmu_events_until_overflow(vcpu) : UINT64_MAX;
}

/* Return true if the limit came early, and let the count go on. Called after release(). */
static bool waits(struct vcpu *vcpu)
{
	if (*vcpu->count >= COUNT_LIMIT)
		return false;
	hold(vcpu);
	return true;
}

/* Report the start and the end of sampling. The end is reported after the operation in flight. */
static void report_sampling(struct vcpu *vcpu)
{
	bool on = vcpu->until != UINT64_MAX;

	if (__builtin_expect(on == vcpu->sampling, 1) || vcpu->flight.active)
		return;
	vcpu->sampling = on;
	events_sampling(vcpu, on);
}

/* Load the count from the model. The present block has counted `counted` operations of the new
 * distance already. */
static void load_behind(struct vcpu *vcpu, uint64_t counted)
{
	bool disabled = vcpu->until == UINT64_MAX;

	vcpu->left.count = COUNT_NEVER;
	if (vcpu->flight.active && !vcpu->flight.begun)
		return; /* chosen already */
	vcpu->until = vcpu->flight.active ? 0 : spemu_spu_ops_until_sample(vcpu->spu);
	report_sampling(vcpu);
	vcpu->loaded = vcpu->until == UINT64_MAX ? 0 : COUNT_LIMIT - vcpu->until;
	present_count_set(vcpu, vcpu->loaded + counted);
	vcpu->early = 0;
	if (disabled)
		previous_target_enabled(vcpu);
	look_for_overflow(vcpu);
	hold(vcpu);
}

void count_to_overflow(struct vcpu *vcpu)
{
	release(vcpu);
	look_for_overflow(vcpu);
	hold(vcpu);
}

void count_forget(struct vcpu *vcpu)
{
	vcpu->flight.active = false;
	vcpu->arming = NO_BLOCK;
	vcpu->alone = NO_BLOCK;
	vcpu->present.count = COUNT_NEVER;
	vcpu->left.count = COUNT_NEVER;
	vcpu->behind = 0;
}

void count_load(struct vcpu *vcpu)
{
	load_behind(vcpu, vcpu->behind);
	vcpu->behind = 0;
}

void count_changed(struct vcpu *vcpu)
{
	bool can = vcpu->until != UINT64_MAX;

	count_load(vcpu);
	for (unsigned el = 0; el < 4 && !can; el++)
		can = spemu_spu_profiling_enabled(vcpu->spu, el);
	can |= vcpu->until != UINT64_MAX;
	/* In strict mode both registers can become visible later than they were written, without a
	 * call of this function. */
	vcpu->needs_pa = config.strict || (can && sample_needs_pa(vcpu));
	if (can != vcpu->can_sample) {
		vcpu->can_sample = can;
		counting_need(can);
	}
}

bool count_variant(uint64_t pc)
{
	const struct vcpu *vcpu = vcpu_current();

	return vcpu && vcpu->arming == pc;
}

/* Give the model the operations before the chosen one, and begin its sample. */
static void begin(struct vcpu *vcpu)
{
	spemu_spu_ops(vcpu->spu, vcpu->until - 1);
	sample_begin(vcpu);
	if (vcpu->flight.active && vcpu->flight.has_va)
		sample_memory_access(vcpu, vcpu->flight.va, 0, false, 0);
}

/* Finish the sample of an executed operation whose successor is next_pc. Begin it first if it was
 * only chosen. */
static void finish(struct vcpu *vcpu, uint64_t next_pc)
{
	if (!vcpu->flight.begun)
		begin(vcpu);
	if (vcpu->flight.active)
		sample_finish(vcpu, next_pc);
}

/* Return the number of instructions that the block of the operation in flight has counted after
 * it. */
static unsigned insns_after(const struct vcpu *vcpu)
{
	struct block_insn insn = vcpu->flight.insn;

	return vcpu->flight.begun ? vcpu->flight.behind : insn.block->insns - 1 - insn.index;
}

static unsigned not_more(unsigned insns, uint64_t than)
{
	return insns < than ? insns : (unsigned)than;
}

/* Subtract the last `insns` counted instructions, which were not executed or not yet. Return how
 * many were subtracted. */
static unsigned uncount(struct vcpu *vcpu, unsigned insns)
{
	insns = not_more(insns, *vcpu->count - vcpu->loaded);
	release(vcpu);
	present_count_set(vcpu, *vcpu->count - insns);
	hold(vcpu);
	return insns;
}

/* Return the instructions of the block after pc that have been counted, or 0 while profiling is
 * disabled. */
static unsigned rest_after(const struct vcpu *vcpu, uint64_t pc)
{
	return vcpu->until == UINT64_MAX ? 0 : present_block_rest(vcpu, pc);
}

void count_before(struct vcpu *vcpu, uint64_t pc)
{
	if (vcpu->flight.active && vcpu->flight.begun) {
		sample_finish(vcpu, pc);
	} else if (!vcpu->flight.active) {
		vcpu->behind = uncount(vcpu, rest_after(vcpu, pc));
		count_commit(vcpu);
	}
	count_load(vcpu);
}

/* Choose operation k of the block at the block's entry. Return false if only a variant can sample
 * it. */
static bool defer(struct vcpu *vcpu, const struct block *block, unsigned k)
{
	struct block_insn insn = {block, k};
	uint64_t va = 0;
	bool access;

	if (config.strict || block->insns > MAX_DEFERRED_BLOCK)
		return false;
	sample_describe(vcpu, insn);
	access = block_op_is_access(&vcpu->flight.op.kind);
	if (access &&
	    (vcpu->needs_pa || !block_op_address(&va, block, k, private_xregs(vcpu->env))))
		return false;
	vcpu->flight.active = true;
	vcpu->flight.begun = false;
	vcpu->flight.has_va = access;
	vcpu->flight.va = va;
	return true;
}

/*
 * If a PMU counter has overflowed, leave the block before `insns` instructions that it has counted
 * but not begun. They run after the interrupt.
 */
static void take_overflow(struct vcpu *vcpu, unsigned insns, uintptr_t ra)
{
	if (vcpu->flight.active || vcpu->overflow == UINT64_MAX ||
	    *vcpu->count - vcpu->loaded - insns < vcpu->overflow ||
	    !restart_block_allowed(vcpu->cpu))
		return;
	present_count_set(vcpu, *vcpu->count - insns);
	count_commit(vcpu);
	count_load(vcpu);
	timing_forget(vcpu);
	leave_block(vcpu->cpu, ra);
}

/*
 * End the operation in flight at pc, in a callback that runs after `insns` instructions of the
 * block have been counted. Return true if the sample is one of these instructions. `again` means
 * that the block does not begin at pc.
 */
static bool is_reached(struct vcpu *vcpu, const struct block *block, uint64_t pc, unsigned insns,
                       bool again, uintptr_t ra)
{
	bool in_flight;

	release(vcpu);
	take_overflow(vcpu, insns, ra);
	in_flight = vcpu->flight.active;
	if (in_flight) {
		insns += insns_after(vcpu);
		finish(vcpu, pc);
	}
	previous_target_block(vcpu, block, again);
	if (in_flight) {
		load_behind(vcpu, insns);
		if (*vcpu->count < COUNT_LIMIT)
			return false;
	}
	if (vcpu->until == UINT64_MAX) { /* disabled for 2^63 instructions */
		count_load(vcpu);
		return false;
	}
	return !waits(vcpu);
}

static __attribute__((noinline)) void block_expired(struct vcpu *vcpu, const struct block *block,
                                                    uintptr_t ra)
{
	uint64_t *count = vcpu->count;

	if (!is_reached(vcpu, block, block->pc, block->insns, false, ra))
		return;
	if (defer(vcpu, block, block->insns - 1 - (unsigned)(*count - COUNT_LIMIT))) {
		present_count_set(vcpu, COUNT_LIMIT);
		return;
	}
	present_count_set(vcpu, *count - block->insns);
	vcpu->arming = block->pc;
	timing_forget(vcpu); /* the block is entered again */
	if (restart_block_allowed(vcpu->cpu) && vcpu->restarts++ < MAX_RESTARTS)
		restart_block(vcpu->cpu, ra);
	/* The operation cannot be observed. Its successor is the sample instead. */
	present_count_set(vcpu, COUNT_LIMIT - 1);
	vcpu->loaded = *count - (vcpu->until - 1);
	vcpu->restarts = 0;
}

void count_block_expired(unsigned cpu, void *udata)
{
	block_expired(&vcpus[cpu], udata, (uintptr_t)__builtin_return_address(0));
}

/* Return the index of pc in the block of the chosen operation, or the block's size if pc is
 * elsewhere. */
static unsigned index_of(const struct vcpu *vcpu, uint64_t pc)
{
	const struct block *block = vcpu->flight.insn.block;
	uint64_t index = (pc - block->pc) / 4;

	return index < block->insns ? (unsigned)index : block->insns;
}

/* Give the model the operations up to `index` of the block, which comes before the chosen
 * operation. */
static void stop_before(struct vcpu *vcpu, unsigned index)
{
	unsigned missing = vcpu->flight.insn.index - index;

	if (vcpu->until - 1 > missing)
		spemu_spu_ops(vcpu->spu, vcpu->until - 1 - missing);
}

void count_catch_up(struct vcpu *vcpu, uint64_t pc)
{
	unsigned k, index;

	vcpu->behind = 0;
	if (!vcpu->flight.active) {
		vcpu->behind = uncount(vcpu, rest_after(vcpu, pc));
		count_commit(vcpu);
		return;
	}
	if (vcpu->flight.begun)
		return;
	k = vcpu->flight.insn.index;
	index = index_of(vcpu, pc);
	if (k < index) {
		unsigned tail = insns_after(vcpu), insns = vcpu->flight.insn.block->insns;

		finish(vcpu, insn_pc(vcpu->flight.insn) + 4);
		load_behind(vcpu, tail);
		vcpu->behind = uncount(vcpu, index < insns ? insns - 1 - index : 0);
		count_commit(vcpu);
	} else if (k == index) {
		unsigned behind = insns_after(vcpu);

		begin(vcpu);
		vcpu->flight.behind = behind;
		count_load(vcpu);
	} else {
		stop_before(vcpu, index);
		vcpu->until = k - index + 1;
	}
}

void count_quiesce(struct vcpu *vcpu)
{
	unsigned tail;

	if (vcpu->flight.active) {
		tail = insns_after(vcpu);
		finish(vcpu, private_pc(vcpu->env));
		load_behind(vcpu, tail);
	}
	count_commit(vcpu);
}

void count_catch_up_exception(struct vcpu *vcpu, uint64_t pc, bool fault)
{
	unsigned insns, index, k, last;

	vcpu->flight.tail = 0;
	if (!vcpu->flight.active) {
		if (fault)
			uncount(vcpu, rest_after(vcpu, pc));
		count_commit(vcpu);
		return;
	}
	if (vcpu->flight.begun) {
		vcpu->flight.tail = vcpu->flight.behind;
		if (fault && vcpu->flight.behind)
			vcpu->flight.tail -=
			        not_more(present_block_rest(vcpu, pc), vcpu->flight.behind);
		return;
	}
	insns = vcpu->flight.insn.block->insns;
	k = vcpu->flight.insn.index;
	index = index_of(vcpu, pc);
	last = fault && index < insns ? index : insns - 1;
	if (last < k) {
		vcpu->flight.active = false;
		stop_before(vcpu, last + 1);
	} else {
		vcpu->flight.tail = last - k;
		begin(vcpu);
	}
	count_load(vcpu);
}

void count_finish_exception(struct vcpu *vcpu)
{
	if (vcpu->flight.active)
		sample_finish_at_el_change(vcpu);
	if (vcpu->flight.tail)
		spemu_spu_ops(vcpu->spu, vcpu->flight.tail);
	vcpu->flight.tail = 0;
}

void count_left(struct vcpu *vcpu, uint64_t pc, bool executed)
{
	unsigned k, index;

	if (vcpu->until == UINT64_MAX)
		return;
	if (!vcpu->flight.active) {
		uncount(vcpu, present_block_rest(vcpu, pc) + !executed);
		return;
	}
	if (vcpu->flight.begun) {
		vcpu->flight.behind -=
		        not_more(present_block_rest(vcpu, pc) + !executed, vcpu->flight.behind);
		return;
	}
	k = vcpu->flight.insn.index;
	index = index_of(vcpu, pc);
	if (index == vcpu->flight.insn.block->insns)
		return; /* pc is in another block */
	if (k < index) {
		finish(vcpu, insn_pc(vcpu->flight.insn) + 4);
		load_behind(vcpu, index - k - !executed);
	} else if (k == index && executed) {
		begin(vcpu);
		count_load(vcpu);
	} else {
		vcpu->flight.active = false;
		stop_before(vcpu, index + executed);
		count_load(vcpu);
	}
}

void count_insn_begins(unsigned cpu, void *block)
{
	struct vcpu *vcpu = &vcpus[cpu];
	const struct block *of = block;

	/* QEMU runs an instruction that it cannot execute within a block again, alone, while no
	 * other vCPU runs. */
	if (of->insns == 1 && qemu_word(vcpu->cpu, CPU_EXCLUSIVE_CONTEXT))
		count_left(vcpu, of->pc, false);
	vcpu->present.block = block;
	vcpu->present.count = *vcpu->count + 1;
	vcpu->present.single = true;
}

void count_up_to(struct vcpu *vcpu, uint64_t pc, bool is_read)
{
	if (!vcpu->can_sample)
		return;
	if (is_read)
		count_alone(vcpu, pc);
	count_catch_up(vcpu, pc);
	count_load(vcpu);
}

/* Correct the count for a block that was left at pc for a memory access to a device, once for all
 * accesses of the instruction. */
static void left_at(struct vcpu *vcpu, uint64_t pc)
{
	if (vcpu->left.pc == pc && vcpu->left.count == *vcpu->count)
		return;
	count_left(vcpu, pc, true);
	vcpu->left.pc = pc;
	vcpu->left.count = *vcpu->count;
}

void count_alone(struct vcpu *vcpu, uint64_t pc)
{
	bool again = vcpu->alone == pc;

	vcpu->alone = NO_BLOCK;
	if (again || !rest_after(vcpu, pc) || !restart_block_allowed(vcpu->cpu))
		return;
	count_left(vcpu, pc, false);
	vcpu->alone = pc;
	run_alone(vcpu->cpu);
}

static __attribute__((noinline)) void insn_expired(struct vcpu *vcpu, struct block_insn insn,
                                                   uintptr_t ra)
{
	bool again = insn.index > 0 || vcpu->arming == insn.block->pc;

	vcpu->arming = NO_BLOCK;
	vcpu->restarts = 0;
	if (!is_reached(vcpu, insn.block, insn_pc(insn), 1, again, ra))
		return;
	vcpu->flight.has_va = false;
	sample_describe(vcpu, insn);
	begin(vcpu);
	count_load(vcpu);
}

void count_insn_expired(unsigned cpu, void *udata)
{
	insn_expired(&vcpus[cpu], block_insn_of(udata), (uintptr_t)__builtin_return_address(0));
}

void count_memory_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	struct vcpu *vcpu = &vcpus[cpu];
	struct block_insn insn = block_insn_of(udata);
	const struct qemu_plugin_hwaddr *pa;

	/* QEMU accesses a device from a separate block, which does not count, and does not resume
	 * the block that it left. */
	if (insn.block->insns == 1 && !present_block_is(vcpu, insn.block))
		left_at(vcpu, insn.block->pc);
	previous_target_memory_access(vcpu, insn.block);
	if (!vcpu->flight.active || !vcpu->flight.begun || vcpu->flight.accesses ||
	    !insn_is(vcpu->flight.insn, insn))
		return; /* before begin() the address comes from the block's entry */
	pa = vcpu->needs_pa ? qemu_plugin_get_hwaddr(info, vaddr) : NULL;
	sample_memory_access(vcpu, vaddr, 1u << qemu_plugin_mem_size_shift(info), pa != NULL,
	                     pa ? qemu_plugin_hwaddr_phys_addr(pa) : 0);
}

void count_memory_access_timed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                               void *udata)
{
	count_memory_access(cpu, info, vaddr, udata);
	timing_memory_access(cpu, info, vaddr, udata);
}
