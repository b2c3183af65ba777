/* SPDX-License-Identifier: MIT */
/* Test the PMU as an object: its configurations, a PE that it shares with an SPU, and saving and
 * loading. Also test Captures during events that another thread delivers under the locking rule of
 * pmu.h. */
#include <spemu/inject.h>

#include "pmu_fixture.h"

#include <spemu/spu.h>

#include <pthread.h>
#include <sched.h>

#define SVR(n) SPEMU_SYSREG_PMEVCNTSVRn_EL1(n)

static int init_with(const char *features, const struct spemu_pmu_config *config)
{
	struct spemu_pe *pe = pe_make(features);
	void *memory = malloc(spemu_pmu_size());
	struct spemu_pmu *pmu;
	int status = spemu_pmu_init(&pmu, memory, spemu_pmu_size(), pe, config, NULL);

	free(memory);
	free(pe);
	return status;
}

static void invalid_pmu_configurations_are_refused(void **state)
{
	struct spemu_pmu_config config = {.size = sizeof(config)};
	struct spemu_pmu_host host = {.size = sizeof(host)};
	struct spemu_pe *pe = pe_make("v9.6");
	struct spemu_pmu *pmu;
	char *memory = malloc(spemu_pmu_size());

	(void)state;
	assert_int_equal(spemu_pmu_init(&pmu, memory, spemu_pmu_size(), pe, &config, &host),
	                 SPEMU_OK);
	assert_int_equal(spemu_pmu_init(&pmu, memory, spemu_pmu_size(), pe, &config, NULL),
	                 SPEMU_OK);
	assert_int_equal(spemu_pmu_init(&pmu, memory, 100, pe, &config, &host), SPEMU_ERR_NOSPACE);
	config.event_counters = 32;
	assert_int_equal(init_with("v9.6", &config), SPEMU_ERR_INVALID);
	/* D13.1: a PMU can have no event counters only without EL2 or with FEAT_HPMN0. */
	config.event_counters = SPEMU_PMU_NO_EVENT_COUNTERS;
	assert_int_equal(init_with("v9.6", &config), SPEMU_OK);
	assert_int_equal(init_with("v8.4", &config), SPEMU_ERR_INVALID);
	assert_int_equal(init_with("v8.4,-EL2,-FEAT_SEL2,-FEAT_NV,-FEAT_NV2,-FEAT_VHE,-FEAT_E2H0,"
	                           "-FEAT_S2FWB",
	                           &config),
	                 SPEMU_OK);
	config.event_counters = 0;
	assert_int_equal(init_with("v8.4,-FEAT_PMUv3,-FEAT_PMUv3p1,-FEAT_PMUv3p4", &config),
	                 SPEMU_ERR_INVALID);
	config.size++;
	assert_int_equal(init_with("v9.6", &config), SPEMU_ERR_INVALID);
	free(memory);
	free(pe);
}

/* RVLKCZ: for every number of event counters, there are as many snapshot registers. */
static void rvlkcz_snapshot_registers_match_event_counters(void **state)
{
	(void)state;
	for (unsigned count = 1; count <= 31; count++) {
		struct spemu_pmu_config config = {.event_counters = (uint8_t)count};
		struct spemu_access_result result;
		struct pmu_fixture f;
		uint64_t value;

		pmu_start_with(&f, "v8.9,-EL3,-EL2,-Secure", &config);
		pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, 0);
		pmu_set(&f, SPEMU_SYSREG_PMECR_EL1, NAMED(PMECR_EL1, SSE, ALLOWED));
		for (unsigned n = 0; n < 31; n++) {
			bool there = n < count;
			unsigned outcome = there ? SPEMU_ACCESS_OK : SPEMU_ACCESS_UNDEFINED;

			spemu_pmu_mrs(f.pmu, &result, &value, SVR(n));
			assert_int_equal(result.outcome, outcome);
			spemu_pmu_mrs(f.pmu, &result, &value, SPEMU_SYSREG_PMEVCNTRn_EL0(n));
			assert_int_equal(result.outcome, outcome);
			if (there)
				pmu_set(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(n), 100 + n);
		}
		assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
		assert_int_equal(pmu_get(&f, SVR(count - 1)), 99 + count);
		pmu_stop(&f);
	}
}

