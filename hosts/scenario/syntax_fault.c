/* SPDX-License-Identifier: MIT */
/*
 * The parser of faults of buffer writes, planned for an address or injected.
 *
 * Arm ARM: DDI 0487 M.a, D24.7.5: PMBSR_EL1.{EC, FSC} of each fault.
 */
#include "script.h"

#include <string.h>

#include "values.h"

#define PAGE UINT64_C(4096)

/* Faults by name, with their types with and without a level; -1 if there is none. */
static const struct fault_name {
	const char *name;
	int with_level, alone;
} fault_names[] = {
        {"address-size", SPEMU_FT_ADDRESS_SIZE, -1},
        {"translation", SPEMU_FT_TRANSLATION, -1},
        {"access-flag", SPEMU_FT_ACCESS_FLAG, -1},
        {"permission", SPEMU_FT_PERMISSION, -1},
        {"external", SPEMU_FT_EXTERNAL_ON_WALK, SPEMU_FT_EXTERNAL},
        {"external-abort", SPEMU_FT_EXTERNAL_ON_WALK, SPEMU_FT_EXTERNAL},
        {"parity", SPEMU_FT_PARITY_ON_WALK, -1},
        {"gpf", SPEMU_FT_GPF_ON_WALK, SPEMU_FT_GPF},
        {"alignment", -1, SPEMU_FT_ALIGNMENT},
        {"tlb-conflict", -1, SPEMU_FT_TLB_CONFLICT},
        {"atomic-update", -1, SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE},
};
#define FAULT_NAMES (sizeof(fault_names) / sizeof(*fault_names))

static void need_word(struct parser *parser, const char *text)
{
	struct slice word = need_text(parser, text);

	if (!slice_is(word, text))
		refuse(parser, word.at, "'%s' expected", text);
}

static const struct fault_name *need_fault_name(struct parser *parser, struct slice word)
{
	const char *names[FAULT_NAMES + 1];

	for (unsigned i = 0; i < FAULT_NAMES; i++) {
		names[i] = fault_names[i].name;
		if (slice_is(word, names[i]))
			return &fault_names[i];
	}
	names[FAULT_NAMES] = NULL;
	refuse_word(parser, word, "fault", names);
}

static uint8_t code_of_level(struct parser *parser, const struct fault_name *f)
{
	struct slice word = need_text(parser, "the level");
	uint64_t level = 4;
	int code = -1;

	if (f->with_level >= 0 && (slice_is(word, "-1") || slice_is(word, "-2")))
		code = spemu_fsc((enum spemu_fault_type)f->with_level,
		                 slice_is(word, "-1") ? -1 : -2);
	else if (f->with_level >= 0 && parse_u64(&level, word) && level < 4)
		code = spemu_fsc((enum spemu_fault_type)f->with_level, (int)level);
	if (code < 0)
		refuse(parser, word.at, "no %s fault has level '%.*s'", f->name,
		       word.size > 20 ? 20 : (int)word.size, word.text);
	return (uint8_t)code;
}

static bool fsc_exists(uint64_t code)
{
	for (int type = SPEMU_FT_ADDRESS_SIZE; type <= SPEMU_FT_EXTERNAL_ASYNC; type++)
		for (int level = -2; level <= 3; level++)
			if (code < 64 && spemu_fsc((enum spemu_fault_type)type, level) == (int)code)
				return true;
	return false;
}

/* Parse a fault of stage 1 or 2, like "translation level 3", "external-abort on walk level 2" or
 * "fsc=0x31". */
static uint8_t parse_code(struct parser *parser)
{
	struct slice word = need_text(parser, "the fault");
	const struct fault_name *f;

	if (slice_begins(word, "fsc=")) {
		uint64_t code = need_u64(parser, slice_part(word, 4, word.size), "FSC");

		if (!fsc_exists(code))
			refuse(parser, word.at, "this FSC does not exist");
		return (uint8_t)code;
	}
	f = need_fault_name(parser, word);
	if (take_word(parser, "on")) {
		need_word(parser, "walk");
		if (!next_is(parser, "level"))
			refuse(parser, parser->next.slice.at, "'level N' is missing");
	}
	if (take_word(parser, "level"))
		return code_of_level(parser, f);
	if (f->alone < 0)
		refuse(parser, parser->next.slice.at, "'level N' is missing");
	return (uint8_t)spemu_fsc((enum spemu_fault_type)f->alone, 0);
}

/* Parse the MSS2 bits of a fault, and "external-abort" of a GPC fault. */
static void parse_fault_flags(struct parser *parser, struct spemu_fault *fault)
{
	for (;;) {
		if (fault->kind == SPEMU_FAULT_GPC && take_word(parser, "external-abort"))
			fault->external = true;
		else if (take_word(parser, "top-level"))
			fault->top_level = true;
		else if (take_word(parser, "assured-only"))
			fault->assured_only = true;
		else if (take_word(parser, "overlay"))
			fault->overlay = true;
		else if (take_word(parser, "dirty-bit"))
			fault->dirty_bit = true;
		else
			return;
	}
}

static void parse_kind(struct parser *parser, struct spemu_fault *fault, struct slice word)
{
	static const char *const kinds[] = {"stage1",   "stage2",         "gpc",
	                                    "external", "external-abort", NULL};

	if (slice_is(word, "stage1") || slice_is(word, "stage2")) {
		fault->kind = slice_is(word, "stage1") ? SPEMU_FAULT_STAGE1 : SPEMU_FAULT_STAGE2;
		fault->fsc = parse_code(parser);
	} else if (slice_is(word, "gpc")) {
		fault->kind = SPEMU_FAULT_GPC;
	} else if (slice_is(word, "external") || slice_is(word, "external-abort")) {
		fault->kind = SPEMU_FAULT_EXTERNAL;
	} else {
		refuse_word(parser, word, "kind of fault", kinds);
	}
	parse_fault_flags(parser, fault);
}

