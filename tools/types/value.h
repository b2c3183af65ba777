/* SPDX-License-Identifier: MIT */
/* Abstract values: knowledge about the contents of registers, for the data-flow analysis. */
#ifndef TOOLS_TYPES_VALUE_H
#define TOOLS_TYPES_VALUE_H

#include "effect.h"
#include "type.h"

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_POINTER, /* address of an object of `type`, plus offset */
	VALUE_STACK,   /* canonical frame address plus offset */
	VALUE_STATIC,  /* an address in the program: offset */
	VALUE_THREAD,  /* thread pointer plus offset */
	VALUE_NEW,     /* object of unknown type that the call at `call` returned, plus offset */
	VALUE_INTEGER, /* the number `offset` */
	VALUE_DATA,    /* a variable that is not a pointer; see `type` below */
	VALUE_ORIGIN,  /* the unknown value that the place `call` made, plus offset */
};

/*
 * With a stride, an unknown multiple of it is added to the value. Compilers add the offset of an
 * array in a structure to its index, so the offset of an integer counts even if the stride is 1. A
 * pointer with type NULL is a `void *`.
 * All copies of a VALUE_ORIGIN have the same `call`, so they learn their type together.
 * A VALUE_DATA from a place that has a pointer in other variants has the type of this pointer.
 * `weak` is true if the type rests on an access beyond the object that a pointer points to.
 */
struct value {
	enum value_kind kind;
	bool weak;
	uint32_t stride;
	struct type *type;
	int64_t offset;
	uint64_t call;
};

static inline bool value_equal(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->weak == b->weak && a->stride == b->stride &&
	       a->type == b->type && a->offset == b->offset && a->call == b->call;
}

/* Return true if the value is a known place in the stack frame. */
static inline bool value_in_frame(const struct value *v)
{
	return v->kind == VALUE_STACK && !v->stride;
}

/* Return true for values that are addresses. */
static inline bool value_is_address(const struct value *v)
{
	return v->kind >= VALUE_POINTER && v->kind <= VALUE_NEW;
}

/* Return the unknown value in a register that an instruction writes: the first or the second. */
static inline struct value value_origin(uint64_t address, unsigned which)
{
	return (struct value){.kind = VALUE_ORIGIN, .call = address + which};
}

/* Return the value as a number, for an instruction that cannot compute an address. */
struct value value_number(const struct value *v);
/* Return the value of a variable of this type. */
struct value value_of_type(struct type *type);
/* Return the value of the part of a variable to which the steps lead. */
struct value value_of_part(const struct type_step *steps, size_t count);
/* Return the value plus a number. */
struct value value_plus(struct value v, int64_t number);
/* Return base + index * factor. */
struct value value_indexed(const struct value *base, const struct value *index, int64_t factor);
/* Return the product of two integers. */
struct value value_times(const struct value *a, const struct value *b);
/* Return what holds for both values, where two paths join. `types` is the set of their types. */
struct value value_join(struct types *types, const struct value *a, const struct value *b);

/* The values of the registers, and of the stack slots that were written, sorted by `at`. */
enum { SLOTS_MAX = 128 };
struct slot {
	int64_t at; /* offset from the CFA */
	struct value value;
};
struct values {
	struct value x[REGISTERS];
	struct slot slots[SLOTS_MAX];
	unsigned slot_count;
};

/* Return the value of the slot at an offset from the CFA, or NULL. */
const struct value *values_slot(const struct values *values, int64_t at);
/* Store a value in a slot of 8 bytes, or forget the slots that `size` written bytes overlap. */
void values_store(struct values *values, int64_t at, const struct value *value);
void values_forget(struct values *values, int64_t at, uint64_t size);
/* Let all copies of a VALUE_ORIGIN or VALUE_NEW be copies of a pointer. */
void values_learn(struct values *values, const struct value *origin, const struct value *pointer);
/* Keep in `to` what holds in both. Return true if `to` changed. */
bool values_join(struct types *types, struct values *to, const struct values *from);

#endif