struct both {
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	struct spemu_pmu *pmu;
};

static void count_spe_event(void *ctx, uint16_t event, uint64_t count)
{
	struct both *b = ctx;

	assert_int_equal(spemu_pmu_count(b->pmu, event, count), SPEMU_OK);
}

static bool always(void *ctx)
{
	(void)ctx;
	return true;
}

/* An SPU and a PMU share a PE. The state of the PE is set once. The PMU counts events of the SPU,
 * and the SPU implements RHSGZX. */
static void spu_and_pmu_share_a_pe(void **state)
{
	struct both b = {.pe = pe_make("v9.6")};
	struct spemu_spu_config spu_config = {.size = sizeof(spu_config)};
	struct spemu_spu_host spu_host = {
	        .size = sizeof(spu_host), .ctx = &b, .pmu_event = count_spe_event};
	struct spemu_pmu_config config = {.size = sizeof(config)};
	struct spemu_pmu_host host = {.size = sizeof(host), .ctx = &b};
	void *spu_memory = malloc(spemu_spu_size()), *memory = malloc(spemu_pmu_size());
	const struct spemu_injection not_allowed = {.size = sizeof(not_allowed),
	                                            .kind = SPEMU_INJECT_NOT_ALLOWED,
	                                            .nth = 1,
	                                            .times = 1};
	const struct spemu_op op = {
	        .kind = {.type = SPEMU_OP_OTHER}, .pc = 0x1000, .retired = true};
	struct spemu_access_result result;
	uint64_t value;

	(void)state;
	assert_int_equal(
	        spemu_spu_init(&b.spu, spu_memory, spemu_spu_size(), b.pe, &spu_config, &spu_host),
	        SPEMU_OK);
	assert_int_equal(spemu_pmu_init(&b.pmu, memory, spemu_pmu_size(), b.pe, &config, &host),
	                 SPEMU_OK);
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		if (i != SPEMU_REG_PMCR_EL0)
			spemu_reg_set(b.pe, (enum spemu_reg)i, 0);
	spemu_reg_set(b.pe, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	spemu_reg_set(b.pe, SPEMU_REG_MDCR_EL3,
	              FIELD(MDCR_EL3, NSPB, 3) | NAMED(MDCR_EL3, PMSSE, ALLOWED));
	spemu_reg_set(b.pe, SPEMU_REG_MDCR_EL2,
	              NAMED(MDCR_EL2, E2PB, EL1) | FIELD(MDCR_EL2, HPMN, 6));
	/* A unit cannot access a register of another unit. */
	assert_int_equal(spemu_pmu_reg_set(b.pmu, SPEMU_SYSREG_MDCR_EL2, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_spu_msr(b.spu, &result, SPEMU_SYSREG_PMCR_EL0, 1),
	                 SPEMU_ERR_NOT_SUPPORTED);
	spemu_pe_set(b.pe, &(struct spemu_pe_state){.el = 1});
	assert_int_equal(spemu_pmu_msr(b.pmu, &result, SPEMU_SYSREG_PMEVTYPERn_EL0(0), 0x4000), 0);
	assert_int_equal(result.outcome, SPEMU_ACCESS_OK);
	assert_int_equal(spemu_pmu_msr(b.pmu, &result, SPEMU_SYSREG_PMEVCNTRn_EL0(0), 0), 0);
	assert_int_equal(spemu_pmu_msr(b.pmu, &result, SPEMU_SYSREG_PMCNTENSET_EL0, 1), 0);
	assert_int_equal(spemu_pmu_msr(b.pmu, &result, SPEMU_SYSREG_PMCR_EL0,
	                               FIELD(PMCR_EL0, E, 1) | FIELD(PMCR_EL0, FZS, 1)),
	                 0);
	/* SAMPLE_POP counts 100 operations while EL1 is profiled. */
	spemu_reg_set(b.pe, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 4));
	spemu_reg_set(b.pe, SPEMU_REG_PMBLIMITR_EL1,
	              0x20000 | FIELD(PMBLIMITR_EL1, PMFZ, 1) | FIELD(PMBLIMITR_EL1, E, 1));
	spemu_reg_set(b.pe, SPEMU_REG_PMBPTR_EL1, 0x10000);
	spemu_reg_set(b.pe, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E1SPE, 1));
	assert_true(spemu_spu_profiling_enabled(b.spu, 1));
	assert_int_equal(spemu_spu_ops(b.spu, 100), SPEMU_OK);
	spemu_pmu_reg_get(b.pmu, &value, SPEMU_SYSREG_PMEVCNTRn_EL0(0));
	assert_int_equal(value, 100);
	/* An event of the SPU stops profiling. PMFZ and FZS are set, so the counters freeze. */
	assert_int_equal(spemu_spu_inject(b.spu, NULL, &not_allowed), SPEMU_OK);
	assert_true(spemu_pmu_counts(b.pmu, 0));
	assert_int_equal(spemu_spu_ops(b.spu, spemu_spu_ops_until_sample(b.spu) - 1), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(b.spu, 0x1000), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_spu_sample_end(b.spu, NULL, &op), SPEMU_OK);
	assert_true(spemu_spu_pmu_freeze(b.spu));
	assert_false(spemu_pmu_counts(b.pmu, 0));
	spemu_reg_set(b.pe, SPEMU_REG_PMBSR_EL1, 0);
	/* The counters also freeze if software stops profiling. */
	assert_true(spemu_pmu_counts(b.pmu, 0));
	spemu_reg_set(b.pe, SPEMU_REG_PMBSR_EL1, FIELD(PMBSR_EL1, S, 1));
	assert_true(spemu_spu_pmu_freeze(b.spu));
	assert_false(spemu_pmu_counts(b.pmu, 0));
	spemu_reg_set(b.pe, SPEMU_REG_PMBLIMITR_EL1, 0x20000 | FIELD(PMBLIMITR_EL1, E, 1));
	assert_false(spemu_spu_pmu_freeze(b.spu));
	assert_true(spemu_pmu_counts(b.pmu, 0));
	/* A host may decide instead whether the counters freeze. */
	host.spe_freeze = always;
	assert_int_equal(spemu_pmu_init(&b.pmu, memory, spemu_pmu_size(), b.pe, &config, &host),
	                 SPEMU_OK);
	spemu_pmu_reg_set(b.pmu, SPEMU_SYSREG_PMEVTYPERn_EL0(0), 0x4000);
	spemu_pmu_reg_set(b.pmu, SPEMU_SYSREG_PMCNTENSET_EL0, 1);
	assert_false(spemu_pmu_counts(b.pmu, 0));
	spemu_pmu_reg_set(b.pmu, SPEMU_SYSREG_PMCR_EL0, FIELD(PMCR_EL0, E, 1));
	assert_true(spemu_pmu_counts(b.pmu, 0));
	/* The PMU uses the choices of the PE. */
	assert_int_equal(spemu_choice_set(b.pe, SPEMU_CHOICE_CAPTURE_COMPLETION,
	                                  SPEMU_CAPTURE_COMPLETION_DELAYED),
	                 SPEMU_OK);
	assert_int_equal(spemu_pmu_capture_request(b.pmu), SPEMU_CAPTURE_ONGOING);
	free(memory);
	free(spu_memory);
	free(b.pe);
}

