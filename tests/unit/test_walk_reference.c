/* SPDX-License-Identifier: MIT */
/* Test the reference walk itself, with which test_mmu_reference.c compares lib/mmu, on cases that
 * were made by hand from the manual. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "field.h"
#include "walk_reference.h"

#define BIT(n) (UINT64_C(1) << (n))
#define PAGE (BIT(10) | 3)  /* Page, AF */
#define BLOCK (BIT(10) | 1) /* Block, AF */
#define S2RW UINT64_C(0xc0) /* S2AP */
#define S2WB UINT64_C(0x3c) /* MemAttr 0b1111 */
#define TABLE UINT64_C(3)
#define VA_TO(l0, l1, l2, l3) \
	((uint64_t)(l0) << 39 | (uint64_t)(l1) << 30 | (uint64_t)(l2) << 21 | (uint64_t)(l3) << 12)

struct fixture {
	struct ref_machine m;
	struct ref_request q;
	struct ref_result a;
	unsigned words;
	struct {
		unsigned pas;
		uint64_t address, value;
	} word[32];
};

static int find(const struct fixture *f, uint64_t address, unsigned pas)
{
	for (unsigned i = 0; i < f->words; i++)
		if (f->word[i].address == address && f->word[i].pas == pas)
			return (int)i;
	return -1;
}

/* Read a word. If the test has not put a word at the address, the read is an External abort. */
static int read_word(void *ctx, uint64_t *value, const struct spemu_physical *at)
{
	struct fixture *f = ctx;
	int i = find(f, at->address, at->pas);

	if (i >= 0)
		*value = f->word[i].value;
	return i < 0;
}

static int swap_word(void *ctx, uint64_t *old, const struct spemu_physical *at, uint64_t expected,
                     uint64_t desired)
{
	struct fixture *f = ctx;
	int i = find(f, at->address, at->pas);

	if (i < 0)
		return 1;
	*old = f->word[i].value;
	if (*old == expected)
		f->word[i].value = desired;
	return 0;
}

static void put_in(struct fixture *f, unsigned pas, uint64_t address, uint64_t value)
{
	assert_true(f->words < 32);
	f->word[f->words].pas = pas;
	f->word[f->words].address = address;
	f->word[f->words++].value = value;
}

static void put(struct fixture *f, uint64_t address, uint64_t value)
{
	put_in(f, f->q.security, address, value);
}

static uint64_t word_at(const struct fixture *f, uint64_t address)
{
	int i = find(f, address, f->q.security);

	assert_true(i >= 0);
	return f->word[i].value;
}

/*
 * Prepare the EL1&0 regime without stage 2: all features, 48-bit addresses, 4KB granule, Normal
 * Write-Back memory.
 */
static void prepare(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->m.has = (struct ref_implemented){.el2 = true,
	                                    .el3 = true,
	                                    .sel2 = true,
	                                    .vhe = true,
	                                    .lva = true,
	                                    .lpa = true,
	                                    .lpa2 = true,
	                                    .ttst = true,
	                                    .hafdbs = true,
	                                    .hpds = true,
	                                    .xs = true,
	                                    .mte2 = true,
	                                    .the = true,
	                                    .mec = true,
	                                    .rme = true,
	                                    .tcr2 = true,
	                                    .hcx = true,
	                                    .s2fwb = true,
	                                    .pa_bits = 52};
	f->m.memory = (struct spemu_mmu_memory){.size = sizeof(f->m.memory),
	                                        .ctx = f,
	                                        .read = read_word,
	                                        .compare_and_swap = swap_word};
	f->m.reg.sctlr_el1 = f->m.reg.sctlr_el2 = 1 | BIT(2);
	f->m.reg.mair_el1 = f->m.reg.mair_el2 = UINT64_C(0xff);
	f->m.reg.tcr_el1 = FIELD(TCR_EL1, T0SZ, 16) | FIELD(TCR_EL1, T1SZ, 16) |
	                   FIELD(TCR_EL1, TG1, 2) | FIELD(TCR_EL1, IPS, 6);
	f->m.reg.vtcr_el2 = FIELD(VTCR_EL2, T0SZ, 24) | FIELD(VTCR_EL2, SL0, 1) |
	                    FIELD(VTCR_EL2, PS, 6); /* 40 bits from level 1: two tables */
	f->m.reg.scr_el3 = FIELD(SCR_EL3, EEL2, 1) | FIELD(SCR_EL3, TCR2En, 1) |
	                   FIELD(SCR_EL3, SCTLR2En, 1) | FIELD(SCR_EL3, MECEn, 1);
	f->q.type = SPEMU_ADDRESS_VA;
	f->q.el = 1;
	f->q.security = REF_NON_SECURE;
	f->m.reg.ttbr0_el1 = f->m.reg.ttbr0_el2 = 0x10000;
	f->m.reg.ttbr1_el1 = f->m.reg.ttbr1_el2 = 0x90000;
	f->m.reg.vttbr_el2 = f->m.reg.vsttbr_el2 = 0x100000;
}

