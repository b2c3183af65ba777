/* SPDX-License-Identifier: MIT */
/* Test when software can read the SPU's writes to PMBSR_ELx, by their cause and for every seed
 * (D17.3.7, D17.9). */
#include <spemu/choices.h>
#include "strict_fixture.h"

static void strict_begin(struct strict_fixture *m, uint64_t seed)
{
	strict_start(m, "v8.7" EL1_ONLY, seed, false);
	strict_program(m, BUFFER_BASE, BUFFER_BASE + BUFFER_SIZE);
}

static int to_next(struct strict_fixture *m)
{
	assert_int_equal(spemu_spu_ops(m->f.spu, spemu_spu_ops_until_sample(m->f.spu) - 1),
	                 SPEMU_OK);
	return spemu_spu_sample_begin(m->f.spu, 0x1000);
}

static void collide(struct strict_fixture *m)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	assert_int_equal(to_next(m), SPEMU_SAMPLE_STARTED);
	assert_int_equal(to_next(m), SPEMU_SAMPLE_COLLIDED);
	assert_int_equal(spemu_spu_sample_end(m->f.spu, NULL, &op), SPEMU_OK);
}

/* RLTMKQ: after a Context synchronization event COLL reads as 1, even without a PSB. */
static void rltmkq_coll_is_visible_without_psb(void **state)
{
	unsigned early = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++) {
		struct strict_fixture m;
		uint64_t coll = UINT64_C(1) << SPEMU_PMBSR_EL1_COLL_LSB;

		strict_begin(&m, seed);
		collide(&m);
		early += !(MRS(&m, PMBSR_EL1) & coll); /* no synchronization event in between */
		assert_true(reported(&m, "register-read-unsynchronized"));
		strict_stop(&m);

		/* Software has written PMBSR_EL1, and the write is not visible yet when the
		 * operation collides. */
		for (unsigned written = 0; written < 2; written++) {
			strict_begin(&m, seed);
			if (written)
				MSR(&m, PMBSR_EL1, 0);
			collide(&m);
			ISB(&m);
			assert_true(MRS(&m, PMBSR_EL1) & coll);
			assert_int_equal(m.diagnostics, 0);
			strict_stop(&m);
		}
	}
	assert_in_range(early, 16, 48);
}

/* IMLGHW: PMBSR_EL1 shows an MMU fault once the record is forced. It shows an External abort on the
 * write for certain only after a DSB has completed the write. */
static void imlghw_abort_is_visible_only_after_dsb(void **state)
{
	static const struct {
		struct spemu_fault fault;
		unsigned option;
		bool needs_dsb;
	} rows[] = {
	        {{.kind = SPEMU_FAULT_EXTERNAL}, SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY, true},
	        {{.kind = SPEMU_FAULT_EXTERNAL},
	         SPEMU_EXTERNAL_ABORT_REPORTED_ASYNCHRONOUSLY,
	         true},
	        {{.kind = SPEMU_FAULT_STAGE1, .fsc = 7},
	         SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY,
	         false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned unseen = 0;

		for (unsigned run = 0; run < 64 * 2; run++) {
			bool dsb = run % 2, seen;
			struct strict_fixture m;

			strict_start(&m, "v8.7" EL1_ONLY, run / 2, false);
			assert_int_equal(spemu_choice_set(m.f.pe, SPEMU_CHOICE_EXTERNAL_ABORT,
			                                  rows[i].option),
			                 SPEMU_OK);
			strict_program(&m, BUFFER_BASE, BUFFER_BASE + BUFFER_SIZE);
			m.f.fault_at = BUFFER_BASE;
			m.f.fault = rows[i].fault;
			assert_true(strict_sample(&m, 0x1000) >= 0);
			MSR(&m, PMSCR_EL1, 0);
			ISB(&m);
			PSB(&m);
			if (dsb)
				DSB(&m);
			ISB(&m);
			seen = MRS(&m, PMBSR_EL1) >> SPEMU_PMBSR_EL1_S_LSB & 1;
			assert_int_equal(m.diagnostics != 0, rows[i].needs_dsb && !dsb);
			assert_true(seen || m.diagnostics);
			unseen += !seen;
			DSB(&m);
			ISB(&m);
			m.diagnostics = 0;
			assert_true(MRS(&m, PMBSR_EL1) >> SPEMU_PMBSR_EL1_S_LSB & 1);
			assert_int_equal(m.diagnostics, 0);
			strict_stop(&m);
		}
		assert_int_equal(unseen != 0, rows[i].needs_dsb);
	}
}

/*
 * A register that software writes after a sample can be read. A register that the SPU writes is
 * read too early. Each register counts separately. An abort on a write that is made after
 * software's write to the status is also read too early.
 */
static void early_reads_apply_to_each_register_alone(void **state)
{
	enum { NOTHING, POINTER, STATUS, POINTER_BY_MSR, STATUS_BY_MSR, WRITES };
	unsigned aborts_later = 0;

	(void)state;
	for (unsigned run = 0; run < 16 * WRITES; run++) {
		unsigned written = run % WRITES;
		bool pointer = written == POINTER || written == POINTER_BY_MSR;
		bool status = written == STATUS || written == STATUS_BY_MSR;
		struct strict_fixture m;
		bool later;

		strict_begin(&m, run / WRITES);
		m.f.fault_at = pointer ? 0 : BUFFER_BASE;
		m.f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_EXTERNAL};
		assert_true(strict_sample(&m, 0x1000) >= 0);
		if (written == POINTER_BY_MSR)
			MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		if (written == STATUS_BY_MSR)
			MSR(&m, PMBSR_EL1, 0);
		later = !m.done[SPEMU_SAMPLE_LOST];
		if (written == POINTER)
			set(&m.f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + 0x1000);
		if (written == STATUS)
			set(&m.f, SPEMU_REG_PMBSR_EL1, 0);
		if (!pointer)
			spemu_spu_drain(m.f.spu);
		MRS(&m, PMBPTR_EL1);
		assert_int_equal(reported(&m, "register-read-unsynchronized"), !pointer);
		m.diagnostics = 0;
		MRS(&m, PMBSR_EL1);
		assert_int_equal(reported(&m, "register-read-unsynchronized"), !status || later);
		aborts_later += status && later;
		strict_stop(&m);
	}
	assert_in_range(aborts_later, 1, 2 * 16 - 1);
}

