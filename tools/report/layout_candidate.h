/* SPDX-License-Identifier: MIT */
/* Other arrangements of the members of a structure, and the cycles that they could save. */
#ifndef TOOLS_REPORT_LAYOUT_CANDIDATE_H
#define TOOLS_REPORT_LAYOUT_CANDIDATE_H

#include "advice.h"

struct candidate {
	enum advice_kind kind;
	bool hot[USE_MEMBERS]; /* members that the change is about */
	unsigned part[USE_MEMBERS];
	uint64_t offset[USE_MEMBERS];
	struct shape_part parts[USE_MEMBERS + 1];
	unsigned part_count;
	double gain;                      /* saved cycles */
	double error;                     /* half of their 95 % interval */
	uint64_t samples;                 /* samples of loads in the functions that change */
	const struct function_use *main;  /* function that gains the most, or NULL */
	struct shape main_now, main_then; /* its visits before and after the change */
};

/* Arrange the members after kind and hot, and estimate the cycles. */
void candidate_estimate(struct candidate *c, const struct type_use *use, unsigned line_size);

#endif
