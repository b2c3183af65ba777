/* SPDX-License-Identifier: MIT */
/* The parser of spemu-scenario(5): the table of commands, and short commands. */
#include "script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

#define DEPTH_MAX 32

static void parse_set(struct parser *parser, struct command *c)
{
	struct assignment items[256];
	size_t count = 0;
	struct slice word;

	while (take_text(parser, &word)) {
		size_t eq = slice_find(word, '=');
		struct slice value = slice_part(word, eq < word.size ? eq + 1 : eq, word.size);
		struct target t = parse_target(parser, slice_part(word, 0, eq));

		if (eq == word.size)
			refuse(parser, value.at, "REG=VALUE or REG.FIELD=VALUE expected");
		if (count == 256)
			refuse(parser, word.at, "more than 256 values in one command");
		items[count].target = t;
		items[count++].value = t.hi == 63 && t.lo == 0
		                               ? parse_register_value(parser, value, t.reg)
		                               : parse_field_value(parser, value, &t);
	}
	if (!count)
		(void)need_text(parser, "REG=VALUE");
	c->set.items = parser_alloc(parser, count * sizeof(*items));
	memcpy(c->set.items, items, count * sizeof(*items));
	c->set.count = count;
}

/* Parse "end", for the oldest operation in flight, or "end 2", for the operation in slot 2. */
static void parse_end(struct parser *parser, struct command *c)
{
	struct slice word;

	c->finish.given = take_text(parser, &word);
	if (c->finish.given)
		c->finish.slot = need_u64(parser, word, "the slot");
}

static void parse_at(struct parser *parser, struct command *c)
{
	static const char *const names[] = {"aarch32",     "debug",       "sdd",
	                                    "PM",          "streaming",   "EL0-aarch32",
	                                    "EL1-aarch32", "EL2-aarch32", NULL};
	struct slice word = need_text(parser, "EL0, EL1, EL2 or EL3");
	struct spemu_pe_state *s = &c->at_state;
	bool *const flags[] = {&s->aarch32, &s->debug, &s->edscr_sdd, &s->pm, &s->streaming};
	enum { FLAGS = sizeof(flags) / sizeof(*flags) };

	s->el = (uint8_t)index_of_name(level_names, word);
	if (!level_names[s->el])
		refuse(parser, word.at, "EL0, EL1, EL2 or EL3 expected");
	while (take_text(parser, &word)) {
		unsigned i = need_name(parser, word, "state", names);

		if (i < FLAGS)
			*flags[i] = true;
		if (i == 0 || i >= FLAGS)
			s->el_aarch32 |= (uint8_t)(1u << (i ? i - FLAGS : s->el));
	}
}

static void parse_op_command(struct parser *parser, struct command *c)
{
	c->op.counter = parser->script->counters++;
	parse_operation(parser, &c->op.operation, &c->op.count);
	if (c->kind == COMMAND_BEGIN && c->op.count != 1)
		refuse(parser, c->at, "'begin' starts one operation");
}

static void parse_block(struct parser *parser, struct block *block, bool in_braces);

/* Return the number of operations of a block, or 0 if the block has other commands. */
static uint64_t count_operations(const struct block *block)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < block->count; i++) {
		const struct command *c = &block->items[i];
		uint64_t n = c->kind == COMMAND_OP ? c->op.count : 0;

		if (c->kind == COMMAND_REPEAT && c->repeat.operations &&
		    c->repeat.count <= UINT64_MAX / c->repeat.operations)
			n = c->repeat.count * c->repeat.operations;
		if (!n || sum > UINT64_MAX - n)
			return 0;
		sum += n;
	}
	return sum;
}

static void parse_repeat(struct parser *parser, struct command *c)
{
	c->repeat.count = need_number(parser, "how many times", "how many times");
	if (parser->next.kind != WORD_OPEN)
		refuse(parser, parser->next.slice.at, "'{' expected");
	if (parser->depth == DEPTH_MAX)
		refuse(parser, c->at, "braces are nested more than %u deep", DEPTH_MAX);
	parser_advance(parser);
	parser->depth++;
	parse_block(parser, &c->repeat.body, true);
	parser->depth--;
	c->repeat.operations = count_operations(&c->repeat.body);
}

static void parse_clock(struct parser *parser, struct command *c)
{
	struct slice word = need_text(parser, "a number");

	c->clock.relative = word.text[0] == '+';
	if (c->clock.relative)
		word = slice_part(word, 1, word.size);
	c->clock.value = need_u64(parser, word, "the clock");
}

/* Parse "context N", which writes CONTEXTIDR_EL1 as an operating system does at a context
 * switch. */