/* A PE with its SPU and PMU. */
struct whole {
	struct both b;
	void *spu_memory, *pmu_memory;
};

static void whole_make(struct whole *w, uint64_t seed, uint8_t counters)
{
	struct spemu_spu_config spu_config = {.size = sizeof(spu_config)};
	struct spemu_spu_host spu_host = {.size = sizeof(spu_host)};
	struct spemu_pmu_config config = {.size = sizeof(config), .event_counters = counters};

	w->b.pe = pe_make_with("v9.6", (struct spemu_pe_config){.seed = seed});
	w->spu_memory = malloc(spemu_spu_size());
	w->pmu_memory = malloc(spemu_pmu_size());
	assert_int_equal(spemu_spu_init(&w->b.spu, w->spu_memory, spemu_spu_size(), w->b.pe,
	                                &spu_config, &spu_host),
	                 SPEMU_OK);
	assert_int_equal(
	        spemu_pmu_init(&w->b.pmu, w->pmu_memory, spemu_pmu_size(), w->b.pe, &config, NULL),
	        SPEMU_OK);
}

static void whole_free(struct whole *w)
{
	free(w->spu_memory);
	free(w->pmu_memory);
	free(w->b.pe);
}

/*
 * Load an image of a PE whose PMU has a different number of counters. The number does not change.
 */
