/* SPDX-License-Identifier: MIT */
/* Subjects of expectations about a record. Arm ARM: DDI 0487 M.a, D18.2 (packets of a record). */
#include "subject.h"

/* Arguments of get_address(): the INDEX of the Address packet, and a part of its payload. */
enum address_part {
	PART_RAW,
	PART_ADDRESS,
	PART_EL,
	PART_NS,
	PART_NSE,
	PART_CH,
	PART_PAT,
};
#define ADDRESS_PART(index, part) ((index) | (part) << 8)

static bool get_address(struct query *q, uint64_t *value)
{
	unsigned index = q->argument & 7;
	uint64_t payload = q->record->addr[index];
	bool physical = index == SPEMU_ADDR_DATA_PA;
	const uint64_t parts[] = {
	        [PART_RAW] = payload,
	        /* A virtual address is sign-extended, as software writes it. A physical address is
	         * not. */
	        [PART_ADDRESS] = physical ? spemu_addr_bits(payload) : spemu_addr_va(payload),
	        [PART_EL] = spemu_addr_el(payload),
	        [PART_NS] = spemu_addr_ns(payload),
	        [PART_NSE] = spemu_addr_nse(payload),
	        [PART_CH] = spemu_addr_ch(payload),
	        [PART_PAT] = spemu_addr_pat(payload),
	};

	*value = parts[q->argument >> 8];
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

enum record_field { EVENTS, CLASS, SUBCLASS, SOURCE, TIMESTAMP, SIZE };

static bool get_field(struct query *q, uint64_t *value)
{
	const struct spemu_record *r = q->record;
	const struct {
		uint64_t value;
		bool present;
	} fields[] = {
	        [EVENTS] = {r->events, r->present & SPEMU_RECORD_EVENTS},
	        [CLASS] = {r->op_class, r->present & SPEMU_RECORD_OP_TYPE},
	        [SUBCLASS] = {r->op_subclass, r->present & SPEMU_RECORD_OP_TYPE},
	        [SOURCE] = {r->data_source, r->present & SPEMU_RECORD_DATA_SOURCE},
	        [TIMESTAMP] = {r->timestamp, r->present & SPEMU_RECORD_TIMESTAMP},
	        [SIZE] = {r->size, true},
	};

	*value = fields[q->argument].value;
	return fields[q->argument].present;
}

/* Describe the Operation Type packet. */
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
        {"events", VALUE_EVENTS, get_field, EVENTS},
        {"class", VALUE_DECIMAL, get_field, CLASS},
        {"subclass", VALUE_HEX, get_field, SUBCLASS},
        {"op", VALUE_TEXT, get_op, 0},
        {"source", VALUE_HEX, get_field, SOURCE},
        {"timestamp", VALUE_DECIMAL, get_field, TIMESTAMP},
        {"size", VALUE_DECIMAL, get_field, SIZE},
        {NULL, VALUE_HEX, NULL, 0},
};
