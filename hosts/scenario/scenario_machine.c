/* SPDX-License-Identifier: MIT */
/* The machine of a scenario; see scenario_machine.h. */
#include "scenario_machine.h"

#include <stdlib.h>
#include <string.h>

#include "values.h"

/* Make room for count members of the array at *array. If memory is exhausted, note that and return
 * false. */
static bool grow(struct machine *m, void *array, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = *capacity ? *capacity : 64;
	void *old, *p;

	if (count <= *capacity)
		return true;
	while (wanted < count)
		wanted *= 2;
	memcpy(&old, array, sizeof(old));
	p = realloc(old, wanted * size);
	m->out_of_memory |= !p;
	if (!p)
		return false;
	memcpy(array, &p, sizeof(p));
	*capacity = wanted;
	return true;
}

static void keep_record(struct machine *m)
{
	const struct record_parts *r = &m->parts;

	if (m->stream_size + r->size > MACHINE_MEMORY_MAX) {
		m->out_of_memory = true;
		return;
	}
	if (!grow(m, &m->stream, &m->stream_capacity, m->stream_size + r->size, 1) ||
	    !grow(m, &m->records, &m->record_capacity, m->record_count + 1, sizeof(*m->records)))
		return;
	memcpy(m->stream + m->stream_size, r->data, r->size);
	m->records[m->record_count++] = (struct written){r->address, m->stream_size, r->size};
	m->stream_size += r->size;
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
			m->pmu_count[i] += count;
	if (m->pmu)
		(void)spemu_pmu_count(m->pmu, event, count);
}

static void count_serror(void *ctx)
{
	((struct machine *)ctx)->count[COUNT_SERRORS]++;
}

/* Note a diagnostic. The same diagnostic at the same line gets only one entry, so that a repetition
 * does not fill the memory. */
static void note_diagnostic(void *ctx, const struct spemu_diagnostic *d)
{
	struct machine *m = ctx;
	struct diagnosed *p;

	m->count[COUNT_DIAGNOSTICS]++;
	for (size_t i = 0; i < m->diagnosed_count; i++) {
		p = &m->diagnosed[i];
		if (!p->expected && p->line == m->line && p->what.name == d->name)
			return;
	}
	if (grow(m, &m->diagnosed, &m->diagnosed_capacity, m->diagnosed_count + 1, sizeof(*p)))
		m->diagnosed[m->diagnosed_count++] = (struct diagnosed){*d, m->line, false};
}

/* Count a sample that has ended, maybe late. If it has a record, the record is in m->parts. */
static void finish_sample(void *ctx, const struct spemu_sample_result *result)
{
	static const uint8_t counts[] = {
	        [SPEMU_SAMPLE_RECORDED] = COUNT_RECORDS,
	        [SPEMU_SAMPLE_FILTERED] = COUNT_FILTERED,
	        [SPEMU_SAMPLE_DISCARDED] = COUNT_DISCARDED,
	        [SPEMU_SAMPLE_LOST] = COUNT_LOST,
	};
	struct machine *m = ctx;

	/* Keep a record whose outcome is RECORDED, even if an External abort was ignored. */
	if (result->outcome == SPEMU_SAMPLE_RECORDED && m->parts.size)
		keep_record(m);
	m->parts.size = 0;
	m->count[counts[result->outcome]]++;
	m->count[COUNT_MANAGEMENT] += result->management_event;
}

static uint64_t read_clock(void *ctx)
{
	return ((struct machine *)ctx)->clock;
}

int machine_start(struct machine *m, const struct spemu_pe_config *pe,
                  const struct spemu_spu_config *config)
{
	struct spemu_spu_host host = {
	        .size = sizeof(host),
	        .ctx = m,
	        .buffer_write = machine_write,
	        .pmbirq = set_irq,
	        .pmu_event = count_pmu,
	        .counter = read_clock,
	        .translate = m->translate == TRANSLATE_NONE ? NULL : machine_translate,
	        .serror = count_serror,
	        .diagnostic = note_diagnostic,
	        .sample_done = finish_sample};
	int status;

	m->pe_memory = malloc(spemu_pe_size());
	m->spu_memory = malloc(spemu_spu_size());
	if (!m->pe_memory || !m->spu_memory)
		return SPEMU_ERR_NOSPACE;
	status = spemu_pe_init(&m->pe, m->pe_memory, spemu_pe_size(), pe);
	if (status)
		return status;
	status = machine_start_walker(m);
	if (status)
		return status;
	m->slots = config->samples_in_flight ? config->samples_in_flight : 1;
	status = spemu_spu_init(&m->spu, m->spu_memory, spemu_spu_size(), m->pe, config, &host);
	if (status)
		m->spu = NULL;
	else if (spemu_has(&pe->features, SPEMU_FEAT_PMUV3))
		status = machine_start_pmu(m, note_diagnostic);
	return status;
}

void machine_stop(struct machine *m)
{
	for (size_t i = 0; i < m->region_count; i++)
		free(m->regions[i].data);
	free(m->regions);
	free(m->faults);
	free(m->diagnosed);
	free(m->stream);
	free(m->records);
	free(m->spu_memory);
	free(m->pe_memory);
	free(m->pmu_memory);
	free(m->mmu_memory);
	*m = (struct machine){0};
}

void machine_ops(struct machine *m, uint64_t count)
{
	m->count[COUNT_OPERATIONS] += count;
	(void)spemu_spu_ops(m->spu, count);
}

bool machine_begin(struct machine *m, unsigned *slot, uint64_t pc)
{
	bool started = spemu_spu_sample_begin_slot(m->spu, slot, pc) == SPEMU_SAMPLE_STARTED;

	m->count[COUNT_OPERATIONS]++;
	m->count[started ? COUNT_SAMPLES : COUNT_COLLISIONS]++;
	if (started)
		m->started[*slot] = m->count[COUNT_SAMPLES];
	return started;
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
		spemu_spu_branch(m->spu, target, flags, elsewhere ? &destination : NULL);
}

void machine_end(struct machine *m, unsigned slot, const struct spemu_op *op,
                 struct spemu_sample_result *result)
{
	*result = (struct spemu_sample_result){0};
	m->parts.size = 0;
	if (!m->started[slot])
		return;
	m->started[slot] = 0;
	m->refused = spemu_spu_sample_end_slot(m->spu, result, slot, op);
	if (result->outcome != SPEMU_SAMPLE_PENDING)
		finish_sample(m, result);
}