/*
 * Write tables at 0x10000, 0x20000, 0x30000 and 0x40000, and a page descriptor for VA_TO(1, 2, 3,
 * 4).
 */
static void map_page(struct fixture *f, uint64_t descriptor)
{
	put(f, 0x10000 + 8 * 1, 0x20000 | TABLE);
	put(f, 0x20000 + 8 * 2, 0x30000 | TABLE);
	put(f, 0x30000 + 8 * 3, 0x40000 | TABLE);
	put(f, 0x40000 + 8 * 4, descriptor);
	f->q.address = VA_TO(1, 2, 3, 4) | 0x5a8;
}

/* Enable stage 2, with a block of 1GB that maps IPAs from 0 on onto themselves. */
static void identity_stage2(struct fixture *f, uint64_t attributes)
{
	f->m.reg.hcr_el2 |= 1;
	put(f, 0x100000, BLOCK | attributes);
}

static void expect_output(struct fixture *f, uint64_t physical, unsigned pas)
{
	reference_translate(&f->m, &f->a, &f->q);
	assert_int_equal(f->a.kind, SPEMU_FAULT_NONE);
	assert_int_equal(f->a.physical, physical);
	assert_int_equal(f->a.pas, pas);
}

static void expect_fault(struct fixture *f, unsigned kind, unsigned fsc)
{
	reference_translate(&f->m, &f->a, &f->q);
	assert_int_equal(f->a.kind, kind);
	if (kind != SPEMU_FAULT_GPC)
		assert_int_equal(f->a.fsc, fsc);
}

static void reference_pages_and_blocks(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	map_page(&f, UINT64_C(0x7777ab000) | PAGE | 3 << 8);
	expect_output(&f, UINT64_C(0x7777ab5a8), REF_NON_SECURE);
	assert_int_equal(f.a.region_log2, 12);
	assert_int_equal(f.a.memory.type, SPEMU_MEMORY_NORMAL);
	assert_int_equal(f.a.memory.inner, SPEMU_WRITE_BACK);
	assert_int_equal(f.a.memory.shareability, SPEMU_INNER_SHAREABLE);
	assert_false(f.a.memory.xs);
	/* Blocks of 2MB and 1GB resolve all but IA[20:0] and IA[29:0] (Table D8-17). */
	put(&f, 0x30000 + 8 * 9, UINT64_C(0x40200000) | BLOCK);
	f.q.address = VA_TO(1, 2, 9, 0) | 0x1fedc8;
	expect_output(&f, UINT64_C(0x403fedc8), REF_NON_SECURE);
	put(&f, 0x20000 + 8 * 9, UINT64_C(0x4080000000) | BLOCK);
	f.q.address = VA_TO(1, 9, 0, 0) | 0x3fffedc8;
	expect_output(&f, UINT64_C(0x40bfffedc8), REF_NON_SECURE);
	/* Level 0 has no Block unless DS is 1. At level 3, a descriptor with bit[1] 0 is
	 * invalid. */
	put(&f, 0x10000 + 8 * 5, BLOCK);
	f.q.address = VA_TO(5, 0, 0, 0);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x04);
	put(&f, 0x40000 + 8 * 6, BLOCK);
	f.q.address = VA_TO(1, 2, 3, 6);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x07);
	put(&f, 0x30000 + 8 * 7, 0);
	f.q.address = VA_TO(1, 2, 7, 0);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x06);
	f.q.address = VA_TO(1, 8, 0, 0); /* no word there: External abort at level 1 */
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x15);
}

static void reference_address_ranges(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	f.m.reg.tcr_el1 |= BIT(38); /* TBI1 */
	put(&f, 0x90000 + 8 * 511, 0x30000 | TABLE);
	put(&f, 0x30000 + 8 * 510, UINT64_C(0x80000000) | BLOCK);
	f.q.address = UINT64_C(0xffffffff80000123);
	expect_output(&f, UINT64_C(0x80000123), REF_NON_SECURE);
	f.q.address = UINT64_C(0x5affffff80000123); /* a tag, which is ignored */
	expect_output(&f, UINT64_C(0x80000123), REF_NON_SECURE);
	f.q.address = UINT64_C(0xfffeffff80000123); /* bit [48] is 0 */
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x04);
	f.q.address = UINT64_C(0x0100000000000000); /* a tag, but TBI0 is 0 */
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x04);
	f.m.reg.tcr_el1 |= BIT(23); /* EPD1 */
	f.q.address = UINT64_C(0xffffffff80000123);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x04);
	f.m.reg.tcr_el1 |= 49; /* T0SZ above 48 */
	f.m.choose.tsz_above_faults = true;
	f.q.address = 0;
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x04);
}

