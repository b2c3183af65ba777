/* SPDX-License-Identifier: MIT */
/* See value.h. */
#include "value.h"

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

static uint32_t join_strides(uint64_t a, uint64_t b)
{
	uint64_t stride = common_divisor(a, b);

	return stride > UINT32_MAX ? 1 : (uint32_t)stride;
}

struct value value_of_type(struct type *type)
{
	if (!type)
		return unknown;
	if (type->kind != TYPE_POINTER)
		return (struct value){.kind = VALUE_DATA, .type = type};
	return (struct value){.kind = VALUE_POINTER, .type = type->target};
}

struct value value_plus(struct value v, int64_t number)
{
	if (!value_is_address(&v) && v.kind != VALUE_NUMBER)
		return unknown;
	v.offset = (int64_t)((uint64_t)v.offset + (uint64_t)number);
	return v;
}

uint64_t value_factor(const struct value *v)
{
	if (v->kind == VALUE_MULTIPLE)
		return v->stride;
	if (v->kind == VALUE_NUMBER)
		return v->offset < 0 ? -(uint64_t)v->offset : (uint64_t)v->offset;
	return 1;
}

static uint64_t shifted_factor(const struct value *v, unsigned shift)
{
	uint64_t factor = value_factor(v);

	return shift < 32 && factor <= UINT32_MAX ? factor << shift : 1;
}

struct value value_indexed(const struct value *base, const struct value *index, unsigned shift)
{
	struct value v = *base;

	if (value_is_address(base) && index->kind == VALUE_NUMBER && shift < 64)
		return value_plus(v, (int64_t)((uint64_t)index->offset << shift));
	if (value_is_address(base) && !value_is_address(index)) {
		v.stride = join_strides(v.stride, shifted_factor(index, shift));
		return v;
	}
	if (!shift && value_is_address(index) && !value_is_address(base))
		return value_indexed(index, base, 0);
	if (value_is_address(base) || value_is_address(index))
		return unknown;
	v = (struct value){.kind = VALUE_MULTIPLE};
	v.stride = join_strides(shifted_factor(base, 0), shifted_factor(index, shift));
	return v.stride > 1 ? v : unknown;
}

struct value value_join(const struct value *a, const struct value *b)
{
	bool null_a = a->kind == VALUE_NUMBER && !a->offset;
	bool null_b = b->kind == VALUE_NUMBER && !b->offset;
	struct value v = *a;
	int64_t distance = (int64_t)((uint64_t)b->offset - (uint64_t)a->offset);

	if (value_equal(a, b))
		return v;
	/* A null pointer is never accessed, so the other value holds. */
	if (null_a && value_is_address(b))
		return *b;
	if (null_b && value_is_address(a))
		return v;
	if (!value_is_address(a) && !value_is_address(b)) {
		v = (struct value){.kind = VALUE_MULTIPLE,
		                   .stride = join_strides(value_factor(a), value_factor(b))};
		return v.stride > 1 ? v : unknown;
	}
	if (a->kind != b->kind || a->type != b->type || a->call != b->call ||
	    !value_is_address(a) || a->kind == VALUE_STACK)
		return unknown;
	v.stride = join_strides(join_strides(a->stride, b->stride),
	                        distance < 0 ? -(uint64_t)distance : (uint64_t)distance);
	v.weak = a->weak || b->weak;
	if (v.stride && v.kind == VALUE_POINTER) {
		/* Values that a loop increases must not differ in each round. */
		v.offset %= v.stride;
		if (v.offset < 0)
			v.offset += v.stride;
	} else if (b->offset < a->offset) {
		v.offset = b->offset;
	}
	return v;
}

const struct value *values_slot(const struct values *values, int64_t at)
{
	for (unsigned i = 0; i < values->slot_count; i++) {
		if (values->slots[i].at == at)
			return &values->slots[i].value;
	}
	return NULL;
}

void values_forget(struct values *values, int64_t at, uint64_t size)
{
	for (unsigned i = 0; i < values->slot_count;) {
		int64_t slot = values->slots[i].at;

		if (slot + 8 > at && slot < at + (int64_t)size)
			values->slots[i] = values->slots[--values->slot_count];
		else
			i++;
	}
}

void values_store(struct values *values, int64_t at, const struct value *value)
{
	values_forget(values, at, 8);
	if (value->kind != VALUE_UNKNOWN && values->slot_count < SLOTS_MAX)
		values->slots[values->slot_count++] = (struct slot){at, *value};
}

bool values_join(struct values *to, const struct values *from)
{
	bool changed = false;

	for (unsigned i = 0; i < REGISTER_ZERO; i++) {
		struct value v;

		if (to->x[i].kind == VALUE_UNKNOWN)
			continue;
		v = value_join(&to->x[i], &from->x[i]);
		if (value_equal(&v, &to->x[i]))
			continue;
		to->x[i] = v;
		changed = true;
	}
	for (unsigned i = 0; i < to->slot_count;) {
		const struct value *other = values_slot(from, to->slots[i].at);
		struct value v = other ? value_join(&to->slots[i].value, other) : unknown;

		if (v.kind == VALUE_UNKNOWN) {
			to->slots[i] = to->slots[--to->slot_count];
			changed = true;
			continue;
		}
		changed |= !value_equal(&v, &to->slots[i].value);
		to->slots[i++].value = v;
	}
	return changed;
}
