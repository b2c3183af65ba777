/* SPDX-License-Identifier: MIT */
/* See export_columns.h. Columns that `spemu dump --records --json` also shows have the same names
 * there. */
#define _GNU_SOURCE
#include "export_columns.h"
#include "../base/optext.h"

#include <stdio.h>
#include <string.h>

static bool number(struct value *v, bool has, uint64_t n)
{
	v->number = n;
	return has;
}

static bool words(struct value *v, const char *text)
{
	v->words = text;
	return text != NULL;
}

/* The columns of the functions below. Each number is the index in the row of a column. */
enum {
	RUN,
	HOST,
	PERIOD,
	PID,
	TID,
	COMM,
	SYMBOL,
	SYMBOL_OFFSET,
	OBJECT,
	OBJECT_PATH,
	BUILD_ID,
	OBJECT_ADDRESS,
	SOURCE_FILE,
	SOURCE_LINE,
	QUEUE,
	OFFSET,
	CPU,
	TIME,
	TIMESTAMP,
	OP_CLASS,
	OP_SUBCLASS,
	OP,
	EVENT_BITS,
	EVENTS,
	DATA_SOURCE,
	SOURCE_NAME,
};

static bool get_of_recording(struct value *v, const struct row *row, unsigned column)
{
	switch (column) {
	case RUN:
		return words(v, row->recording->path);
	case HOST:
		return words(v, *row->recording->host ? row->recording->host : NULL);
	default:
		return number(v, true, row->recording->session.attr.sample_period);
	}
}

/* Get a value of the code: an instruction in one task. */
static bool get_of_code(struct value *v, const struct row *row, unsigned column)
{
	const struct place *place = row->code->place;
	const struct object *object = place->object;
	static char id[BUILD_ID_TEXT];

	switch (column) {
	case PID:
		return number(v, true, place->task->pid);
	case TID:
		return number(v, true, place->task->tid);
	case COMM:
		return words(v, place->task->comm);
	case SYMBOL:
		return words(v, place->symbol);
	case SYMBOL_OFFSET:
		return number(v, place->symbol, place->addr - place->start);
	case OBJECT:
		return words(v, place->no_address ? NULL : place_object(place));
	case OBJECT_PATH:
		return words(v, object ? object_path(object) : NULL);
	case BUILD_ID:
		return words(v, object && *build_id_text(id, object) ? id : NULL);
	case OBJECT_ADDRESS:
		return number(v, place->resolved, place->addr);
	case SOURCE_FILE:
		return words(v, place->file);
	default:
		return number(v, place->file, (uint64_t)place->line);
	}
}

/* ---- properties of the call ---- */
static bool get_stack(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return words(v, stack_text(row->codes, row->stack));
}

static const char *op_text(const struct spemu_record *rec)
{
	static char text[100];

	op_describe(text, sizeof(text), rec->op_class, rec->op_subclass);
	return text;
}

static const char *events_text(uint64_t bits)
{
	static char text[64 * 33];
	size_t used = 0;
	char name[32];

	text[0] = 0;
	for (; bits; bits &= bits - 1)
		used += (size_t)snprintf(
		        text + used, sizeof(text) - used, "%s%s", used ? "," : "",
		        event_name(name, sizeof(name), (unsigned)__builtin_ctzll(bits)));
	return text;
}

static bool get_of_sample(struct value *v, const struct row *row, unsigned column)
{
	const struct sample *sample = row->sample;
	const struct spemu_record *rec = sample->record;

	switch (column) {
	case QUEUE:
		return number(v, true, sample->chunk->idx);
	case OFFSET:
		return number(v, true, rec->offset);
	case CPU:
		return number(v, sample->chunk->cpu != UINT32_MAX, sample->chunk->cpu);
	case TIME:
		return number(v, sample->time != UINT64_MAX, sample->time);
	case TIMESTAMP:
		return number(v, rec->present & SPEMU_RECORD_TIMESTAMP, rec->timestamp);
	case OP_CLASS:
		return number(v, rec->present & SPEMU_RECORD_OP_TYPE, rec->op_class);
	case OP_SUBCLASS:
		return number(v, rec->present & SPEMU_RECORD_OP_TYPE, rec->op_subclass);
	case OP:
		return words(v, rec->present & SPEMU_RECORD_OP_TYPE ? op_text(rec) : NULL);
	case EVENT_BITS:
		return number(v, rec->present & SPEMU_RECORD_EVENTS, rec->events);
	case EVENTS:
		return words(v,
		             rec->present & SPEMU_RECORD_EVENTS ? events_text(rec->events) : NULL);
	case DATA_SOURCE:
		return number(v, rec->present & SPEMU_RECORD_DATA_SOURCE, rec->data_source);
	default:
		return words(v, source_names[source_name(row->recording->sources, rec)].word);
	}
}

static bool get_context(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;

	return number(v, rec->present & SPEMU_RECORD_CONTEXT(index), rec->context[index]);
}

static bool has_address(const struct row *row, unsigned index)
{
	return row->sample->record->present & SPEMU_RECORD_ADDR(index);
}

