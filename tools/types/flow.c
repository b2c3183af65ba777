/* SPDX-License-Identifier: MIT */
/*
 * The blocks of the data-flow analysis, and its repetition until nothing changes. See flow.h.
 *
 * Code may be hostile, and large, so the numbers of blocks and visits are bounded. A block that the
 * analysis does not reach starts with unknown values.
 */
#include "flow.h"

#include "../base/common.h"

#include <stdlib.h>

enum {
	BLOCKS_MAX = 16384, /* blocks of a function */
	VISITS_RATIO = 8,   /* visits for each block */
	INSTRUCTIONS_MAX = 1 << 18,
	ARGUMENTS = 8,       /* x0 to x7 */
	ORIGIN_ARGUMENT = 2, /* differs from addresses of instructions, and these + 1 */
};

struct instruction {
	uint64_t address;
	struct effect effect;
	bool leads; /* true if a block starts here */
};

struct block {
	size_t first, end; /* indexes of instructions */
	bool waiting, jumped_to;
	struct values *in; /* NULL until the block is reached */
};

struct graph {
	struct flow *flow;
	struct instruction *code;
	size_t count, capacity;
	struct block *blocks;
	size_t block_count;
	size_t *queue; /* ring of block_count + 1 indexes of blocks that wait */
	size_t head, tail;
};

static size_t instruction_at(const struct graph *g, uint64_t address)
{
	size_t i;

	COUNT_LEADING(i, g->count, mid, g->code[mid].address < address);
	return i < g->count && g->code[i].address == address ? i : SIZE_MAX;
}

static size_t block_at(const struct graph *g, size_t instruction)
{
	size_t i;

	COUNT_LEADING(i, g->block_count, mid, g->blocks[mid].first <= instruction);
	return i - 1;
}

static int compare_instructions(const void *pa, const void *pb)
{
	const struct instruction *a = pa, *b = pb;

	return compare_numbers(a->address, b->address);
}

/* Let a branch that the kernel may remove or add be a conditional one. */
static void patch(const struct flow_host *host, struct effect *e, uint64_t address)
{
	uint64_t target;

	if (!host->patched(host->context, &target, address))
		return;
	if (e->kind == EFFECT_BRANCH && e->direct)
		e->conditional = true;
	else if (target && e->kind == EFFECT_OTHER && !e->written) /* NOP */
		*e = (struct effect){.kind = EFFECT_BRANCH,
		                     .direct = true,
		                     .conditional = true,
		                     .target = target};
}

/* Give an instruction the value of its relocation. */
static void relocate(const struct flow_host *host, struct effect *e, uint64_t address)
{
	uint64_t value;

	if (!host->relocated(host->context, &value, address))
		return;
	if (e->kind == EFFECT_CALL || e->kind == EFFECT_BRANCH || e->literal)
		e->target = value;
	else if (e->kind == EFFECT_ADDRESS || e->kind == EFFECT_ADD)
		e->value = (int64_t)value;
	else if (effect_accesses(e))
		e->offset = (int64_t)value;
}

/* Read the instructions of a range. */
static void read_range(struct graph *g, const struct variable_range *range)
{
	const struct flow_host *host = g->flow->host;
	uint64_t low = (range->low + 3) & ~UINT64_C(3);
	size_t size = range->high > low ? (range->high - low) & ~UINT64_C(3) : 0;
	uint8_t *bytes;

	if (!size || size / 4 > INSTRUCTIONS_MAX - g->count)
		return;
	bytes = xcalloc(size, 1);
	for (size_t at = 0; host->code(host->context, bytes, low, size) && at < size; at += 4) {
		APPEND(g->code, g->count, g->capacity) = (struct instruction){.address = low + at};
		effect_of(&g->code[g->count - 1].effect, effect_opcode(bytes + at), low + at);
		patch(host, &g->code[g->count - 1].effect, low + at);
		relocate(host, &g->code[g->count - 1].effect, low + at);
	}
	free(bytes);
}

static void read_code(struct graph *g, const struct variable_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		read_range(g, &ranges[i]);
	if (g->count)
		qsort(g->code, g->count, sizeof(*g->code), compare_instructions);
}

static bool ends_block(const struct effect *e)
{
	return e->kind == EFFECT_BRANCH || e->kind == EFFECT_RETURN || e->kind == EFFECT_TRAP;
}

/* Divide the code into blocks. Return false if there are too many. */
static bool divide(struct graph *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct effect *e = &g->code[i].effect;
		size_t target =
		        ends_block(e) && e->direct ? instruction_at(g, e->target) : SIZE_MAX;

		if (target != SIZE_MAX)
			g->code[target].leads = true;
		if (!i || g->code[i - 1].address + 4 != g->code[i].address ||
		    ends_block(&g->code[i - 1].effect))
			g->code[i].leads = true;
	}
	for (size_t i = 0; i < g->count; i++)
		n += g->code[i].leads;
	if (n > BLOCKS_MAX)
		return false;
	g->blocks = xcalloc(n, sizeof(*g->blocks));
	g->queue = xcalloc(n + 1, sizeof(*g->queue));
	for (size_t i = 0; i < g->count; i++) {
		if (g->code[i].leads)
			g->blocks[g->block_count++].first = i;
		g->blocks[g->block_count - 1].end = i + 1;
	}
	return true;
}

