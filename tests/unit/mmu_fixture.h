/* SPDX-License-Identifier: MIT */
/* A walker over a small physical memory of 8-byte words, and the SPU whose registers the walker
 * reads. */
#ifndef MMU_FIXTURE_H
#define MMU_FIXTURE_H

#include "spu_fixture.h"

#include <spemu/choices.h>
#include <spemu/mmu.h>

/* Fields of TCR_EL2 in the EL2 regime, and fields that have no name in arch/sysreg.txt. */
#define TCR_EL2_PS(size) ((uint64_t)(size) << 16)
#define TCR_EL2_TBI (UINT64_C(1) << 20)
#define TCR_EL1_AS(wide) ((uint64_t)(wide) << 36)
#define VTCR_EL2_VS(wide) ((uint64_t)(wide) << 19)
#define TTBR_ASID(asid) ((uint64_t)(asid) << 48)

enum { WORDS = 4096 };

struct word {
	uint64_t address, value;
	uint8_t pas; /* physical address space of the word; 0xff: unused entry */
};

struct mmu {
	struct fixture f;
	void *memory;
	struct spemu_mmu *mmu;
	struct word word[WORDS];
	unsigned reads, updates;
	uint64_t abort_at;   /* address whose reads and updates abort; 0: none */
	uint64_t change_at;  /* address whose descriptor changes just before its first update */
	uint64_t change_to;  /* value of the descriptor after that change */
	uint16_t last_mecid; /* MECID of the last read */
	struct spemu_buffer_write access;
	struct spemu_translation t;
	struct spemu_fault fault;
};

static inline struct word *mmu_word(struct mmu *m, uint64_t address, unsigned pas)
{
	unsigned i = (unsigned)((address >> 3) * 0x9e3779b1u ^ address >> 32 ^ pas) % WORDS;

	while (m->word[i].pas != 0xff && (m->word[i].address != address || m->word[i].pas != pas))
		i = (i + 1) % WORDS;
	return &m->word[i];
}

static inline void put(struct mmu *m, uint64_t address, unsigned pas, uint64_t value)
{
	struct word *w = mmu_word(m, address, pas);

	*w = (struct word){address, value, (uint8_t)pas};
}

static inline uint64_t word_at(struct mmu *m, uint64_t address, unsigned pas)
{
	struct word *w = mmu_word(m, address, pas);

	return w->pas == 0xff ? 0 : w->value;
}

static int mmu_read(void *ctx, uint64_t *value, const struct spemu_physical *at)
{
	struct mmu *m = ctx;

	m->reads++;
	m->last_mecid = at->mecid;
	assert_int_equal(at->address & 7, 0);
	if (m->abort_at && at->address == m->abort_at)
		return 1;
	*value = word_at(m, at->address, at->pas);
	return 0;
}

static int mmu_swap(void *ctx, uint64_t *old, const struct spemu_physical *at, uint64_t expected,
                    uint64_t desired)
{
	struct mmu *m = ctx;

	m->updates++;
	if (m->change_at && at->address == m->change_at) {
		put(m, at->address, at->pas, m->change_to);
		m->change_at = 0;
	}
	if (m->abort_at == (at->address | 1))
		return 1;
	*old = word_at(m, at->address, at->pas);
	if (*old == expected)
		put(m, at->address, at->pas, desired);
	return 0;
}

/* Start with all registers 0 and with Non-secure EL1 as the owner. */
static inline void mmu_start_with(struct mmu *m, const struct spemu_spu_config *config,
                                  const char *features, bool updatable)
{
	struct spemu_mmu_memory access = {sizeof(access), m, mmu_read, updatable ? mmu_swap : NULL};

	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < WORDS; i++)
		m->word[i].pas = 0xff;
	fixture_start(&m->f, features, config);
	for (unsigned i = 0; i < 2 * SPEMU_REG_COUNT; i++)
		set(&m->f, (enum spemu_reg)(i % SPEMU_REG_COUNT), 0);
	m->memory = malloc(spemu_mmu_size());
	assert_int_equal(spemu_mmu_init(&m->mmu, m->memory, spemu_mmu_size(), &access), SPEMU_OK);
	m->access = (struct spemu_buffer_write){
	        .owner_el = 1, .security = SPEMU_SS_NON_SECURE, .privileged = true};
}

static inline void mmu_start(struct mmu *m, const char *features)
{
	mmu_start_with(m, NULL, features, true);
}

static inline void mmu_stop(struct mmu *m)
{
	free(m->memory);
	fixture_stop(&m->f);
}

static inline int translate(struct mmu *m, uint64_t address)
{
	m->access.address = address;
	return spemu_mmu_translate(m->mmu, &m->t, &m->fault, m->f.pe, &m->access);
}

/* Assert that the translation of an address ends in this fault. */
static inline void faults(struct mmu *m, uint64_t address, unsigned kind, unsigned type, int level)
{
	assert_int_equal(translate(m, address), kind);
	assert_int_equal(m->fault.kind, kind);
	if (kind != SPEMU_FAULT_GPC)
		assert_int_equal(m->fault.fsc, spemu_fsc((enum spemu_fault_type)type, level));
}

static inline void maps(struct mmu *m, uint64_t address, uint64_t physical, unsigned pas)
{
	assert_int_equal(translate(m, address), 0);
	assert_true(m->t.physical == physical);
	assert_int_equal(m->t.pas, pas);
}

/* Assert the page size of an address, and that the query changes nothing. */
static inline void page_is(struct mmu *m, uint64_t address, unsigned page_log2)
{
	unsigned updates = m->updates, found = 0;

	m->access.address = address;
	assert_int_equal(spemu_mmu_page(m->mmu, &found, &m->fault, m->f.pe, &m->access), 0);
	assert_int_equal(found, page_log2);
	assert_int_equal(m->updates, updates);
}

static inline void forget(struct mmu *m)
{
	const struct spemu_mmu_scope all = {.by = SPEMU_TLBI_ALL};

	spemu_mmu_invalidate(m->mmu, &all);
}

#endif
