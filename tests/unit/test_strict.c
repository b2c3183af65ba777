/* SPDX-License-Identifier: MIT */
/* Test when effects become visible, for every seed (D17.9). Effects that may differ must differ
 * between seeds. */
#include "spu/spu_object.h"
#include "strict_fixture.h"

#define SEEDS 64
#define FEATURES "v8.7" EL1_ONLY
#define LIMIT (BUFFER_BASE + BUFFER_SIZE)

/* Run to the next sample and finish it. The sample is a load whose record has as many additional
 * packets as given. */
static void sample_of(struct strict_fixture *m, uint64_t pc, unsigned packets)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	op.valid = (packets > 0 ? SPEMU_OPV_VA : 0) | (packets > 1 ? SPEMU_OPV_TOTAL_LATENCY : 0);
	op.va = 0x5000;
	assert_int_equal(spemu_spu_ops(m->f.spu, spemu_spu_ops_until_sample(m->f.spu) - 1),
	                 SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(m->f.spu, pc), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_spu_sample_end(m->f.spu, NULL, &op), SPEMU_OK);
}

/* INDWCG, RPVRNK, IWZSLB: before a Context synchronization event the SPU may use the old or the new
 * value. After the event it uses the new value. */
static void indwcg_direct_write_is_visible_after_synchronization(void **state)
{
	unsigned early = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (unsigned exception = 0; exception < 2; exception++) {
			struct strict_fixture m;
			bool seen;

			strict_start(&m, FEATURES, seed, false);
			MSR(&m, PMBPTR_EL1, BUFFER_BASE);
			MSR(&m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
			MSR(&m, PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 1));
			ISB(&m);
			MSR(&m, PMSCR_EL1, E0SPE | E1SPE);
			seen = spemu_spu_profiling_enabled(m.f.spu, 1);
			early += seen;
			assert_true(seen == (spemu_spu_ops_until_sample(m.f.spu) != UINT64_MAX));
			assert_int_equal(MRS(&m, PMSCR_EL1) & 3, 3);
			assert_int_equal(reg(&m.f, SPEMU_REG_PMSCR_EL1) & 3, 3);
			if (exception)
				at_el(&m.f, 0);
			else
				ISB(&m);
			assert_true(spemu_spu_profiling_enabled(m.f.spu, exception ? 0 : 1));
			assert_true(spemu_spu_ops_until_sample(m.f.spu) != UINT64_MAX);
			assert_int_equal(m.diagnostics, 0);
			strict_stop(&m);
		}
	assert_in_range(early, 1, 2 * SEEDS - 1);
}

/* A write to a register that is never delayed does not make other writes visible. It does not undo
 * writes by the SPU either. */
static void registers_without_delay_are_visible_at_once(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, "v8.7,-EL3,-Secure", seed, false);
		set(&m.f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
		strict_program(&m, BUFFER_BASE, LIMIT);
		strict_sample(&m, 0x1000);
		strict_drain(&m);
		assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE + 64);
		MSR(&m, CONTEXTIDR_EL1, 1);
		assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE + 64);
		assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 64);
		strict_stop(&m);
	}
}

/* A change of PSTATE that leaves the Exception level, Execution state and Debug state as they are
 * synchronizes nothing. */
static void pstate_synchronizes_nothing(void **state)
{
	unsigned late = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct spemu_pe_state pe = {.el = 1, .pm = true};
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		MSR(&m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
		spemu_pe_set(m.f.pe, &pe);
		late += !decisions_of(m.f.pe).buffer_enabled;
		strict_stop(&m);
	}
	assert_in_range(late, 1, SEEDS);
}

/* IRRBSZ, RTRDTK, IMLGHW: ISB, PSB, DSB complete the records in memory. ISB, PSB, ISB complete the
 * registers. */
