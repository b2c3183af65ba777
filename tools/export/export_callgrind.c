/* SPDX-License-Identifier: MIT */
/*
 * Callgrind's format, version 1, which KCachegrind and callgrind_annotate read. It contains costs
 * by function and line, and the inclusive cost of the calls of a line. The number of samples in a
 * call stands for the number of calls.
 *
 * A function is a symbol of an object. Costs of inlined code belong to the lines of its source
 * (fi=, fe=).
 */
#define _GNU_SOURCE
#include "export.h"
#include "export_text.h"
#include "../base/clean.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The sums of an instruction. */
struct cost {
	uint32_t function, code;
	uint64_t sum[WEIGHT_COUNT];
};

/* The sums of the calls from an instruction to a function. */
struct call_cost {
	uint32_t code, callee;
	uint32_t seen; /* last stack that was added */
	uint64_t sum[WEIGHT_COUNT];
};

struct callgrind {
	struct export *e;
	struct text_table objects, files, functions; /* names that were written */
	struct map function_index, call_index;
	const struct code **function; /* an instruction of each function, for the names */
	struct call_cost *calls;
	struct cost *costs; /* sums by code */
	size_t function_capacity, call_capacity;
};

static uint32_t find_function(struct callgrind *c, const struct code *code)
{
	const struct place *place = code->place;
	/* The code of an object without symbols counts as one function. */
	const struct map_key key = {(uintptr_t)place->object, place->symbol ? place->start : 0,
	                            place->symbol != NULL};
	size_t i;

	if (map_insert(&c->function_index, key, &i))
		GROW(c->function, i, c->function_capacity)[i] = code;
	return (uint32_t)i;
}

static struct call_cost *find_call(struct callgrind *c, uint32_t code, uint32_t callee)
{
	size_t i;

	if (map_insert(&c->call_index, (struct map_key){code, callee, 0}, &i))
		GROW(c->calls, i, c->call_capacity)
	[i] = (struct call_cost){.code = code, .callee = callee};
	return &c->calls[i];
}

static void add(uint64_t *to, const uint64_t *from)
{
	for (unsigned i = 0; i < WEIGHT_COUNT; i++)
		to[i] += from[i];
}

/* Add a stack. A call counts once per stack, even if the stack contains it several times. */
static void add_stack(struct callgrind *c, uint32_t stack)
{
	const struct call *calls = c->e->samples.calls;

	add(c->costs[calls[stack].place].sum, c->e->sums.sum[stack]);
	for (uint32_t at = stack; calls[at].caller; at = calls[at].caller) {
		struct call_cost *call = find_call(c, calls[calls[at].caller].place,
		                                   c->costs[calls[at].place].function);

		if (call->seen != stack)
			add(call->sum, c->e->sums.sum[stack]);
		call->seen = stack;
	}
}

static int compare_costs(const void *pa, const void *pb)
{
	const struct cost *a = pa, *b = pb;

	if (a->function != b->function)
		return compare_numbers(a->function, b->function);
	return compare_numbers(a->code, b->code);
}

static int compare_calls(const void *pa, const void *pb)
{
	const struct call_cost *a = pa, *b = pb;

	if (a->code != b->code)
		return compare_numbers(a->code, b->code);
	return compare_numbers(a->callee, b->callee);
}

/* Write "PREFIXKEY=(NUMBER) NAME", without the name if it was written before. */
static void put_name(struct callgrind *c, const char *prefix, const char *key,
                     struct text_table *table, const char *name)
{
	uint32_t before = table->count, number = text_number(table, name);
	struct out *o = c->e->out;

	out_fmt(o, "%s%s=(%u)", prefix, key, number + 1);
	if (number == before) {
		out_text(o, " ");
		out_text(o, table->texts[number]);
	}
	out_text(o, "\n");
}

/* Return the weight of a column. The main weight is the first column, which viewers show first. */
static enum weight weight_at(const struct callgrind *c, unsigned column)
{
	return column == 0 ? c->e->weight : (enum weight)(column - (column <= c->e->weight));
}

static void put_cost(struct callgrind *c, const struct code *code, const uint64_t *sum)
{
	struct out *o = c->e->out;

	out_text(o, "0x");
	out_hex(o, code->place->addr, 0);
	out_fmt(o, " %d", code->place->line);
	for (unsigned i = 0; i < WEIGHT_COUNT; i++) {
		out_text(o, " ");
		out_dec(o, sum[weight_at(c, i)]);
	}
	out_text(o, "\n");
}

static const char *file_or(const char *file)
{
	return file ? file : "???";
}

/* Return the file of a function, even if another function is inlined at the instruction. */
static const char *function_file(const struct code *code)
{
	return file_or(code->frame_count ? code->frames[code->frame_count - 1].file
	                                 : code->place->file);
}

/* Write the names of a function. `prefix` is "", or "c" for a function that is called. */
static void put_function(struct callgrind *c, const char *prefix, const struct code *code)
{
	const struct object *object = code->place->object;

	put_name(c, prefix, "ob", &c->objects,
	         object ? object_path(object) : place_object(code->place));
	put_name(c, prefix, *prefix ? "fi" : "fl", &c->files, function_file(code));
	put_name(c, prefix, "fn", &c->functions, code->function);
}