static bool get_address(struct value *v, const struct row *row, unsigned index)
{
	uint64_t payload = row->sample->record->addr[index];

	return number(v, has_address(row, index),
	              index == SPEMU_ADDR_DATA_PA ? spemu_addr_bits(payload)
	                                          : spemu_addr_va(payload));
}

static bool get_el(struct value *v, const struct row *row, unsigned index)
{
	return number(v, has_address(row, index), spemu_addr_el(row->sample->record->addr[index]));
}

static bool get_ns(struct value *v, const struct row *row, unsigned index)
{
	return number(v, has_address(row, index), spemu_addr_ns(row->sample->record->addr[index]));
}

static bool get_nse(struct value *v, const struct row *row, unsigned index)
{
	return number(v, has_address(row, index), spemu_addr_nse(row->sample->record->addr[index]));
}

static bool get_counter(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;

	return number(v, record_has_counter(rec, index), rec->counter[index]);
}

/* ---- the type of the data ---- */
enum { DATA_BASE, DATA_OFFSET, DATA_TYPE, DATA_MEMBER, TYPE_SOURCE };

static bool get_typed(struct value *v, const struct row *row, unsigned column)
{
	const struct typed *typed = code_typed(row->codes, row->sample);
	uint64_t address = spemu_addr_va(row->sample->record->addr[SPEMU_ADDR_DATA_VA]);
	static char member[1000];

	if (!typed || typed->source == TYPE_NONE)
		return false;
	switch (column) {
	case DATA_BASE:
		return number(v, typed->type && !typed->any_element, address - typed->offset);
	case DATA_OFFSET:
		return number(v, typed->type, typed->offset);
	case DATA_TYPE:
		return words(v, typed->type ? typed->type->name : NULL);
	case DATA_MEMBER:
		typed_member(member, sizeof(member), typed);
		return words(v, typed->type ? member : NULL);
	default:
		return words(v, type_source_word(typed->source));
	}
}

static bool get_object(struct value *v, const struct row *row, unsigned index)
{
	const struct memory *memory = code_memory(row->codes, row->sample);
	static char text[5000];

	(void)index;
	if (!memory)
		return false;
	memory_name(text, sizeof(text), memory);
	return words(v, memory->kind == MEMORY_UNKNOWN ? NULL : text);
}

/* Names live as long as the export. */
static struct map_key key_of_object(const struct row *row)
{
	const struct memory *memory = code_memory(row->codes, row->sample);

	return memory ? (struct map_key){(uintptr_t)memory->name, memory->offset, memory->kind + 1}
	              : (struct map_key){0};
}

static struct map_key key_of_type(const struct row *row)
{
	const struct typed *typed = code_typed(row->codes, row->sample);

	return (struct map_key){typed ? (uintptr_t)typed->type : 0, 0, typed != NULL};
}

static struct map_key key_of_member(const struct row *row)
{
	const struct typed *typed = code_typed(row->codes, row->sample);
	struct map_key key = key_of_type(row);

	key.b = typed ? typed->offset : 0;
	key.c = typed ? typed->size + 1 : 0;
	return key;
}

static struct map_key key_of_type_source(const struct row *row)
{
	const struct typed *typed = code_typed(row->codes, row->sample);

	return (struct map_key){typed ? typed->source : TYPE_NONE, 0, 0};
}

static struct map_key key_of_op(const struct row *row)
{
	const struct spemu_record *rec = row->sample->record;

	return (struct map_key){rec->op_class, rec->op_subclass,
	                        rec->present & SPEMU_RECORD_OP_TYPE};
}

static struct map_key key_of_events(const struct row *row)
{
	const struct spemu_record *rec = row->sample->record;

	return (struct map_key){rec->events, rec->present & SPEMU_RECORD_EVENTS, 0};
}

static struct map_key key_of_source(const struct row *row)
{
	return (struct map_key){source_name(row->recording->sources, row->sample->record), 0, 0};
}

