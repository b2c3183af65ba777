/* SPDX-License-Identifier: MIT */
/* The properties of this PE, from its ID registers. */
#include "image.h"

static unsigned field(u64 value, unsigned low)
{
	return value >> low & 15;
}

/* Set HCR_EL2.E2H for all tests. Only a flat image may do this, because its MMU is off, so the
 * other layout of TCR_EL2 has no effect yet. */
static void begin_with_e2h(void)
{
	WRITE(hcr_el2, READ(hcr_el2) | HCR_E2H);
	ISB();
	machine.must_vhe = true;
}

void identify(void)
{
	u64 pfr0 = READ(id_aa64pfr0_el1), mmfr1 = READ(id_aa64mmfr1_el1);
	u64 mmfr0 = READ(id_aa64mmfr0_el1), dfr0 = READ(id_aa64dfr0_el1);

	machine.el = READ(CurrentEL) >> 2 & 3;
	if (machine.el != 1 && machine.el != 2)
		die("started at EL%u: a boot loader starts an image at EL2 or EL1",
		    (u64)machine.el);
	if (field(mmfr0, 28) == 15)
		die("no translation granule of 4 KiB (ID_AA64MMFR0_EL1.TGran4)");
	machine.has_el2 = field(pfr0, 8);
	machine.has_el3 = field(pfr0, 12);
	machine.has_fgt = field(mmfr0, 56) >= 1;
	machine.has_fgt2 = field(mmfr0, 56) >= 2;
	machine.has_ecv = field(mmfr0, 60);
	machine.has_vhe = field(mmfr1, 8);
	machine.has_pan = field(mmfr1, 20);
	machine.has_lse = field(READ(id_aa64isar0_el1), 20) >= 2;
	machine.has_sve = field(pfr0, 32);
	machine.has_pmu = field(dfr0, 8) >= 1 && field(dfr0, 8) < 15;
	machine.ids.pmsver = field(dfr0, 32);
	machine.ids.has_vhe = machine.has_vhe;
	machine.ids.has_ecv = machine.has_ecv;
	machine.can_vhe = machine.el == 2 && machine.has_vhe;
	if (machine.can_vhe) /* with ID_AA64MMFR4_EL1.E2H0 0, E2H can be 0 */
		machine.must_vhe =
		        field(READ(S3_0_C0_C7_4), 24) == 15 || field(READ(S3_0_C0_C7_4), 24) == 14;
	if (machine.can_vhe && !machine.must_vhe && !machine.uefi && option("e2h"))
		begin_with_e2h();
}

/* Read PMBIDR_EL1 and PMSIDR_EL1. PMSIDR_EL1 is readable unless MDCR_EL3 traps it. */
void identify_spu(void)
{
	static const u16 intervals[16] = {256, 0, 512, 768, 1024, 1536, 2048, 3072, 4096};

	machine.ids.pmbidr = RD(PMBIDR_EL1);
	if (machine.ids.pmbidr & BIT(4))
		return;
	machine.ids.pmsidr = RD(PMSIDR_EL1);
	machine.align = 1U << (machine.ids.pmbidr & 15);
	machine.max_record = 1U << (machine.ids.pmsidr >> 12 & 15);
	machine.interval = intervals[machine.ids.pmsidr >> 8 & 15];
	if (!machine.interval)
		machine.interval = 4096;
	world_begin();
	world_end();
}
