/* SPDX-License-Identifier: MIT */
/*
 * Decisions as tables. Each condition of the manual is a clause, which is a row of
 * arch/clauses.tsv. A decision is the fold of a table of clauses. An explanation is the trace of
 * the same fold (lib/explain), so the two cannot differ.
 */
#ifndef SPEMU_PE_CLAUSE_H
#define SPEMU_PE_CLAUSE_H

#include "pe/pe_object.h"

struct spemu_pmu;

/* The inputs of a decision. The comment of each decision names the members that it reads. */
struct clause_context {
	const struct spemu_pe *pe;
	unsigned el;                        /* Exception level of the question */
	const struct sysreg_desc *desc;     /* register access: the register by the name that was
	                                       used */
	const struct access_clause *access; /* register access: the current entry of its clause
	                                       list */
	bool write;                         /* register access: true for MSR, false for MRS */
	unsigned index;                     /* index of a register in an array, or number of a
	                                       counter */
	const struct spemu_pmu *pmu;        /* decision about a counter: the PMU of the counter */
	unsigned ec, fsc;                   /* management event: PMBSR_ELx.{EC, FSC} */
	bool collision;                     /* management event: a collision, which sets COLL
	                                       alone */
};

struct clause {
	const char *rule;   /* rule ID, table or section of DDI 0487 M.a */
	const char *text;   /* the condition, in our own words */
	const char *fields; /* fields that the predicate reads, separated by blanks */
	bool (*holds)(const struct clause_context *);
	unsigned value; /* FOLD_FIRST: the decision if this clause is the first to hold */
	/* Return true if the clause applies to the question. A clause that does not apply holds,
	 * and explanations leave it out. NULL means that it always applies. */
	bool (*applies)(const struct clause_context *);
};

enum clause_fold {
	FOLD_ALL,   /* 1 if all clauses hold */
	FOLD_ANY,   /* 1 if any clause holds */
	FOLD_FIRST, /* the value of the first that holds; the last one always holds */
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
 * Return the clause of a register access with index 0, 1, ..., up to the first one that holds,
 * which exists in every list. Its value is an enum spemu_access_outcome. Set c->access, which is
 * NULL for the clauses that all registers share. The current Exception level is c->pe->state.el.
 */
const struct clause *spemu__pe_access_clause(struct clause_context *c, unsigned index);

/* Return the clause of an entry of a clause list. */
const struct clause *spemu__pe_access_row(const struct access_clause *access);

/* Return the fields that a clause of a register access reads. c->access is the entry of that
 * clause. */
const char *spemu__pe_access_fields(const struct clause *clause, const struct clause_context *c);

#endif
