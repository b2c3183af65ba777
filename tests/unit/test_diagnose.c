/* SPDX-License-Identifier: MIT */
/* Test the diagnostics of strict mode. Each test also has a sequence that must not cause the
 * diagnostic. */
#include <limits.h>

#include "strict_fixture.h"

#define SEEDS 16
#define FEATURES "v8.7" EL1_ONLY
#define LIMIT (BUFFER_BASE + BUFFER_SIZE)

static void begin(struct strict_fixture *m, uint64_t seed)
{
	strict_start(m, FEATURES, seed, false);
	strict_program(m, BUFFER_BASE, LIMIT);
	assert_only_reported(m, NULL);
}

static void samples(struct strict_fixture *m, unsigned n)
{
	while (n--)
		assert_true(strict_sample(m, 0x1000) >= 0);
}

/* RPVRNK, D17.9: only profiling operations read the registers of the buffer. If all profiling
 * operations are synchronized and no other can follow before a Context synchronization event,
 * software may program the buffer, whatever PMBLIMITR_EL1.E is. */
static void buffer_may_be_programmed_once_operations_are_synchronized(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++)
		for (unsigned cleared = 0; cleared < 2; cleared++) {
			struct strict_fixture m;

			strict_start(&m, FEATURES, seed, false);
			MSR(&m, PMBPTR_EL1, BUFFER_BASE);
			MSR(&m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
			MSR(&m, PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 1));
			MSR(&m, PMSCR_EL1, E0SPE);
			at_el(&m.f, 0);
			samples(&m, 3);
			at_el(&m.f, 1);
			PSB(&m);
			DSB(&m);
			ISB(&m);
			if (cleared)
				MSR(&m, PMBLIMITR_EL1, 0);
			MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
			MSR(&m, PMBLIMITR_EL1, (LIMIT - 0x1000) | FIELD(PMBLIMITR_EL1, E, 1));
			at_el(&m.f, 0);
			samples(&m, 1);
			at_el(&m.f, 1);
			strict_off(&m);
			assert_int_equal(pc_at(&m, BUFFER_BASE + 2 * 64), 0x1000);
			assert_int_equal(pc_at(&m, BUFFER_BASE + 0x1000), 0x1000);
			assert_true(MRS(&m, PMBPTR_EL1) == BUFFER_BASE + 0x1000 + 64);
			assert_only_reported(&m, NULL);
			strict_stop(&m);

			/* Software disables profiling with PMSCR_EL1, at a profiled Exception
			 * level. */
			begin(&m, seed);
			samples(&m, 1);
			strict_off(&m);
			if (cleared)
				MSR(&m, PMBLIMITR_EL1, 0);
			MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
			assert_only_reported(&m, NULL);
			strict_stop(&m);
		}
}

/* Steps of software that enables profiling. */
enum step { END, PTR, MAR, ON, ON_NVM, ON_DISCARD, E1, E0, SYNC, TO_EL0 };

static void take(struct strict_fixture *m, enum step step)
{
	switch (step) {
	case PTR:
		MSR(m, PMBPTR_EL1, BUFFER_BASE);
		break;
	case MAR:
		MSR(m, PMBMAR_EL1, FIELD(PMBMAR_EL1, Attr, 0xff));
		break;
	case ON:
		MSR(m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
		break;
	case ON_NVM:
		MSR(m, PMBLIMITR_EL1,
		    LIMIT | FIELD(PMBLIMITR_EL1, nVM, 1) | FIELD(PMBLIMITR_EL1, E, 1));
		break;
	case ON_DISCARD:
		MSR(m, PMBLIMITR_EL1,
		    LIMIT | NAMED(PMBLIMITR_EL1, FM, DISCARD) | FIELD(PMBLIMITR_EL1, E, 1));
		break;
	case SYNC:
		ISB(m);
		break;
	case TO_EL0:
		at_el(&m->f, 0);
		break;
	default:
		MSR(m, PMSCR_EL1, step == E1 ? E1SPE : E0SPE);
		break;
	}
}

/* IWZSLB: it does not matter which write enables profiling here. Software is wrong if the enabling
 * write may become visible before a write of the pointers. */
static void iwzslb_profiling_enabled_before_pointers_is_reported(void **state)
{
	static const struct {
		enum step step[7]; /* up to END */
		bool reported;
	} rows[] = {
	        {{PTR, ON, E1}, true},
	        {{PTR, E1, ON}, true},
	        {{E1, PTR, ON}, true},
	        {{E1, SYNC, PTR, ON}, true},
	        {{PTR, MAR, SYNC, MAR, ON_NVM, E1}, true},
	        /*
	         * The remedy is an ISB between the write of the pointer and the write that enables
	         * profiling. PMBLIMITR_EL1 contains both LIMIT and E, so the write of PMBLIMITR_EL1
	         * may be the one that enables profiling.
	         */
	        {{PTR, ON, SYNC, E1}, false},
	        {{PTR, SYNC, ON, E1}, false},
	        {{E1, PTR, SYNC, ON}, false},
	        {{E1, SYNC, PTR, SYNC, ON}, false},
	        /*
	         * The exception return is the Context synchronization event before the profiled
	         * code.
	         */
	        {{PTR, ON, E0, TO_EL0}, false},
	        /* The SPU does not use PMBMAR_EL1 (nVM is 0), or it writes nothing (Discard
	         * mode). */
	        {{PTR, SYNC, MAR, ON, E1}, false},
	        {{PTR, ON_DISCARD, E1}, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows) * SEEDS; i++) {
		struct strict_fixture m;

		strict_start(&m, "v9.6,-FEAT_SPEv1p5,-FEAT_SPE_EXC" EL1_ONLY, i % SEEDS, false);
		MSR(&m, PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 1));
		ISB(&m);
		for (const enum step *step = rows[i / SEEDS].step; *step != END; step++)
			take(&m, *step);
		assert_only_reported(
		        &m, rows[i / SEEDS].reported ? "profiling-enabled-before-pointers" : NULL);
		strict_stop(&m);
	}
}

