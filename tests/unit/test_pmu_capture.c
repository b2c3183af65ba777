/* SPDX-License-Identifier: MIT */
/* Test the conditions and effects of Captures, and the steps of software that reads snapshots
 * (D13.9). */
#include <spemu/explain.h>
#include "pmu_fixture.h"
#include "table.h"

#define PMSSCR SPEMU_SYSREG_PMSSCR_EL1
#define SVR(n) SPEMU_SYSREG_PMEVCNTSVRn_EL1(n)
enum { PCSCTL_SS = 1 << 4 };

/* Fields of PMPCSR: NS, NSE and the Exception level of the sample. */
#define PCSR_NS (UINT64_C(1) << 63)
#define PCSR_NSE (UINT64_C(1) << 59)
#define PCSR_EL1 (UINT64_C(1) << 61)
#define NC FIELD(PMSSCR_EL1, NC, 1)

static const char *const names[] = {"Disabled", "Prohibited", "Allowed"};

static void controls(struct pmu_fixture *f, unsigned el3, unsigned el2, unsigned el1)
{
	pmu_set_if(f, SPEMU_EL3, SPEMU_SYSREG_MDCR_EL3,
	           FIELD(MDCR_EL3, PMSSE, el3) | FIELD(MDCR_EL3, EnPMSS, 1));
	pmu_set_if(f, SPEMU_EL2, SPEMU_SYSREG_MDCR_EL2, FIELD(MDCR_EL2, PMSSE, el2));
	pmu_set(f, SPEMU_SYSREG_PMECR_EL1, FIELD(PMECR_EL1, SSE, el1));
}

/*
 * Table D13-10: try every combination, with and without EL2 and EL3. An Exception level that does
 * not exist delegates, like the value 0b01 (D24.3). The table applies even if Secure state disables
 * EL2, and at every Exception level. The OS Lock and Debug state prohibit Captures that are
 * enabled.
 */
static void table_d13_10_capture_permission(void **state)
{
	static const char *const features[] = {"v9.6", "v9.6,-EL2", "v8.9,-EL3,-Secure",
	                                       "v8.9,-EL3,-EL2,-Secure"};
	struct spemu_decisions d;
	struct table t;
	unsigned cells = 0;

	(void)state;
	table_load(&t, "D13-10");
	for (unsigned i = 0; i < 4; i++) {
		struct pmu_fixture f;

		pmu_start(&f, features[i]);
		for (unsigned n = 0; n < 1u << 11; n++) {
			bool have3 = pmu_has_feature(&f, SPEMU_EL3),
			     have2 = pmu_has_feature(&f, SPEMU_EL2);
			unsigned el3 = n & 3, el2 = n >> 2 & 3, el1 = n >> 4 & 3, el = n >> 6 & 3;
			bool lock = n >> 8 & 1, debug = n >> 9 & 1, ns = n >> 10;
			const struct table_input inputs[] = {{"EL3.PMSSE", have3 ? el3 : 1},
			                                     {"EL2.PMSSE", have2 ? el2 : 1},
			                                     {"SSE", el1}};
			unsigned matching, row = table_find(&t, inputs, 3, &matching);
			const char *want;

			if (el1 == 1 || (el == 3 && !have3) || (el == 2 && (!have2 || !ns)))
				continue;
			assert_int_equal(matching, 1);
			want = table_get(&t, row, "capture");
			if (strcmp(want, "Disabled") != 0 && (lock || debug))
				want = "Prohibited";
			controls(&f, el3, el2, el1);
			pmu_set_if(&f, SPEMU_EL3, SPEMU_SYSREG_SCR_EL3, ns);
			pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, FIELD(OSLSR_EL1, OSLK, lock));
			pmu_at(&f, (struct spemu_pe_state){.el = (uint8_t)el, .debug = debug});
			assert_string_equal(names[spemu_pmu_capture(f.pmu)], want);
			spemu_explain_decide(f.pe, &d);
			assert_string_equal(d.capture_name, want);
			cells++;
		}
		pmu_stop(&f);
	}
	print_message("# Table D13-10: %u combinations\n", cells);
	assert_true(cells > 3000);
}