static void wait_for(struct graph *g, size_t block)
{
	if (g->blocks[block].waiting)
		return;
	g->blocks[block].waiting = true;
	g->queue[g->tail] = block;
	g->tail = (g->tail + 1) % (g->block_count + 1);
}

static void enter(struct graph *g, size_t block, const struct values *values)
{
	struct block *b = &g->blocks[block];

	if (!b->in) {
		b->in = xcalloc(1, sizeof(*b->in));
		*b->in = *values;
		wait_for(g, block);
	} else if (values_join(g->flow->types, b->in, values)) {
		wait_for(g, block);
	}
}

static void enter_address(struct graph *g, uint64_t address, const struct values *values)
{
	size_t i = instruction_at(g, address);

	if (i != SIZE_MAX)
		enter(g, block_at(g, i), values);
}

/* Apply the instructions of a block. */
static void run_block(struct graph *g, const struct block *b, struct values *values)
{
	for (size_t i = b->first; i < b->end; i++) {
		flow_seed(g->flow, values, g->code[i].address);
		flow_step(g->flow, values, &g->code[i].effect, g->code[i].address);
	}
}

/* Enter the blocks that follow. An indirect branch may reach each block that no other branch
 * reaches, such as the cases of a switch. */
static void leave(struct graph *g, const struct block *b, const struct values *values)
{
	const struct instruction *last = &g->code[b->end - 1];
	const struct effect *e = &last->effect;

	if (e->kind == EFFECT_BRANCH && e->direct)
		enter_address(g, e->target, values);
	if (!ends_block(e) || (e->kind == EFFECT_BRANCH && e->conditional))
		enter_address(g, last->address + 4, values);
	if (e->kind != EFFECT_BRANCH || e->direct)
		return;
	for (size_t i = 0; i < g->block_count; i++) {
		if (!g->blocks[i].jumped_to)
			enter(g, i, values);
	}
}

/* Mark the blocks that a direct branch or the block before reaches. */
static void mark_targets(struct graph *g)
{
	if (g->block_count)
		g->blocks[0].jumped_to = true;
	for (size_t i = 0; i < g->block_count; i++) {
		const struct instruction *last = &g->code[g->blocks[i].end - 1];
		const struct effect *e = &last->effect;
		size_t target;

		if (e->kind == EFFECT_BRANCH && e->direct &&
		    (target = instruction_at(g, e->target)) != SIZE_MAX)
			g->blocks[block_at(g, target)].jumped_to = true;
		if (i + 1 < g->block_count && (!ends_block(e) || e->conditional))
			g->blocks[i + 1].jumped_to = true;
	}
}

/* Set the values of the registers at the start of the function. A result of more than two registers
 * is in memory, whose address is in x8. */
static void set_arguments(const struct flow *flow, struct values *values)
{
	struct type *result = type_of(flow->types, flow->function);

	*values = (struct values){0};
	for (unsigned i = 0; i < ARGUMENTS; i++)
		values->x[i] =
		        (struct value){.kind = VALUE_ORIGIN, .call = ORIGIN_ARGUMENT + 4 * i};
	if (result && type_is_in_memory(result))
		values->x[8] = (struct value){.kind = VALUE_POINTER, .type = result};
}

/* Repeat until nothing changes. */
static void solve(struct graph *g)
{
	struct values values;
	size_t visits = VISITS_RATIO * g->block_count + 64;

	set_arguments(g->flow, &values);
	enter(g, 0, &values);
	while (g->head != g->tail && visits-- > 0) {
		struct block *b = &g->blocks[g->queue[g->head]];

		g->head = (g->head + 1) % (g->block_count + 1);
		b->waiting = false;
		values = *b->in;
		run_block(g, b, &values);
		leave(g, b, &values);
	}
}

static int compare_accesses(const void *pa, const void *pb)
{
	const struct code_type *a = pa, *b = pb;

	return compare_numbers(a->address, b->address);
}

static int compare_frames(const void *pa, const void *pb)
{
	const struct frame_registers *a = pa, *b = pb;

	return compare_numbers(a->call, b->call);
}

void flow_run(struct flow *flow, const struct variable_range *ranges, size_t count)
{
	static const struct values nothing;
	struct graph g = {.flow = flow};
	struct values values;

	flow_seeds_make(flow);
	read_code(&g, ranges, count);
	if (g.count && divide(&g)) {
		mark_targets(&g);
		solve(&g);
		flow->recording = true;
		for (size_t i = 0; i < g.block_count; i++) {
			values = g.blocks[i].in ? *g.blocks[i].in : nothing;
			run_block(&g, &g.blocks[i], &values);
			free(g.blocks[i].in);
		}
		flow->recording = false;
	}
	if (flow->access_count)
		qsort(flow->accesses, flow->access_count, sizeof(*flow->accesses),
		      compare_accesses);
	if (flow->frame_count)
		qsort(flow->frames, flow->frame_count, sizeof(*flow->frames), compare_frames);
	flow_seeds_free(flow);
	free(flow->temporaries);
	free(g.code);
	free(g.blocks);
	free(g.queue);
}