const struct export_column export_columns[] = {
        {"run", COLUMN_WORDS, OF_RECORDING, RUN, get_of_recording},
        {"host", COLUMN_WORDS, OF_RECORDING, HOST, get_of_recording},
        {"period", COLUMN_INTEGER, OF_RECORDING, PERIOD, get_of_recording},
        {"queue", COLUMN_INTEGER, OF_SAMPLE, QUEUE, get_of_sample},
        {"offset", COLUMN_INTEGER, OF_SAMPLE, OFFSET, get_of_sample},
        {"cpu", COLUMN_INTEGER, OF_SAMPLE, CPU, get_of_sample},
        {"time", COLUMN_INTEGER, OF_SAMPLE, TIME, get_of_sample},
        {"timestamp", COLUMN_INTEGER, OF_SAMPLE, TIMESTAMP, get_of_sample},
        {"pid", COLUMN_INTEGER, OF_CODE, PID, get_of_code},
        {"tid", COLUMN_INTEGER, OF_CODE, TID, get_of_code},
        {"comm", COLUMN_WORDS, OF_CODE, COMM, get_of_code},
        {"context_el1", COLUMN_INTEGER, OF_SAMPLE, SPEMU_CONTEXT_EL1, get_context},
        {"context_el2", COLUMN_INTEGER, OF_SAMPLE, SPEMU_CONTEXT_EL2, get_context},
        {"pc", COLUMN_HEX, OF_SAMPLE, SPEMU_ADDR_PC, get_address},
        {"el", COLUMN_INTEGER, OF_SAMPLE, SPEMU_ADDR_PC, get_el},
        {"ns", COLUMN_INTEGER, OF_SAMPLE, SPEMU_ADDR_PC, get_ns},
        {"nse", COLUMN_INTEGER, OF_SAMPLE, SPEMU_ADDR_PC, get_nse},
        {"symbol", COLUMN_WORDS, OF_CODE, SYMBOL, get_of_code},
        {"symbol_offset", COLUMN_INTEGER, OF_CODE, SYMBOL_OFFSET, get_of_code},
        {"object", COLUMN_WORDS, OF_CODE, OBJECT, get_of_code},
        {"object_path", COLUMN_WORDS, OF_CODE, OBJECT_PATH, get_of_code},
        {"build_id", COLUMN_WORDS, OF_CODE, BUILD_ID, get_of_code},
        {"object_address", COLUMN_HEX, OF_CODE, OBJECT_ADDRESS, get_of_code},
        {"file", COLUMN_WORDS, OF_CODE, SOURCE_FILE, get_of_code},
        {"line", COLUMN_INTEGER, OF_CODE, SOURCE_LINE, get_of_code},
        {"stack", COLUMN_WORDS, OF_CALL, 0, get_stack},
        {"op_class", COLUMN_INTEGER, OF_SAMPLE, OP_CLASS, get_of_sample},
        {"op_subclass", COLUMN_HEX, OF_SAMPLE, OP_SUBCLASS, get_of_sample},
        {"op", COLUMN_WORDS, OF_SAMPLE, OP, get_of_sample, key_of_op},
        {"event_bits", COLUMN_HEX, OF_SAMPLE, EVENT_BITS, get_of_sample},
        {"events", COLUMN_WORDS, OF_SAMPLE, EVENTS, get_of_sample, key_of_events},
        {"total", COLUMN_INTEGER, OF_SAMPLE, SPEMU_COUNTER_TOTAL, get_counter},
        {"issue", COLUMN_INTEGER, OF_SAMPLE, SPEMU_COUNTER_ISSUE, get_counter},
        {"translation", COLUMN_INTEGER, OF_SAMPLE, SPEMU_COUNTER_TRANSLATION, get_counter},
        {"counter3", COLUMN_INTEGER, OF_SAMPLE, 3, get_counter},
        {"alt_issue", COLUMN_INTEGER, OF_SAMPLE, SPEMU_COUNTER_ALT_ISSUE, get_counter},
        {"counter5", COLUMN_INTEGER, OF_SAMPLE, 5, get_counter},
        {"counter6", COLUMN_INTEGER, OF_SAMPLE, 6, get_counter},
        {"counter7", COLUMN_INTEGER, OF_SAMPLE, 7, get_counter},
        {"source", COLUMN_HEX, OF_SAMPLE, DATA_SOURCE, get_of_sample},
        {"source_name", COLUMN_WORDS, OF_SAMPLE, SOURCE_NAME, get_of_sample, key_of_source},
        {"target", COLUMN_HEX, OF_SAMPLE, SPEMU_ADDR_BRANCH_TARGET, get_address},
        {"va", COLUMN_HEX, OF_SAMPLE, SPEMU_ADDR_DATA_VA, get_address},
        {"pa", COLUMN_HEX, OF_SAMPLE, SPEMU_ADDR_DATA_PA, get_address},
        {"previous_target", COLUMN_HEX, OF_SAMPLE, SPEMU_ADDR_PREV_BRANCH_TARGET, get_address},
        {"addr5", COLUMN_HEX, OF_SAMPLE, 5, get_address},
        {"addr6", COLUMN_HEX, OF_SAMPLE, 6, get_address},
        {"addr7", COLUMN_HEX, OF_SAMPLE, 7, get_address},
        {"data_object", COLUMN_WORDS, OF_SAMPLE, 0, get_object, key_of_object},
        {"data_base", COLUMN_HEX, OF_SAMPLE, DATA_BASE, get_typed},
        {"data_offset", COLUMN_INTEGER, OF_SAMPLE, DATA_OFFSET, get_typed},
        {"data_type", COLUMN_WORDS, OF_SAMPLE, DATA_TYPE, get_typed, key_of_type},
        {"data_member", COLUMN_WORDS, OF_SAMPLE, DATA_MEMBER, get_typed, key_of_member},
        {"type_source", COLUMN_WORDS, OF_SAMPLE, TYPE_SOURCE, get_typed, key_of_type_source},
};
const unsigned export_column_count = sizeof(export_columns) / sizeof(export_columns[0]);
