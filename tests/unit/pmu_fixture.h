/* SPDX-License-Identifier: MIT */
/* A PE with a PMU, and a host that counts the notifications. */
#ifndef PMU_FIXTURE_H
#define PMU_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pe_fixture.h"

#include <spemu/pmu.h>

struct pmu_fixture {
	struct spemu_pe *pe;
	struct spemu_pmu *pmu;
	void *memory;
	bool irq;
	unsigned irq_changes, brbe, events, diagnostics;
	uint16_t event;
	char rule[16], name[48];
	struct spemu_diagnostic diagnostic; /* the last diagnostic, with constant text */
	struct spemu_features features;
};

static void pmu_fixture_irq(void *ctx, bool level)
{
	struct pmu_fixture *f = ctx;

	assert_int_not_equal(f->irq, level);
	f->irq = level;
	f->irq_changes++;
}

static void pmu_fixture_brbe(void *ctx)
{
	((struct pmu_fixture *)ctx)->brbe++;
}

static void pmu_fixture_event(void *ctx, uint16_t event, uint64_t count)
{
	struct pmu_fixture *f = ctx;

	f->event = event;
	f->events += (unsigned)count;
}

static void pmu_fixture_diagnostic(void *ctx, const struct spemu_diagnostic *d)
{
	struct pmu_fixture *f = ctx;

	f->diagnostics++;
	f->diagnostic = *d;
	strncpy(f->rule, d->rule, sizeof(f->rule) - 1);
	strncpy(f->name, d->name, sizeof(f->name) - 1);
}

static inline void pmu_make(struct pmu_fixture *f, const char *features,
                            const struct spemu_pmu_config *config,
                            const struct spemu_pmu_host *host)
{
	f->pe = pe_make(features);
	f->features = *spemu_pe_features(f->pe);
	f->memory = malloc(spemu_pmu_size());
	assert_non_null(f->memory);
	assert_int_equal(spemu_pmu_init(&f->pmu, f->memory, spemu_pmu_size(), f->pe, config, host),
	                 SPEMU_OK);
}

static inline void pmu_start_with(struct pmu_fixture *f, const char *features,
                                  const struct spemu_pmu_config *template)
{
	struct spemu_pmu_config config = template ? *template : (struct spemu_pmu_config){0};
	struct spemu_pmu_host host = {.size = sizeof(host),
	                              .ctx = f,
	                              .pmuirq = pmu_fixture_irq,
	                              .brbe_freeze = pmu_fixture_brbe,
	                              .event = pmu_fixture_event,
	                              .diagnostic = pmu_fixture_diagnostic};

	memset(f, 0, sizeof(*f));
	config.size = sizeof(config);
	pmu_make(f, features, &config, &host);
}

static inline void pmu_start(struct pmu_fixture *f, const char *features)
{
	pmu_start_with(f, features, NULL);
}

static inline void pmu_stop(struct pmu_fixture *f)
{
	free(f->memory);
	free(f->pe);
}

static inline enum spemu_reg pe_reg(uint32_t encoding)
{
	struct spemu_reg_description d;
	unsigned i = 0;

	do
		assert_int_equal(spemu_reg_describe(&d, i++), SPEMU_OK);
	while (d.encoding != encoding);
	return d.reg;
}

/* Read and write registers of the PMU or of the PE by encoding, without access rules. */
static inline void pmu_set(struct pmu_fixture *f, uint32_t encoding, uint64_t value)
{
	if (spemu_pmu_reg_set(f->pmu, encoding, value))
		assert_int_equal(spemu_reg_set(f->pe, pe_reg(encoding), value), SPEMU_OK);
}

static inline uint64_t pmu_get(const struct pmu_fixture *f, uint32_t encoding)
{
	uint64_t value = 0;

	if (spemu_pmu_reg_get(f->pmu, &value, encoding))
		assert_int_equal(spemu_reg_get(f->pe, &value, pe_reg(encoding)), SPEMU_OK);
	return value;
}

/* Read and write registers as software does. The access must succeed. */
static inline void pmu_msr(struct pmu_fixture *f, uint32_t encoding, uint64_t value)
{
	struct spemu_access_result result;

	assert_int_equal(spemu_pmu_msr(f->pmu, &result, encoding, value), SPEMU_OK);
	assert_int_equal(result.outcome, SPEMU_ACCESS_OK);
}

