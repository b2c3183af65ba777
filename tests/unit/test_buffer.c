/* SPDX-License-Identifier: MIT */
/* Test how records are written and how a write can end (D17.7, D17.8). */
#include "spu_fixture.h"

#define S FIELD(PMBSR_EL1, S, 1)
#define DL FIELD(PMBSR_EL1, DL, 1)
#define EA FIELD(PMBSR_EL1, EA, 1)

/* D17.8.2: the buffer is full when less than MaxSize is left. Then profiling is stopped and PMBIRQ
 * is high (RTSJRP). */
static void buffer_full_stops_profiling_and_raises_pmbirq(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_spu_config config = {.layout = spemu_layout_neoverse};
	uint64_t written = 0;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, &config);
	program(&f, 1);
	set(&f, SPEMU_REG_PMBLIMITR_EL1, (BUFFER_BASE + 0x1000) | FIELD(PMBLIMITR_EL1, E, 1));
	for (;;) {
		struct spemu_sample_result result = sample(&f, &op);

		assert_int_equal(result.outcome, SPEMU_SAMPLE_RECORDED);
		written += result.written;
		assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE + written);
		assert_int_equal(result.management_event, written > 0x1000 - 64);
		if (result.management_event)
			break;
		assert_false(spemu_spu_pmbirq(f.spu));
	}
	assert_int_equal(written, 0x1000);
	/* EC is 0, and BSC is "buffer filled". */
	assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), S | 1);
	assert_true(f.irq);
	assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_BUFFER_FULL), 1);
	assert_true(spemu_spu_ops_until_sample(f.spu) == UINT64_MAX);
	at_el(&f, 1);
	set(&f, SPEMU_REG_PMBSR_EL1, 0);
	assert_false(f.irq);
	assert_int_equal(f.irq_changes & ~1u, f.irq_changes);
	fixture_stop(&f);
}

/* With variable sizes the last bytes stay unused: MaxSize, not the record's size, decides whether
 * the buffer is full. */
static void buffer_is_full_when_less_than_maxsize_is_left(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_spu_config config = {.layout = spemu_layout_dense, .max_size_log2 = 11};

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, &config);
	program(&f, 1);
	set(&f, SPEMU_REG_PMBLIMITR_EL1, (BUFFER_BASE + 0x1000) | FIELD(PMBLIMITR_EL1, E, 1));
	while (!sample(&f, &op).management_event)
		assert_true(reg(&f, SPEMU_REG_PMBPTR_EL1) <= BUFFER_BASE + 0x800);
	assert_in_range(reg(&f, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE + 0x801, BUFFER_BASE + 0x840);
	fixture_stop(&f);
}

/* RPGGHS, default choice: if there is no room for a record at the start, nothing is written and a
 * Buffer full event occurs. */
static void pointer_too_close_to_limit_is_buffer_full(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	const uint64_t pointers[] = {BUFFER_BASE + 0x1000, BUFFER_BASE + 0x1001,
	                             BUFFER_BASE + 0x2000, BUFFER_BASE + 0xffd, UINT64_MAX};

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		fixture_start(&f, "v8.2" EL1_ONLY, NULL);
		program(&f, 1);
		set(&f, SPEMU_REG_PMBPTR_EL1, pointers[i]);
		set(&f, SPEMU_REG_PMBLIMITR_EL1,
		    (BUFFER_BASE + 0x1000) | FIELD(PMBLIMITR_EL1, E, 1));
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_LOST);
		assert_int_equal(f.writes, 0);
		assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), S | 1);
		assert_true(reg(&f, SPEMU_REG_PMBPTR_EL1) == pointers[i]);
		fixture_stop(&f);
	}
}

/* RMYXZK, D17.8.3: after a fault the pointer is the faulting address. DL is set if this address is
 * inside a record. */
static void fault_pointer_is_faulting_address(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	const struct {
		uint16_t kind;
		uint8_t fsc;
		unsigned offset;
		uint64_t pmbsr;
	} rows[] = {
	        {SPEMU_FAULT_STAGE1, 0x07, 0, S | NAMED(PMBSR_EL1, EC, STAGE1) | 0x07},
	        {SPEMU_FAULT_STAGE1, 0x07, 5, S | DL | NAMED(PMBSR_EL1, EC, STAGE1) | 0x07},
	        {SPEMU_FAULT_STAGE2, 0x0f, 0, S | NAMED(PMBSR_EL1, EC, STAGE2) | 0x0f},
	        {SPEMU_FAULT_GPC, 0x28, 1, S | DL | NAMED(PMBSR_EL1, EC, GPC_FAULT)},
	        {SPEMU_FAULT_EXTERNAL, 0, 0, S | EA | NAMED(PMBSR_EL1, EC, STAGE1) | 0x10},
	        {SPEMU_FAULT_EXTERNAL, 0, 3, S | EA | DL | NAMED(PMBSR_EL1, EC, STAGE1) | 0x10},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t second;

		fixture_start(&f, "v8.2" EL1_ONLY, NULL);
		program(&f, 1);
		sample(&f, &op);
		second = reg(&f, SPEMU_REG_PMBPTR_EL1);
		f.fault = (struct spemu_fault){.kind = rows[i].kind, .fsc = rows[i].fsc};
		f.fault_at = second + rows[i].offset;
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_LOST);
		assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), rows[i].pmbsr);
		assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1), f.fault_at);
		assert_true(spemu_spu_pmbirq(f.spu));
		fixture_stop(&f);
	}
}