static void parse_context(struct parser *parser, struct command *c)
{
	struct slice word = need_text(parser, "a number");

	c->set.items = parser_alloc(parser, sizeof(*c->set.items));
	c->set.items[0].target = (struct target){SPEMU_REG_CONTEXTIDR_EL1, 31, 0};
	c->set.items[0].value = parse_field_value(parser, word, &c->set.items[0].target);
	c->set.count = 1;
}

/* The commands. `code` distinguishes commands of the same kind. */
static const struct {
	const char *name;
	enum command_kind kind;
	void (*parse)(struct parser *, struct command *);
	int code;
} table[] = {
        {"scenario", COMMAND_SCENARIO, parse_scenario, 0},
        {"features", COMMAND_FEATURES, parse_features, 0},
        {"choose", COMMAND_CHOOSE, parse_choose, 0},
        {"layout", COMMAND_LAYOUT, parse_layout, 0},
        {"maxsize", COMMAND_CONFIG, parse_config, CONFIG_MAX_SIZE},
        {"align", COMMAND_CONFIG, parse_config, CONFIG_ALIGN},
        {"countsize", COMMAND_CONFIG, parse_config, CONFIG_COUNT_SIZE},
        {"interval-min", COMMAND_CONFIG, parse_config, CONFIG_INTERVAL_MIN},
        {"events-size", COMMAND_CONFIG, parse_config, CONFIG_EVENTS_SIZE},
        {"source-size", COMMAND_CONFIG, parse_config, CONFIG_SOURCE_SIZE},
        {"impdef-events", COMMAND_CONFIG, parse_config, CONFIG_IMPDEF_EVENTS},
        {"missing-events", COMMAND_CONFIG, parse_config, CONFIG_MISSING_EVENTS},
        {"missing-source-filters", COMMAND_CONFIG, parse_config, CONFIG_MISSING_SOURCE_FILTERS},
        {"in-flight", COMMAND_CONFIG, parse_config, CONFIG_IN_FLIGHT},
        {"alternate-clock", COMMAND_CONFIG, parse_config, CONFIG_ALTERNATE_CLOCK},
        {"seed", COMMAND_CONFIG, parse_config, CONFIG_SEED},
        {"pa-bits", COMMAND_CONFIG, parse_config, CONFIG_PA_BITS},
        {"event-counters", COMMAND_CONFIG, parse_config, CONFIG_EVENT_COUNTERS},
        {"translate", COMMAND_TRANSLATE, parse_translate, 0},
        {"set", COMMAND_SET, parse_set, 0},
        {"context", COMMAND_SET, parse_context, 0},
        {"zero", COMMAND_ZERO, NULL, 0},
        {"at", COMMAND_AT, parse_at, 0},
        {"state", COMMAND_STATE, NULL, 0},
        {"msr", COMMAND_MSR, parse_msr, 0},
        {"mrs", COMMAND_MRS, parse_mrs, 0},
        {"op", COMMAND_OP, parse_op_command, 0},
        {"sample", COMMAND_SAMPLE, parse_op_command, 0},
        {"begin", COMMAND_BEGIN, parse_op_command, 0},
        {"end", COMMAND_FINISH, parse_end, 0},
        {"repeat", COMMAND_REPEAT, parse_repeat, 0},
        {"isb", COMMAND_BARRIER, NULL, BARRIER_ISB},
        {"psb", COMMAND_BARRIER, NULL, BARRIER_PSB},
        {"dsb", COMMAND_BARRIER, parse_dsb, BARRIER_DSB},
        {"map", COMMAND_MAP, parse_map, 0},
        {"fault", COMMAND_FAULT, parse_fault, 0},
        {"word", COMMAND_WORD, parse_word, 0},
        {"table", COMMAND_TABLE, parse_table, 0},
        {"page", COMMAND_PAGE, parse_page, 0},
        {"tlbi", COMMAND_TLBI, parse_tlbi, 0},
        {"strict", COMMAND_STRICT, parse_strict, 0},
        {"vm-rules", COMMAND_VM_RULES, parse_vm_rules, 0},
        {"pc", COMMAND_PC, parse_address, 0},
        {"wait", COMMAND_WAIT, NULL, 0},
        {"read", COMMAND_REPORT, parse_memory_range, SPEMU_SOFTWARE_READS},
        {"write", COMMAND_REPORT, parse_memory_range, SPEMU_SOFTWARE_WRITES},
        {"changed", COMMAND_REPORT, parse_memory_range, SPEMU_TRANSLATION_CHANGED},
        {"maintained", COMMAND_REPORT, parse_memory_range, SPEMU_TRANSLATION_MAINTAINED},
        {"inject", COMMAND_INJECT, parse_inject, 0},
        {"clock", COMMAND_CLOCK, parse_clock, 0},
        {"event", COMMAND_EVENT, parse_pmu_event, 0},
        {"capture", COMMAND_CAPTURE, parse_capture, 0},
        {"branch", COMMAND_BRANCH, parse_address, 0},
        {"power", COMMAND_POWER, parse_power, 0},
        {"external", COMMAND_EXTERNAL, parse_external, 0},
        {"expect", COMMAND_EXPECT, parse_expect, 0},
};
#define TABLE_SIZE (sizeof(table) / sizeof(*table))

