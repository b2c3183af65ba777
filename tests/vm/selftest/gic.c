/* SPDX-License-Identifier: MIT */
/*
 * A minimal driver for the GICv3 of QEMU's virt machine: enough for one PPI.
 *
 * Source: Arm GIC architecture specification (IHI 0069), 12.8, 12.10, 12.11.
 */
#include "runtime.h"

#define GICD 0x08000000
#define GICR(cpu) (0x080a0000 + (u64)(cpu)*0x20000)
#define GICR_SGI(cpu) (GICR(cpu) + 0x10000)

static volatile u32 *at(u64 address)
{
	return (volatile u32 *)address;
}

void gic_setup(unsigned cpu, enum security security)
{
	bool secure = security == SECURE;

	*at(GICD) = BIT(4) | BIT(5);                            /* GICD_CTLR: ARE_S, ARE_NS */
	*at(GICD) = BIT(4) | BIT(5) | BIT(0) | BIT(1) | BIT(2); /* all groups */
	*at(GICR(cpu) + 0x14) = 0;                              /* GICR_WAKER */
	while (*at(GICR(cpu) + 0x14) & 4)
		;
	*at(GICR_SGI(cpu) + 0x180) = BIT(SPE_INTID) | BIT(PMU_INTID); /* GICR_ICENABLER0 */
	*at(GICR_SGI(cpu) + 0x80) = secure ? 0 : ~0U;
	*at(GICR_SGI(cpu) + 0xd00) = secure ? ~0U : 0; /* GICR_IGRPMODR0 */
	*((volatile u8 *)GICR_SGI(cpu) + 0x400 + SPE_INTID) = secure ? 0x40 : 0xa0;
	*((volatile u8 *)GICR_SGI(cpu) + 0x400 + PMU_INTID) = secure ? 0x40 : 0xa0;
	*at(GICR_SGI(cpu) + 0x100) = BIT(SPE_INTID) | BIT(PMU_INTID);
	WRITE(S3_6_C12_C12_5, 15); /* ICC_SRE_EL3 */
	ISB();
	if (machine.has_el2)
		WRITE(S3_4_C12_C9_5, 15); /* ICC_SRE_EL2 */
	WRITE(S3_0_C12_C12_5, 7);         /* ICC_SRE_EL1 */
	ISB();
	WRITE(S3_0_C4_C6_0, 0xff);     /* ICC_PMR_EL1 */
	WRITE(S3_6_C12_C12_7, 3 | 64); /* ICC_IGRPEN1_EL3 */
	ISB();
}

bool gic_pending(unsigned cpu)
{
	return *at(GICR_SGI(cpu) + 0x200) & BIT(SPE_INTID); /* GICR_ISPENDR0 */
}

void gic_timer(unsigned cpu, bool on)
{
	*at(GICR_SGI(cpu) + (on ? 0x100 : 0x180)) = BIT(30);
	WRITE(cntp_cval_el0, 0);
	WRITE(cntp_ctl_el0, on); /* the timer condition is already met */
	ISB();
}
