/* SPDX-License-Identifier: MIT */
/* Test stage 1 with cases made by hand from the manual's tables (D8.2, D8.3, D8.4, D8.5). */
#include "mmu_stage1_fixture.h"
#include "pe/pe_object.h"

#include <spemu/choices.h>

static void pages_and_blocks_of_each_level_are_mapped(void **state)
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
	/* Map the second 2MB with a level 2 block, and the second GB with a level 1 block. */
	put(&m, 0x12008, NS, 0x40000000 | BLOCK | AF | ATTR_INDEX(1));
	maps(&m, 0x3abcde, 0x401abcde, NS);
	assert_int_equal(m.t.region_log2, 21);
	assert_int_equal(m.t.memory.inner, SPEMU_NON_CACHEABLE);
	assert_int_equal(m.t.memory.shareability, SPEMU_OUTER_SHAREABLE);
	put(&m, 0x11008, NS, UINT64_C(0x4080000000) | BLOCK | AF);
	maps(&m, 0x7fffffff, UINT64_C(0x40bfffffff), NS);
	assert_int_equal(m.t.region_log2, 30);
	/* Map the end of the upper range with the last entry of each level. */
	put(&m, 0x20ff8, NS, 0x21000 | TABLE);
	put(&m, 0x21ff8, NS, 0x22000 | TABLE);
	put(&m, 0x22ff8, NS, 0x23000 | TABLE);
	put(&m, 0x23ff8, NS, 0x5555000 | PAGE | AF);
	maps(&m, ~UINT64_C(0xff0), 0x555500f, NS);
	mmu_stop(&m);
}

/* RVGJHQ: with TBI0 or TBI1 set, VA[63:56] may have any value. Otherwise a tag causes a fault. */
static void rvgjhq_tbi_ignores_top_byte(void **state)
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
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | FIELD(TCR_EL1, TBI0, 1));
	maps(&m, UINT64_C(0xa500000000000123), 0x7654123, NS);
	faults(&m, UINT64_C(0xa5fffffffffff123), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | FIELD(TCR_EL1, TBI1, 1));
	maps(&m, UINT64_C(0xa5fffffffffff123), 0x5555123, NS);
	faults(&m, UINT64_C(0xa500000000000123), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	/* Address bits between the tag and the range are still checked. */
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | FIELD(TCR_EL1, TBI0, 1));
	faults(&m, UINT64_C(0x0001000000000123), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	mmu_stop(&m);
}

/* Cause a fault of each type at each level, in the order of RXCHFJ. */
static void rxchfj_faults_at_each_level_in_order(void **state)
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
		/* If bit 1 is clear, the descriptor is a block. Levels 0 and 3 do not have
		 * blocks. */
		put(&m, entry[level], NS, BLOCK | AF);
		if (level == 0 || level == 3)
			faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, level);
		tables_4k(&m);
		m.abort_at = entry[level];
		faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_EXTERNAL_ON_WALK, level);
		m.abort_at = 0;
		/* IPS 0b000 means 32 bits, so an address above 32 bits is too large. */
		set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K & ~FIELD(TCR_EL1, IPS, 7));
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
	/* Use a table base that is too large, then a disabled range, then an address outside the
	 * range. */
	set(&m.f, SPEMU_REG_TTBR0_EL1, UINT64_C(0x100010000));
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K & ~FIELD(TCR_EL1, IPS, 7));
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_ADDRESS_SIZE, 0);
	set(&m.f, SPEMU_REG_TTBR0_EL1, 0x10000);
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | FIELD(TCR_EL1, EPD0, 1));
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K);
	faults(&m, BIT(48), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	maps(&m, 0, 0x7654000, NS);
	mmu_stop(&m);
}

/* D8.2, D8.3: one walk with each granule and input size. The table of a level is at (level + 2) <<
 * 16, and index[level + 1] is its entry. Level -1 comes first. */
