/* SPDX-License-Identifier: MIT */
/*
 * Apache Parquet (github.com/apache/parquet-format): one row per sample, in groups of GROUP_ROWS. A
 * group has one page per column: integers as differences (DELTA_BINARY_PACKED), texts as numbers of
 * the group's dictionary. Pages are compressed with Zstandard. Minimum and maximum values tell a
 * query which groups to skip.
 *
 * The file is written as a stream. The memory holds one group, the texts, and about 5 KB for the
 * description of each group.
 */
#include "export.h"
#include "export_columns.h"
#include "export_text.h"
#include "parquet_encode.h"
#include "parquet_thrift.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
	GROUP_ROWS = 65536,
	LEVEL = 1,           /* level of Zstandard: the fastest one that compresses well */
	STATISTIC_MAX = 256, /* length above which texts do not have statistics */
	TYPE_INT64 = 2,
	TYPE_BYTE_ARRAY = 6,
	CONVERTED_UTF8 = 0,
	CONVERTED_UINT_64 = 14,
	REPETITION_OPTIONAL = 1,
	ENCODING_PLAIN = 0,
	ENCODING_RLE = 3,
	ENCODING_DELTA_BINARY_PACKED = 5,
	ENCODING_RLE_DICTIONARY = 8,
	CODEC_ZSTD = 6,
	PAGE_DATA = 0,
	PAGE_DICTIONARY = 2,
};

/* A column of the current group. */
struct group_column {
	uint8_t has[GROUP_ROWS]; /* 1 if the row has a value */
	uint64_t *numbers;       /* values of the rows that have one; NULL for a column of words */
	uint32_t *words;         /* the same values as indexes of the dictionary */
	uint32_t count;          /* number of values */
	struct map keys;         /* maps the keys of words to texts: */
	uint32_t *text;          /* index of the text + 1, or 0 */
	uint32_t *place;         /* place of a text in the dictionary + 1, or 0 */
	uint32_t *dictionary;    /* texts in the dictionary */
	size_t text_capacity, place_count, place_capacity;
	size_t dictionary_count, dictionary_capacity;
};

struct parquet {
	struct export *e;
	struct text_table texts;
	struct group_column *columns;
	uint32_t rows;       /* rows of the group */
	uint64_t offset;     /* position in the file */
	uint64_t total;      /* number of rows in all groups */
	struct bytes groups; /* descriptions of the groups */
	size_t group_count;
	uint32_t *levels; /* room for the levels of a page */
	ZSTD_CCtx *zstd;
};

static void put(struct parquet *p, const void *data, size_t size)
{
	out_bytes(p->e->out, data, size);
	p->offset += size;
}

/* ---- filling a group ---- */

static bool is_words(unsigned column)
{
	return export_columns[column].kind == COLUMN_WORDS;
}

static struct map_key key_of(const struct parquet *p, unsigned column, const struct row *row)
{
	switch (export_columns[column].scope) {
	case OF_RECORDING:
		return (struct map_key){(uint64_t)(row->recording - p->e->samples.recordings), 0,
		                        0};
	case OF_CODE:
		return (struct map_key){row->sample->place, 0, 0};
	case OF_CALL:
		return (struct map_key){row->stack, 0, 0};
	default:
		return export_columns[column].key(row);
	}
}

/* Return the text of a row as its number + 1, or 0 if there is none. The result is cached for the
 * column's scope. */
static uint32_t text_of(struct parquet *p, unsigned column, const struct row *row)
{
	struct group_column *g = &p->columns[column];
	struct value value;
	uint32_t text;
	size_t i;

	if (!map_insert(&g->keys, key_of(p, column, row), &i))
		return g->text[i];
	text = column_get(&value, column, row) ? text_number(&p->texts, value.words) + 1 : 0;
	GROW(g->text, i, g->text_capacity)[i] = text;
	return text;
}

static uint32_t place_of(struct group_column *g, uint32_t text)
{
	for (; g->place_count <= text; g->place_count++)
		GROW(g->place, g->place_count, g->place_capacity)[g->place_count] = 0;
	if (g->place[text])
		return g->place[text] - 1;
	GROW(g->dictionary, g->dictionary_count, g->dictionary_capacity)
	[g->dictionary_count] = text;
	g->place[text] = (uint32_t)++g->dictionary_count;
	return g->place[text] - 1;
}