static void load_keeps_number_of_counters(void **state)
{
	uint8_t pe[8192], *image = malloc(spemu_spu_save_size(false)),
	                  *other = malloc(spemu_pmu_save_size());
	struct whole w[2];
	uint64_t value;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		whole_make(&w[i], i, i ? 10 : 4);
		spemu_pmu_reg_set(w[i].b.pmu, SPEMU_SYSREG_PMEVCNTRn_EL0(3), 30 + i);
		spemu_reg_set(w[i].b.pe, SPEMU_REG_CONTEXTIDR_EL1, 70 + i);
	}
	assert_int_equal(spemu_pe_save(w[0].b.pe, pe, sizeof(pe)), SPEMU_OK);
	assert_int_equal(spemu_spu_save(w[0].b.spu, image, spemu_spu_save_size(false)), SPEMU_OK);
	assert_int_equal(spemu_pmu_save(w[0].b.pmu, other, spemu_pmu_save_size()), SPEMU_OK);
	assert_int_equal(spemu_pe_load(w[1].b.pe, pe, sizeof(pe)), SPEMU_OK);
	assert_int_equal(spemu_spu_load(w[1].b.spu, image, spemu_spu_save_size(false)), SPEMU_OK);
	assert_int_equal(spemu_pmu_load(w[1].b.pmu, other, spemu_pmu_save_size()), SPEMU_OK);
	spemu_reg_get(w[1].b.pe, &value, SPEMU_REG_CONTEXTIDR_EL1);
	assert_int_equal(value, 70);
	spemu_pmu_reg_get(w[1].b.pmu, &value, SPEMU_SYSREG_PMEVCNTRn_EL0(3));
	assert_int_equal(value, 30);
	spemu_pmu_reg_get(w[1].b.pmu, &value, SPEMU_SYSREG_PMCR_EL0);
	assert_int_equal(value >> 11 & 31, 10);
	whole_free(&w[0]);
	whole_free(&w[1]);
	free(image);
	free(other);
}

