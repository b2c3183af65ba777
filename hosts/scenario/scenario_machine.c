/* SPDX-License-Identifier: MIT */
/*
 * See scenario_machine.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.7, D24.7.5 (fault status codes). A write faults at the first byte that
 * a planned fault covers or that no region holds; what was before that byte has been written.
 */
#include "scenario_machine.h"

#include <stdlib.h>
#include <string.h>

#include "subject.h"

enum { FSC_TRANSLATION_LEVEL3 = 0x07, FSC_PERMISSION_LEVEL3 = 0x0f };

/* How a write ends where there is no memory, by the kind of address. */
static struct spemu_fault unmapped_fault(const struct spemu_access *access)
{
	struct spemu_fault fault = {.kind = SPEMU_FAULT_STAGE1, .fsc = FSC_TRANSLATION_LEVEL3};

	if (access->address_type == SPEMU_ADDRESS_IPA)
		fault.kind = SPEMU_FAULT_STAGE2;
	if (access->address_type == SPEMU_ADDRESS_PA)
		fault = (struct spemu_fault){.kind = SPEMU_FAULT_EXTERNAL};
	return fault;
}

static struct region *find_region(const struct machine *m, uint64_t address, uint8_t types)
{
	for (size_t i = 0; i < m->region_count; i++) {
		struct region *r = &m->regions[i];

		if ((r->types & types) && address >= r->base && address - r->base < r->size)
			return r;
	}
	return NULL;
}

/* The first byte of [address, address + size) that a planned fault covers: its offset, or size. */
static size_t find_fault(const struct machine *m, const struct planned_fault **found,
                         uint64_t address, size_t size)
{
	size_t first = size;

	for (size_t i = 0; i < m->fault_count; i++) {
		const struct planned_fault *f = &m->faults[i];
		uint64_t offset = f->address > address ? f->address - address : 0;

		if (offset < first && address + offset - f->address < f->size) {
			first = (size_t)offset;
			*found = f;
		}
	}
	return first;
}

static void *grow(void *array, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = *capacity ? *capacity : 64;

	while (wanted < count)
		wanted *= 2;
	array = realloc(array, wanted * size);
	if (array)
		*capacity = wanted;
	return array;
}

static void keep_record(struct machine *m, uint64_t address, const void *data, size_t size)
{
	void *p;

	if (m->stream_size + size > MACHINE_MEMORY_MAX) {
		m->out_of_memory = true;
		return;
	}
	if (m->stream_size + size > m->stream_capacity) {
		p = grow(m->stream, &m->stream_capacity, m->stream_size + size, 1);
		m->out_of_memory |= !p;
		if (!p)
			return;
		m->stream = p;
	}
	if (m->record_count == m->record_capacity) {
		p = grow(m->records, &m->record_capacity, m->record_count + 1, sizeof(*m->records));
		m->out_of_memory |= !p;
		if (!p)
			return;
		m->records = p;
	}
	memcpy(m->stream + m->stream_size, data, size);
	m->records[m->record_count++] = (struct written){address, m->stream_size, (unsigned)size};
	m->stream_size += size;
}

static int write_buffer(void *ctx, const struct spemu_access *access, const void *data, size_t size,
                        struct spemu_fault *fault)
{
	struct machine *m = ctx;
	const struct planned_fault *planned = NULL;
	size_t end = find_fault(m, &planned, access->address, size), done = 0;

	m->access = *access;
	m->access_size = (unsigned)size;
	while (done < end) {
		struct region *r = find_region(m, access->address + done,
		                               (uint8_t)(1u << access->address_type));
		uint64_t offset, part;

		if (!r || !r->writable) {
			*fault = unmapped_fault(access);
			if (r)
				*fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1,
				                              .fsc = FSC_PERMISSION_LEVEL3};
			fault->written = (uint32_t)done;
			return 1;
		}
		offset = access->address + done - r->base;
		part = r->size - offset < end - done ? r->size - offset : end - done;
		memcpy(r->data + offset, (const uint8_t *)data + done, (size_t)part);
		done += (size_t)part;
	}
	m->kept = !planned || planned->fault.kind == SPEMU_FAULT_EXTERNAL;
	if (m->kept) /* an External abort may be ignored: machine_end() knows */
		keep_record(m, access->address, data, size);
	if (!planned)
		return 0;
	*fault = planned->fault;
	fault->written = (uint32_t)done;
	return 1;
}

static void set_irq(void *ctx, bool level)
{
	struct machine *m = ctx;

	m->irq = level;
	m->count[COUNT_INTERRUPTS] += level;
}

static void count_pmu(void *ctx, uint16_t event, uint64_t count)
{
	struct machine *m = ctx;

	for (unsigned i = 0; pmu_event_names[i]; i++)
		if (pmu_event_numbers[i] == event)
			m->pmu[i] += count;
}

static uint64_t read_clock(void *ctx)
{
	return ((struct machine *)ctx)->clock;
}