static void capture_is_done_prohibited_or_disabled(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	assert_int_equal(spemu_pmu_capture(f.pmu), SPEMU_CAPTURE_ALLOWED);
	spemu_pmu_count(f.pmu, 0x102, 7);
	spemu_pmu_count(f.pmu, SPEMU_PMU_CPU_CYCLES, 900);
	spemu_pmu_count(f.pmu, SPEMU_PMU_INST_RETIRED, 300);
	/* RVPZHN, RDBRSV: a Capture copies all counters and then sets {NC, SS} to {0, 0}. */
	pmu_msr(&f, PMSSCR, 1);
	assert_int_equal(pmu_mrs(&f, PMSSCR), 0);
	spemu_pe_isb(f.pe);
	assert_int_equal(pmu_mrs(&f, SVR(2)), 7);
	assert_int_equal(pmu_mrs(&f, SVR(0)), 0);
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMCCNTSVR_EL1), 900);
	assert_int_equal(pmu_mrs(&f, SPEMU_SYSREG_PMICNTSVR_EL1), 300);
	assert_int_equal(f.brbe, 1);
	/* A write of 0 to SS is ignored. */
	spemu_pmu_count(f.pmu, 0x102, 1);
	pmu_msr(&f, PMSSCR, NC);
	assert_int_equal(pmu_mrs(&f, PMSSCR), 0);
	assert_int_equal(pmu_get(&f, SVR(2)), 7);
	/* RMPZSB: while Captures are prohibited, nothing is captured, {NC, SS} becomes {1, 0}, and
	 * there is no BRBE freeze event. */
	controls(&f, 2, 3, 3);
	pmu_msr(&f, PMSSCR, 1);
	assert_true(pmu_mrs(&f, PMSSCR) == NC);
	assert_int_equal(pmu_get(&f, SVR(2)), 7);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMCCNTSVR_EL1), 900);
	assert_int_equal(f.brbe, 1);
	/* RMFJWS: while Captures are disabled, the write is ignored and NC does not change. */
	controls(&f, 3, 0, 0);
	pmu_msr(&f, PMSSCR, 1);
	assert_int_equal(pmu_mrs(&f, PMSSCR), 0);
	controls(&f, 0, 3, 3);
	pmu_at(&f, (struct spemu_pe_state){.el = 3});
	pmu_msr(&f, PMSSCR, 1);
	assert_int_equal(pmu_mrs(&f, PMSSCR), 0);
	pmu_stop(&f);
}

/* RSCLCQ: an external request has the effect of a write of 1 to SS. It is ignored without power.
 * The reset value of {NC, SS} is {1, 0}. */
static void rsclcq_external_request_is_a_write_of_1(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	assert_true(pmu_get(&f, PMSSCR) == NC);
	/* The reset value of MDCR_EL3. */
	assert_int_equal(spemu_pmu_capture(f.pmu), SPEMU_CAPTURE_DISABLED);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_IGNORED);
	pmu_program(&f);
	spemu_pmu_count(f.pmu, 0x100, 5);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_equal(pmu_get(&f, SVR(0)), 5);
	assert_int_equal(pmu_get(&f, PMSSCR), 0);
	pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, FIELD(OSLSR_EL1, OSLK, 1));
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_NOT_DONE);
	assert_true(pmu_get(&f, PMSSCR) == NC);
	/* IKGJMV: the OS Lock does not protect the snapshot registers. */
	assert_int_equal(pmu_mrs(&f, SVR(0)), 5);
	assert_int_equal(f.diagnostics, 0);
	pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, 0);
	spemu_pmu_power(f.pmu, false);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_IGNORED);
	assert_true(pmu_get(&f, PMSSCR) == NC);
	pmu_stop(&f);
}

/* ILXYBX: Captures work in AArch32 state. IWHYSQ: the control of EL2 applies even if EL2 is
 * disabled in Secure state. */
