/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call stacks; see callchain.h.
 *
 * The kernel saves the context that a signal handler interrupted in a frame at the stack pointer of
 * the handler's first instruction. The frame is struct rt_sigframe of Linux
 * (arch/arm64/kernel/signal.c): siginfo and ucontext.
 */
#include "callchain.h"

#include <string.h>

#include "call_site.h"
#include "entry_registers.h"
#include "fresh_memory.h"
#include "guest_abi.h"
#include "guest_memory.h"
#include "qemu_plugin_api.h"
#include "shadow.h"
#include "signals.h"

#define REGISTER(n) (UINT32_C(1) << (n))

/* A call site, packed in the 16 unused bits of a callback's pointer. */
#define SITE_KIND(tag) ((enum call_site_kind)((tag)&3))
#define SITE_EXACT UINT64_C(4)
#define SITE_FRAME UINT64_C(8)
#define SITE_OFFSET_MAX 2047

#define STACK_PART 4096u /* bytes of a stack read at a time */
#define FRAME_RECORD 16u /* bytes of a frame record */

/* Offsets in struct rt_sigframe. */
enum {
	FRAME_STACK_LOW = 128 + 16,   /* uc_stack.ss_sp */
	FRAME_STACK_SIZE = 128 + 32,  /* uc_stack.ss_size */
	FRAME_SP = 128 + 176 + 256,   /* uc_mcontext.sp */
	FRAME_PC = 128 + 176 + 264,   /* uc_mcontext.pc */
	FRAME_SIZE = 128 + 176 + 272, /* up to the last member that is read */
};

struct callchain {
	struct shadow shadow;
	const uint64_t *registers; /* the thread's registers in memory, or NULL */
	struct spemu_perf_time_conv time_conv;
	uint64_t time;
	uint8_t *room; /* shared with the recorder */
	size_t used;
	uint64_t events;
	uint64_t stack[SPEMU_PERF_CALLCHAIN_MAX];
	struct shadow_range range[SPEMU_PERF_CALLCHAIN_MAX]; /* parts of the callers */
	uint32_t callers; /* number of callers, from stack[1] on */
	bool cut;
};

static bool wanted(void)
{
	return process.params->flags & (RECORDING_STACKS_FP | RECORDING_STACKS_SHADOW);
}

static bool wants_shadow(void)
{
	return process.params->flags & RECORDING_STACKS_SHADOW;
}

void callchain_free(struct vcpu *vcpu)
{
	if (!vcpu->callchain)
		return;
	countdown[vcpu->index].shadow = NULL;
	shadow_free(&vcpu->callchain->shadow);
	munmap(vcpu->callchain, sizeof(*vcpu->callchain));
	vcpu->callchain = NULL;
}

static struct callchain *make(void)
{
	struct callchain *c = fresh_memory(sizeof(*c), 0);

	if (!c || !wants_shadow() || shadow_make(&c->shadow))
		return c;
	munmap(c, sizeof(*c));
	return NULL;
}

void callchain_start(struct vcpu *vcpu)
{
	uint64_t hz = process.params->counter_hz ? process.params->counter_hz : 1000000000u;
	uint8_t *room;

	if (!wanted())
		return;
	room = registers_find() ? recording_stacks(&process.rec, vcpu->lane) : NULL;
	if (room && !vcpu->callchain)
		vcpu->callchain = make();
	if (!room || !vcpu->callchain ||
	    spemu_perf_time_conv_init(&vcpu->callchain->time_conv, hz, process.params->time_zero) !=
	            SPEMU_OK) {
		recording_note(&process.rec, "a thread has no call stacks: memory is exhausted, or "
		                             "the plugin cannot read registers of this QEMU");
		callchain_free(vcpu);
		return;
	}
	vcpu->callchain->registers = registers_in_memory();
	if (wants_shadow() && vcpu->callchain->registers) {
		countdown[vcpu->index].registers = vcpu->callchain->registers;
		countdown[vcpu->index].shadow = &vcpu->callchain->shadow;
	}
	vcpu->callchain->room = room;
	vcpu->callchain->used = 0;
	vcpu->callchain->events = 0;
}

static inline const uint64_t *registers(const struct callchain *c, uint32_t set)
{
	return c->registers ? c->registers : registers_at_entry(set);
}

/* Follow the call site of a block whose end is `next`. */
static inline void at_site(struct callchain *c, uint64_t tag, uint64_t next)
{
	const uint32_t frame = tag & SITE_FRAME ? REGISTER(FRAME_POINTER) : 0;
	const uint64_t *x = registers(c, REGISTER(STACK_POINTER) | frame);
	uint64_t entry = x[STACK_POINTER];
	uint64_t sp = (frame ? x[FRAME_POINTER] : entry) + callchain_site_offset(tag);

	if (SITE_KIND(tag) == CALL_SITE_CALL)
		shadow_call(&c->shadow, entry, sp | (tag & SITE_EXACT ? 0 : SHADOW_INEXACT), next);
	else if (SITE_KIND(tag) == CALL_SITE_RETURN)
		shadow_return(&c->shadow, entry, sp);
	else
		shadow_leave(&c->shadow, entry);
}

