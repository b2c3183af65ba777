/* SPDX-License-Identifier: MIT */
/*
 * Advice about the layout of structures: a change, and the cycles that it could save, estimated
 * from the samples. docs/explanation/layout-advice.md explains the estimates.
 */
#ifndef TOOLS_REPORT_ADVICE_H
#define TOOLS_REPORT_ADVICE_H

#include "type_use.h"

enum advice_kind {
	ADVICE_SPLIT,   /* move hot members to a separate structure */
	ADVICE_ARRAYS,  /* struct of arrays */
	ADVICE_REORDER, /* place hot members side by side */
	ADVICE_ALIGN,   /* align objects to lines */
	ADVICE_UNUSED,  /* remove members that were never seen accessed */
	ADVICE_PAD,     /* give each object its own line, because threads use neighboring objects */
	ADVICE_SEPARATE, /* move members to other lines, because threads use different ones */
	ADVICE_KINDS
};

struct advice {
	enum advice_kind kind;
	const struct data_type *type;
	const struct place *place; /* instruction of the function that gains the most */
	double cycles, error; /* saved cycles of the samples, and half of their 95 % interval */
	uint64_t samples;     /* samples with these cycles */
	double weak;          /* share of weak answers about the type */
	uint64_t seen;        /* objects with samples */
	double objects;       /* estimated number of all objects */
	char *what;           /* "move next and price to a separate structure" */
	char *why;            /* "a visit touches 2 lines and uses 16 of their 128 bytes" */
};

struct advices {
	struct advice *of; /* the one that saves the most first */
	size_t count, capacity;
};

/* Find all advice, once. */
const struct advices *advices_find(struct profile *p);
/* Return "hot/cold split". */
const char *advice_word(enum advice_kind kind);
/* Return "high", "medium" or "low". */
const char *advice_sureness(const struct advice *a);

/* Add an advice if the samples support it. Take over its texts. */
void advices_add(struct advices *list, const struct profile *p, const struct advice *a);
/* Add the advice about the members of a structure. */
void member_advice(struct advices *list, struct profile *p, const struct group *group);
/* Add the advice about false sharing of the data of a type. */
void sharing_advice(struct advices *list, struct profile *p, const struct group *group);

#endif
