/* SPDX-License-Identifier: MIT */
/* Keys that rows are grouped by, in perf's words, each with its columns. */
#ifndef TOOLS_REPORT_KEY_H
#define TOOLS_REPORT_KEY_H

#include "profile.h"
#include "../base/table.h"

/* A bin of an instruction or of a touch. There may be millions: a member has no more than sorting
 * needs. */
struct member {
	const struct bin *bin;
	uint64_t number; /* of the first key of a view */
};

/* Members that are equal in every key of a view. */
struct group {
	const struct member *members;
	size_t count;
	uint64_t samples, latency;
	double *order; /* for each order of the view; the highest first */
};

/* The options of a comparison. */
struct comparison {
	const struct profile *profile;
	bool by_name; /* compare names, so that a function of two recordings is one row */
};

struct key {
	const char *name, *alias; /* alias NULL: none */
	/*
	 * Members are compared by the number, and if it is equal by compare(), which returns 0 for
	 * equal members. A key has one of them or both, or else it is compared by its text.
	 */
	uint64_t (*number)(const struct profile *p, const struct member *m);
	int (*compare)(const struct comparison *c, const struct member *a, const struct member *b);
	/* Return the text of the one column, or NULL if a member has none. */
	const char *(*text)(const struct profile *p, const struct member *m);
	/* Fill the columns of a row. NULL: there is one, with the text or else the number. */
	void (*fill)(struct cell *cells, const struct profile *p, const struct group *group);
	const struct column *columns;
	unsigned column_count;
	bool needs_symbol, needs_line;
	bool of_data; /* a key of data: its members are touches */
	/* The order of groups by this key alone, the highest first. NULL: that of the view. */
	double (*order)(const struct profile *p, const struct group *group);
};
#define KEY_COLUMNS(array) .columns = (array), .column_count = sizeof(array) / sizeof((array)[0])

static inline struct place *member_place(const struct profile *p, const struct member *m)
{
	return &p->samples.places[m->bin->place];
}

static inline const struct facet *member_facet(const struct profile *p, const struct member *m)
{
	return &p->facets[m->bin->facet];
}

/* Return the touch that has the bin of a member of a key of data. */
static inline const struct touch *member_touch(const struct member *m)
{
	return (const void *)((const char *)m->bin - offsetof(struct touch, bin));
}

/* Return the key of this name or alias, or NULL. */
const struct key *key_find(const char *name);
/* Return a key by index 0, 1, ..., or NULL past the end. */
const struct key *key_at(unsigned index);

int key_compare(const struct key *key, const struct comparison *c, const struct member *a,
                const struct member *b);
/* Compare members whose numbers are equal. */
int key_compare_equal(const struct key *key, const struct comparison *c, const struct member *a,
                      const struct member *b);
void key_fill(struct cell *cells, const struct key *key, const struct profile *p,
              const struct group *group);

/* Write "file:line", or a note that there is no line information. */
void place_line_text(char *text, size_t size, const struct place *place);
/* Look up a place, and fill cells: its object, its symbol with the offset, its source line. */
void place_fill(struct cell *object, struct cell *symbol, struct cell *line, struct place *place);

#endif
