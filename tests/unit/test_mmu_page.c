/* SPDX-License-Identifier: MIT */
/* Page sizes by both stages, for any accessor: D8.2, D8.3, D8.4, D8.5. */
#include "mmu_stage1_fixture.h"
#include "pe/pe_object.h"

#include <spemu/choices.h>

#define WITH_EL2 "v8.8,-EL3,-Secure"
#define HA BIT(39)
#define HD BIT(40)

enum { VM = 1, S2_RW = 3 << 6, S2_WB = 15 << 2 };

/* 4KB granule, 40-bit IPAs from level 1 (two tables, concatenated), 40-bit PS. */
#define VTCR (FIELD(VTCR_EL2, T0SZ, 24) | FIELD(VTCR_EL2, SL0, 1) | FIELD(VTCR_EL2, PS, 2))

/* The result follows the current tables, not earlier translations. */
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
	maps(&m, 0x123, 0x7654123, NS); /* which is cached */
	put(&m, 0x11000, NS, 0x40000000 | BLOCK | AF);
	page_is(&m, 0x3fffffff, 30);
	forget(&m);
	maps(&m, 0x123, 0x40000123, NS);
	mmu_stop(&m);
}

/*
 * Pages that a privileged write may not reach, or whose Access flag or dirty state it would change.
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

/* FEAT_HAFT: the Access flag of tables. */
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

/* The result is the smaller page of the two stages. IPAs are PAs, by blocks of 1GB; the first 1GB
 * has a block of 2MB and pages. */
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
	put(&m, 0x33000, NS, 0x40000000 | PAGE | AF | S2_WB); /* may not be read or written */
	page_is(&m, 0x200000, 12);
	faults(&m, 0x200000, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	set(&m.f, SPEMU_REG_VTCR_EL2, VTCR | FIELD(VTCR_EL2, HA, 1) | FIELD(VTCR_EL2, HD, 1));
	put(&m, 0x33000, NS, 0x40000000 | PAGE | S2_WB | BIT(51));
	page_is(&m, 0x200000, 12);
	maps(&m, 0x200000, 0x40000000, NS);
	assert_int_equal(m.updates, 1);
	mmu_stop(&m);
}

/* Without translation the page is the whole PA range. */
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
	m.access.owner_el = 2; /* which there is not */
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