static void captures_with_aarch32_and_disabled_el2(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_at(&f, (struct spemu_pe_state){.el = 0, .aarch32 = true, .el_aarch32 = 1});
	spemu_pmu_count(f.pmu, 0x105, 3);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_equal(pmu_get(&f, SVR(5)), 3);
	/* The OS Lock also prohibits an external request. */
	pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, FIELD(OSLSR_EL1, OSLK, 1));
	assert_int_equal(spemu_pmu_capture(f.pmu), SPEMU_CAPTURE_PROHIBITED);
	pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, 0);
	controls(&f, 1, 2, 3);
	pmu_set(&f, SPEMU_SYSREG_SCR_EL3, 0);
	pmu_at(&f, (struct spemu_pe_state){.el = 1});
	assert_int_equal(spemu_pmu_capture(f.pmu), SPEMU_CAPTURE_PROHIBITED);
	controls(&f, 1, 1, 3);
	assert_int_equal(spemu_pmu_capture(f.pmu), SPEMU_CAPTURE_ALLOWED);
	pmu_stop(&f);
}

static void choose(struct pmu_fixture *f, enum spemu_choice choice, unsigned option)
{
	assert_int_equal(spemu_choice_set(f->pe, choice, option), SPEMU_OK);
}

/* Debug state prohibits Captures by default, and a choice permits them. A second choice then
 * decides whether PMU_SNAPSHOT is generated. */
static void debug_state_prohibits_captures_by_choice(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_at(&f, (struct spemu_pe_state){.el = 1, .debug = true});
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_NOT_DONE);
	choose(&f, SPEMU_CHOICE_CAPTURE_IN_DEBUG_STATE, SPEMU_CAPTURE_IN_DEBUG_STATE_ALLOWED);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_equal(f.events, 0);
	choose(&f, SPEMU_CHOICE_SNAPSHOT_EVENT_IN_DEBUG_STATE,
	       SPEMU_SNAPSHOT_EVENT_IN_DEBUG_STATE_GENERATED);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_equal(f.events, 1);
	assert_int_equal(f.event, SPEMU_PMU_SNAPSHOT);
	pmu_stop(&f);
}

static void reserved_sse_follows_choice(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	controls(&f, 1, 1, 1);
	assert_int_equal(spemu_pmu_capture(f.pmu), SPEMU_CAPTURE_DISABLED);
	choose(&f, SPEMU_CHOICE_RESERVED_SSE, SPEMU_RESERVED_SSE_PROHIBITED);
	assert_int_equal(spemu_pmu_capture(f.pmu), SPEMU_CAPTURE_PROHIBITED);
	choose(&f, SPEMU_CHOICE_RESERVED_SSE, SPEMU_RESERVED_SSE_ALLOWED);
	assert_int_equal(spemu_pmu_capture(f.pmu), SPEMU_CAPTURE_ALLOWED);
	pmu_stop(&f);
}

/* A counter that counts PMU_SNAPSHOT is captured before the event increments it. */
static void capture_precedes_count_of_pmu_snapshot(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_set(&f, SPEMU_SYSREG_PMEVTYPERn_EL0(3), SPEMU_PMU_SNAPSHOT);
	pmu_set(&f, SPEMU_SYSREG_PMEVTYPERn_EL0(0), SPEMU_PMU_SNAPSHOT);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
		for (unsigned n = 0; n < 6; n += 3) {
			assert_int_equal(pmu_get(&f, SVR(n)), i);
			assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(n)), i + 1);
		}
	}
	/* PMU_SNAPSHOT can cause an overflow and an interrupt, like any event. */
	pmu_set(&f, SPEMU_SYSREG_PMINTENSET_EL1, 8 /* P3 */);
	pmu_set(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(3), UINT32_MAX);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_true(f.irq);
	pmu_stop(&f);
}

/* Example D13-8, and every way to break RPLPCY. */
static void rplpcy_unordered_snapshot_reads_are_reported(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_msr(&f, PMSSCR, 1);
	while (pmu_mrs(&f, PMSSCR) & 1)
		spemu_pe_isb(f.pe);
	spemu_pe_isb(f.pe);
	(void)pmu_mrs(&f, SVR(0));
	assert_int_equal(f.diagnostics, 0);
	/* Software reads a snapshot before it has observed that the Capture is complete. */
	pmu_msr(&f, PMSSCR, 1);
	spemu_pe_isb(f.pe);
	(void)pmu_mrs(&f, SVR(0));
	assert_int_equal(f.diagnostics, 1);
	assert_string_equal(f.rule, "RPLPCY");
	assert_int_equal(f.diagnostic.values, 1);
	assert_string_equal(f.diagnostic.value[0].name, "PMSSCR_EL1");
	assert_int_equal(f.diagnostic.value[0].value, 0);
	/* Software has observed the completion, but no synchronization event has followed. */
	assert_int_equal(pmu_mrs(&f, PMSSCR), 0);
	(void)pmu_mrs(&f, SPEMU_SYSREG_PMCCNTSVR_EL1);
	(void)pmu_mrs(&f, SPEMU_SYSREG_PMICNTSVR_EL1);
	assert_int_equal(f.diagnostics, 3);
	spemu_pe_isb(f.pe);
	(void)pmu_mrs(&f, SVR(1));
	assert_int_equal(f.diagnostics, 3);
	pmu_stop(&f);
}