static void buffer_programmed_while_enabled_is_reported(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		/* Operations may be sampled at any instruction until the next ISB. */
		begin(&m, seed);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		assert_only_reported(&m, "buffer-programmed-while-enabled");
		assert_string_equal(m.diagnostic[0].rule, "RPVRNK");
		strict_stop(&m);

		/* Software moves the limit, or writes a pointer after it cleared PMSCR_EL1 or
		 * PMBLIMITR_EL1.E without an ISB. */
		begin(&m, seed);
		MSR(&m, PMBLIMITR_EL1, (LIMIT - 0x1000) | FIELD(PMBLIMITR_EL1, E, 1));
		assert_only_reported(&m, "buffer-programmed-while-enabled");
		strict_stop(&m);
		begin(&m, seed);
		MSR(&m, PMSCR_EL1, 0);
		assert_only_reported(&m, NULL);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		assert_only_reported(&m, "buffer-programmed-while-enabled");
		strict_stop(&m);
		begin(&m, seed);
		MSR(&m, PMBLIMITR_EL1, 0);
		assert_only_reported(&m, NULL);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		assert_only_reported(&m, "buffer-programmed-while-enabled");
		strict_stop(&m);

		/* Two writes enable and disable profiling. Each may be visible or not. */
		begin(&m, seed);
		strict_off(&m);
		MSR(&m, PMSCR_EL1, E1SPE);
		MSR(&m, PMSCR_EL1, 0);
		assert_only_reported(&m, NULL);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		assert_only_reported(&m, "buffer-programmed-while-enabled");
		strict_stop(&m);

		/* A sampled operation is in flight, because no PSB has forced it to complete. */
		begin(&m, seed);
		samples(&m, 1);
		MSR(&m, PMSCR_EL1, 0);
		ISB(&m);
		MSR(&m, PMBLIMITR_EL1, (LIMIT - 0x1000) | FIELD(PMBLIMITR_EL1, E, 1));
		assert_only_reported(&m, "buffer-programmed-while-enabled");
		strict_stop(&m);

		/* The remedy: once profiling is disabled and synchronized, software may write the
		 * pointers. */
		begin(&m, seed);
		strict_off(&m);
		MSR(&m, PMBLIMITR_EL1, 0);
		ISB(&m);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		MSR(&m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
		ISB(&m);
		assert_only_reported(&m, NULL);
		strict_stop(&m);
	}
}

