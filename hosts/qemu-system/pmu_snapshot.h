/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PMU snapshots of QEMU's counters; see pmu_snapshot.c. */
#ifndef PMU_SNAPSHOT_H
#define PMU_SNAPSHOT_H

#include "vcpu.h"

/* Decide whether the vCPU has PMU snapshots (struct vcpu.snapshot). Call this once, before
 * snapshot_reset(). */
void snapshot_start(struct vcpu *vcpu);

/* Define the registers and show them in ID_AA64DFR0_EL1. */
void snapshot_define(struct vcpu *vcpu);

/* The functions below do nothing if the vCPU has no snapshots. */
void snapshot_reset(struct vcpu *vcpu);

/* Note a Context synchronization event. Called only with config.barriers. */
void snapshot_synchronize(struct vcpu *vcpu);

#endif
