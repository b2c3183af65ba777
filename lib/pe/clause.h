/* SPDX-License-Identifier: MIT */
/*
 * Decisions as tables: each condition of the manual is a clause, a row of arch/clauses.tsv. An
 * answer is the fold of a table of clauses. An explanation is the trace of the same fold
 * (lib/explain), so it cannot differ from the answer.
 */
#ifndef SPEMU_PE_CLAUSE_H
#define SPEMU_PE_CLAUSE_H

#include "pe/pe_object.h"

struct spemu_pmu;

/* The subject of a question. Each decision names the members that it looks at. */
struct clause_context {
	const struct spemu_pe *pe;
	unsigned el;                        /* the Exception level asked about */
	const struct sysreg_desc *desc;     /* a register access: of this name, */
	const struct access_clause *access; /* the entry of its clause list, */
	bool write;                         /* MSR or MRS */
	unsigned index;                     /* of an array: which register; or which counter */
	const struct spemu_pmu *pmu;        /* a decision about a counter: whose it is */
	unsigned ec, fsc;                   /* a management event: PMBSR_ELx.{EC, FSC} */
	bool collision;                     /* the event is a collision, which sets COLL alone */
};

struct clause {
	const char *rule;   /* rule ID, table or section of DDI 0487 M.a */
	const char *text;   /* the condition in our words */
	const char *fields; /* that the predicate looks at, separated by blanks */
	bool (*holds)(const struct clause_context *);
	unsigned value; /* FOLD_FIRST: the answer where this clause is the first to hold */
	/* Return true if the clause has a subject. Without one it holds, and no explanation names
	 * it. NULL: it has one. */
	bool (*applies)(const struct clause_context *);
};

enum clause_fold {
	FOLD_ALL,   /* 1 if all hold */
	FOLD_ANY,   /* 1 if one holds */
	FOLD_FIRST, /* the value of the first that holds; the last always does */
};

struct decision {
	enum clause_fold fold;
	unsigned count;
	const struct clause *clauses;
};

#define DECISION(fold, table)                                     \
	{                                                         \
		(fold), sizeof(table) / sizeof(*(table)), (table) \
	}

static inline unsigned decide(const struct decision *d, const struct clause_context *c)
{
	for (unsigned i = 0; i < d->count; i++) {
		bool holds = d->clauses[i].holds(c);

		if (d->fold == FOLD_FIRST && (holds || i + 1 == d->count))
			return d->clauses[i].value;
		if (d->fold != FOLD_FIRST && holds != (d->fold == FOLD_ALL))
			return holds;
	}
	return d->fold == FOLD_ALL;
}

/*
 * The clauses of a register access in order: index 0, 1, ... up to one that holds, which is there
 * in every list; its value is an enum spemu_access_outcome. Sets c->access, which is NULL for the
 * clauses that every register shares. The current Exception level is c->pe->state.el.
 */
const struct clause *spemu__pe_access_clause(struct clause_context *c, unsigned index);

/* The clause of an entry of a clause list. */
const struct clause *spemu__pe_access_row(const struct access_clause *access);

/* Return the fields that a clause of a register access looks at; c->access is its own. */
const char *spemu__pe_access_fields(const struct clause *clause, const struct clause_context *c);

#endif
