/* SPDX-License-Identifier: MIT */
/* Stage 1 of EL1 with 4KB tables that map VA 0. */
#ifndef MMU_STAGE1_FIXTURE_H
#define MMU_STAGE1_FIXTURE_H

#include "mmu_fixture.h"

#define NS SPEMU_SS_NON_SECURE
#define BIT(n) (UINT64_C(1) << (n))
#define NO_EL2 "v8.8,-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2"

enum { AF = 1 << 10, TABLE = 3, PAGE = 3, BLOCK = 1, READ_ONLY = 1 << 7, SH_INNER = 3 << 8 };

/* The fields AttrIndx and AP[2:1] of a stage 1 descriptor. */
#define ATTR_INDEX(index) ((uint64_t)(index) << 2)
#define AP(bits) ((uint64_t)(bits) << 6)

/* TCR_EL1 for 48-bit VAs in both ranges, a 4KB granule and a 48-bit IPS. */
#define TCR_4K                                                                          \
	(FIELD(TCR_EL1, T0SZ, 16) | FIELD(TCR_EL1, T1SZ, 16) | FIELD(TCR_EL1, TG1, 2) | \
	 FIELD(TCR_EL1, IPS, 5))

/* The permissions of one index in PIR_ELx, POR_ELx and similar registers. */
#define PERM(index, value) ((uint64_t)(value) << 4 * (index))

static inline void enable(struct mmu *m, uint64_t tcr)
{
	set(&m->f, SPEMU_REG_TCR_EL1, tcr);
	set(&m->f, SPEMU_REG_TTBR0_EL1, 0x10000);
	set(&m->f, SPEMU_REG_TTBR1_EL1, 0x20000);
	set(&m->f, SPEMU_REG_MAIR_EL1, 0x44ff); /* 0: Write-Back, 1: Non-cacheable */
	set(&m->f, SPEMU_REG_SCTLR_EL1, FIELD(SCTLR_EL1, C, 1) | FIELD(SCTLR_EL1, M, 1));
}

/* Write 4KB tables at 0x10000 (level 0) to 0x13000 (level 3). The first entry of each table maps VA
 * 0. */
static inline void tables_4k(struct mmu *m)
{
	put(m, 0x10000, NS, 0x11000 | TABLE);
	put(m, 0x11000, NS, 0x12000 | TABLE);
	put(m, 0x12000, NS, 0x13000 | TABLE);
	put(m, 0x13000, NS, 0x7654000 | PAGE | AF | SH_INNER);
}

#endif
