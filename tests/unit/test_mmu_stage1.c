/* SPDX-License-Identifier: MIT */
/* Stage 1: D8.2, D8.3, D8.4, D8.5, by hand from the manual's tables. */
#include "mmu_fixture.h"

#define NS SPEMU_SS_NON_SECURE
#define BIT(n) (UINT64_C(1) << (n))
#define NO_EL2 "v8.8,-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2"

enum { AF = 1 << 10, TABLE = 3, PAGE = 3, BLOCK = 1, READ_ONLY = 1 << 7, SH_INNER = 3 << 8 };

/* TCR_EL1 of 48-bit VAs in both ranges, 4KB granule, 48-bit IPS. */
#define TCR_4K (UINT64_C(16) | UINT64_C(16) << 16 | UINT64_C(2) << 30 | UINT64_C(5) << 32)

static void enable(struct mmu *m, uint64_t tcr)
{
	set(&m->f, SPEMU_REG_TCR_EL1, tcr);
	set(&m->f, SPEMU_REG_TTBR0_EL1, 0x10000);
	set(&m->f, SPEMU_REG_TTBR1_EL1, 0x20000);
	set(&m->f, SPEMU_REG_MAIR_EL1, 0x44ff); /* 0: Write-Back, 1: Non-cacheable */
	set(&m->f, SPEMU_REG_SCTLR_EL1, 5);     /* M, C */
}

/* 4KB tables at 0x10000 (level 0) to 0x13000 (level 3) that map VA 0 by first entries. */
static void tables_4k(struct mmu *m)
{
	put(m, 0x10000, NS, 0x11000 | TABLE);
	put(m, 0x11000, NS, 0x12000 | TABLE);
	put(m, 0x12000, NS, 0x13000 | TABLE);
	put(m, 0x13000, NS, 0x7654000 | PAGE | AF | SH_INNER);
}

static void pages_and_blocks(void **state)
{
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	enable(&m, TCR_4K);
	tables_4k(&m);
	maps(&m, 0x123, 0x7654123, NS);
	assert_int_equal(m.t.region_log2, 12);
	assert_int_equal(m.t.memory.type, SPEMU_MEMORY_NORMAL);
	assert_int_equal(m.t.memory.inner, SPEMU_WRITE_BACK);
	assert_int_equal(m.t.memory.shareability, SPEMU_INNER_SHAREABLE);
	assert_false(m.t.has_stage2);
	/* The second 2MB by a level 2 block, the second GB by a level 1 block. */
	put(&m, 0x12008, NS, 0x40000000 | BLOCK | AF | 1 << 2);
	maps(&m, 0x3abcde, 0x401abcde, NS);
	assert_int_equal(m.t.region_log2, 21);
	assert_int_equal(m.t.memory.inner, SPEMU_NON_CACHEABLE);
	assert_int_equal(m.t.memory.shareability, SPEMU_OUTER_SHAREABLE);
	put(&m, 0x11008, NS, UINT64_C(0x4080000000) | BLOCK | AF);
	maps(&m, 0x7fffffff, UINT64_C(0x40bfffffff), NS);
	assert_int_equal(m.t.region_log2, 30);
	/* The upper range, of the last entry of each level. */
	put(&m, 0x20ff8, NS, 0x21000 | TABLE);
	put(&m, 0x21ff8, NS, 0x22000 | TABLE);
	put(&m, 0x22ff8, NS, 0x23000 | TABLE);
	put(&m, 0x23ff8, NS, 0x5555000 | PAGE | AF);
	maps(&m, ~UINT64_C(0xff0), 0x555500f, NS);
	mmu_stop(&m);
}

/* RVGJHQ: TBI0 and TBI1 let VA[63:56] be anything; without them a tag is a fault. */
static void top_byte(void **state)
{
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	enable(&m, TCR_4K);
	tables_4k(&m);
	put(&m, 0x20ff8, NS, 0x21000 | TABLE);
	put(&m, 0x21ff8, NS, 0x22000 | TABLE);
	put(&m, 0x22ff8, NS, 0x23000 | TABLE);
	put(&m, 0x23ff8, NS, 0x5555000 | PAGE | AF);
	faults(&m, UINT64_C(0xa500000000000123), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	faults(&m, UINT64_C(0xa5fffffffffff123), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | BIT(37));
	maps(&m, UINT64_C(0xa500000000000123), 0x7654123, NS);
	faults(&m, UINT64_C(0xa5fffffffffff123), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | BIT(38));
	maps(&m, UINT64_C(0xa5fffffffffff123), 0x5555123, NS);
	faults(&m, UINT64_C(0xa500000000000123), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	/* Bits between the tag and the range still count. */
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | BIT(37));
	faults(&m, UINT64_C(0x0001000000000123), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	mmu_stop(&m);
}

/* A fault of each type at each level, in the order of RXCHFJ. */
static void faults_at_each_level(void **state)
{
	const uint64_t entry[4] = {0x10000, 0x11000, 0x12000, 0x13000};
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	enable(&m, TCR_4K);
	for (int level = 0; level < 4; level++) {
		tables_4k(&m);
		put(&m, entry[level], NS, 0);
		faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, level);
		/* Bit 1 clear: a block, which levels 0 and 3 do not have. */
		put(&m, entry[level], NS, BLOCK | AF);
		if (level == 0 || level == 3)
			faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, level);
		tables_4k(&m);
		m.abort_at = entry[level];
		faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_EXTERNAL_ON_WALK, level);
		m.abort_at = 0;
		/* IPS 0b000 is 32 bits: an address above is too large. */
		set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K & ~(UINT64_C(7) << 32));
		put(&m, entry[level], NS, UINT64_C(0x100000000) | TABLE | AF);
		faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_ADDRESS_SIZE, level);
		set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K);
		for (unsigned leaf = 0; leaf < 2 && level; leaf++) {
			uint64_t desc = level == 3 ? PAGE : BLOCK;

			tables_4k(&m);
			put(&m, entry[level], NS, desc | (leaf ? AF | READ_ONLY : 0));
			faults(&m, 0, SPEMU_FAULT_STAGE1,
			       leaf ? SPEMU_FT_PERMISSION : SPEMU_FT_ACCESS_FLAG, level);
		}
	}
	tables_4k(&m);
	/* The table base itself is too large, a disabled range, a range that is too small. */
	set(&m.f, SPEMU_REG_TTBR0_EL1, UINT64_C(0x100010000));
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K & ~(UINT64_C(7) << 32));
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_ADDRESS_SIZE, 0);
	set(&m.f, SPEMU_REG_TTBR0_EL1, 0x10000);
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | BIT(7));
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K);
	faults(&m, BIT(48), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	maps(&m, 0, 0x7654000, NS);
	mmu_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pages_and_blocks),
	        cmocka_unit_test(top_byte),
	        cmocka_unit_test(faults_at_each_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