static void register_accesses_with_records_in_flight_are_reported(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		begin(&m, seed);
		samples(&m, 3);
		MSR(&m, PMSCR_EL1, 0);
		MSR(&m, PMBLIMITR_EL1, 0);
		ISB(&m);
		MSR(&m, PMBSR_EL1, 0);
		assert_true(reported(&m, "register-written-in-flight"));
		strict_stop(&m);

		/* The diagnostic is about each of the three registers that the SPU writes, and no
		 * other register. */
		begin(&m, seed);
		samples(&m, 1);
		(void)MRS(&m, PMSCR_EL1);
		(void)MRS(&m, PMBLIMITR_EL1);
		(void)MRS(&m, PMSIRR_EL1);
		assert_only_reported(&m, NULL);
		(void)MRS(&m, PMSICR_EL1);
		(void)MRS(&m, PMBSR_EL1);
		(void)MRS(&m, PMBPTR_EL1);
		assert_only_reported(&m, "register-read-unsynchronized");
		assert_int_equal(m.diagnostics, 3);
		strict_stop(&m);

		begin(&m, seed);
		samples(&m, 3);
		strict_off(&m);
		(void)MRS(&m, PMSICR_EL1);
		(void)MRS(&m, PMBSR_EL1);
		(void)MRS(&m, PMBPTR_EL1);
		MSR(&m, PMBSR_EL1, 0);
		assert_only_reported(&m, NULL);
		strict_stop(&m);
	}
}

static void buffer_read_before_synchronization_is_reported(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		begin(&m, seed);
		samples(&m, 4);
		MSR(&m, PMSCR_EL1, 0);
		ISB(&m);
		PSB(&m);
		ISB(&m); /* the DSB is missing: registers are synchronized, memory is not */
		spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_READS, BUFFER_BASE + 256,
		                        64); /* after the records */
		spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_READS, BUFFER_BASE - 64,
		                        64); /* before the records */
		assert_only_reported(&m, NULL);
		spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_READS, BUFFER_BASE + 192, 1);
		assert_only_reported(&m, "buffer-read-unsynchronized");
		strict_stop(&m);

		begin(&m, seed);
		samples(&m, 4);
		spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_READS, BUFFER_BASE, 8);
		assert_only_reported(&m, "buffer-read-unsynchronized");
		strict_stop(&m);

		begin(&m, seed);
		samples(&m, 4);
		strict_off(&m);
		spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_READS, BUFFER_BASE, 256);
		assert_only_reported(&m, NULL);
		strict_stop(&m);
	}
}

/* IPDDCL: a context switch must not happen while records are in flight. */
static void ipddcl_context_switch_with_records_in_flight_is_reported(void **state)
{
	const uint64_t en_ia = UINT64_C(1) << 31; /* SCTLR_EL1.EnIA */
	const struct {
		enum spemu_reg reg;
		uint64_t value;
		const char *name;
	} rows[] = {
	        {SPEMU_REG_CONTEXTIDR_EL1, 5, "context-switched-in-flight"},
	        {SPEMU_REG_TTBR0_EL1, 0x1000, "context-switched-in-flight"},
	        {SPEMU_REG_TCR_EL1, 0x10, "regime-switched-in-flight"},
	        {SPEMU_REG_SCTLR_EL1, 1, "regime-switched-in-flight"},
	        {SPEMU_REG_SCTLR_EL1, en_ia, NULL}, /* EnIA does not control translation */
	};

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			struct strict_fixture m;

			begin(&m, seed);
			samples(&m, 1);
			set(&m.f, rows[i].reg, rows[i].value);
			assert_only_reported(&m, rows[i].name);
			if (rows[i].name)
				assert_string_equal(m.diagnostic[0].rule, "IPDDCL");
			strict_stop(&m);

			begin(&m, seed);
			set(&m.f, rows[i].reg, rows[i].value); /* nothing is in flight yet */
			samples(&m, 1);
			strict_off(&m);
			set(&m.f, rows[i].reg, 0);
			assert_only_reported(&m, NULL);
			strict_stop(&m);
		}
}

static void translation_changed_under_buffer_is_reported(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		begin(&m, seed);
		spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_CHANGED, LIMIT,
		                        4096); /* outside the buffer */
		assert_only_reported(&m, NULL);
		spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_CHANGED, LIMIT - 4096, 4096);
		assert_only_reported(&m, "buffer-translation-changed");
		strict_stop(&m);

		/* The translation changes while the buffer is disabled. The buffer is then used
		 * again, with or without maintenance of the whole page. */
		for (unsigned maintained = 0; maintained < 2; maintained++) {
			begin(&m, seed);
			strict_off(&m);
			MSR(&m, PMBLIMITR_EL1, 0);
			ISB(&m);
			spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_CHANGED, BUFFER_BASE,
			                        4096);
			if (maintained)
				spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_MAINTAINED,
				                        BUFFER_BASE, 8192);
			else
				spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_MAINTAINED,
				                        BUFFER_BASE, 2048);
			assert_only_reported(&m, NULL);
			strict_program(&m, BUFFER_BASE, LIMIT);
			samples(&m, 2);
			strict_off(&m);
			assert_only_reported(&m, maintained ? NULL : "buffer-translation-stale");
			strict_stop(&m);
		}
	}
}