int machine_start(struct machine *m, const struct spemu_config *config)
{
	struct spemu_host host = {.size = sizeof(host),
	                          .ctx = m,
	                          .buffer_write = write_buffer,
	                          .pmbirq = set_irq,
	                          .pmu_event = count_pmu,
	                          .counter = read_clock};
	int status;

	m->spu_memory = malloc(spemu_size());
	if (!m->spu_memory)
		return SPEMU_ERR_NOSPACE;
	m->slots = config->samples_in_flight ? config->samples_in_flight : 1;
	status = spemu_init(&m->spu, m->spu_memory, spemu_size(), config, &host);
	if (status)
		m->spu = NULL;
	/* What the registers' UNKNOWN reset values brought about is not an interrupt of the
	 * scenario. */
	m->count[COUNT_INTERRUPTS] = 0;
	return status;
}

void machine_stop(struct machine *m)
{
	for (size_t i = 0; i < m->region_count; i++)
		free(m->regions[i].data);
	free(m->regions);
	free(m->faults);
	free(m->stream);
	free(m->records);
	free(m->spu_memory);
	*m = (struct machine){0};
}

static bool overlaps(const struct machine *m, uint64_t base, uint64_t size, uint8_t types)
{
	for (size_t i = 0; i < m->region_count; i++) {
		const struct region *r = &m->regions[i];

		if ((r->types & types) && base - r->base < r->size)
			return true;
		if ((r->types & types) && r->base - base < size)
			return true;
	}
	return false;
}

bool machine_map(struct machine *m, const char **why, uint64_t base, uint64_t size, bool writable,
                 uint8_t types)
{
	struct region *regions;
	uint8_t *data;

	*why = "a scenario maps at most 256M of memory";
	if (size > MACHINE_MEMORY_MAX || m->mapped + size > MACHINE_MEMORY_MAX)
		return false;
	*why = "this memory overlaps other memory";
	if (overlaps(m, base, size, types))
		return false;
	*why = "out of memory";
	data = calloc(1, (size_t)size);
	if (!data)
		return false;
	regions = realloc(m->regions, (m->region_count + 1) * sizeof(*regions));
	if (!regions) {
		free(data);
		return false;
	}
	m->regions = regions;
	m->regions[m->region_count++] = (struct region){base, size, data, writable, types};
	m->mapped += size;
	return true;
}

bool machine_plan_fault(struct machine *m, const struct planned_fault *fault)
{
	struct planned_fault *faults = realloc(m->faults, (m->fault_count + 1) * sizeof(*faults));

	if (!faults)
		return false;
	m->faults = faults;
	m->faults[m->fault_count++] = *fault;
	return true;
}

void machine_forget_faults(struct machine *m)
{
	m->fault_count = 0;
}

void machine_ops(struct machine *m, uint64_t count)
{
	m->count[COUNT_OPERATIONS] += count;
	(void)spemu_ops(m->spu, count);
}

bool machine_begin(struct machine *m, unsigned *slot, uint64_t pc)
{
	bool started = spemu_sample_begin_slot(m->spu, slot, pc) == SPEMU_SAMPLE_STARTED;

	m->count[COUNT_OPERATIONS]++;
	m->count[started ? COUNT_SAMPLES : COUNT_COLLISIONS]++;
	if (started)
		m->started[*slot] = m->count[COUNT_SAMPLES];
	return started;
}

bool machine_is_busy(const struct machine *m)
{
	return spemu_samples_in_flight(m->spu) == m->slots;
}

bool machine_oldest(const struct machine *m, unsigned *slot)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++) {
		if (m->started[i] && m->started[i] < least) {
			least = m->started[i];
			*slot = i;
		}
	}
	return least != UINT64_MAX;
}

void machine_branch(struct machine *m, const struct spemu_op *op)
{
	struct spemu_pe_state destination = {.el = op->target_el};
	uint32_t flags = op->kind.flags;
	uint64_t target = op->target;
	bool elsewhere = op->valid & SPEMU_OPV_TARGET_CONTEXT;

	if (op->exception)
		flags = SPEMU_OPF_EXCEPTION;
	else if (flags & SPEMU_OPF_ISB)
		target = op->pc + 4;
	else if (op->kind.type != SPEMU_OP_BRANCH || !op->cond_pass)
		return;
	if (op->retired && ((op->valid & SPEMU_OPV_TARGET) || (flags & SPEMU_OPF_ISB)))
		spemu_branch(m->spu, target, flags, elsewhere ? &destination : NULL);
}

void machine_end(struct machine *m, unsigned slot, const struct spemu_op *op,
                 struct spemu_sample_result *result)
{
	static const uint8_t counts[] = {
	        [SPEMU_SAMPLE_RECORDED] = COUNT_RECORDS,
	        [SPEMU_SAMPLE_FILTERED] = COUNT_FILTERED,
	        [SPEMU_SAMPLE_DISCARDED] = COUNT_DISCARDED,
	        [SPEMU_SAMPLE_LOST] = COUNT_LOST,
	};

	*result = (struct spemu_sample_result){0};
	m->kept = false;
	if (!m->started[slot] || spemu_sample_end_slot(m->spu, slot, op, result))
		return;
	m->started[slot] = 0;
	if (m->kept && m->record_count && result->outcome == SPEMU_SAMPLE_LOST)
		m->stream_size = m->records[--m->record_count].offset;
	m->count[counts[result->outcome]]++;
	m->count[COUNT_MANAGEMENT] += result->management_event;
}

size_t machine_memory(const struct machine *m, const uint8_t **data, uint64_t address)
{
	const struct region *r = find_region(m, address, 0xff);

	if (!r)
		return 0;
	*data = r->data + (address - r->base);
	return (size_t)(r->size - (address - r->base));
}