void callchain_at_block(unsigned cpu, const struct block *block)
{
	struct vcpu *vcpu = countdown[cpu].vcpu;

	if (vcpu && vcpu->callchain)
		at_site(vcpu->callchain, block->call_site, block_insn_pc(block, block->insns));
}

enum callchain_site_kind callchain_site_kind(const struct block *block)
{
	const uint16_t tag = block->call_site;

	if (!(tag & SITE_EXACT) || tag & SITE_FRAME)
		return CALLCHAIN_ANY;
	return SITE_KIND(tag) == CALL_SITE_CALL     ? CALLCHAIN_CALL
	       : SITE_KIND(tag) == CALL_SITE_RETURN ? CALLCHAIN_RETURN
	                                            : CALLCHAIN_ANY;
}

static void at_translation(unsigned cpu, void *udata)
{
	struct vcpu *vcpu = vcpu_at(cpu);

	if (vcpu && vcpu->callchain)
		at_site(vcpu->callchain, block_tag(udata), (uintptr_t)block_untagged(udata));
}

/* Return true if pc is the trampoline to which a handler returns: MOV x8, #139 (rt_sigreturn); SVC
 * #0. */
static bool is_trampoline(uint64_t pc)
{
	static const uint32_t code[2] = {0xd2801168, 0xd4000001};
	uint32_t found[2];

	return guest_read(found, pc, sizeof(found)) && !memcmp(found, code, sizeof(code));
}

/* Enter a signal handler at its first instruction, unless the handler was called as a function. */
static void begin_handler(struct callchain *c)
{
	const uint64_t *x = registers(c, REGISTER(STACK_POINTER) | REGISTER(LINK_REGISTER));
	uint64_t sp = x[STACK_POINTER], frame[FRAME_SIZE / 8], low;

	if (!is_trampoline(x[LINK_REGISTER]) || !guest_read(frame, sp, sizeof(frame)))
		return;
	low = frame[FRAME_STACK_LOW / 8];
	if (sp < low || sp - low >= frame[FRAME_STACK_SIZE / 8])
		low = 0; /* it runs on the interrupted stack */
	shadow_handler(&c->shadow, sp, low, frame[FRAME_PC / 8], frame[FRAME_SP / 8]);
}

static void at_handler(unsigned cpu, void *udata)
{
	struct vcpu *vcpu = vcpu_at(cpu);

	(void)udata;
	if (vcpu && vcpu->callchain)
		begin_handler(vcpu->callchain);
}

/* Return the tag of the block's call site, or 0 if the block does not have one. */
static uint64_t site_tag(const uint32_t *opcode, size_t insns)
{
	struct call_site site;
	int64_t units;

	call_site_find(&site, opcode, (unsigned)insns);
	if (site.kind == CALL_SITE_NONE || site.kind == CALL_SITE_LEAVE)
		return site.kind;
	units = site.offset / CALLCHAIN_OFFSET_UNIT;
	if (site.offset % CALLCHAIN_OFFSET_UNIT || units > SITE_OFFSET_MAX ||
	    units < -SITE_OFFSET_MAX) {
		if (site.kind == CALL_SITE_RETURN)
			return CALL_SITE_LEAVE;
		return CALL_SITE_CALL;
	}
	return (uint64_t)site.kind | (site.exact ? SITE_EXACT : 0) | (site.frame ? SITE_FRAME : 0) |
	       ((uint64_t)(units * (1 << CALLCHAIN_OFFSET_SHIFT)) & 0xffff);
}

uint16_t callchain_site(const struct block *block)
{
	if (!wants_shadow() || block->timed || counted || signals_is_handler(block->pc))
		return 0;
	return (uint16_t)site_tag(block->opcode, block->insns);
}

/* QEMU calls the callbacks of an instruction in the order of their registration. */
void callchain_translate(struct qemu_plugin_tb *tb, size_t insns, bool has_site)
{
	enum qemu_plugin_cb_flags flags =
	        qemu_plugin_version == 1 ? QEMU_PLUGIN_CB_NO_REGS : QEMU_PLUGIN_CB_R_REGS;
	struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
	uint64_t tag, pc = qemu_plugin_tb_vaddr(tb);
	uint32_t opcode[MAX_BLOCK_INSNS];

	if (!wants_shadow() || has_site)
		return;
	for (size_t i = 0; i < insns; i++)
		opcode[i] = block_opcode_at(tb, i);
	tag = site_tag(opcode, insns);
	if (signals_is_handler(pc))
		qemu_plugin_register_vcpu_insn_exec_cb(first, at_handler, flags, NULL);
	if (tag)
		qemu_plugin_register_vcpu_insn_exec_cb(
		        first, at_translation, flags,
		        block_tagged((void *)(uintptr_t)(pc + 4 * insns), tag));
}

