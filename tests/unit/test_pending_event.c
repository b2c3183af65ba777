/* SPDX-License-Identifier: MIT */
/* Test management events that are reported later than the buffer write that caused them (RWVKFM,
 * RBPFPN, IXQRTS). */
#include "spu_fixture.h"
#include "spu/spu_object.h"

#define S FIELD(PMBSR_EL1, S, 1)
#define EA FIELD(PMBSR_EL1, EA, 1)
#define DL FIELD(PMBSR_EL1, DL, 1)
#define EC_STAGE1 NAMED(PMBSR_EL1, EC, STAGE1)

/* Translate an address. The second page cannot be written. */
static int translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                     const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	(void)ctx;
	(void)pe;
	if (access->address >= BUFFER_BASE + 0x1000) {
		*fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07};
		return fault->kind;
	}
	*result = (struct spemu_translation){.physical = access->address,
	                                     .pas = SPEMU_SS_NON_SECURE,
	                                     .region_log2 = 12,
	                                     .memory = {.type = SPEMU_MEMORY_NORMAL}};
	return 0;
}

/* RBPFPN: the first part of a record is aborted, and the abort is reported asynchronously. The
 * second part faults, and the fault is reported first. The abort then adds only EA and DL to the
 * syndrome. */
static void rbpfpn_abort_after_fault_adds_ea_and_dl_only(void **state)
{
	struct spemu_spu_config config = {.layout = spemu_layout_dense};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, &config);
	f.spu->host.translate = translate;
	program(&f, 1);
	spemu_choice_set(f.pe, SPEMU_CHOICE_EXTERNAL_ABORT,
	                 SPEMU_EXTERNAL_ABORT_REPORTED_ASYNCHRONOUSLY);
	set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + 0x1000 - 8);
	f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_EXTERNAL};
	f.fault_at = BUFFER_BASE + 0x1000 - 8;
	assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_LOST);
	assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), EC_STAGE1 | S | DL | EA | 0x07);
	assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE + 0x1000);
	/* A fault alone does not set EA. */
	f.fault_at = 0;
	program(&f, 1);
	set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + 0x1000 - 8);
	assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_LOST);
	assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), EC_STAGE1 | S | DL | 0x07);
	/* No event is pending now, so software can continue with a new buffer. */
	f.fault_at = 0;
	program(&f, 1);
	assert_int_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
	assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), 0);
	fixture_stop(&f);
}

/*
 * RMYXZK: software writes a new pointer without a PSB CSYNC while the event of a fault is pending.
 * The event is recorded first, with the faulting address in the old pointer. It never changes the
 * new pointer.
 */
static void rmyxzk_pending_event_precedes_new_pointer(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_sample_result result;
	struct fixture f;

	(void)state;
	fixture_start(&f, "v9.6", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_HCR_EL2, 0);
	set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	program(&f, 1);
	spemu_choice_set(f.pe, SPEMU_CHOICE_FAULT_REPORTING,
	                 SPEMU_FAULT_REPORTING_AFTER_NEXT_SAMPLE);
	f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07};
	f.fault_at = BUFFER_BASE + 3;
	result = sample(&f, &op);
	assert_false(result.management_event);
	set(&f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + 0x100);
	assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), EC_STAGE1 | S | DL | 0x07);
	assert_true(decisions_of(f.pe).stopped);
	spemu_spu_psb_csync(f.spu);
	assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE + 0x100);
	fixture_stop(&f);
}

/* D17.8.3: a fault is reported late and S is already set. The syndrome including DL and the pointer
 * then stay unchanged, even if an External abort on a walk would set EA. */
