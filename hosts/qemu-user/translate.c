/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The blocks of a translation and their callbacks; see process.h. */
#include "block.h"
#include "callchain.h"
#include "count.h"
#include "heap.h"
#include "interleave.h"
#include "mappings.h"
#include "process.h"
#include "region.h"
#include "sideband.h"
#include "vcpu.h"
#include "sampled_window.h"

/* Make a block of the instructions from `first` on. Return false if memory is exhausted. */
static bool translate_part(struct qemu_plugin_tb *tb, size_t first, size_t insns, unsigned points,
                           bool *has_site)
{
	enum block_facts facts = process.profile           ? BLOCK_REGISTERS
	                         : process.previous_target ? BLOCK_LAST
	                                                   : BLOCK_PLAIN;
	struct block *block = block_make(tb, first, insns, facts);

	if (!block)
		return false; /* this code runs uncounted */
	/* A block in the middle of a translation cannot be left. */
	block->timed = process.sampled ? window_translating() : process.profile != NULL;
	block->memory =
	        process.memory_callbacks || block->timed || first || count_variant(block->pc);
	if (process.sampled && block->timed)
		block->stats = window_insn_stats(block_insn_pc(block, block->insns - 1u));
	for (unsigned i = 0; block->memory && i < block->insns; i++)
		count_accesses(qemu_plugin_tb_get_insn(tb, first + i), block, i);
	if (insns == qemu_plugin_tb_n_insns(tb) && !points)
		block->call_site = callchain_site(block);
	*has_site = block->call_site;
	if (first || points)
		count_at_point(qemu_plugin_tb_get_insn(tb, first), block, points);
	else
		count_at_entry(tb, block);
	return true;
}

void translate_block(struct qemu_plugin_tb *tb)
{
	size_t insns = qemu_plugin_tb_n_insns(tb), end;
	bool has_site = false;

	if (!process.recording || insns == 0 || insns > MAX_BLOCK_INSNS)
		return;
	if (!process.mapped) {
		process.mapped = true;
		sideband_comm_exec();
		mappings_initial();
		region_locate();
	}
	sideband_flush();
	interleave_translate(tb, insns);
	heap_at_return(tb);
	for (size_t first = 0; first < insns; first = end) {
		unsigned points = region_points(tb, first);

		for (end = first + 1; end < insns && !region_points(tb, end);)
			end++;
		if (!translate_part(tb, first, end - first, points, &has_site))
			break;
	}
	heap_at_entry(tb);
	callchain_translate(tb, insns, has_site);
}
