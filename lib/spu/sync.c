/* SPDX-License-Identifier: MIT */
/*
 * Barriers. In plain mode every effect is at once, which D17.9 permits, so there is nothing to wait
 * for: a sampled operation in flight is finished by its host, before it executes a barrier. In strict
 * mode they are what everything waits for (strict.c).
 *
 * Arm ARM:     DDI 0487 M.a, D17.9
 */
#include "spu/spu.h"

void spemu_psb_csync(struct spemu *spu)
{
	if (!spu->asynchronous_abort) /* RWVKFM: the event of an earlier sample is recorded by now */
		spemu__manage_late_fault(spu);
	if (spu->strict_on)
		spemu__strict_psb(spu);
}

void spemu_dsb(struct spemu *spu)
{
	if (spu->strict_on)
		spemu__strict_dsb(spu);
}