/* RJFYNW: with FEAT_SPEv1p3 an External abort on a write is not reported (PMBIDR_EL1.EA 0b0001). */
static void rjfynw_external_abort_on_write_is_not_reported(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);

	(void)state;
	fixture_start(&f, "v8.8" EL1_ONLY, NULL);
	program(&f, 1);
	assert_int_equal(reg(&f, SPEMU_REG_PMBIDR_EL1) >> 8 & 15, 1);
	f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_EXTERNAL};
	f.fault_at = BUFFER_BASE + 2;
	assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), 0);
	fixture_stop(&f);
}

/* RTWFRY, D17.8: the first event wins; a stopped SPU neither samples nor moves the pointer. */
static void rtwfry_set_s_stops_profiling(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	set(&f, SPEMU_REG_PMBSR_EL1, S | NAMED(PMBSR_EL1, EC, STAGE1) | 0x7);
	assert_true(decisions_of(f.pe).stopped);
	assert_false(decisions_of(f.pe).buffer_enabled);
	assert_true(spemu_spu_ops_until_sample(f.spu) == UINT64_MAX);
	fixture_stop(&f);
}

/* RSXWCP, default choice: if the buffer is disabled while a sample is in flight, the sample is
 * discarded. */
static void rsxwcp_sample_in_flight_is_discarded_when_buffer_is_disabled(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_sample_result result;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	assert_int_equal(spemu_spu_ops(f.spu, 255), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
	set(&f, SPEMU_REG_PMBLIMITR_EL1, BUFFER_BASE + BUFFER_SIZE);
	assert_int_equal(spemu_spu_sample_end(f.spu, &result, &op), SPEMU_OK);
	assert_int_equal(result.outcome, SPEMU_SAMPLE_DISCARDED);
	assert_int_equal(f.writes, 0);
	assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE);
	fixture_stop(&f);
}

/* IBRTKK: while the buffer is disabled or profiling is stopped, the pointer and the counter do not
 * move. A sample in flight is lost. After profiling is enabled again, the next record is the one of
 * the next operation. */
static void ibrtkk_pointer_and_counter_stay_while_disabled_or_stopped(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_sample_result result;

	(void)state;
	for (unsigned by_event = 0; by_event < 2; by_event++) {
		enum spemu_reg off = by_event ? SPEMU_REG_PMBSR_EL1 : SPEMU_REG_PMBLIMITR_EL1;
		uint64_t before;

		fixture_start(&f, "v8.2" EL1_ONLY, NULL);
		program(&f, 1);
		before = reg(&f, off);
		assert_int_equal(spemu_spu_ops(f.spu, 255), SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin(f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
		assert_int_equal(spemu_spu_ops(f.spu, 57), SPEMU_OK);
		set(&f, off, by_event ? S | 1 : before & ~UINT64_C(1));
		assert_int_equal(spemu_spu_sample_end(f.spu, &result, &op), SPEMU_OK);
		assert_int_equal(result.outcome, SPEMU_SAMPLE_DISCARDED);
		assert_int_equal(spemu_spu_ops(f.spu, 1000), SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin(f.spu, 0x2000), SPEMU_ERR_STATE);
		assert_int_equal(reg(&f, SPEMU_REG_PMSICR_EL1), 256 - 56);
		assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE);
		assert_int_equal(f.writes, 0);
		set(&f, off, before);
		op.pc = 0x3000;
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
		assert_int_equal(record_at(&f, BUFFER_BASE).addr[SPEMU_ADDR_PC] & 0xffff, 0x3000);
		fixture_stop(&f);
	}
}

/* RTDHBH: the host sees one buffer write for each record. */
static void rtdhbh_buffer_write_describes_owner_and_address(void **state)
{
	struct fixture f;
	struct spemu_op op = an_op(SPEMU_OP_OTHER);

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, NULL);
	program(&f, 1);
	sample(&f, &op);
	assert_int_equal(f.writes, 1);
	assert_int_equal(f.last_access.address, BUFFER_BASE);
	assert_int_equal(f.last_access.address_type, SPEMU_ADDRESS_VA);
	assert_int_equal(f.last_access.owner_el, 1);
	assert_int_equal(f.last_access.security, SPEMU_SS_NON_SECURE);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(buffer_full_stops_profiling_and_raises_pmbirq),
	        cmocka_unit_test(buffer_is_full_when_less_than_maxsize_is_left),
	        cmocka_unit_test(pointer_too_close_to_limit_is_buffer_full),
	        cmocka_unit_test(fault_pointer_is_faulting_address),
	        cmocka_unit_test(rjfynw_external_abort_on_write_is_not_reported),
	        cmocka_unit_test(rtwfry_set_s_stops_profiling),
	        cmocka_unit_test(rsxwcp_sample_in_flight_is_discarded_when_buffer_is_disabled),
	        cmocka_unit_test(ibrtkk_pointer_and_counter_stay_while_disabled_or_stopped),
	        cmocka_unit_test(rtdhbh_buffer_write_describes_owner_and_address),
	};
	return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