/* While a Capture is ongoing, SS reads as 1 and software polls it. The counters are captured when
 * the Capture ends. */
static void delayed_capture_completes_later(void **state)
{
	struct spemu_pmu_config config = {.polls = 3};
	struct pmu_fixture f;

	(void)state;
	pmu_start_with(&f, "v9.6", &config);
	pmu_program(&f);
	choose(&f, SPEMU_CHOICE_CAPTURE_COMPLETION, SPEMU_CAPTURE_COMPLETION_DELAYED);
	choose(&f, SPEMU_CHOICE_UNSYNCHRONIZED_SNAPSHOT, SPEMU_UNSYNCHRONIZED_SNAPSHOT_OLD);
	pmu_set(&f, SVR(0), 99);
	pmu_msr(&f, PMSSCR, 1);
	assert_true(pmu_mrs(&f, PMSSCR) == (NC | 1)); /* first of three polls */
	spemu_pmu_count(f.pmu, 0x100, 5);
	assert_true(pmu_mrs(&f, PMSSCR) == (NC | 1));
	assert_true(pmu_mrs(&f, PMSSCR) == (NC | 1));
	assert_int_equal(pmu_get(&f, SVR(0)), 99);
	assert_int_equal(pmu_mrs(&f, PMSSCR), 0);
	/* Without the synchronization event, software may read the old value. */
	assert_int_equal(pmu_mrs(&f, SVR(0)), 99);
	assert_int_equal(f.diagnostics, 1);
	spemu_pe_isb(f.pe);
	assert_int_equal(pmu_mrs(&f, SVR(0)), 5);
	/* The host completes the Capture. {NC, SS} becomes {1, 0} if Captures are prohibited by
	 * then. */
	assert_int_equal(spemu_pmu_capture_complete(f.pmu), SPEMU_CAPTURE_IGNORED);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_ONGOING);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_ONGOING);
	spemu_pmu_count(f.pmu, 0x100, 2);
	assert_int_equal(spemu_pmu_capture_complete(f.pmu), SPEMU_CAPTURE_DONE);
	/* RPLPCY does not apply to a Capture by an external request. */
	assert_int_equal(pmu_mrs(&f, SVR(0)), 7);
	assert_int_equal(f.diagnostics, 1);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_ONGOING);
	pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, FIELD(OSLSR_EL1, OSLK, 1));
	assert_int_equal(spemu_pmu_capture_complete(f.pmu), SPEMU_CAPTURE_NOT_DONE);
	assert_true(pmu_mrs(&f, PMSSCR) == NC);
	/* Software writes SS while a Capture is ongoing. */
	pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, 0);
	pmu_msr(&f, PMSSCR, 1);
	pmu_msr(&f, PMSSCR, 1);
	assert_int_equal(f.diagnostics, 2);
	assert_string_equal(f.name, "write-during-capture");
	assert_int_equal(pmu_get(&f, PMSSCR) & 1, 1);
	choose(&f, SPEMU_CHOICE_WRITE_DURING_CAPTURE, SPEMU_WRITE_DURING_CAPTURE_COMPLETES);
	pmu_msr(&f, PMSSCR, 1);
	assert_int_equal(pmu_get(&f, PMSSCR), 0);
	pmu_stop(&f);
}

/* The registers of PC sampling in the external interface with 64-bit registers. */
enum { PCSR = 0x200, VCIDSR = 0x208, CCIDSR = 0x228, PCSCTL = 0xe50 };
#define EXT64 "v9.6,+FEAT_PMUv3_EXT64,-FEAT_PMUv3_EXT32"

