/* SPDX-License-Identifier: MIT */
/*
 * pprof: profile.proto of github.com/google/pprof in a gzip stream. A location is an instruction in
 * one task, with a line for each inlined function. A sample is a stack with its sums by every
 * weight, and with the thread as labels. A stack has a sample for each member of data that it
 * accesses, with the type and the member as labels.
 */
#include "export.h"
#include "export_bytes.h"
#include "export_text.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Field numbers. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
	VALUE_TYPE = 1,
	VALUE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,
	MAPPING_ID = 1,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINES = 10,
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_NUMBER = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	WIRE_NUMBER = 0,
	WIRE_BYTES = 2,
};

/* The used part of an object's mapping. */
struct mapping_use {
	uint64_t limit; /* end of the addresses, or 0 if unused */
	bool functions, lines, inlines;
};

/* The type and the member of the data, as numbers of texts. They are 0 if they are unknown. */
struct data_label {
	uint32_t type, member;
};

/* The samples of a stack that access the same member. */
struct stack_data {
	uint32_t stack;
	struct data_label label;
	uint64_t sum[WEIGHT_COUNT];
};

struct pprof {
	struct export *e;
	struct map data_index; /* index in data by stack, type and member */
	struct stack_data *data;
	size_t data_capacity;
	struct map label_index; /* index in labels by type, offset and size of the access */
	struct data_label *labels;
	size_t label_capacity;
	struct text_table label_texts;
	struct text_table texts;
	struct map functions;         /* keys are numbers of name and file */
	struct mapping_use *mappings; /* by the index of the object */
	bool *located;                /* true for written locations, by code */
	struct bytes message;         /* part of the stream that is not compressed yet */
	z_stream zip;
};

/* ---- messages: a field is its number and kind, followed by a number, or by a size and bytes
 * ---- */

static void put_field(struct bytes *m, unsigned field, uint64_t n)
{
	if (!n)
		return; /* 0 is the default and is left out */
	bytes_varint(m, field << 3 | WIRE_NUMBER);
	bytes_varint(m, n);
}

static void put_bytes(struct bytes *m, unsigned field, const void *bytes, size_t size)
{
	bytes_varint(m, field << 3 | WIRE_BYTES);
	bytes_varint(m, size);
	bytes_add(m, bytes, size);
}

/* Add a part as a field of another message, and empty the part. */
static void put_message(struct bytes *m, unsigned field, struct bytes *part)
{
	put_bytes(m, field, part->data, part->size);
	part->size = 0;
}

/* ---- the stream ---- */

/* Compress the message, and empty it. */
static void put_out(struct pprof *p, int flush)
{
	uint8_t to[16384];

	p->zip.next_in = p->message.data;
	p->zip.avail_in = (uInt)p->message.size;
	p->message.size = 0;
	do {
		p->zip.next_out = to;
		p->zip.avail_out = sizeof(to);
		deflate(&p->zip, flush);
		out_bytes(p->e->out, (char *)to, sizeof(to) - p->zip.avail_out);
	} while (!p->zip.avail_out);
}

/* Write a part as a field of the profile, and empty the part. */
static void put_part(struct pprof *p, unsigned field, struct bytes *part)
{
	put_message(&p->message, field, part);
	put_out(p, Z_NO_FLUSH);
}

static void put_profile_number(struct pprof *p, unsigned field, uint64_t n)
{
	put_field(&p->message, field, n);
	put_out(p, Z_NO_FLUSH);
}

/* Return the number of a text. Write the text if it is new. */
static uint32_t text_of(struct pprof *p, const char *text)
{
	uint32_t before = p->texts.count, n = text_number(&p->texts, text);

	if (n < before)
		return n;
	put_bytes(&p->message, PROFILE_STRING, p->texts.texts[n], strlen(p->texts.texts[n]));
	put_out(p, Z_NO_FLUSH);
	return n;
}

static void put_value_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
	struct bytes m = {NULL};

	put_field(&m, VALUE_TYPE, text_of(p, type));
	put_field(&m, VALUE_UNIT, text_of(p, unit));
	put_part(p, field, &m);
	free(m.data);
}

/* ---- functions, mappings and locations ---- */

