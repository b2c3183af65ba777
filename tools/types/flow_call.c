/* SPDX-License-Identifier: MIT */
/*
 * The effect of a call on the values of the registers, and what its arguments and result tell. See
 * flow.h.
 *
 * AAPCS64: integers and pointers are passed in x0 to x7. A structure of more than 16 bytes is
 * passed by its address, and x8 has the address of such a result.
 */
#include "flow.h"

#include "clobber.h"
#include "../base/common.h"

#include <dwarf.h>
#include <string.h>

enum {
	ARGUMENTS = 8,          /* x0 to x7 */
	RESULT_IN_MEMORY = 8,   /* x8 */
	TEMPORARIES_MAX = 1024, /* temporaries of a function */
	CHILDREN_MAX = 64,      /* entries of a function that may be parameters */
};

static const struct value unknown;

/* Record that a new object gets a pointer of this type. */
void flow_record_call(struct flow *flow, const struct value *object, struct type *type,
                      unsigned weight)
{
	if (!flow->recording || object->kind != VALUE_NEW || object->offset || object->stride ||
	    !type || (!type_is_aggregate(type) && type->kind != TYPE_POINTER))
		return; /* a pointer to numbers says little */
	APPEND(flow->calls, flow->call_count, flow->call_capacity) =
	        (struct call_type){object->call, type, weight};
}

struct type *flow_temporary(const struct flow *flow, int64_t *offset, int64_t at)
{
	const struct temporary *found = NULL;
	uint64_t in_found = 0;

	for (size_t i = 0; i < flow->temporary_count; i++) {
		const struct temporary *t = &flow->temporaries[i];
		uint64_t in_type = (uint64_t)at - (uint64_t)t->at;

		if (in_type >= t->type->size)
			continue;
		if (found && !type_agrees(flow->types, found->type, in_found, t->type, in_type))
			return NULL;
		if (found && t->type->size <= found->type->size)
			continue;
		found = t;
		in_found = in_type;
	}
	if (found)
		*offset = (int64_t)in_found;
	return found ? found->type : NULL;
}

/* Note that an object of a type is in the stack frame, if the pointer points there. */
static void add_temporary(struct flow *flow, struct values *values, unsigned reg, struct type *type)
{
	const struct value *pointer = &values->x[reg];

	if (pointer->kind != VALUE_STACK || pointer->stride || type_is_vague(type))
		return;
	values_forget(values, pointer->offset, type->size); /* the function may change it */
	for (size_t i = 0; i < flow->temporary_count; i++) {
		if (flow->temporaries[i].at == pointer->offset && flow->temporaries[i].type == type)
			return;
	}
	if (flow->temporary_count < TEMPORARIES_MAX)
		APPEND(flow->temporaries, flow->temporary_count, flow->temporary_capacity) =
		        (struct temporary){pointer->offset, type};
}

/* Learn from the parameters and the result of a function what lies in the caller's frame. Stop at
 * a parameter whose registers depend on the language. */
static void add_temporaries(struct flow *flow, struct values *values, Dwarf_Die *function,
                            struct type *result)
{
	unsigned reg = 0, children = 0;
	Dwarf_Die child;

	if (result && type_is_in_memory(result))
		add_temporary(flow, values, RESULT_IN_MEMORY, result);
	if (dwarf_child(function, &child))
		return;
	do {
		struct type *type;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		type = type_of(flow->types, &child);
		if (!type || reg == ARGUMENTS || type->kind == TYPE_ARRAY)
			return;
		if (type->kind == TYPE_POINTER)
			add_temporary(flow, values, reg, type->target);
		else if (type_is_in_memory(type))
			add_temporary(flow, values, reg, type);
		else if (type->size > 8)
			return;
		reg += !type_is_float(type);
	} while (++children < CHILDREN_MAX && !dwarf_siblingof(&child, &child));
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

/* Return true for Linux' function that returns the distance of this CPU's data; see
 * effect.c. Compilers do not always inline it. */
static bool returns_cpu_offset(Dwarf_Die *function)
{
	const char *name = dwarf_diename(function);

	return name && !strcmp(name, "__kern_my_cpu_offset");
}

/* Return the value of a register of eight bytes that returns a part of a structure. */
static struct value result_part(struct types *types, struct type *type, uint64_t offset)
{
	struct type_step steps[TYPE_STEPS_MAX];
	struct value v;

	if (!type_is_aggregate(type) || type->size > 16 || offset >= type->size)
		return unknown;
	v = value_of_part(steps, type_steps(types, steps, type, offset, 8));
	return v.kind == VALUE_POINTER ? v : unknown;
}

/* The results of a call: x0 and x1. */
struct results {
	struct value first, second;
};

/* Apply what debugging information says about the called function. Return its results. */
static struct results call_known(struct flow *flow, struct values *values, Dwarf_Die *function)
{
	struct type *parameter = first_parameter(flow, function);
	struct type *type = type_of(flow->types, function);
	struct results r = {.first = value_of_type(type)};

	if (parameter && parameter->kind == TYPE_POINTER)
		flow_record_call(flow, &values->x[0], parameter->target, WEIGHT_PARAMETER);
	add_temporaries(flow, values, function, type);
	if (returns_cpu_offset(function))
		r.first = (struct value){.kind = VALUE_INTEGER};
	if (!type || !type_is_aggregate(type))
		return r;
	r.first = result_part(flow->types, type, 0);
	r.second = result_part(flow->types, type, 8);
	return r;
}

static void record_frame(struct flow *flow, const struct values *values, uint64_t call)
{
	const struct value *sp = &values->x[REGISTER_SP], *x29 = &values->x[29];

	if (flow->recording)
		APPEND(flow->frames, flow->frame_count, flow->frame_capacity) =
		        (struct frame_registers){.call = call,
		                                 .sp_known = value_in_frame(sp),
		                                 .x29_known = value_in_frame(x29),
		                                 .sp = sp->offset,
		                                 .x29 = x29->offset};
}

void flow_call(struct flow *flow, struct values *values, const struct effect *e, uint64_t at)
{
	struct value first = values->x[0];
	struct results r = {unknown, unknown};
	uint32_t changed = CLOBBER_ALL;
	Dwarf_Die function;
	enum call_result kind = RESULT_ANY;

	record_frame(flow, values, at);
	if (flow->host->callee(flow->host->context, &function, &kind, at, e))
		r = call_known(flow, values, &function);
	if (e->direct && flow->host->clobbered)
		changed = flow->host->clobbered(flow->host->context, e->target);
	changed |= 1u << 30;
	for (unsigned i = 0; i < REGISTER_ZERO; i++) {
		if (changed >> i & 1)
			values->x[i] = unknown;
	}
	if (kind == RESULT_FIRST)
		r.first = first;
	else if (kind == RESULT_NEW || (r.first.kind == VALUE_POINTER && !r.first.type))
		r.first = (struct value){.kind = VALUE_NEW, .call = at};
	if (changed & 1 || r.first.kind != VALUE_UNKNOWN)
		values->x[0] = r.first.kind ? r.first : value_origin(at, 0);
	if (changed & 2)
		values->x[1] = r.second.kind ? r.second : value_origin(at, 1);
}