static uint64_t ext(struct pmu_fixture *f, uint32_t offset, unsigned size)
{
	uint64_t value = 0;
	bool error = true;

	assert_int_equal(
	        spemu_pmu_external_read(f->pmu, &error, &value, offset, size, SPEMU_SS_ROOT),
	        SPEMU_OK);
	assert_false(error);
	return value;
}

static void ext_write(struct pmu_fixture *f, uint32_t offset, unsigned size, uint64_t value)
{
	bool error = true;

	assert_int_equal(
	        spemu_pmu_external_write(f->pmu, &error, offset, size, SPEMU_SS_ROOT, value),
	        SPEMU_OK);
	assert_false(error);
}

static void capture_takes_pc_sample(void **state)
{
	struct pmu_fixture f;
	uint64_t before;

	(void)state;
	pmu_start(&f, EXT64);
	pmu_program(&f);
	pmu_set(&f, SPEMU_SYSREG_CONTEXTIDR_EL1, 0x1234);
	pmu_set(&f, SPEMU_SYSREG_CONTEXTIDR_EL2, 0xabcd);
	pmu_set(&f, SPEMU_SYSREG_VTTBR_EL2, FIELD(VTTBR_EL2, VMID, 0x42));
	before = ext(&f, CCIDSR, 8);
	/* If PMPCSCTL.SS is 0, a Capture does not change the PC sample registers. */
	ext_write(&f, PCSCTL, 8, 0);
	spemu_pmu_branch(f.pmu, 0x4000);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_true(ext(&f, CCIDSR, 8) == before);
	/* If PMPCSCTL.SS is 1, a Capture samples the target of the last branch since then. Here it
	 * is in Non-secure EL1. */
	ext_write(&f, PCSCTL, 8, PCSCTL_SS);
	spemu_pmu_branch(f.pmu, UINT64_C(0xffff800000001230));
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_true(ext(&f, PCSR, 8) == (PCSR_NS | PCSR_EL1 | UINT64_C(0x00ff800000001230)));
	assert_true(ext(&f, CCIDSR, 8) == UINT64_C(0x0000abcd00001234));
	assert_true(ext(&f, VCIDSR, 8) == UINT64_C(0x0000004200001234));
	/* A read does not sample then. This holds for both halves and for the alias. */
	spemu_pmu_branch(f.pmu, 0x5000);
	assert_int_equal(ext(&f, PCSR, 4), 0x00001230);
	assert_int_equal(ext(&f, 0x224, 4), 0xa0ff8000);
	/* In Realm state, NSE and NS of the sample are both 1. */
	pmu_set(&f, SPEMU_SYSREG_SCR_EL3,
	        FIELD(SCR_EL3, NSE, 1) | FIELD(SCR_EL3, NS, 1) | FIELD(SCR_EL3, FGTEn2, 1));
	spemu_pmu_branch(f.pmu, 0x6000);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_true(ext(&f, PCSR, 8) == (PCSR_NS | PCSR_EL1 | PCSR_NSE | 0x6000));
	/* If sampling is prohibited, bits 31:0 of the sample are all ones and the rest is
	 * unchanged. */
	before = ext(&f, PCSR, 8);
	spemu_pmu_authenticate(f.pmu, SPEMU_DENY_REALM_NONINVASIVE);
	spemu_pmu_branch(f.pmu, 0x7000);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_true(ext(&f, PCSR, 8) == (before | UINT32_MAX));
	assert_true(ext(&f, VCIDSR, 8) == UINT64_C(0x0000004200001234));
	/* If the Capture itself is prohibited, bits 31:0 do not change either. */
	spemu_pmu_authenticate(f.pmu, 0);
	spemu_pmu_branch(f.pmu, 0x8000);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, FIELD(OSLSR_EL1, OSLK, 1));
	spemu_pmu_branch(f.pmu, 0x9000);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_NOT_DONE);
	pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, 0);
	assert_int_equal(ext(&f, PCSR, 4), 0x8000);
	pmu_stop(&f);
}

/*
 * I5.3 (PMVIDSR, PMCID2SR): the sample has a VMID in the EL1&0 regime of a guest. It has
 * CONTEXTIDR_EL2 if EL2 is enabled and the PE is not at EL3. Otherwise the values are UNKNOWN: they
 * are drawn, so eight samples do not all have the value of the register.
 */