static void reference_granules(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	/* 16KB granule, 48 bits: level 0 resolves only IA[47]. Levels 1 to 3 resolve IA[46:36],
	 * IA[35:25] and IA[24:14]. */
	f.m.reg.tcr_el1 =
	        FIELD(TCR_EL1, T0SZ, 16) | FIELD(TCR_EL1, TG0, 2) | FIELD(TCR_EL1, IPS, 5);
	put(&f, 0x10008, 0x20000 | TABLE);
	put(&f, 0x20000 + 8 * 5, 0x30000 | TABLE);
	put(&f, 0x30000 + 8 * 6, 0x44000 | TABLE);
	put(&f, 0x44000 + 8 * 7, UINT64_C(0x123454000) | PAGE);
	f.q.address = BIT(47) | UINT64_C(5) << 36 | UINT64_C(6) << 25 | 7 << 14 | 0x2aaa;
	expect_output(&f, UINT64_C(0x123456aaa), REF_NON_SECURE);
	assert_int_equal(f.a.region_log2, 14);
	/* 64KB granule, 52 bits: TTBR[5:2] and bits [15:12] of a descriptor are address bits
	 * [51:48]. */
	prepare(&f);
	f.m.reg.tcr_el1 =
	        FIELD(TCR_EL1, T0SZ, 12) | FIELD(TCR_EL1, TG0, 1) | FIELD(TCR_EL1, IPS, 6);
	f.m.reg.ttbr0_el1 = 0x10000 | 9 << 2;
	put(&f, UINT64_C(0x9000000010000) + 8 * 1023, 0x20000 | 7 << 12 | TABLE);
	put(&f, UINT64_C(0x7000000020000) + 8 * 2, 0x30000 | TABLE);
	put(&f, 0x30000 + 8 * 3, UINT64_C(0xabcd0000) | 5 << 12 | PAGE);
	f.q.address = UINT64_C(1023) << 42 | UINT64_C(2) << 29 | 3 << 16 | 0x1234;
	expect_output(&f, UINT64_C(0x50000abcd1234), REF_NON_SECURE);
	/* A Block of 4TB at level 1. */
	put(&f, UINT64_C(0x9000000010000) + 8 * 2, BIT(43) | 5 << 12 | BLOCK);
	f.q.address = UINT64_C(2) << 42 | UINT64_C(0x3fff1234567);
	expect_output(&f, UINT64_C(0x5) << 48 | BIT(43) | UINT64_C(0x3fff1234567), REF_NON_SECURE);
	/* 4KB granule with DS: the walk begins at level -1. Bits {[9:8], [49:48]} of a descriptor
	 * are OA[51:48], and TCR_EL1.SH0 is the Shareability. */
	prepare(&f);
	f.m.reg.tcr_el1 = FIELD(TCR_EL1, T0SZ, 12) | FIELD(TCR_EL1, SH0, 2) |
	                  FIELD(TCR_EL1, IPS, 6) | FIELD(TCR_EL1, DS, 1);
	f.m.reg.ttbr0_el1 = 0x10000 | 1 << 2;
	put(&f, UINT64_C(0x1000000010000) + 8 * 3, UINT64_C(0x20000) | 2 << 8 | BIT(48) | TABLE);
	put(&f, UINT64_C(0x9000000020000) + 8 * 4, BIT(40) | 3 << 8 | BIT(49) | BLOCK);
	f.q.address = UINT64_C(3) << 48 | UINT64_C(4) << 39 | 0x345678;
	expect_output(&f, UINT64_C(0xe) << 48 | BIT(40) | 0x345678, REF_NON_SECURE);
	assert_int_equal(f.a.memory.shareability, SPEMU_OUTER_SHAREABLE);
	assert_int_equal(f.a.region_log2, 39);
	f.q.address = UINT64_C(1) << 48; /* no table there: fault at level -1 */
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x13);
	put(&f, UINT64_C(0x1000000010000) + 8 * 2, BLOCK);
	f.q.address = UINT64_C(2) << 48;
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x2b);
}

