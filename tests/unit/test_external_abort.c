/* SPDX-License-Identifier: MIT */
/* D17.8.3, D17.8.4: External aborts on writes and walks, and the syndrome of a fault. */
#include "translated_fixture.h"

static struct spemu_op op;
static const struct spemu_spu_config dense = {.max_size_log2 = 7};

#define RECORD_MAX 128 /* PMSIDR_EL1.MaxSize */

/* RJFYNW, RBPFPN: the write itself is aborted, at the record's start and inside it. */
static void rjfynw_abort_on_write_is_reported_by_choice(void **state)
{
	static const struct {
		const char *choice;
		enum spemu_sample_outcome outcome;
		uint64_t at_start, inside; /* PMBSR_EL1 */
		bool pointer_at_abort;
		unsigned serrors;
	} rows[] = {
	        {"external-abort=ignored", SPEMU_SAMPLE_RECORDED, 0, 0, false, 0},
	        {"external-abort=serror", SPEMU_SAMPLE_RECORDED, 0, 0, false, 1},
	        {"external-abort=reported-synchronously", SPEMU_SAMPLE_LOST,
	         PMBSR_S | PMBSR_EA | STAGE1 | 0x10, PMBSR_S | PMBSR_EA | PMBSR_DL | STAGE1 | 0x10,
	         true, 0},
	        {"external-abort=reported-asynchronously", SPEMU_SAMPLE_RECORDED,
	         PMBSR_S | PMBSR_EA | PMBSR_DL | STAGE1 | 0x11,
	         PMBSR_S | PMBSR_EA | PMBSR_DL | STAGE1 | 0x11, false, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int inside = 0; inside <= 3; inside += 3) {
			struct translated m;
			struct spemu_sample_result result;
			uint64_t second;

			translated_start(&m, "v8.2" EL1_ONLY, &dense);
			choose(&m, rows[i].choice);
			sample(&m.f, &op);
			second = reg(&m.f, SPEMU_REG_PMBPTR_EL1);
			m.page[0].abort = inside;
			result = sample(&m.f, &op);
			assert_int_equal(result.outcome, rows[i].outcome);
			assert_int_equal(result.management_event, rows[i].at_start != 0);
			assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1),
			                 inside ? rows[i].inside : rows[i].at_start);
			assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) ==
			            second + (rows[i].pointer_at_abort ? (unsigned)inside
			                                               : second - BUFFER_BASE));
			assert_int_equal(m.serrors, rows[i].serrors);
			fixture_stop(&m.f);
		}
}

/* PMBIDR_EL1.EA shows the choice. An option that FEAT_SPEv1p3 forbids cannot be chosen with it. */
static void pmbidr_ea_follows_external_abort_choice(void **state)
{
	static const struct {
		const char *choice;
		unsigned ea;
		bool with_v1p3;
	} rows[] = {
	        {"external-abort=ignored", 1, true},
	        {"external-abort=serror", 2, true},
	        {"external-abort=reported-synchronously", 0, false},
	        {"external-abort=reported-asynchronously", 0, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned v1p3 = 0; v1p3 < 2; v1p3++) {
			struct translated m;
			enum spemu_choice choice;
			unsigned option;
			int status;

			translated_start(&m, v1p3 ? "v8.8" EL1_ONLY : "v8.7" EL1_ONLY, &dense);
			spemu_choice_parse(&choice, &option, NULL, rows[i].choice);
			status = spemu_choice_set(m.f.pe, choice, option);
			if (v1p3 && !rows[i].with_v1p3)
				assert_int_not_equal(status, SPEMU_OK);
			else
				assert_int_equal(reg(&m.f, SPEMU_REG_PMBIDR_EL1) >> 8 & 15,
				                 rows[i].ea);
			fixture_stop(&m.f);
		}
}

/* RJFYNW: an abort on a walk is an MMU fault, or is treated as an abort on a write. */
static void rjfynw_abort_on_walk_is_fault_or_as_on_write(void **state)
{
	static const struct spemu_fault stage2_walk = {.kind = SPEMU_FAULT_STAGE2, .fsc = 0x16},
	                                gpt_fetch = {.kind = SPEMU_FAULT_GPC, .external = true};
	static const struct {
		const struct spemu_fault *fault;
		const char *choice[3];
		uint64_t pmbsr;
		unsigned serrors;
	} rows[] = {
	        {&stage2_walk, {NULL}, PMBSR_S | STAGE2 | 0x16, 0},
	        {&gpt_fetch, {NULL}, PMBSR_S | PMBSR_EC(0x1e), 0},
	        {&stage2_walk,
	         {"walk-external-abort-sets-ea=set"},
	         PMBSR_S | PMBSR_EA | STAGE2 | 0x16,
	         0},
	        {&gpt_fetch,
	         {"walk-external-abort-sets-ea=set"},
	         PMBSR_S | PMBSR_EA | PMBSR_EC(0x1e),
	         0},
	        {&stage2_walk,
	         {"external-abort-on-walk=as-on-write", "external-abort=reported-synchronously"},
	         PMBSR_S | PMBSR_EA | STAGE2 | 0x16,
	         0},
	        {&stage2_walk,
	         {"external-abort-on-walk=as-on-write", "external-abort=reported-asynchronously"},
	         PMBSR_S | PMBSR_EA | PMBSR_DL | STAGE2 | 0x11,
	         0},
	        {&gpt_fetch,
	         {"external-abort-on-walk=as-on-write", "external-abort=reported-synchronously"},
	         PMBSR_S | PMBSR_EA | PMBSR_EC(0x1e),
	         0},
	        {&gpt_fetch, {"external-abort-on-walk=as-on-write", "external-abort=serror"}, 0, 1},
	        {&stage2_walk,
	         {"external-abort-on-walk=as-on-write", "external-abort=ignored"},
	         0,
	         0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct translated m;

		translated_start(&m, "v8.2" EL1_ONLY, &dense);
		for (unsigned c = 0; c < 3 && rows[i].choice[c]; c++)
			choose(&m, rows[i].choice[c]);
		m.page[0].fault = *rows[i].fault;
		sample(&m.f, &op);
		assert_int_equal(m.writes, 0);
		assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), rows[i].pmbsr);
		assert_int_equal(m.serrors, rows[i].serrors);
		fixture_stop(&m.f);
	}
}