static void pc_sample_has_vmid_and_contexts(void **state)
{
	static const struct {
		uint8_t el;
		uint64_t hcr;
		bool vmid, contextidr_el2;
		unsigned nse, ns;
	} rows[] = {
	        {0, 0, true, true, 0, 1},
	        {1, 0, true, true, 0, 1},
	        {1, FIELD(HCR_EL2, E2H, 1), true, true, 0, 1},
	        {0, FIELD(HCR_EL2, E2H, 1), true, true, 0, 1},
	        {0, FIELD(HCR_EL2, E2H, 1) | FIELD(HCR_EL2, TGE, 1), false, true, 0, 1},
	        {2, FIELD(HCR_EL2, E2H, 1) | FIELD(HCR_EL2, TGE, 1), false, true, 0, 1},
	        {2, 0, false, true, 0, 1},
	        {3, 0, false, false, 1, 0},
	        {1, 0, true, true, 1, 1},
	        {1, 0, true, true, 0, 0},
	        {0, 0, true, true, 0, 0},
	        {2, 0, false, true, 0, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned vmid = 0, context = 0;
		struct pmu_fixture f;

		pmu_start(&f, EXT64);
		pmu_program(&f);
		pmu_set(&f, SPEMU_SYSREG_CONTEXTIDR_EL1, 0x1234);
		pmu_set(&f, SPEMU_SYSREG_CONTEXTIDR_EL2, 0xabcd);
		pmu_set(&f, SPEMU_SYSREG_VTTBR_EL2, FIELD(VTTBR_EL2, VMID, 0x42));
		pmu_set(&f, SPEMU_SYSREG_HCR_EL2, rows[i].hcr);
		/* Sets SCR_EL3.{NSE, NS}; in Root state the sample shows {1, 0}. */
		if (rows[i].el < 3)
			pmu_set(&f, SPEMU_SYSREG_SCR_EL3,
			        FIELD(SCR_EL3, NSE, rows[i].nse) | FIELD(SCR_EL3, EEL2, 1) |
			                rows[i].ns);
		pmu_at(&f, (struct spemu_pe_state){.el = rows[i].el});
		ext_write(&f, PCSCTL, 8, PCSCTL_SS);
		for (unsigned n = 0; n < 8; n++) {
			spemu_pmu_branch(f.pmu, 0x4000);
			assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
			assert_int_equal(ext(&f, PCSR, 8) >> 61 & 3, rows[i].el);
			assert_int_equal(ext(&f, PCSR, 8) >> 63, rows[i].ns);
			assert_int_equal(ext(&f, PCSR, 8) >> 59 & 1, rows[i].nse);
			assert_int_equal(ext(&f, CCIDSR, 8) & UINT32_MAX, 0x1234);
			vmid += ext(&f, VCIDSR, 8) >> 32 == 0x42;
			context += ext(&f, CCIDSR, 8) >> 32 == 0xabcd;
		}
		assert_true(vmid == 8 ? rows[i].vmid : !rows[i].vmid && vmid < 2);
		assert_true(context == 8 ? rows[i].contextidr_el2
		                         : !rows[i].contextidr_el2 && context < 2);
		pmu_stop(&f);
	}
}

/* H7.1.1: for each Security state, the authentication interface can deny permission to sample. */
static void pc_sampling_follows_authentication_interface(void **state)
{
	static const struct {
		uint64_t scr;
		uint8_t el;
		unsigned deny;
	} rows[] = {
	        {1, 1, 0},
	        {0, 1, SPEMU_DENY_SECURE_NONINVASIVE},
	        {FIELD(SCR_EL3, NSE, 1) | FIELD(SCR_EL3, NS, 1), 1, SPEMU_DENY_REALM_NONINVASIVE},
	        {1, 3, SPEMU_DENY_ROOT_NONINVASIVE}};
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, EXT64);
	pmu_program(&f);
	ext_write(&f, PCSCTL, 8, PCSCTL_SS);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned denied = 0; denied < 16; denied++) {
			bool allowed = !(denied & (SPEMU_DENY_NONINVASIVE | rows[i].deny));

			pmu_set(&f, SPEMU_SYSREG_SCR_EL3, rows[i].scr);
			pmu_at(&f, (struct spemu_pe_state){.el = rows[i].el});
			spemu_pmu_authenticate(f.pmu, denied);
			spemu_pmu_branch(f.pmu, 0x1000 + i);
			assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
			assert_int_equal(ext(&f, PCSR, 4), allowed ? 0x1000 + i : UINT32_MAX);
		}
	pmu_stop(&f);
}