static void reference_output_size(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	f.m.reg.tcr_el1 = FIELD(TCR_EL1, T0SZ, 16) | FIELD(TCR_EL1, IPS, 2); /* 40 bits */
	map_page(&f, BIT(40) | PAGE);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x03);
	put(&f, 0x30000 + 8 * 1, BIT(41) | TABLE);
	f.q.address = VA_TO(1, 2, 1, 4);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x02);
	f.m.reg.ttbr0_el1 |= BIT(40);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x00);
	f.m.reg.sctlr_el1 = 0; /* stage 1 is off, and the IA is larger than a PA */
	f.m.has.pa_bits = 40;
	f.q.address = BIT(40);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x00);
	f.q.address = BIT(39);
	expect_output(&f, BIT(39), REF_NON_SECURE);
	assert_int_equal(f.a.memory.type, SPEMU_MEMORY_DEVICE_NGNRNE);
}

static void reference_permission_and_updates(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	map_page(&f, BIT(7) | PAGE); /* AP[2] */
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x0f);
	f.word[3].value = BIT(51) | 3; /* DBM, no AF */
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x0b);
	f.m.reg.tcr_el1 |= BIT(39); /* HA */
	expect_output(&f, 0x5a8, REF_NON_SECURE);
	assert_int_equal(word_at(&f, 0x40020), BIT(51) | PAGE);
	f.word[3].value = BIT(51) | BIT(7) | 3;
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x0f);
	assert_int_equal(word_at(&f, 0x40020), BIT(51) | BIT(7) | 3);
	f.m.reg.tcr_el1 |= BIT(40); /* HD: writable-clean becomes writable-dirty */
	expect_output(&f, 0x5a8, REF_NON_SECURE);
	assert_int_equal(word_at(&f, 0x40020), BIT(51) | PAGE);
	f.m.memory.compare_and_swap = NULL;
	expect_output(&f, 0x5a8, REF_NON_SECURE); /* no flag to update */
	f.word[3].value = BIT(51) | BIT(7) | PAGE;
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x31);
	f.m.memory.compare_and_swap = swap_word;
	/* APTable[1] of a level 1 table denies writes, whatever DBM is. If HPD0 is 1, APTable is
	 * ignored. */
	f.word[1].value |= BIT(62);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x0f);
	f.m.reg.tcr_el1 |= BIT(41);
	expect_output(&f, 0x5a8, REF_NON_SECURE);
}

static void reference_stage_2(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	map_page(&f, BIT(39) | 0x1234000 | PAGE);
	identity_stage2(&f, S2RW | S2WB);
	/* IPA[39:30] is 512, which selects the second of two concatenated tables (Table D8-22). */
	put(&f, 0x100000 + 8 * 512, UINT64_C(0x80000000) | S2RW | S2WB | BLOCK);
	expect_output(&f, UINT64_C(0x812345a8), REF_NON_SECURE);
	assert_true(f.a.has_stage2);
	f.word[5].value &= ~BIT(7); /* read-only: refuses the final write */
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x0d);
	assert_false(f.a.on_stage1_walk);
	f.word[5].value ^= BIT(7) | BIT(6); /* write-only permits the final write */
	expect_output(&f, UINT64_C(0x812345a8), REF_NON_SECURE);
	f.word[4].value &= ~BIT(7); /* read-only permits a walk ... */
	expect_output(&f, UINT64_C(0x812345a8), REF_NON_SECURE);
	f.m.reg.tcr_el1 |= BIT(39); /* ... but not an update of the Access flag (RBDJJL) */
	f.word[3].value &= ~BIT(10);
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x0d);
	assert_true(f.a.on_stage1_walk);
	f.word[4].value = S2RW | S2WB | 1; /* the AF of stage 2 is 0 */
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x09);
	f.m.reg.vtcr_el2 = FIELD(VTCR_EL2, T0SZ, 25) | FIELD(VTCR_EL2, SL0, 1) |
	                   FIELD(VTCR_EL2, PS, 6); /* 39 bits */
	f.word[4].value |= BIT(10);
	f.word[3].value |= BIT(10);
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x04);
	assert_false(f.a.on_stage1_walk);
	f.m.reg.vtcr_el2 = FIELD(VTCR_EL2, T0SZ, 20) | FIELD(VTCR_EL2, SL0, 1) |
	                   FIELD(VTCR_EL2, PS, 6); /* 44 bits: too large for level 1 */
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x04);
	assert_true(f.a.on_stage1_walk);
	f.m.reg.vtcr_el2 =
	        FIELD(VTCR_EL2, T0SZ, 24) | FIELD(VTCR_EL2, SL0, 1) | FIELD(VTCR_EL2, PS, 6);
	f.word[4].value = S2RW | BLOCK; /* HCR_EL2.PTW with tables in Device memory */
	expect_output(&f, UINT64_C(0x812345a8), REF_NON_SECURE);
	f.m.reg.hcr_el2 |= BIT(2);
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x0d);
}

