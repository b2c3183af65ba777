/* SPDX-License-Identifier: MIT */
/*
 * The cache lines that a visit of an object touches, for an arrangement of its members in memory.
 *
 * An arrangement has one part, the structure itself, or several: hot members in one structure and
 * cold ones in another. The objects of a part follow each other in memory.
 */
#ifndef TOOLS_REPORT_LAYOUT_SHAPE_H
#define TOOLS_REPORT_LAYOUT_SHAPE_H

#include <stddef.h>
#include <stdint.h>

struct shape_part {
	uint64_t stride; /* distance of neighboring objects in bytes, at least 1 */
	/* Places of the first object in its line: start, start + step, ..., all equally likely.
	 * step is a power of two, at most the size of a line. */
	uint64_t start, step;
};

struct shape_member {
	unsigned part; /* index of its part */
	uint64_t offset, size;
	double weight; /* share of the visits that access the member, 0 to 1 */
};

struct shape {
	double touched; /* lines that a visit of one object touches */
	double lines;   /* lines for each object, if all objects are visited */
	double bytes;   /* bytes of memory for each object in the parts that are accessed */
};

/* Compute the shape of an arrangement. line_size is a power of two. */
struct shape shape_of(const struct shape_part *parts, const struct shape_member *members,
                      size_t count, unsigned line_size);

#endif