/* SDER32_EL3.SUNIDEN permits samples of Secure EL0 although they are denied, if EL1 is in AArch32
 * state. */
static void suniden_permits_pc_samples_of_secure_el0(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v8.6,-FEAT_SEL2");
	pmu_program(&f);
	pmu_set(&f, SPEMU_SYSREG_SCR_EL3, 0);
	spemu_pmu_authenticate(f.pmu, SPEMU_DENY_SECURE_NONINVASIVE);
	for (unsigned i = 0; i < 8; i++) {
		bool el1_aarch32 = i & 1, suniden = i & 2, at_el1 = i & 4;

		assert_int_equal(spemu_reg_set(f.pe, SPEMU_REG_SDER32_EL3,
		                               suniden ? FIELD(SDER32_EL3, SUNIDEN, 1) : 0),
		                 SPEMU_OK);
		pmu_at(&f, (struct spemu_pe_state){.el = at_el1,
		                                   .aarch32 = el1_aarch32 || !at_el1,
		                                   .el_aarch32 = el1_aarch32 ? 3 : 1});
		spemu_pmu_branch(f.pmu, 0x1000 + i);
		assert_int_equal(ext(&f, PCSR, 4),
		                 el1_aarch32 && suniden && !at_el1 ? 0x1000 + i : UINT32_MAX);
	}
	pmu_stop(&f);
}

/* RWSVYM: if no branch has retired since the last sample, the sample is UNKNOWN, or the choices
 * give its value. */
static void rwsvym_pc_sample_without_branch_follows_choice(void **state)
{
	struct pmu_fixture f;
	uint64_t before;

	(void)state;
	pmu_start(&f, EXT64);
	pmu_program(&f);
	ext_write(&f, PCSCTL, 8, PCSCTL_SS);
	spemu_pmu_branch(f.pmu, 0x4000);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	/* There was no branch since the previous Capture. The sample has any value except the old
	 * one. */
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_not_equal(ext(&f, PCSR, 4), 0x4000);
	choose(&f, SPEMU_CHOICE_PC_SAMPLE_UNKNOWN, SPEMU_PC_SAMPLE_UNKNOWN_LAST);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_equal(ext(&f, PCSR, 4), 0x4000);
	choose(&f, SPEMU_CHOICE_PC_SAMPLE_UNKNOWN, SPEMU_PC_SAMPLE_UNKNOWN_UNKNOWN);
	/* After a change to another Exception level that permits sampling, the branch is still
	 * known. */
	spemu_pmu_branch(f.pmu, 0x4800);
	pmu_at(&f, (struct spemu_pe_state){.el = 2});
	pmu_at(&f, (struct spemu_pe_state){.el = 1});
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_equal(ext(&f, PCSR, 4), 0x4800);
	/* There was no branch since Debug state. A branch before Debug state does not count. */
	choose(&f, SPEMU_CHOICE_CAPTURE_IN_DEBUG_STATE, SPEMU_CAPTURE_IN_DEBUG_STATE_ALLOWED);
	spemu_pmu_branch(f.pmu, 0x5000);
	pmu_at(&f, (struct spemu_pe_state){.el = 1, .debug = true});
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_equal(ext(&f, PCSR, 4), UINT32_MAX);
	pmu_at(&f, (struct spemu_pe_state){.el = 1});
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_not_equal(ext(&f, PCSR, 4), 0x5000);
	/* No branch followed a state that prohibits sampling. */
	spemu_pmu_branch(f.pmu, 0x6000);
	spemu_pmu_authenticate(f.pmu, SPEMU_DENY_NONINVASIVE);
	spemu_pmu_authenticate(f.pmu, 0);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_not_equal(ext(&f, PCSR, 4), 0x6000);
	/* By choice, the first Capture after SS was set makes bits 31:0 all ones and leaves the
	 * rest unchanged. */
	choose(&f, SPEMU_CHOICE_PC_SAMPLE_FIRST, SPEMU_PC_SAMPLE_FIRST_ALL_ONES);
	spemu_pmu_branch(f.pmu, 0x7000);
	ext_write(&f, PCSCTL, 8, 1);
	ext_write(&f, PCSCTL, 8, PCSCTL_SS);
	before = ext(&f, PCSR, 8);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_true(ext(&f, PCSR, 8) == (before | UINT32_MAX));
	pmu_stop(&f);
}