static void expect_combined(struct fixture *f, unsigned attr, unsigned memattr, unsigned type,
                            unsigned inner, unsigned outer)
{
	f->m.reg.mair_el1 = attr;
	f->word[4].value = BLOCK | S2RW | (uint64_t)memattr << 2 | 3 << 8;
	expect_output(f, 0x5a8, REF_NON_SECURE);
	assert_int_equal(f->a.memory.type, type);
	assert_int_equal(f->a.memory.inner, inner);
	assert_int_equal(f->a.memory.outer, outer);
}

static void reference_attributes(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	map_page(&f, PAGE);
	identity_stage2(&f, 0);
	expect_combined(&f, 0xff, 0xf, SPEMU_MEMORY_NORMAL, SPEMU_WRITE_BACK, SPEMU_WRITE_BACK);
	assert_int_equal(f.a.memory.shareability, SPEMU_INNER_SHAREABLE);
	expect_combined(&f, 0xff, 0x5, SPEMU_MEMORY_NORMAL, SPEMU_NON_CACHEABLE,
	                SPEMU_NON_CACHEABLE);
	assert_int_equal(f.a.memory.shareability, SPEMU_OUTER_SHAREABLE);
	expect_combined(&f, 0xff, 0xe, SPEMU_MEMORY_NORMAL, SPEMU_WRITE_THROUGH, SPEMU_WRITE_BACK);
	expect_combined(&f, 0x0c, 0x1, SPEMU_MEMORY_DEVICE_NGNRE, 0, 0); /* GRE with nGnRE */
	expect_combined(&f, 0x04, 0xf, SPEMU_MEMORY_DEVICE_NGNRE, 0, 0);
	expect_combined(&f, 0xff, 0x3, SPEMU_MEMORY_DEVICE_GRE, 0, 0);
	assert_false(f.a.memory.xs); /* XS of stage 1 */
	expect_combined(&f, 0x44, 0x3, SPEMU_MEMORY_DEVICE_GRE, 0, 0);
	assert_true(f.a.memory.xs);
	expect_combined(&f, 0xf0, 0xf, SPEMU_MEMORY_NORMAL, SPEMU_WRITE_BACK, SPEMU_WRITE_BACK);
	assert_true(f.a.memory.tagged);
	expect_combined(&f, 0xf0, 0xa, SPEMU_MEMORY_NORMAL, SPEMU_WRITE_THROUGH,
	                SPEMU_WRITE_THROUGH);
	assert_false(f.a.memory.tagged);
	f.m.reg.hcr_el2 |= BIT(32); /* CD */
	expect_combined(&f, 0xff, 0xf, SPEMU_MEMORY_NORMAL, SPEMU_NON_CACHEABLE,
	                SPEMU_NON_CACHEABLE);
	f.m.reg.hcr_el2 = FIELD(HCR_EL2, FWB, 1) | FIELD(HCR_EL2, VM, 1); /* Table D8-101 */
	expect_combined(&f, 0x00, 0x6, SPEMU_MEMORY_NORMAL, SPEMU_WRITE_BACK, SPEMU_WRITE_BACK);
	assert_int_equal(f.a.memory.inner_hints,
	                 SPEMU_HINT_READ_ALLOCATE | SPEMU_HINT_WRITE_ALLOCATE);
	expect_combined(&f, 0x00, 0x7, SPEMU_MEMORY_DEVICE_NGNRNE, 0, 0);
	expect_combined(&f, 0xff, 0x5, SPEMU_MEMORY_NORMAL, SPEMU_NON_CACHEABLE,
	                SPEMU_NON_CACHEABLE);
	expect_combined(&f, 0x08, 0x5, SPEMU_MEMORY_DEVICE_NGRE, 0, 0);
	expect_combined(&f, 0xff, 0x2, SPEMU_MEMORY_DEVICE_NGRE, 0, 0);
	/* SCTLR_EL1.C is 0. */
	f.m.reg.hcr_el2 = FIELD(HCR_EL2, VM, 1);
	f.m.reg.sctlr_el1 = 1;
	expect_combined(&f, 0xff, 0xf, SPEMU_MEMORY_NORMAL, SPEMU_NON_CACHEABLE,
	                SPEMU_NON_CACHEABLE);
	assert_false(f.a.memory.xs);
	/* HCR_EL2.DC is 1. */
	f.m.reg.hcr_el2 = FIELD(HCR_EL2, DC, 1);
	f.q.address = 0x5a8;
	expect_combined(&f, 0, 0xf, SPEMU_MEMORY_NORMAL, SPEMU_WRITE_BACK, SPEMU_WRITE_BACK);
	assert_int_equal(f.a.stage1.shareability, SPEMU_NON_SHAREABLE);
}

