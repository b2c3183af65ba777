/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples, from the expired countdown to the record; see sample.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.3 (interval), D17.6 (collection), D18.2.6 (events).
 */

#include "block_op.h"
#include "callchain.h"
#include "driver.h"
#include "guest_abi.h"
#include "heap.h"
#include "heap_objects.h"
#include "mappings.h"
#include "previous_target.h"
#include "qemu_symbols.h"
#include "entry_registers.h"
#include "restart_block.h"
#include "sample.h"
#include "signals.h"
#include "sampled_window.h"
#include "vectors.h"

/* Computed addresses that memory callbacks must confirm before computed addresses are used. */
#define CHECKED_ADDRESSES 64

#define LARGEST_ACCESS 16
#define UNCERTAIN_BRANCH (SPEMU_OPF_CONDITIONAL | SPEMU_OPF_INDIRECT | SPEMU_OPF_RETURN)

static int64_t countdown_of(uint64_t until)
{
	return until > COUNT_NEVER ? COUNT_NEVER : (int64_t)until;
}

static bool is_svc(uint32_t opcode)
{
	return (opcode & 0xffe0001fu) == 0xd4000001u;
}

/* Describe the instruction from its encoding. Of the instructions that generate exceptions, only
 * SVC retires. vectors_complete() adds what a record shows of SVE. */
static void describe(struct spemu_op *op, uint64_t pc, uint32_t opcode)
{
	block_op_describe(op, pc, opcode, 0);
	if (process.vectors)
		vectors_hide(&op->kind);
	op->exception = op->kind.flags & SPEMU_OPF_EXCEPTION;
	op->retired = !op->exception || is_svc(opcode);
}

/* Begin the sample of the chosen operation. Return false if the model refused it. */
static bool begin(struct vcpu *vcpu, uint64_t pc)
{
	bool started;

	vcpu->base += vcpu->until;
	vcpu->executed += vcpu->until;
	if (process.sampled)
		window_executed(vcpu, vcpu->until);
	vcpu->restarts = 0;
	spemu_spu_ops(vcpu->spu, vcpu->until - 1);
	started = spemu_spu_sample_begin(vcpu->spu, pc) == SPEMU_SAMPLE_STARTED;
	vcpu->until = spemu_spu_ops_until_sample(vcpu->spu);
	return started;
}

/* Estimate the timing of an operation outside sampling windows, which the timing model did not
 * see. */
static const struct uarch_result *estimate(struct vcpu *vcpu, const struct spemu_op *op,
                                           const struct uarch_result *timing,
                                           struct uarch_result *estimated)
{
	bool branch = op->kind.type == SPEMU_OP_BRANCH, known = true;
	unsigned flags = branch ? 0 : op->kind.type == SPEMU_OP_LOAD ? UARCH_LOAD : UARCH_STORE;

	*estimated = *timing;
	if (branch ? (op->kind.flags & UNCERTAIN_BRANCH) != 0 : (op->valid & SPEMU_OPV_VA) != 0)
		known = uarch_estimate(vcpu->core, window_insn_stats(op->pc), estimated, op->va,
		                       op->kind.access_size, flags);
	window_estimated(known);
	return estimated;
}

static void end(struct vcpu *vcpu, struct spemu_op *op, struct uarch_result *timing)
{
	struct uarch_result estimated;
	struct spemu_sample_result result;

	if (vcpu->core) {
		const struct uarch_result *whole = timing;

		if (process.sampled && !vcpu->windowed)
			whole = estimate(vcpu, op, timing, &estimated);
		uarch_complete(vcpu->core, op, whole);
	}
	if ((process.params->flags & RECORDING_PHYS_ADDR) && (op->valid & SPEMU_OPV_VA) &&
	    mappings_physical(&op->pa, op->va))
		op->valid |= SPEMU_OPV_PA;
	if (spemu_spu_sample_end(vcpu->spu, &result, op) != SPEMU_OK)
		return;
	driver_count(vcpu, &result);
	if (heap_on && (op->valid & SPEMU_OPV_VA))
		heap_objects_touched(op->va);
	if (result.outcome == SPEMU_SAMPLE_RECORDED)
		callchain_record(vcpu, op);
	if (result.outcome == SPEMU_SAMPLE_RECORDED || result.outcome == SPEMU_SAMPLE_PENDING)
		vcpu->count[RECORDING_PREVIOUS_MISSING] += vcpu->previous_missing;
	if (result.management_event || spemu_spu_pmbirq(vcpu->spu))
		driver_interrupt(vcpu);
	vcpu->until = spemu_spu_ops_until_sample(vcpu->spu);
}