/* The codes of D24.7.5 for External aborts on a walk, and neighboring codes. */
static void walk_abort_codes_are_recognized(void **state)
{
	static const struct {
		uint8_t fsc;
		bool walk;
	} rows[] = {{0x0f, false}, {0x12, true}, {0x13, true}, {0x14, true},  {0x15, true},
	            {0x16, true},  {0x17, true}, {0x1b, true}, {0x21, false}, {0x22, false}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct translated m;

		translated_start(&m, "v8.2" EL1_ONLY, &dense);
		choose(&m, "walk-external-abort-sets-ea=set");
		m.page[0].fault =
		        (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = rows[i].fsc};
		sample(&m.f, &op);
		assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1),
		                 PMBSR_S | STAGE1 | rows[i].fsc | (rows[i].walk ? PMBSR_EA : 0));
		fixture_stop(&m.f);
	}
}

/* A GPC fault that is not an External abort is an MMU fault, whatever the choice. */
static void gpc_fault_is_mmu_fault_whatever_the_choice(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &dense);
	choose(&m, "external-abort-on-walk=as-on-write");
	choose(&m, "walk-external-abort-sets-ea=set");
	m.page[0].fault = (struct spemu_fault){.kind = SPEMU_FAULT_GPC};
	sample(&m.f, &op);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | PMBSR_EC(0x1e));
	fixture_stop(&m.f);
}

/* RBPFPN: EA is set even if an event came first. Here the buffer fills with the aborted record. */
static void rbpfpn_asynchronous_abort_adds_ea_to_full_event(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &dense);
	choose(&m, "external-abort=reported-asynchronously");
	set(&m.f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + PAGE - RECORD_MAX);
	set(&m.f, SPEMU_REG_PMBLIMITR_EL1, (BUFFER_BASE + PAGE) | FIELD(PMBLIMITR_EL1, E, 1));
	m.page[0].abort = 0;
	sample(&m.f, &op);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1) & (PMBSR_S | PMBSR_EA | PMBSR_DL),
	                 PMBSR_S | PMBSR_EA | PMBSR_DL);
	assert_true(decisions_of(m.f.pe).stopped);
	fixture_stop(&m.f);
}

