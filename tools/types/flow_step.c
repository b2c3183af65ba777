/* SPDX-License-Identifier: MIT */
/* The effect of one instruction on the values of the registers. See flow.h. */
#include "flow.h"

#include "../base/common.h"

#include <dwarf.h>
#include <string.h>

/* Weights of the evidence for the type of a new object. */
enum { WEIGHT_PARAMETER = 1, WEIGHT_VARIABLE = 3 };

static const struct value unknown;

/* The object at an address. */
struct target {
	enum type_source source;
	struct type *type;
	int64_t offset;
	uint32_t stride;
	bool weak;
	const char *reason;
};

static struct value get(const struct values *values, unsigned reg)
{
	return reg == REGISTER_ZERO ? (struct value){.kind = VALUE_NUMBER} : values->x[reg];
}

static void set(struct values *values, unsigned reg, struct value value)
{
	if (reg != REGISTER_ZERO)
		values->x[reg] = value;
}

/* Return the value of the address that a load or store accesses. */
static struct value address_of(const struct values *values, const struct effect *e)
{
	struct value base = get(values, e->base), index;

	if (e->literal)
		return (struct value){.kind = VALUE_STATIC, .offset = (int64_t)e->target};
	if (e->index == REGISTER_ZERO)
		return value_plus(base, e->offset);
	index = get(values, e->index);
	return value_indexed(&base, &index, e->index_shift);
}

static const char *reason_of(const struct value *address)
{
	switch (address->kind) {
	case VALUE_POINTER:
		return "the pointer is a void *";
	case VALUE_NEW:
		return "the new object has no type yet";
	case VALUE_DATA:
		return "the base is an integer variable";
	case VALUE_STATIC:
		return "no variable is at the address";
	default:
		return "the base register is unknown";
	}
}

/* Return true if adding any multiple of the stride leads to the same member. */
static bool stride_keeps_member(const struct flow *flow, struct type *type, uint64_t offset,
                                uint32_t stride)
{
	struct type_step steps[TYPE_STEPS_MAX];
	size_t n;

	if (!stride || (type->size && stride % type->size == 0))
		return true;
	n = type_steps(flow->types, steps, type, type->size ? offset % type->size : offset, 1);
	for (size_t i = 0; i < n; i++) {
		const struct type *array = steps[i].type;

		if (array->kind == TYPE_ARRAY && array->target && array->target->size &&
		    stride % array->target->size == 0)
			return true;
	}
	return false;
}

/*
 * Decide how sure the type of a pointer is. An access beyond the object is weak: the object may be
 * larger than the static type, or the compiler may have moved the pointer. So is an access between
 * members. With a stride, the pointer walks over an array of such objects.
 */
static void judge_pointer(const struct flow *flow, struct target *t, unsigned size)
{
	struct type_step steps[TYPE_STEPS_MAX];
	uint64_t whole = t->type->size;
	size_t n;

	if (t->stride && whole && t->stride % whole == 0) {
		t->offset %= (int64_t)whole;
		t->offset += t->offset < 0 ? (int64_t)whole : 0;
		t->stride = 0;
	}
	if (t->stride && !stride_keeps_member(flow, t->type, (uint64_t)t->offset, t->stride)) {
		t->weak = true;
		return;
	}
	n = type_steps(flow->types, steps, t->type, (uint64_t)t->offset, size);
	if (t->offset < 0 || ((uint64_t)t->offset >= whole && whole && n == 1))
		t->weak = true;
	else if (type_is_aggregate(t->type) && type_is_aggregate(steps[n - 1].type))
		t->weak = true;
}

/* Find the object at an address. */
static struct target find_target(const struct flow *flow, const struct values *values,
                                 const struct value *address, unsigned size, uint64_t at)
{
	struct target t = {.offset = address->offset, .stride = address->stride,
	                   .weak = address->weak};

	switch (address->kind) {
	case VALUE_POINTER:
		t.type = address->type;
		t.source = t.type ? TYPE_REGISTER : TYPE_NONE;
		if (t.type)
			judge_pointer(flow, &t, size);
		break;
	case VALUE_STATIC:
		t.type = flow->host->static_variable(flow->host->context, &t.offset,
		                                     (uint64_t)address->offset);
		t.source = t.type ? TYPE_STATIC : TYPE_NONE;
		break;
	case VALUE_THREAD:
		t.type = flow->host->thread_variable(flow->host->context, &t.offset,
		                                     address->offset);
		t.source = t.type ? TYPE_THREAD : TYPE_NONE;
		break;
	case VALUE_STACK:
		t.type = flow_stack_variable(flow, values, &t.offset, address->offset, at);
		t.source = t.type ? TYPE_STACK : TYPE_SAVED;
		break;
	default:
		break;
	}
	if (t.type && t.source != TYPE_REGISTER && t.stride &&
	    !stride_keeps_member(flow, t.type, (uint64_t)t.offset, t.stride))
		t.weak = true;
	t.reason = t.source == TYPE_NONE ? reason_of(address) : NULL;
	return t;
}