/* The same fault occurs again. If software has cleared the first one, the diagnostic reports that
 * the cause persists. If the host has cleared it, there is no diagnostic. */
static void persisting_fault_is_reported_unless_host_cleared_it(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 16 * 2; run++) {
		bool software = run % 2;
		struct strict_fixture m;

		strict_begin(&m, run / 2);
		m.f.fault_at = BUFFER_BASE;
		m.f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 7};
		for (unsigned n = 0; n < 3; n++) {
			assert_int_equal(reported(&m, "status-cleared-cause-persists"),
			                 software && n == 2);
			assert_true(strict_sample(&m, 0x1000) >= 0);
			ISB(&m);
			PSB(&m);
			DSB(&m);
			ISB(&m);
			assert_true(MRS(&m, PMBSR_EL1) >> SPEMU_PMBSR_EL1_S_LSB & 1);
			if (software)
				MSR(&m, PMBSR_EL1, 0);
			else
				set(&m.f, SPEMU_REG_PMBSR_EL1, 0);
			ISB(&m);
		}
		strict_stop(&m);
	}
}

/* IMLGHW: software has to use a DSB for loads and stores to wait for records. A DSB for stores
 * alone leaves them pending. */
static void imlghw_dsb_st_leaves_records_pending(void **state)
{
	unsigned pending = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++)
		for (unsigned both = 0; both < 2; both++) {
			struct strict_fixture m;

			strict_begin(&m, seed);
			assert_int_equal(strict_sample(&m, 0x1000), SPEMU_SAMPLE_PENDING);
			MSR(&m, PMSCR_EL1, 0);
			ISB(&m);
			PSB(&m);
			if (both)
				DSB(&m);
			else
				spemu_spu_dsb_st(m.f.spu);
			pending += !m.done[SPEMU_SAMPLE_RECORDED];
			spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_READS, BUFFER_BASE, 64);
			assert_int_equal(reported(&m, "buffer-read-unsynchronized"), !both);
			DSB(&m);
			assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 1);
			strict_stop(&m);
		}
	assert_in_range(pending, 1, 63);
}

/*
 * RNXPMV: three actions of software order the exception: it writes S, it reads S as 1, or it
 * executes the PSB that synchronizes the cause. After the next Context synchronization event, the
 * next instruction takes the exception.
 */
