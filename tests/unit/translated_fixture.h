/* SPDX-License-Identifier: MIT */
/* An SPU whose host translates addresses. The pages have attributes, and the host records the
 * writes. */
#ifndef TRANSLATED_FIXTURE_H
#define TRANSLATED_FIXTURE_H

#include <spemu/choices.h>
#include "spu_fixture.h"
#include <spemu/inject.h>

#define PAGE UINT64_C(0x1000)
#define PHYSICAL_OFFSET UINT64_C(0x80000000)

/* The page at BUFFER_BASE + n * PAGE. If fault.kind is not NONE, the translation of the page causes
 * this fault. */
struct page {
	struct spemu_translation t;
	struct spemu_fault fault;
	int abort; /* number of bytes before an External abort ends the write; -1: no abort */
};

struct write {
	struct spemu_buffer_write access;
	uint8_t data[2048];
	size_t size;
};

struct translated {
	struct fixture f;
	struct page page[BUFFER_SIZE / 0x1000];
	struct write write[8];
	unsigned writes, translations, serrors;
	struct spemu_diagnostic diagnostic[8];
	unsigned diagnostics;
	int translate_status; /* result of translate() for every page; 0: use the pages */
};

static inline struct spemu_memory normal(uint8_t shareability)
{
	return (struct spemu_memory){.type = SPEMU_MEMORY_NORMAL,
	                             .inner = SPEMU_WRITE_BACK,
	                             .outer = SPEMU_WRITE_BACK,
	                             .shareability = shareability};
}

static inline struct spemu_memory device(uint8_t type)
{
	return (struct spemu_memory){.type = type, .shareability = SPEMU_OUTER_SHAREABLE};
}

static int translated_translate(void *ctx, struct spemu_translation *t, struct spemu_fault *fault,
                                const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	struct translated *m = ctx;
	uint64_t offset = (access->address & UINT64_C(0x00ffffffffffffff)) - BUFFER_BASE;
	const struct page *page = &m->page[offset / PAGE];

	(void)pe;
	m->translations++;
	if (m->translate_status)
		return m->translate_status;
	assert_true(offset < BUFFER_SIZE);
	if (page->fault.kind) {
		*fault = page->fault;
		return page->fault.kind;
	}
	*t = page->t;
	t->physical = access->address + PHYSICAL_OFFSET;
	return 0;
}

static int translated_write(void *ctx, struct spemu_fault *fault,
                            const struct spemu_buffer_write *access, const void *data, size_t size)
{
	struct translated *m = ctx;
	struct write *w = &m->write[m->writes++ % 8];
	uint64_t offset = access->address - BUFFER_BASE;
	int stop = m->page[offset / PAGE].abort;

	assert_true(access->translated);
	assert_true(access->physical == access->address + PHYSICAL_OFFSET);
	assert_true(offset < BUFFER_SIZE && size <= BUFFER_SIZE - offset);
	w->access = *access;
	w->size = size;
	memcpy(w->data, data, size);
	if (stop >= 0) {
		*fault = (struct spemu_fault){.kind = SPEMU_FAULT_EXTERNAL,
		                              .written = (uint32_t)stop};
		memcpy(m->f.buffer + offset, data, (size_t)stop);
		return 1;
	}
	memcpy(m->f.buffer + offset, data, size);
	return 0;
}

static void translated_serror(void *ctx)
{
	((struct translated *)ctx)->serrors++;
}

static void translated_diagnostic(void *ctx, const struct spemu_diagnostic *d)
{
	struct translated *m = ctx;

	assert_true(m->diagnostics < 8);
	m->diagnostic[m->diagnostics++] = *d;
}

static inline bool diagnosed(const struct translated *m, const char *name)
{
	for (unsigned i = 0; i < m->diagnostics; i++)
		if (strcmp(m->diagnostic[i].name, name) == 0)
			return true;
	return false;
}

/* Start with all pages Normal, Inner Shareable and 4 KB, and with the registers that program()
 * sets. */
static inline void translated_start_seeded(struct translated *m, const char *features,
                                           const struct spemu_spu_config *template, uint64_t seed)
{
	struct spemu_spu_config config = template ? *template : (struct spemu_spu_config){0};
	struct spemu_spu_host host = {.size = sizeof(host),
	                              .ctx = m,
	                              .buffer_write = translated_write,
	                              .translate = translated_translate,
	                              .serror = translated_serror,
	                              .diagnostic = translated_diagnostic};

	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < BUFFER_SIZE / PAGE; i++) {
		m->page[i].t = (struct spemu_translation){.pas = SPEMU_SS_NON_SECURE,
		                                          .region_log2 = 12,
		                                          .memory = normal(3),
		                                          .stage1 = normal(3)};
		m->page[i].abort = -1;
	}
	config.size = sizeof(config);
	fixture_make(&m->f, pe_make_with(features, (struct spemu_pe_config){.seed = seed}), &config,
	             &host);
	program(&m->f, 1);
}

static inline void translated_start(struct translated *m, const char *features,
                                    const struct spemu_spu_config *template)
{
	translated_start_seeded(m, features, template, 0);
}

static inline void choose(struct translated *m, const char *text)
{
	enum spemu_choice choice;
	unsigned option;

	assert_int_equal(spemu_choice_parse(&choice, &option, NULL, text), SPEMU_OK);
	assert_int_equal(spemu_choice_set(m->f.pe, choice, option), SPEMU_OK);
}

/* Place the next record `bytes` bytes below the second page. */
static inline void before_second_page(struct translated *m, unsigned bytes)
{
	set(&m->f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + PAGE - bytes);
}

/* Bits of PMBSR_ELx after an event, if the register was 0 before. */
#define PMBSR_S FIELD(PMBSR_EL1, S, 1)
#define PMBSR_DL FIELD(PMBSR_EL1, DL, 1)
#define PMBSR_EA FIELD(PMBSR_EL1, EA, 1)
#define PMBSR_COLL FIELD(PMBSR_EL1, COLL, 1)
#define PMBSR_EC(ec) FIELD(PMBSR_EL1, EC, ec)
#define STAGE1 PMBSR_EC(0x24)
#define STAGE2 PMBSR_EC(0x25)

#endif
