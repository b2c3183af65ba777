/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PMU snapshots over QEMU's own counters; see pmu_snapshot.c. */
#ifndef PMU_SNAPSHOT_H
#define PMU_SNAPSHOT_H

#include "vcpu.h"

/* Decide whether the vCPU has them (struct vcpu.snapshot). Once, before snapshot_reset(). */
void snapshot_start(struct vcpu *vcpu);

/* Defines the registers and shows them in ID_AA64DFR0_EL1. */
void snapshot_define(struct vcpu *vcpu);

/* What follows does nothing where the vCPU has none. */
void snapshot_reset(struct vcpu *vcpu);

/* A Context synchronization event; only with config.barriers. */
void snapshot_synchronize(struct vcpu *vcpu);

#endif
