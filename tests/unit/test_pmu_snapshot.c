/* SPDX-License-Identifier: MIT */
/* Test PMSSCR_EL1 bit by bit (D24.5.23), and the steps before a Capture is complete (D13.9). */
#include "pmu_fixture.h"
#include <spemu/choices.h>

#define PMSSCR SPEMU_SYSREG_PMSSCR_EL1
enum { PCSCTL_SS = 1 << 4 };
#define NC FIELD(PMSSCR_EL1, NC, 1)
#define SS UINT64_C(1)

static void prohibit(struct pmu_fixture *f)
{
	pmu_set(f, SPEMU_SYSREG_MDCR_EL3,
	        NAMED(MDCR_EL3, PMSSE, PROHIBITED) | FIELD(MDCR_EL3, EnPMSS, 1));
}

static void disable(struct pmu_fixture *f)
{
	pmu_set(f, SPEMU_SYSREG_MDCR_EL3, FIELD(MDCR_EL3, EnPMSS, 1));
}

/* {NC, SS} resets to {1, 0}. All other bits are RES0. Software can write only SS. */
static void pmsscr_fields_reset_and_request(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	assert_true(pmu_get(&f, PMSSCR) == NC);
	pmu_set(&f, PMSSCR, UINT64_MAX & ~SS);
	assert_true(pmu_get(&f, PMSSCR) == NC);
	pmu_program(&f);
	pmu_msr(&f, PMSSCR, UINT64_MAX);
	assert_true(pmu_mrs(&f, PMSSCR) == 0);
	pmu_msr(&f, PMSSCR, UINT64_MAX & ~SS); /* a write of 0 to SS is ignored */
	assert_true(pmu_mrs(&f, PMSSCR) == 0);
	assert_int_equal(f.brbe, 1);
	prohibit(&f);
	pmu_msr(&f, PMSSCR, SS);
	assert_true(pmu_mrs(&f, PMSSCR) == NC);
	pmu_msr(&f, PMSSCR, 0);
	assert_true(pmu_mrs(&f, PMSSCR) == NC);
	pmu_stop(&f);
}

/* The register page does not define whether NC can be written. By choice, an MSR and an external
 * write change NC while Captures are enabled. */
static void write_of_nc_follows_choice(void **state)
{
	(void)state;
	for (unsigned option = 0; option < 2; option++) {
		uint64_t written = option == SPEMU_NO_CAPTURE_WRITE_WRITTEN ? 0 : NC;
		struct pmu_fixture f;
		bool error;

		pmu_start(&f, "v9.6");
		pmu_program(&f);
		assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_NO_CAPTURE_WRITE, option),
		                 SPEMU_OK);
		pmu_msr(&f, PMSSCR, 0);
		assert_true(pmu_mrs(&f, PMSSCR) == written);
		pmu_msr(&f, PMSSCR, NC);
		assert_true(pmu_mrs(&f, PMSSCR) == NC);
		disable(&f);
		pmu_msr(&f, PMSSCR, 0);
		assert_true(pmu_mrs(&f, PMSSCR) == NC);
		pmu_program(&f);
		/* Write the two halves of the external register separately. */
		assert_int_equal(
		        spemu_pmu_external_write(f.pmu, &error, 0xe30, 4, SPEMU_SS_NON_SECURE, 0),
		        SPEMU_OK);
		assert_true(pmu_mrs(&f, PMSSCR) == NC);
		assert_int_equal(
		        spemu_pmu_external_write(f.pmu, &error, 0xe34, 4, SPEMU_SS_NON_SECURE, 0),
		        SPEMU_OK);
		assert_false(error);
		assert_true(pmu_mrs(&f, PMSSCR) == written);
		pmu_stop(&f);
	}
}

