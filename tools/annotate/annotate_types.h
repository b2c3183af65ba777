/* SPDX-License-Identifier: MIT */
/* The types and members that each sampled load and store accesses. */
#ifndef TOOLS_ANNOTATE_TYPES_H
#define TOOLS_ANNOTATE_TYPES_H

#include "annotate_profile.h"

/* Samples of an instruction that access the same member. */
struct data_use {
	size_t instruction; /* index of the instruction while they are collected, and index + 1 */
	uint32_t next;      /* of another use of the instruction, or 0 */
	const char *type;   /* "struct Order", or "(stack operation)" */
	char *member;       /* "a.keys[].b"; empty for a scalar */
	uint64_t offset;    /* offset of the first such sample in the type */
	const char *source; /* most trusted evidence for the type */
	bool weak;
	uint64_t samples, latency;
};

/* Write the members of an instruction with the most cycles: "Order.price 80%, Order.next? 20%". */
enum { USES_TEXT = 400 };
void uses_text(char text[USES_TEXT], const struct instruction *in);
/* Find the types of the instructions of the chosen functions, and set their members uses and
 * use_count. This reads all samples again. */
void annotated_find_types(struct annotated *a, const bool *chosen);

#endif