static void take_value(struct parquet *p, unsigned column, const struct row *row)
{
	struct group_column *g = &p->columns[column];
	struct value value;
	uint32_t text;

	if (!g->numbers) {
		text = text_of(p, column, row);
		g->has[p->rows] = text != 0;
		if (text)
			g->words[g->count++] = place_of(g, text - 1);
		return;
	}
	g->has[p->rows] = column_get(&value, column, row);
	if (g->has[p->rows])
		g->numbers[g->count++] = value.number;
}

/* ---- writing a group ---- */

/* Compress a page, and write it after its head. Return the uncompressed size with the head. */
static uint64_t put_page(struct parquet *p, const struct bytes *page, int kind, uint32_t values,
                         int encoding)
{
	struct bytes head = {NULL}, packed = {NULL};
	struct thrift t = {&head, 0}, inner;
	size_t room = ZSTD_compressBound(page->size), size;
	uint64_t whole;

	size = ZSTD_compressCCtx(p->zstd, bytes_room(&packed, room), room, page->data, page->size,
	                         LEVEL);
	if (ZSTD_isError(size))
		die(EXIT_OWN, "cannot compress: %s", ZSTD_getErrorName(size));
	thrift_number(&t, 1, THRIFT_I32, kind);
	thrift_number(&t, 2, THRIFT_I32, (int32_t)page->size);
	thrift_number(&t, 3, THRIFT_I32, (int32_t)size);
	inner = thrift_begin(&t, kind == PAGE_DATA ? 5 : 7);
	thrift_number(&inner, 1, THRIFT_I32, (int32_t)values);
	thrift_number(&inner, 2, THRIFT_I32, encoding);
	if (kind == PAGE_DATA) {
		thrift_number(&inner, 3, THRIFT_I32, ENCODING_RLE);
		thrift_number(&inner, 4, THRIFT_I32, ENCODING_RLE);
	}
	thrift_end(&inner);
	thrift_end(&t);
	put(p, head.data, head.size);
	put(p, packed.data, size);
	whole = head.size + page->size;
	free(head.data);
	free(packed.data);
	return whole;
}

static uint64_t put_dictionary(struct parquet *p, const struct group_column *g)
{
	struct bytes page = {NULL};
	uint64_t size;

	for (size_t i = 0; i < g->dictionary_count; i++) {
		const char *text = p->texts.texts[g->dictionary[i]];

		bytes_little_endian(&page, strlen(text), 4);
		bytes_add(&page, text, strlen(text));
	}
	size = put_page(p, &page, PAGE_DICTIONARY, (uint32_t)g->dictionary_count, ENCODING_PLAIN);
	free(page.data);
	return size;
}

/* Write the definition levels with their size, then the values. */
static uint64_t put_data(struct parquet *p, const struct group_column *g)
{
	struct bytes page = {NULL};
	unsigned width;
	uint64_t size;

	for (uint32_t i = 0; i < p->rows; i++)
		p->levels[i] = g->has[i];
	bytes_little_endian(&page, 0, 4);
	parquet_hybrid(&page, p->levels, p->rows, 1);
	for (unsigned i = 0; i < 4; i++)
		page.data[i] = (uint8_t)((page.size - 4) >> 8 * i);
	if (g->numbers) {
		parquet_delta(&page, g->numbers, g->count);
	} else {
		width = g->dictionary_count ? bits_of(g->dictionary_count - 1) : 0;
		bytes_byte(&page, width);
		parquet_hybrid(&page, g->words, g->count, width);
	}
	size = put_page(p, &page, PAGE_DATA, p->rows,
	                g->numbers ? ENCODING_DELTA_BINARY_PACKED : ENCODING_RLE_DICTIONARY);
	free(page.data);
	return size;
}

/* ---- describing a group ---- */