/* RDTGVZ: a fault, then an External abort, then buffer full. */
static void rdtgvz_fault_then_abort_then_buffer_full(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &dense);
	set(&m.f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + PAGE - RECORD_MAX);
	set(&m.f, SPEMU_REG_PMBLIMITR_EL1, (BUFFER_BASE + PAGE) | FIELD(PMBLIMITR_EL1, E, 1));
	m.page[0].fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07};
	m.page[0].abort = 0;
	sample(&m.f, &op);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | STAGE1 | 0x07);
	set(&m.f, SPEMU_REG_PMBSR_EL1, 0);
	m.page[0].fault.kind = 0;
	sample(&m.f, &op);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | PMBSR_EA | STAGE1 | 0x10);
	set(&m.f, SPEMU_REG_PMBSR_EL1, 0);
	m.page[0].abort = -1;
	sample(&m.f, &op);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | 1);
	fixture_stop(&m.f);
}

/* Start with room for one record in EL1's buffer. PMBSR_EL2 records faults that a store would take
 * to EL2. */
static void start_at_the_last_record(struct fixture *f, bool exc)
{
	fixture_start(f, exc ? "v9.6,-EL3,-Secure,-FEAT_RME" : "v8.2,-EL3,-Secure", &dense);
	set(f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	set(f, SPEMU_REG_HCR_EL2, 0);
	set(f, SPEMU_REG_PMSCR_EL2, exc ? NAMED(PMSCR_EL2, EE, ENABLED) : 0);
	if (exc)
		set(f, SPEMU_REG_PMBSR_EL2, 0);
	program(f, 1);
	set(f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + BUFFER_SIZE - RECORD_MAX);
}

/*
 * RDTGVZ: a record causes one event. After a fault or a synchronous External abort inside the last
 * record that fits, the pointer leaves no room for another. SPECompleteSample() then adds a Buffer
 * full event, which another PMBSR_ELx would record, and counts SAMPLE_BUFFER_FULL in any case. The
 * text counts such an event alone (D14.3, D17.8.2).
 */
static void rdtgvz_record_causes_one_event(void **state)
{
	const uint64_t limit = BUFFER_BASE + BUFFER_SIZE;
	static const struct {
		bool exc; /* FEAT_SPE_EXC: RHJXHT, a stage 2 fault is recorded for EL2 */
		struct spemu_fault fault;
		uint64_t pmbsr_el1, pmbsr_el2;
	} rows[] = {
	        {false,
	         {.kind = SPEMU_FAULT_STAGE2, .fsc = 0x07},
	         PMBSR_S | PMBSR_DL | STAGE2 | 0x07,
	         0},
	        {false,
	         {.kind = SPEMU_FAULT_EXTERNAL},
	         PMBSR_S | PMBSR_EA | PMBSR_DL | STAGE1 | 0x10,
	         0},
	        {true,
	         {.kind = SPEMU_FAULT_STAGE2, .fsc = 0x07},
	         0,
	         PMBSR_S | PMBSR_DL | STAGE2 | 0x07},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture f;

		start_at_the_last_record(&f, rows[i].exc);
		f.fault = rows[i].fault;
		f.fault_at = limit - RECORD_MAX + 4; /* four bytes are written before */
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_LOST);
		assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1), limit - RECORD_MAX + 4);
		assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), rows[i].pmbsr_el1);
		if (rows[i].exc)
			assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL2), rows[i].pmbsr_el2);
		assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_BUFFER_FULL), 0);
		fixture_stop(&f);

		/* The same record is written: it is the last, and its one event is Buffer full in
		 * EL1's register. */
		start_at_the_last_record(&f, rows[i].exc);
		assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
		assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), PMBSR_S | 1);
		assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_BUFFER_FULL), 1);
		fixture_stop(&f);
	}
}

