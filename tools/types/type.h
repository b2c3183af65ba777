/* SPDX-License-Identifier: MIT */
/*
 * Types of data, from the debugging information of one object.
 *
 * A type is made when something asks for it, and once: structures with the same name and size are
 * one type, also if several units describe them. So types compare by pointer. const, volatile and
 * typedefs are skipped; a structure without a name takes the name of its typedef.
 */
#ifndef TOOLS_TYPES_TYPE_H
#define TOOLS_TYPES_TYPE_H

#include "debug_index.h"

enum type_kind {
	TYPE_SCALAR, /* number, character or enumeration */
	TYPE_POINTER,
	TYPE_STRUCT, /* structure or class */
	TYPE_UNION,
	TYPE_ARRAY,
	TYPE_FUNCTION,
};

struct type;

struct type_member {
	const char *name;  /* NULL for an anonymous member and a base class */
	struct type *type; /* NULL if unknown */
	uint64_t offset, size;
	uint32_t first_bit, bits; /* bit field: its first bit in the first byte, and its width */
	bool tag;                 /* true for the member that tells the variant (Rust) */
};

struct type {
	enum type_kind kind;
	const char *name; /* "struct Order", "long" or "char*", as perf names types */
	uint64_t size;    /* size in bytes; 0 if unknown */
	/* Type that a pointer points to, of an array's elements, or that a function returns; NULL
	 * for void. An array of unknown length has the size 0. */
	struct type *target;
	Dwarf_Die die;
	struct type_member *members; /* members of a structure or union, sorted by offset */
	size_t member_count, member_capacity;
	bool has_members; /* true after the members were read */
};

/* The evidence for a type, in the order of trust. */
enum type_source {
	TYPE_NONE,
	TYPE_STATIC,     /* static variable at the address */
	TYPE_THREAD,     /* thread-local variable */
	TYPE_STACK,      /* variable in the stack frame */
	TYPE_SAVED,      /* stack slot of no variable: a saved register, or an argument */
	TYPE_REGISTER,   /* type of the pointer in the base register */
	TYPE_ALLOCATION, /* type of the pointer that gets the result of the allocating call */
	TYPE_VOTES,      /* other samples of the same heap object */
	TYPE_WEAK,       /* base register, but the access is beyond or between the members */
};

struct types;

/* Make an empty set of types. */
struct types *types_new(const struct debug_index *index);

/* Return the type of a variable, member, parameter or function (its result), or NULL for void and
 * for damaged information. Follow DW_AT_abstract_origin and DW_AT_specification. */
struct type *type_of(struct types *types, Dwarf_Die *user);
/* Return the type that an entry defines, or NULL. */
struct type *type_define(struct types *types, Dwarf_Die *die);

/* Return the type of pointers to a type, which the debugging information need not have. */
struct type *type_pointer_to(struct types *types, struct type *target);
/* Return the type of the variables that a closure of Rust captures, or NULL for other functions. */
struct type *type_captured(struct types *types, Dwarf_Die *function);

/* Return the members, sorted by offset, and set *count. */
const struct type_member *type_members(struct types *types, struct type *type, size_t *count);

static inline bool type_is_aggregate(const struct type *type)
{
	return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}

/* Return true for a result or argument that is in memory because it is longer than two registers
 * (AAPCS64). */
static inline bool type_is_in_memory(const struct type *type)
{
	return type_is_aggregate(type) && type->size > 16;
}

/* One step on the way from a type to its part. The first step is the type itself. */
struct type_step {
	struct type *type;
	uint64_t offset;                  /* offset of the address in this type */
	const struct type_member *member; /* member that leads here, or NULL for an element */
};

enum { TYPE_STEPS_MAX = 24 };

/* Return true for a floating-point number. */
bool type_is_float(const struct type *type);
/* Return true if the last step is the address in a slice of Rust, which points to several elements.
 */
bool type_is_slice(const struct type_step *steps, size_t count);
/* Return true if a pointer to the type says little: the type is void or a byte. */
bool type_is_vague(const struct type *type);

/*
 * Find the parts of a type that contain the byte at an offset. Of the members of a union, take the
 * one whose part has `access` bytes. Return the number of steps, at least 1. The last one is an
 * aggregate if the byte is in a hole.
 */
size_t type_steps(struct types *types, struct type_step steps[TYPE_STEPS_MAX], struct type *type,
                  uint64_t offset, unsigned access);

/* Return a pointer that a part of the type may have at an offset, in any variant or member of a
 * union, or NULL. */
struct type *type_pointer_at(struct types *types, struct type *type, uint64_t offset);

/*
 * Return true if two views of one address agree: one type, or a part of it, contains the other at
 * these offsets. Any member of a union counts.
 */
bool type_agrees(struct types *types, struct type *a, uint64_t offset_a, struct type *b,
                 uint64_t offset_b);

/* Write the path of the steps, as "a.keys[].b"; empty for a scalar. */
void type_path(char *text, size_t size, const struct type_step *steps, size_t count);
/* Return the part of a type's name after "struct", "class", "union" or "enum". */
const char *type_plain_name(const char *name);

#endif
