/* SPDX-License-Identifier: MIT */
/*
 * The sampled instructions of a source line, for the page of --html. Each has its address, its text
 * if there is a disassembly, its share of all cycles, its mean latency, its samples and its reason.
 * A line has at most LINE_MAX instructions, those that cost the most, in the order of addresses.
 */
#define _GNU_SOURCE
#include "html.h"
#include "cost.h"
#include "../base/common.h"
#include "../base/table.h"

#include <stdlib.h>

enum { LINE_MAX = 100 };

/* An instruction: a range of bins, which are sorted by address. */
struct instruction {
	uint64_t address;
	uint64_t samples, timed, latency;
	const struct bin **bins;
	size_t bin_count;
};

struct code {
	const struct profile *p;
	const struct bin **bins;
	struct instruction *instructions;
	size_t count, capacity;
};

static uint64_t address_of(const struct profile *p, const struct bin *bin)
{
	return p->samples.places[bin->place].addr;
}

static int compare_bins(const void *pa, const void *pb, void *profile)
{
	const struct bin *const *a = pa, *const *b = pb;

	return compare_numbers(address_of(profile, *a), address_of(profile, *b));
}

static int compare_cost(const void *pa, const void *pb)
{
	const struct instruction *a = pa, *b = pb;
	int order = compare_numbers(b->latency, a->latency);

	if (!order)
		order = compare_numbers(b->samples, a->samples);
	return order ? order : compare_numbers(a->address, b->address);
}

static int compare_addresses(const void *pa, const void *pb)
{
	const struct instruction *a = pa, *b = pb;

	return compare_numbers(a->address, b->address);
}

static void find_instructions(struct code *c, const struct group *line)
{
	struct instruction *in = NULL;

	c->bins = xcalloc(line->count, sizeof(*c->bins));
	for (size_t i = 0; i < line->count; i++)
		c->bins[i] = line->members[i].bin;
	qsort_r(c->bins, line->count, sizeof(*c->bins), compare_bins, (void *)(uintptr_t)c->p);
	for (size_t i = 0; i < line->count; i++) {
		const struct sums *s = &c->bins[i]->sums;
		uint64_t address = address_of(c->p, c->bins[i]);

		if (!in || in->address != address) {
			in = &APPEND(c->instructions, c->count, c->capacity);
			*in = (struct instruction){.address = address, .bins = c->bins + i};
		}
		in->bin_count++;
		in->samples += s->samples;
		in->timed += s->timed;
		in->latency += s->latency;
	}
}

static void keep_most(struct code *c, size_t most)
{
	if (c->count <= most)
		return;
	qsort(c->instructions, c->count, sizeof(*c->instructions), compare_cost);
	c->count = most;
	qsort(c->instructions, c->count, sizeof(*c->instructions), compare_addresses);
}

static const char *main_reason(const struct profile *p, const struct instruction *in)
{
	struct cost cost = {0};
	enum reason most;

	for (size_t i = 0; i < in->bin_count; i++)
		cost_add(&cost, p, in->bins[i]);
	most = cost_most(&cost);
	return most == REASONS ? NULL : reason_texts[most].word;
}

/* Return the disassembled function of a place. Return NULL without a symbol, or if there are too
 * many functions. */
static const struct disassembly *code_of(struct html_code *code, const struct place *place)
{
	struct html_function *f = code->functions;

	if (!place->symbol)
		return NULL;
	for (size_t i = 0; i < code->function_count; i++, f++) {
		if (f->object == place->object && f->code.start == place->start)
			return &f->code;
	}
	if (code->function_count == HTML_CODES)
		return NULL;
	code->function_count++;
	f->object = place->object;
	disassemble(&f->code, place->object, place->start,
	            object_symbol_end(place->object, place->addr, SYMBOL_CODE), NULL);
	return &f->code;
}

static const char *text_of(struct html_code *code, const struct place *place)
{
	const struct disassembly *d = code_of(code, place);
	uint64_t index;

	if (!d)
		return NULL;
	index = (place->addr - d->start) / 4;
	if (d->problem)
		code->problem = d->problem;
	return index < d->count ? d->text[index] : NULL;
}

enum { ADDRESS, TEXT, CYCLES, LATENCY, SAMPLES, REASON, COLUMNS };
static const struct column columns[COLUMNS] = {
        [ADDRESS] = {.key = "address", .type = COLUMN_ADDRESS},
        [TEXT] = {.key = "text", .type = COLUMN_TEXT},
        [CYCLES] = {.key = "cycles", .type = COLUMN_PERCENT},
        [LATENCY] = {.key = "latency", .type = COLUMN_NUMBER},
        [SAMPLES] = {.key = "samples", .type = COLUMN_COUNT},
        [REASON] = {.key = "reason", .type = COLUMN_TEXT},
};

static void fill_row(struct cell *c, const struct profile *p, const struct instruction *in,
                     struct html_code *code)
{
	const char *text = text_of(code, &p->samples.places[in->bins[0]->place]);
	const char *reason = main_reason(p, in);

	cell_count(&c[ADDRESS], in->address);
	if (text)
		cell_text(&c[TEXT], text);
	cell_ratio(&c[CYCLES], in->latency, p->all.latency);
	if (in->timed)
		cell_number(&c[LATENCY], (double)in->latency / (double)in->timed);
	cell_count(&c[SAMPLES], in->samples);
	if (reason)
		cell_text(&c[REASON], reason);
}

struct json_object *html_instructions(const struct profile *p, const struct group *line,
                                      struct html_code *code)
{
	size_t room = HTML_INSTRUCTIONS - code->instruction_count;
	struct code c = {.p = p};
	struct json_object *all;
	struct table t;

	find_instructions(&c, line);
	keep_most(&c, room < LINE_MAX ? room : LINE_MAX);
	table_init(&t, "instructions", "Instructions", columns, COLUMNS);
	for (size_t i = 0; i < c.count; i++)
		fill_row(table_row(&t), p, &c.instructions[i], code);
	all = table_json(&t);
	table_free(&t);
	code->instruction_count += c.count;
	free(c.instructions);
	free(c.bins);
	return all;
}

void html_code_free(struct html_code *code)
{
	for (size_t i = 0; i < code->function_count; i++)
		disassembly_free(&code->functions[i].code);
}