static void put_least_number(struct thrift *t, const struct group_column *g, bool is_signed)
{
	/* With the sign bit inverted, signed numbers sort like unsigned ones. */
	const uint64_t turn = is_signed ? (uint64_t)INT64_MIN : 0;
	uint64_t least = UINT64_MAX, greatest = 0, value;
	struct bytes text = {NULL};

	for (uint32_t i = 0; i < g->count; i++) {
		value = g->numbers[i] ^ turn;
		least = value < least ? value : least;
		greatest = value > greatest ? value : greatest;
	}
	bytes_little_endian(&text, greatest ^ turn, 8);
	bytes_little_endian(&text, least ^ turn, 8);
	thrift_binary(t, 5, text.data, 8);
	thrift_binary(t, 6, text.data + 8, 8);
	free(text.data);
}

static void put_least_text(struct thrift *t, const struct parquet *p, const struct group_column *g)
{
	const char *least = p->texts.texts[g->dictionary[0]], *greatest = least;

	for (size_t i = 1; i < g->dictionary_count; i++) {
		const char *text = p->texts.texts[g->dictionary[i]];

		least = strcmp(text, least) < 0 ? text : least;
		greatest = strcmp(text, greatest) > 0 ? text : greatest;
	}
	if (strlen(least) > STATISTIC_MAX || strlen(greatest) > STATISTIC_MAX)
		return;
	thrift_binary(t, 5, greatest, strlen(greatest));
	thrift_binary(t, 6, least, strlen(least));
}

static void put_statistics(struct thrift *t, const struct parquet *p, unsigned column)
{
	const struct group_column *g = &p->columns[column];
	struct thrift s = thrift_begin(t, 12);

	thrift_number(&s, 3, THRIFT_I64, p->rows - g->count);
	if (g->count && g->numbers)
		put_least_number(&s, g, export_columns[column].kind == COLUMN_INTEGER);
	else if (g->count)
		put_least_text(&s, p, g);
	thrift_end(&s);
}

/* Write a column, and add its description to the groups. Return its uncompressed size. */
static uint64_t put_column(struct parquet *p, unsigned column)
{
	struct group_column *g = &p->columns[column];
	const char *name = export_columns[column].name;
	struct thrift chunk = {&p->groups, 0}, t;
	uint64_t begin = p->offset, data, size = 0;

	if (!g->numbers)
		size = put_dictionary(p, g);
	data = p->offset;
	size += put_data(p, g);
	thrift_number(&chunk, 2, THRIFT_I64, (int64_t)begin);
	t = thrift_begin(&chunk, 3);
	thrift_number(&t, 1, THRIFT_I32, g->numbers ? TYPE_INT64 : TYPE_BYTE_ARRAY);
	thrift_list(&t, 2, THRIFT_I32, 2 + !g->numbers);
	bytes_zigzag(t.to, ENCODING_RLE);
	bytes_zigzag(t.to, g->numbers ? ENCODING_DELTA_BINARY_PACKED : ENCODING_RLE_DICTIONARY);
	if (!g->numbers)
		bytes_zigzag(t.to, ENCODING_PLAIN);
	thrift_list(&t, 3, THRIFT_BINARY, 1);
	bytes_varint(t.to, strlen(name));
	bytes_add(t.to, name, strlen(name));
	thrift_number(&t, 4, THRIFT_I32, CODEC_ZSTD);
	thrift_number(&t, 5, THRIFT_I64, p->rows);
	thrift_number(&t, 6, THRIFT_I64, (int64_t)size);
	thrift_number(&t, 7, THRIFT_I64, (int64_t)(p->offset - begin));
	thrift_number(&t, 9, THRIFT_I64, (int64_t)data);
	if (!g->numbers)
		thrift_number(&t, 11, THRIFT_I64, (int64_t)begin);
	put_statistics(&t, p, column);
	thrift_end(&t);
	thrift_end(&chunk);
	return size;
}

static void empty_column(struct group_column *g)
{
	for (size_t i = 0; i < g->dictionary_count; i++)
		g->place[g->dictionary[i]] = 0;
	g->dictionary_count = 0;
	g->count = 0;
}

static void put_group(struct parquet *p)
{
	struct thrift t = {&p->groups, 0};
	uint64_t size = 0;

	thrift_list(&t, 1, THRIFT_STRUCT, export_column_count);
	for (unsigned i = 0; i < export_column_count; i++) {
		size += put_column(p, i);
		empty_column(&p->columns[i]);
	}
	thrift_number(&t, 2, THRIFT_I64, (int64_t)size);
	thrift_number(&t, 3, THRIFT_I64, p->rows);
	thrift_end(&t);
	p->group_count++;
	p->total += p->rows;
	p->rows = 0;
}

