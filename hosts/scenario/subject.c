/* SPDX-License-Identifier: MIT */
/* See subject.h. Arm ARM: DDI 0487 M.a, D18.2 (packets of a record), D14.3 (PMU events). */
#include "subject.h"

#include <stdio.h>
#include <string.h>

#include "scenario_machine.h"
#include "script.h"

const char *const pmu_event_names[] = {
        "SAMPLE_POP",       "SAMPLE_FEED",       "SAMPLE_FILTRATE",
        "SAMPLE_COLLISION", "SAMPLE_FEED_DS",    "SAMPLE_BUFFER_FULL",
        "SAMPLE_FEED_BR",   "SAMPLE_FEED_LD",    "SAMPLE_FEED_ST",
        "SAMPLE_FEED_OP",   "SAMPLE_FEED_EVENT", "SAMPLE_FEED_LAT",
        "SAMPLE_FEED_FP",   "SAMPLE_FEED_SIMD",  NULL,
};
const uint16_t pmu_event_numbers[] = {
        SPEMU_PMU_SAMPLE_POP,       SPEMU_PMU_SAMPLE_FEED,       SPEMU_PMU_SAMPLE_FILTRATE,
        SPEMU_PMU_SAMPLE_COLLISION, SPEMU_PMU_SAMPLE_FEED_DS,    SPEMU_PMU_SAMPLE_BUFFER_FULL,
        SPEMU_PMU_SAMPLE_FEED_BR,   SPEMU_PMU_SAMPLE_FEED_LD,    SPEMU_PMU_SAMPLE_FEED_ST,
        SPEMU_PMU_SAMPLE_FEED_OP,   SPEMU_PMU_SAMPLE_FEED_EVENT, SPEMU_PMU_SAMPLE_FEED_LAT,
        SPEMU_PMU_SAMPLE_FEED_FP,   SPEMU_PMU_SAMPLE_FEED_SIMD,
};
_Static_assert(sizeof(pmu_event_numbers) / sizeof(uint16_t) <= PMU_EVENT_MAX, "room to count");

const char *const security_names[] = {"Secure", "Non-secure", "Root", "Realm", NULL};
const char *const address_type_names[] = {"va", "ipa", "pa", NULL};

void value_text(char *text, size_t size, enum value_kind kind, uint64_t value)
{
	const char *word = NULL;

	switch (kind) {
	case VALUE_YES_NO:
		word = value == 0 ? "no" : value == 1 ? "yes" : NULL;
		break;
	case VALUE_DISTANCE:
		word = value == UINT64_MAX ? "never" : NULL;
		break;
	case VALUE_SECURITY:
		word = value < 4 ? security_names[value] : NULL;
		break;
	case VALUE_ADDRESS_TYPE:
		word = value < 3 ? address_type_names[value] : NULL;
		break;
	case VALUE_OWNER:
		snprintf(text, size, "%s/EL%u", security_names[value >> 8 & 3],
		         (unsigned)value & 3);
		return;
	case VALUE_EVENTS:
		events_text(text, size, value);
		return;
	case VALUE_HEX:
		snprintf(text, size, "%#llx", (unsigned long long)value);
		return;
	case VALUE_DECIMAL:
	case VALUE_TEXT:
		break;
	}
	if (word)
		snprintf(text, size, "%s", word);
	else
		snprintf(text, size, "%llu", (unsigned long long)value);
}

/* Of the machine. */

static bool get_irq(struct query *q, uint64_t *value)
{
	*value = spemu_pmbirq(q->machine->spu);
	return true;
}

static bool get_ptr(struct query *q, uint64_t *value)
{
	return spemu_reg_get(q->machine->spu, value, SPEMU_REG_PMBPTR_EL1) == SPEMU_OK;
}

static bool get_count(struct query *q, uint64_t *value)
{
	*value = q->machine->count[q->argument];
	return true;
}

static bool get_pmu(struct query *q, uint64_t *value)
{
	*value = q->machine->pmu[q->argument];
	return true;
}

static bool get_until(struct query *q, uint64_t *value)
{
	*value = spemu_ops_until_sample(q->machine->spu);
	return true;
}

static bool get_enabled(struct query *q, uint64_t *value)
{
	struct spemu_pe_state state;

	spemu_pe_get(q->machine->spu, &state);
	*value =
	        spemu_profiling_enabled(q->machine->spu, q->argument == 4 ? state.el : q->argument);
	return true;
}

static bool get_buffer_enabled(struct query *q, uint64_t *value)
{
	*value = spemu_buffer_enabled(q->machine->spu);
	return true;
}

static bool get_stopped(struct query *q, uint64_t *value)
{
	*value = spemu_profiling_stopped(q->machine->spu);
	return true;
}

static bool get_owner(struct query *q, uint64_t *value)
{
	struct spemu_owner owner;

	spemu_buffer_owner(q->machine->spu, &owner);
	*value = (uint64_t)owner.security << 8 | owner.el;
	return true;
}

