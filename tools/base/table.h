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
	COLUMN_ADDRESS, /* hexadecimal; the string "0x..." in JSON */
	COLUMN_NUMBER,  /* number with one decimal */
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
	const char *heading; /* heading; NULL if the column is only in JSON */
	enum column_type type;
	unsigned max_width; /* largest width of a text if the screen has no limit; 0 for none */
	enum column_cut cut;
	unsigned drop;      /* on a narrow screen, the columns with the highest value are dropped
	                       first; a column with 0 is never dropped */
	unsigned min_width; /* width of a text to which it is cut before other columns are
	                       dropped; 0 for the default */
	bool below;         /* true to print the text below its row, in as many lines as it needs */
};

struct cell {
	char *text; /* text; the table frees it */
	uint64_t count;
	double number;
	bool absent; /* no value: "-" in text, null in JSON */
};

struct table {
	const char *key; /* name of the JSON member */
	const char *title;
	char *note; /* line below the title, or NULL; the table frees it */
	const struct column *columns;
	struct column *owned_columns; /* columns that the table frees, or NULL if they belong to
	                                 the caller */
	unsigned column_count;
	struct cell *cells; /* rows * column_count cells */
	size_t row_count, capacity;
	size_t left_out;         /* number of rows that are not shown, for the text form */
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
