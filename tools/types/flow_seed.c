/* SPDX-License-Identifier: MIT */
/* Registers and stack slots that debugging information describes at an instruction. See flow.h. */
#include "flow.h"

#include "../base/common.h"

#include <stdlib.h>

enum { SEEDS_MAX = 1 << 19 };

/* The value of a register at one instruction. */
struct seed {
	uint64_t address;
	uint8_t reg;
	uint8_t rank;
	bool inner; /* true for the pointer in a structure of one pointer, such as an iterator */
	struct value value;
};

/* Order the values that several variables give a register: structures say most. */
static uint8_t rank_of(const struct value *v)
{
	if (v->kind != VALUE_POINTER)
		return 0;
	if (!v->type)
		return 1;
	if (type_is_vague(v->type))
		return 2;
	return type_is_aggregate(v->type) ? 4 : 3;
}

/* Return the value of the part of a variable that a location describes. A structure in one register
 * is its first member, such as the pointer in a Box of Rust. */
static struct value part_value(const struct flow *flow, const struct location *l)
{
	struct type_step steps[TYPE_STEPS_MAX];
	uint64_t size = l->piece_size ? l->piece_size : l->type->size;
	size_t n = type_steps(flow->types, steps, l->type, l->piece, (unsigned)size);

	return value_of_part(steps, n);
}

static struct value value_at(const struct flow *flow, const struct location *l)
{
	struct value v = {0};

	switch (l->kind) {
	case LOCATION_REGISTER:
		return part_value(flow, l);
	case LOCATION_VALUE:
		v = part_value(flow, l);
		return v.kind == VALUE_POINTER ? value_plus(v, -l->offset) : (struct value){0};
	case LOCATION_MEMORY:
		/* A variable in memory at a general register: the register points to it. */
		return (struct value){.kind = VALUE_POINTER,
		                      .type = l->type,
		                      .offset = (int64_t)l->piece - l->offset};
	default:
		return v;
	}
}

static uint64_t pointed_size(const struct value *v)
{
	return v->kind == VALUE_POINTER && v->type ? v->type->size : 0;
}

/* Sort by address and register; the value that says most comes first. */
static int compare_seeds(const void *pa, const void *pb)
{
	const struct seed *a = pa, *b = pb;

	if (a->address != b->address)
		return compare_numbers(a->address, b->address);
	if (a->reg != b->reg)
		return a->reg - b->reg;
	if (a->rank != b->rank)
		return b->rank - a->rank;
	return compare_numbers(pointed_size(&b->value), pointed_size(&a->value));
}

bool flow_is_slot(const struct location *l)
{
	return l->kind == LOCATION_FRAME ||
	       (l->kind == LOCATION_MEMORY && (l->reg == REGISTER_SP || l->reg == 29));
}

void flow_seeds_make(struct flow *flow)
{
	size_t capacity = 0;

	for (size_t i = 0; i < flow->variables->count; i++) {
		const struct location *l = &flow->variables->locations[i];
		struct seed seed = {.reg = l->reg};

		if (flow_is_slot(l))
			continue;
		seed.value = value_at(flow, l);
		seed.inner =
		        !l->piece_size && type_is_aggregate(l->type) && l->kind != LOCATION_MEMORY;
		seed.rank = seed.inner ? 1 : rank_of(&seed.value);
		if (seed.value.kind == VALUE_UNKNOWN)
			continue;
		for (seed.address = (l->low + 3) & ~UINT64_C(3);
		     seed.address < l->high && flow->seed_count < SEEDS_MAX; seed.address += 4)
			APPEND(flow->seeds, flow->seed_count, capacity) = seed;
	}
	if (flow->seed_count)
		qsort(flow->seeds, flow->seed_count, sizeof(*flow->seeds), compare_seeds);
}

void flow_seeds_free(struct flow *flow)
{
	free(flow->seeds);
	flow->seeds = NULL;
	flow->seed_count = 0;
}

/*
 * Return true if the known value points into a larger object that contains the other's. A register
 * may point before the other object: a variable in memory at x22 + 104 may be a member.
 */
static bool is_container(const struct flow *flow, const struct value *known, const struct value *v)
{
	int64_t before = v->offset < 0 ? v->offset : 0;

	return pointed_size(known) > pointed_size(v) && pointed_size(v) &&
	       known->offset >= before && !known->stride && !known->weak &&
	       type_agrees(flow->types, known->type, (uint64_t)(known->offset - before), v->type,
	                   (uint64_t)(v->offset - before));
}

/* Return true if the value from debugging information is better than the known one. */
static bool is_better(const struct flow *flow, const struct seed *seed, const struct value *old)
{
	const struct value *new = &seed->value;
	bool vague = seed->inner || new->kind != VALUE_POINTER || type_is_vague(new->type);

	if (old->kind == VALUE_STATIC || old->kind == VALUE_STACK || old->kind == VALUE_THREAD)
		return false;
	if (vague)
		return old->kind != VALUE_POINTER && old->kind != VALUE_NEW;
	return !is_container(flow, old, new);
}

void flow_seed(struct flow *flow, struct values *values, uint64_t address)
{
	const struct frame_rule *rule = frame_rule_at(flow->variables, address);
	int last = -1;
	size_t i;

	/* Some compilers describe frames only at calls, so the rule of a prologue may be wrong. */
	if (rule && !value_in_frame(&values->x[rule->reg]))
		values->x[rule->reg] = (struct value){.kind = VALUE_STACK, .offset = -rule->offset};
	COUNT_LEADING(i, flow->seed_count, mid, flow->seeds[mid].address < address);
	for (; i < flow->seed_count && flow->seeds[i].address == address; i++) {
		const struct seed *seed = &flow->seeds[i];
		struct value *old = &values->x[seed->reg];

		if (seed->reg == last)
			continue;
		last = seed->reg;
		if (!is_better(flow, seed, old))
			continue;
		/* All copies of the register have the type of the variable. */
		if (old->kind == VALUE_ORIGIN && !old->offset && !old->stride &&
		    seed->value.kind == VALUE_POINTER && !seed->value.offset &&
		    !type_is_vague(seed->value.type))
			values_learn(values, old, &seed->value);
		if (!seed->value.offset)
			flow_record_call(flow, old, seed->value.type, WEIGHT_VARIABLE);
		*old = seed->value;
	}
}

/* Get the offset of a variable's slot from the CFA. */
static bool slot_of(int64_t *at, const struct value *x, const struct location *l)
{
	const struct value *base = &x[l->reg];

	*at = l->offset;
	if (l->kind == LOCATION_FRAME)
		return true;
	if (l->kind != LOCATION_MEMORY || base->kind != VALUE_STACK || base->stride)
		return false;
	*at = base->offset + l->offset;
	return true;
}

struct type *flow_stack_variable(const struct variables *v, const struct value *x, int64_t *offset,
                                 int64_t at, uint64_t address)
{
	size_t end;

	COUNT_LEADING(end, v->count, mid, v->locations[mid].low <= address);
	for (size_t i = end; i > 0; i--) {
		const struct location *l = &v->locations[i - 1];
		uint64_t size = l->piece_size ? l->piece_size : l->type->size;
		int64_t slot;

		if (address >= l->high || !flow_is_slot(l) || !slot_of(&slot, x, l) || at < slot ||
		    (uint64_t)(at - slot) >= (size ? size : 1))
			continue;
		*offset = at - slot + (int64_t)l->piece;
		return l->type;
	}
	return NULL;
}