static uint64_t function_id(struct pprof *p, const char *name, const char *file)
{
	const struct map_key key = {text_of(p, name), file ? text_of(p, file) : 0, 0};
	struct bytes m = {NULL};
	size_t n;

	if (!map_insert(&p->functions, key, &n))
		return n + 1;
	put_field(&m, FUNCTION_ID, n + 1);
	put_field(&m, FUNCTION_NAME, key.a);
	put_field(&m, FUNCTION_SYSTEM_NAME, key.a);
	put_field(&m, FUNCTION_FILE, key.b);
	put_part(p, PROFILE_FUNCTION, &m);
	free(m.data);
	return n + 1;
}

static uint64_t mapping_id(struct pprof *p, const struct code *code)
{
	struct mapping_use *use;

	if (!code->place->resolved)
		return 0;
	use = &p->mappings[object_index(code->place->object)];
	use->limit = use->limit > code->place->addr ? use->limit : code->place->addr + 1;
	use->functions |= code->place->symbol != NULL;
	use->lines |= code->place->file != NULL;
	use->inlines |= code->frame_count > 0;
	return object_index(code->place->object) + 1;
}

static void put_location(struct pprof *p, uint32_t index)
{
	const struct code *code = code_at(&p->e->codes, index);
	struct bytes m = {NULL}, line = {NULL};

	if (p->located[index])
		return;
	p->located[index] = true;
	put_field(&m, LOCATION_ID, (uint64_t)index + 1);
	put_field(&m, LOCATION_MAPPING, mapping_id(p, code));
	put_field(&m, LOCATION_ADDRESS, code->place->addr);
	for (uint32_t i = 0; i < code_frames(code); i++) {
		const char *file;
		int number;
		const char *name = code_frame(code, i, &file, &number);

		put_field(&line, LINE_FUNCTION, function_id(p, name, file));
		put_field(&line, LINE_NUMBER, (uint64_t)number);
		put_message(&m, LOCATION_LINE, &line);
	}
	put_part(p, PROFILE_LOCATION, &m);
	free(m.data);
	free(line.data);
}

static void put_mappings(struct pprof *p)
{
	struct bytes m = {NULL};
	struct object *object;

	for (size_t i = 0; (object = object_at(i)); i++) {
		const struct mapping_use *use = &p->mappings[i];
		char text[BUILD_ID_TEXT];

		if (!use->limit)
			continue;
		put_field(&m, MAPPING_ID, i + 1);
		put_field(&m, MAPPING_LIMIT, use->limit);
		put_field(&m, MAPPING_FILE, text_of(p, object_path(object)));
		put_field(&m, MAPPING_BUILD_ID, text_of(p, build_id_text(text, object)));
		put_field(&m, MAPPING_HAS_FUNCTIONS, use->functions);
		put_field(&m, MAPPING_HAS_FILES, use->lines);
		put_field(&m, MAPPING_HAS_LINES, use->lines);
		put_field(&m, MAPPING_HAS_INLINES, use->inlines);
		put_part(p, PROFILE_MAPPING, &m);
	}
	free(m.data);
}

/* ---- samples ---- */

static void put_label(struct pprof *p, struct bytes *m, const char *key, const char *text,
                      uint64_t number)
{
	struct bytes label = {NULL};

	put_field(&label, LABEL_KEY, text_of(p, key));
	if (text)
		put_field(&label, LABEL_TEXT, text_of(p, text));
	put_field(&label, LABEL_NUMBER, number);
	put_message(m, SAMPLE_LABEL, &label);
	free(label.data);
}

static struct data_label label_of(struct pprof *p, const struct sample *sample)
{
	const struct typed *typed = code_typed(&p->e->codes, sample);
	char member[1000];
	size_t i;

	if (!typed || !typed->type)
		return (struct data_label){0};
	if (map_insert(&p->label_index,
	               (struct map_key){(uintptr_t)typed->type, typed->offset, typed->size}, &i)) {
		typed_member(member, sizeof(member), typed);
		GROW(p->labels, i, p->label_capacity)
		[i] = (struct data_label){text_number(&p->label_texts, typed->type->name),
		                          text_number(&p->label_texts, member)};
	}
	return p->labels[i];
}

