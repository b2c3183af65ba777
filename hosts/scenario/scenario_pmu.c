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

void machine_set_freeze(void *ctx, bool freeze)
{
	struct machine *m = ctx;

	if (m->pmu)
		spemu_pmu_set_spe_freeze(m->pmu, freeze);
}

int machine_start_pmu(struct machine *m)
{
	struct spemu_pmu_config config = {
	        .size = sizeof(config), .spu = m->spu, .event_counters = m->event_counters};
	struct spemu_pmu_host host = {.size = sizeof(host),
	                              .ctx = m,
	                              .pmuirq = set_pmuirq,
	                              .brbe_freeze = note_brbe_freeze,
	                              .diagnostic = machine_note_diagnostic};
	int status;

	m->pmu_memory = malloc(spemu_pmu_size());
	if (!m->pmu_memory)
		return SPEMU_ERR_NOSPACE;
	status = spemu_pmu_init(&m->pmu, m->pmu_memory, spemu_pmu_size(), &config, &host);
	if (!status)
		machine_set_freeze(m, spemu_pmu_freeze(m->spu));
	return status;
}

void machine_state_changed(struct machine *m)
{
	if (m->pmu)
		spemu_pmu_update(m->pmu);
}

static uint32_t encoding_of(const struct target *t)
{
	return t->encoding ? t->encoding : (uint32_t)spemu_reg_encoding(spemu_reg_name(t->reg));
}

uint64_t machine_get(const struct machine *m, const struct target *t)
{
	uint64_t value = 0;

	if (!t->encoding)
		(void)spemu_reg_get(m->spu, &value, t->reg);
	else if (m->pmu)
		(void)spemu_pmu_reg_get(m->pmu, &value, t->encoding);
	return value;
}

bool machine_set(struct machine *m, const struct target *t, uint64_t value)
{
	int status = m->pmu ? spemu_pmu_reg_set(m->pmu, encoding_of(t), value) : SPEMU_ERR_STATE;

	if (status == SPEMU_ERR_STATE && !t->encoding) { /* not the PMU's */
		status = spemu_reg_set(m->spu, t->reg, value);
		machine_state_changed(m);
	}
	return status == SPEMU_OK;
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
