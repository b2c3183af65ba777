/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SPU's System registers in QEMU's PE, and those of QEMU's that the model looks at. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "vcpu.h"

/* Finds the registers that the model shares with QEMU. Once for a vCPU. */
void registers_share(struct vcpu *vcpu);

/* Adds the SPU's registers to the vCPU and shows them in its ID registers. reset: of the PE, to be
 * done for its SPU. False: QEMU has not taken them as they are. */
bool registers_define(struct vcpu *vcpu, void (*reset)(struct vcpu *vcpu));

/* The parts that every register of the model has: all but the functions, opaque and redirection. */
void registers_describe(struct private_reg *reg, const char *name, uint32_t encoding);
uint32_t registers_encoding(const struct private_reg *reg);

/* What an access function returns for the model's outcome. */
int registers_outcome(const struct spemu_access_result *result);

#endif