static void rnxpmv_exception_is_taken_after_synchronization(void **state)
{
	enum { WRITE, READ, PSB_CSYNC };
	const uint64_t s_bit = UINT64_C(1) << SPEMU_PMBSR_EL1_S_LSB;
	const uint64_t pmscr = E1SPE | 3u << SPEMU_PMSCR_EL1_EE_LSB | 1u << SPEMU_PMSCR_EL1_KE_LSB;
	unsigned seen = 0;

	(void)state;
	for (unsigned run = 0; run < 64 * 3; run++) {
		unsigned how = run % 3;
		struct strict_fixture m;
		bool expected = true;

		strict_start(&m, "v9.6,-FEAT_RME" EL1_ONLY, run / 3, false);
		strict_program(&m, BUFFER_BASE, BUFFER_BASE + BUFFER_SIZE);
		MSR(&m, PMSCR_EL1, pmscr);
		ISB(&m);
		assert_int_equal(spemu_spu_profiling_exception_target(m.f.spu), 0);
		if (how == WRITE) {
			MSR(&m, PMBSR_EL1, s_bit);
		} else {
			m.f.fault_at = BUFFER_BASE;
			m.f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 7};
			assert_true(strict_sample(&m, 0x1000) >= 0);
		}
		if (how == READ) {
			expected = MRS(&m, PMBSR_EL1) & s_bit;
			seen += expected;
		}
		if (how == PSB_CSYNC) {
			ISB(&m);
			PSB(&m);
		}
		ISB(&m);
		if (expected)
			assert_int_equal(spemu_spu_profiling_exception_target(m.f.spu), 1);
		strict_stop(&m);
	}
	assert_in_range(seen, 1, 63);
}

/* RTRDTK: a DSB completes the records that a preceding PSB has forced. Later records may remain
 * incomplete: with only a few seeds, the DSB completes all records. */
static void rtrdtk_dsb_completes_records_forced_by_psb(void **state)
{
	unsigned all = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++) {
		struct strict_fixture m;

		strict_begin(&m, seed);
		assert_true(strict_sample(&m, 0x1000) >= 0);
		ISB(&m);
		PSB(&m);
		for (unsigned i = 0; i < 6; i++)
			assert_true(strict_sample(&m, 0x2000) >= 0);
		DSB(&m);
		assert_true(m.done[SPEMU_SAMPLE_RECORDED] >= 1);
		all += m.done[SPEMU_SAMPLE_RECORDED] == 7;
		strict_stop(&m);
	}
	assert_in_range(all, 0, 6);
}

/* RPVRNK: after an event has stopped profiling, no operation reads the registers of the buffer
 * until software clears S. */
static void rpvrnk_stopped_buffer_may_be_programmed(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 32; run++) {
		bool cleared = run % 2;
		struct strict_fixture m;

		strict_begin(&m, run / 2);
		m.f.fault_at = BUFFER_BASE;
		m.f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 7};
		assert_true(strict_sample(&m, 0x1000) >= 0);
		spemu_spu_drain(m.f.spu);
		assert_true(reg(&m.f, SPEMU_REG_PMBSR_EL1) >> SPEMU_PMBSR_EL1_S_LSB & 1);
		if (cleared)
			MSR(&m, PMBSR_EL1, 0);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		assert_int_equal(reported(&m, "buffer-programmed-while-enabled"), cleared);
		strict_stop(&m);
	}
}

/* Strict mode ends while the record that fills the buffer is pending. The interrupt is then
 * asserted, and nothing more is sampled. */
static void leaving_strict_mode_with_full_buffer_interrupts(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++) {
		struct strict_fixture m;

		strict_start(&m, "v8.7" EL1_ONLY, seed, false);
		strict_program(&m, BUFFER_BASE + 0x1000 - 64, BUFFER_BASE + 0x1000);
		assert_true(strict_sample(&m, 0x1000) >= 0);
		assert_int_equal(spemu_spu_set_strict(m.f.spu, false, 0), SPEMU_OK);
		assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 1);
		assert_true(m.f.irq);
		assert_true(spemu_spu_ops_until_sample(m.f.spu) == UINT64_MAX);
		strict_stop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rtrdtk_dsb_completes_records_forced_by_psb),
	        cmocka_unit_test(rpvrnk_stopped_buffer_may_be_programmed),
	        cmocka_unit_test(leaving_strict_mode_with_full_buffer_interrupts),
	        cmocka_unit_test(rnxpmv_exception_is_taken_after_synchronization),
	        cmocka_unit_test(rltmkq_coll_is_visible_without_psb),
	        cmocka_unit_test(imlghw_abort_is_visible_only_after_dsb),
	        cmocka_unit_test(early_reads_apply_to_each_register_alone),
	        cmocka_unit_test(persisting_fault_is_reported_unless_host_cleared_it),
	        cmocka_unit_test(imlghw_dsb_st_leaves_records_pending),
	};
	return cmocka_run_group_tests_name("strict_event", tests, NULL, NULL);
}