static void granules_and_sizes_walk_to_expected_output(void **state)
{
	const struct {
		const char *features;
		uint64_t tcr; /* with T0SZ, TG0, IPS and DS */
		uint64_t va;
		int start, leaf_level;
		unsigned index[4 + 1]; /* index in the table of each level, by level + 1 */
		uint64_t leaf, physical;
		unsigned region_log2;
	} rows[] = {
	        /* 16KB granule, 48-bit VA: level 0 resolves VA[47], and each further level resolves
	         * 11 bits. */
	        {NO_EL2,
	         FIELD(TCR_EL1, T0SZ, 16) | FIELD(TCR_EL1, TG0, 2) | FIELD(TCR_EL1, IPS, 5),
	         BIT(47) | UINT64_C(3) << 36 | UINT64_C(5) << 25 | 7 << 14 | 0x1234,
	         0,
	         3,
	         {0, 1, 3, 5, 7},
	         0x8000000 | PAGE | AF,
	         0x8001234,
	         14},
	        /* 16KB granule, 36-bit VA: the walk starts at level 2 and ends with a block. */
	        {NO_EL2,
	         FIELD(TCR_EL1, T0SZ, 28) | FIELD(TCR_EL1, TG0, 2) | FIELD(TCR_EL1, IPS, 5),
	         UINT64_C(2047) << 25 | 0x1abcdef,
	         2,
	         2,
	         {0, 0, 0, 2047, 0},
	         UINT64_C(0x400000000) | BLOCK | AF,
	         UINT64_C(0x401abcdef),
	         25},
	        /* 64KB granule, 48-bit VA: level 1 resolves VA[47:42]. */
	        {NO_EL2,
	         FIELD(TCR_EL1, T0SZ, 16) | FIELD(TCR_EL1, TG0, 1) | FIELD(TCR_EL1, IPS, 5),
	         UINT64_C(63) << 42 | UINT64_C(8191) << 29 | UINT64_C(1) << 16 | 0x9876,
	         1,
	         3,
	         {0, 0, 63, 8191, 1},
	         0x7770000 | PAGE | AF,
	         0x7779876,
	         16},
	        /* 64KB granule, 52-bit VA (FEAT_LVA) and 52-bit PA (FEAT_LPA): bits [15:12] of the
	         * descriptor are OA[51:48]. */
	        {NO_EL2 ",+FEAT_LVA,+FEAT_LPA",
	         FIELD(TCR_EL1, T0SZ, 12) | FIELD(TCR_EL1, TG0, 1) | FIELD(TCR_EL1, IPS, 6),
	         UINT64_C(1023) << 42 | UINT64_C(2) << 29 | UINT64_C(3) << 16 | 0x1111,
	         1,
	         3,
	         {0, 0, 1023, 2, 3},
	         0x7770000 | 0xa000 | PAGE | AF,
	         UINT64_C(0xa000007771111),
	         16},
	        /* The same, with a 4TB block at level 1. */
	        {NO_EL2 ",+FEAT_LVA,+FEAT_LPA",
	         FIELD(TCR_EL1, T0SZ, 12) | FIELD(TCR_EL1, TG0, 1) | FIELD(TCR_EL1, IPS, 6),
	         UINT64_C(5) << 42 | UINT64_C(0x123456789ab),
	         1,
	         1,
	         {0, 0, 5, 0, 0},
	         UINT64_C(1) << 43 | 0x3000 | BLOCK | AF,
	         UINT64_C(0x3) << 48 | UINT64_C(1) << 43 | UINT64_C(0x123456789ab),
	         42},
	        /* 4KB granule with DS: the walk starts at level -1. Bits [9:8] of the descriptor
	         * are OA[51:50], and OA[49:48] are in place. */
	        {NO_EL2 ",+FEAT_LVA,+FEAT_LPA,+FEAT_LPA2",
	         FIELD(TCR_EL1, T0SZ, 12) | FIELD(TCR_EL1, IPS, 6) | FIELD(TCR_EL1, DS, 1),
	         UINT64_C(9) << 48 | UINT64_C(4) << 39 | UINT64_C(3) << 30 | 2 << 21 | 1 << 12 | 5,
	         -1,
	         3,
	         {9, 4, 3, 2, 1},
	         UINT64_C(1) << 49 | 0x6000 | 1 << 8 | PAGE | AF,
	         UINT64_C(1) << 50 | UINT64_C(1) << 49 | 0x6005,
	         12},
	        /* The same, with a 512GB block at level 0. */
	        {NO_EL2 ",+FEAT_LVA,+FEAT_LPA,+FEAT_LPA2",
	         FIELD(TCR_EL1, T0SZ, 12) | FIELD(TCR_EL1, IPS, 6) | FIELD(TCR_EL1, DS, 1),
	         UINT64_C(9) << 48 | UINT64_C(4) << 39 | 0x77,
	         -1,
	         0,
	         {9, 4, 0, 0, 0},
	         BIT(39) | 2 << 8 | BLOCK | AF,
	         BIT(51) | BIT(39) | 0x77,
	         39},
	        /* 16KB granule with DS: level 0 resolves VA[51:47], and level 1 has a 64GB
	         * block. */
	        {NO_EL2 ",+FEAT_LVA,+FEAT_LPA,+FEAT_LPA2",
	         FIELD(TCR_EL1, T0SZ, 12) | FIELD(TCR_EL1, TG0, 2) | FIELD(TCR_EL1, IPS, 6) |
	                 FIELD(TCR_EL1, DS, 1),
	         UINT64_C(31) << 47 | UINT64_C(1) << 36 | 0x99,
	         0,
	         1,
	         {0, 31, 1, 0, 0},
	         BIT(48) | BIT(36) | BLOCK | AF,
	         BIT(48) | BIT(36) | 0x99,
	         36},
	        /* FEAT_TTST: with a 4KB granule and a 16-bit VA the walk has only level 3. */
	        {NO_EL2,
	         FIELD(TCR_EL1, T0SZ, 48) | FIELD(TCR_EL1, IPS, 5),
	         0xf123,
	         3,
	         3,
	         {0, 0, 0, 0, 15},
	         0x4444000 | PAGE | AF,
	         0x4444123,
	         12},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mmu m;

		mmu_start(&m, rows[i].features);
		enable(&m, rows[i].tcr);
		set(&m.f, SPEMU_REG_TTBR0_EL1, (uint64_t)(rows[i].start + 2) << 16);
		for (int level = rows[i].start; level <= rows[i].leaf_level; level++)
			put(&m, ((uint64_t)(level + 2) << 16) + 8 * rows[i].index[level + 1], NS,
			    level == rows[i].leaf_level ? rows[i].leaf
			                                : (uint64_t)(level + 3) << 16 | TABLE);
		maps(&m, rows[i].va, rows[i].physical, NS);
		assert_int_equal(m.t.region_log2, rows[i].region_log2);
		assert_int_equal(m.reads, rows[i].leaf_level - rows[i].start + 1);
		page_is(&m, rows[i].va, rows[i].region_log2);
		mmu_stop(&m);
	}
}