/* D24.7.5: each bit of MSS2 needs its feature and a Permission fault. */
static void mss2_bits_need_feature_and_permission_fault(void **state)
{
	static const struct {
		const char *features;
		uint64_t stage1, stage2; /* PMBSR_EL1[63:32] when every flag of the fault is set */
	} rows[] = {
	        {"v9.6" EL1_ONLY, 0, 0},
	        {"v9.6,-EL3,-Secure,-FEAT_RME,+FEAT_TCR2,+FEAT_THE", 0,
	         MSS2_TOP_LEVEL | MSS2_ASSURED_ONLY},
	        {"v9.6,-EL3,-Secure,-FEAT_RME,+FEAT_TCR2,+FEAT_HPDS,+FEAT_S1POE", MSS2_OVERLAY,
	         MSS2_OVERLAY},
	        {"v9.6,-EL3,-Secure,-FEAT_RME,+FEAT_TCR2,+FEAT_S1PIE", MSS2_DIRTY_BIT,
	         MSS2_DIRTY_BIT},
	        {"v9.6,-EL3,-Secure,-FEAT_RME,+FEAT_S2PIE", MSS2_DIRTY_BIT, MSS2_DIRTY_BIT},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned stage = 1; stage <= 2; stage++)
			for (unsigned fsc = 0; fsc < 0x32; fsc++) {
				struct translated m;
				uint64_t pmbsr, mss2;

				if (fsc != 0x0d && fsc != 0x0f && fsc != 0x07 && fsc != 0x21)
					continue;
				translated_start(&m, rows[i].features, &dense);
				set(&m.f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
				set(&m.f, SPEMU_REG_HCR_EL2, 0);
				set(&m.f, SPEMU_REG_PMSCR_EL2, 0);
				m.page[0].fault = (struct spemu_fault){
				        .kind = stage == 1 ? SPEMU_FAULT_STAGE1
				                           : SPEMU_FAULT_STAGE2,
				        .fsc = (uint8_t)fsc,
				        .top_level = true,
				        .assured_only = true,
				        .overlay = true,
				        .dirty_bit = true};
				sample(&m.f, &op);
				pmbsr = reg(&m.f, SPEMU_REG_PMBSR_EL1);
				mss2 = (fsc & 0x3c) != 0x0c ? 0
				       : stage == 1         ? rows[i].stage1
				                            : rows[i].stage2;
				assert_int_equal(pmbsr >> 32, mss2);
				assert_int_equal(pmbsr & 0xffff, fsc);
				fixture_stop(&m.f);
			}
}

/* RMYXZK: DL after a fault just past the last complete record. */
static void rmyxzk_data_loss_after_fault_past_last_record(void **state)
{
	struct translated m;

	(void)state;
	translated_start(&m, "v8.2" EL1_ONLY, &dense);
	choose(&m, "fault-data-loss=set");
	m.page[0].fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07};
	sample(&m.f, &op);
	assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | PMBSR_DL | STAGE1 | 0x07);
	fixture_stop(&m.f);
}

/* RWVKFM: with FEAT_SPEv1p5 one more operation may be sampled before the event, and is lost. */
static void rwvkfm_event_may_come_after_one_more_sample(void **state)
{
	struct translated m;

	(void)state;
	for (unsigned by_psb = 0; by_psb < 2; by_psb++) {
		translated_start(&m, "v9.6" EL1_ONLY, &dense);
		choose(&m, "fault-reporting=after-next-sample");
		m.page[0].fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07};
		assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_DISCARDED);
		assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), 0);
		m.page[0].fault.kind = 0;
		if (by_psb)
			spemu_spu_psb_csync(m.f.spu);
		else
			assert_int_equal(sample(&m.f, &op).outcome, SPEMU_SAMPLE_LOST);
		assert_int_equal(reg(&m.f, SPEMU_REG_PMBSR_EL1), PMBSR_S | STAGE1 | 0x07);
		assert_int_equal(m.writes, 0);
		assert_true(reg(&m.f, SPEMU_REG_PMBPTR_EL1) == BUFFER_BASE);
		fixture_stop(&m.f);
	}
	/* Without FEAT_SPEv1p5 faults are reported synchronously. */
	translated_start(&m, "v8.9" EL1_ONLY, &dense);
	assert_int_not_equal(spemu_choice_set(m.f.pe, SPEMU_CHOICE_FAULT_REPORTING,
	                                      SPEMU_FAULT_REPORTING_AFTER_NEXT_SAMPLE),
	                     SPEMU_OK);
	fixture_stop(&m.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rjfynw_abort_on_write_is_reported_by_choice),
	        cmocka_unit_test(pmbidr_ea_follows_external_abort_choice),
	        cmocka_unit_test(rjfynw_abort_on_walk_is_fault_or_as_on_write),
	        cmocka_unit_test(walk_abort_codes_are_recognized),
	        cmocka_unit_test(gpc_fault_is_mmu_fault_whatever_the_choice),
	        cmocka_unit_test(rbpfpn_asynchronous_abort_adds_ea_to_full_event),
	        cmocka_unit_test(rdtgvz_fault_then_abort_then_buffer_full),
	        cmocka_unit_test(rdtgvz_record_causes_one_event),
	        cmocka_unit_test(mss2_bits_need_feature_and_permission_fault),
	        cmocka_unit_test(rmyxzk_data_loss_after_fault_past_last_record),
	        cmocka_unit_test(rwvkfm_event_may_come_after_one_more_sample),
	};
	op = an_op(SPEMU_OP_OTHER);
	return cmocka_run_group_tests_name("external_abort", tests, NULL, NULL);
}