static bool get_in_flight(struct query *q, uint64_t *value)
{
	*value = spemu_samples_in_flight(q->machine->spu);
	if (q->argument)
		*value = *value != 0;
	return true;
}

static bool get_clock(struct query *q, uint64_t *value)
{
	*value = q->machine->clock;
	return true;
}

enum { WRITE_ADDRESS, WRITE_SIZE, WRITE_TYPE, WRITE_SECURITY, WRITE_EL, WRITE_E2H };

static bool get_write(struct query *q, uint64_t *value)
{
	const struct spemu_access *a = &q->machine->access;
	const uint64_t values[] = {a->address,      q->machine->access_size,
	                           a->address_type, a->security,
	                           a->owner_el,     a->e2h};

	*value = values[q->argument];
	return q->machine->access_size != 0;
}

const struct subject machine_subjects[] = {
        {"irq", VALUE_YES_NO, get_irq, 0},
        {"ptr", VALUE_HEX, get_ptr, 0},
        {"samples", VALUE_DECIMAL, get_count, COUNT_SAMPLES},
        {"collisions", VALUE_DECIMAL, get_count, COUNT_COLLISIONS},
        {"records", VALUE_DECIMAL, get_count, COUNT_RECORDS},
        {"filtered", VALUE_DECIMAL, get_count, COUNT_FILTERED},
        {"discarded", VALUE_DECIMAL, get_count, COUNT_DISCARDED},
        {"lost", VALUE_DECIMAL, get_count, COUNT_LOST},
        {"management-events", VALUE_DECIMAL, get_count, COUNT_MANAGEMENT},
        {"operations", VALUE_DECIMAL, get_count, COUNT_OPERATIONS},
        {"interrupts", VALUE_DECIMAL, get_count, COUNT_INTERRUPTS},
        {"until-sample", VALUE_DISTANCE, get_until, 0},
        {"enabled", VALUE_YES_NO, get_enabled, 4},
        {"enabled.EL0", VALUE_YES_NO, get_enabled, 0},
        {"enabled.EL1", VALUE_YES_NO, get_enabled, 1},
        {"enabled.EL2", VALUE_YES_NO, get_enabled, 2},
        {"enabled.EL3", VALUE_YES_NO, get_enabled, 3},
        {"buffer-enabled", VALUE_YES_NO, get_buffer_enabled, 0},
        {"stopped", VALUE_YES_NO, get_stopped, 0},
        {"owner", VALUE_OWNER, get_owner, 0},
        {"in-flight", VALUE_YES_NO, get_in_flight, 1},
        {"samples-in-flight", VALUE_DECIMAL, get_in_flight, 0},
        {"clock", VALUE_DECIMAL, get_clock, 0},
        {"write.address", VALUE_HEX, get_write, WRITE_ADDRESS},
        {"write.size", VALUE_DECIMAL, get_write, WRITE_SIZE},
        {"write.type", VALUE_ADDRESS_TYPE, get_write, WRITE_TYPE},
        {"write.security", VALUE_SECURITY, get_write, WRITE_SECURITY},
        {"write.el", VALUE_DECIMAL, get_write, WRITE_EL},
        {"write.e2h", VALUE_YES_NO, get_write, WRITE_E2H},
        {"pmu.", VALUE_DECIMAL, get_pmu, 0},
        {NULL, VALUE_HEX, NULL, 0},
};

/* Of a record. argument: INDEX, and which part of the Address packet's payload. */

enum {
	PART_RAW = 0,
	PART_ADDRESS = 1,
	PART_EL = 2,
	PART_NS = 3,
	PART_NSE = 4,
	PART_CH = 5,
	PART_PAT = 6
};
#define ADDRESS_PART(index, part) ((index) | (part) << 8)

static bool get_address(struct query *q, uint64_t *value)
{
	unsigned index = q->argument & 7;
	uint64_t payload = q->record->addr[index];
	uint64_t low = payload & UINT64_C(0x00ffffffffffffff);

	switch (q->argument >> 8) {
	case PART_ADDRESS: /* a virtual address as software writes it; physical ones are positive */
		*value = index != SPEMU_ADDR_DATA_PA && low >> 55
		                 ? low | UINT64_C(0xff00000000000000)
		                 : low;
		break;
	case PART_EL:
		*value = payload >> 61 & 3;
		break;
	case PART_NS:
		*value = payload >> 63;
		break;
	case PART_NSE:
		*value = payload >> 60 & 1;
		break;
	case PART_CH:
		*value = payload >> 62 & 1;
		break;
	case PART_PAT:
		*value = payload >> 56 & 15;
		break;
	default:
		*value = payload;
	}
	return q->record->present & SPEMU_REC_ADDR(index);
}