/* H7.1.1.1: sampling on reads, suspended or active, with and without PMPCSCTL. */
static void pc_sample_on_read_follows_pmpcsctl(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	assert_int_equal(ext(&f, PCSCTL, 4), 2); /* IMP is 1 and EN is 0: sampling is suspended */
	spemu_pmu_branch(f.pmu, 0x4000);
	assert_int_equal(ext(&f, PCSR, 4), UINT32_MAX);
	assert_int_equal(ext(&f, PCSCTL, 4), 3); /* the read has activated sampling */
	spemu_pmu_branch(f.pmu, 0x5000);
	assert_int_not_equal(ext(&f, 0x204, 4), 0); /* a read of the upper half does not sample */
	assert_int_equal(ext(&f, PCSR, 4), 0x5000);
	assert_int_equal(ext(&f, 0x208, 4), pmu_get(&f, SPEMU_SYSREG_CONTEXTIDR_EL1) & UINT32_MAX);
	spemu_pmu_branch(f.pmu, 0x6000);
	pmu_at(&f, (struct spemu_pe_state){.el = 1, .debug = true});
	assert_int_equal(ext(&f, PCSR, 4), UINT32_MAX);
	pmu_at(&f, (struct spemu_pe_state){.el = 1});
	ext_write(&f, PCSCTL, 4, 0); /* suspend sampling again */
	spemu_pmu_branch(f.pmu, 0x7000);
	assert_int_equal(ext(&f, PCSR, 4), UINT32_MAX);
	pmu_stop(&f);
	pmu_start(&f, "v8.7");
	pmu_program(&f);
	spemu_pmu_branch(f.pmu, 0x8000);
	assert_int_equal(ext(&f, PCSR, 4), 0x8000);
	assert_int_equal(ext(&f, PCSCTL, 4), 0); /* PMPCSCTL does not exist, so the word is RES0 */
	pmu_stop(&f);
	/* If IMP is 0, EN is RES0 and sampling is always active (H7.2). */
	pmu_start_with(&f, "v9.6", &(struct spemu_pmu_config){.pcsr_no_enable = true});
	pmu_program(&f);
	assert_int_equal(ext(&f, PCSCTL, 4), 0);
	ext_write(&f, PCSCTL, 4, 1);
	assert_int_equal(ext(&f, PCSCTL, 4), 0);
	pmu_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(table_d13_10_capture_permission),
	        cmocka_unit_test(capture_is_done_prohibited_or_disabled),
	        cmocka_unit_test(rsclcq_external_request_is_a_write_of_1),
	        cmocka_unit_test(captures_with_aarch32_and_disabled_el2),
	        cmocka_unit_test(debug_state_prohibits_captures_by_choice),
	        cmocka_unit_test(reserved_sse_follows_choice),
	        cmocka_unit_test(capture_precedes_count_of_pmu_snapshot),
	        cmocka_unit_test(rplpcy_unordered_snapshot_reads_are_reported),
	        cmocka_unit_test(delayed_capture_completes_later),
	        cmocka_unit_test(capture_takes_pc_sample),
	        cmocka_unit_test(pc_sample_has_vmid_and_contexts),
	        cmocka_unit_test(pc_sampling_follows_authentication_interface),
	        cmocka_unit_test(suniden_permits_pc_samples_of_secure_el0),
	        cmocka_unit_test(rwsvym_pc_sample_without_branch_follows_choice),
	        cmocka_unit_test(pc_sample_on_read_follows_pmpcsctl),
	};
	return cmocka_run_group_tests_name("pmu_capture", tests, NULL, NULL);
}