/* SS is read-only while Captures are disabled, even while a Capture is ongoing. */
static void ss_is_read_only_while_captures_are_disabled(void **state)
{
	struct spemu_pmu_config config = {.polls = 2};
	struct pmu_fixture f;

	(void)state;
	pmu_start_with(&f, "v9.6", &config);
	pmu_program(&f);
	disable(&f);
	pmu_msr(&f, PMSSCR, SS);
	assert_true(pmu_mrs(&f, PMSSCR) == NC);
	pmu_program(&f);
	assert_int_equal(spemu_choice_set(f.pe, SPEMU_CHOICE_CAPTURE_COMPLETION,
	                                  SPEMU_CAPTURE_COMPLETION_DELAYED),
	                 SPEMU_OK);
	pmu_msr(&f, PMSSCR, SS);
	disable(&f);
	pmu_msr(&f, PMSSCR, SS); /* ignored while a Capture is ongoing */
	assert_int_equal(f.diagnostics, 0);
	assert_true(pmu_mrs(&f, PMSSCR) == (NC | SS));
	pmu_stop(&f);
	/* The result of a completed Capture is kept. */
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_msr(&f, PMSSCR, SS);
	assert_true(pmu_mrs(&f, PMSSCR) == 0);
	disable(&f);
	pmu_msr(&f, PMSSCR, SS);
	assert_true(pmu_mrs(&f, PMSSCR) == 0);
	pmu_stop(&f);
}

/* The ISS of a trap with EC 0x18: the encoding in the order {op0, op2, op1, CRn, Rt, CRm}, and the
 * direction. */
#define ISS (3u << 20 | 3 << 17 | 0 << 14 | 9 << 10 | 13 << 1)
static void pmsscr_accesses_trap_to_el2_and_el3(void **state)
{
	struct spemu_access_result result;
	struct pmu_fixture f;
	uint64_t value;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_set(&f, SPEMU_SYSREG_HDFGRTR2_EL2, ~FIELD(HDFGRTR2_EL2, nPMSSCR_EL1, 1));
	assert_int_equal(spemu_pmu_mrs(f.pmu, &result, &value, PMSSCR), SPEMU_OK);
	assert_int_equal(result.outcome, SPEMU_ACCESS_TRAP_EL2);
	assert_int_equal(result.iss, ISS | 1);
	pmu_msr(&f, PMSSCR, 0); /* writes do not trap, because HDFGWTR2_EL2 has its own bit */
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL3, NAMED(MDCR_EL3, PMSSE, ALLOWED)); /* EnPMSS is 0 */
	for (unsigned el = 1; el < 3; el++) {
		pmu_at(&f, (struct spemu_pe_state){.el = (uint8_t)el});
		assert_int_equal(spemu_pmu_msr(f.pmu, &result, PMSSCR, 0), SPEMU_OK);
		assert_int_equal(result.outcome, SPEMU_ACCESS_TRAP_EL3);
		assert_int_equal(result.iss, ISS);
	}
	pmu_at(&f, (struct spemu_pe_state){.el = 3});
	pmu_msr(&f, PMSSCR, 0);
	pmu_stop(&f);
}

/* The state of a Capture at the moment when it stops the Branch Record Buffer. */
struct observer {
	struct pmu_fixture f; /* first member: the context of the host points to it */
	uint64_t pmsscr, counter, pmpcsr;
};

static void observe(void *ctx)
{
	struct observer *o = ctx;
	bool error;

	o->pmsscr = pmu_get(&o->f, PMSSCR);
	o->counter = pmu_get(&o->f, SPEMU_SYSREG_PMEVCNTSVRn_EL1(3));
	spemu_pmu_external_read(o->f.pmu, &error, &o->pmpcsr, 0x200, 8, SPEMU_SS_ROOT);
}