static void pmu_state_is_saved_and_loaded(void **state)
{
	struct pmu_fixture a, b;
	size_t size = spemu_pmu_save_size();
	uint8_t *image = malloc(size), *other = malloc(size), pe[8192];

	(void)state;
	pmu_start(&a, "v9.6");
	pmu_program(&a);
	spemu_choice_set(a.pe, SPEMU_CHOICE_CAPTURE_COMPLETION, SPEMU_CAPTURE_COMPLETION_DELAYED);
	spemu_pmu_count(a.pmu, 0x103, 17);
	pmu_set(&a, SPEMU_SYSREG_PMCR_EL0, FIELD(PMCR_EL0, E, 1) | FIELD(PMCR_EL0, D, 1));
	spemu_pmu_count(a.pmu, SPEMU_PMU_CPU_CYCLES, 60);
	pmu_set(&a, SPEMU_SYSREG_PMINTENSET_EL1, 1);
	pmu_set(&a, SPEMU_SYSREG_PMOVSSET_EL0, 1);
	pmu_msr(&a, SPEMU_SYSREG_PMSSCR_EL1, FIELD(PMSSCR_EL1, SS, 1));
	assert_int_equal(spemu_pmu_save(a.pmu, image, size - 1), SPEMU_ERR_NOSPACE);
	assert_int_equal(spemu_pmu_save(a.pmu, image, size), SPEMU_OK);
	assert_int_equal(spemu_pe_save(a.pe, pe, sizeof(pe)), SPEMU_OK);
	pmu_start(&b, "v9.6");
	assert_int_equal(spemu_pe_load(b.pe, pe, sizeof(pe)), SPEMU_OK);
	assert_int_equal(spemu_pmu_load(b.pmu, image, size), SPEMU_OK);
	assert_int_equal(spemu_pmu_save(b.pmu, other, size), SPEMU_OK);
	assert_memory_equal(image, other, size);
	/* The divider, the interrupt and the ongoing Capture continue in the loaded PMU as in the
	 * saved one. */
	assert_true(b.irq);
	spemu_pmu_count(b.pmu, SPEMU_PMU_CPU_CYCLES, 4);
	assert_int_equal(pmu_get(&b, SPEMU_SYSREG_PMCCNTR_EL0), 1);
	assert_int_equal(pmu_mrs(&b, SPEMU_SYSREG_PMSSCR_EL1) & 1, 1);
	assert_int_equal(spemu_pmu_capture_complete(b.pmu), SPEMU_CAPTURE_DONE);
	assert_int_equal(pmu_get(&b, SVR(3)), 17);
	/* A truncated image is refused. A changed image is refused, or the changes break
	 * nothing. */
	for (size_t n = 0; n < size; n++) {
		int status = spemu_pmu_load(b.pmu, image, n);

		assert_int_equal(status, SPEMU_ERR_TRUNCATED);
	}
	for (size_t n = 0; n < size; n++) {
		memcpy(other, image, size);
		other[n] ^= (uint8_t)(1u << n % 8);
		(void)spemu_pmu_load(b.pmu, other, size);
		spemu_pmu_count(b.pmu, 0x100, 1);
	}
	image[8] = 9;
	assert_int_equal(spemu_pmu_load(b.pmu, image, size), SPEMU_ERR_NOT_SUPPORTED);
	image[0] ^= 1;
	assert_int_equal(spemu_pmu_load(b.pmu, image, size), SPEMU_ERR_CORRUPT);
	pmu_stop(&a);
	pmu_stop(&b);
	free(image);
	free(other);
}

static void set_pcsctl(struct pmu_fixture *f, uint64_t value)
{
	bool error;

	pmu_set(f, SPEMU_SYSREG_OSLSR_EL1, 0);
	assert_int_equal(
	        spemu_pmu_external_write(f->pmu, &error, 0xe50, 4, SPEMU_SS_NON_SECURE, value),
	        SPEMU_OK);
	assert_false(error);
}

/* PMPCSCTL.EN is saved and loaded. */
static void pmpcsctl_is_saved_with_the_pe(void **state)
{
	size_t size = spemu_pmu_save_size();
	uint8_t *image = malloc(size);

	(void)state;
	for (unsigned en = 0; en < 2; en++) {
		struct pmu_fixture a, b;
		uint64_t value = 0;
		bool error;

		pmu_start(&a, "v9.6");
		pmu_program(&a);
		pmu_start(&b, "v9.6");
		pmu_program(&b);
		set_pcsctl(&a, en);
		set_pcsctl(&b, !en);
		assert_int_equal(spemu_pmu_save(a.pmu, image, size), SPEMU_OK);
		assert_int_equal(spemu_pmu_load(b.pmu, image, size), SPEMU_OK);
		assert_int_equal(spemu_pmu_external_read(b.pmu, &error, &value, 0xe50, 4,
		                                         SPEMU_SS_NON_SECURE),
		                 SPEMU_OK);
		assert_false(error);
		assert_int_equal(value & 1, en);
		pmu_stop(&a);
		pmu_stop(&b);
	}
	free(image);
}