static void reference_secure_spaces(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	f.q.security = REF_SECURE;
	map_page(&f, PAGE);
	expect_output(&f, 0x5a8, REF_SECURE);
	f.word[3].value |= BIT(5); /* NS */
	expect_output(&f, 0x5a8, REF_NON_SECURE);
	f.word[1].value |= BIT(63); /* NSTable: the tables of levels 2 and 3 are Non-secure */
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x16);
	put_in(&f, REF_NON_SECURE, 0x30000 + 8 * 3, 0x40000 | TABLE);
	put_in(&f, REF_NON_SECURE, 0x40000 + 8 * 4, PAGE);
	expect_output(&f, 0x5a8, REF_NON_SECURE);
	/* Stage 2: VSTCR_EL2 controls Secure IPAs, and VTCR_EL2 controls Non-secure IPAs. SA and
	 * NSA select the output space. */
	f.m.reg.vstcr_el2 = FIELD(VSTCR_EL2, T0SZ, 24) | FIELD(VSTCR_EL2, SL0, 1);
	identity_stage2(&f, S2RW | S2WB);
	f.m.reg.vttbr_el2 = 0x200000;
	put(&f, 0x200000, BLOCK | S2RW | S2WB);
	f.m.reg.vtcr_el2 |= BIT(30); /* NSA */
	expect_output(&f, 0x5a8, REF_NON_SECURE);
	f.m.reg.vtcr_el2 &= ~BIT(30);
	expect_output(&f, 0x5a8, REF_SECURE); /* the tables also exist in the Secure space */
}

static void reference_realm_spaces(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	f.q.security = REF_REALM;
	map_page(&f, PAGE | BIT(5)); /* bit [5] is RES0 at EL1&0 */
	expect_output(&f, 0x5a8, REF_REALM);
	identity_stage2(&f, S2RW | S2WB);
	expect_output(&f, 0x5a8, REF_REALM);
	f.word[4].value |= BIT(55); /* NS: a table must not be there (RQMLYQ) */
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x0d);
	/* EL2: NS and AMEC (D8.12.1.2). */
	prepare(&f);
	f.q.security = REF_REALM;
	f.q.el = 2;
	f.m.reg.tcr_el2 = FIELD(TCR_EL2, T0SZ, 16) | UINT64_C(6) << 16; /* PS */
	f.m.reg.sctlr2_el2 = BIT(1);
	f.m.reg.mecid_p0_el2 = 0x11;
	f.m.reg.mecid_a0_el2 = 0x22;
	map_page(&f, PAGE);
	expect_output(&f, 0x5a8, REF_REALM);
	assert_int_equal(f.a.mecid, 0x11);
	f.word[3].value |= BIT(63);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x07);
	f.m.reg.tcr2_el2 = BIT(12);
	expect_output(&f, 0x5a8, REF_REALM);
	assert_int_equal(f.a.mecid, 0x22);
	f.m.reg.scr_el3 &= ~BIT(49); /* MECEn */
	expect_output(&f, 0x5a8, REF_REALM);
	assert_int_equal(f.a.mecid, 0);
	f.m.reg.scr_el3 |= BIT(49);
	f.word[3].value |= BIT(5);
	expect_output(&f, 0x5a8, REF_NON_SECURE);
	assert_int_equal(f.a.mecid, 0);
}

static void reference_assured_and_toplevel_checks(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	map_page(&f, UINT64_C(0x40000000) | PAGE);
	identity_stage2(&f, S2RW | S2WB);
	put(&f, 0x100008, UINT64_C(0x40000000) | BLOCK | S2RW | S2WB);
	f.m.reg.vtcr_el2 |= BIT(35); /* TL1 does not affect TTBR0 without TopLevel1 */
	expect_output(&f, UINT64_C(0x400005a8), REF_NON_SECURE);
	f.m.reg.vtcr_el2 ^= BIT(35) | BIT(41); /* TL0 */
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x0d);
	assert_true(f.a.top_level);
	assert_true(f.a.on_stage1_walk);
	f.m.reg.vtcr_el2 ^= BIT(41) | BIT(34); /* AssuredOnly */
	expect_output(&f, UINT64_C(0x400005a8), REF_NON_SECURE);
	f.word[5].value |= BIT(58);
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x0d);
	assert_true(f.a.assured_only);
	assert_false(f.a.top_level);
	assert_false(f.a.on_stage1_walk);
}