static bool get_counter(struct query *q, uint64_t *value)
{
	*value = q->record->counter[q->argument];
	return q->record->present & SPEMU_REC_COUNTER(q->argument);
}

static bool get_context(struct query *q, uint64_t *value)
{
	*value = q->record->context[q->argument];
	return q->record->present & SPEMU_REC_CONTEXT(q->argument);
}

static bool get_events(struct query *q, uint64_t *value)
{
	*value = q->record->events;
	return q->record->present & SPEMU_REC_EVENTS;
}

enum { TYPE_CLASS, TYPE_SUBCLASS };

static bool get_type(struct query *q, uint64_t *value)
{
	*value = q->argument == TYPE_CLASS ? q->record->op_class : q->record->op_subclass;
	return q->record->present & SPEMU_REC_OP_TYPE;
}

static bool get_source(struct query *q, uint64_t *value)
{
	*value = q->record->data_source;
	return q->record->present & SPEMU_REC_DATA_SOURCE;
}

static bool get_timestamp(struct query *q, uint64_t *value)
{
	*value = q->record->timestamp;
	return q->record->present & SPEMU_REC_TIMESTAMP;
}

static bool get_size(struct query *q, uint64_t *value)
{
	*value = q->record->size;
	return true;
}

/* The Operation Type packet in words. */
static bool get_op(struct query *q, uint64_t *value)
{
	struct spemu_packet pkt = {.type = SPEMU_PKT_OP_TYPE,
	                           .index = q->record->op_class,
	                           .header_size = 1,
	                           .payload_size = 1,
	                           .payload = q->record->op_subclass};

	*value = 0;
	spemu_packet_describe(q->text, sizeof(q->text), &pkt);
	return q->record->present & SPEMU_REC_OP_TYPE;
}

#define ADDRESS_SUBJECTS(name, index)                                              \
	{name, VALUE_HEX, get_address, ADDRESS_PART(index, PART_ADDRESS)},         \
	{                                                                          \
		name ".raw", VALUE_HEX, get_address, ADDRESS_PART(index, PART_RAW) \
	}
#define CODE_SUBJECTS(name, index)                                                      \
	ADDRESS_SUBJECTS(name, index),                                                  \
	        {name ".el", VALUE_DECIMAL, get_address, ADDRESS_PART(index, PART_EL)}, \
	        {name ".ns", VALUE_DECIMAL, get_address, ADDRESS_PART(index, PART_NS)}, \
	{                                                                               \
		name ".nse", VALUE_DECIMAL, get_address, ADDRESS_PART(index, PART_NSE)  \
	}

const struct subject record_subjects[] = {
        CODE_SUBJECTS("pc", SPEMU_ADDR_PC),
        CODE_SUBJECTS("target", SPEMU_ADDR_BRANCH_TARGET),
        {"va", VALUE_HEX, get_address, ADDRESS_PART(SPEMU_ADDR_DATA_VA, PART_RAW)},
        ADDRESS_SUBJECTS("pa", SPEMU_ADDR_DATA_PA),
        {"pa.ns", VALUE_DECIMAL, get_address, ADDRESS_PART(SPEMU_ADDR_DATA_PA, PART_NS)},
        {"pa.nse", VALUE_DECIMAL, get_address, ADDRESS_PART(SPEMU_ADDR_DATA_PA, PART_NSE)},
        {"pa.ch", VALUE_DECIMAL, get_address, ADDRESS_PART(SPEMU_ADDR_DATA_PA, PART_CH)},
        {"pa.pat", VALUE_DECIMAL, get_address, ADDRESS_PART(SPEMU_ADDR_DATA_PA, PART_PAT)},
        CODE_SUBJECTS("prev-target", SPEMU_ADDR_PREV_BRANCH_TARGET),
        {"total", VALUE_DECIMAL, get_counter, SPEMU_COUNTER_TOTAL},
        {"issue", VALUE_DECIMAL, get_counter, SPEMU_COUNTER_ISSUE},
        {"xlat", VALUE_DECIMAL, get_counter, SPEMU_COUNTER_TRANSLATION},
        {"alt-issue", VALUE_DECIMAL, get_counter, SPEMU_COUNTER_ALT_ISSUE},
        {"context1", VALUE_DECIMAL, get_context, 0},
        {"context2", VALUE_DECIMAL, get_context, 1},
        {"events", VALUE_EVENTS, get_events, 0},
        {"class", VALUE_DECIMAL, get_type, TYPE_CLASS},
        {"subclass", VALUE_HEX, get_type, TYPE_SUBCLASS},
        {"op", VALUE_TEXT, get_op, 0},
        {"source", VALUE_HEX, get_source, 0},
        {"timestamp", VALUE_DECIMAL, get_timestamp, 0},
        {"size", VALUE_DECIMAL, get_size, 0},
        {NULL, VALUE_HEX, NULL, 0},
};
