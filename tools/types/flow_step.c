/* SPDX-License-Identifier: MIT */
/* The effect of one instruction on the values of the registers. See flow.h. */
#include "flow.h"

#include "../base/common.h"

#include <string.h>

enum { SCOPE_AHEAD = 4 }; /* instructions */

static const struct value unknown;

static struct value get(const struct values *values, unsigned reg)
{
	return reg == REGISTER_ZERO ? (struct value){.kind = VALUE_INTEGER} : values->x[reg];
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
	/* Only a pointer serves as an address. */
	if (base.kind == VALUE_DATA && base.type && base.type->kind == TYPE_POINTER)
		base = value_of_type(base.type);
	if (e->index == REGISTER_ZERO)
		return value_plus(base, e->offset);
	index = get(values, e->index);
	return value_indexed(&base, &index, INT64_C(1) << e->index_shift);
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
	case VALUE_STACK:
		return "no variable is at this place of the stack";
	case VALUE_STATIC:
	case VALUE_THREAD:
		return "no variable is at the address";
	default:
		return "the base register is unknown";
	}
}

/* Return true if adding any multiple of the stride leads to the same member. */
static bool stride_keeps_member(struct types *types, struct type *type, uint64_t offset,
                                uint32_t stride)
{
	struct type_step steps[TYPE_STEPS_MAX];
	size_t n;

	if (!stride || (type->size && stride % type->size == 0))
		return true;
	n = type_steps(types, steps, type, offset, 1);
	for (size_t i = 0; i < n; i++) {
		const struct type *array = steps[i].type;

		if (array->kind == TYPE_ARRAY && array->target && array->target->size &&
		    stride % array->target->size == 0)
			return true;
	}
	return false;
}

/* Return true for a pointer to code. A pointer to such pointers is a table, such as a vtable. */
static bool is_code_table(const struct type *type)
{
	return type->kind == TYPE_POINTER && type->target && type->target->kind == TYPE_FUNCTION &&
	       type->size;
}

/* Return true for the type that Rust gives the table of a trait object: three numbers, behind which
 * the addresses of the methods follow. */
static bool is_trait_table(const struct type *type)
{
	return type->kind == TYPE_ARRAY && type->target && type->size == 3 * type->target->size &&
	       type->target->name && !strcmp(type->target->name, "usize");
}

/*
 * Decide how sure the type of a pointer is. An access beyond the object is weak: the object may be
 * larger than the static type, or the compiler may have moved the pointer. So is an access between
 * members. With a stride, the pointer walks over an array of such objects.
 */
void flow_judge(struct types *types, struct code_type *t)
{
	struct type_step steps[TYPE_STEPS_MAX];
	uint64_t whole = t->type->size;
	size_t n;

	if ((is_code_table(t->type) || is_trait_table(t->type)) && t->offset >= 0) {
		t->offset %= (int64_t)whole;
		t->stride = 0;
		return;
	}
	if (t->stride && whole && t->stride % whole == 0) {
		t->offset %= (int64_t)whole;
		t->offset += t->offset < 0 ? (int64_t)whole : 0;
		t->stride = 0;
	}
	if (t->stride && !stride_keeps_member(types, t->type, (uint64_t)t->offset, t->stride)) {
		t->weak = true;
		return;
	}
	n = type_steps(types, steps, t->type, (uint64_t)t->offset, t->size);
	/* A pointer that walks over an array accesses whole elements. Behind the loop it may access
	 * the next member. */
	if (t->stride && !type_is_aggregate(steps[n - 1].type) && t->size < steps[n - 1].type->size)
		t->weak = true;
	if (t->offset < 0 || ((uint64_t)t->offset >= whole && whole && n == 1))
		t->weak = true;
	else if (type_is_aggregate(t->type) && type_is_aggregate(steps[n - 1].type))
		t->weak = true;
}

/* Return true if the access is to one slot of the function's own frame. */
static bool is_frame_access(const struct value *address, const struct effect *e)
{
	return !address->stride && (e->base == REGISTER_SP || e->base == 29);
}

