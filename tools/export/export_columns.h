/* SPDX-License-Identifier: MIT */
/* The columns of formats with one row per sample: the members of the record, and derived facts. */
#ifndef TOOLS_EXPORT_COLUMNS_H
#define TOOLS_EXPORT_COLUMNS_H

#include "code.h"

enum column_kind {
	COLUMN_INTEGER,
	COLUMN_HEX, /* integer that is shown in hexadecimal, such as an address or bits */
	COLUMN_WORDS,
};

/* The scope within a recording where the value of a column is constant. */
enum column_scope {
	OF_RECORDING,
	OF_CODE,
	OF_CALL, /* sampled instruction with its callers */
	OF_SAMPLE,
};

/* The objects from which the values of a row come. Unknown objects are NULL. */
struct row {
	const struct recording *recording;
	const struct code *code;
	uint32_t stack;
	struct codes *codes;
	const struct sample *sample;
};

static inline struct row row_of(struct codes *codes, const struct sample *sample)
{
	return (struct row){sample->recording, code_at(codes, sample->place), sample->stack, codes,
	                    sample};
}

struct value {
	uint64_t number;
	const char *words; /* valid until the next value of the same column */
};

struct export_column {
	const char *name;
	enum column_kind kind;
	enum column_scope scope;
	unsigned index; /* number of the value that get() returns */
	/* Get the value of a row. Return false if the sample has no such value. */
	bool (*get)(struct value *value, const struct row *row, unsigned index);
	struct map_key (*key)(const struct row *row); /* key of the data on which the words of a
	                                                 sample depend */
};
extern const struct export_column export_columns[];
extern const unsigned export_column_count;

static inline bool column_get(struct value *value, unsigned column, const struct row *row)
{
	return export_columns[column].get(value, row, export_columns[column].index);
}

#endif
