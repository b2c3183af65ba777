/* SPDX-License-Identifier: MIT */
/* An SPU over a flat buffer, which a driver at EL1 has programmed. */
#ifndef SPU_FIXTURE_H
#define SPU_FIXTURE_H

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/choices.h>
#include <spemu/codec.h>
#include "pe_fixture.h"

#include <spemu/explain.h>
#include <spemu/spu.h>

#define BUFFER_BASE UINT64_C(0x40000)
#define BUFFER_SIZE 0x4000
/* The bit of an event of D18.2.6. */
#define EV(name) (UINT64_C(1) << SPEMU_EV_##name)

/* The bits {SIMD, FP, ST, LD, B} of the type filter in PMSFCR_EL1, and their masks. */
#define PMSFCR_TYPE(bits) ((uint64_t)(bits) << SPEMU_PMSFCR_EL1_B_LSB)
#define PMSFCR_TYPE_MASK(bits) ((uint64_t)(bits) << SPEMU_PMSFCR_EL1_Bm_LSB)
/* Fields of PMBSR_ELx.MSS2 for an MMU fault (D24.7.5). */
enum {
	MSS2_DIRTY_BIT = 1 << 5,
	MSS2_OVERLAY = 1 << 6,
	MSS2_ASSURED_ONLY = 1 << 7,
	MSS2_TOP_LEVEL = 1 << 8,
};

#define EL1_ONLY ",-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2"

static inline struct spemu_decisions decisions_of(const struct spemu_pe *pe)
{
	struct spemu_decisions d;

	spemu_explain_decide(pe, &d);
	return d;
}

struct pmu_count {
	uint16_t event;
	uint64_t count;
};

struct fixture {
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	void *memory;
	uint8_t buffer[BUFFER_SIZE];
	struct spemu_buffer_write last_access;
	unsigned writes;
	uint64_t fault_at; /* address whose write causes a fault; 0: none */
	struct spemu_fault fault;
	bool irq;
	unsigned irq_changes;
	uint64_t clock;
	struct pmu_count pmu[32];
};

static int fixture_write(void *ctx, struct spemu_fault *fault,
                         const struct spemu_buffer_write *access, const void *data, size_t size)
{
	struct fixture *f = ctx;
	uint64_t offset = access->address - BUFFER_BASE;

	f->last_access = *access;
	f->writes++;
	assert_true(access->address >= BUFFER_BASE && offset + size <= BUFFER_SIZE);
	if (f->fault_at && f->fault_at >= access->address && f->fault_at < access->address + size) {
		*fault = f->fault;
		fault->written = (uint32_t)(f->fault_at - access->address);
		memcpy(f->buffer + offset, data, fault->written);
		return 1;
	}
	memcpy(f->buffer + offset, data, size);
	return 0;
}

static void fixture_irq(void *ctx, bool level)
{
	struct fixture *f = ctx;

	assert_int_not_equal(f->irq, level);
	f->irq = level;
	f->irq_changes++;
}

static void fixture_pmu(void *ctx, uint16_t event, uint64_t count)
{
	struct fixture *f = ctx;
	unsigned i = 0;

	while (f->pmu[i].event && f->pmu[i].event != event)
		i++;
	f->pmu[i].event = event;
	f->pmu[i].count += count;
}

static uint64_t fixture_clock(void *ctx)
{
	return ((struct fixture *)ctx)->clock;
}

static inline uint64_t pmu_events(const struct fixture *f, uint16_t event)
{
	for (unsigned i = 0; i < 32; i++)
		if (f->pmu[i].event == event)
			return f->pmu[i].count;
	return 0;
}

/* Make the SPU of a PE. fixture_stop() frees both. */
static inline void fixture_make(struct fixture *f, struct spemu_pe *pe,
                                const struct spemu_spu_config *config,
                                const struct spemu_spu_host *host)
{
	f->pe = pe;
	f->memory = malloc(spemu_spu_size());
	assert_non_null(f->memory);
	assert_int_equal(spemu_spu_init(&f->spu, f->memory, spemu_spu_size(), pe, config, host),
	                 SPEMU_OK);
}

static inline void fixture_start_seeded(struct fixture *f, const char *features,
                                        const struct spemu_spu_config *template, uint64_t seed)
{
	struct spemu_spu_config config = template ? *template : (struct spemu_spu_config){0};
	struct spemu_spu_host host = {sizeof(host), f,           fixture_write,
	                              fixture_irq,  fixture_pmu, fixture_clock};

	memset(f, 0, sizeof(*f));
	config.size = sizeof(config);
	fixture_make(f, pe_make_with(features, (struct spemu_pe_config){.seed = seed}), &config,
	             &host);
}

