/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks and their callbacks; see translate.h.
 */
#include "block.h"
#include "count.h"
#include "mappings.h"
#include "sideband.h"
#include "translate.h"
#include "vcpu.h"

void translate_flush(void)
{
	block_drop_all();
}

void translate_block(struct qemu_plugin_tb *tb)
{
	size_t insns = qemu_plugin_tb_n_insns(tb);
	struct block *block;

	if (!process.recording || insns == 0 || insns > MAX_BLOCK_INSNS)
		return;
	if (!process.mapped) {
		process.mapped = true;
		sideband_comm_exec();
		mappings_initial();
	}
	block = block_make(tb, insns, process.profile != NULL);
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
	count_at_entry(tb, block);
}