/* Return the value that a load of `size` bytes gets from the object, `more` bytes behind it. */
static struct value loaded(const struct flow *flow, const struct target *t, unsigned size,
                           unsigned more)
{
	struct type_step steps[TYPE_STEPS_MAX];
	int64_t offset = t->offset + more;
	struct value v;
	size_t n;

	if (!t->type || offset < 0)
		return unknown;
	/* A weak type still tells what an element of an array may be. */
	if (t->type->size && (uint64_t)offset >= t->type->size && t->weak)
		offset %= (int64_t)t->type->size;
	n = type_steps(flow->types, steps, t->type, (uint64_t)offset, size);
	if (steps[n - 1].offset || (size != 8 && steps[n - 1].type->kind == TYPE_POINTER))
		return unknown;
	v = value_of_type(steps[n - 1].type);
	v.weak = t->weak;
	return v;
}

static void record_access(struct flow *flow, const struct target *t, const struct effect *e,
                          uint64_t at)
{
	APPEND(flow->accesses, flow->access_count, flow->access_capacity) =
	        (struct code_type){.address = at,
	                           .source = t->source,
	                           .weak = t->weak,
	                           .type = t->type,
	                           .offset = t->offset,
	                           .stride = t->stride,
	                           .size = e->size,
	                           .count = e->count,
	                           .reason = t->reason};
}

/* Record that a new object gets a pointer of this type. */
static void record_call_type(struct flow *flow, const struct value *object, struct type *type,
                             unsigned weight)
{
	if (!flow->recording || object->kind != VALUE_NEW || object->offset || object->stride ||
	    !type || (!type_is_aggregate(type) && type->kind != TYPE_POINTER))
		return; /* a pointer to numbers is no evidence */
	APPEND(flow->calls, flow->call_count, flow->call_capacity) =
	        (struct call_type){object->call, type, weight};
}

static void step_load(struct flow *flow, struct values *values, const struct effect *e,
                      const struct value *address, const struct target *t)
{
	struct value v[2] = {{0}};

	for (unsigned i = 0; i < e->count && i < 2; i++) {
		unsigned more = i * e->size;
		const struct value *slot =
		        address->kind == VALUE_STACK && !address->stride && e->size == 8
		                ? values_slot(values, address->offset + more)
		                : NULL;
		struct value constant;

		v[i] = loaded(flow, t, e->size, more);
		if (slot && (v[i].kind != VALUE_POINTER || !v[i].type))
			v[i] = *slot;
		else if (address->kind == VALUE_STATIC && !address->stride && e->size == 8 &&
		         !t->type &&
		         flow->host->constant(flow->host->context, &constant,
		                              (uint64_t)address->offset + more))
			v[i] = constant;
	}
	for (unsigned i = 0; i < e->count && i < 2; i++)
		set(values, e->data[i], v[i]);
}

static void step_store(struct flow *flow, struct values *values, const struct effect *e,
                       const struct value *address, const struct target *t)
{
	bool general = e->data[0] != REGISTER_ZERO || e->data[1] != REGISTER_ZERO;

	if (address->kind == VALUE_STACK && !address->stride)
		values_forget(values, address->offset, (uint64_t)e->size * e->count);
	for (unsigned i = 0; general && i < e->count && i < 2; i++) {
		struct value v = get(values, e->data[i]), pointer;

		if (e->size != 8)
			break;
		if (address->kind == VALUE_STACK && !address->stride)
			values_store(values, address->offset + i * 8, &v);
		pointer = loaded(flow, t, 8, i * 8);
		if (pointer.kind == VALUE_POINTER && !pointer.weak)
			record_call_type(flow, &v, pointer.type, WEIGHT_VARIABLE);
	}
}

static void step_access(struct flow *flow, struct values *values, const struct effect *e,
                        uint64_t at)
{
	struct value address;
	struct target t;

	if (e->pre)
		set(values, e->base, value_plus(get(values, e->base), e->step));
	address = address_of(values, e);
	t = find_target(flow, values, &address, e->size, at);
	if (flow->recording)
		record_access(flow, &t, e, at);
	if (e->kind == EFFECT_STORE)
		step_store(flow, values, e, &address, &t);
	/* The base may be written, too, and status registers and vectors have no known value. */
	for (unsigned i = 0; i < REGISTER_ZERO; i++) {
		if (e->written >> i & 1 && !((e->pre || e->post) && i == e->base))
			values->x[i] = unknown;
	}
	if (e->kind != EFFECT_STORE)
		step_load(flow, values, e, &address, &t);
	if (e->post)
		set(values, e->base, value_plus(get(values, e->base), e->step));
}