/* RDBRSV, IMXCMM: the counters and the PC sample are complete before {NC, SS} becomes {0, 0}. */
static void rdbrsv_counters_precede_status(void **state)
{
	struct observer o = {.pmsscr = 0};
	struct spemu_pmu_config config = {.size = sizeof(config)};
	struct spemu_pmu_host host = {.size = sizeof(host), .ctx = &o, .brbe_freeze = observe};
	bool error;

	(void)state;
	pmu_make(&o.f, "v9.6,+FEAT_PMUv3_EXT64,-FEAT_PMUv3_EXT32", &config, &host);
	pmu_program(&o.f);
	spemu_pmu_external_write(o.f.pmu, &error, 0xe50, 8, SPEMU_SS_ROOT, PCSCTL_SS);
	spemu_pmu_count(o.f.pmu, 0x103, 11);
	spemu_pmu_branch(o.f.pmu, 0x4000);
	assert_int_equal(spemu_pmu_capture_request(o.f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_equal(o.pmsscr & SS, 1);
	assert_int_equal(o.counter, 11);
	assert_int_equal(o.pmpcsr & UINT32_MAX, 0x4000);
	assert_true(pmu_get(&o.f, PMSSCR) == 0);
	pmu_stop(&o.f);
}

/* RVPZHN: with FEAT_PMUv3_EXT32, PMCID1SR, PMCID2SR and PMVIDSR show the contexts of a sample. */
static void rvpzhn_ext32_places_contexts_of_pc_sample(void **state)
{
	static const struct {
		uint32_t offset;
		uint64_t value;
	} rows[] = {{0x200, 0x4000}, {0x208, 0x1234}, {0x22c, 0xabcd}, {0x20c, 0x42}};
	struct pmu_fixture f;
	bool error;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_set(&f, SPEMU_SYSREG_CONTEXTIDR_EL1, 0x1234);
	pmu_set(&f, SPEMU_SYSREG_CONTEXTIDR_EL2, 0xabcd);
	pmu_set(&f, SPEMU_SYSREG_VTTBR_EL2, FIELD(VTTBR_EL2, VMID, 0x42));
	spemu_pmu_external_write(f.pmu, &error, 0xe50, 4, SPEMU_SS_ROOT, PCSCTL_SS);
	spemu_pmu_branch(f.pmu, 0x4000);
	for (unsigned captured = 0; captured < 2; captured++) {
		for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			uint64_t value = 0;

			assert_int_equal(spemu_pmu_external_read(f.pmu, &error, &value,
			                                         rows[i].offset, 4, SPEMU_SS_ROOT),
			                 SPEMU_OK);
			assert_false(error);
			assert_int_equal(value == rows[i].value, captured);
		}
		assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	}
	pmu_stop(&f);
}

/* The last branch is forgotten in a state that prohibits sampling and in Debug state, even if
 * nothing is sampled there. */
static void prohibited_state_forgets_branch(void **state)
{
	static const struct spemu_pe_state between[] = {
	        {.el = 1}, {.el = 1, .debug = true}, {.el = 3}};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		unsigned kept = 0;

		for (unsigned n = 0; n < 8; n++) {
			struct pmu_fixture f;
			uint64_t value = 0;
			bool error;

			pmu_start_with(&f, "v9.6", &(struct spemu_pmu_config){.seed = n});
			pmu_program(&f);
			spemu_pmu_authenticate(f.pmu, SPEMU_DENY_ROOT_NONINVASIVE);
			spemu_pmu_external_write(f.pmu, &error, 0xe50, 4, SPEMU_SS_ROOT, PCSCTL_SS);
			spemu_choice_set(f.pe, SPEMU_CHOICE_PC_SAMPLE_UNKNOWN,
			                 SPEMU_PC_SAMPLE_UNKNOWN_UNKNOWN);
			spemu_pmu_branch(f.pmu, 0x4000);
			pmu_at(&f, between[i]);
			pmu_at(&f, (struct spemu_pe_state){.el = 1});
			assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
			spemu_pmu_external_read(f.pmu, &error, &value, 0x200, 4, SPEMU_SS_ROOT);
			kept += value == 0x4000;
			pmu_stop(&f);
		}
		assert_int_equal(kept, i == 0 ? 8 : 0);
	}
}

/* IYSWSD: until a branch has retired since reset, the sample is UNKNOWN. Eight samples are
 * therefore not all 0. */
static void iyswsd_pc_sample_is_unknown_until_first_branch(void **state)
{
	uint64_t seen = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct pmu_fixture f;
		uint64_t value = 0;
		bool error;

		pmu_start(&f, "v9.6");
		pmu_program(&f);
		spemu_pmu_external_write(f.pmu, &error, 0xe50, 4, SPEMU_SS_ROOT, PCSCTL_SS);
		for (unsigned n = 0; n < 2 + i; n++)
			assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
		spemu_pmu_external_read(f.pmu, &error, &value, 0x200, 4, SPEMU_SS_ROOT);
		seen |= value;
		pmu_stop(&f);
	}
	assert_int_not_equal(seen, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pmsscr_fields_reset_and_request),
	        cmocka_unit_test(write_of_nc_follows_choice),
	        cmocka_unit_test(ss_is_read_only_while_captures_are_disabled),
	        cmocka_unit_test(pmsscr_accesses_trap_to_el2_and_el3),
	        cmocka_unit_test(rdbrsv_counters_precede_status),
	        cmocka_unit_test(rvpzhn_ext32_places_contexts_of_pc_sample),
	        cmocka_unit_test(iyswsd_pc_sample_is_unknown_until_first_branch),
	        cmocka_unit_test(prohibited_state_forgets_branch),
	};
	return cmocka_run_group_tests_name("pmu_snapshot", tests, NULL, NULL);
}
