/* SPDX-License-Identifier: MIT */
/* A flat memory, mapped through permuted pages that fault and stop faulting, and a record of all
 * notifications to the host. */
#ifndef WRITE_WORLD_H
#define WRITE_WORLD_H

#include <stdio.h>

#include "spu_fixture.h"
#include "base/prng.h"
#include "spu/spu_object.h"

#define S FIELD(PMBSR_EL1, S, 1)
#define DL FIELD(PMBSR_EL1, DL, 1)
#define PAGE 4096
#define PAGES 16
#define ARENA (PAGES * PAGE) /* virtual memory at BUFFER_BASE; its pages are permuted */
#define RUN_MAX 8192         /* number of records that a run remembers */
#define FIRST_PC UINT64_C(0x400000)

struct world {
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	struct spemu_pe_config pe_config;
	struct spemu_spu_config config;
	struct spemu_spu_host host;
	/* The memory of these objects, and of the objects that will load their images. */
	void *memory[2], *pe_memory[2];
	uint8_t arena[ARENA];
	uint8_t page[PAGES];       /* place in the arena of each buffer page */
	uint8_t page_fault[PAGES]; /* FSC + 1 of a stage 1 fault; 0: no fault */
	bool device[PAGES];
	uint64_t prng;
	bool strict; /* true: default choices; false: random choices */
	/* The levels that the host was notified of. */
	bool irq, freeze;
	unsigned target;
	/* The slots in use, and the serial numbers of their records. */
	bool used[SPEMU_IN_FLIGHT_MAX];
	uint32_t serial[SPEMU_IN_FLIGHT_MAX], next_serial;
	/* The records from the pointer that software set. */
	uint64_t start, end; /* `end` is just past the last whole record */
	uint32_t run[RUN_MAX];
	unsigned records;
	bool unknown; /* some bytes are unknown, because an External abort was ignored */
	bool free;    /* by choice, records may be written anywhere (RPGGHS) */
	uint64_t operations, written, decoded, events, refused;
};

static uint64_t any(struct world *w)
{
	return prng_next(&w->prng);
}

static unsigned below(struct world *w, unsigned n)
{
	return (unsigned)((any(w) >> 16) % n);
}

static bool one_in(struct world *w, unsigned n)
{
	return below(w, n) == 0;
}

static uint64_t get(const struct world *w, enum spemu_reg r)
{
	uint64_t value;

	assert_int_equal(spemu_reg_get(w->pe, &value, r), SPEMU_OK);
	return value;
}

static void put(struct world *w, enum spemu_reg r, uint64_t value)
{
	assert_int_equal(spemu_reg_set(w->pe, r, value), SPEMU_OK);
}

static uint64_t limit_of(const struct world *w)
{
	return get(w, SPEMU_REG_PMBLIMITR_EL1) & ~UINT64_C(0xfff);
}

static bool in_arena(uint64_t address)
{
	return address - BUFFER_BASE < ARENA;
}

static struct spemu_fault random_fault(struct world *w)
{
	static const uint8_t stage1[] = {0x00, 0x07, 0x0b, 0x0f, 0x14, 0x21, 0x28, 0x30};
	static const uint8_t stage2[] = {0x05, 0x0e, 0x16, 0x24};
	struct spemu_fault f = {0};

	switch (below(w, 4)) {
	case 0:
		f.kind = SPEMU_FAULT_STAGE2;
		f.fsc = stage2[below(w, sizeof(stage2))];
		f.top_level = one_in(w, 2);
		break;
	case 1:
		f.kind = SPEMU_FAULT_GPC;
		f.external = one_in(w, 2);
		break;
	default:
		f.kind = SPEMU_FAULT_STAGE1;
		f.fsc = stage1[below(w, sizeof(stage1))];
		f.overlay = one_in(w, 2);
	}
	return f;
}

static int host_translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                          const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	struct world *w = ctx;
	unsigned page = (unsigned)((access->address - BUFFER_BASE) / PAGE);

	(void)pe;
	*result = (struct spemu_translation){.physical = access->address,
	                                     .pas = access->security,
	                                     .region_log2 = 12,
	                                     .memory = {.type = SPEMU_MEMORY_NORMAL}};
	if (!in_arena(access->address))
		return 0;
	if (w->page_fault[page]) {
		*fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1,
		                              .fsc = (uint8_t)(w->page_fault[page] - 1)};
		return fault->kind;
	}
	result->physical = BUFFER_BASE + (uint64_t)w->page[page] * PAGE + access->address % PAGE;
	if (w->device[page])
		result->memory.type = result->stage1.type = SPEMU_MEMORY_DEVICE_GRE;
	return 0;
}

/* Write bytes to the flat memory. Bytes outside of the memory are dropped. */
static void store(struct world *w, const struct spemu_buffer_write *access, const uint8_t *data,
                  size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint64_t address = access->address + i;

		if (access->translated) {
			address = access->physical + i;
			assert_true(access->physical / PAGE == address / PAGE);
		} else if (in_arena(address)) {
			address = BUFFER_BASE +
			          (uint64_t)w->page[(address - BUFFER_BASE) / PAGE] * PAGE +
			          address % PAGE;
		}
		if (in_arena(address))
			w->arena[address - BUFFER_BASE] = data[i];
	}
	w->written += size;
}

static void check_access(const struct world *w, const struct spemu_buffer_write *access,
                         size_t size)
{
	uint64_t pointer = get(w, SPEMU_REG_PMBPTR_EL1);
	struct spemu_owner owner;

	assert_in_range(size, 1, SPEMU_RECORD_MAX);
	if (!w->free) {
		assert_true(access->address >= w->start && access->address >= pointer);
		assert_true(access->address + size <= limit_of(w));
		assert_true(access->address - pointer + size <= UINT64_C(1)
		                                                        << w->config.max_size_log2);
	}
	if (!w->strict)
		return;
	spemu_spu_buffer_owner(w->spu, &owner);
	assert_int_equal(access->security, owner.security);
	assert_int_equal(access->owner_el, owner.el);
	assert_int_equal(spemu__pe_scr_nse(w->spu->pe) << 1 | spemu__pe_scr_ns(w->spu->pe),
	                 owner.security);
	/* Profiling is not stopped, and the PE is not in Debug state. */
	assert_true(decisions_of(w->pe).buffer_enabled);
	assert_true(access->privileged);
}

static int host_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                      const void *data, size_t size)
{
	struct world *w = ctx;
	unsigned page = (unsigned)((access->address - BUFFER_BASE) / PAGE);
	size_t good = size;

	check_access(w, access, size);
	if (!access->translated && in_arena(access->address) && w->page_fault[page]) {
		*fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1,
		                              .fsc = (uint8_t)(w->page_fault[page] - 1)};
		return 1;
	}
	if (one_in(w, 50)) {
		*fault = random_fault(w);
		good = fault->written = below(w, (unsigned)size);
		if (one_in(w, 4)) {
			fault->kind = SPEMU_FAULT_EXTERNAL;
			/* With the default choices, the SPU does not report the abort. */
			w->unknown = true;
		}
	}
	store(w, access, data, good);
	return good < size;
}

static void host_irq(void *ctx, bool level)
{
	struct world *w = ctx;

	assert_int_not_equal(level, w->irq);
	w->irq = level;
}

static void host_freeze(void *ctx, bool freeze)
{
	struct world *w = ctx;

	assert_int_not_equal(freeze, w->freeze);
	w->freeze = freeze;
}

static void host_exception(void *ctx, unsigned target_el)
{
	struct world *w = ctx;

	assert_int_not_equal(target_el, w->target);
	w->target = target_el;
}

#endif
