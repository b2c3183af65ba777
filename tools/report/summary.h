/* SPDX-License-Identifier: MIT */
/*
 * The summary of a report: what bounds the program, and the largest causes.
 *
 * A cause is a function or a contended object with the avoidable cycles of one kind: contention,
 * memory, branches or stores. Causes are listed until they explain most of the avoidable cycles. If
 * the largest ones explain little, the profile is flat, and the causes are whole objects (a program
 * or a library).
 *
 * The cycles of waiting for other operations are in no cause, because they count in the causes of
 * those operations. Start-up (startup.h) is in no cause, either.
 */
#ifndef TOOLS_REPORT_SUMMARY_H
#define TOOLS_REPORT_SUMMARY_H

#include <json-c/json_object.h>

#include "cost.h"
#include "group.h"
#include "../base/common.h"

enum {
	CAUSES = 8,        /* largest number of causes */
	CAUSE_LINES = 3,   /* largest number of source lines of a cause */
	HOT_FUNCTIONS = 3, /* number of functions that are listed if little is avoidable */
	PARTS = 4,         /* number of objects and of commands that are listed with them */
};

/* Kinds of causes. Each has one or more areas (session/reason.h). */
enum cause_kind { CAUSE_CONTENTION, CAUSE_MEMORY, CAUSE_BRANCHES, CAUSE_STORES, CAUSE_KINDS };
/* Return the kind of the avoidable cycles of a reason, or CAUSE_KINDS. */
enum cause_kind cause_kind_of(enum reason reason);

struct cause_line {
	const char *file; /* source file; NULL ends the list */
	int line;
	uint64_t cycles;
};

struct cause {
	enum cause_kind kind;
	struct place *place; /* the place with the most cycles */
	struct cost cost;    /* cycles of this kind by reason */
	uint64_t size;       /* their sum */
	struct sums sums;    /* samples with such cycles */
	struct cause_line lines[CAUSE_LINES];
	char *members;                      /* members with the most cycles, or NULL */
	char *data;                         /* names of the data with the most cycles, or NULL */
	const struct cache_line *contended; /* a contended line of the data, or NULL */
	const struct advice *layout;        /* change of a layout that saves much of it, or NULL */
	uint32_t functions; /* number of functions, for a cause that is a whole object; else 0 */
	uint32_t threads;   /* number of threads of a contended line, else 0 */
	bool estimated;     /* true if no record shows the contention: see contention.h */
};

struct hot_function {
	struct place *place;
	uint64_t cycles; /* or samples, if the recordings have no latencies */
};

/* An object or a command. */
struct part {
	const char *name; /* NULL ends the list */
	uint64_t cycles;  /* or samples, if the recordings have no latencies */
};

struct summary {
	struct cost cost;    /* cycles of all samples by reason */
	struct cost running; /* the same without start-up */
	uint64_t whole;      /* their sum, or 0 if the recordings have no latencies */
	uint64_t latency;    /* cycles of the latencies alone */
	uint64_t samples;
	uint64_t startup;   /* cycles of start-up */
	uint64_t avoidable; /* avoidable cycles, without start-up */
	uint64_t covered;   /* avoidable cycles of the causes */
	bool flat;          /* true if the largest functions explain little */
	bool estimated;     /* true if some of the contention is an estimate */
	bool threads_met;   /* true if the program has several threads */
	struct cause causes[CAUSES];
	unsigned count;
	struct hot_function hot[HOT_FUNCTIONS];
	unsigned hot_count;
	struct part objects[PARTS], commands[PARTS]; /* the largest ones, with start-up */
	/* Error of the timing model for each area in per cent, or -1: see model_error.h. */
	int errors[AREAS];
	/* Interpreter that has at least half of the cycles, or NULL. */
	const struct interpreter *interpreter;
	const char *input; /* path of the first recording */
};

/* Return the avoidable cycles of a kind, without start-up. */
uint64_t summary_of_kind(const struct summary *s, enum cause_kind kind);

void summary_find(struct summary *s, struct profile *p);
/* Return true if the cause is the function or object of a place. */
bool cause_has(const struct place *place, const struct cause *c);
/* Return the cycles of a bin that belong to a kind. */
struct cost cause_cost(const struct profile *p, const struct bin *bin, enum cause_kind kind);
/* Set the members and the data with most of the cycles of a cause. */
void summary_data(struct cause *c, struct profile *p);
/* Set the advice about a layout that saves the most of a cause, if it saves much. */
void summary_layout(struct cause *c, struct profile *p);
void summary_free(struct summary *s);
void summary_print(const struct summary *s, struct out *o);
struct json_object *summary_json(const struct summary *s);

/* Write what bounds the program, as sentences. The caller frees them. */
char *summary_text(const struct summary *s);
/* Write "function in object" of a cause, or the data of a contended line. */
void cause_name(char *text, size_t size, const struct cause *c);
/* Return the reason with the most cycles of a cause. */
const struct reason_text *cause_reason(const struct cause *c);
/* Return the timing model's error for the area with most cycles of a cause in per cent, or -1 if it
 * is unknown. */
int cause_error(const struct summary *a, const struct cause *c);
/* Write the section of docs/howto/remedies.md about a reason: "remedies.md#tlb-walks". */
void reason_link(char *text, size_t size, const struct reason_text *reason);

#endif
