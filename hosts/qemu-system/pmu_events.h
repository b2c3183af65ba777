/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that QEMU's PMU does not know, in QEMU's own counters; see pmu_events.c. */
#ifndef PMU_EVENTS_H
#define PMU_EVENTS_H

#include "vcpu.h"

/* Make the memory of a PMU of the model, if the CPU has the feature and counters. Once. */
void model_pmu_start(struct model_pmu *model, const struct vcpu *vcpu, enum spemu_feature needed);
/* Make the PMU and its PE anew. Return false if there can be no such PMU. */
bool model_pmu_init(struct model_pmu *model, const struct vcpu *vcpu,
                    const struct spemu_pe_config *pe, const struct spemu_pmu_host *host);

/* Decide whether the vCPU has them. Once, before pmu_events_reset(). */
void pmu_events_start(struct vcpu *vcpu);

/* The functions below do nothing if the vCPU has no such events. */

void pmu_events_reset(struct vcpu *vcpu);

/* Read the PMU's registers again: AArch32 changes them by accesses that are not followed. */
void pmu_events_refresh(struct vcpu *vcpu);

/* Count an event that has happened count times, in the state that the model knows. */
void pmu_events_count(struct vcpu *vcpu, uint16_t event, uint64_t count);

/* Return the operations until a counter of SAMPLE_POP overflows in that state, or UINT64_MAX. */
uint64_t pmu_events_until_overflow(const struct vcpu *vcpu);

#endif
