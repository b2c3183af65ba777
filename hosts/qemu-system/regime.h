/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PE's state as the model needs it: Exception level, Security state, and the registers that are
 * QEMU's.
 *
 * What decides whether profiling is enabled is followed at once: at exceptions and returns, and at
 * writes of SCR_EL3, MDCR_EL3, HCR_EL2 and MDCR_EL2. The rest is fetched when the model is asked
 * something that depends on it.
 */
#ifndef REGIME_H
#define REGIME_H

#include "vcpu.h"

/* Follow the vCPU from now on: before it runs. */
void regime_follow(struct vcpu *vcpu);

/* The SPU was reset: tell it everything again. */
void regime_reset(struct vcpu *vcpu);

/* The Exception level and what decides whether profiling is enabled. */
void regime_update_controls(struct vcpu *vcpu);
/* ... and all registers. */
void regime_update(struct vcpu *vcpu);

/* Counts the guest's TLB maintenance, of all vCPUs. */
extern unsigned tlbi_epoch;

#endif