static void late_fault_keeps_syndrome_and_pointer(void **state)
{
	static const uint8_t codes[] = {0x07, 0x15};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		fixture_start(&f, "v9.6", NULL);
		set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
		set(&f, SPEMU_REG_HCR_EL2, 0);
		set(&f, SPEMU_REG_MDCR_EL3,
		    NAMED(MDCR_EL3, PMSEE, DELEGATED) | FIELD(MDCR_EL3, NSPB, 3));
		set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
		/* S of EL2 does not stop profiling yet. */
		set(&f, SPEMU_REG_PMSCR_EL2, NAMED(PMSCR_EL2, EE, DELEGATED));
		program(&f, 1);
		set(&f, SPEMU_REG_PMBSR_EL2, S | 1);
		spemu_choice_set(f.pe, SPEMU_CHOICE_FAULT_REPORTING,
		                 SPEMU_FAULT_REPORTING_AFTER_NEXT_SAMPLE);
		spemu_choice_set(f.pe, SPEMU_CHOICE_WALK_EXTERNAL_ABORT_SETS_EA,
		                 SPEMU_WALK_EXTERNAL_ABORT_SETS_EA_SET);
		f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = codes[i]};
		f.fault_at = BUFFER_BASE + 3;
		assert_false(sample(&f, &op).management_event);
		/* From here on all events go to EL2, and S of EL2 stops profiling. */
		set(&f, SPEMU_REG_PMSCR_EL2, NAMED(PMSCR_EL2, EE, TRAP_ALL));
		spemu_spu_psb_csync(f.spu);
		assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), 0);
		assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL2), S | 1);
		assert_int_equal(reg(&f, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE);
		fixture_stop(&f);
	}
}

/* RWVKFM: a Buffer full event is synchronous, even if faults may be reported late. */
static void rwvkfm_buffer_full_is_synchronous(void **state)
{
	static const char *const features[] = {"v8.2" EL1_ONLY, "v9.6,-FEAT_RME" EL1_ONLY};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_sample_result result;
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		unsigned samples = 1;

		fixture_start(&f, features[i], NULL);
		program(&f, 1);
		if (i)
			assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_FAULT_REPORTING,
			                                  SPEMU_FAULT_REPORTING_AFTER_NEXT_SAMPLE),
			                 SPEMU_OK);
		set(&f, SPEMU_REG_PMBLIMITR_EL1,
		    (BUFFER_BASE + 0x1000) | FIELD(PMBLIMITR_EL1, E, 1));
		while (!(result = sample(&f, &op)).management_event)
			samples++;
		assert_int_equal(result.outcome, SPEMU_SAMPLE_RECORDED);
		assert_true(spemu_spu_ops_until_sample(f.spu) == UINT64_MAX);
		assert_int_equal(spemu_spu_sample_begin(f.spu, 0), SPEMU_ERR_STATE);
		assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), S | 1);
		assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED), samples);
		fixture_stop(&f);
	}
}

/* IVJVKZ: a sample generates its PMU events when it completes, even if an MMU fault discards it.
 * This may be its own fault or, with FEAT_SPEv1p5, the fault of the preceding sample. */
static void ivjvkz_lost_sample_counts_its_pmu_events(void **state)
{
	static const char *const features[] = {"v8.2" EL1_ONLY, "v9.6,-FEAT_RME" EL1_ONLY};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);

	(void)state;
	for (unsigned late = 0; late < 2; late++) {
		struct fixture f;

		fixture_start(&f, features[late], NULL);
		program(&f, 1);
		if (late)
			spemu_choice_set(f.pe, SPEMU_CHOICE_FAULT_REPORTING,
			                 SPEMU_FAULT_REPORTING_AFTER_NEXT_SAMPLE);
		f.fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07};
		f.fault_at = BUFFER_BASE;
		for (unsigned n = 1; n <= 1 + late; n++) {
			assert_int_not_equal(sample(&f, &op).outcome, SPEMU_SAMPLE_RECORDED);
			assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FEED), n);
			assert_int_equal(pmu_events(&f, SPEMU_PMU_SAMPLE_FILTRATE), n);
		}
		assert_int_equal(reg(&f, SPEMU_REG_PMBSR_EL1), EC_STAGE1 | S | 0x07);
		fixture_stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ivjvkz_lost_sample_counts_its_pmu_events),
	        cmocka_unit_test(rwvkfm_buffer_full_is_synchronous),
	        cmocka_unit_test(rbpfpn_abort_after_fault_adds_ea_and_dl_only),
	        cmocka_unit_test(rmyxzk_pending_event_precedes_new_pointer),
	        cmocka_unit_test(late_fault_keeps_syndrome_and_pointer),
	};
	return cmocka_run_group_tests_name("pending_event", tests, NULL, NULL);
}