static void irrbsz_barriers_complete_records(void **state)
{
	unsigned early = 0, early_psb = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (unsigned registers = 0; registers < 2; registers++) {
			struct strict_fixture m;

			strict_start(&m, FEATURES, seed, false);
			strict_program(&m, BUFFER_BASE, LIMIT);
			for (uint64_t i = 0; i < 5; i++)
				assert_int_equal(strict_sample(&m, 0x1000 + i),
				                 SPEMU_SAMPLE_PENDING);
			early += m.done[SPEMU_SAMPLE_RECORDED] != 0;
			MSR(&m, PMSCR_EL1, 0);
			ISB(&m);
			PSB(&m);
			early_psb += m.done[SPEMU_SAMPLE_RECORDED] == 5;
			if (registers)
				ISB(&m);
			else
				DSB(&m);
			assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 5);
			for (uint64_t i = 0; i < 5; i++)
				assert_true(pc_at(&m, BUFFER_BASE + 64 * i) == 0x1000 + i);
			if (registers)
				assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 5 * 64);
			assert_int_equal(m.diagnostics, 0);
			strict_stop(&m);
		}
	assert_in_range(early, 1, 2 * SEEDS - 1);
	assert_in_range(early_psb, 0, 2 * SEEDS - 1);
}

/*
 * Software synchronizes while two operations are in flight in two slots. The operations come before
 * the PSB in program order, so the PSB covers them. Whichever ends first, nothing is in flight when
 * the buffer is disabled.
 */
static void barriers_cover_operations_in_flight(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (unsigned psb = 0; psb < 2; psb++) {
			struct strict_fixture m;
			unsigned slot[2];

			strict_start_slots(&m, FEATURES, seed, 2);
			strict_program(&m, BUFFER_BASE, LIMIT);
			for (unsigned i = 0; i < 2; i++) {
				spemu_spu_ops(m.f.spu, spemu_spu_ops_until_sample(m.f.spu) - 1);
				assert_int_equal(
				        spemu_spu_sample_begin_slot(m.f.spu, &slot[i], 0x1000 + i),
				        SPEMU_SAMPLE_STARTED);
			}
			MSR(&m, PMSCR_EL1, 0);
			ISB(&m);
			if (psb)
				PSB(&m);
			for (unsigned i = 2; i-- > 0;)
				assert_int_equal(
				        spemu_spu_sample_end_slot(m.f.spu, NULL, slot[i], &op),
				        SPEMU_OK);
			if (!psb)
				PSB(&m);
			else
				assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 2);
			DSB(&m);
			assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 2);
			MSR(&m, PMBLIMITR_EL1, 0);
			ISB(&m);
			assert_int_equal(m.diagnostics, 0);
			strict_stop(&m);
		}
}

/* IVKDVF: a PSB that does not follow a Context synchronization event may cover nothing. It is
 * reported. */
static void ivkdvf_psb_without_synchronization_is_reported(void **state)
{
	unsigned whole = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned i = 0; i < 8; i++)
			strict_sample(&m, 0x1000);
		PSB(&m);
		DSB(&m);
		whole += m.done[SPEMU_SAMPLE_RECORDED] == 8;
		assert_true(reported(&m, "psb-without-context-synchronization"));
		strict_stop(&m);
	}
	assert_in_range(whole, 1, SEEDS - 1);
}

/* IMLGHW: operations that a PSB has synchronized do not use a later direct write, and do not change
 * the register afterwards. */
static void imlghw_psb_orders_later_direct_writes(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned i = 0; i < 3; i++)
			strict_sample(&m, 0x1000);
		MSR(&m, PMSCR_EL1, 0);
		ISB(&m);
		PSB(&m);
		MSR(&m, PMBLIMITR_EL1, 0);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x2000);
		assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 0x2000);
		DSB(&m);
		ISB(&m);
		assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 3);
		assert_true(pc_at(&m, BUFFER_BASE) == 0x1000);
		assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 0x2000);
		strict_stop(&m);
	}
}

/* IMLGHW: a read that is not synchronized gives the old or the new value. */
static void imlghw_unsynchronized_read_is_old_or_new(void **state)
{
	unsigned old = 0, new = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 4 * SEEDS; seed++) {
		struct strict_fixture m;
		uint64_t value;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		strict_sample(&m, 0x1000);
		MSR(&m, PMSCR_EL1, 0);
		ISB(&m);
		PSB(&m);
		DSB(&m);
		value = MRS(&m, PMBPTR_EL1);
		assert_true(value == BUFFER_BASE || value == BUFFER_BASE + 64);
		old += value == BUFFER_BASE;
		new += value == BUFFER_BASE + 64;
		assert_true(reported(&m, "register-read-unsynchronized"));
		assert_string_equal(m.diagnostic[0].rule, "IMLGHW");
		assert_string_equal(m.diagnostic[0].value[0].name, "PMBPTR_EL1");
		ISB(&m);
		assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 64);
		strict_stop(&m);
	}
	assert_in_range(old, SEEDS, 3 * SEEDS);
	assert_in_range(new, SEEDS, 3 * SEEDS);
}

