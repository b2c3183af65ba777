/* SPDX-License-Identifier: MIT */
/* See export_columns.h. What `spemu dump --records --json` has too is named as it is there. */
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

/* ---- of a recording ---- */

static bool get_run(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return words(v, row->recording->path);
}

static bool get_host(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return words(v, *row->recording->host ? row->recording->host : NULL);
}

static bool get_period(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return number(v, true, row->recording->session.attr.sample_period);
}

/* ---- of the code: an instruction in one task ---- */

static bool get_pid(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return number(v, true, row->code->place->task->pid);
}

static bool get_tid(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return number(v, true, row->code->place->task->tid);
}

static bool get_comm(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return words(v, row->code->place->task->comm);
}

static bool get_symbol(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return words(v, row->code->place->symbol);
}

static bool get_symbol_offset(struct value *v, const struct row *row, unsigned index)
{
	const struct place *place = row->code->place;

	(void)index;
	return number(v, place->symbol, place->addr - place->start);
}

static bool get_object(struct value *v, const struct row *row, unsigned index)
{
	const struct place *place = row->code->place;

	(void)index;
	return words(v, place->no_address ? NULL : place_object(place));
}

static bool get_object_path(struct value *v, const struct row *row, unsigned index)
{
	const struct object *object = row->code->place->object;

	(void)index;
	return words(v, object ? object_path(object) : NULL);
}

static bool get_build_id(struct value *v, const struct row *row, unsigned index)
{
	const struct object *object = row->code->place->object;
	static char text[BUILD_ID_TEXT];

	(void)index;
	return words(v, object && *build_id_text(text, object) ? text : NULL);
}

static bool get_object_address(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return number(v, row->code->place->resolved, row->code->place->addr);
}

static bool get_file(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return words(v, row->code->place->file);
}

static bool get_line(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return number(v, row->code->place->file, (uint64_t)row->code->place->line);
}

/* ---- of the call ---- */

static bool get_stack(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return words(v, stack_text(row->codes, row->stack));
}

/* ---- of the record ---- */

static bool get_queue(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return number(v, true, row->sample->chunk->idx);
}

static bool get_offset(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return number(v, true, row->sample->record->offset);
}

static bool get_cpu(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return number(v, row->sample->chunk->cpu != UINT32_MAX, row->sample->chunk->cpu);
}

static bool get_time(struct value *v, const struct row *row, unsigned index)
{
	(void)index;
	return number(v, row->sample->time != UINT64_MAX, row->sample->time);
}

