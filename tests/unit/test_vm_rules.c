/* SPDX-License-Identifier: MIT */
/* Test the rules that a hypervisor may impose on its guest (D24.7.1, D24.7.5), in plain and strict
 * mode. */
#include "spu/spu_object.h"
#include "strict_fixture.h"

#define LIMIT (BUFFER_BASE + BUFFER_SIZE)

static void rules(struct strict_fixture *m, struct spemu_vm_rules r)
{
	r.size = sizeof(r);
	assert_int_equal(spemu_spu_set_vm_rules(m->f.spu, &r), SPEMU_OK);
}

/* D24.7.1: 0x0001 means 4 KB, and 0x3fff means 4092 TB. */
static void largest_buffer_follows_max_buff_size(void **state)
{
	(void)state;
	assert_true(spemu__vm_max_buff_size(0) == UINT64_MAX);
	assert_true(spemu__vm_max_buff_size(1) == 4096);
	assert_true(spemu__vm_max_buff_size(0x1ff) == UINT64_C(511) * 4096);
	assert_true(spemu__vm_max_buff_size(1 << 9) == UINT64_C(2) << 20);
	assert_true(spemu__vm_max_buff_size(0x3fff) == UINT64_C(4092) << 40);
}

static void writes_while_enabled_are_ignored(void **state)
{
	(void)state;
	for (unsigned plain = 0; plain < 2; plain++) {
		struct strict_fixture m;

		strict_start(&m, "v8.7" EL1_ONLY, 3, plain);
		rules(&m, (struct spemu_vm_rules){.ignore_writes_while_enabled = true});
		strict_program(&m, BUFFER_BASE, LIMIT);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		MSR(&m, PMBLIMITR_EL1, (LIMIT - 0x1000) | 1);
		ISB(&m);
		assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE);
		assert_true(MRS(&m, PMBLIMITR_EL1) == (LIMIT | 1));
		assert_int_equal(m.diagnostics != 0, !plain);
		assert_int_equal(reported(&m, "vm-write-ignored"), !plain);
		MSR(&m, PMBSR_EL1, 1 << 17);
		assert_int_equal(MRS(&m, PMBSR_EL1), 0);
		MSR(&m, PMSFCR_EL1, 4); /* not a register of the buffer */
		assert_int_equal(MRS(&m, PMSFCR_EL1), 4);
		MSR(&m, PMBLIMITR_EL1, 0);
		MSR(&m, PMBSR_EL1, 1 << 17);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		MSR(&m, PMBLIMITR_EL1, (LIMIT - 0x1000) | 1);
		assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 0x1000);
		assert_true(MRS(&m, PMBLIMITR_EL1) == ((LIMIT - 0x1000) | 1));
		assert_int_equal(MRS(&m, PMBSR_EL1), 1 << 17);
		strict_stop(&m);
	}
}

/* A buffer larger than the maximum causes an event with BSC 0b000100. A buffer of the maximum size
 * causes none. */
static void buffer_larger_than_maximum_is_an_event(void **state)
{
	(void)state;
	for (unsigned plain = 0; plain < 2; plain++)
		for (unsigned pages = 1; pages <= 2; pages++) {
			struct strict_fixture m;

			strict_start(&m, "v8.7" EL1_ONLY, 3, plain);
			rules(&m, (struct spemu_vm_rules){.max_buff_size = 1});
			assert_int_equal(MRS(&m, PMBIDR_EL1) >> 32, 1);
			strict_program(&m, BUFFER_BASE, BUFFER_BASE + pages * 4096);
			strict_sample(&m, 0x1000);
			spemu_spu_drain(m.f.spu);
			strict_drain(&m);
			assert_int_equal(MRS(&m, PMBSR_EL1) & 0xfc02003f, pages == 2 ? 0x20004 : 0);
			assert_int_equal(m.f.writes, pages == 2 ? 0 : 1);
			assert_int_equal(m.f.irq, pages == 2);
			assert_int_equal(reported(&m, "vm-buffer-too-large"), !plain && pages == 2);
			strict_stop(&m);
		}
}

static void physical_only_reports_virtual_addresses(void **state)
{
	struct strict_fixture m;

	(void)state;
	strict_start(&m, "v9.6" EL1_ONLY, 0, false);
	assert_int_equal(MRS(&m, PMBIDR_EL1) >> 6 & 3, 1);
	rules(&m, (struct spemu_vm_rules){.physical_only = true});
	assert_int_equal(MRS(&m, PMBIDR_EL1) >> 6 & 3, 3);
	strict_program(&m, BUFFER_BASE, LIMIT);
	assert_true(reported(&m, "vm-virtual-addresses"));
	strict_stop(&m);
	strict_start(&m, "v9.6" EL1_ONLY, 0, false);
	rules(&m, (struct spemu_vm_rules){.physical_only = true});
	strict_program(&m, BUFFER_BASE, LIMIT | 1 << 7);
	assert_false(reported(&m, "vm-virtual-addresses"));
	assert_int_equal(spemu_spu_set_vm_rules(m.f.spu, NULL), SPEMU_OK);
	assert_int_equal(MRS(&m, PMBIDR_EL1) >> 6 & 3, 1);
	strict_stop(&m);
	strict_start(&m, "v8.7" EL1_ONLY, 0, false); /* without FEAT_SPE_nVM */
	rules(&m, (struct spemu_vm_rules){.physical_only = true});
	assert_int_equal(MRS(&m, PMBIDR_EL1) >> 6 & 3, 0);
	strict_stop(&m);
}

static void invalid_rules_are_refused(void **state)
{
	struct spemu_vm_rules r = {.size = sizeof(r), .max_buff_size = 0x4000};
	struct strict_fixture m;

	(void)state;
	strict_start(&m, "v8.7" EL1_ONLY, 0, false);
	assert_int_equal(spemu_spu_set_vm_rules(m.f.spu, &r), SPEMU_ERR_INVALID);
	r = (struct spemu_vm_rules){.size = 1};
	assert_int_equal(spemu_spu_set_vm_rules(m.f.spu, &r), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_spu_set_vm_rules(NULL, NULL), SPEMU_ERR_INVALID);
	strict_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(largest_buffer_follows_max_buff_size),
	        cmocka_unit_test(writes_while_enabled_are_ignored),
	        cmocka_unit_test(buffer_larger_than_maximum_is_an_event),
	        cmocka_unit_test(physical_only_reports_virtual_addresses),
	        cmocka_unit_test(invalid_rules_are_refused),
	};
	return cmocka_run_group_tests_name("vm_rules", tests, NULL, NULL);
}