/* The part of a stack that a walk has read last. Frame records are close to each other, and each
 * read is a system call. */
struct stack_part {
	uint64_t begin, size; /* bytes */
	uint64_t word[STACK_PART / 8];
};

/* Return the two words of a frame record, or NULL if they cannot be read. */
static const uint64_t *frame_record(struct stack_part *part, uint64_t record)
{
	uint64_t to_page_end = STACK_PART - record % STACK_PART;

	if (record < part->begin || record - part->begin + FRAME_RECORD > part->size) {
		part->begin = record;
		part->size =
		        guest_read_part(part->word, record,
		                        to_page_end < FRAME_RECORD ? FRAME_RECORD : to_page_end);
	}
	return part->size >= FRAME_RECORD ? &part->word[(record - part->begin) / 8] : NULL;
}

/* Follow frame records. Each contains the address of the caller's record, which lies above it, and
 * the return address. */
static void follow_records(struct callchain *c, uint64_t record)
{
	struct stack_part part;
	const uint64_t *word;

	part.begin = part.size = 0;
	c->callers = 0;
	c->cut = false;
	while (record && record % 8 == 0 && (word = frame_record(&part, record))) {
		if (!word[1] || word[1] >= SPEMU_PERF_CONTEXT_MAX)
			return;
		if (c->callers == SPEMU_PERF_CALLCHAIN_MAX - 1) {
			c->cut = true;
			return;
		}
		c->stack[1 + c->callers++] = word[1];
		if (word[0] <= record)
			return;
		record = word[0];
	}
}

void callchain_take(struct vcpu *vcpu, const struct block *block)
{
	struct callchain *c = vcpu->callchain;

	if (!c)
		return;
	/* A sample is taken before the callbacks of the block's instructions, so at_handler() has
	 * not been called yet. */
	if (wants_shadow() && signals_is_handler(block->pc))
		begin_handler(c);
	if (wants_shadow())
		c->callers = shadow_callers(&c->shadow, &c->cut, &c->stack[1], &c->range[1],
		                            SPEMU_PERF_CALLCHAIN_MAX - 1,
		                            registers(c, REGISTER(STACK_POINTER))[STACK_POINTER]);
	else
		follow_records(c, registers(c, REGISTER(FRAME_POINTER))[FRAME_POINTER]);
}

uint32_t callchain_above(unsigned cpu, uint64_t *caller, uint32_t max, uint64_t sp, uint64_t link)
{
	const struct vcpu *vcpu = vcpu_at(cpu);

	return vcpu && vcpu->callchain && wants_shadow()
	               ? shadow_callers_above(&vcpu->callchain->shadow, caller, max, sp, link)
	               : 0;
}

void callchain_stamp(struct vcpu *vcpu, uint64_t count)
{
	if (vcpu->callchain)
		vcpu->callchain->time = spemu_perf_time(&vcpu->callchain->time_conv, count);
}

/* Return the frame that contains the operation's data. Frame records do not tell it. */
static struct spemu_perf_frame frame_of(const struct callchain *c, const struct spemu_op *op)
{
	const uint64_t address = op->va & GUEST_ADDRESS_MASK;

	if (!(op->valid & SPEMU_OPV_VA) || !wants_shadow())
		return (struct spemu_perf_frame){0};
	for (uint32_t i = 1; i <= c->callers; i++) {
		if (address >= c->range[i].low && address < c->range[i].cfa)
			return (struct spemu_perf_frame){i, c->range[i].cfa};
	}
	return (struct spemu_perf_frame){0};
}

void callchain_record(struct vcpu *vcpu, const struct spemu_op *op)
{
	struct callchain *c = vcpu->callchain;
	struct spemu_perf_frame frame;
	struct spemu_perf_who who = {
	        .pid = (uint32_t)process.pid, .tid = (uint32_t)vcpu->tid, .cpu = vcpu->lane};
	int size;

	if (!c) {
		vcpu->count[RECORDING_STACKS_LOST] += wanted();
		return;
	}
	who.time = c->time;
	c->stack[0] = op->pc;
	frame = frame_of(c, op);
	if (c->used + SPEMU_PERF_CALLCHAIN_SIZE(c->callers + 1) > RECORDING_STACKS_MAX)
		callchain_deliver(vcpu);
	size = spemu_perf_put_sample(c->room + c->used, RECORDING_STACKS_MAX - c->used, &who,
	                             c->stack, c->callers + 1, &frame);
	if (size < 0) {
		vcpu->count[RECORDING_STACKS_LOST]++;
		return;
	}
	c->used += (size_t)size;
	c->events++;
	vcpu->count[RECORDING_STACKS_CUT] += c->cut;
	recording_publish_stacks(&process.rec, vcpu->lane, c->used, c->events);
}

void callchain_deliver(struct vcpu *vcpu)
{
	struct callchain *c = vcpu->callchain;

	if (!c || !c->used)
		return;
	recording_append_stacks(&process.rec, vcpu->lane);
	c->used = 0;
	c->events = 0;
}