/* A TxSZ outside its limits and a reserved granule follow the choices. */
static void txsz_and_granule_out_of_range_follow_choice(void **state)
{
	struct mmu m;

	(void)state;
	/* Without FEAT_LVA and FEAT_TTST, TxSZ is from 16 to 39. */
	mmu_start(&m, "v8.2,-EL3,-EL2,-Secure");
	tables_4k(&m);
	enable(&m, (TCR_4K & ~UINT64_C(63)) | 15);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	assert_int_equal(spemu_choice_set(m.f.pe, SPEMU_CHOICE_TXSZ_BELOW_MINIMUM,
	                                  SPEMU_TXSZ_BELOW_MINIMUM_MINIMUM),
	                 SPEMU_OK);
	maps(&m, 0x123, 0x7654123, NS);
	enable(&m, (TCR_4K & ~UINT64_C(63)) | 40);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	assert_int_equal(spemu_choice_set(m.f.pe, SPEMU_CHOICE_TXSZ_ABOVE_MAXIMUM,
	                                  SPEMU_TXSZ_ABOVE_MAXIMUM_MAXIMUM),
	                 SPEMU_OK);
	put(&m, 0x10000, NS, 0x13000 | TABLE); /* T0SZ 39: a 25-bit VA, walked from level 2 */
	maps(&m, 0x123, 0x7654123, NS);
	/* TG0 0b11 is reserved and counts as 4KB by default. So does TG1 0b00. */
	put(&m, 0x10000, NS, 0x11000 | TABLE);
	enable(&m, TCR_4K | FIELD(TCR_EL1, TG0, 3));
	maps(&m, 0x123, 0x7654123, NS);
	assert_int_equal(
	        spemu_choice_set(m.f.pe, SPEMU_CHOICE_RESERVED_GRANULE, SPEMU_RESERVED_GRANULE_64K),
	        SPEMU_OK);
	put(&m, 0x10000, NS, UINT64_C(0x20000) | TABLE);
	put(&m, 0x20000, NS, UINT64_C(0x30000) | TABLE);
	put(&m, 0x30000, NS, UINT64_C(0x90000) | PAGE | AF);
	maps(&m, 0x123, 0x90123, NS);
	assert_int_equal(m.t.region_log2, 16);
	mmu_stop(&m);
	/* With FEAT_LVA, a TxSZ below the minimum always causes a fault. */
	mmu_start(&m, NO_EL2 ",+FEAT_LVA");
	enable(&m, (TCR_4K & ~UINT64_C(63)) | 15);
	spemu_choice_set(m.f.pe, SPEMU_CHOICE_TXSZ_BELOW_MINIMUM, SPEMU_TXSZ_BELOW_MINIMUM_MINIMUM);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	mmu_stop(&m);
}

