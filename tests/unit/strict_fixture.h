/* SPDX-License-Identifier: MIT */
/* An SPU in strict mode, which the test drives by MSR and MRS at EL1. The host counts the outcomes
 * of samples. */
#ifndef STRICT_FIXTURE_H
#define STRICT_FIXTURE_H

#include <spemu/strict.h>
#include "spu_fixture.h"

struct strict_fixture {
	struct fixture f;
	unsigned done[8]; /* counts, indexed by enum spemu_sample_outcome */
	struct spemu_diagnostic diagnostic[64];
	unsigned diagnostics;
};

static void strict_done(void *ctx, const struct spemu_sample_result *result)
{
	((struct strict_fixture *)ctx)->done[result->outcome]++;
}

static void strict_diagnostic(void *ctx, const struct spemu_diagnostic *d)
{
	struct strict_fixture *m = ctx;

	if (m->diagnostics < 64)
		m->diagnostic[m->diagnostics] = *d;
	m->diagnostics++;
}

static inline bool reported(const struct strict_fixture *m, const char *name)
{
	for (unsigned i = 0; i < m->diagnostics && i < 64; i++)
		if (strcmp(m->diagnostic[i].name, name) == 0)
			return true;
	return false;
}

static inline void msr(struct strict_fixture *m, uint32_t encoding, uint64_t value)
{
	struct spemu_access_result result;

	assert_int_equal(spemu_spu_msr(m->f.spu, &result, encoding, value), SPEMU_OK);
	assert_int_equal(result.outcome, SPEMU_ACCESS_OK);
}

static inline uint64_t mrs(struct strict_fixture *m, uint32_t encoding)
{
	struct spemu_access_result result;
	uint64_t value = 0;

	assert_int_equal(spemu_spu_mrs(m->f.spu, &result, &value, encoding), SPEMU_OK);
	assert_int_equal(result.outcome, SPEMU_ACCESS_OK);
	return value;
}

#define MSR(m, reg, value) msr((m), SPEMU_SYSREG_##reg, (value))
#define MRS(m, reg) mrs((m), SPEMU_SYSREG_##reg)
#define ISB(m) spemu_pe_isb((m)->f.pe)
#define PSB(m) spemu_spu_psb_csync((m)->f.spu)
#define DSB(m) spemu_spu_dsb((m)->f.spu)
#define E0SPE UINT64_C(1)
#define E1SPE UINT64_C(2)

/* Start with all registers 0, at EL1, without strict mode. `slots` is the number of operations in
 * flight. */
static inline void strict_make(struct strict_fixture *m, const char *features, uint8_t slots)
{
	struct spemu_spu_config config = {
	        .size = sizeof(config), .layout = {.align_log2 = 6}, .samples_in_flight = slots};
	struct spemu_spu_host host = {.size = sizeof(host),
	                              .ctx = m,
	                              .buffer_write = fixture_write,
	                              .pmbirq = fixture_irq,
	                              .diagnostic = strict_diagnostic,
	                              .sample_done = strict_done};

	memset(m, 0, sizeof(*m));
	fixture_make(&m->f, pe_make(features), &config, &host);
	at_el(&m->f, 1);
	for (unsigned i = 0; i < 2 * SPEMU_REG_COUNT; i++)
		set(&m->f, (enum spemu_reg)(i % SPEMU_REG_COUNT), 0);
	m->diagnostics = 0;
}

static inline void strict_start_slots(struct strict_fixture *m, const char *features, uint64_t seed,
                                      uint8_t slots)
{
	strict_make(m, features, slots);
	assert_int_equal(spemu_spu_set_strict(m->f.spu, true, seed), SPEMU_OK);
	m->diagnostics = 0;
}

static inline void strict_start(struct strict_fixture *m, const char *features, uint64_t seed,
                                bool plain)
{
	if (plain)
		strict_make(m, features, 0);
	else
		strict_start_slots(m, features, seed, 0);
}

/* Program the buffer and then profiling at EL1, with all required barriers. */
static inline void strict_program(struct strict_fixture *m, uint64_t pointer, uint64_t limit)
{
	MSR(m, PMBPTR_EL1, pointer);
	MSR(m, PMBLIMITR_EL1, limit | FIELD(PMBLIMITR_EL1, E, 1));
	MSR(m, PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 1));
	MSR(m, PMSICR_EL1, 0);
	ISB(m);
	MSR(m, PMSCR_EL1, E1SPE);
	ISB(m);
}

/* Disable profiling, and synchronize everything. */
static inline void strict_drain(struct strict_fixture *m)
{
	MSR(m, PMSCR_EL1, 0);
	ISB(m);
	PSB(m);
	DSB(m);
	MSR(m, PMBLIMITR_EL1, 0);
	ISB(m);
}

/* Run to the next sample, and finish it. Return the outcome, or -1 if profiling is not enabled. */
static inline int strict_sample(struct strict_fixture *m, uint64_t pc)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct spemu_sample_result result;
	uint64_t n = spemu_spu_ops_until_sample(m->f.spu);

	if (n == UINT64_MAX)
		return -1;
	op.va = pc * 3;
	op.valid = SPEMU_OPV_VA;
	assert_int_equal(spemu_spu_ops(m->f.spu, n - 1), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(m->f.spu, pc), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_spu_sample_end(m->f.spu, &result, &op), SPEMU_OK);
	if (result.outcome != SPEMU_SAMPLE_PENDING)
		m->done[result.outcome]++;
	return result.outcome;
}

/* Return the PC of the record at `address`, without its Exception level. */
static inline uint64_t pc_at(const struct strict_fixture *m, uint64_t address)
{
	return record_at(&m->f, address).addr[SPEMU_ADDR_PC] << 8 >> 8;
}

/* Assert that nothing was reported, except for `name` if it is not NULL. */
static inline void assert_only_reported(const struct strict_fixture *m, const char *name)
{
	for (unsigned i = 0; i < m->diagnostics; i++)
		if (!name || strcmp(m->diagnostic[i].name, name) != 0)
			fail_msg("reported %s, not %s", m->diagnostic[i].name,
			         name ? name : "nothing");
	assert_int_equal(m->diagnostics != 0, name != NULL);
}

/* Disable profiling and synchronize. */
static inline void strict_off(struct strict_fixture *m)
{
	MSR(m, PMSCR_EL1, 0);
	ISB(m);
	PSB(m);
	DSB(m);
	ISB(m);
}

static inline void strict_stop(struct strict_fixture *m)
{
	fixture_stop(&m->f);
}

#endif
