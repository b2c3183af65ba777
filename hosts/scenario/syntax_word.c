/* SPDX-License-Identifier: MIT */
/* The parser of words that many commands of spemu-scenario(5) have: registers, fields, and their
 * values. */
#include "script.h"

#include <stdio.h>

bool take_text(struct parser *parser, struct slice *word)
{
	if (parser->next.kind != WORD_TEXT)
		return false;
	*word = parser->next.slice;
	parser_advance(parser);
	return true;
}

struct slice need_text(struct parser *parser, const char *missing)
{
	struct slice word;

	if (!take_text(parser, &word))
		refuse(parser, parser->next.slice.at, "%s is missing", missing);
	return word;
}

void parse_items(struct parser *parser, struct place open, bool in_braces,
                 void (*item)(struct parser *, void *), void *into)
{
	for (;;) {
		switch (parser->next.kind) {
		case WORD_SEPARATOR:
			parser_advance(parser);
			break;
		case WORD_TEXT:
			item(parser, into);
			break;
		case WORD_OPEN:
			refuse(parser, parser->next.slice.at, "unexpected '{'");
		case WORD_CLOSE:
			if (!in_braces)
				refuse(parser, parser->next.slice.at, "'}' without '{'");
			parser_advance(parser);
			return;
		case WORD_END:
			if (in_braces)
				refuse(parser, open, "this '{' has no '}'");
			return;
		}
	}
}

bool next_is(const struct parser *parser, const char *text)
{
	return parser->next.kind == WORD_TEXT && slice_is(parser->next.slice, text);
}

bool next_is_size(const struct parser *parser)
{
	return parser->next.kind == WORD_TEXT && parser->next.slice.text[0] == '+';
}

bool take_word(struct parser *parser, const char *text)
{
	if (!next_is(parser, text))
		return false;
	parser_advance(parser);
	return true;
}

bool take_arrow(struct parser *parser)
{
	struct slice word;

	if (!take_text(parser, &word))
		return false;
	if (!slice_is(word, "->"))
		refuse(parser, word.at, "'->' expected");
	return true;
}

uint64_t need_number(struct parser *parser, const char *missing, const char *what)
{
	return need_u64(parser, need_text(parser, missing), what);
}

unsigned need_name(struct parser *parser, struct slice word, const char *what,
                   const char *const *names)
{
	unsigned i = index_of_name(names, word);

	if (!names[i])
		refuse_word(parser, word, what, names);
	return i;
}

void refuse_register(struct parser *parser, struct slice name)
{
	const char *names[SPEMU_REG_COUNT + 3];
	unsigned n = 0;

	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		names[n++] = spemu_reg_name((enum spemu_reg)i);
	names[n++] = "PMSCR_EL12";
	names[n++] = "PMBSR_EL12";
	names[n] = NULL;
	refuse_word(parser, name, "register", names);
}

static _Noreturn void refuse_field(struct parser *parser, struct slice word, enum spemu_reg reg)
{
	const char *names[65];
	unsigned hi, lo, n = 0;
	char what[64];

	while (n < 64 && spemu_reg_field(reg, n, &names[n], &hi, &lo) == SPEMU_OK)
		n++;
	names[n] = NULL;
	snprintf(what, sizeof(what), "field of %s",
	         n ? spemu_reg_name(reg) : "a register without fields");
	refuse_word(parser, word, what, names);
}

struct target parse_field(struct parser *parser, struct slice word, enum spemu_reg reg)
{
	struct target target = {.reg = reg};
	const char *name;

	for (unsigned i = 0; !spemu_reg_field(reg, i, &name, &target.hi, &target.lo); i++)
		if (slice_is(word, name))
			return target;
	refuse_field(parser, word, reg);
}

static enum spemu_reg need_register(struct parser *parser, struct slice name)
{
	int reg = name.size < 32 ? spemu_reg_by_name(slice_copy(parser, name)) : -1;

	if (reg < 0)
		refuse_register(parser, name);
	return (enum spemu_reg)reg;
}

struct target parse_target(struct parser *parser, struct slice word)
{
	size_t dot = slice_find(word, '.');
	struct target target = {.hi = 63};
	char *name = word.size < 32 ? slice_copy(parser, word) : NULL;

	if (name && spemu_reg_by_name(name) < 0 && spemu_reg_encoding(name) >= 0) {
		target.reg = SPEMU_REG_COUNT;
		target.encoding = (uint32_t)spemu_reg_encoding(name);
		return target;
	}
	target.reg = need_register(parser, slice_part(word, 0, dot));
	if (dot < word.size)
		return parse_field(parser, slice_part(word, dot + 1, word.size), target.reg);
	return target;
}

static uint64_t field_mask(const struct target *t)
{
	return UINT64_MAX >> (63 - (t->hi - t->lo));
}

uint64_t parse_field_value(struct parser *parser, struct slice word, const struct target *target)
{
	uint64_t value = need_u64(parser, word, "the value");

	if (value & ~field_mask(target))
		refuse(parser, word.at, "the value does not fit the %u bits of the field",
		       target->hi - target->lo + 1);
	return value;
}

uint64_t parse_register_value(struct parser *parser, struct slice word, enum spemu_reg reg)
{
	uint64_t value;

	if (parse_u64(&value, word))
		return value;
	if (!word.size || (word.text[0] >= '0' && word.text[0] <= '9'))
		return need_u64(parser, word, "the value");
	for (value = 0;;) {
		size_t end = slice_find(word, '|');
		struct slice part = slice_part(word, 0, end);
		size_t eq = slice_find(part, '=');
		struct target t = parse_field(parser, slice_part(part, 0, eq), reg);
		uint64_t v = 1;

		if (eq < part.size)
			v = parse_field_value(parser, slice_part(part, eq + 1, part.size), &t);
		value = (value & ~(field_mask(&t) << t.lo)) | v << t.lo;
		if (end == word.size)
			return value;
		word = slice_part(word, end + 1, word.size);
	}
}