static uint64_t pc_sample(struct pmu_fixture *f)
{
	uint64_t value = 0;
	bool error;

	assert_int_equal(
	        spemu_pmu_external_read(f->pmu, &error, &value, 0x200, 8, SPEMU_SS_NON_SECURE),
	        SPEMU_OK);
	assert_false(error);
	return value & ((UINT64_C(1) << 56) - 1);
}

/* A branch is saved before it is sampled, and can be sampled after it is loaded. */
static void unsampled_branch_is_saved(void **state)
{
	size_t size = spemu_pmu_save_size();
	uint8_t *image = malloc(size);
	struct pmu_fixture f[2];

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		pmu_start(&f[k], "v9.6");
		pmu_program(&f[k]);
		set_pcsctl(&f[k], 1);
		pmu_at(&f[k], (struct spemu_pe_state){.el = 1});
	}
	spemu_pmu_branch(f[0].pmu, 0x12345678);
	assert_int_equal(spemu_pmu_save(f[0].pmu, image, size), SPEMU_OK);
	assert_int_equal(spemu_pmu_load(f[1].pmu, image, size), SPEMU_OK);
	assert_int_equal(pc_sample(&f[0]), 0x12345678);
	assert_int_equal(pc_sample(&f[1]), 0x12345678);
	pmu_stop(&f[0]);
	pmu_stop(&f[1]);
	free(image);
}

/* The image also records that PC sampling was suspended and that no Capture has sampled yet. By
 * choice, the first sample is then all ones. */
static void suspended_pc_sampling_is_saved(void **state)
{
	enum { SS = 1 << 4 };
	size_t size = spemu_pmu_save_size();
	uint8_t *image = malloc(size);

	(void)state;
	for (unsigned captured = 0; captured < 2; captured++) {
		struct pmu_fixture f[2];

		for (unsigned k = 0; k < 2; k++) {
			pmu_start(&f[k], "v9.6,+FEAT_PMUv3_EXT64,-FEAT_PMUv3_EXT32");
			pmu_program(&f[k]);
			spemu_choice_set(f[k].pe, SPEMU_CHOICE_PC_SAMPLE_FIRST,
			                 SPEMU_PC_SAMPLE_FIRST_ALL_ONES);
			pmu_at(&f[k], (struct spemu_pe_state){.el = 1});
		}
		set_pcsctl(&f[0], SS);
		if (captured)
			assert_int_equal(spemu_pmu_capture_request(f[0].pmu), SPEMU_CAPTURE_DONE);
		assert_int_equal(spemu_pmu_save(f[0].pmu, image, size), SPEMU_OK);
		assert_int_equal(spemu_pmu_load(f[1].pmu, image, size), SPEMU_OK);
		pmu_set(&f[1], SPEMU_SYSREG_OSLSR_EL1, 0);
		assert_int_equal(spemu_pmu_capture_request(f[1].pmu), SPEMU_CAPTURE_DONE);
		assert_int_equal((pc_sample(&f[1]) & UINT32_MAX) == UINT32_MAX, !captured);
		pmu_stop(&f[0]);
		pmu_stop(&f[1]);
	}
	free(image);
}

/* D13: each existing bit of an UNKNOWN reset value differs between seeds. */
static void unknown_reset_values_differ_by_seed(void **state)
{
	static const uint32_t registers[] = {
	        SPEMU_SYSREG_PMEVTYPERn_EL0(0), SPEMU_SYSREG_PMEVTYPERn_EL0(5),
	        SPEMU_SYSREG_PMEVCNTRn_EL0(0),  SPEMU_SYSREG_PMEVCNTRn_EL0(5),
	        SPEMU_SYSREG_PMCCFILTR_EL0,     SPEMU_SYSREG_PMCCNTR_EL0,
	        SPEMU_SYSREG_PMICFILTR_EL0,     SPEMU_SYSREG_PMICNTR_EL0,
	        SPEMU_SYSREG_PMCCNTSVR_EL1,     SVR(0),
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		uint64_t ones = 0, zeros = 0;

		for (uint64_t seed = 0; seed < 40; seed++) {
			struct pmu_fixture f;
			uint64_t value;

			pmu_start_with(&f, "v9.6", &(struct spemu_pmu_config){.seed = seed});
			assert_int_equal(spemu_pmu_reg_get(f.pmu, &value, registers[i]), SPEMU_OK);
			ones |= value;
			zeros |= ~value;
			pmu_stop(&f);
		}
		assert_int_not_equal(ones, 0);
		/* PMICFILTR_EL0.evtCount is the only known value. */
		assert_true((ones & ~zeros) ==
		            (registers[i] == SPEMU_SYSREG_PMICFILTR_EL0 ? 8 : 0));
	}
}

