/* SPDX-License-Identifier: MIT */
/* The parser of strict mode: software's accesses to memory and translation tables, and its pc. */
#include "script.h"

void parse_strict(struct parser *parser, struct command *c)
{
	struct slice word;

	if (take_text(parser, &word))
		c->strict = need_u64(parser, word, "the seed");
}

void parse_address(struct parser *parser, struct command *c)
{
	c->address = need_number(parser, "an address", "the address");
}

/* Parse the accesses for which a DSB waits: "", "ld" or "st". */
void parse_dsb(struct parser *parser, struct command *c)
{
	static const char *const names[] = {"ld", "st", NULL};
	static const int kinds[] = {BARRIER_DSB_LD, BARRIER_DSB_ST};
	struct slice word;

	if (take_text(parser, &word))
		c->code = kinds[need_name(parser, word, "kind of DSB", names)];
}

/* Parse "ADDRESS +SIZE". */
void parse_memory_range(struct parser *parser, struct command *c)
{
	struct slice word;

	c->range.address = need_number(parser, "an address", "the address");
	word = need_text(parser, "a size");
	if (word.text[0] != '+')
		refuse(parser, word.at, "'+SIZE' expected");
	c->range.size = need_u64(parser, slice_part(word, 1, word.size), "the size");
}

/* Parse "none", or any of the other rules. */
void parse_vm_rules(struct parser *parser, struct command *c)
{
	static const char *const names[] = {"none", "ignore-writes", "physical-only",
	                                    "max-buffer=", NULL};
	struct slice word = need_text(parser, "ignore-writes, physical-only, max-buffer= or none");
	struct spemu_vm_rules *rules = &c->vm_rules;

	*rules = (struct spemu_vm_rules){.size = sizeof(*rules)};
	do {
		uint64_t n;

		if (slice_is(word, "none"))
			*rules = (struct spemu_vm_rules){.size = sizeof(*rules)};
		else if (slice_is(word, "ignore-writes"))
			rules->ignore_writes_while_enabled = true;
		else if (slice_is(word, "physical-only"))
			rules->physical_only = true;
		else if (slice_begins(word, "max-buffer=")) {
			n = need_u64(parser, slice_part(word, 11, word.size),
			             "PMBIDR_EL1.MaxBuffSize");
			if (n > 0x3fff)
				refuse(parser, word.at, "PMBIDR_EL1.MaxBuffSize has 14 bits");
			rules->max_buff_size = (uint16_t)n;
		} else {
			refuse_word(parser, word, "rule", names);
		}
	} while (take_text(parser, &word));
}