/* D8.4: AP[2] and APTable[1] remove write permission at any level. HPD0 disables APTable. AP[1] has
 * no effect, so PSTATE.PAN has no effect either (D17.8.3). E0PD0 and E0PD1 have no effect
 * (D17.7.6). */
static void write_permission_follows_ap_and_aptable(void **state)
{
	const uint64_t entry[3] = {0x10000, 0x11000, 0x12000};
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	enable(&m, TCR_4K | BIT(55) | BIT(56));
	tables_4k(&m);
	put(&m, 0x13000, NS, 0x7654000 | PAGE | AF | BIT(6));
	maps(&m, 0, 0x7654000, NS);
	enable(&m, TCR_4K);
	tables_4k(&m);
	for (unsigned ap = 0; ap < 4; ap++) {
		put(&m, 0x13000, NS, 0x7654000 | PAGE | AF | AP(ap));
		forget(&m);
		if (ap & 2)
			faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
		else
			maps(&m, 0, 0x7654000, NS);
	}
	tables_4k(&m);
	for (unsigned level = 0; level < 3; level++) {
		uint64_t keep = word_at(&m, entry[level], NS);

		forget(&m);
		put(&m, entry[level], NS, keep | BIT(62));
		faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
		set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | FIELD(TCR_EL1, HPD0, 1));
		maps(&m, 0, 0x7654000, NS);
		set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K);
		/* APTable[0] removes EL0 access, which has no effect. */
		put(&m, entry[level], NS, keep | BIT(61));
		maps(&m, 0, 0x7654000, NS);
		put(&m, entry[level], NS, keep);
	}
	mmu_stop(&m);
}

#define HA BIT(39)
#define HD BIT(40)
#define DBM BIT(51)

/* D8.5: hardware management of the Access flag and the dirty state, and the faults that it can
 * cause. */