static bool get_timestamp(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;

	(void)index;
	return number(v, rec->present & SPEMU_RECORD_TIMESTAMP, rec->timestamp);
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

static bool get_op_class(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;

	(void)index;
	return number(v, rec->present & SPEMU_RECORD_OP_TYPE, rec->op_class);
}

static bool get_op_subclass(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;

	(void)index;
	return number(v, rec->present & SPEMU_RECORD_OP_TYPE, rec->op_subclass);
}

static bool get_op(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;
	static char text[100];

	(void)index;
	if (!(rec->present & SPEMU_RECORD_OP_TYPE))
		return false;
	op_describe(text, sizeof(text), rec->op_class, rec->op_subclass);
	return words(v, text);
}

static struct map_key key_of_op(const struct row *row)
{
	const struct spemu_record *rec = row->sample->record;

	return (struct map_key){rec->op_class, rec->op_subclass,
	                        rec->present & SPEMU_RECORD_OP_TYPE};
}

static bool get_event_bits(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;

	(void)index;
	return number(v, rec->present & SPEMU_RECORD_EVENTS, rec->events);
}

static bool get_events(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;
	static char text[64 * 33];
	size_t used = 0;
	char name[32];

	(void)index;
	text[0] = 0;
	for (uint64_t bits = rec->events; bits; bits &= bits - 1)
		used += (size_t)snprintf(
		        text + used, sizeof(text) - used, "%s%s", used ? "," : "",
		        event_name(name, sizeof(name), (unsigned)__builtin_ctzll(bits)));
	return words(v, rec->present & SPEMU_RECORD_EVENTS ? text : NULL);
}

static struct map_key key_of_events(const struct row *row)
{
	const struct spemu_record *rec = row->sample->record;

	return (struct map_key){rec->events, rec->present & SPEMU_RECORD_EVENTS, 0};
}

static bool get_counter(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;

	return number(v, record_has_counter(rec, index), rec->counter[index]);
}

static bool get_source(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;

	(void)index;
	return number(v, rec->present & SPEMU_RECORD_DATA_SOURCE, rec->data_source);
}

static bool get_source_name(struct value *v, const struct row *row, unsigned index)
{
	const struct spemu_record *rec = row->sample->record;

	(void)index;
	return words(v, source_names[source_name(row->recording->sources, rec)].word);
}

static struct map_key key_of_source(const struct row *row)
{
	const struct spemu_record *rec = row->sample->record;

	return (struct map_key){source_name(row->recording->sources, rec), 0, 0};
}

const struct export_column export_columns[] = {
        {"run", COLUMN_WORDS, OF_RECORDING, 0, get_run},
        {"host", COLUMN_WORDS, OF_RECORDING, 0, get_host},
        {"period", COLUMN_INTEGER, OF_RECORDING, 0, get_period},
        {"queue", COLUMN_INTEGER, OF_SAMPLE, 0, get_queue},
        {"offset", COLUMN_INTEGER, OF_SAMPLE, 0, get_offset},
        {"cpu", COLUMN_INTEGER, OF_SAMPLE, 0, get_cpu},
        {"time", COLUMN_INTEGER, OF_SAMPLE, 0, get_time},
        {"timestamp", COLUMN_INTEGER, OF_SAMPLE, 0, get_timestamp},
        {"pid", COLUMN_INTEGER, OF_CODE, 0, get_pid},
        {"tid", COLUMN_INTEGER, OF_CODE, 0, get_tid},
        {"comm", COLUMN_WORDS, OF_CODE, 0, get_comm},
        {"context_el1", COLUMN_INTEGER, OF_SAMPLE, SPEMU_CONTEXT_EL1, get_context},
        {"context_el2", COLUMN_INTEGER, OF_SAMPLE, SPEMU_CONTEXT_EL2, get_context},
        {"pc", COLUMN_HEX, OF_SAMPLE, SPEMU_ADDR_PC, get_address},
        {"el", COLUMN_INTEGER, OF_SAMPLE, SPEMU_ADDR_PC, get_el},
        {"ns", COLUMN_INTEGER, OF_SAMPLE, SPEMU_ADDR_PC, get_ns},
        {"nse", COLUMN_INTEGER, OF_SAMPLE, SPEMU_ADDR_PC, get_nse},
        {"symbol", COLUMN_WORDS, OF_CODE, 0, get_symbol},
        {"symbol_offset", COLUMN_INTEGER, OF_CODE, 0, get_symbol_offset},
        {"object", COLUMN_WORDS, OF_CODE, 0, get_object},
        {"object_path", COLUMN_WORDS, OF_CODE, 0, get_object_path},
        {"build_id", COLUMN_WORDS, OF_CODE, 0, get_build_id},
        {"object_address", COLUMN_HEX, OF_CODE, 0, get_object_address},
        {"file", COLUMN_WORDS, OF_CODE, 0, get_file},
        {"line", COLUMN_INTEGER, OF_CODE, 0, get_line},
        {"stack", COLUMN_WORDS, OF_CALL, 0, get_stack},
        {"op_class", COLUMN_INTEGER, OF_SAMPLE, 0, get_op_class},
        {"op_subclass", COLUMN_HEX, OF_SAMPLE, 0, get_op_subclass},
        {"op", COLUMN_WORDS, OF_SAMPLE, 0, get_op, key_of_op},
        {"event_bits", COLUMN_HEX, OF_SAMPLE, 0, get_event_bits},
        {"events", COLUMN_WORDS, OF_SAMPLE, 0, get_events, key_of_events},
        {"total", COLUMN_INTEGER, OF_SAMPLE, SPEMU_COUNTER_TOTAL, get_counter},
        {"issue", COLUMN_INTEGER, OF_SAMPLE, SPEMU_COUNTER_ISSUE, get_counter},
        {"translation", COLUMN_INTEGER, OF_SAMPLE, SPEMU_COUNTER_TRANSLATION, get_counter},
        {"counter3", COLUMN_INTEGER, OF_SAMPLE, 3, get_counter},
        {"alt_issue", COLUMN_INTEGER, OF_SAMPLE, SPEMU_COUNTER_ALT_ISSUE, get_counter},
        {"counter5", COLUMN_INTEGER, OF_SAMPLE, 5, get_counter},
        {"counter6", COLUMN_INTEGER, OF_SAMPLE, 6, get_counter},
        {"counter7", COLUMN_INTEGER, OF_SAMPLE, 7, get_counter},
        {"source", COLUMN_HEX, OF_SAMPLE, 0, get_source},
        {"source_name", COLUMN_WORDS, OF_SAMPLE, 0, get_source_name, key_of_source},
        {"target", COLUMN_HEX, OF_SAMPLE, SPEMU_ADDR_BRANCH_TARGET, get_address},
        {"va", COLUMN_HEX, OF_SAMPLE, SPEMU_ADDR_DATA_VA, get_address},
        {"pa", COLUMN_HEX, OF_SAMPLE, SPEMU_ADDR_DATA_PA, get_address},
        {"previous_target", COLUMN_HEX, OF_SAMPLE, SPEMU_ADDR_PREV_BRANCH_TARGET, get_address},
        {"addr5", COLUMN_HEX, OF_SAMPLE, 5, get_address},
        {"addr6", COLUMN_HEX, OF_SAMPLE, 6, get_address},
        {"addr7", COLUMN_HEX, OF_SAMPLE, 7, get_address},
};
const unsigned export_column_count = sizeof(export_columns) / sizeof(export_columns[0]);
