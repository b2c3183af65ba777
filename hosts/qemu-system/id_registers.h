/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ID registers of QEMU's CPU that show the SPU. While the machine is stopped they have QEMU's own
 * values, because a saved CPU includes its ID registers and QEMU refuses to load different ones.
 */
#ifndef ID_REGISTERS_H
#define ID_REGISTERS_H

#include "qemu_private.h"

/* Make the register read as `value` whenever the machine runs. */
void id_register_show(struct private_reg *reg, uint64_t value);

/* Note that the machine runs, or stops. */
void id_registers_run(bool running);

#endif
