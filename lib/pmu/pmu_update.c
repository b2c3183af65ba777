/* SPDX-License-Identifier: MIT */
/*
 * What follows from a change of the PMU or of its PE: the level of PMUIRQ, and what a later PC
 * sample may hold.
 *
 * Arm ARM:     DDI 0487 M.a, D13.3.1, H7.1
 */
#include "pmu/pmu_object.h"

void spemu__pmu_changed(struct spemu_pmu *p)
{
	bool level = spemu__pmu_overflow_interrupt(p);

	if (level == p->irq)
		return;
	p->irq = level;
	if (p->host.pmuirq)
		p->host.pmuirq(p->host.ctx, level);
}

void spemu__pmu_update(struct spemu_pmu *p)
{
	spemu__pcsample_state_changed(p);
	spemu__pmu_changed(p);
}
