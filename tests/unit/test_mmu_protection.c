/* SPDX-License-Identifier: MIT */
/* Test the Granule Protection Check of buffer writes and of table walks (D9). */
#include "mmu_fixture.h"
#include "pe/pe_object.h"

#define NS SPEMU_SS_NON_SECURE
#define ROOT SPEMU_SS_ROOT
#define BIT(n) (UINT64_C(1) << (n))
#define FEATURES "v9.4,+FEAT_RME_GPC2,+FEAT_RME_GPC3"

enum { TABLE = 3, ANY = 15, SECURE = 8, NON_SECURE = 9, IN_ROOT = 10, REALM = 11 };

/* GPC is enabled. Granules are 4KB, PPS is 36 bits, level 0 entries cover 1GB, and tables are Outer
 * Shareable. */
#define GPCCR (FIELD(GPCCR_EL3, GPC, 1) | FIELD(GPCCR_EL3, SH, 2) | FIELD(GPCCR_EL3, PPS, 1))

/*
 * GPT descriptors: a Granules descriptor with one granule, a Block, and a Contiguous one, where
 * size 1 is 2MB.
 */
#define GRANULE(n, gpi) ((uint64_t)(gpi) << 4 * (n))
#define GPT_BLOCK(gpi) ((uint64_t)(gpi) << 4 | 1)
#define GPT_CONTIGUOUS(size, gpi) ((uint64_t)(size) << 8 | (uint64_t)(gpi) << 4 | 1)

/* Start with a buffer that is a PA and that Non-secure state owns. The level 0 table is at 0x80000
 * in the Root address space. */
static void start(struct mmu *m)
{
	mmu_start(m, FEATURES);
	m->access.address_type = SPEMU_ADDRESS_PA;
	m->access.memory = (struct spemu_memory){.type = SPEMU_MEMORY_NORMAL, .xs = true};
	set(&m->f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&m->f, SPEMU_REG_GPCCR_EL3, GPCCR);
	set(&m->f, SPEMU_REG_GPTBR_EL3, 0x80);
	put(m, 0x80000, ROOT, 0x100000 | TABLE);
}

/* Try every GPI with every address space in which the SPU can own a buffer. */
static void gpi_decides_access_for_each_space(void **state)
{
	const unsigned spaces[3] = {SPEMU_SS_SECURE, SPEMU_SS_NON_SECURE, SPEMU_SS_REALM};
	const unsigned gpi_of[3] = {SECURE, NON_SECURE, REALM};
	struct mmu m;

	(void)state;
	start(&m);
	for (unsigned s = 0; s < 3; s++) {
		m.access.security = (uint8_t)spaces[s];
		for (unsigned gpi = 0; gpi < 16; gpi++) {
			bool reserved = (gpi > 0 && gpi < 8) || gpi == 12 || gpi == 13 || gpi == 14;

			/* Set one granule, number 5 of the 16 in an entry. The others permit no
			 * access. */
			put(&m, 0x100000, ROOT, GRANULE(5, gpi));
			forget(&m);
			if (reserved)
				faults(&m, 0x5123, SPEMU_FAULT_GPC, 0, 0);
			else if (gpi == ANY || gpi == gpi_of[s])
				maps(&m, 0x5123, 0x5123, spaces[s]);
			else
				faults(&m, 0x5123, SPEMU_FAULT_STAGE1, SPEMU_FT_GPF, 0);
			if (!reserved)
				faults(&m, 0x4123, SPEMU_FAULT_STAGE1, SPEMU_FT_GPF, 0);
		}
	}
	mmu_stop(&m);
}

/* A descriptor with a RES0 bit set causes a fault. The RES0 bits are [63:52] and [11:4] of a Table
 * descriptor, and [63:10] of a Contiguous one. */
static void reserved_bits_of_gpt_descriptors_fault(void **state)
{
	struct mmu m;

	(void)state;
	start(&m);
	put(&m, 0x100000, ROOT, GPT_CONTIGUOUS(1, NON_SECURE));
	maps(&m, 0x123, 0x123, NS);
	for (unsigned bit = 4; bit < 64; bit++) {
		if (bit >= 12 && bit < 52)
			continue;
		put(&m, 0x80000, ROOT, 0x100000 | TABLE | BIT(bit));
		forget(&m);
		faults(&m, 0x123, SPEMU_FAULT_GPC, 0, 0);
	}
	put(&m, 0x80000, ROOT, 0x100000 | TABLE);
	for (unsigned bit = 10; bit < 64; bit++) {
		put(&m, 0x100000, ROOT, GPT_CONTIGUOUS(1, NON_SECURE) | BIT(bit));
		forget(&m);
		faults(&m, 0x123, SPEMU_FAULT_GPC, 0, 0);
	}
	put(&m, 0x100000, ROOT, GPT_CONTIGUOUS(1, NON_SECURE));
	forget(&m);
	maps(&m, 0x123, 0x123, NS);
	mmu_stop(&m);
}

