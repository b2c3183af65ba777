/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks: the opcodes of a translation, kept until QEMU drops all translations.
 *
 * A block is translated again whenever its code changed, and gets a new struct block then; the
 * memory of the old ones is bounded by QEMU's own code buffer, which it flushes when full.
 */
#include <string.h>
#include <sys/mman.h>

#include <spemu/a64.h>

#include "count.h"
#include "mappings.h"
#include "translate.h"
#include "vcpu.h"

/* Chunks of memory for blocks, linked; a flush frees all. */
#define CHUNK_SIZE (1u << 20)
struct chunk {
	struct chunk *older;
	size_t used;
	unsigned char data[];
};
static struct chunk *chunks;

static void *block_alloc(size_t size)
{
	size = (size + 15) & ~(size_t)15;
	if (!chunks || chunks->used + size > CHUNK_SIZE - sizeof(struct chunk)) {
		struct chunk *chunk = mmap(NULL, CHUNK_SIZE, PROT_READ | PROT_WRITE,
		                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (chunk == MAP_FAILED)
			return NULL;
		chunk->older = chunks;
		chunk->used = 0;
		chunks = chunk;
	}
	chunks->used += size;
	return chunks->data + chunks->used - size;
}

void translate_flush(qemu_plugin_id_t id)
{
	(void)id;
	while (chunks) {
		struct chunk *chunk = chunks;

		chunks = chunk->older;
		munmap(chunk, CHUNK_SIZE);
	}
}

static struct block *make_block(struct qemu_plugin_tb *tb, size_t insns)
{
	struct block *block = block_alloc(sizeof(*block) + insns * sizeof(block->opcode[0]));

	if (!block)
		return NULL;
	block->pc = qemu_plugin_tb_vaddr(tb);
	block->insns = (uint16_t)insns;
	for (size_t i = 0; i < insns; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const uint8_t *b = qemu_plugin_insn_data(insn);

		block->opcode[i] = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
		                   (uint32_t)b[3] << 24;
	}
	memset(&block->last, 0, sizeof(block->last));
	if (process.profile)
		spemu_a64_classify(&block->last, block->opcode[insns - 1], 0);
	return block;
}

void translate_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t insns = qemu_plugin_tb_n_insns(tb);
	struct block *block;

	(void)id;
	if (!process.recording || insns == 0 || insns > MAX_BLOCK_INSNS)
		return;
	if (!process.mapped) {
		process.mapped = true;
		mappings_initial();
	}
	block = make_block(tb, insns);
	if (!block)
		return; /* out of memory: this code runs uncounted */
	block->memory =
	        process.addresses == ADDRESS_ALWAYS || process.profile || count_variant(block->pc);
	if (block->memory) {
		for (size_t i = 0; i < insns; i++)
			qemu_plugin_register_vcpu_mem_cb(
			        qemu_plugin_tb_get_insn(tb, i),
			        process.profile ? count_access_timed : count_access,
			        QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
			        process.profile ? count_access_udata(&block->opcode[i])
			                        : &block->opcode[i]);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, process.profile ? count_block_timed : count_block,
	                                     QEMU_PLUGIN_CB_NO_REGS, count_udata(block));
}
