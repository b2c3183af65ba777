/* SPDX-License-Identifier: MIT */
/* Test the page size that results from both stages, without regard to who accesses the page (D8.2,
 * D8.3, D8.4, D8.5). */
#include "mmu_stage1_fixture.h"
#include "pe/pe_object.h"

#include <spemu/choices.h>

#define WITH_EL2 "v8.8,-EL3,-Secure"
#define HA BIT(39)
#define HD BIT(40)

enum { VM = 1, S2_RW = 3 << 6, S2_WB = 15 << 2 };

/* 4KB granule; 40-bit IPAs, walked from level 1 with two concatenated tables; 40-bit PS. */
#define VTCR (FIELD(VTCR_EL2, T0SZ, 24) | FIELD(VTCR_EL2, SL0, 1) | FIELD(VTCR_EL2, PS, 2))

/* The page size follows the current tables, not cached translations. */
static void page_size_follows_current_tables(void **state)
{
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	enable(&m, TCR_4K);
	tables_4k(&m);
	page_is(&m, 0x123, 12);
	maps(&m, 0x123, 0x7654123, NS);
	put(&m, 0x12000, NS, 0x40000000 | BLOCK | AF);
	page_is(&m, 0x123, 21);
	maps(&m, 0x123, 0x7654123, NS); /* now this translation is cached */
	put(&m, 0x11000, NS, 0x40000000 | BLOCK | AF);
	page_is(&m, 0x3fffffff, 30);
	forget(&m);
	maps(&m, 0x123, 0x40000123, NS);
	mmu_stop(&m);
}

/*
 * The page size does not depend on whether a privileged write may reach the page, or would change
 * its Access flag or dirty state.
 */
static void page_size_ignores_permissions_and_flags(void **state)
{
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	enable(&m, TCR_4K | HA | HD);
	tables_4k(&m);
	put(&m, 0x12008, NS, 0x40000000 | BLOCK | AF | READ_ONLY);
	faults(&m, 0x200000, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 2);
	page_is(&m, 0x200000, 21);
	put(&m, 0x12008, NS, 0x40000000 | BLOCK | AF | READ_ONLY | BIT(51));
	page_is(&m, 0x200000, 21);
	put(&m, 0x12008, NS, 0x40000000 | BLOCK);
	page_is(&m, 0x200000, 21);
	assert_int_equal(m.updates, 0);
	maps(&m, 0x200000, 0x40000000, NS);
	assert_int_equal(m.updates, 1);
	mmu_stop(&m);
}

/* With FEAT_HAFT tables have an Access flag, too. A query of the page size does not set it. */
static void page_query_sets_no_access_flag(void **state)
{
	struct mmu m;

	(void)state;
	mmu_start(&m, "v8.9,-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2,+FEAT_HAFT");
	enable(&m, TCR_4K | HA);
	set(&m.f, SPEMU_REG_TCR2_EL1, FIELD(TCR2_EL1, HAFT, 1));
	tables_4k(&m);
	page_is(&m, 0, 12);
	maps(&m, 0, 0x7654000, NS);
	assert_int_equal(m.updates, 3);
	mmu_stop(&m);
}

/* The result is the smaller of the pages of the two stages. Stage 2 maps IPAs to equal PAs with
 * blocks of 1GB. Stage 1 maps the first 1GB with pages and a block of 2MB. */
static void page_size_is_the_smaller_of_two_stages(void **state)
{
	const uint64_t s2 = AF | S2_RW | S2_WB;
	struct mmu m;

	(void)state;
	mmu_start(&m, WITH_EL2);
	enable(&m, TCR_4K);
	tables_4k(&m);
	set(&m.f, SPEMU_REG_HCR_EL2, VM);
	set(&m.f, SPEMU_REG_VTCR_EL2, VTCR);
	set(&m.f, SPEMU_REG_VTTBR_EL2, 0x30000);
	put(&m, 0x30000, NS, 0 | BLOCK | s2);
	put(&m, 0x30008, NS, 0x40000000 | BLOCK | s2);
	put(&m, 0x12008, NS, 0x40000000 | BLOCK | AF);
	put(&m, 0x11008, NS, 0x40000000 | BLOCK | AF);
	page_is(&m, 0, 12);
	page_is(&m, 0x200000, 21);
	page_is(&m, 0x40000000, 30);
	put(&m, 0x30008, NS, 0x32000 | TABLE);
	put(&m, 0x32000, NS, 0x40000000 | BLOCK | s2);
	page_is(&m, 0x40000000, 21);
	put(&m, 0x32000, NS, 0x33000 | TABLE);
	/* Stage 2 permits neither reads nor writes. */
	put(&m, 0x33000, NS, 0x40000000 | PAGE | AF | S2_WB);
	page_is(&m, 0x200000, 12);
	faults(&m, 0x200000, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	set(&m.f, SPEMU_REG_VTCR_EL2, VTCR | FIELD(VTCR_EL2, HA, 1) | FIELD(VTCR_EL2, HD, 1));
	put(&m, 0x33000, NS, 0x40000000 | PAGE | S2_WB | BIT(51));
	page_is(&m, 0x200000, 12);
	maps(&m, 0x200000, 0x40000000, NS);
	assert_int_equal(m.updates, 1);
	mmu_stop(&m);
}

/* Without translation, the whole range of physical addresses is one page. */
static void page_size_without_translation_is_all_of_pa(void **state)
{
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	m.f.pe->pa_bits = 40;
	page_is(&m, 0x123456, 40);
	mmu_stop(&m);
}

static void faults_and_invalid_arguments_are_returned(void **state)
{
	unsigned page = 99;
	struct mmu m;

	(void)state;
	mmu_start(&m, NO_EL2);
	enable(&m, TCR_4K);
	tables_4k(&m);
	m.access.address = 0x1000;
	assert_int_equal(spemu_mmu_page(m.mmu, &page, &m.fault, m.f.pe, &m.access),
	                 SPEMU_FAULT_STAGE1);
	assert_int_equal(m.fault.fsc, spemu_fsc(SPEMU_FT_TRANSLATION, 3));
	assert_int_equal(spemu_mmu_page(NULL, &page, &m.fault, m.f.pe, &m.access),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_mmu_page(m.mmu, NULL, &m.fault, m.f.pe, &m.access),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_mmu_page(m.mmu, &page, NULL, m.f.pe, &m.access), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_mmu_page(m.mmu, &page, &m.fault, NULL, &m.access),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_mmu_page(m.mmu, &page, &m.fault, m.f.pe, NULL), SPEMU_ERR_INVALID);
	m.access.owner_el = 2; /* EL2 does not exist */
	assert_int_equal(spemu_mmu_page(m.mmu, &page, &m.fault, m.f.pe, &m.access),
	                 SPEMU_ERR_INVALID);
	m.access.owner_el = 3;
	assert_int_equal(spemu_mmu_page(m.mmu, &page, &m.fault, m.f.pe, &m.access),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(page, 0);
	mmu_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(page_size_follows_current_tables),
	        cmocka_unit_test(page_size_ignores_permissions_and_flags),
	        cmocka_unit_test(page_query_sets_no_access_flag),
	        cmocka_unit_test(page_size_is_the_smaller_of_two_stages),
	        cmocka_unit_test(page_size_without_translation_is_all_of_pa),
	        cmocka_unit_test(faults_and_invalid_arguments_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