/* If an image can be loaded and is saved again, the result can be loaded and saved without further
 * changes. */
static void save_load_save_gives_the_same_image(void **state)
{
	struct pmu_fixture a, b;
	size_t size = spemu_pmu_save_size(), loaded = 0;
	uint8_t *image = malloc(size), *changed = malloc(size), *once = malloc(size),
	        *twice = malloc(size), pe[8192];
	uint64_t seed = 7;

	(void)state;
	pmu_start(&a, "v9.6");
	pmu_start(&b, "v9.6");
	pmu_program(&a);
	spemu_choice_set(a.pe, SPEMU_CHOICE_CAPTURE_COMPLETION, SPEMU_CAPTURE_COMPLETION_DELAYED);
	pmu_set(&a, SPEMU_SYSREG_PMCR_EL0, FIELD(PMCR_EL0, E, 1) | FIELD(PMCR_EL0, D, 1));
	pmu_msr(&a, SPEMU_SYSREG_PMSSCR_EL1, FIELD(PMSSCR_EL1, SS, 1));
	assert_int_equal(spemu_pmu_save(a.pmu, image, size), SPEMU_OK);
	assert_int_equal(spemu_pe_save(a.pe, pe, sizeof(pe)), SPEMU_OK);
	for (unsigned round = 0; round < 20000; round++) {
		/* b still has the state of the preceding image. */
		memcpy(changed, image, size);
		for (unsigned i = 0; i < 1 + round % 12; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			changed[(seed >> 33) % size] = (uint8_t)(seed >> 20);
			/* Change the end of the image, which contains the bits of the state, as
			 * often as the rest. */
			changed[size - 1 - (seed >> 50) % 64] ^= (uint8_t)(1u << (seed >> 60) % 8);
		}
		assert_int_equal(spemu_pe_load(a.pe, pe, sizeof(pe)), SPEMU_OK);
		if (spemu_pmu_load(a.pmu, changed, size) != SPEMU_OK)
			continue;
		loaded++;
		assert_int_equal(spemu_pmu_save(a.pmu, once, size), SPEMU_OK);
		assert_int_equal(spemu_pe_load(b.pe, pe, sizeof(pe)), SPEMU_OK);
		assert_int_equal(spemu_pmu_load(b.pmu, once, size), SPEMU_OK);
		assert_int_equal(spemu_pmu_save(b.pmu, twice, size), SPEMU_OK);
		assert_memory_equal(once, twice, size);
	}
	assert_true(loaded > 1000);
	pmu_stop(&a);
	pmu_stop(&b);
	free(image);
	free(changed);
	free(once);
	free(twice);
}

/* A new PMU is saved and loaded without a change. */
static void fresh_pmu_is_saved_and_loaded(void **state)
{
	struct pmu_fixture a, b;
	size_t size = spemu_pmu_save_size();
	uint8_t *image = malloc(size), *other = malloc(size);

	(void)state;
	pmu_start(&a, "v9.6");
	pmu_start(&b, "v9.6");
	assert_int_equal(spemu_pmu_save(a.pmu, image, size), SPEMU_OK);
	assert_int_equal(spemu_pmu_load(b.pmu, image, size), SPEMU_OK);
	assert_int_equal(spemu_pmu_save(b.pmu, other, size), SPEMU_OK);
	assert_memory_equal(image, other, size);
	pmu_stop(&a);
	pmu_stop(&b);
	free(image);
	free(other);
}

