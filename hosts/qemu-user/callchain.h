/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call stack of each sample, if the recording asks for it (spemu record -g).
 *
 * The stack comes from one of two sources. Either the frame records that the program keeps
 * (AAPCS64: x29) are followed at the sample, which costs nothing in between. Or calls and returns
 * are followed: a block that ends with one, or sets the stack pointer from elsewhere, has one more
 * callback at its entry, after the one that counts. The callback does what the block is going to
 * do, as blocks have one way through. A sample in the block is taken before that.
 *
 * A sample's stack is that of the entry of its block. It is taken when the operation is chosen and
 * written when its record is. recording_stacks() receives the events.
 */
#ifndef CALLCHAIN_H
#define CALLCHAIN_H

#include "entry_registers.h"
#include "shadow.h"
#include "vcpu.h"

struct qemu_plugin_tb;

/* Start, once the thread's lane is set or has changed by a fork. Until then, and if this fails, no
 * stacks are taken. */
void callchain_start(struct vcpu *vcpu);
void callchain_free(struct vcpu *vcpu);

/* Return the call site of a block that is a whole translation, if the callback that counts is to
 * call one of the functions below at its end; else 0. */
uint16_t callchain_site(const struct block *block);
void callchain_at_block(unsigned cpu, const struct block *block);
/* Kinds of call sites: calls and returns that need less to be decided have callbacks of their
 * own. */
enum callchain_site_kind {
	CALLCHAIN_ANY,
	CALLCHAIN_CALL,
	CALLCHAIN_RETURN,
};
enum callchain_site_kind callchain_site_kind(const struct block *block);

/* The bits of a call site from this one on are the change of the stack pointer, in units of
 * bytes. */
#define CALLCHAIN_OFFSET_SHIFT 4
#define CALLCHAIN_OFFSET_UNIT 16 /* the stack pointer is a multiple */

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

/* Register callbacks, after those that count. `has_site`: these include the translation's call
 * site. */
void callchain_translate(struct qemu_plugin_tb *tb, size_t insns, bool has_site);

/* Take the stack at the entry of the block that begins. */
void callchain_take(struct vcpu *vcpu, const struct block *block);
/* Note the counter value of the record in the making. */
void callchain_stamp(struct vcpu *vcpu, uint64_t count);
/* Write the stack that was taken last: the record of the operation at pc has been written. */
void callchain_record(struct vcpu *vcpu, uint64_t pc);
/* Deliver the written stacks to the file. */
void callchain_deliver(struct vcpu *vcpu);

#endif
