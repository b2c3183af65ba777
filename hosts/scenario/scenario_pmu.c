/* SPDX-License-Identifier: MIT */
/* The PMU of a scenario, on the same PE as its SPU. Arm ARM: DDI 0487 M.a, D13. */
#include <stdlib.h>

#include "scenario_machine.h"

static void note_brbe_freeze(void *ctx)
{
	((struct machine *)ctx)->count[COUNT_BRBE_FREEZES]++;
}

static void set_pmuirq(void *ctx, bool level)
{
	((struct machine *)ctx)->pmuirq = level;
}

int machine_start_pmu(struct machine *m,
                      void (*diagnostic)(void *ctx, const struct spemu_diagnostic *diagnostic))
{
	struct spemu_pmu_config config = {.size = sizeof(config),
	                                  .event_counters = m->event_counters};
	struct spemu_pmu_host host = {.size = sizeof(host),
	                              .ctx = m,
	                              .pmuirq = set_pmuirq,
	                              .brbe_freeze = note_brbe_freeze,
	                              .diagnostic = diagnostic};

	m->pmu_memory = malloc(spemu_pmu_size());
	if (!m->pmu_memory)
		return SPEMU_ERR_NOSPACE;
	return spemu_pmu_init(&m->pmu, m->pmu_memory, spemu_pmu_size(), m->pe, &config, &host);
}

uint64_t machine_get(const struct machine *m, const struct target *t)
{
	uint64_t value = 0;

	if (!t->encoding)
		(void)spemu_reg_get(m->pe, &value, t->reg);
	else if (m->pmu)
		(void)spemu_pmu_reg_get(m->pmu, &value, t->encoding);
	return value;
}

bool machine_set(struct machine *m, const struct target *t, uint64_t value)
{
	if (!t->encoding)
		return spemu_reg_set(m->pe, t->reg, value) == SPEMU_OK;
	return m->pmu && spemu_pmu_reg_set(m->pmu, t->encoding, value) == SPEMU_OK;
}

void machine_zero_pmu(struct machine *m)
{
	if (!m->pmu)
		return;
	(void)spemu_pmu_reg_set(m->pmu, SPEMU_SYSREG_PMCR_EL0, 0);
	for (unsigned n = 0; n < 31; n++) {
		(void)spemu_pmu_reg_set(m->pmu, SPEMU_SYSREG_PMEVCNTRn_EL0(n), 0);
		(void)spemu_pmu_reg_set(m->pmu, SPEMU_SYSREG_PMEVTYPERn_EL0(n), 0);
		(void)spemu_pmu_reg_set(m->pmu, SPEMU_SYSREG_PMEVCNTSVRn_EL1(n), 0);
	}
	(void)spemu_pmu_reg_set(m->pmu, SPEMU_SYSREG_PMCCNTR_EL0, 0);
	(void)spemu_pmu_reg_set(m->pmu, SPEMU_SYSREG_PMCCFILTR_EL0, 0);
	(void)spemu_pmu_reg_set(m->pmu, SPEMU_SYSREG_PMCCNTSVR_EL1, 0);
	(void)spemu_pmu_reg_set(m->pmu, SPEMU_SYSREG_PMICNTR_EL0, 0);
	(void)spemu_pmu_reg_set(m->pmu, SPEMU_SYSREG_PMICFILTR_EL0, 0);
	(void)spemu_pmu_reg_set(m->pmu, SPEMU_SYSREG_PMICNTSVR_EL1, 0);
}
