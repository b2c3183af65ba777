/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that QEMU's PMU does not know, counted in QEMU's counters; see pmu_events.c. */
#ifndef PMU_EVENTS_H
#define PMU_EVENTS_H

#include "vcpu.h"

/* Allocate a PMU of the model if the CPU has the feature and event counters. Call this once. */
void model_pmu_start(struct model_pmu *model, const struct vcpu *vcpu, enum spemu_feature needed);
/* Make the PMU and its PE, also at a reset. Return false if such a PMU is impossible. */
bool model_pmu_init(struct model_pmu *model, const struct vcpu *vcpu,
                    const struct spemu_pe_config *pe, const struct spemu_pmu_host *host);

/* Decide whether the vCPU counts such events. Call this once, before pmu_events_reset(). */
void pmu_events_start(struct vcpu *vcpu);

/* The functions below do nothing if the vCPU does not count such events. */

void pmu_events_reset(struct vcpu *vcpu);

/* Read the PMU's registers again. The hooks do not see register accesses from AArch32. */
void pmu_events_refresh(struct vcpu *vcpu);

/* Count an event that has happened `count` times, in the state that the model knows. */
void pmu_events_count(struct vcpu *vcpu, uint16_t event, uint64_t count);

/* Return the number of operations until a counter of SAMPLE_POP overflows in that state, or
 * UINT64_MAX. */
uint64_t pmu_events_until_overflow(const struct vcpu *vcpu);

#endif