/* The old value of an early read is the last synchronized value. It includes all records that a PSB
 * has forced, whatever is pending since. */
static void early_read_gives_last_synchronized_value(void **state)
{
	unsigned old = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;
		uint64_t value, synchronized = BUFFER_BASE;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned round = 0; round < 4; round++) {
			strict_sample(&m, 0x1000);
			ISB(&m);
			PSB(&m);
			strict_sample(&m, 0x1000);
			ISB(&m);
			synchronized += 64;
			value = MRS(&m, PMBPTR_EL1);
			assert_in_range(value, synchronized, synchronized + 64);
			old += value == synchronized;
			PSB(&m);
			ISB(&m);
			synchronized += 64;
			assert_true(MRS(&m, PMBPTR_EL1) == synchronized);
		}
		strict_stop(&m);
	}
	assert_in_range(old, SEEDS, 3 * SEEDS); /* of 4 reads for each seed */
}

/* Without synchronization, the old value is the value before all records, however many there
 * are. */
static void early_read_skips_pending_records(void **state)
{
	unsigned old = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;
		uint64_t value;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned n = 0; n < 3; n++) {
			strict_sample(&m, 0x1000);
			spemu_spu_drain(m.f.spu);
		}
		value = MRS(&m, PMBPTR_EL1);
		assert_true(value == BUFFER_BASE || value == BUFFER_BASE + 3 * 64);
		old += value == BUFFER_BASE;
		strict_stop(&m);
	}
	assert_in_range(old, 1, SEEDS - 1);
}

/* RPVRNK: once software has disabled the buffer and synchronized that, no profiling operation reads
 * the registers of the buffer, whether forced or not. */
static void rpvrnk_disabled_buffer_may_be_programmed(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		strict_sample(&m, 0x1000);
		MSR(&m, PMSCR_EL1, 0);
		MSR(&m, PMBLIMITR_EL1, 0);
		ISB(&m);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		assert_false(reported(&m, "buffer-programmed-while-enabled"));
		strict_stop(&m);
	}
}

/* Pending records of different sizes keep their order. */
static void pending_records_keep_their_order(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;
		uint64_t at = BUFFER_BASE;

		strict_start(&m, FEATURES, seed, false);
		m.f.spu->config.layout = spemu_layout_dense;
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned i = 0; i < 6; i++)
			sample_of(&m, 0x1000 + i, i % 3);
		strict_drain(&m);
		for (unsigned i = 0; i < 6; i++) {
			struct spemu_record rec = record_at(&m.f, at);

			assert_true((rec.addr[SPEMU_ADDR_PC] << 8 >> 8) == 0x1000 + i);
			assert_int_equal(!!(rec.present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA)),
			                 i % 3 > 0);
			assert_int_equal(!!(rec.present & SPEMU_RECORD_COUNTER(0)), i % 3 > 1);
			at += rec.size;
		}
		assert_true(MRS(&m, PMBPTR_EL1) == at);
		strict_stop(&m);
	}
}

/* INRNSL: the record of a later operation overwrites data that the PE stored before a DSB. */
static void inrnsl_record_overwrites_earlier_store(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		memset(m.f.buffer, 0x55, BUFFER_SIZE);
		DSB(&m);
		strict_sample(&m, 0x1000);
		strict_drain(&m);
		assert_true(pc_at(&m, BUFFER_BASE) == 0x1000);
		assert_int_equal(m.f.buffer[64], 0x55);
		strict_stop(&m);
	}
}

/* The number and the size of pending records are bounded, and time alone completes them. */
static void pending_records_are_bounded(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;
		unsigned pending = 0, most = 0;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned i = 1; i <= 100; i++) {
			strict_sample(&m, 0x1000);
			pending = i - m.done[SPEMU_SAMPLE_RECORDED];
			most = pending > most ? pending : most;
		}
		assert_in_range(most, 1, 16);
		spemu_spu_drain(m.f.spu);
		assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 100);
		strict_stop(&m);
	}
}