/*
 * Profile until the buffer of one page is full. Then run the handler up to its read of PMBSR_EL1.
 */
static void full(struct strict_fixture *m, uint64_t seed)
{
	strict_start(m, FEATURES, seed, false);
	MSR(m, PMSCR_EL1, E0SPE);
	strict_program(m, BUFFER_BASE, BUFFER_BASE + 0x1000);
	MSR(m, PMSCR_EL1, E0SPE);
	ISB(m);
	at_el(&m->f, 0);
	samples(m, 64);
	spemu_spu_drain(m->f.spu);
	assert_true(m->f.irq);
	at_el(&m->f, 1);
	PSB(m);
	DSB(m);
	ISB(m);
	assert_int_equal(MRS(m, PMBSR_EL1), (FIELD(PMBSR_EL1, S, 1) | 1));
	assert_only_reported(m, NULL);
}

static void restart_of_full_buffer_is_checked(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct strict_fixture m;

		full(&m, seed);
		MSR(&m, PMBSR_EL1, 0);
		assert_only_reported(&m, "status-cleared-cause-persists");
		at_el(&m.f, 0);
		assert_true(reported(&m, "restart-after-buffer-full"));
		strict_stop(&m);

		/* The handler clears S before it writes the pointers. At a profiled Exception
		 * level, the buffer may be in use again when the pointers are written. */
		full(&m, seed);
		MSR(&m, PMSCR_EL1, E0SPE | E1SPE);
		ISB(&m);
		MSR(&m, PMBSR_EL1, 0);
		m.diagnostics = 0;
		MSR(&m, PMBPTR_EL1, BUFFER_BASE + 0x1000);
		assert_true(reported(&m, "buffer-programmed-while-enabled"));
		strict_stop(&m);

		full(&m, seed);
		at_el(&m.f, 0);
		assert_only_reported(&m, "status-never-cleared");
		strict_stop(&m);

		full(&m, seed);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE);
		MSR(&m, PMBLIMITR_EL1, LIMIT | FIELD(PMBLIMITR_EL1, E, 1));
		ISB(&m);
		MSR(&m, PMBSR_EL1, 0);
		at_el(&m.f, 0);
		samples(&m, 2);
		assert_only_reported(&m, NULL);
		strict_stop(&m);

		/* Profiling is stopped again, but software has not noticed it yet. */
		full(&m, seed);
		MSR(&m, PMBPTR_EL1, BUFFER_BASE);
		MSR(&m, PMBLIMITR_EL1, (BUFFER_BASE + 0x1000) | FIELD(PMBLIMITR_EL1, E, 1));
		ISB(&m);
		MSR(&m, PMBSR_EL1, 0);
		at_el(&m.f, 0);
		samples(&m, 64);
		spemu_spu_drain(m.f.spu);
		assert_true(m.f.irq);
		at_el(&m.f, 1);
		at_el(&m.f, 0);
		assert_false(reported(&m, "status-never-cleared"));
		strict_stop(&m);

		/* Software disables the buffer. S may then stay set. */
		full(&m, seed);
		MSR(&m, PMBLIMITR_EL1, 0);
		ISB(&m);
		at_el(&m.f, 0);
		assert_only_reported(&m, NULL);
		strict_stop(&m);
	}
}

static void status_cleared_with_persisting_fault_is_reported(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (unsigned fixed = 0; fixed < 2; fixed++) {
			struct strict_fixture m;

			strict_start(&m, FEATURES, seed, false);
			m.f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 7};
			m.f.fault_at = BUFFER_BASE + 64;
			strict_program(&m, BUFFER_BASE, LIMIT);
			samples(&m, 2);
			spemu_spu_drain(m.f.spu);
			strict_off(&m);
			assert_true(m.f.irq);
			if (fixed)
				m.f.fault_at = 0;
			MSR(&m, PMBSR_EL1, 0);
			ISB(&m);
			MSR(&m, PMSCR_EL1, E1SPE);
			ISB(&m);
			samples(&m, 1);
			spemu_spu_drain(m.f.spu);
			assert_only_reported(&m, fixed ? NULL : "status-cleared-cause-persists");
			strict_stop(&m);
		}
}

