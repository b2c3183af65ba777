/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call stack of each sample, if the recording requests it (spemu record -g).
 *
 * The stack comes from one of two sources. The first source is the frame records that the program
 * keeps (AAPCS64: x29). They are followed at the sample, so they cost nothing between samples. The
 * second source is the calls and returns themselves. A block that ends with one, or sets the stack
 * pointer to an unrelated value, has another callback at its entry, after the one that counts. That
 * callback applies the effect of the whole block in advance, because a block has only one path. A
 * sample in the block is taken before that callback.
 *
 * A sample's stack is the stack at the entry of its block. It is taken when the operation is
 * chosen, and written with the operation's record. recording_stacks() receives the events.
 */
#ifndef CALLCHAIN_H
#define CALLCHAIN_H

#include "entry_registers.h"
#include "shadow.h"
#include "vcpu.h"

struct qemu_plugin_tb;

/* Start taking stacks, after the thread's lane was set or changed by a fork. If this fails, no
 * stacks are taken. */
void callchain_start(struct vcpu *vcpu);
void callchain_free(struct vcpu *vcpu);

/* Return the call site of a block that is a whole translation, or 0. If it is not 0, the callback
 * that counts has to call one of the functions below at its end. */
uint16_t callchain_site(const struct block *block);
void callchain_at_block(unsigned cpu, const struct block *block);
/* Kinds of call sites. Calls and returns with an exact change of the stack pointer have faster
 * callbacks. */
enum callchain_site_kind {
	CALLCHAIN_ANY,
	CALLCHAIN_CALL,
	CALLCHAIN_RETURN,
};
enum callchain_site_kind callchain_site_kind(const struct block *block);

/* First bit of a call site's change of the stack pointer, in units of CALLCHAIN_OFFSET_UNIT
 * bytes. */
#define CALLCHAIN_OFFSET_SHIFT 4
#define CALLCHAIN_OFFSET_UNIT 16 /* alignment of the stack pointer */

static inline uint64_t callchain_site_offset(uint64_t site)
{
	return (uint64_t)((int64_t)(int16_t)(uint16_t)site >> CALLCHAIN_OFFSET_SHIFT) *
	       CALLCHAIN_OFFSET_UNIT;
}

static inline void callchain_at_call(unsigned cpu, const struct block *block)
{
	const struct countdown *now = &countdown[cpu];
	uint64_t entry;

	if (__builtin_expect(!now->shadow, 0)) {
		callchain_at_block(cpu, block);
		return;
	}
	entry = now->registers[STACK_POINTER];
	shadow_call(now->shadow, entry, entry + callchain_site_offset(block->call_site),
	            block_insn_pc(block, block->insns));
}

static inline void callchain_at_return(unsigned cpu, const struct block *block)
{
	const struct countdown *now = &countdown[cpu];
	uint64_t entry;

	if (__builtin_expect(!now->shadow, 0)) {
		callchain_at_block(cpu, block);
		return;
	}
	entry = now->registers[STACK_POINTER];
	shadow_return(now->shadow, entry, entry + callchain_site_offset(block->call_site));
}

/* Register callbacks, after those that count. `has_site` means that the latter handle the
 * translation's call site. */
void callchain_translate(struct qemu_plugin_tb *tb, size_t insns, bool has_site);

/* Take the stack at the entry of `block`, which begins. */
void callchain_take(struct vcpu *vcpu, const struct block *block);
/* Return the callers above a call: shadow_callers_above(). Return 0 without shadow stacks. */
uint32_t callchain_above(unsigned cpu, uint64_t *caller, uint32_t max, uint64_t sp, uint64_t link);
/* Note the counter value of the record being made. */
void callchain_stamp(struct vcpu *vcpu, uint64_t count);
/* Write the stack that was taken last, after the record of the operation was written. */
void callchain_record(struct vcpu *vcpu, const struct spemu_op *op);
/* Deliver the written stacks to the recorder. */
void callchain_deliver(struct vcpu *vcpu);

#endif