/* RSXWCP in its usual form: software disables the buffer before the records are written. */
static void rsxwcp_buffer_disabled_before_records_loses_them(void **state)
{
	unsigned lost = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, seed, false);
		strict_program(&m, BUFFER_BASE, LIMIT);
		for (unsigned i = 0; i < 4; i++)
			strict_sample(&m, 0x1000);
		MSR(&m, PMSCR_EL1, 0);
		MSR(&m, PMBLIMITR_EL1, 0);
		ISB(&m);
		PSB(&m);
		DSB(&m);
		if (m.done[SPEMU_SAMPLE_DISCARDED]) {
			lost++;
			assert_true(reported(&m, "buffer-disabled-in-flight"));
		}
		assert_int_equal(m.done[SPEMU_SAMPLE_DISCARDED] + m.done[SPEMU_SAMPLE_RECORDED], 4);
		strict_stop(&m);
	}
	assert_in_range(lost, SEEDS / 2, SEEDS);
}

/* In plain mode nothing is pending, and no diagnostic of D17.9 is reported, whatever software
 * does. */
static void plain_mode_reports_nothing(void **state)
{
	struct strict_fixture m;

	(void)state;
	strict_start(&m, FEATURES, 0, true);
	strict_program(&m, BUFFER_BASE, LIMIT);
	assert_int_equal(strict_sample(&m, 0x1000), SPEMU_SAMPLE_RECORDED);
	assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 64);
	PSB(&m);
	spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_READS, BUFFER_BASE, 64);
	spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_CHANGED, BUFFER_BASE, 4096);
	MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
	MSR(&m, PMSCR_EL1, E1SPE | 0xf000);
	set(&m.f, SPEMU_REG_CONTEXTIDR_EL1, 7);
	assert_int_equal(strict_sample(&m, 0x1000), SPEMU_SAMPLE_RECORDED);
	assert_int_equal(m.diagnostics, 0);
	assert_false(spemu_spu_strict(m.f.spu));
	strict_stop(&m);
}

/* Leaving strict mode completes everything at once. */
static void leaving_strict_mode_completes_everything(void **state)
{
	struct strict_fixture m;

	(void)state;
	strict_start(&m, FEATURES, 5, false);
	strict_program(&m, BUFFER_BASE, LIMIT);
	for (unsigned i = 0; i < 9; i++)
		strict_sample(&m, 0x1000);
	MSR(&m, PMSCR_EL1, 0);
	assert_int_equal(spemu_spu_set_strict(m.f.spu, false, 0), SPEMU_OK);
	assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 9);
	assert_false(spemu_spu_profiling_enabled(m.f.spu, 1));
	assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 9 * 64);
	assert_int_equal(spemu_spu_set_strict(NULL, true, 0), SPEMU_ERR_INVALID);
	strict_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(indwcg_direct_write_is_visible_after_synchronization),
	        cmocka_unit_test(registers_without_delay_are_visible_at_once),
	        cmocka_unit_test(pstate_synchronizes_nothing),
	        cmocka_unit_test(irrbsz_barriers_complete_records),
	        cmocka_unit_test(barriers_cover_operations_in_flight),
	        cmocka_unit_test(ivkdvf_psb_without_synchronization_is_reported),
	        cmocka_unit_test(imlghw_psb_orders_later_direct_writes),
	        cmocka_unit_test(imlghw_unsynchronized_read_is_old_or_new),
	        cmocka_unit_test(early_read_gives_last_synchronized_value),
	        cmocka_unit_test(early_read_skips_pending_records),
	        cmocka_unit_test(rpvrnk_disabled_buffer_may_be_programmed),
	        cmocka_unit_test(pending_records_keep_their_order),
	        cmocka_unit_test(inrnsl_record_overwrites_earlier_store),
	        cmocka_unit_test(pending_records_are_bounded),
	        cmocka_unit_test(rsxwcp_buffer_disabled_before_records_loses_them),
	        cmocka_unit_test(plain_mode_reports_nothing),
	        cmocka_unit_test(leaving_strict_mode_completes_everything),
	};
	return cmocka_run_group_tests_name("strict", tests, NULL, NULL);
}