static void take_sample(void *state, const struct sample *sample)
{
	struct pprof *p = state;
	struct data_label label = label_of(p, sample);
	size_t i;

	if (map_insert(&p->data_index, (struct map_key){sample->stack, label.type, label.member},
	               &i))
		GROW(p->data, i, p->data_capacity)
	[i] = (struct stack_data){.stack = sample->stack, .label = label};
	for (unsigned w = 0; w < WEIGHT_COUNT; w++)
		p->data[i].sum[w] += sample_weight(sample, (enum weight)w);
}

static void put_stack(struct pprof *p, const struct stack_data *data)
{
	const struct samples *s = &p->e->samples;
	uint32_t stack = data->stack;
	const struct task *task = s->places[s->calls[stack].place].task;
	struct bytes m = {NULL}, list = {NULL};

	for (uint32_t at = stack; at; at = s->calls[at].caller) {
		put_location(p, s->calls[at].place);
		bytes_varint(&list, (uint64_t)s->calls[at].place + 1);
	}
	put_message(&m, SAMPLE_LOCATION, &list);
	for (unsigned i = 0; i < WEIGHT_COUNT; i++)
		bytes_varint(&list, data->sum[i]);
	put_message(&m, SAMPLE_VALUE, &list);
	put_label(p, &m, "comm", task->comm, 0);
	put_label(p, &m, "pid", NULL, task->pid);
	put_label(p, &m, "tid", NULL, task->tid);
	if (data->label.type)
		put_label(p, &m, "data_type", p->label_texts.texts[data->label.type], 0);
	if (data->label.member)
		put_label(p, &m, "data_member", p->label_texts.texts[data->label.member], 0);
	put_part(p, PROFILE_SAMPLE, &m);
	free(m.data);
	free(list.data);
}

static void *begin(struct export *e)
{
	struct pprof *p = xcalloc(1, sizeof(*p));

	p->e = e;
	text_number(&p->label_texts, ""); /* number 0 means "no label" */
	return p;
}

static int compare_stacks(const void *pa, const void *pb)
{
	const struct stack_data *a = pa, *b = pb;
	int order = compare_numbers(a->stack, b->stack);

	order = order ? order : compare_numbers(a->label.type, b->label.type);
	return order ? order : compare_numbers(a->label.member, b->label.member);
}

static void put_stacks(struct pprof *p)
{
	size_t n = p->data_index.count;

	if (n)
		qsort(p->data, n, sizeof(*p->data), compare_stacks);
	for (size_t i = 0; i < n; i++) {
		if (p->data[i].stack)
			put_stack(p, &p->data[i]);
	}
}

static void end(void *state)
{
	struct pprof *p = state;
	struct export *e = p->e;
	size_t objects = 0;

	/* 16 selects the header and trailer of gzip. */
	if (deflateInit2(&p->zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
	                 Z_DEFAULT_STRATEGY) != Z_OK)
		die(EXIT_OWN, "out of memory");
	while (object_at(objects))
		objects++;
	p->mappings = xcalloc(objects + 1, sizeof(*p->mappings));
	p->located = xcalloc(e->samples.place_index.count + 1, sizeof(*p->located));
	text_of(p, ""); /* string number 0 is empty */
	for (unsigned i = 0; i < WEIGHT_COUNT; i++)
		put_value_type(p, PROFILE_SAMPLE_TYPE, weight_names[i],
		               i == WEIGHT_CYCLES ? "cycles" : "count");
	put_profile_number(p, PROFILE_DEFAULT_SAMPLE_TYPE, text_of(p, weight_names[e->weight]));
	put_value_type(p, PROFILE_PERIOD_TYPE, weight_names[WEIGHT_OPERATIONS], "count");
	put_profile_number(p, PROFILE_PERIOD, e->samples.recordings[0].session.attr.sample_period);
	put_stacks(p);
	put_mappings(p);
	put_out(p, Z_FINISH);
	deflateEnd(&p->zip);
	text_table_free(&p->texts);
	map_free(&p->functions);
	free(p->mappings);
	free(p->located);
	free(p->message.data);
	text_table_free(&p->label_texts);
	map_free(&p->label_index);
	map_free(&p->data_index);
	free(p->labels);
	free(p->data);
	free(p);
}

const struct format pprof_format = {.name = "pprof",
                                    .begin = begin,
                                    .sample = take_sample,
                                    .end = end,
                                    .has_sums = true,
                                    .has_types = true};