static void hardware_updates_access_flag_and_dirty_state(void **state)
{
	const uint64_t old = 0x7654000 | PAGE | READ_ONLY | DBM, flagged = old | AF;
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	enable(&m, TCR_4K | HA | HD);
	tables_4k(&m);
	put(&m, 0x13000, NS, old);
	maps(&m, 0, 0x7654000, NS);
	assert_true(word_at(&m, 0x13000, NS) == (0x7654000 | PAGE | AF | DBM));
	assert_int_equal(m.updates, 1);
	maps(&m, 8, 0x7654008, NS);
	assert_int_equal(m.updates, 1);
	/* With HA alone, the Access flag is set and the dirty state is not managed. */
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | HA);
	put(&m, 0x13000, NS, old);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
	put(&m, 0x13000, NS, flagged);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
	assert_true(word_at(&m, 0x13000, NS) == flagged);
	/* HD without HA has no effect. */
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | HD);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
	put(&m, 0x13000, NS, old);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_ACCESS_FLAG, 3);
	/* If the descriptor changes between the walk and the update, the walk starts again. */
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | HA | HD);
	forget(&m);
	m.change_at = 0x13000;
	m.change_to = 0x9999000 | PAGE;
	maps(&m, 0, 0x9999000, NS);
	assert_true(word_at(&m, 0x13000, NS) == (0x9999000 | PAGE | AF));
	forget(&m);
	put(&m, 0x13000, NS, old);
	m.change_at = 0x13000;
	m.change_to = 0;
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 3);
	put(&m, 0x13000, NS, old);
	m.abort_at = 0x13000 | 1;
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_EXTERNAL_ON_WALK, 3);
	mmu_stop(&m);
	/* The memory does not support atomic updates. */
	mmu_start_with(&m, NULL, NO_EL2, false);
	enable(&m, TCR_4K | HA);
	tables_4k(&m);
	maps(&m, 0, 0x7654000, NS);
	put(&m, 0x13000, NS, 0x7654000 | PAGE);
	forget(&m);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE, 3);
	mmu_stop(&m);
	/* PMBIDR_EL1.F is 0 before FEAT_SPEv1p3, so nothing is managed. */
	mmu_start(&m, "v8.7,-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2");
	enable(&m, TCR_4K | HA | HD);
	tables_4k(&m);
	put(&m, 0x13000, NS, old);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_ACCESS_FLAG, 3);
	put(&m, 0x13000, NS, flagged);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
	assert_int_equal(m.updates, 0);
	/* D17.8.3.1 leaves the management to the implementation. PMBIDR_EL1.F shows it. */
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBIDR_EL1) >> 5 & 1, 0);
	assert_int_equal(
	        spemu_choice_set(m.f.pe, SPEMU_CHOICE_FLAG_UPDATES, SPEMU_FLAG_UPDATES_MANAGED),
	        SPEMU_OK);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBIDR_EL1) >> 5 & 1, 1);
	put(&m, 0x13000, NS, old);
	maps(&m, 0, old & UINT64_C(0xfffffffff000), NS);
	assert_true(m.updates > 0);
	mmu_stop(&m);
	mmu_start(&m, "v8.8,-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2");
	assert_int_equal(
	        spemu_choice_set(m.f.pe, SPEMU_CHOICE_FLAG_UPDATES, SPEMU_FLAG_UPDATES_NOT_MANAGED),
	        SPEMU_ERR_NOT_SUPPORTED);
	mmu_stop(&m);
}

/* With FEAT_HAFT, Table descriptors have an Access flag, too. */
static void haft_updates_access_flag_of_tables(void **state)
{
	struct mmu m;

	(void)state;
	mmu_start(&m, "v8.9,-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2,+FEAT_HAFT");
	enable(&m, TCR_4K | HA);
	tables_4k(&m);
	maps(&m, 0, 0x7654000, NS);
	assert_int_equal(m.updates, 0);
	set(&m.f, SPEMU_REG_TCR2_EL1, FIELD(TCR2_EL1, HAFT, 1));
	maps(&m, 0, 0x7654000, NS);
	assert_int_equal(m.updates, 3);
	for (unsigned level = 0; level < 3; level++)
		assert_true(word_at(&m, 0x10000 + 0x1000 * level, NS) & AF);
	mmu_stop(&m);
}

