/* SPDX-License-Identifier: MIT */
/* Measure the cost of a delivery of events, a Capture and a register read. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <spemu/pmu.h>

enum { CALLS = 2000000 };

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Return the nanoseconds of one of CALLS calls since `start`. */
static double each(double start)
{
	return (now() - start) / (double)CALLS * 1e9;
}

static void set(struct spemu_pmu *pmu, uint32_t encoding, uint64_t value)
{
	if (spemu_pmu_reg_set(pmu, encoding, value))
		abort();
}

/* Set up Non-secure EL1 with Captures allowed. Counters 0 and 1 count instructions, the others
 * loads. */
static void program(struct spemu_pe *pe, struct spemu_pmu *pmu)
{
	struct spemu_pe_state state = {.el = 1};

	spemu_reg_set(pe, SPEMU_REG_SCR_EL3, 1);
	spemu_reg_set(pe, SPEMU_REG_MDCR_EL3, UINT64_C(3) << 30);
	spemu_reg_set(pe, SPEMU_REG_MDCR_EL2, 6);
	spemu_reg_set(pe, SPEMU_REG_HCR_EL2, 0);
	spemu_reg_set(pe, SPEMU_REG_OSLSR_EL1, 0);
	for (unsigned n = 0; n < 6; n++) {
		set(pmu, SPEMU_SYSREG_PMEVTYPERn_EL0(n), n < 2 ? SPEMU_PMU_INST_RETIRED : 0x06);
		set(pmu, SPEMU_SYSREG_PMEVCNTRn_EL0(n), 0);
	}
	set(pmu, SPEMU_SYSREG_PMOVSSET_EL0, 0);
	set(pmu, SPEMU_SYSREG_PMCNTENSET_EL0, UINT32_MAX);
	set(pmu, SPEMU_SYSREG_PMCR_EL0, 1);
	(void)spemu_pe_set(pe, &state);
}

int main(void)
{
	struct spemu_pe_config pe_config = {.size = sizeof(pe_config)};
	struct spemu_pmu_config config = {.size = sizeof(config)};
	struct spemu_pmu_host host = {.size = sizeof(host)};
	struct spemu_access_result result;
	void *memory = malloc(spemu_pmu_size()), *pe_memory = malloc(spemu_pe_size());
	struct spemu_pe *pe;
	struct spemu_pmu *pmu;
	uint64_t value = 0, sum = 0;
	double start;

	spemu_features_parse(&pe_config.features, NULL, "v9.6");
	if (!memory || !pe_memory || spemu_pe_init(&pe, pe_memory, spemu_pe_size(), &pe_config) ||
	    spemu_pmu_init(&pmu, memory, spemu_pmu_size(), pe, &config, &host))
		return 1;
	program(pe, pmu);
	start = now();
	for (unsigned i = 0; i < CALLS; i++)
		(void)spemu_pmu_count(pmu, SPEMU_PMU_INST_RETIRED, 3);
	printf("%5.0f ns  events for two counters\n", each(start));
	start = now();
	for (unsigned i = 0; i < CALLS; i++)
		(void)spemu_pmu_count(pmu, 0x999, 3);
	printf("%5.0f ns  events that none counts\n", each(start));
	start = now();
	for (unsigned i = 0; i < CALLS; i++)
		sum += spemu_pmu_capture_request(pmu);
	printf("%5.0f ns  a Capture of eight counters\n", each(start));
	start = now();
	for (unsigned i = 0; i < CALLS; i++) {
		(void)spemu_pmu_mrs(pmu, &result, &value, SPEMU_SYSREG_PMEVCNTSVRn_EL1(0));
		sum += value + result.outcome;
	}
	printf("%5.0f ns  MRS of a snapshot register\n", each(start));
	free(memory);
	free(pe_memory);
	return sum == 0;
}