static inline void fixture_start(struct fixture *f, const char *features,
                                 const struct spemu_spu_config *template)
{
	fixture_start_seeded(f, features, template, 0);
}

static inline void fixture_stop(struct fixture *f)
{
	free(f->memory);
	free(f->pe);
}

/* The images of the PE and of the SPU. */
struct fixture_image {
	uint8_t pe[8192], spu[16384];
};

static inline void fixture_save(const struct fixture *f, struct fixture_image *image)
{
	assert_int_equal(spemu_pe_save(f->pe, image->pe, sizeof(image->pe)), SPEMU_OK);
	assert_int_equal(spemu_spu_save(f->spu, image->spu, sizeof(image->spu)), SPEMU_OK);
}

static inline void fixture_load(struct fixture *f, const struct fixture_image *image)
{
	assert_int_equal(spemu_pe_load(f->pe, image->pe, sizeof(image->pe)), SPEMU_OK);
	assert_int_equal(spemu_spu_load(f->spu, image->spu, sizeof(image->spu)), SPEMU_OK);
}

static inline uint64_t reg(const struct fixture *f, enum spemu_reg r)
{
	uint64_t value;

	assert_int_equal(spemu_reg_get(f->pe, &value, r), SPEMU_OK);
	return value;
}

static inline void set(struct fixture *f, enum spemu_reg r, uint64_t value)
{
	assert_int_equal(spemu_reg_set(f->pe, r, value), SPEMU_OK);
}

static inline void at_el(struct fixture *f, unsigned el)
{
	struct spemu_pe_state state = {.el = (uint8_t)el};

	assert_int_equal(spemu_pe_set(f->pe, &state), SPEMU_OK);
}

/* Give a value to each register that resets to UNKNOWN, and profile EL0. The first sample is
 * operation 256 * interval. Each later sample follows 256 * interval + 1 operations after the last
 * one. */
static inline void program(struct fixture *f, unsigned interval)
{
	set(f, SPEMU_REG_PMBSR_EL1, 0);
	set(f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
	set(f, SPEMU_REG_PMBLIMITR_EL1, (BUFFER_BASE + BUFFER_SIZE) | FIELD(PMBLIMITR_EL1, E, 1));
	set(f, SPEMU_REG_PMSFCR_EL1, 0);
	set(f, SPEMU_REG_PMSEVFR_EL1, 0);
	set(f, SPEMU_REG_PMSNEVFR_EL1, 0);
	set(f, SPEMU_REG_PMSLATFR_EL1, 0);
	set(f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, interval));
	set(f, SPEMU_REG_PMSICR_EL1, 0);
	set(f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E0SPE, 1));
	at_el(f, 0);
}

static inline struct spemu_op an_op(enum spemu_op_type type)
{
	return (struct spemu_op){.kind = {.type = (uint8_t)type}, .pc = 0x1000, .retired = true};
}

/* Run to the next sample, and finish it with `op`. */
static inline struct spemu_sample_result sample(struct fixture *f, const struct spemu_op *op)
{
	struct spemu_sample_result result;
	uint64_t n = spemu_spu_ops_until_sample(f->spu);

	assert_true(n != UINT64_MAX && n > 0);
	assert_int_equal(spemu_spu_ops(f->spu, n - 1), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(f->spu, op->pc), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_spu_sample_end(f->spu, &result, op), SPEMU_OK);
	return result;
}

/* Decode the whole record at `address`. */
static inline struct spemu_record record_at(const struct fixture *f, uint64_t address)
{
	struct spemu_decoder dec;
	struct spemu_record rec;

	spemu_decoder_init(&dec, f->buffer + (address - BUFFER_BASE),
	                   (size_t)(BUFFER_SIZE - (address - BUFFER_BASE)), 0);
	assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
	return rec;
}

/* Return the record of `op` at EL0, as the only record of an SPU with these features. */
static inline struct spemu_record sampled_record(const char *features, const struct spemu_op *op)
{
	struct fixture f;
	struct spemu_record rec;

	fixture_start(&f, features, NULL);
	program(&f, 1);
	assert_int_equal(sample(&f, op).outcome, SPEMU_SAMPLE_RECORDED);
	rec = record_at(&f, BUFFER_BASE);
	fixture_stop(&f);
	return rec;
}

#endif
