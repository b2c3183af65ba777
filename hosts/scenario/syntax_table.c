/* SPDX-License-Identifier: MIT */
/*
 * The parser of physical memory as words, translation tables, and TLB maintenance.
 *
 * Arm ARM: DDI 0487 M.a, D8.3 (descriptors), D17.7.8.
 */
#include "script.h"

#include <string.h>

#include "values.h"

enum { WORDS_MAX = 512 };

/* Parse "+SIZE". */
static uint64_t parse_size(struct parser *parser, struct slice word, uint64_t base)
{
	uint64_t size;

	if (word.text[0] != '+')
		refuse(parser, word.at, "+SIZE expected");
	size = need_u64(parser, slice_part(word, 1, word.size), "the size");
	if (!size || base + (size - 1) < base)
		refuse(parser, word.at, "the range is empty or wraps around");
	return size;
}

/* Parse "NAME=VALUE" with a value of at most `most`. Return false for another name. */
static bool take_key(struct parser *parser, struct slice word, const char *name, uint64_t *value,
                     uint64_t most)
{
	size_t eq = slice_find(word, '=');

	if (eq == word.size || !slice_is(slice_part(word, 0, eq), name))
		return false;
	word = slice_part(word, eq + 1, word.size);
	*value = need_u64(parser, word, name);
	if (*value > most)
		refuse(parser, word.at, "at most %llu", (unsigned long long)most);
	return true;
}

void parse_word(struct parser *parser, struct command *c)
{
	uint64_t values[WORDS_MAX];
	struct slice word = need_text(parser, "an address");

	c->word.address = need_u64(parser, word, "the address");
	if (c->word.address & 7)
		refuse(parser, word.at, "the address is not a multiple of 8");
	values[c->word.count++] = need_number(parser, "a value", "a value");
	while (take_text(parser, &word)) {
		if (c->word.count == WORDS_MAX)
			refuse(parser, word.at, "more than %u words", WORDS_MAX);
		values[c->word.count++] = need_u64(parser, word, "the value");
	}
	c->word.values = parser_alloc(parser, c->word.count * sizeof(*values));
	memcpy(c->word.values, values, c->word.count * sizeof(*values));
}

static uint8_t granule_log2(struct parser *parser, struct slice word)
{
	static const char *const names[] = {
	        "granule=4k", "granule=16k", "granule=64k", "bits=", "stage1", "stage2", NULL};

	unsigned i = index_of_name(names, word);

	if (i > 2)
		refuse_word(parser, word, "property of a table", names);
	return (uint8_t)(12 + 2 * i);
}

void parse_table(struct parser *parser, struct command *c)
{
	struct table_plan *t = &c->table;
	struct slice at = need_text(parser, "an address"), word;
	uint64_t bits = 48;

	t->base = need_u64(parser, at, "the address");
	t->size = parse_size(parser, need_text(parser, "+SIZE"), t->base);
	t->granule_log2 = 12;
	while (take_text(parser, &word)) {
		if (slice_is(word, "stage1") || slice_is(word, "stage2"))
			t->stage2 = slice_is(word, "stage2");
		else if (!take_key(parser, word, "bits", &bits, 48))
			t->granule_log2 = granule_log2(parser, word);
	}
	t->address_bits = (uint8_t)bits;
	if (bits < 25)
		refuse(parser, at.at, "tables have 25 to 48 bits");
	if (t->base & ((UINT64_C(1) << t->granule_log2) - 1) || t->base >> 48 ||
	    t->size < UINT64_C(1) << t->granule_log2)
		refuse(parser, at.at,
		       "a table must be below 2^48, aligned to its granule, and at least a granule "
		       "long");
}

static void parse_page_property(struct parser *parser, struct page_plan *p, struct slice word)
{
	static const char *const names[] = {
	        "level=", "attr=", "sh=", "bits=", "ro", "no-af", "invalid", NULL};
	uint64_t value;

	if (take_key(parser, word, "level", &value, 3))
		p->level = (int)value;
	else if (take_key(parser, word, "attr", &value, 15))
		p->attribute = (uint8_t)value;
	else if (take_key(parser, word, "sh", &value, 3))
		p->shareability = (uint8_t)value;
	else if (take_key(parser, word, "bits", &value, UINT64_MAX))
		p->bits = value;
	else if (slice_is(word, "ro"))
		p->read_only = true;
	else if (slice_is(word, "no-af"))
		p->no_access_flag = true;
	else if (slice_is(word, "invalid"))
		p->invalid = true;
	else
		refuse_word(parser, word, "property of a page", names);
}

/* Parse "VA -> PA" and the properties of the descriptor. */
void parse_page(struct parser *parser, struct command *c)
{
	struct page_plan *p = &c->page;
	struct slice word;

	p->level = 3;
	p->shareability = SPEMU_INNER_SHAREABLE;
	p->address = need_number(parser, "an address", "an address");
	if (!take_arrow(parser))
		(void)need_text(parser, "'->'");
	word = need_text(parser, "an address");
	p->physical = need_u64(parser, word, "the address");
	if (p->physical >> 48)
		refuse(parser, word.at, "an output address has at most 48 bits");
	while (take_text(parser, &word))
		parse_page_property(parser, p, word);
}

static void parse_tlbi_range(struct parser *parser, struct spemu_mmu_scope *s)
{
	s->first = s->last = need_number(parser, "an address", "the address");
	if (next_is_size(parser))
		s->last = s->first + (parse_size(parser, need_text(parser, ""), s->first) - 1);
}

void parse_tlbi(struct parser *parser, struct command *c)
{
	/* In the order of enum spemu_tlbi. */
	static const char *const names[] = {"all",          "regime", "asid", "va",
	                                    "va-all-asids", "ipa",    "pa",   NULL};
	static const char *const keys[] = {"asid=", "vmid=", "el=", "security=", NULL};
	struct spemu_mmu_scope *s = &c->tlbi;
	struct slice word = need_text(parser, "all, regime, asid, va, va-all-asids, ipa or pa");
	uint64_t value;

	s->by = (uint8_t)need_name(parser, word, "scope", names);
	s->el = 1;
	s->security = SPEMU_SS_NON_SECURE;
	if (s->by == SPEMU_TLBI_ASID) {
		word = need_text(parser, "an ASID");
		value = need_u64(parser, word, "the ASID");
		if (value > UINT16_MAX)
			refuse(parser, word.at, "an ASID has 16 bits");
		s->asid = (uint16_t)value;
	}
	if (s->by >= SPEMU_TLBI_VA)
		parse_tlbi_range(parser, s);
	while (take_text(parser, &word)) {
		if (take_key(parser, word, "asid", &value, UINT16_MAX)) {
			s->asid = (uint16_t)value;
		} else if (take_key(parser, word, "vmid", &value, UINT16_MAX)) {
			s->vmid = (uint16_t)value;
		} else if (take_key(parser, word, "el", &value, 2)) {
			s->el = value == 2 ? 2 : 1;
		} else if (slice_begins(word, "security=")) {
			word = slice_part(word, 9, word.size);
			s->security =
			        (uint8_t)need_name(parser, word, "Security state", security_names);
		} else {
			refuse_word(parser, word, "property of a scope", keys);
		}
	}
}
