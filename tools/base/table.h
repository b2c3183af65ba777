/* SPDX-License-Identifier: MIT */
/*
 * A table that is printed in columns, as wide as the screen, or as JSON: a section of the report
 * says its numbers once.
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
	COLUMN_PERCENT, /* a share, 0..1 in cells and 0..100 as shown and in JSON */
	COLUMN_ADDRESS, /* hexadecimal; a string "0x..." in JSON */
	COLUMN_NUMBER,  /* one decimal */
	COLUMN_CHANGE,  /* like COLUMN_PERCENT, with its sign */
	COLUMN_PROBABILITY,
};

/* Ways to shorten the text of a cell: fit.h. */
enum column_cut {
	CUT_END,
	CUT_MIDDLE,
	CUT_SYMBOL,
};

struct column {
	const char *key;     /* of the JSON member */
	const char *heading; /* NULL: only in JSON */
	enum column_type type;
	unsigned
	        max_width; /* text: longer cells are cut where the screen has no limit; 0 = never */
	enum column_cut cut;
	unsigned drop; /* left out of a screen that is too narrow, the highest first; 0 = never */
	unsigned min_width; /* text: columns that may go do before it is cut more; 0 = the usual */
};

struct cell {
	char *text; /* owned */
	uint64_t count;
	double number;
	bool absent; /* shown as "-", null in JSON */
};

struct table {
	const char *key; /* of the JSON member */
	const char *title;
	char *note; /* a line under the title, or NULL; owned */
	const struct column *columns;
	struct column *owned_columns; /* freed with the table; NULL: they are somebody else's */
	unsigned column_count;
	struct cell *cells; /* rows * column_count */
	size_t row_count, capacity;
	size_t left_out;         /* rows that are not shown, for the text form */
	const char *left_out_by; /* the options that say so; NULL: --limit */
};

void table_init(struct table *t, const char *key, const char *title, const struct column *columns,
                unsigned column_count);
/* A new row, its cells absent. Valid until the next row. */
struct cell *table_row(struct table *t);
void cell_text(struct cell *c, const char *text);
void cell_count(struct cell *c, uint64_t count);
void cell_number(struct cell *c, double number);
/* part / whole, absent if whole is 0. */
void cell_ratio(struct cell *c, uint64_t part, uint64_t whole);

void table_print(const struct table *t, struct out *o);
struct json_object *table_json(const struct table *t);
void table_free(struct table *t);

#endif
