/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PE's state for the model: Exception level, Security state, and QEMU's registers.
 *
 * The model gets the registers that decide whether profiling is enabled at once (follow.h). It gets
 * the others before a query that depends on them.
 */
#ifndef REGIME_H
#define REGIME_H

#include "vcpu.h"

/* Give the model the whole state again, after a reset of the SPU. */
void regime_reset(struct vcpu *vcpu);

/* Update the Exception level, and the registers that decide whether profiling is enabled. */
void regime_update_controls(struct vcpu *vcpu);
/* Update the Exception level and all registers. */
void regime_update(struct vcpu *vcpu);
/* Note that the MSR at pc is about to write a fetched register (strict mode). The next fetch
 * attributes all changes to this MSR. */
void regime_switch(struct vcpu *vcpu, uint64_t pc);

#endif