/* RVCYWL: EL3 changes the Security state while a record is in flight. */
static void rvcywl_security_switch_with_record_in_flight_is_reported(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (unsigned drained = 0; drained < 2; drained++) {
			struct strict_fixture m;

			strict_start(&m, "v8.7", seed, false);
			at_el(&m.f, 3);
			set(&m.f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
			set(&m.f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
			set(&m.f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
			at_el(&m.f, 1);
			strict_program(&m, BUFFER_BASE, LIMIT);
			samples(&m, 1);
			if (drained)
				strict_off(&m);
			m.diagnostics = 0;
			at_el(&m.f, 3);
			if (m.done[SPEMU_SAMPLE_RECORDED] && !drained) {
				strict_stop(&m);
				continue; /* with this seed the record is already written */
			}
			set(&m.f, SPEMU_REG_SCR_EL3, 0);
			spemu_spu_drain(m.f.spu);
			assert_int_equal(reported(&m, "record-crosses-security-state"), !drained);
			assert_int_equal(reported(&m, "regime-switched-in-flight"), !drained);
			strict_stop(&m);
		}
}

/* A diagnostic is reported once for each PC. Without a PC it is reported each time. It is reported
 * again after strict mode is enabled again. */
static void diagnostic_is_reported_once_for_each_pc(void **state)
{
	struct strict_fixture m;

	(void)state;
	strict_start(&m, FEATURES, 0, false);
	for (unsigned i = 0; i < 3; i++)
		MSR(&m, PMBLIMITR_EL1, FIELD(PMBLIMITR_EL1, FM, 1));
	assert_int_equal(m.diagnostics, 3);
	assert_false(m.diagnostic[0].has_pc);
	spemu_spu_set_pc(m.f.spu, 0x8000);
	for (unsigned i = 0; i < 3; i++)
		MSR(&m, PMBLIMITR_EL1, FIELD(PMBLIMITR_EL1, FM, 1));
	assert_int_equal(m.diagnostics, 4);
	assert_true(m.diagnostic[3].has_pc && m.diagnostic[3].pc == 0x8000);
	MSR(&m, PMBLIMITR_EL1, 0xf00); /* a different diagnostic */
	assert_int_equal(m.diagnostics, 5);
	for (uint64_t pc = 0; pc < 1000; pc++) { /* more PCs than strict mode remembers */
		spemu_spu_set_pc(m.f.spu, 0x10000 + 4 * pc);
		MSR(&m, PMBLIMITR_EL1, FIELD(PMBLIMITR_EL1, FM, 1));
	}
	assert_int_equal(m.diagnostics, 1005);
	spemu_spu_set_strict(m.f.spu, true, 0);
	MSR(&m, PMBLIMITR_EL1, FIELD(PMBLIMITR_EL1, FM, 1));
	assert_int_equal(m.diagnostics, 1006);
	strict_stop(&m);
}

/* No two diagnostics have the same name. Each diagnostic has a rule, a cause and a remedy. */
static void diagnostics_have_distinct_names_and_texts(void **state)
{
	const struct spemu_diagnostic *a, *b;
	unsigned count = 0;

	(void)state;
	for (; (a = spemu_diagnostic_at(count)); count++) {
		assert_true(strlen(a->name) > 5 && strlen(a->rule) > 4);
		assert_true(strlen(a->cause) > 20 && strlen(a->remedy) > 20);
		for (unsigned i = 0; i < count; i++) {
			b = spemu_diagnostic_at(i);
			assert_string_not_equal(a->name, b->name);
		}
	}
	assert_in_range(count, 20, 40);
	assert_null(spemu_diagnostic_at(UINT_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(iwzslb_profiling_enabled_before_pointers_is_reported),
	        cmocka_unit_test(buffer_programmed_while_enabled_is_reported),
	        cmocka_unit_test(buffer_may_be_programmed_once_operations_are_synchronized),
	        cmocka_unit_test(register_accesses_with_records_in_flight_are_reported),
	        cmocka_unit_test(buffer_read_before_synchronization_is_reported),
	        cmocka_unit_test(ipddcl_context_switch_with_records_in_flight_is_reported),
	        cmocka_unit_test(translation_changed_under_buffer_is_reported),
	        cmocka_unit_test(restart_of_full_buffer_is_checked),
	        cmocka_unit_test(status_cleared_with_persisting_fault_is_reported),
	        cmocka_unit_test(rvcywl_security_switch_with_record_in_flight_is_reported),
	        cmocka_unit_test(diagnostic_is_reported_once_for_each_pc),
	        cmocka_unit_test(diagnostics_have_distinct_names_and_texts),
	};
	return cmocka_run_group_tests_name("diagnose", tests, NULL, NULL);
}
