/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PE's state as the model needs it: Exception level, Security state, and the registers that are
 * QEMU's.
 *
 * What decides whether profiling is enabled is told at once (follow.h). The rest is fetched when
 * the model is asked something that depends on it.
 */
#ifndef REGIME_H
#define REGIME_H

#include "vcpu.h"

/* The SPU was reset: tell it everything again. */
void regime_reset(struct vcpu *vcpu);

/* The Exception level and what decides whether profiling is enabled. */
void regime_update_controls(struct vcpu *vcpu);
/* ... and all registers. */
void regime_update(struct vcpu *vcpu);
/* Strict mode: an MSR at pc, of a register that is fetched, is about to be executed: what has
 * changed when the registers are fetched next has changed there. */
void regime_switch(struct vcpu *vcpu, uint64_t pc);

#endif