static void reference_granule_protection(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	map_page(&f, UINT64_C(0x40003000) | PAGE);
	f.m.reg.gpccr_el3 = FIELD(GPCCR_EL3, GPC, 1) | FIELD(GPCCR_EL3, SH, 3) |
	                    FIELD(GPCCR_EL3, ORGN, 1) | FIELD(GPCCR_EL3, IRGN, 1) |
	                    FIELD(GPCCR_EL3, PPS, 2); /* 40 bits, 4KB, level 0 entries of 1GB */
	f.m.reg.gptbr_el3 = 0x500;                    /* 0x500000 */
	put_in(&f, REF_ROOT, 0x500000, 0xf1);         /* Block, all accesses */
	put_in(&f, REF_ROOT, 0x500008, 0x600003);     /* Table */
	put_in(&f, REF_ROOT, 0x600000, UINT64_C(0xfffffffffffffbff));
	expect_output(&f, UINT64_C(0x400035a8), REF_NON_SECURE);
	f.word[6].value = UINT64_C(0xffffffffffffbfff); /* granule 3 is Realm */
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x28);
	f.word[6].value = UINT64_C(0xffffffffffffefff); /* a reserved GPI makes the entry invalid */
	expect_fault(&f, SPEMU_FAULT_GPC, 0);
	f.word[6].value = 0x191; /* Contiguous, 2MB, Non-secure */
	expect_output(&f, UINT64_C(0x400035a8), REF_NON_SECURE);
	f.word[4].value = 0xa1; /* the tables are in Root space */
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x24);
	f.word[4].value = 0x1f1;
	expect_fault(&f, SPEMU_FAULT_GPC, 0);
	f.word[4].value = 0x91;
	f.word[5].value |= 0x1000; /* not aligned to the table size, 128KB */
	expect_fault(&f, SPEMU_FAULT_GPC, 0);
	f.word[5].value = BIT(41) | 3; /* above the size in PPS */
	expect_fault(&f, SPEMU_FAULT_GPC, 0);
	f.word[3].value |= BIT(41); /* an output above PPS is allowed if Non-secure */
	expect_output(&f, BIT(41) | UINT64_C(0x400035a8), REF_NON_SECURE);
}

static void reference_untranslated_access(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	f.m.has.pa_bits = 48;
	f.q.type = SPEMU_ADDRESS_PA;
	f.q.memory = (struct spemu_memory){.type = SPEMU_MEMORY_DEVICE_GRE, .shareability = 2};
	f.q.address = BIT(47) | 0x40;
	expect_output(&f, BIT(47) | 0x40, REF_NON_SECURE);
	assert_int_equal(f.a.memory.type, SPEMU_MEMORY_DEVICE_GRE);
	f.q.address = BIT(48); /* RQJNFT: OAMax is 51 */
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x00);
	f.q.address = BIT(52) | 0x40; /* RXBFCM */
	expect_output(&f, 0x40, REF_NON_SECURE);
	f.m.choose.high_bits_fault = true;
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x00);
	f.q.type = SPEMU_ADDRESS_IPA;
	f.q.address = 0x40;
	identity_stage2(&f, S2RW | S2WB);
	expect_output(&f, 0x40, REF_NON_SECURE);
	assert_true(f.a.has_stage2);
}

static void reference_table_access_flag_and_attribute_index(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	map_page(&f, BIT(59) | PAGE);
	f.m.has.haft = f.m.has.aie = true;
	f.m.reg.tcr_el1 |= BIT(39);
	f.m.reg.tcr2_el1 = BIT(11) | BIT(4);
	f.m.reg.mair2_el1 = 0x44;
	expect_output(&f, 0x5a8, REF_NON_SECURE); /* HCRX_EL2.TCR2En is 0 */
	assert_int_equal(f.a.updates, 0);
	assert_int_equal(f.a.memory.inner, SPEMU_WRITE_BACK);
	f.m.reg.hcrx_el2 = BIT(14);
	f.m.reg.scr_el3 |= BIT(38);
	expect_output(&f, 0x5a8, REF_NON_SECURE);
	assert_int_equal(f.a.updates, 3);
	assert_int_equal(word_at(&f, 0x20010), 0x30000 | BIT(10) | TABLE);
	assert_int_equal(f.a.memory.inner, SPEMU_NON_CACHEABLE); /* MAIR2_EL1.Attr0 */
	expect_output(&f, 0x5a8, REF_NON_SECURE);
	assert_int_equal(f.a.updates, 0);
}

