/* SPDX-License-Identifier: MIT */
/*
 * Memory, and faults on writes to it.
 *
 * Arm ARM: DDI 0487 M.a, D24.7.5: PMBSR_EL1.{EC, FSC} of each fault.
 */
#include "script.h"

#include <stdio.h>
#include <string.h>

#define PAGE UINT64_C(4096)

void parse_map(struct parser *parser, struct command *c)
{
	static const char *const names[] = {"rw", "ro", "normal", "va", "ipa", "pa", "fault", NULL};
	struct slice word = need_text(parser, "an address");

	c->map.base = need_u64(&parser->reader, word, "the address");
	word = need_text(parser, "+SIZE");
	if (word.text[0] != '+')
		refuse(&parser->reader, word.at, "+SIZE expected");
	c->map.size = need_u64(&parser->reader, slice_part(word, 1, word.size), "the size");
	if (!c->map.size || c->map.base + (c->map.size - 1) < c->map.base)
		refuse(&parser->reader, word.at, "the memory is empty or wraps around");
	c->map.writable = true;
	while (parser->reader.next.kind == WORD_TEXT) {
		word = parser->reader.next.slice;
		if (slice_is(word, "fault"))
			break;
		reader_advance(&parser->reader);
		if (slice_is(word, "ro"))
			c->map.writable = false;
		else if (slice_is(word, "va"))
			c->map.types |= 1u << SPEMU_ADDRESS_VA;
		else if (slice_is(word, "ipa"))
			c->map.types |= 1u << SPEMU_ADDRESS_IPA;
		else if (slice_is(word, "pa"))
			c->map.types |= 1u << SPEMU_ADDRESS_PA;
		else if (slice_is(word, "device"))
			refuse(&parser->reader, word.at,
			       "not supported: memory attributes of buffer writes are not "
			       "modelled");
		else if (!slice_is(word, "rw") && !slice_is(word, "normal"))
			refuse_word(&parser->reader, word, "property of memory", names);
	}
	if (!c->map.types)
		c->map.types =
		        1u << SPEMU_ADDRESS_VA | 1u << SPEMU_ADDRESS_IPA | 1u << SPEMU_ADDRESS_PA;
}

/*
 * FSC by the fault's name and level: base + level for levels 0 to 3, and the codes of levels -1 and
 * -2, which are their own; 0xff: there is none.
 */
#define NONE 0xff
static const struct fault_name {
	const char *name;
	uint8_t base; /* level 0 */
	uint8_t minus1, minus2;
	uint8_t alone; /* the fault without a level */
} fault_names[] = {
        {"address-size", 0x00, 0x29, 0x2c, NONE},
        {"translation", 0x04, 0x2b, 0x2a, NONE},
        {"access-flag", 0x08, NONE, NONE, NONE},
        {"permission", 0x0c, NONE, NONE, NONE},
        {"external", 0x14, 0x13, 0x12, 0x10}, /* with a level: on a table walk */
        {"alignment", NONE, NONE, NONE, 0x21},
        {"gpf", 0x24, 0x23, 0x22, 0x28}, /* Granule Protection Fault; with a level: on a walk */
        {"tlb-conflict", NONE, NONE, NONE, 0x30},
        {"atomic-update", NONE, NONE, NONE, 0x31},
};
#define FAULT_NAMES (sizeof(fault_names) / sizeof(*fault_names))

static const struct fault_name *need_fault_name(struct parser *parser, struct slice word)
{
	const char *names[FAULT_NAMES + 1];

	for (unsigned i = 0; i < FAULT_NAMES; i++) {
		names[i] = fault_names[i].name;
		if (slice_is(word, names[i]))
			return &fault_names[i];
	}
	names[FAULT_NAMES] = NULL;
	refuse_word(&parser->reader, word, "fault", names);
}

static uint8_t code_of_level(struct parser *parser, const struct fault_name *f)
{
	struct slice word = need_text(parser, "the level");
	uint64_t level = 4;
	uint8_t code = NONE;

	if (slice_is(word, "-1"))
		code = f->minus1;
	else if (slice_is(word, "-2"))
		code = f->minus2;
	else if (f->base != NONE && parse_u64(&level, word) && level < 4)
		code = (uint8_t)(f->base + level);
	if (code == NONE)
		refuse(&parser->reader, word.at, "there is no %s fault of level '%.*s'", f->name,
		       word.size > 20 ? 20 : (int)word.size, word.text);
	return code;
}

/* Of a fault of stage 1 or 2: "translation level 3", "alignment", "fsc=0x31". */
static uint8_t parse_code(struct parser *parser)
{
	struct slice word = need_text(parser, "the fault");
	const struct fault_name *f;

	if (word.size > 4 && !memcmp(word.text, "fsc=", 4)) {
		uint64_t code = need_u64(&parser->reader, slice_part(word, 4, word.size), "FSC");

		if (code > 63)
			refuse(&parser->reader, word.at, "FSC has 6 bits");
		return (uint8_t)code;
	}
	f = need_fault_name(parser, word);
	if (parser->reader.next.kind == WORD_TEXT && slice_is(parser->reader.next.slice, "level")) {
		reader_advance(&parser->reader);
		return code_of_level(parser, f);
	}
	if (f->alone == NONE)
		refuse(&parser->reader, parser->reader.next.slice.at, "'level N' is missing");
	return f->alone;
}

static void need_word(struct parser *parser, const char *text)
{
	struct slice word = need_text(parser, text);

	if (!slice_is(word, text))
		refuse(&parser->reader, word.at, "'%s' expected", text);
}

void parse_fault(struct parser *parser, struct command *c)
{
	static const char *const kinds[] = {"stage1", "stage2", "gpc", "external", NULL};
	struct slice word = need_text(parser, "'write at ADDRESS' or 'none'");
	struct planned_fault *p = &c->fault;

	if (slice_is(word, "none")) {
		c->kind = COMMAND_NO_FAULTS;
		return;
	}
	if (!slice_is(word, "write"))
		refuse(&parser->reader, word.at, "'write at ADDRESS' or 'none' expected");
	need_word(parser, "at");
	word = need_text(parser, "an address");
	p->address = need_u64(&parser->reader, word, "the address");
	p->size = PAGE - p->address % PAGE; /* to the end of the page */
	word = need_text(parser, "the kind of fault");
	if (word.text[0] == '+') {
		p->size = need_u64(&parser->reader, slice_part(word, 1, word.size), "the size");
		if (!p->size)
			refuse(&parser->reader, word.at, "the size is 0");
		word = need_text(parser, "the kind of fault");
	}
	if (slice_is(word, "stage1") || slice_is(word, "stage2")) {
		p->fault.kind = slice_is(word, "stage1") ? SPEMU_FAULT_STAGE1 : SPEMU_FAULT_STAGE2;
		p->fault.fsc = parse_code(parser);
	} else if (slice_is(word, "gpc")) {
		p->fault.kind = SPEMU_FAULT_GPC;
	} else if (slice_is(word, "external")) {
		p->fault.kind = SPEMU_FAULT_EXTERNAL;
	} else {
		refuse_word(&parser->reader, word, "kind of fault", kinds);
	}
}
