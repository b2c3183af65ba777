/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loads that the address of a load depends on, as far as a block shows it. The timing model
 * lets a load wait for them.
 */
#ifndef LOAD_CHAIN_H
#define LOAD_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arguments of uarch_registers() for an instruction. */
struct block_registers {
	uint32_t from, to;
};

/*
 * Fill in the registers of each load in a block. A register that the block does not write before
 * may have been loaded by an earlier block. If `again` is true, the block may run again right after
 * itself. Then the chain includes the loads and computations of the previous run.
 */
void load_chain(struct block_registers registers[], const uint32_t opcode[], size_t insns,
                bool again);

#endif
