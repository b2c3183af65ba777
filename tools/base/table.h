/* SPDX-License-Identifier: MIT */
/*
 * A table that is printed in columns as wide as the screen, or as JSON. A section of a report fills
 * it once for both.
 */
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

#include <json-c/json_object.h>
#include <stddef.h>
#include <stdint.h>
#include "common.h"

enum column_type {
	COLUMN_TEXT,
	COLUMN_COUNT,
	COLUMN_PERCENT, /* share: 0..1 in cells, 0..100 in print and in JSON */
	COLUMN_ADDRESS, /* hexadecimal; a string "0x..." in JSON */
	COLUMN_NUMBER,  /* one decimal */
	COLUMN_CHANGE,  /* COLUMN_PERCENT with a sign */
	COLUMN_PROBABILITY,
};

/* Ways to shorten the text of a cell (fit.h). */
enum column_cut {
	CUT_END,
	CUT_MIDDLE,
	CUT_SYMBOL,
};

struct column {
	const char *key;     /* name of the JSON member */
	const char *heading; /* NULL for a column that only JSON has */
	enum column_type type;
	unsigned max_width; /* longest text on an unlimited screen; 0: any */
	enum column_cut cut;
	unsigned drop;      /* order of dropping on a narrow screen, highest first; 0: never */
	unsigned min_width; /* width below which other columns are dropped first; 0: default */
};

struct cell {
	char *text; /* owned */
	uint64_t count;
	double number;
	bool absent; /* shown as "-", null in JSON */
};

struct table {
	const char *key; /* name of the JSON member */
	const char *title;
	char *note; /* line below the title, or NULL; owned */
	const struct column *columns;
	struct column *owned_columns; /* columns to free with the table, or NULL */
	unsigned column_count;
	struct cell *cells; /* rows * column_count */
	size_t row_count, capacity;
	size_t left_out;         /* hidden rows, for the text form */
	const char *left_out_by; /* option that hides them, or NULL for --limit */
};

void table_init(struct table *t, const char *key, const char *title, const struct column *columns,
                unsigned column_count);
/* Add a row of absent cells. It is valid until the next call. */
struct cell *table_row(struct table *t);
void cell_text(struct cell *c, const char *text);
void cell_count(struct cell *c, uint64_t count);
void cell_number(struct cell *c, double number);
/* Set part / whole, or leave the cell absent if whole is 0. */
void cell_ratio(struct cell *c, uint64_t part, uint64_t whole);

void table_print(const struct table *t, struct out *o);
struct json_object *table_json(const struct table *t);
void table_free(struct table *t);

#endif
