/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address of an access from the registers at its block's entry.
 *
 * Most accesses use base and index registers that nothing between the block's entry and the access
 * writes. Their address is known at the entry without running anything, which saves the restart of
 * the block. Everything else, and what would fault, is left to the restart.
 *
 * Relied on, beyond restart_block.h (QEMU 7.2): CPUState.env_ptr with icount_decr_ptr behind it, and
 * CPUARMState beginning with 16 words and then the 32 registers x0..x30 and sp. The first accesses
 * of each process are learnt in both ways; one disagreement, and this way is not used any more.
 */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "vcpu.h"

/* Find the registers. On the thread, in a callback; once. False if they cannot be found. */
bool address_calibrate(void);

/* At the entry of block: the address that its k-th instruction, which loads or stores (write), will
 * use. False if that cannot be told, or if it would fault. */
bool address_at_entry(uint64_t *va, const struct block *block, unsigned k, bool write);

#endif
