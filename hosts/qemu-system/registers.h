/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SPU's System registers in QEMU's PE, and the registers of QEMU that the model reads. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "vcpu.h"

/* Find the registers that the model shares with QEMU. Called once for each vCPU. */
void registers_share(struct vcpu *vcpu);

/* Add the SPU's registers to the vCPU and show them in its ID registers. QEMU calls `reset` at a
 * reset of the PE. Return false if QEMU does not have the registers as they were defined. */
bool registers_define(struct vcpu *vcpu, void (*reset)(struct vcpu *vcpu));

/* Fill in a register of the model, except its functions and its redirection. */
void registers_describe(struct private_reg *reg, const char *name, uint32_t encoding);
uint32_t registers_encoding(const struct private_reg *reg);

/* Return the value with which an access function reports the model's outcome. */
int registers_outcome(const struct spemu_access_result *result);

#endif