/* Decide the branch. Return false if that is impossible, because a signal handler came between or
 * the thread ended. */
static bool decide_branch(struct spemu_op *op, uint64_t next_pc)
{
	if ((op->kind.flags & SPEMU_OPF_INDIRECT) && (!next_pc || signals_is_handler(next_pc)))
		return false;
	return block_op_decide_branch(op, next_pc);
}

/* End the operation: record it, or discard it if it is an undecided branch. */
static void conclude(struct vcpu *vcpu, struct in_flight *flight, uint64_t next_pc)
{
	struct spemu_op *op = &flight->op;

	if (flight->branch) {
		if (!decide_branch(op, next_pc)) {
			driver_discard(vcpu, op);
			vcpu->until = spemu_spu_ops_until_sample(vcpu->spu);
			return;
		}
	} else if (flight->accesses == 0 && block_op_is_access(&op->kind) &&
	           signals_is_handler(next_pc)) {
		op->exception = true; /* it faulted, and its handler runs */
		op->retired = false;
	}
	end(vcpu, op, &flight->timing);
}

void sample_finish(struct vcpu *vcpu, uint64_t next_pc)
{
	struct in_flight *flight = &vcpu->flight, *next = &vcpu->next;
	unsigned tail = flight->tail;

	if (!flight->active)
		return;
	flight->active = false;
	flight->want = NULL;
	conclude(vcpu, flight, next_pc);
	if (next->active && vcpu->until != UINT64_MAX) {
		tail = next->tail;
		if (begin(vcpu, next->op.pc))
			conclude(vcpu, next, next_pc);
	}
	next->active = false;
	next->want = NULL;
	countdown[vcpu->index].timed = vcpu->core;
	vcpu->resume = countdown_of(vcpu->until) - tail;
	if (vcpu->resume < 1)
		vcpu->resume = 1;
}

void sample_syscall(struct vcpu *vcpu)
{
	sample_finish(vcpu, 0);
	*countdown_left(vcpu->index) = vcpu->resume - 1;
	previous_target_hold(vcpu);
}

/* Compute the address of the memory access at the block's entry, and return true if it can be used.
 * Until enough computed addresses have been confirmed, keep the address for a comparison with the
 * actual access, and return false. */
static bool address_at_entry(struct vcpu *vcpu, struct spemu_op *op, const struct block *block,
                             unsigned k)
{
	struct a64_mode mode;
	uint64_t va;

	vcpu->claim.pc = NO_BLOCK;
	if (!process.entry_addresses || !a64_mode(&mode, block->opcode[k]) ||
	    !block_op_address(&va, block, k, registers_at_entry(a64_uses(&mode))))
		return false;
	va &= GUEST_ADDRESS_MASK;
	if (!mappings_accessible(va, LARGEST_ACCESS, op->kind.type != SPEMU_OP_LOAD))
		return false;
	if (process.entry_checked < CHECKED_ADDRESSES) {
		vcpu->claim.pc = op->pc;
		vcpu->claim.va = va;
		return false;
	}
	op->va = va;
	op->valid |= SPEMU_OPV_VA;
	return true;
}

static void check_claim(struct vcpu *vcpu, uint64_t pc, uint64_t va)
{
	if (vcpu->claim.pc != pc)
		return;
	vcpu->claim.pc = NO_BLOCK;
	if (vcpu->claim.va == va)
		process.entry_checked++;
	else
		process.entry_addresses = false;
}

struct in_flight *sample_in_flight(struct vcpu *vcpu, const uint32_t *want)
{
	if (vcpu->flight.want == want)
		return &vcpu->flight;
	return vcpu->next.want == want ? &vcpu->next : NULL;
}

void sample_access(struct vcpu *vcpu, struct in_flight *flight, uint64_t va, uint32_t size)
{
	if (flight->accesses++ > 0)
		return;
	check_claim(vcpu, flight->op.pc, va);
	flight->op.va = va;
	flight->op.valid |= SPEMU_OPV_VA;
	if (!flight->op.kind.access_size)
		flight->op.kind.access_size = (uint16_t)size;
}