static inline uint64_t pmu_mrs(struct pmu_fixture *f, uint32_t encoding)
{
	struct spemu_access_result result;
	uint64_t value = 0;

	assert_int_equal(spemu_pmu_mrs(f->pmu, &result, &value, encoding), SPEMU_OK);
	assert_int_equal(result.outcome, SPEMU_ACCESS_OK);
	return value;
}

static inline void pmu_at(struct pmu_fixture *f, struct spemu_pe_state state)
{
	assert_int_equal(spemu_pe_set(f->pe, &state), SPEMU_OK);
}

static inline bool pmu_has_feature(const struct pmu_fixture *f, enum spemu_feature feature)
{
	return spemu_has(&f->features, feature);
}

/* Write a register if its Exception level or its feature is implemented. */
static inline void pmu_set_if(struct pmu_fixture *f, enum spemu_feature feature, uint32_t encoding,
                              uint64_t value)
{
	if (pmu_has_feature(f, feature))
		pmu_set(f, encoding, value);
}

/* Enable all counters in Non-secure state, from zero. Event counter n counts event 0x100 + n. */
static inline void pmu_program(struct pmu_fixture *f)
{
	pmu_set(f, SPEMU_SYSREG_OSLSR_EL1, 0);
	pmu_set_if(f, SPEMU_EL3, SPEMU_SYSREG_SCR_EL3,
	           FIELD(SCR_EL3, NS, 1) | FIELD(SCR_EL3, FGTEn2, 1) | FIELD(SCR_EL3, FGTEn, 1));
	pmu_set_if(f, SPEMU_EL3, SPEMU_SYSREG_MDCR_EL3,
	           NAMED(MDCR_EL3, PMSSE, ALLOWED) | FIELD(MDCR_EL3, EnPMSS, 1) |
	                   NAMED(MDCR_EL3, EPMSSAD, ALL) | FIELD(MDCR_EL3, EnPM2, 1));
	pmu_set_if(f, SPEMU_EL2, SPEMU_SYSREG_HCR_EL2, 0);
	pmu_set_if(f, SPEMU_EL2, SPEMU_SYSREG_MDCR_EL2,
	           NAMED(MDCR_EL2, PMSSE, ALLOWED) | FIELD(MDCR_EL2, HPME, 1) |
	                   FIELD(MDCR_EL2, HPMN, 6));
	pmu_set_if(f, SPEMU_FEAT_FGT, SPEMU_SYSREG_HDFGRTR_EL2, 0);
	pmu_set_if(f, SPEMU_FEAT_FGT, SPEMU_SYSREG_HDFGWTR_EL2, 0);
	pmu_set_if(f, SPEMU_FEAT_FGT2, SPEMU_SYSREG_HDFGRTR2_EL2, ~UINT64_C(0));
	pmu_set_if(f, SPEMU_FEAT_FGT2, SPEMU_SYSREG_HDFGWTR2_EL2, ~UINT64_C(0));
	pmu_set_if(f, SPEMU_FEAT_PMUV3_SS, SPEMU_SYSREG_PMECR_EL1, NAMED(PMECR_EL1, SSE, ALLOWED));
	pmu_set(f, SPEMU_SYSREG_PMUSERENR_EL0, 0);
	pmu_set(f, SPEMU_SYSREG_PMCR_EL0, FIELD(PMCR_EL0, E, 1) | FIELD(PMCR_EL0, LC, 1));
	pmu_set(f, SPEMU_SYSREG_PMOVSSET_EL0, 0);
	pmu_set(f, SPEMU_SYSREG_PMINTENSET_EL1, 0);
	pmu_set(f, SPEMU_SYSREG_PMCNTENSET_EL0, ~UINT64_C(0));
	for (unsigned n = 0; n < 6; n++) {
		pmu_set(f, SPEMU_SYSREG_PMEVTYPERn_EL0(n), 0x100 + n);
		pmu_set(f, SPEMU_SYSREG_PMEVCNTRn_EL0(n), 0);
	}
	pmu_set(f, SPEMU_SYSREG_PMCCFILTR_EL0, 0);
	pmu_set(f, SPEMU_SYSREG_PMCCNTR_EL0, 0);
	pmu_set_if(f, SPEMU_FEAT_PMUV3_ICNTR, SPEMU_SYSREG_PMICFILTR_EL0, 0);
	pmu_set_if(f, SPEMU_FEAT_PMUV3_ICNTR, SPEMU_SYSREG_PMICNTR_EL0, 0);
	pmu_at(f, (struct spemu_pe_state){.el = 1});
}

#endif