/* All counters count the same event, which another thread delivers in batches. With the required
 * lock, all counters are equal in every Capture, and no delivery is lost. */
#define BATCHES 40000

struct shared {
	struct pmu_fixture f;
	pthread_mutex_t lock;
	unsigned captures;
	bool done;
};

/* Wait for a Capture, so that Captures happen between deliveries even with unfavorable
 * scheduling. */
static void wait_for_a_capture(struct shared *s)
{
	unsigned before, now;

	pthread_mutex_lock(&s->lock);
	before = now = s->captures;
	pthread_mutex_unlock(&s->lock);
	while (now == before) {
		sched_yield();
		pthread_mutex_lock(&s->lock);
		now = s->captures;
		pthread_mutex_unlock(&s->lock);
	}
}

static void *deliver(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < BATCHES; i++) {
		pthread_mutex_lock(&s->lock);
		spemu_pmu_count(s->f.pmu, 0x123, 1 + i % 7);
		pthread_mutex_unlock(&s->lock);
		if (i % 16 == 0)
			sched_yield();
		if (i % 1024 == 0)
			wait_for_a_capture(s);
	}
	pthread_mutex_lock(&s->lock);
	s->done = true;
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void captures_are_consistent_with_a_counting_thread(void **state)
{
	struct shared s = {.done = false};
	unsigned distinct = 0;
	uint64_t last = 0, total = 0;
	pthread_t thread;

	(void)state;
	pmu_start(&s.f, "v9.6");
	pmu_program(&s.f);
	for (unsigned n = 0; n < 6; n++)
		pmu_set(&s.f, SPEMU_SYSREG_PMEVTYPERn_EL0(n), 0x123);
	pthread_mutex_init(&s.lock, NULL);
	assert_int_equal(pthread_create(&thread, NULL, deliver, &s), 0);
	for (bool done = false; !done;) {
		uint64_t saved[6];

		pthread_mutex_lock(&s.lock);
		done = s.done;
		assert_int_equal(spemu_pmu_capture_request(s.f.pmu), SPEMU_CAPTURE_DONE);
		s.captures++;
		pthread_mutex_unlock(&s.lock);
		/* Snapshot registers may be read while counters count, as long as no Capture
		 * happens. */
		for (unsigned n = 0; n < 6; n++) {
			pthread_mutex_lock(&s.lock);
			saved[n] = pmu_get(&s.f, SVR(n));
			pthread_mutex_unlock(&s.lock);
		}
		for (unsigned n = 1; n < 6; n++)
			assert_true(saved[n] == saved[0]);
		assert_true(saved[0] >= last);
		distinct += saved[0] != last;
		last = saved[0];
		sched_yield();
	}
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < BATCHES; i++)
		total += 1 + i % 7;
	assert_true(last == total && distinct > 10);
	print_message("# %u captures, %u different, %u batches\n", s.captures, distinct, BATCHES);
	pthread_mutex_destroy(&s.lock);
	pmu_stop(&s.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(invalid_pmu_configurations_are_refused),
	        cmocka_unit_test(rvlkcz_snapshot_registers_match_event_counters),
	        cmocka_unit_test(spu_and_pmu_share_a_pe),
	        cmocka_unit_test(load_keeps_number_of_counters),
	        cmocka_unit_test(pmu_state_is_saved_and_loaded),
	        cmocka_unit_test(fresh_pmu_is_saved_and_loaded),
	        cmocka_unit_test(pmpcsctl_is_saved_with_the_pe),
	        cmocka_unit_test(unsampled_branch_is_saved),
	        cmocka_unit_test(suspended_pc_sampling_is_saved),
	        cmocka_unit_test(unknown_reset_values_differ_by_seed),
	        cmocka_unit_test(save_load_save_gives_the_same_image),
	        cmocka_unit_test(captures_are_consistent_with_a_counting_thread),
	};
	return cmocka_run_group_tests_name("pmu_state", tests, NULL, NULL);
}