static void reference_concatenated_64kb_tables(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	f.q.type = SPEMU_ADDRESS_IPA;
	f.m.reg.hcr_el2 = FIELD(HCR_EL2, VM, 1);
	/* SL0 1 is level 2. An IPA of 46 bits needs 16 tables, so IPA[45:29] is the index (Table
	 * D8-40). */
	f.m.reg.vtcr_el2 = FIELD(VTCR_EL2, T0SZ, 18) | FIELD(VTCR_EL2, SL0, 1) |
	                   FIELD(VTCR_EL2, TG0, 1) | FIELD(VTCR_EL2, PS, 5);
	f.m.reg.vttbr_el2 = UINT64_C(0x7e0000000); /* aligned to 1MB */
	put(&f, UINT64_C(0x7e0000000) + (UINT64_C(0x1fffe) << 3),
	    UINT64_C(0x40000000) | S2RW | S2WB | BLOCK);
	f.q.address = UINT64_C(0x1fffe) << 29 | 0x123456;
	expect_output(&f, UINT64_C(0x40123456), REF_NON_SECURE);
	f.m.reg.vtcr_el2 = FIELD(VTCR_EL2, T0SZ, 17) | FIELD(VTCR_EL2, SL0, 1) |
	                   FIELD(VTCR_EL2, TG0, 1) | FIELD(VTCR_EL2, PS, 5);
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x04);
	/* 16KB granule: level 1 requires PAs of at least 42 bits (Table D8-9). */
	f.m.reg.vtcr_el2 = FIELD(VTCR_EL2, T0SZ, 27) | FIELD(VTCR_EL2, SL0, 2) |
	                   FIELD(VTCR_EL2, TG0, 2) | FIELD(VTCR_EL2, PS, 5);
	put(&f, UINT64_C(0x7e0000000), 0);
	f.q.address = 0;
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x05);
	f.m.has.pa_bits = 40;
	expect_fault(&f, SPEMU_FAULT_STAGE2, 0x04);
}

static void reference_bypass_windows(void **state)
{
	struct fixture f;

	(void)state;
	prepare(&f);
	f.m.has.rme_gpc2 = f.m.has.rme_gpc3 = true;
	f.q.type = SPEMU_ADDRESS_PA;
	f.m.reg.gpccr_el3 = FIELD(GPCCR_EL3, GPC, 1) | FIELD(GPCCR_EL3, SH, 3) |
	                    FIELD(GPCCR_EL3, ORGN, 1) | FIELD(GPCCR_EL3, IRGN, 1) |
	                    FIELD(GPCCR_EL3, PPS, 6);
	f.m.reg.gptbr_el3 = 0x500000;
	f.q.address = UINT64_C(0x40001000);
	expect_fault(&f, SPEMU_FAULT_GPC, 0); /* no table there */
	f.m.reg.gpccr_el3 |= BIT(29);
	f.m.reg.gpcbw_el3 = FIELD(GPCBW_EL3, BWADDR, 1); /* 1GB at 1GB, every 1TB */
	expect_output(&f, UINT64_C(0x40001000), REF_NON_SECURE);
	f.q.address += BIT(41);
	expect_output(&f, BIT(41) | UINT64_C(0x40001000), REF_NON_SECURE);
	f.m.reg.gpcbw_el3 =
	        FIELD(GPCBW_EL3, BWSIZE, 1) | FIELD(GPCBW_EL3, BWADDR, 1); /* 2GB at 1GB */
	expect_fault(&f, SPEMU_FAULT_GPC, 0);
	f.m.reg.gpcbw_el3 = FIELD(GPCBW_EL3, BWSTRIDE, 1); /* a reserved stride */
	expect_fault(&f, SPEMU_FAULT_GPC, 0);
	f.m.reg.gpccr_el3 = FIELD(GPCCR_EL3, GPC, 1) | FIELD(GPCCR_EL3, SH, 3) |
	                    FIELD(GPCCR_EL3, ORGN, 1) | FIELD(GPCCR_EL3, IRGN, 1) |
	                    FIELD(GPCCR_EL3, PPS, 6) | FIELD(GPCCR_EL3, NSPAD, 1);
	expect_fault(&f, SPEMU_FAULT_STAGE1, 0x28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reference_pages_and_blocks),
	        cmocka_unit_test(reference_address_ranges),
	        cmocka_unit_test(reference_granules),
	        cmocka_unit_test(reference_output_size),
	        cmocka_unit_test(reference_permission_and_updates),
	        cmocka_unit_test(reference_stage_2),
	        cmocka_unit_test(reference_attributes),
	        cmocka_unit_test(reference_secure_spaces),
	        cmocka_unit_test(reference_realm_spaces),
	        cmocka_unit_test(reference_assured_and_toplevel_checks),
	        cmocka_unit_test(reference_granule_protection),
	        cmocka_unit_test(reference_untranslated_access),
	        cmocka_unit_test(reference_bypass_windows),
	        cmocka_unit_test(reference_concatenated_64kb_tables),
	        cmocka_unit_test(reference_table_access_flag_and_attribute_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
