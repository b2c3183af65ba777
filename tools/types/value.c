/* SPDX-License-Identifier: MIT */
/* See value.h. */
#include "value.h"

#include "../base/common.h"

#include <string.h>

static const struct value unknown;

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint64_t magnitude(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

static uint32_t join_strides(uint64_t a, uint64_t b)
{
	uint64_t stride = common_divisor(a, b);

	return stride > UINT32_MAX ? 1 : (uint32_t)stride;
}

static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

struct value value_of_type(struct type *type)
{
	if (!type)
		return unknown;
	if (type->kind != TYPE_POINTER)
		return (struct value){.kind = VALUE_DATA, .type = type};
	return (struct value){.kind = VALUE_POINTER, .type = type->target};
}

struct value value_of_part(const struct type_step *steps, size_t count)
{
	struct value v = steps[count - 1].offset ? unknown : value_of_type(steps[count - 1].type);

	if (v.kind == VALUE_POINTER && v.type && type_is_slice(steps, count))
		v.stride = join_strides(v.type->size, 0);
	return v;
}

/* Return the value as an integer. An unknown value is a multiple of 1. */
static struct value as_integer(const struct value *v)
{
	if (v->kind == VALUE_INTEGER)
		return *v;
	return (struct value){.kind = VALUE_INTEGER,
	                      .stride = 1,
	                      .offset = v->kind == VALUE_ORIGIN ? v->offset : 0};
}

struct value value_number(const struct value *v)
{
	if (value_is_address(v))
		return unknown;
	return v->kind == VALUE_ORIGIN && (v->offset || v->stride) ? as_integer(v)
	       : v->kind == VALUE_ORIGIN                           ? unknown
	                                                           : *v;
}

struct value value_plus(struct value v, int64_t number)
{
	if (!value_is_address(&v) && v.kind != VALUE_ORIGIN)
		v = as_integer(&v);
	v.offset = sum(v.offset, number);
	return v;
}

/* Return the integer times an exact number. */
static struct value scaled(struct value v, int64_t factor)
{
	uint64_t stride;

	v.offset = (int64_t)((uint64_t)v.offset * (uint64_t)factor);
	if (__builtin_mul_overflow((uint64_t)v.stride, magnitude(factor), &stride) ||
	    stride > UINT32_MAX)
		stride = 1;
	v.stride = (uint32_t)stride;
	return v;
}

struct value value_indexed(const struct value *base, const struct value *index, int64_t factor)
{
	struct value v = *base, more;

	if (value_is_address(index)) {
		if (value_is_address(base) || factor != 1)
			return unknown;
		return value_indexed(index, base, 1);
	}
	/* The operand without a factor is an address, or both are numbers. */
	if (!value_is_address(base) && (base->kind != VALUE_ORIGIN || magnitude(factor) == 1))
		v = as_integer(base);
	more = as_integer(index);
	more = scaled(more, factor);
	v.offset = sum(v.offset, more.offset);
	v.stride = join_strides(v.stride, more.stride);
	return v;
}

struct value value_times(const struct value *a, const struct value *b)
{
	struct value x = as_integer(a), y = as_integer(b);
	uint64_t factor;

	if (!x.stride)
		return scaled(y, x.offset);
	if (!y.stride)
		return scaled(x, y.offset);
	factor = (uint64_t)join_strides(x.stride, magnitude(x.offset)) *
	         join_strides(y.stride, magnitude(y.offset));
	return (struct value){.kind = VALUE_INTEGER,
	                      .stride = factor > UINT32_MAX ? 1 : (uint32_t)factor};
}

static bool may_be_address(const struct value *v)
{
	return value_is_address(v) || v->kind == VALUE_ORIGIN;
}

static bool is_null(const struct value *v)
{
	return v->kind == VALUE_INTEGER && !v->offset && !v->stride;
}

/* Return the scalar that begins at the address, or NULL. */
static struct type *pointed_scalar(struct types *types, const struct value *v)
{
	struct type_step steps[TYPE_STEPS_MAX], *last;

	if (v->kind != VALUE_POINTER || v->weak || !v->type || !v->type->size || v->offset < 0 ||
	    (uint64_t)v->offset >= v->type->size || v->stride % v->type->size)
		return NULL;
	last = &steps[type_steps(types, steps, v->type, (uint64_t)v->offset, 0) - 1];
	return last->type->kind == TYPE_SCALAR && !last->offset ? last->type : NULL;
}

/* Join pointers to different types: if the same scalar lies at both addresses, the pointer is one
 * to a scalar. */
static struct value join_scalars(struct types *types, const struct value *a, const struct value *b)
{
	struct type *type = pointed_scalar(types, a);

	if (!type || type != pointed_scalar(types, b))
		return unknown;
	return a->type == type ? *a : (struct value){.kind = VALUE_POINTER, .type = type};
}

struct value value_join(struct types *types, const struct value *a, const struct value *b)
{
	struct value v = *a;

	if (value_equal(a, b))
		return v;
	/* A null pointer is never accessed, so the other value holds. */
	if (is_null(a) && may_be_address(b))
		return *b;
	if (is_null(b) && may_be_address(a))
		return v;
	if (a->kind == VALUE_POINTER && b->kind == VALUE_POINTER && a->type != b->type)
		return join_scalars(types, a, b);
	if (a->kind != b->kind || a->type != b->type || a->call != b->call ||
	    a->kind == VALUE_UNKNOWN)
		return unknown;
	/* The offset of `a` stays, so that a loop that changes the value comes to an end. */
	v.stride = join_strides(join_strides(a->stride, b->stride),
	                        magnitude((int64_t)((uint64_t)b->offset - (uint64_t)a->offset)));
	v.weak = a->weak || b->weak;
	return v;
}

/* Return the number of slots that begin before an offset. */
static unsigned slots_before(const struct values *values, int64_t at)
{
	size_t i;

	COUNT_LEADING(i, values->slot_count, mid, values->slots[mid].at < at);
	return (unsigned)i;
}

const struct value *values_slot(const struct values *values, int64_t at)
{
	unsigned i = slots_before(values, at);

	return i < values->slot_count && values->slots[i].at == at ? &values->slots[i].value : NULL;
}

void values_forget(struct values *values, int64_t at, uint64_t size)
{
	unsigned first = slots_before(values, sum(at, -7)),
	         end = slots_before(values, sum(at, (int64_t)size));

	if (first >= end)
		return;
	memmove(values->slots + first, values->slots + end,
	        (values->slot_count - end) * sizeof(*values->slots));
	values->slot_count -= end - first;
}

void values_store(struct values *values, int64_t at, const struct value *value)
{
	unsigned i;

	values_forget(values, at, 8);
	if (value->kind == VALUE_UNKNOWN || values->slot_count == SLOTS_MAX)
		return;
	i = slots_before(values, at);
	memmove(values->slots + i + 1, values->slots + i,
	        (values->slot_count - i) * sizeof(*values->slots));
	values->slots[i] = (struct slot){at, *value};
	values->slot_count++;
}

void values_learn(struct values *values, const struct value *origin, const struct value *pointer)
{
	const struct value like = *origin; /* it may be one of the copies */

	for (unsigned i = 0; i < REGISTER_ZERO + values->slot_count; i++) {
		struct value *v =
		        i < REGISTER_ZERO ? &values->x[i] : &values->slots[i - REGISTER_ZERO].value;

		if (v->kind != like.kind || v->call != like.call)
			continue;
		v->kind = VALUE_POINTER;
		v->type = pointer->type;
		v->stride = join_strides(v->stride, pointer->stride);
		v->call = 0;
	}
}

/* Join the common slots, and drop the others. Return true if `to` changed. */
static bool join_slots(struct types *types, struct values *to, const struct values *from)
{
	unsigned kept = 0, other = 0;
	bool changed = false;

	for (unsigned i = 0; i < to->slot_count; i++) {
		struct value v = unknown;

		while (other < from->slot_count && from->slots[other].at < to->slots[i].at)
			other++;
		if (other < from->slot_count && from->slots[other].at == to->slots[i].at)
			v = value_join(types, &to->slots[i].value, &from->slots[other].value);
		changed |= !value_equal(&v, &to->slots[i].value);
		if (v.kind != VALUE_UNKNOWN)
			to->slots[kept++] = (struct slot){to->slots[i].at, v};
	}
	to->slot_count = kept;
	return changed;
}

bool values_join(struct types *types, struct values *to, const struct values *from)
{
	bool changed = false;

	for (unsigned i = 0; i < REGISTER_ZERO; i++) {
		struct value v;

		if (to->x[i].kind == VALUE_UNKNOWN)
			continue;
		v = value_join(types, &to->x[i], &from->x[i]);
		if (value_equal(&v, &to->x[i]))
			continue;
		to->x[i] = v;
		changed = true;
	}
	return join_slots(types, to, from) || changed;
}
