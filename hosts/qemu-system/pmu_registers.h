/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hooks into the registers of QEMU's PMU; see pmu_registers.c. */
#ifndef PMU_REGISTERS_H
#define PMU_REGISTERS_H

#include "vcpu.h"

/* Follow accesses to the PMU's registers and show the events in PMCEIDn_EL0, if the vCPU counts
 * events of pmu_events.c. */
void pmu_registers_follow(struct vcpu *vcpu);

#endif
