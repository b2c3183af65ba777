/* SPDX-License-Identifier: MIT */
/*
 * Branches of a recording that leave or enter a program, added up, and the code that ran between
 * them.
 *
 * A sampled branch shows two things: that it went to its target, and that a run, which is straight
 * code, was executed. If the record has the target of the previous taken branch (FEAT_SPE_PBT), the
 * run is from that target to the sampled branch, across branches that are not taken. Records of
 * branches that are not taken are then ignored, because the runs of taken branches contain them.
 * Without that target, the run is from the target of the sampled branch to the next branch. The
 * target of a branch that is not taken is the address after it.
 */
#ifndef TOOLS_PGO_BRANCHES_H
#define TOOLS_PGO_BRANCHES_H

#include "../session/session.h"
#include "../session/symbols.h"

struct branch {
	uint64_t from, to; /* addresses in the program's file, or 0 if outside */
	bool from_inside, to_inside;
	bool taken;
	uint64_t count, mispredicted;
	uint64_t followed; /* samples in count whose run follows the branch */
};

/* Straight code: first is its first instruction, last the branch at its end. */
struct run {
	uint64_t first, last, count;
};

struct branches {
	struct object *program;
	struct branch *list; /* branches by from, then to; branches from outside come last */
	size_t count;
	struct run *before; /* runs that end with a sampled branch, each once */
	size_t before_count;
	uint64_t inside;      /* samples in list */
	uint64_t elsewhere;   /* samples of branches outside the program at both ends */
	uint64_t not_retired; /* samples of branches that did not retire */
	uint64_t targetless;  /* samples of taken branches without a target */
	uint64_t jit;         /* samples in elsewhere whose memory has no file */
	bool mapped, changed; /* true if the program, or another file of its name, was mapped */
};

void branches_collect(struct branches *b, struct session *s, struct object *program);
void branches_free(struct branches *b);

/* Set *runs to the runs, sorted by address, and return their number. The caller frees the array. */
size_t branches_runs(const struct branches *b, struct run **runs);

/* Set *found to the fall-throughs, and return their number. A fall-through is from the last
 * instruction before a block to the block. The caller frees the array. */
size_t branches_fall_throughs(const struct branches *b, struct branch **found);

/* The effect of an instruction on the flow of control. */
enum instruction {
	NO_CODE, /* no code in the file */
	OTHER,
	JUMP,
	CONDITIONAL,
	CALL,
	RETURN,
};
/* Classify an instruction. Set *offset to the distance from vaddr to the target of a direct branch,
 * else to 0. */
enum instruction program_instruction(struct object *program, uint64_t vaddr, int32_t *offset);

#endif
