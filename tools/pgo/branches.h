/* SPDX-License-Identifier: MIT */
/*
 * The branches of a recording that leave or enter a program, added up, and the code that ran
 * between them.
 *
 * A sampled branch has two kinds of information: how often it went to its target, and that straight
 * code was executed, which is a run. If the record has the target of the previous taken branch
 * (FEAT_SPE_PBT), the run is from that target to the sampled branch, across branches that are not
 * taken. So branches that are not taken are left out themselves: the runs of the taken ones contain
 * them, and they would count twice. Without that target, the run is from the target of the sampled
 * branch to the next branch; a branch that is not taken leads to the address after it.
 */
#ifndef TOOLS_PGO_BRANCHES_H
#define TOOLS_PGO_BRANCHES_H

#include "../session/session.h"
#include "../session/symbols.h"

struct branch {
	uint64_t from, to; /* addresses in the program's file; 0: outside */
	bool from_inside, to_inside;
	bool taken;
	uint64_t count, mispredicted;
	uint64_t followed; /* those of count that show the code after them, not before */
};

/* Straight code: first is its first instruction, last the branch at its end. */
struct run {
	uint64_t first, last, count;
};

struct branches {
	struct object *program;
	struct branch *list; /* sorted by from, then to; those from outside come last */
	size_t count;
	struct run *before; /* runs that ended with a sampled branch, each once */
	size_t before_count;
	uint64_t inside;      /* samples in list */
	uint64_t elsewhere;   /* samples of branches outside the program at both ends */
	uint64_t not_retired; /* samples of branches that did not retire */
	uint64_t targetless;  /* samples of taken branches without a target */
	uint64_t jit;         /* samples elsewhere in memory without a file */
	bool mapped, changed; /* the program, or another file of its name, was mapped */
};

void branches_collect(struct branches *b, struct session *s, struct object *program);
void branches_free(struct branches *b);

/* Return the number of runs. *runs gets them, sorted by address; the caller frees it. */
size_t branches_runs(const struct branches *b, struct run **runs);

/* Return the number of fall-throughs. *found gets them: from is the last instruction before the
 * block at to. The caller frees it. */
size_t branches_fall_throughs(const struct branches *b, struct branch **found);

/* The effect of an instruction on the flow of control. */
enum instruction {
	NO_CODE, /* the file has no code there */
	OTHER,
	JUMP,
	CONDITIONAL,
	CALL,
	RETURN,
};
/* Classify an instruction. *offset gets the target of a direct branch less vaddr, else 0. */
enum instruction program_instruction(struct object *program, uint64_t vaddr, int32_t *offset);

#endif
