/* SPDX-License-Identifier: MIT */
/* What rows can be grouped by, in perf's words: a table of keys, each with its columns. */
#ifndef TOOLS_REPORT_KEY_H
#define TOOLS_REPORT_KEY_H

#include "profile.h"
#include "../base/table.h"

enum { KEY_COLUMNS = 5 };

/* A bin with what it is of. */
struct member {
	const struct profile *profile;
	const struct bin *bin;
	struct place *place; /* its names are looked up when they are needed */
	const struct facet *facet;
};

struct key {
	const char *name, *alias; /* alias NULL: none */
	/* Equal is 0. By name: what has one name in two recordings is equal (spemu diff). */
	int (*compare)(const struct member *a, const struct member *b, bool by_name);
	void (*fill)(struct cell *cells, const struct member *m);
	bool needs_symbol, needs_line;
	unsigned column_count;
	struct column columns[KEY_COLUMNS];
};

/* NULL: there is no such key. */
const struct key *key_find(const char *name);
/* Index 0, 1, ...; NULL past the end. */
const struct key *key_at(unsigned index);

/* "file:line" or what there is instead, in a buffer. */
void place_line_text(char *text, size_t size, const struct place *place);

#endif
