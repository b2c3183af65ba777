/* SPDX-License-Identifier: MIT */
/* Keys that rows are grouped by, in perf's words, each with its columns. */
#ifndef TOOLS_REPORT_KEY_H
#define TOOLS_REPORT_KEY_H

#include "profile.h"
#include "../base/table.h"

/* A bin with its place and its facet. */
struct member {
	const struct profile *profile;
	const struct bin *bin;
	struct place *place; /* its names are looked up when they are needed */
	const struct facet *facet;
	struct touch *touch; /* the access that has the bin; NULL: an instruction has it */
	uint64_t number;     /* of the first key of a view */
};

/* Members that are equal in every key of a view. */
struct group {
	const struct member *members;
	size_t count;
	uint64_t samples, latency;
	double *order; /* for each order of the view; the highest first */
};

struct key {
	const char *name, *alias; /* alias NULL: none */
	/*
	 * Members are compared by the number, and if it is equal by compare(), which returns 0 for
	 * equal members. A key has one of them or both. by_name: compare names (spemu diff).
	 */
	uint64_t (*number)(const struct member *m);
	int (*compare)(const struct member *a, const struct member *b, bool by_name);
	/* Fill the columns of a row. NULL: the one column is the number. */
	void (*fill)(struct cell *cells, const struct group *group);
	const struct column *columns;
	unsigned column_count;
	bool needs_symbol, needs_line;
	bool of_data; /* a key of data: its members are touches */
};
#define KEY_COLUMNS(array) .columns = (array), .column_count = sizeof(array) / sizeof((array)[0])

/* Return the key of this name or alias, or NULL. */
const struct key *key_find(const char *name);
/* Return a key by index 0, 1, ..., or NULL past the end. */
const struct key *key_at(unsigned index);

int key_compare(const struct key *key, const struct member *a, const struct member *b,
                bool by_name);
void key_fill(struct cell *cells, const struct key *key, const struct group *group);

/* Write "file:line", or that there is no line information. */
void place_line_text(char *text, size_t size, const struct place *place);

#endif