/* With SCTLR_ELx.EE set, the walker reads and updates big-endian tables. */
static void big_endian_tables(void **state)
{
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	enable(&m, TCR_4K | HA);
	set(&m.f, SPEMU_REG_SCTLR_EL1,
	    FIELD(SCTLR_EL1, C, 1) | FIELD(SCTLR_EL1, M, 1) | FIELD(SCTLR_EL1, EE, 1));
	put(&m, 0x10000, NS, UINT64_C(0x0310010000000000));
	put(&m, 0x11000, NS, UINT64_C(0x0320010000000000));
	put(&m, 0x12000, NS, UINT64_C(0x0100400000000000)); /* a block at 0x400000 with AF clear */
	maps(&m, 0x1234, 0x401234, NS);
	assert_true(word_at(&m, 0x12000, NS) == UINT64_C(0x0104400000000000));
	mmu_stop(&m);
}

/* D8.2.5: SCTLR_EL1.M and HCR_EL2.{DC, TGE} can disable stage 1. Output addresses are then equal to
 * input addresses. */
static void disabled_stage_1_is_flat(void **state)
{
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	maps(&m, 0x123456789, 0x123456789, NS);
	assert_int_equal(m.t.memory.type, SPEMU_MEMORY_DEVICE_NGNRNE);
	assert_int_equal(m.t.memory.shareability, SPEMU_OUTER_SHAREABLE);
	faults(&m, BIT(48), SPEMU_FAULT_STAGE1, SPEMU_FT_ADDRESS_SIZE, 0);
	faults(&m, BIT(56), SPEMU_FAULT_STAGE1, SPEMU_FT_ADDRESS_SIZE, 0);
	set(&m.f, SPEMU_REG_TCR_EL1, FIELD(TCR_EL1, TBI0, 1));
	maps(&m, BIT(56) | 0x1000, 0x1000, NS);
	/* If PAs have 56 bits, a VA below the tag is always a valid PA. Bit 55 alone decides
	 * whether TBI0 or TBI1 applies. */
	m.f.pe->pa_bits = 56;
	for (unsigned tbi1 = 0; tbi1 < 2; tbi1++) {
		set(&m.f, SPEMU_REG_TCR_EL1, BIT(37 + tbi1));
		for (unsigned upper = 0; upper < 2; upper++) {
			uint64_t va = upper ? BIT(55) : BIT(54);

			maps(&m, va, va, NS);
			if (upper == tbi1)
				maps(&m, BIT(56) | va, va, NS);
			else
				faults(&m, BIT(56) | va, SPEMU_FAULT_STAGE1, SPEMU_FT_ADDRESS_SIZE,
				       0);
		}
	}
	mmu_stop(&m);

	mmu_start(&m, "v8.8,-EL3,-Secure");
	enable(&m, TCR_4K);
	tables_4k(&m);
	maps(&m, 0x123, 0x7654123, NS);
	set(&m.f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, TGE, 1));
	maps(&m, 0x123, 0x123, NS);
	mmu_stop(&m);
}

/* The EL2 and EL2&0 regimes have their own registers with their own layouts. */
static void el2_and_el20_regimes_use_their_own_registers(void **state)
{
	struct mmu m;

	(void)state;
	mmu_start(&m, "v8.8,-EL3,-Secure");
	m.access.owner_el = 2;
	tables_4k(&m);
	set(&m.f, SPEMU_REG_MAIR_EL2, 0xff);
	set(&m.f, SPEMU_REG_TTBR0_EL2, 0x10000);
	set(&m.f, SPEMU_REG_SCTLR_EL2, FIELD(SCTLR_EL2, C, 1) | FIELD(SCTLR_EL2, M, 1));
	set(&m.f, SPEMU_REG_TCR_EL2, FIELD(TCR_EL2, T0SZ, 16) | TCR_EL2_PS(5));
	maps(&m, 0x123, 0x7654123, NS);
	faults(&m, UINT64_C(0xff) << 56, SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	set(&m.f, SPEMU_REG_TCR_EL2, FIELD(TCR_EL2, T0SZ, 16) | TCR_EL2_PS(5) | TCR_EL2_TBI);
	maps(&m, UINT64_C(0xff) << 56, 0x7654000, NS);
	/* The EL2 regime has one range, so bit 55 does not select another. */
	faults(&m, ~UINT64_C(0xfff), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 0);
	m.access.e2h = true;
	set(&m.f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, E2H, 1));
	set(&m.f, SPEMU_REG_TTBR1_EL2, 0x20000);
	set(&m.f, SPEMU_REG_TCR_EL2, TCR_4K);
	put(&m, 0x20ff8, NS, UINT64_C(0x7fffff0000) | TABLE);
	maps(&m, 0x123, 0x7654123, NS);
	faults(&m, ~UINT64_C(0xfff), SPEMU_FAULT_STAGE1, SPEMU_FT_TRANSLATION, 1);
	mmu_stop(&m);
}