/* Find the object at an address. */
static struct code_type find_target(const struct flow *flow, const struct values *values,
                                    const struct value *address, const struct effect *e,
                                    uint64_t at)
{
	struct code_type t = {.address = at,
	                      .offset = address->offset,
	                      .stride = address->stride,
	                      .weak = address->weak,
	                      .size = e->size,
	                      .count = e->count};

	switch (address->kind) {
	case VALUE_POINTER:
		t.type = address->type;
		t.source = t.type ? TYPE_REGISTER : TYPE_NONE;
		if (t.type)
			flow_judge(flow->types, &t);
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
		t.in_thread = address->offset;
		break;
	case VALUE_STACK:
		t.type = flow_stack_variable(flow->variables, values->x, &t.offset, address->offset,
		                             at);
		/* The scope of a variable may begin after the store that initializes it. */
		for (unsigned i = 1; !t.type && e->kind == EFFECT_STORE && i <= SCOPE_AHEAD; i++)
			t.type = flow_stack_variable(flow->variables, values->x, &t.offset,
			                             address->offset, at + i * 4);
		if (!t.type)
			t.type = flow_temporary(flow, &t.offset, address->offset);
		t.source = t.type                        ? TYPE_STACK
		           : is_frame_access(address, e) ? TYPE_SAVED
		                                         : TYPE_NONE;
		break;
	case VALUE_NEW:
		t.call = address->call;
		break;
	default:
		break;
	}
	if (t.type && t.source != TYPE_REGISTER && t.stride &&
	    !stride_keeps_member(flow->types, t.type, (uint64_t)t.offset, t.stride))
		t.weak = true;
	t.reason = t.source == TYPE_NONE ? reason_of(address) : NULL;
	return t;
}

/* Return the value that a load of `size` bytes gets from the object, `more` bytes behind it. */
static struct value loaded(const struct flow *flow, const struct code_type *t, unsigned size,
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
	if (size != 8 && steps[n - 1].type->kind == TYPE_POINTER)
		return unknown;
	v = value_of_part(steps, n);
	if (v.kind == VALUE_DATA && size == 8) {
		struct type *pointer = type_pointer_at(flow->types, t->type, (uint64_t)offset);

		v.type = pointer ? pointer : v.type;
	}
	v.weak = t->weak;
	return v;
}

static void step_load(struct flow *flow, struct values *values, const struct effect *e,
                      const struct value *address, const struct code_type *t)
{
	uint64_t at = t->address;
	struct value v[2] = {{0}};

	for (unsigned i = 0; i < e->count && i < 2; i++) {
		unsigned more = i * e->size;
		const struct value *slot =
		        address->kind == VALUE_STACK && !address->stride && e->size == 8
		                ? values_slot(values, address->offset + more)
		                : NULL;
		struct value constant;

		v[i] = loaded(flow, t, e->size, more);
		if (address->kind == VALUE_STATIC && e->size == 8 &&
		    flow->host->cpu_offset(flow->host->context, (uint64_t)address->offset))
			v[i] = (struct value){.kind = VALUE_INTEGER};
		else if (slot && (v[i].kind != VALUE_POINTER || !v[i].type))
			v[i] = *slot;
		else if (address->kind == VALUE_STATIC && !address->stride && e->size == 8 &&
		         !t->type &&
		         flow->host->constant(flow->host->context, &constant,
		                              (uint64_t)address->offset + more))
			v[i] = constant;
	}
	for (unsigned i = 0; i < e->count && i < 2; i++)
		set(values, e->data[i], v[i].kind || e->size != 8 ? v[i] : value_origin(at, i));
}

/*
 * Learn the type of a pointer from the variable or member that gets it, for every copy of a value
 * that is unknown or points to a new object.
 */
static void learn(struct values *values, unsigned reg, const struct value *pointer)
{
	struct value old = get(values, reg);

	if (reg == REGISTER_ZERO || type_is_vague(pointer->type))
		return;
	if (old.kind == VALUE_UNKNOWN)
		values->x[reg] = *pointer;
	else if ((old.kind == VALUE_NEW || old.kind == VALUE_ORIGIN) && !old.offset && !old.stride)
		values_learn(values, &old, pointer);
}

