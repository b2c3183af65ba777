/* SPDX-License-Identifier: MIT */
/* Keys that group samples into rows. They have perf's names, and each has its columns. */
#ifndef TOOLS_REPORT_KEY_H
#define TOOLS_REPORT_KEY_H

#include "profile.h"
#include "../base/table.h"

/* A bin of an instruction or of a touch. There may be millions of members, so a member has only
 * what sorting needs. */
struct member {
	const struct bin *bin;
	uint64_t number; /* number of the member for the first key of the view */
};

/* Members that are equal in every key of a view. */
struct group {
	const struct member *members;
	size_t count;
	uint64_t samples, latency;
	double *order; /* value for each order of the view; groups with higher values come first */
};

/* The options of a comparison. */
struct comparison {
	const struct profile *profile;
	bool by_name; /* true to compare names, so that a function of two recordings is one row;
	                 source lines are compared as line_match_find() matched them */
};

struct key {
	const char *name, *alias; /* name, and another name or NULL */
	/*
	 * Members are compared by number(), then by compare(), which returns 0 for equal members. A
	 * key that has neither is compared by text().
	 */
	uint64_t (*number)(const struct profile *p, const struct member *m);
	int (*compare)(const struct comparison *c, const struct member *a, const struct member *b);
	/* Return the text of the only column, or NULL if the member has none. */
	const char *(*text)(const struct profile *p, const struct member *m);
	/* Fill the columns of a row. NULL: the key has one column, with its text or its number. */
	void (*fill)(struct cell *cells, const struct profile *p, const struct group *group);
	const struct column *columns;
	unsigned column_count;
	bool needs_symbol, needs_line, needs_type;
	bool of_data; /* true for a key about data, whose members are touches */
	/* Return the sort value of a group; higher values come first. NULL: the view decides. */
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

/* Return the touch that contains the bin of a member. The key must be about data. */
static inline const struct touch *member_touch(const struct member *m)
{
	return (const void *)((const char *)m->bin - offsetof(struct touch, bin));
}

/* Return the key of this name or alias, or NULL. */
const struct key *key_find(const char *name);
/* Return a key by index 0, 1, ..., or NULL past the end. */
const struct key *key_at(unsigned index);
/* Return one of the keys about types of data, which are the last ones: type_key.c. */
const struct key *type_key_at(unsigned index);

int key_compare(const struct key *key, const struct comparison *c, const struct member *a,
                const struct member *b);
/* Compare members whose numbers are equal. */
int key_compare_equal(const struct key *key, const struct comparison *c, const struct member *a,
                      const struct member *b);
void key_fill(struct cell *cells, const struct key *key, const struct profile *p,
              const struct group *group);

/* Write "file:line", or a note that line information is missing. */
void place_line_text(char *text, size_t size, const struct place *place);
/* Look up a place, and fill the cells: object, symbol with offset, and source line. */
void place_fill(struct cell *object, struct cell *symbol, struct cell *line, struct place *place);

#endif
