/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation blocks: the opcodes of a translation, kept until QEMU drops all translations.
 *
 * QEMU translates a block again whenever its code changes, and the block then gets a new struct
 * block. QEMU flushes its code buffer when the buffer is full, which bounds the memory of old
 * blocks.
 */
#ifndef BLOCK_H
#define BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spemu/op.h>

#include "load_chain.h"
#include "qemu_plugin_api.h"

/* Longest translation block (TCG_MAX_INSNS). */
#define MAX_BLOCK_INSNS 512

#define NO_BLOCK 1 /* never the address of an A64 instruction */

struct insn_stats;

/* A translation block or a part of it, or the variant of one that runs instruction by
 * instruction. */
struct block {
	uint64_t pc;
	uint16_t insns;
	bool memory;               /* its instructions have memory callbacks */
	bool timed;                /* reports its memory accesses to the timing model (qemu-user) */
	uint16_t call_site;        /* its effect on the call stack; 0: none (qemu-user) */
	uint32_t branch;           /* flags of the last instruction if it is a branch; else 0 */
	uint64_t last_pc;          /* address of the last instruction */
	struct spemu_op_kind last; /* the last instruction; see block_make() */
	struct insn_stats *stats;  /* of the last instruction, in sampled fidelity (qemu-user) */
	/* Registers of each instruction, or NULL; see load_chain.h */
	const struct block_registers *registers;
	uint32_t opcode[];
};

/* Facts about a block that block_make() may leave out. */
enum block_facts {
	BLOCK_PLAIN,
	BLOCK_LAST,      /* with the members that describe the last instruction */
	BLOCK_REGISTERS, /* with these, and with the registers of loads */
};

/* Make a block of the instructions of a translation from `first` on. Return NULL if memory is
 * exhausted. */
struct block *block_make(struct qemu_plugin_tb *tb, size_t first, size_t insns,
                         enum block_facts facts);

/* Free all blocks, when QEMU has dropped its translations and no thread runs generated code. */
void block_drop_all(void);

uint32_t block_opcode_at(struct qemu_plugin_tb *tb, size_t index);

static inline uint64_t block_insn_pc(const struct block *block, unsigned index)
{
	return block->pc + 4ull * index;
}

/* Tag a pointer to a block, or into one, with a number in its 16 upper bits. With such an argument
 * most callbacks need not read the block. */
#define BLOCK_TAG_SHIFT 48

static inline void *block_tagged(const void *pointer, uintptr_t tag)
{
	return (void *)((uintptr_t)pointer | tag << BLOCK_TAG_SHIFT);
}

static inline const void *block_untagged(const void *tagged)
{
	return (const void *)((uintptr_t)tagged & (((uintptr_t)1 << BLOCK_TAG_SHIFT) - 1));
}

static inline uintptr_t block_tag(const void *tagged)
{
	return (uintptr_t)tagged >> BLOCK_TAG_SHIFT;
}

#endif
