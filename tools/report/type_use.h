/* SPDX-License-Identifier: MIT */
/* The use of a structure according to the samples: the members that each function accesses, the
 * cycles of its loads, and the order of its visits. */
#ifndef TOOLS_REPORT_TYPE_USE_H
#define TOOLS_REPORT_TYPE_USE_H

#include "data_types.h"
#include "group.h"
#include "layout_estimate.h"

enum { USE_MEMBERS = 128, USE_FUNCTIONS = 32 };

/* A member that can move: a scalar, a pointer, an array or a union, also of a structure in the
 * structure. Bit fields that begin in one byte are one member. */
struct use_member {
	uint64_t offset, size;
	char *path; /* "at.keys" */
	bool large; /* true if the member is larger than a line: then it stays where it is */
	uint64_t samples, loads, stores;
};

/* The accesses of a function to a member. */
struct member_use {
	uint64_t samples, stores;
	uint64_t first_pc, last_pc; /* lowest and highest address of the instructions */
	unsigned access;            /* bytes of an access, or 0 if unknown */
	uint64_t paired;            /* samples that access the next member, too, as a pair */
};

struct function_use {
	const struct place *place; /* an instruction of the function */
	struct member_use members[USE_MEMBERS];
	struct load_use loads; /* visits is the number of samples of the member with the most */
	uint64_t samples;      /* samples of loads */
	double squares;        /* sum of the squares of their cycles */
};

struct type_use {
	const struct data_type *type;
	uint64_t size;
	struct use_member members[USE_MEMBERS];
	size_t member_count;
	struct function_use *functions; /* the one with the most cycles of loads first */
	size_t function_count;
	uint64_t samples, weak; /* samples, and weak answers that are not among them */
	uint64_t seen;          /* objects with samples */
	double objects;         /* estimated number of objects in the memory that has samples */
	bool is_array;          /* true if the objects are elements of arrays */
	uint64_t start, step;   /* places of the objects in their lines: alignment_of() */
};

/* Return false if the structure has too many members. */
bool type_use_find(struct type_use *use, struct profile *p, const struct group *group);
void type_use_free(struct type_use *use);
/* Return the index of the member at an offset, or USE_MEMBERS for a hole. */
size_t use_member_at(const struct type_use *use, uint64_t offset);
/* Return true if a place is in the function. */
bool use_has_place(const struct function_use *f, const struct place *place);
/* Return the share of the visits of a function that access a member, at most 1. */
double use_weight(const struct function_use *f, size_t member);

/* Return the number of samples whose weak answer is the type. */
uint64_t weak_samples(const struct profile *p, const struct data_type *type);
/* Find where the objects begin in their cache lines. Set *step to the largest number that divides
 * all distances, and return the place of the first object modulo that number. */
uint64_t alignment_of(const struct profile *p, const struct group *group, uint64_t *step);

/* ---- use_objects.c ---- */

/* An access to an object. */
struct visit {
	const struct place *place;
	uint32_t pid, tid;
	uint64_t time, base;
};

/* The accesses of a structure, sorted by object. */
struct visits {
	struct visit *of;
	size_t count;
	uint64_t largest; /* largest distance of objects in one piece of memory */
	double period;    /* operations for each sample */
};

/* Find the accesses, and set seen, objects and is_array. */
void visits_find(struct visits *v, struct type_use *use, const struct profile *p,
                 const struct group *group);
/* Find the offset of an address in an object that has samples, or in an element between two
 * elements of an array that have samples. Return false if there is none. */
bool visits_offset(const struct visits *v, const struct type_use *use, uint64_t *offset,
                   uint32_t pid, uint64_t address);

/* Sort distances, the smallest first. */
void sort_distances(uint64_t *distances, size_t count);

/* ---- use_order.c ---- */

/* Set in_order of each function. This sorts the visits in another way. */
void visits_find_order(struct visits *v, struct type_use *use, struct profile *p);

#endif