static void step_store(struct flow *flow, struct values *values, const struct effect *e,
                       const struct value *address, const struct code_type *t)
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
			flow_record_call(flow, &v, pointer.type, WEIGHT_VARIABLE);
		if (pointer.kind == VALUE_POINTER && !pointer.weak)
			learn(values, e->data[i], &pointer);
	}
}

static void step_access(struct flow *flow, struct values *values, const struct effect *e,
                        uint64_t at)
{
	struct value address;
	struct code_type t;

	if (e->pre)
		set(values, e->base, value_plus(get(values, e->base), e->step));
	address = address_of(values, e);
	t = find_target(flow, values, &address, e, at);
	if (flow->recording)
		APPEND(flow->accesses, flow->access_count, flow->access_capacity) = t;
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

/* Record that the function returns a new object, whose type it may not know. */
static void record_fresh(struct flow *flow, const struct value *result)
{
	if (flow->recording && result->kind == VALUE_NEW && !result->offset && !result->stride)
		APPEND(flow->fresh, flow->fresh_count, flow->fresh_capacity) = result->call;
}

/* Follow a branch to a function that returns its first argument. */
static void step_branch(struct flow *flow, const struct values *values, const struct effect *e,
                        uint64_t at)
{
	enum call_result kind = RESULT_ANY;
	Dwarf_Die function;

	if (!flow->recording || !e->direct || e->conditional || values->x[0].kind != VALUE_NEW)
		return;
	flow->host->callee(flow->host->context, &function, &kind, at, e);
	if (kind == RESULT_FIRST)
		record_fresh(flow, &values->x[0]);
}

static void step_return(struct flow *flow, const struct values *values)
{
	struct type *type = type_of(flow->types, flow->function);

	record_fresh(flow, &values->x[0]);
	if (type && type->kind == TYPE_POINTER)
		flow_record_call(flow, &values->x[0], type->target, WEIGHT_VARIABLE);
}

/* Return 1 << shift. Longer shifts than of indexes do not occur in addresses. */
static int64_t factor_of(const struct effect *e)
{
	return INT64_C(1) << (e->shift & 31);
}

/* Return the value that an instruction without a memory access computes. */
static struct value computed(const struct flow *flow, const struct values *values,
                             const struct effect *e)
{
	struct value n = get(values, e->n), m = get(values, e->m), a = get(values, e->a);
	struct value zero = {.kind = VALUE_INTEGER};

	switch (e->kind) {
	case EFFECT_MOVE:
		return n;
	case EFFECT_NUMBER:
		return (struct value){.kind = VALUE_INTEGER, .offset = e->value};
	case EFFECT_ADDRESS:
		return (struct value){.kind = VALUE_STATIC, .offset = e->value};
	case EFFECT_ADD:
		return value_plus(n, e->value);
	case EFFECT_ADD_REGISTER:
		if (e->n == e->m && !value_is_address(&n))
			return value_indexed(&zero, &n, factor_of(e) + 1);
		return value_indexed(&n, &m, factor_of(e));
	case EFFECT_SUBTRACT:
		return value_is_address(&m) ? unknown : value_indexed(&n, &m, -factor_of(e));
	case EFFECT_SHIFT:
		return value_is_address(&n) ? unknown : value_indexed(&zero, &n, factor_of(e));
	case EFFECT_MULTIPLY:
		m = value_times(&n, &m);
		return value_indexed(&a, &m, 1);
	case EFFECT_SELECT:
		return value_join(flow->types, &n, &m);
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
		flow_call(flow, values, e, at);
		return;
	}
	if (e->kind == EFFECT_RETURN) {
		step_return(flow, values);
		return;
	}
	if (e->kind == EFFECT_BRANCH) {
		step_branch(flow, values, e, at);
		return;
	}
	v = computed(flow, values, e);
	if (e->kind == EFFECT_CURRENT && flow->task)
		v = (struct value){.kind = VALUE_POINTER, .type = flow->task};
	/* An address has 64 bits. */
	if (e->narrow)
		v = value_number(&v);
	for (unsigned i = 0; i < REGISTER_ZERO; i++) {
		if (e->written >> i & 1)
			values->x[i] = unknown;
	}
	if (e->kind != EFFECT_OTHER)
		set(values, e->d, v);
}
