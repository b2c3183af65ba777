/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks and their memory; see block.h. */
#include <pthread.h>

#include "timing/a64.h"

#include "block.h"
#include "fresh_memory.h"

/* A linked chunk of memory for blocks. A flush frees all chunks. */
#define CHUNK_SIZE (1u << 20)
#define BLOCK_ALIGNMENT 32 /* keeps the members that a block's entry reads in one cache line */
struct chunk {
	struct chunk *older;
	size_t used;
	_Alignas(BLOCK_ALIGNMENT) unsigned char data[];
};
static struct chunk *chunks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* vCPUs translate in parallel */

static bool more_memory(void)
{
	struct chunk *chunk = fresh_memory(CHUNK_SIZE, 0);

	if (!chunk)
		return false;
	chunk->older = chunks;
	chunks = chunk;
	return true;
}

/* Return size bytes of zeros, or NULL. */
static void *block_alloc(size_t size)
{
	void *block = NULL;

	size = (size + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
	pthread_mutex_lock(&lock);
	if ((chunks && chunks->used + size <= CHUNK_SIZE - sizeof(struct chunk)) || more_memory()) {
		block = chunks->data + chunks->used;
		chunks->used += size;
	}
	pthread_mutex_unlock(&lock);
	return block;
}

void block_drop_all(void)
{
	while (chunks) {
		struct chunk *chunk = chunks;

		chunks = chunk->older;
		munmap(chunk, CHUNK_SIZE);
	}
}

uint32_t block_opcode_at(struct qemu_plugin_tb *tb, size_t index)
{
	const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, index);
	qemu_plugin_insn_pointer *pointer = (qemu_plugin_insn_pointer *)qemu_plugin_insn_data;
	qemu_plugin_insn_copy *copy = (qemu_plugin_insn_copy *)qemu_plugin_insn_data;
	uint8_t copied[4] = {0};
	const uint8_t *b = copied;

	if (qemu_plugin_version < QEMU_PLUGIN_INSN_COPY)
		b = pointer(insn);
	else
		copy(insn, copied, sizeof(copied));
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Return true if the last instruction is a direct branch to the block. */
static bool is_loop(const struct block *block)
{
	return block->last.branch_offset && !(block->branch & SPEMU_OPF_LINK) &&
	       block->last_pc + (uint64_t)(int64_t)block->last.branch_offset == block->pc;
}

struct block *block_make(struct qemu_plugin_tb *tb, size_t first, size_t insns,
                         enum block_facts facts)
{
	size_t opcodes = insns * sizeof(uint32_t);
	size_t registers = facts == BLOCK_REGISTERS ? insns * sizeof(struct block_registers) : 0;
	struct block *block = block_alloc(sizeof(*block) + opcodes + registers);

	if (!block)
		return NULL;
	block->pc = qemu_plugin_tb_vaddr(tb) + 4 * first;
	block->insns = (uint16_t)insns;
	for (size_t i = 0; i < insns; i++)
		block->opcode[i] = block_opcode_at(tb, first + i);
	if (facts)
		a64_classify(&block->last, block->opcode[insns - 1], 0);
	block->last_pc = block_insn_pc(block, (unsigned)insns - 1);
	block->branch = block->last.type == SPEMU_OP_BRANCH ? block->last.flags : 0;
	if (registers) {
		struct block_registers *of = (void *)&block->opcode[insns];

		load_chain(of, block->opcode, insns, is_loop(block));
		block->registers = of;
	}
	return block;
}