/* Block and Contiguous descriptors, addresses above PPS, and faults in the tables themselves. */
static void gpt_blocks_contiguous_and_table_faults(void **state)
{
	struct mmu m;

	(void)state;
	start(&m);
	put(&m, 0x80008, ROOT, GPT_BLOCK(NON_SECURE));
	maps(&m, 0x40000123, 0x40000123, NS);
	assert_int_equal(m.t.region_log2, 30);
	put(&m, 0x80008, ROOT, GPT_BLOCK(SECURE));
	forget(&m);
	faults(&m, 0x40000123, SPEMU_FAULT_STAGE1, SPEMU_FT_GPF, 0);
	put(&m, 0x80008, ROOT, GPT_BLOCK(NON_SECURE) | BIT(8)); /* bits [63:8] are RES0 */
	faults(&m, 0x40000123, SPEMU_FAULT_GPC, 0, 0);
	for (unsigned bit = 8; bit < 64; bit++) { /* each of the RES0 bits */
		put(&m, 0x80008, ROOT, GPT_BLOCK(NON_SECURE) | BIT(bit));
		faults(&m, 0x40000123, SPEMU_FAULT_GPC, 0, 0);
	}
	put(&m, 0x80008, ROOT, 2);
	faults(&m, 0x40000123, SPEMU_FAULT_GPC, 0, 0);
	assert_false(m.fault.external);
	m.abort_at = 0x80008; /* D17.8.3: PMBSR_ELx.EA may be set for this abort */
	faults(&m, 0x40000123, SPEMU_FAULT_GPC, 0, 0);
	assert_true(m.fault.external);
	m.abort_at = 0;
	put(&m, 0x80008, ROOT, BIT(36) | TABLE); /* a table beyond PPS */
	faults(&m, 0x40000123, SPEMU_FAULT_GPC, 0, 0);
	/* Contiguous sizes are 2MB, 32MB and 512MB. The size 0b00 is reserved. */
	for (unsigned contig = 0; contig < 4; contig++) {
		const unsigned size[4] = {0, 21, 25, 29};

		put(&m, 0x100000, ROOT, GPT_CONTIGUOUS(contig, NON_SECURE));
		forget(&m);
		if (!contig)
			faults(&m, 0x123, SPEMU_FAULT_GPC, 0, 0);
		else
			maps(&m, 0x123, 0x123, NS);
		if (contig)
			assert_int_equal(m.t.region_log2, size[contig]);
	}
	/* Above PPS, Non-secure addresses pass the check. Realm addresses pass only with APPSAA. */
	maps(&m, BIT(36), BIT(36), NS);
	m.access.security = SPEMU_SS_REALM;
	faults(&m, BIT(36), SPEMU_FAULT_STAGE1, SPEMU_FT_GPF, 0);
	set(&m.f, SPEMU_REG_GPCCR_EL3, GPCCR | FIELD(GPCCR_EL3, APPSAA, 1));
	maps(&m, BIT(36), BIT(36), SPEMU_SS_REALM);
	/* Check RLPAD, reserved values of PGS and PPS, a table base beyond PPS, and a disabled
	 * check. */
	set(&m.f, SPEMU_REG_GPCCR_EL3,
	    GPCCR | FIELD(GPCCR_EL3, APPSAA, 1) | FIELD(GPCCR_EL3, RLPAD, 1));
	faults(&m, BIT(36), SPEMU_FAULT_STAGE1, SPEMU_FT_GPF, 0);
	m.access.security = SPEMU_SS_NON_SECURE;
	set(&m.f, SPEMU_REG_GPCCR_EL3, GPCCR | FIELD(GPCCR_EL3, PGS, 3));
	faults(&m, 0x123, SPEMU_FAULT_GPC, 0, 0);
	set(&m.f, SPEMU_REG_GPCCR_EL3,
	    GPCCR | FIELD(GPCCR_EL3, PPS3, 1) | FIELD(GPCCR_EL3, PPS, 2));
	faults(&m, 0x123, SPEMU_FAULT_GPC, 0, 0);
	set(&m.f, SPEMU_REG_GPCCR_EL3, GPCCR);
	set(&m.f, SPEMU_REG_GPTBR_EL3, BIT(24));
	faults(&m, 0x123, SPEMU_FAULT_GPC, 0, 0);
	set(&m.f, SPEMU_REG_GPCCR_EL3, 0);
	maps(&m, 0x123, 0x123, NS);
	mmu_stop(&m);
}

/* D9: for each PPS and each L0GPTSZ, the level 0 table has one entry for each region below PPS. The
 * base is aligned to the size of the table, or to 4KB if the table is smaller. Lower bits of the
 * base are treated as 0. */
