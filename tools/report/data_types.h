/* SPDX-License-Identifier: MIT */
/* The type and the member that each touch accesses (types/typing.h). */
#ifndef TOOLS_REPORT_DATA_TYPES_H
#define TOOLS_REPORT_DATA_TYPES_H

#include "key.h"
#include "memory.h"
#include "../types/typing.h"

/* A type by its name, which may occur in several objects. Number 0 is the unknown type. */
struct data_type {
	const char
	        *name; /* as "struct Order"; "(unknown)" and "(stack operation)" are perf's words */
	struct types *types; /* set of the type, or NULL */
	struct type *type;   /* NULL for the words in parentheses */
	bool wanted;         /* the type that was asked for */
};

/* The path of a member, as "a.keys[].b"; empty for a scalar and an unknown type. */
struct data_member {
	char *path;
};

/* The answer for a touch. */
struct touch_type {
	uint32_t type;      /* index in profile.data_types */
	uint32_t member;    /* index in profile.data_members; equal for equal paths */
	uint8_t source;     /* enum type_source */
	uint8_t count;      /* registers of the access, 2 for a pair; 0 if unknown */
	uint16_t access;    /* bytes of the access for each register, or 0 if unknown */
	uint64_t offset;    /* offset in the type */
	const char *reason; /* reason why the type is unknown, or NULL */
};

/* Find the types of all touches, once. Die if a type was asked for and has none of them. */
void data_types_find(struct profile *p);
/* Return the answer for a touch. Call data_types_find() first. */
const struct touch_type *type_of_touch(const struct profile *p, const struct touch *touch);
const struct data_type *data_type_of_touch(const struct profile *p, const struct touch *touch);
/* Return true if a touch has the type that was asked for, or any if none was. The user may have
 * left out the keyword (type_plain_name()). */
bool touch_is_wanted(const struct profile *p, const struct touch *touch);
/* Return the address of the object that a touch accesses, an element if it is an array. */
static inline uint64_t touch_base(const struct profile *p, const struct touch *touch)
{
	return touch_address(touch, p) - type_of_touch(p, touch)->offset;
}
/* Return true if the type is a structure or a union, and the answer is not weak. */
bool member_is_structure(const struct profile *p, const struct member *m);
/* Return the number of the type, for a key that groups by type. */
uint64_t member_type_number(const struct profile *p, const struct member *m);
/* Write the path of the member that a touch accesses; empty for a scalar and an unknown type. */
void touch_member(char *text, size_t size, const struct profile *p, const struct touch *touch);

#endif