/* D8.4.1.3 and D8.4.2: indirect permissions and overlays, for a privileged write. */
static void indirect_permissions_and_overlays_for_privileged_write(void **state)
{
	const bool writable[16] = {0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0};
	struct mmu m;

	(void)state;
	mmu_start(&m, "v8.9,-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2,+FEAT_S1PIE,+FEAT_S1POE");
	enable(&m, TCR_4K);
	tables_4k(&m);
	set(&m.f, SPEMU_REG_TCR2_EL1, FIELD(TCR2_EL1, PIE, 1));
	/* The permission index is 0b1011: bits 54:53, 51 and 6. Bit 7 is clear, so the page is
	 * dirty. */
	put(&m, 0x13000, NS, 0x7654000 | PAGE | AF | BIT(54) | BIT(51) | BIT(6));
	for (unsigned pi = 0; pi < 16; pi++) {
		set(&m.f, SPEMU_REG_PIR_EL1, PERM(11, pi));
		if (writable[pi])
			maps(&m, 0, 0x7654000, NS);
		else
			faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
		assert_false(!writable[pi] && (m.fault.dirty_bit || m.fault.overlay));
	}
	/* If EL1 may execute and EL0 may write, there are no permissions at all. */
	set(&m.f, SPEMU_REG_PIR_EL1, PERM(11, 7));
	set(&m.f, SPEMU_REG_PIRE0_EL1, PERM(11, 5));
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
	set(&m.f, SPEMU_REG_PIRE0_EL1, 0);
	/* The nDirty bit is set. */
	put(&m, 0x13000, NS, 0x7654000 | PAGE | AF | READ_ONLY | BIT(54) | BIT(51) | BIT(6));
	forget(&m);
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
	assert_true(m.fault.dirty_bit);
	set(&m.f, SPEMU_REG_TCR_EL1, TCR_4K | HA | HD);
	maps(&m, 0, 0x7654000, NS);
	assert_int_equal(m.updates, 1);
	/* Overlay 2 (bits 62:60) first denies and then permits writes. */
	put(&m, 0x13000, NS, 0x7654000 | PAGE | AF | BIT(61) | BIT(54) | BIT(51) | BIT(6));
	set(&m.f, SPEMU_REG_TCR2_EL1, FIELD(TCR2_EL1, PIE, 1) | FIELD(TCR2_EL1, POE, 1));
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
	assert_true(m.fault.overlay);
	set(&m.f, SPEMU_REG_POR_EL1, PERM(2, 5));
	maps(&m, 0, 0x7654000, NS);
	mmu_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pages_and_blocks_of_each_level_are_mapped),
	        cmocka_unit_test(rvgjhq_tbi_ignores_top_byte),
	        cmocka_unit_test(rxchfj_faults_at_each_level_in_order),
	        cmocka_unit_test(granules_and_sizes_walk_to_expected_output),
	        cmocka_unit_test(txsz_and_granule_out_of_range_follow_choice),
	        cmocka_unit_test(write_permission_follows_ap_and_aptable),
	        cmocka_unit_test(hardware_updates_access_flag_and_dirty_state),
	        cmocka_unit_test(haft_updates_access_flag_of_tables),
	        cmocka_unit_test(big_endian_tables),
	        cmocka_unit_test(disabled_stage_1_is_flat),
	        cmocka_unit_test(el2_and_el20_regimes_use_their_own_registers),
	        cmocka_unit_test(indirect_permissions_and_overlays_for_privileged_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