static void parse_command(struct parser *parser, struct command *c)
{
	struct slice word = parser->next.slice;
	const char *names[TABLE_SIZE + 1];
	size_t i = 0;

	for (; i < TABLE_SIZE && !slice_is(word, table[i].name); i++)
		names[i] = table[i].name;
	names[i] = NULL;
	if (i == TABLE_SIZE)
		refuse_word(parser, word, "command", names);
	parser_advance(parser);
	*c = (struct command){.kind = table[i].kind, .code = table[i].code, .at = word.at};
	if (table[i].parse)
		table[i].parse(parser, c);
}

/* Check that the command ends: at the end of its line, at ";" or at "}". A fault may follow its
 * memory on the same line. */
static void end_command(struct parser *parser, const struct command *c)
{
	const struct word *next = &parser->next;

	if (next->kind == WORD_SEPARATOR || next->kind == WORD_END || next->kind == WORD_CLOSE)
		return;
	if (c->kind == COMMAND_MAP && next->kind == WORD_TEXT && slice_is(next->slice, "fault"))
		return;
	refuse(parser, next->slice.at, "unexpected '%.*s'",
	       next->slice.size > 60 ? 60 : (int)next->slice.size, next->slice.text);
}

static void parse_block_item(struct parser *parser, void *into)
{
	struct block *block = into;
	struct command *c;

	block->items = parser_grow(parser, block->items, block->count, sizeof(*c));
	c = &block->items[block->count++];
	parse_command(parser, c);
	end_command(parser, c);
}

static void parse_block(struct parser *parser, struct block *block, bool in_braces)
{
	parse_items(parser, parser->next.slice.at, in_braces, parse_block_item, block);
}

static bool parse_all(struct parser *parser)
{
	if (setjmp(parser->failed))
		return false;
	parser_init(parser, parser->script->text, parser->script->size);
	parse_block(parser, &parser->script->block, false);
	return true;
}

struct scenario_script *scenario_parse(const char *name, const char *text, size_t size,
                                       struct scenario_error *error)
{
	struct scenario_script *script = calloc(1, sizeof(*script));
	struct parser *parser = calloc(1, sizeof(*parser));
	char *copy = NULL, *label = NULL;
	bool parsed = false;

	*error = (struct scenario_error){0, 0, "out of memory"};
	if (size > SCENARIO_TEXT_MAX)
		snprintf(error->message, sizeof(error->message), "longer than %u bytes",
		         SCENARIO_TEXT_MAX);
	else if (script && parser) {
		copy = arena_alloc(&script->arena, size + 1);
		label = arena_alloc(&script->arena, strlen(name) + 1);
	}
	if (copy && label) {
		memcpy(copy, text, size);
		memcpy(label, name, strlen(name));
		script->name = label;
		script->text = copy;
		script->size = size;
		parser->script = script;
		parser->arena = &script->arena;
		parser->error = error;
		parsed = parse_all(parser);
	}
	free(parser);
	if (parsed)
		return script;
	scenario_free(script);
	return NULL;
}

void scenario_free(struct scenario_script *script)
{
	if (script)
		arena_free(&script->arena);
	free(script);
}

const char *scenario_line(const struct scenario_script *script, unsigned line, size_t *size)
{
	const char *p = script->text, *end = script->text + script->size, *stop;

	for (; line > 1 && p; line--) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : NULL;
	}
	*size = 0;
	if (!p || !line)
		return "";
	stop = memchr(p, '\n', (size_t)(end - p));
	*size = (size_t)((stop ? stop : end) - p);
	return p;
}

bool scenario_injection(struct spemu_injection *injection, const char *text,
                        struct scenario_error *error)
{
	size_t size = strlen(text) + sizeof("inject ");
	char *line = malloc(size);
	struct scenario_script *script = NULL;
	bool one = false;

	*error = (struct scenario_error){0, 0, "out of memory"};
	if (line) {
		snprintf(line, size, "inject %s", text);
		script = scenario_parse("", line, size - 1, error);
	}
	if (script) {
		one = script->block.count == 1 && script->block.items[0].kind == COMMAND_INJECT;
		if (one)
			*injection = script->block.items[0].inject;
		else
			snprintf(error->message, sizeof(error->message), "one injection expected");
	}
	scenario_free(script);
	free(line);
	return one;
}