void parse_fault(struct parser *parser, struct command *c)
{
	struct slice word = need_text(parser, "'write at ADDRESS' or 'none'");
	struct planned_fault *p = &c->fault;

	if (slice_is(word, "none")) {
		c->kind = COMMAND_NO_FAULTS;
		return;
	}
	if (!slice_is(word, "write"))
		refuse(parser, word.at, "'write at ADDRESS' or 'none' expected");
	need_word(parser, "at");
	p->address = need_number(parser, "an address", "the address");
	p->size = PAGE - p->address % PAGE; /* up to the end of the page */
	word = need_text(parser, "the kind of fault");
	if (word.text[0] == '+') {
		p->size = need_u64(parser, slice_part(word, 1, word.size), "the size");
		if (!p->size)
			refuse(parser, word.at, "the size is 0");
		word = need_text(parser, "the kind of fault");
	}
	parse_kind(parser, &p->fault, word);
}

static uint64_t need_count(struct parser *parser, const char *what, uint64_t most)
{
	struct slice word = need_text(parser, what);
	uint64_t value = need_u64(parser, word, what);

	if (!value || value > most)
		refuse(parser, word.at, "1 to %llu expected", (unsigned long long)most);
	return value;
}

#define MEMBER(name) \
	offsetof(struct spemu_injection, name), sizeof(((struct spemu_injection *)0)->name)
/* Values of events, by kind of event. */
static const struct {
	const char *name;
	uint8_t kind;
	size_t at, size;
	uint64_t most;
} syndromes[] = {
        {"mss=", SPEMU_INJECT_IMPDEF, MEMBER(mss), 0xffff},
        {"mss2=", SPEMU_INJECT_IMPDEF, MEMBER(mss2), 0xffffff},
        {"written=", SPEMU_INJECT_FAULT, MEMBER(fault.written), 2047},
};

static bool parse_syndrome(struct parser *parser, struct spemu_injection *i)
{
	struct slice word = parser->next.slice;
	uint64_t value;
	size_t n = 0;

	while (n < 3 && (syndromes[n].kind != i->kind || !slice_begins(word, syndromes[n].name)))
		n++;
	if (parser->next.kind != WORD_TEXT || n == 3)
		return false;
	value = need_u64(parser, slice_part(word, strlen(syndromes[n].name), word.size),
	                 "the value");
	if (value > syndromes[n].most)
		refuse(parser, word.at, "at most %#llx", (unsigned long long)syndromes[n].most);
	put_number((char *)i + syndromes[n].at, syndromes[n].size, value);
	parser_advance(parser);
	return true;
}

static void parse_event(struct parser *parser, struct spemu_injection *i)
{
	static const char *const names[] = {
	        "fault",     "access-not-allowed", "buffer-full", "buffer-size", "impdef",
	        "collision", "external-abort",     "none",        NULL};
	struct slice word = need_text(parser, "an event");
	unsigned n = index_of_name(names, word);

	if (!names[n] || n == 7)
		refuse_word(parser, word, "event", names);
	i->kind = n == 6 ? SPEMU_INJECT_FAULT : (uint8_t)n;
	if (n == 6)
		i->fault.kind = SPEMU_FAULT_EXTERNAL;
	else if (i->kind == SPEMU_INJECT_FAULT)
		parse_kind(parser, &i->fault, need_text(parser, "the kind of fault"));
	while (parse_syndrome(parser, i))
		;
}

static void parse_range(struct parser *parser, struct spemu_injection *i)
{
	struct slice word;

	i->when = SPEMU_INJECT_ADDRESS;
	i->first = i->last = need_number(parser, "an address", "the address");
	if (!next_is_size(parser))
		return;
	(void)take_text(parser, &word);
	i->last += need_u64(parser, slice_part(word, 1, word.size), "the size") - 1;
	if (i->last < i->first)
		refuse(parser, word.at, "the range is empty or wraps around");
}

/* Parse an event and the condition for it. */
void parse_inject(struct parser *parser, struct command *c)
{
	struct spemu_injection *i = &c->inject;
	bool when = true;

	*i = (struct spemu_injection){.size = sizeof(*i), .nth = 1};
	if (take_word(parser, "none")) {
		c->kind = COMMAND_NO_INJECTIONS;
		return;
	}
	parse_event(parser, i);
	if (take_word(parser, "at")) {
		parse_range(parser, i);
	} else if (take_word(parser, "once")) {
		i->times = 1;
	} else if (take_word(parser, "nth")) {
		i->nth = need_count(parser, "which record", UINT64_MAX);
		i->times = 1;
	} else if (take_word(parser, "every")) {
		i->nth = need_count(parser, "every how many records", UINT64_MAX);
	} else if (take_word(parser, "rate")) {
		i->when = SPEMU_INJECT_RATE;
		i->rate = (uint32_t)need_count(parser, "one in how many records", UINT32_MAX);
	} else {
		when = false;
	}
	if (take_word(parser, "times")) {
		i->times = (uint32_t)need_count(parser, "how often", UINT32_MAX);
		when = true;
	}
	if (!when)
		refuse(parser, parser->next.slice.at,
		       "at ADDRESS, once, nth N, every N, rate N or times N expected");
}
