/* SPDX-License-Identifier: MIT */
/* What a record can be asked. Arm ARM: DDI 0487 M.a, D18.2 (packets of a record). */
#include "subject.h"

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

	switch (q->argument >> 8) {
	case PART_ADDRESS: /* a virtual address as software writes it; physical ones are positive */
		*value = index == SPEMU_ADDR_DATA_PA ? spemu_addr_bits(payload)
		                                     : spemu_addr_va(payload);
		break;
	case PART_EL:
		*value = spemu_addr_el(payload);
		break;
	case PART_NS:
		*value = spemu_addr_ns(payload);
		break;
	case PART_NSE:
		*value = spemu_addr_nse(payload);
		break;
	case PART_CH:
		*value = spemu_addr_ch(payload);
		break;
	case PART_PAT:
		*value = spemu_addr_pat(payload);
		break;
	default:
		*value = payload;
	}
	return q->record->present & SPEMU_RECORD_ADDR(index);
}

static bool get_counter(struct query *q, uint64_t *value)
{
	*value = q->record->counter[q->argument];
	return q->record->present & SPEMU_RECORD_COUNTER(q->argument);
}

static bool get_context(struct query *q, uint64_t *value)
{
	*value = q->record->context[q->argument];
	return q->record->present & SPEMU_RECORD_CONTEXT(q->argument);
}

static bool get_events(struct query *q, uint64_t *value)
{
	*value = q->record->events;
	return q->record->present & SPEMU_RECORD_EVENTS;
}

enum { TYPE_CLASS, TYPE_SUBCLASS };

static bool get_type(struct query *q, uint64_t *value)
{
	*value = q->argument == TYPE_CLASS ? q->record->op_class : q->record->op_subclass;
	return q->record->present & SPEMU_RECORD_OP_TYPE;
}

static bool get_source(struct query *q, uint64_t *value)
{
	*value = q->record->data_source;
	return q->record->present & SPEMU_RECORD_DATA_SOURCE;
}

static bool get_timestamp(struct query *q, uint64_t *value)
{
	*value = q->record->timestamp;
	return q->record->present & SPEMU_RECORD_TIMESTAMP;
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
	return q->record->present & SPEMU_RECORD_OP_TYPE;
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
        {"context1", VALUE_DECIMAL, get_context, SPEMU_CONTEXT_EL1},
        {"context2", VALUE_DECIMAL, get_context, SPEMU_CONTEXT_EL2},
        {"events", VALUE_EVENTS, get_events, 0},
        {"class", VALUE_DECIMAL, get_type, TYPE_CLASS},
        {"subclass", VALUE_HEX, get_type, TYPE_SUBCLASS},
        {"op", VALUE_TEXT, get_op, 0},
        {"source", VALUE_HEX, get_source, 0},
        {"timestamp", VALUE_DECIMAL, get_timestamp, 0},
        {"size", VALUE_DECIMAL, get_size, 0},
        {NULL, VALUE_HEX, NULL, 0},
};
