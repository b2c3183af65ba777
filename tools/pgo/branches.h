/* SPDX-License-Identifier: MIT */
/*
 * The branches of a recording that leave from a program or lead into it, added up, and what ran
 * between them.
 *
 * A sampled branch says two things: how often it went to its target, and that straight code was
 * executed: a run. Where the record has the target of the branch taken before (FEAT_SPE_PBT), the
 * run is from there to the sampled branch, over branches that are not taken; so branches that are
 * not taken are left out themselves: they are in the runs of those that are, and counted twice
 * otherwise. Without that target the run is from the sampled branch's target up to the next branch;
 * one that is not taken leads to the address after it.
 */
#ifndef TOOLS_PGO_BRANCHES_H
#define TOOLS_PGO_BRANCHES_H

#include "../session/session.h"
#include "../session/symbols.h"

struct branch {
	uint64_t from, to; /* addresses in the program's file; 0 outside of it */
	bool from_inside, to_inside;
	bool taken;
	uint64_t count, mispredicted;
	uint64_t followed; /* of count: those that say what was executed after them, not before */
};

/* Straight code: first and last are its first instruction and the branch that it ends with. */
struct run {
	uint64_t first, last, count;
};

struct branches {
	struct object *program;
	struct branch *list; /* by from, then to; those from outside come last */
	size_t count;
	struct run *before; /* those that ended with a sampled branch, each once */
	size_t before_count;
	uint64_t inside;       /* samples in list */
	uint64_t elsewhere;    /* samples of branches that neither leave nor enter the program */
	uint64_t not_retired;  /* samples of branches that were not executed in the end */
	uint64_t targetless;   /* samples of taken branches without a target */
	uint64_t jit;          /* of those elsewhere: in memory that no file is mapped to */
	bool mapped,
	        changed; /* whether the program was mapped; whether another file of its name was */
};

void branches_collect(struct branches *b, struct session *s, struct object *program);
void branches_free(struct branches *b);

/* All runs, by address; returns their number. To be freed. */
size_t branches_runs(const struct branches *b, struct run **runs);

/* What went on into the next block without a branch: from is its last instruction, to the block. To
 * be freed. */
size_t branches_fall_throughs(const struct branches *b, struct branch **found);

/* What an instruction of the program is to the flow of control. */
enum instruction {
	NO_CODE, /* the file has none there */
	OTHER,
	JUMP,
	CONDITIONAL,
	CALL,
	RETURN,
};
/* offset: of a direct branch its target less vaddr, else 0. */
enum instruction program_instruction(struct object *program, uint64_t vaddr, int32_t *offset);

#endif