static void gpt_base_is_aligned_to_level_0_table_size(void **state)
{
	static const unsigned protected_bits[8] = {32, 36, 40, 42, 44, 48, 52, 56};
	static const struct {
		unsigned code, bits;
	} regions[] = {{0, 30}, {4, 34}, {6, 36}, {9, 39}};
	struct mmu m;

	(void)state;
	for (unsigned pps = 0; pps < 8; pps++)
		for (unsigned l = 0; l < 4; l++) {
			unsigned bits = protected_bits[pps], region = regions[l].bits;
			unsigned size = bits > region ? bits - region + 3 : 0;
			uint64_t address = BIT(bits - 1) | 0x123;

			start(&m);
			m.f.pe->pa_bits = 56;
			set(&m.f, SPEMU_REG_GPCCR_EL3,
			    FIELD(GPCCR_EL3, L0GPTSZ, regions[l].code) | FIELD(GPCCR_EL3, GPC, 1) |
			            FIELD(GPCCR_EL3, SH, 2) | pps);
			for (unsigned bit = 12; bit < bits; bit++) {
				uint64_t base = bit < size ? 0 : BIT(bit);
				uint64_t entry = base + (address >> region) * 8;

				set(&m.f, SPEMU_REG_GPTBR_EL3, BIT(bit - 12));
				put(&m, entry, ROOT, GPT_BLOCK(NON_SECURE));
				forget(&m);
				maps(&m, address, address, NS);
				put(&m, entry, ROOT, GPT_BLOCK(REALM));
				forget(&m);
				faults(&m, address, SPEMU_FAULT_STAGE1, SPEMU_FT_GPF, 0);
				put(&m, entry, ROOT, 0);
			}
			mmu_stop(&m);
		}
}

/* FEAT_RME_GPC3 with 56-bit PAs: each bit of a table's address has an effect. */
static void gpt_address_uses_56_bits(void **state)
{
	struct mmu m;

	(void)state;
	start(&m);
	m.f.pe->pa_bits = 56;
	set(&m.f, SPEMU_REG_GPCCR_EL3, GPCCR | FIELD(GPCCR_EL3, PPS, 7));
	/* A multiple of 512MB, which is the size of the table. */
	set(&m.f, SPEMU_REG_GPTBR_EL3, 0x60000);
	for (unsigned bit = 17; bit < 56; bit++) {
		put(&m, 0x60000000, ROOT, BIT(bit) | TABLE);
		put(&m, BIT(bit), ROOT, NON_SECURE);
		forget(&m);
		maps(&m, 0x123, 0x123, NS);
		put(&m, BIT(bit), ROOT, 0);
		forget(&m);
		faults(&m, 0x123, SPEMU_FAULT_STAGE1, SPEMU_FT_GPF, 0);
	}
	for (unsigned bit = 56; bit < 64; bit++) { /* these bits are RES0 */
		put(&m, 0x60000000, ROOT, 1 << 20 | TABLE | BIT(bit));
		forget(&m);
		faults(&m, 0x123, SPEMU_FAULT_GPC, 0, 0);
	}
	mmu_stop(&m);
}

/* A GPF on a stage 1 walk is reported with the level and the stage. Other GPC faults have their own
 * kind. */
static void stage_1_walks_are_granule_checked(void **state)
{
	struct mmu m;

	(void)state;
	start(&m);
	m.access.address_type = SPEMU_ADDRESS_VA;
	m.access.owner_el = 2;
	/* A 39-bit VA, walked from level 1. */
	set(&m.f, SPEMU_REG_TCR_EL2, FIELD(TCR_EL2, T0SZ, 25) | TCR_EL2_PS(2));
	set(&m.f, SPEMU_REG_TTBR0_EL2, 0x3000);
	set(&m.f, SPEMU_REG_SCTLR_EL2, FIELD(SCTLR_EL2, C, 1) | FIELD(SCTLR_EL2, M, 1));
	put(&m, 0x3000, NS, 0x4000 | TABLE);
	put(&m, 0x4000, NS, 0x200000 | 1 | 1 << 10);
	put(&m, 0x100000, ROOT, GRANULE(3, NON_SECURE) | GRANULE(4, NON_SECURE));
	put(&m, 0x100000 + 8 * 0x20, ROOT, GRANULE(0, NON_SECURE) | UINT64_C(0x9990));
	maps(&m, 0x123, 0x200123, NS);
	assert_int_equal(m.t.region_log2, 12);
	forget(&m);
	put(&m, 0x100000 + 8 * 0x20, ROOT, 0);
	faults(&m, 0x123, SPEMU_FAULT_STAGE1, SPEMU_FT_GPF, 0);
	put(&m, 0x100000, ROOT, GRANULE(3, NON_SECURE));
	faults(&m, 0x123, SPEMU_FAULT_STAGE1, SPEMU_FT_GPF_ON_WALK, 2);
	put(&m, 0x100000, ROOT, 0);
	faults(&m, 0x123, SPEMU_FAULT_STAGE1, SPEMU_FT_GPF_ON_WALK, 1);
	put(&m, 0x100000, ROOT, 2);
	faults(&m, 0x123, SPEMU_FAULT_GPC, 0, 0);
	mmu_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(gpi_decides_access_for_each_space),
	        cmocka_unit_test(gpt_blocks_contiguous_and_table_faults),
	        cmocka_unit_test(reserved_bits_of_gpt_descriptors_fault),
	        cmocka_unit_test(gpt_base_is_aligned_to_level_0_table_size),
	        cmocka_unit_test(gpt_address_uses_56_bits),
	        cmocka_unit_test(stage_1_walks_are_granule_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