static void put_call(struct callgrind *c, const struct code *from, const struct call_cost *call)
{
	const struct code *callee = c->function[call->callee];

	put_function(c, "c", callee);
	out_text(c->e->out, "calls=");
	out_dec(c->e->out, call->sum[WEIGHT_SAMPLES]);
	out_text(c->e->out, " 0x");
	out_hex(c->e->out, callee->place->symbol ? callee->place->start : callee->place->addr, 0);
	out_fmt(c->e->out, " %d\n", callee->place->line);
	put_cost(c, from, call->sum);
}

/* Write the costs of an instruction and of its calls, with the source file of its code. */
static void put_code(struct callgrind *c, const struct cost *cost, const char *home)
{
	const struct code *code = code_at(&c->e->codes, cost->code);
	const char *file = file_or(code->place->file);
	bool elsewhere = strcmp(file, home) != 0;
	size_t call;

	if (elsewhere)
		put_name(c, "", "fi", &c->files, file);
	if (cost->sum[WEIGHT_SAMPLES])
		put_cost(c, code, cost->sum);
	COUNT_LEADING(call, c->call_index.count, mid, c->calls[mid].code < cost->code);
	for (; call < c->call_index.count && c->calls[call].code == cost->code; call++)
		put_call(c, code, &c->calls[call]);
	if (elsewhere)
		put_name(c, "", "fe", &c->files, home);
}

/* Write the commands that made the recordings. */
static void put_commands(struct callgrind *c)
{
	const struct samples *s = &c->e->samples;
	const char *before = "cmd: ";

	for (unsigned i = 0; i < s->recording_count; i++) {
		char *command = session_command_line(&s->recordings[i].session);

		if (*command) {
			out_text(c->e->out, before);
			out_text(c->e->out, clean_text(command));
			before = "; ";
		}
		free(command);
	}
	if (*before == ';')
		out_text(c->e->out, "\n");
}

/* Write the name of a weight as an event of the format, which has only letters and digits:
 * "L1dRefill" for "l1d-refill". */
static void put_event(struct out *o, enum weight weight)
{
	bool begins = true;

	for (const char *s = weight_names[weight]; *s; s++) {
		char letter = begins ? (char)toupper((unsigned char)*s) : *s;

		out_bytes(o, &letter, *s != '-');
		begins = *s == '-';
	}
}

static void put_head(struct callgrind *c, const uint64_t *total)
{
	struct out *o = c->e->out;

	out_text(o, "# callgrind format\nversion: 1\ncreator: " SPEMU_VERSION_TEXT "\n");
	put_commands(c);
	out_text(o, "positions: instr line\n");
	for (unsigned i = 0; i < WEIGHT_COUNT; i++) {
		out_text(o, "event: ");
		put_event(o, weight_at(c, i));
		out_fmt(o, " : %s\n", weight_meaning(weight_at(c, i)));
	}
	out_text(o, "events:");
	for (unsigned i = 0; i < WEIGHT_COUNT; i++) {
		out_text(o, " ");
		put_event(o, weight_at(c, i));
	}
	out_text(o, "\nsummary:");
	for (unsigned i = 0; i < WEIGHT_COUNT; i++)
		out_fmt(o, " %llu", (unsigned long long)total[weight_at(c, i)]);
	out_text(o, "\n");
}

/* Find the function of each instruction with samples or calls. Return the number of
 * instructions. */
static size_t find_functions(struct callgrind *c)
{
	struct samples *s = &c->e->samples;

	c->costs = xcalloc(s->place_index.count + 1, sizeof(*c->costs));
	for (uint32_t i = 0; i < s->place_index.count; i++)
		c->costs[i] = (struct cost){.function = UINT32_MAX, .code = i};
	for (size_t i = 1; i < s->call_index.count; i++) {
		uint32_t place = s->calls[i].place;

		c->costs[place].function = find_function(c, code_at(&c->e->codes, place));
	}
	return s->place_index.count;
}

static void end(void *state)
{
	struct export *e = state;
	struct callgrind c = {.e = e};
	size_t count = find_functions(&c);
	uint64_t total[WEIGHT_COUNT] = {0};
	uint32_t function = UINT32_MAX;

	for (size_t i = 1; i < e->sums.count; i++) {
		if (!e->sums.sum[i][WEIGHT_SAMPLES])
			continue;
		add_stack(&c, (uint32_t)i);
		add(total, e->sums.sum[i]);
	}
	put_head(&c, total);
	qsort(c.costs, count, sizeof(*c.costs), compare_costs);
	if (c.call_index.count)
		qsort(c.calls, c.call_index.count, sizeof(*c.calls), compare_calls);
	for (size_t i = 0; i < count && c.costs[i].function != UINT32_MAX; i++) {
		const struct code *first = c.function[c.costs[i].function];

		if (c.costs[i].function != function) {
			out_text(e->out, "\n");
			put_function(&c, "", first);
		}
		function = c.costs[i].function;
		put_code(&c, &c.costs[i], function_file(first));
	}
	text_table_free(&c.objects);
	text_table_free(&c.files);
	text_table_free(&c.functions);
	map_free(&c.function_index);
	map_free(&c.call_index);
	free(c.function);
	free(c.calls);
	free(c.costs);
}

const struct format callgrind_format = {
        .name = "callgrind", .sample = take_stack, .end = end, .has_sums = true};
