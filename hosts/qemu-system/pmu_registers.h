/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of QEMU's PMU that concern the events of pmu_events.c; see pmu_registers.c. */
#ifndef PMU_REGISTERS_H
#define PMU_REGISTERS_H

#include "vcpu.h"

/* Follow accesses to the PMU's registers, and show the events in PMCEIDn_EL0, if the vCPU has such
 * events. */
void pmu_registers_follow(struct vcpu *vcpu);

#endif
