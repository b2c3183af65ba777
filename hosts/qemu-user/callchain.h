/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call stack of each sample, where the recording is to have them (spemu record -g).
 *
 * Either the frame records that the program keeps (AAPCS64: x29) are followed at the sample, which
 * costs nothing in between; or calls and returns are: a block that ends with one, or sets the stack
 * pointer from elsewhere, has a callback at its entry, after the one that counts, and others have
 * none. What such a block does is done at its entry, as blocks have one way through; a sample in it
 * is taken before that.
 *
 * A stack is that of the entry of the sample's block. It is taken when the operation is chosen and
 * written when its record is. Where the samples' events go: recording_stacks().
 */
#ifndef CALLCHAIN_H
#define CALLCHAIN_H

#include "entry_registers.h"
#include "shadow.h"
#include "vcpu.h"

struct qemu_plugin_tb;

/* The thread's lane is set, or is another one after a fork. Until then, and if it fails, nothing is
 * taken. */
void callchain_start(struct vcpu *vcpu);
void callchain_free(struct vcpu *vcpu);

/*
 * The call site of a block that is a whole translation, if the callback that counts is to call one
 * of those below in the end; else 0.
 */
uint16_t callchain_site(const struct block *block);
void callchain_at_block(unsigned cpu, const struct block *block);
/* The same for the usual call and the usual return, with less to decide each time. */
enum callchain_site_kind {
	CALLCHAIN_ANY,
	CALLCHAIN_CALL,
	CALLCHAIN_RETURN,
};
enum callchain_site_kind callchain_site_kind(const struct block *block);

/* In the bits of a call site from this one on: by how much the stack pointer differs there, in
 * units of bytes. */
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

/* After the callbacks that count. has_site: they have the translation's call site. */
void callchain_translate(struct qemu_plugin_tb *tb, size_t insns, bool has_site);

/* The stack at the entry of the block that begins. */
void callchain_take(struct vcpu *vcpu, const struct block *block);
/* What the counter was that the record in the making will show. */
void callchain_stamp(struct vcpu *vcpu, uint64_t count);
/* The record of the operation at pc, whose stack was taken last, is written. */
void callchain_record(struct vcpu *vcpu, uint64_t pc);
/* What has been recorded goes to the file. */
void callchain_deliver(struct vcpu *vcpu);

#endif
