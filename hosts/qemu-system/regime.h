/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PE's state as the model needs it: Exception level, Security state, and the registers that are
 * QEMU's.
 *
 * The model gets registers that decide whether profiling is enabled at once (follow.h), and the
 * others before a query that depends on them.
 */
#ifndef REGIME_H
#define REGIME_H

#include "vcpu.h"

/* Give the model the whole state again, after a reset of the SPU. */
void regime_reset(struct vcpu *vcpu);

/* Update the Exception level and the registers that decide whether profiling is enabled. */
void regime_update_controls(struct vcpu *vcpu);
/* Update these and all other registers. */
void regime_update(struct vcpu *vcpu);
/* Strict mode: note that an MSR of a fetched register is about to be executed at pc. Changes that
 * the next fetch finds were made there. */
void regime_switch(struct vcpu *vcpu, uint64_t pc);

#endif