/* ---- the file ---- */

static void put_schema(struct thrift *t)
{
	struct thrift element = {t->to, 0};

	thrift_list(t, 2, THRIFT_STRUCT, export_column_count + 1);
	thrift_binary(&element, 4, "sample", strlen("sample"));
	thrift_number(&element, 5, THRIFT_I32, export_column_count);
	thrift_end(&element);
	for (unsigned i = 0; i < export_column_count; i++) {
		element = (struct thrift){t->to, 0};
		thrift_number(&element, 1, THRIFT_I32, is_words(i) ? TYPE_BYTE_ARRAY : TYPE_INT64);
		thrift_number(&element, 3, THRIFT_I32, REPETITION_OPTIONAL);
		thrift_binary(&element, 4, export_columns[i].name, strlen(export_columns[i].name));
		if (export_columns[i].kind != COLUMN_INTEGER)
			thrift_number(&element, 6, THRIFT_I32,
			              is_words(i) ? CONVERTED_UTF8 : CONVERTED_UINT_64);
		thrift_end(&element);
	}
}

/* State that the statistics follow the order of the column's type. */
static void put_orders(struct thrift *t)
{
	thrift_list(t, 7, THRIFT_STRUCT, export_column_count);
	for (unsigned i = 0; i < export_column_count; i++) {
		struct thrift order = {t->to, 0}, by_type = thrift_begin(&order, 1);

		thrift_end(&by_type);
		thrift_end(&order);
	}
}

static void put_foot(struct parquet *p)
{
	static const char maker[] = "spemu version " SPEMU_VERSION;
	struct bytes foot = {NULL};
	struct thrift t = {&foot, 0};
	size_t size;

	thrift_number(&t, 1, THRIFT_I32, 2);
	put_schema(&t);
	thrift_number(&t, 3, THRIFT_I64, (int64_t)p->total);
	thrift_list(&t, 4, THRIFT_STRUCT, p->group_count);
	bytes_add(&foot, p->groups.data, p->groups.size);
	thrift_binary(&t, 6, maker, strlen(maker));
	put_orders(&t);
	thrift_end(&t);
	size = foot.size;
	bytes_little_endian(&foot, size, 4);
	bytes_add(&foot, "PAR1", 4);
	put(p, foot.data, foot.size);
	free(foot.data);
}

static void *begin(struct export *e)
{
	struct parquet *p = xcalloc(1, sizeof(*p));

	p->e = e;
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		die(EXIT_OWN, "out of memory");
	p->levels = xcalloc(GROUP_ROWS, sizeof(*p->levels));
	p->columns = xcalloc(export_column_count, sizeof(*p->columns));
	for (unsigned i = 0; i < export_column_count; i++) {
		if (is_words(i))
			p->columns[i].words = xcalloc(GROUP_ROWS, sizeof(*p->columns[i].words));
		else
			p->columns[i].numbers = xcalloc(GROUP_ROWS, sizeof(*p->columns[i].numbers));
	}
	put(p, "PAR1", 4);
	return p;
}

static void take(void *state, const struct sample *sample)
{
	struct parquet *p = state;
	const struct row row = row_of(&p->e->codes, sample);

	for (unsigned i = 0; i < export_column_count; i++)
		take_value(p, i, &row);
	if (++p->rows == GROUP_ROWS)
		put_group(p);
}

static void end(void *state)
{
	struct parquet *p = state;

	if (p->rows)
		put_group(p);
	put_foot(p);
	for (unsigned i = 0; i < export_column_count; i++) {
		struct group_column *g = &p->columns[i];

		map_free(&g->keys);
		free(g->numbers);
		free(g->words);
		free(g->text);
		free(g->place);
		free(g->dictionary);
	}
	text_table_free(&p->texts);
	ZSTD_freeCCtx(p->zstd);
	free(p->groups.data);
	free(p->columns);
	free(p->levels);
	free(p);
}

const struct format parquet_format = {
        .name = "parquet", .begin = begin, .sample = take, .end = end, .has_rows = true};
