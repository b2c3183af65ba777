/* SPDX-License-Identifier: MIT */
/* The parser of MSR and MRS, and of their expected outcomes. Arm ARM: DDI 0487 M.a, C5.1.2
 * (S<op0>_...). */
#include "script.h"

#include <stdio.h>

#include "values.h"

/* Parse the name of a register as in MSR, or S<op0>_<op1>_C<n>_C<m>_<op2>. */
static void parse_access_register(struct parser *parser, struct command *c)
{
	struct slice word = need_text(parser, "a register");
	unsigned op0, op1, crn, crm, op2;
	char end;
	int encoding;

	if (word.size > 31)
		refuse_register(parser, word);
	c->access.name = slice_copy(parser, word);
	encoding = spemu_reg_encoding(c->access.name);
	if (encoding >= 0) {
		c->access.encoding = (uint32_t)encoding;
		return;
	}
	if (sscanf(c->access.name, "S%1u_%1u_C%2u_C%2u_%1u%c", &op0, &op1, &crn, &crm, &op2,
	           &end) != 5 ||
	    op0 > 3 || op1 > 7 || crn > 15 || crm > 15 || op2 > 7)
		refuse_register(parser, word);
	c->access.encoding = SPEMU_SYSREG(op0, op1, crn, crm, op2);
}

static void parse_trap(struct parser *parser, struct access_wanted *wanted)
{
	static const uint8_t outcomes[] = {SPEMU_ACCESS_OK, SPEMU_ACCESS_TRAP_EL1,
	                                   SPEMU_ACCESS_TRAP_EL2, SPEMU_ACCESS_TRAP_EL3};
	struct slice word = need_text(parser, "EL1, EL2 or EL3");
	unsigned el = index_of_name(level_names, word);

	if (el == 0 || !level_names[el])
		refuse(parser, word.at, "EL1, EL2 or EL3 expected");
	wanted->outcome = outcomes[el];
	if (take_text(parser, &word)) {
		if (!slice_begins(word, "iss="))
			refuse(parser, word.at, "iss=VALUE expected");
		wanted->has_iss = true;
		wanted->iss = (uint32_t)need_u64(parser, slice_part(word, 4, word.size), "the ISS");
	}
}

/* Parse the words of an outcome after "->". Return false if `word` is not an outcome. */
static bool parse_outcome(struct parser *parser, struct access_wanted *wanted, struct slice word)
{
	if (slice_is(word, "ok"))
		wanted->outcome = SPEMU_ACCESS_OK;
	else if (slice_is(word, "undefined"))
		wanted->outcome = SPEMU_ACCESS_UNDEFINED;
	else if (slice_is(word, "trap"))
		parse_trap(parser, wanted);
	else if (slice_is(word, "nvmem")) {
		wanted->outcome = SPEMU_ACCESS_NVMEM;
		wanted->nvmem_offset = (uint16_t)need_number(parser, "the offset", "the offset");
	} else
		return false;
	return true;
}

void parse_msr(struct parser *parser, struct command *c)
{
	static const char *const names[] = {"ok", "undefined", "trap", "nvmem", NULL};
	struct slice value;
	int reg;

	parse_access_register(parser, c);
	value = need_text(parser, "a value");
	reg = spemu_reg_by_name(c->access.name);
	c->access.value = reg >= 0 ? parse_register_value(parser, value, (enum spemu_reg)reg)
	                           : need_u64(parser, value, "the value");
	c->access.wanted.stated = take_arrow(parser);
	if (c->access.wanted.stated) {
		value = need_text(parser, "ok, undefined, trap or nvmem");
		if (!parse_outcome(parser, &c->access.wanted, value))
			refuse_word(parser, value, "outcome", names);
	}
}

void parse_mrs(struct parser *parser, struct command *c)
{
	struct slice word;
	int reg;

	parse_access_register(parser, c);
	c->access.wanted.stated = take_arrow(parser);
	if (!c->access.wanted.stated)
		return;
	word = need_text(parser, "a value or an outcome");
	reg = spemu_reg_by_name(c->access.name);
	if (!parse_outcome(parser, &c->access.wanted, word))
		parse_mrs_values(parser, &c->access.wanted,
		                 (enum spemu_reg)(reg < 0 ? SPEMU_REG_COUNT : reg), word);
}
