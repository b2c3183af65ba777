/* SPDX-License-Identifier: MIT */
/*
 * pprof: profile.proto of github.com/google/pprof in a gzip stream. A location is an instruction in
 * one task, with a line for each inlined function. A sample is a stack with its sums by every
 * weight, and with the thread as labels.
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

struct pprof {
	struct export *e;
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

static void put_stack(struct pprof *p, uint32_t stack)
{
	const struct samples *s = &p->e->samples;
	const struct task *task = s->places[s->calls[stack].place].task;
	struct bytes m = {NULL}, list = {NULL};

	for (uint32_t at = stack; at; at = s->calls[at].caller) {
		put_location(p, s->calls[at].place);
		bytes_varint(&list, (uint64_t)s->calls[at].place + 1);
	}
	put_message(&m, SAMPLE_LOCATION, &list);
	for (unsigned i = 0; i < WEIGHT_COUNT; i++)
		bytes_varint(&list, p->e->sums.sum[stack][i]);
	put_message(&m, SAMPLE_VALUE, &list);
	put_label(p, &m, "comm", task->comm, 0);
	put_label(p, &m, "pid", NULL, task->pid);
	put_label(p, &m, "tid", NULL, task->tid);
	put_part(p, PROFILE_SAMPLE, &m);
	free(m.data);
	free(list.data);
}

static void end(void *state)
{
	struct export *e = state;
	struct pprof p = {.e = e};
	size_t objects = 0;

	/* 16 selects the header and trailer of gzip. */
	if (deflateInit2(&p.zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
	                 Z_DEFAULT_STRATEGY) != Z_OK)
		die(EXIT_OWN, "out of memory");
	while (object_at(objects))
		objects++;
	p.mappings = xcalloc(objects + 1, sizeof(*p.mappings));
	p.located = xcalloc(e->samples.place_index.count + 1, sizeof(*p.located));
	text_of(&p, ""); /* string number 0 is empty */
	for (unsigned i = 0; i < WEIGHT_COUNT; i++)
		put_value_type(&p, PROFILE_SAMPLE_TYPE, weight_names[i],
		               i == WEIGHT_CYCLES ? "cycles" : "count");
	put_profile_number(&p, PROFILE_DEFAULT_SAMPLE_TYPE, text_of(&p, weight_names[e->weight]));
	put_value_type(&p, PROFILE_PERIOD_TYPE, weight_names[WEIGHT_OPERATIONS], "count");
	put_profile_number(&p, PROFILE_PERIOD, e->samples.recordings[0].session.attr.sample_period);
	for (size_t i = 1; i < e->sums.count; i++) {
		if (e->sums.sum[i][WEIGHT_SAMPLES])
			put_stack(&p, (uint32_t)i);
	}
	put_mappings(&p);
	put_out(&p, Z_FINISH);
	deflateEnd(&p.zip);
	text_table_free(&p.texts);
	map_free(&p.functions);
	free(p.mappings);
	free(p.located);
	free(p.message.data);
}

const struct format pprof_format = {
        .name = "pprof", .sample = take_stack, .end = end, .has_sums = true};