static void set_in_flight(struct in_flight *flight, const struct spemu_op *op,
                          const struct block *block, unsigned k)
{
	*flight = (struct in_flight){
	        .active = true,
	        .branch = op->kind.type == SPEMU_OP_BRANCH,
	        .op = *op,
	        .want = &block->opcode[k],
	        .tail = block->insns - 1u - k,
	        .timing = {.opcode = block->opcode[k]},
	};
}

/* Keep the k-th instruction in flight until the next block, and a second sample after it in the
 * block. */
static void fly(struct vcpu *vcpu, const struct block *block, unsigned k, const struct spemu_op *op)
{
	int64_t left = countdown_of(vcpu->until) - (block->insns - 1u - k);

	set_in_flight(&vcpu->flight, op, block, k);
	countdown[vcpu->index].timed = NULL;
	if (left <= 0) {
		unsigned after = (unsigned)(left + block->insns - 1);
		struct spemu_op next;

		describe(&next, block_insn_pc(block, after), block->opcode[after]);
		set_in_flight(&vcpu->next, &next, block, after);
	}
	*countdown_left(vcpu->index) = 0;
}

/* Take the k-th instruction of `block` as the sample. Return false if it stays in flight. */
static bool take(struct vcpu *vcpu, const struct block *block, unsigned k, uintptr_t ra)
{
	struct uarch_result timing = {.opcode = block->opcode[k]};
	uint64_t pc = block_insn_pc(block, k);
	struct spemu_op op;
	bool later; /* complete only after a callback at the instruction */

	describe(&op, pc, block->opcode[k]);
	later = block_op_is_access(&op.kind) || (process.vectors && vectors_used(block->opcode[k]));
	if (later && !block->memory && !address_at_entry(vcpu, &op, block, k) &&
	    !process.memory_callbacks && restart_block_allowed(current_cpu) &&
	    vcpu->restarts++ < MAX_RESTARTS) {
		*countdown_left(vcpu->index) = k;
		vcpu->arming = block->pc;
		restart_block(current_cpu, ra);
	}
	previous_target_report(vcpu);
	if (begin(vcpu, pc)) {
		callchain_take(vcpu, block);
		if ((later && block->memory) || op.kind.type == SPEMU_OP_BRANCH) {
			fly(vcpu, block, k, &op);
			return false;
		}
		end(vcpu, &op, &timing);
	}
	*countdown_left(vcpu->index) = countdown_of(vcpu->until) - (int64_t)(block->insns - k);
	return true;
}

void sample_block(struct vcpu *vcpu, const struct block *block, uintptr_t ra)
{
	int64_t *left = countdown_left(vcpu->index);

	vcpu->arming = NO_BLOCK;
	previous_target_release(vcpu);
	if (vcpu->flight.active) {
		sample_finish(vcpu, block->pc);
		*left = vcpu->resume - 1 - block->insns;
	}
	while (*left < 0) {
		if (vcpu->dead) {
			*left = COUNT_NEVER;
			return;
		}
		if (!take(vcpu, block, (unsigned)(*left + block->insns), ra))
			return;
	}
	previous_target_hold(vcpu);
}

struct uarch_result *sample_branch_result(struct vcpu *vcpu, uint64_t pc)
{
	if (vcpu->flight.active && vcpu->flight.branch)
		return &vcpu->flight.timing;
	return vcpu->next.active && vcpu->next.op.pc == pc ? &vcpu->next.timing : NULL;
}

void sample_reload(struct vcpu *vcpu)
{
	vcpu->until = spemu_spu_ops_until_sample(vcpu->spu);
	*countdown_left(vcpu->index) = countdown_of(vcpu->until) - 1;
	previous_target_start(vcpu);
	previous_target_hold(vcpu);
}

uint64_t sample_executed(void *of)
{
	const struct vcpu *vcpu = of;

	if (vcpu->until == UINT64_MAX)
		return vcpu->executed + (uint64_t)(COUNT_NEVER - *countdown_left(vcpu->index));
	return vcpu->executed + sample_partial(vcpu);
}

uint64_t sample_partial(const struct vcpu *vcpu)
{
	int64_t left = vcpu->region.off ? vcpu->region.left : *countdown_left(vcpu->index);

	left = vcpu->flight.active ? vcpu->resume : left + vcpu->lead + 1;
	return vcpu->until == UINT64_MAX || left < 0 || (uint64_t)left > vcpu->until
	               ? 0
	               : vcpu->until - (uint64_t)left;
}
