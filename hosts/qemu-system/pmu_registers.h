/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMU's registers where they have to do with events that QEMU does not count; see
 * pmu_registers.c. */
#ifndef PMU_REGISTERS_H
#define PMU_REGISTERS_H

#include "vcpu.h"

/* Follows their accesses and shows the events in PMCEIDn_EL0. Does nothing where the vCPU has
 * none. */
void pmu_registers_follow(struct vcpu *vcpu);

#endif
