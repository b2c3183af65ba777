/* SPDX-License-Identifier: MIT */
/*
 * The state of PMBIRQ in a GICv3. It is a level-sensitive interrupt. While it is not active, it is
 * pending if, and only if, its line is high. The interrupt is never enabled.
 *
 * Source: Arm GIC architecture specification (IHI 0069), 12.10 (GICR_TYPER, GICR_WAKER,
 * GICR_ISPENDR0, GICR_ICFGR1).
 */
#include "image.h"

#define STRIDE UINT64_C(0x20000) /* distance of redistributors; twice as large with virtual LPIs */

static u64 own; /* this PE's redistributor */

static volatile u32 *at(u64 address)
{
	return (volatile u32 *)address;
}

static u64 affinity(void)
{
	u64 mpidr = READ(mpidr_el1);

	return (mpidr & 0xffffff) | (mpidr >> 32 & 0xff) << 24;
}

bool gic_setup(void)
{
	u64 end = platform.gicr + platform.gicr_bytes;

	own = 0;
	for (u64 frame = platform.gicr; frame && frame + STRIDE <= end;) {
		u64 type = (u64)*at(frame + 8) | (u64)*at(frame + 12) << 32;

		if (type >> 32 == affinity()) {
			own = frame;
			break;
		}
		if (type & BIT(4))
			break;
		frame += type & BIT(1) ? 2 * STRIDE : STRIDE;
	}
	if (!own)
		return false;
	*at(own + 0x14) &= ~2U; /* GICR_WAKER.ProcessorSleep */
	for (unsigned i = 0; i < 1000000 && *at(own + 0x14) & 4; i++)
		;
	*at(own + STRIDE / 2 + 0x180) = 1U << platform.spe_intid; /* GICR_ICENABLER0 */
	/* level-sensitive */
	*at(own + STRIDE / 2 + 0xc04) &= ~(2U << 2 * (platform.spe_intid - 16));
	*at(own + STRIDE / 2 + 0x280) = 1U << platform.spe_intid; /* GICR_ICPENDR0 */
	return true;
}

bool gic_pending(void)
{
	return *at(own + STRIDE / 2 + 0x200) & 1U << platform.spe_intid;
}