/* Return the type of the first parameter, or NULL. */
static struct type *first_parameter(const struct flow *flow, Dwarf_Die *function)
{
	Dwarf_Die child;

	if (dwarf_child(function, &child))
		return NULL;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			return type_of(flow->types, &child);
	} while (!dwarf_siblingof(&child, &child));
	return NULL;
}

static void step_call(struct flow *flow, struct values *values, const struct effect *e, uint64_t at)
{
	struct value result = unknown;
	Dwarf_Die function;
	bool allocates = false,
	     known = flow->host->callee(flow->host->context, &function, &allocates, at, e);

	if (known) {
		struct type *parameter = first_parameter(flow, &function);

		result = value_of_type(type_of(flow->types, &function));
		if (parameter && parameter->kind == TYPE_POINTER)
			record_call_type(flow, &values->x[0], parameter->target, WEIGHT_PARAMETER);
	}
	for (unsigned i = 0; i <= 18; i++)
		values->x[i] = unknown;
	values->x[30] = unknown;
	if (allocates || (result.kind == VALUE_POINTER && !result.type))
		result = (struct value){.kind = VALUE_NEW, .call = at};
	values->x[0] = result;
}

static void step_return(struct flow *flow, const struct values *values)
{
	struct type *type = type_of(flow->types, flow->function);

	if (type && type->kind == TYPE_POINTER)
		record_call_type(flow, &values->x[0], type->target, WEIGHT_VARIABLE);
}

/* Return a value for the product of two integers: a multiple of the factors that are known. */
static struct value times(const struct value *n, const struct value *m)
{
	uint64_t stride = value_factor(n) * value_factor(m);

	if (value_factor(n) > UINT16_MAX || value_factor(m) > UINT16_MAX)
		stride = 1;
	return (struct value){.kind = VALUE_MULTIPLE, .stride = (uint32_t)stride};
}

static struct value product(const struct values *values, const struct effect *e)
{
	struct value n = get(values, e->n), m = get(values, e->m), a = get(values, e->a);

	m = times(&n, &m);
	return value_indexed(&a, &m, 0);
}

/* Return the value that an instruction without a memory access computes. */
static struct value computed(const struct values *values, const struct effect *e)
{
	struct value n = get(values, e->n), m = get(values, e->m);
	struct value zero = {.kind = VALUE_NUMBER};

	switch (e->kind) {
	case EFFECT_MOVE:
		return n;
	case EFFECT_NUMBER:
		return (struct value){.kind = VALUE_NUMBER, .offset = e->value};
	case EFFECT_ADDRESS:
		return (struct value){.kind = VALUE_STATIC, .offset = e->value};
	case EFFECT_ADD:
		return value_plus(n, e->value);
	case EFFECT_ADD_REGISTER:
		if (e->n == e->m && !value_is_address(&n) && e->shift < 16) {
			m = (struct value){.kind = VALUE_MULTIPLE, .stride = (1u << e->shift) + 1};
			return times(&n, &m);
		}
		return value_indexed(&n, &m, e->shift);
	case EFFECT_SUBTRACT:
		/* The stride of a difference is that of a sum. */
		return value_is_address(&n) && m.kind != VALUE_NUMBER ? value_indexed(&n, &m, e->shift)
		                                                      : unknown;
	case EFFECT_SHIFT:
		return value_indexed(&zero, &n, e->shift);
	case EFFECT_MULTIPLY:
		return product(values, e);
	case EFFECT_SELECT:
		return value_join(&n, &m);
	case EFFECT_THREAD:
		return (struct value){.kind = VALUE_THREAD};
	default:
		return unknown;
	}
}

void flow_step(struct flow *flow, struct values *values, const struct effect *e, uint64_t at)
{
	struct value v;

	if (effect_accesses(e)) {
		step_access(flow, values, e, at);
		return;
	}
	if (e->kind == EFFECT_CALL) {
		step_call(flow, values, e, at);
		return;
	}
	if (e->kind == EFFECT_RETURN || e->kind == EFFECT_BRANCH) {
		if (e->kind == EFFECT_RETURN)
			step_return(flow, values);
		return;
	}
	v = computed(values, e);
	/* 32 bits are no address. */
	if (e->narrow && value_is_address(&v))
		v = unknown;
	for (unsigned i = 0; i < REGISTER_ZERO; i++) {
		if (e->written >> i & 1)
			values->x[i] = unknown;
	}
	if (e->kind != EFFECT_OTHER)
		set(values, e->d, v);
}
