/* SPDX-License-Identifier: MIT */
/*
 * The parser of memory and of the translation of its addresses.
 *
 * Arm ARM: DDI 0487 M.a, D17.7.6, D8.6 (attributes).
 */
#include "script.h"

#include "values.h"

/* Return attributes of Normal memory: Write-Back, Read-Allocate Write-Allocate. */
static struct spemu_memory normal_memory(uint8_t shareability)
{
	const uint8_t rwa = SPEMU_HINT_READ_ALLOCATE | SPEMU_HINT_WRITE_ALLOCATE;

	return (struct spemu_memory){.type = SPEMU_MEMORY_NORMAL,
	                             .inner = SPEMU_WRITE_BACK,
	                             .outer = SPEMU_WRITE_BACK,
	                             .inner_hints = rwa,
	                             .outer_hints = rwa,
	                             .shareability = shareability};
}

static void set_cacheability(uint8_t *cacheability, uint8_t *hints, unsigned value)
{
	*cacheability = (uint8_t)value;
	if (value == SPEMU_NON_CACHEABLE)
		*hints = 0;
}

/* Parse words like "inner=wb" and "outer=nc". Return false for other words. */
static bool take_cacheability(struct parser *parser, struct spemu_memory *m, struct slice word)
{
	bool inner = slice_begins(word, "inner=");
	unsigned i;

	if (!inner && !slice_begins(word, "outer="))
		return false;
	i = need_name(parser, slice_part(word, 6, word.size), "cacheability", cacheability_names);
	if (inner)
		set_cacheability(&m->inner, &m->inner_hints, i);
	else
		set_cacheability(&m->outer, &m->outer_hints, i);
	return true;
}

/* Parse a word about attributes. Return false for other words. */
static bool take_attribute(struct parser *parser, struct spemu_memory *m, struct slice word)
{
	unsigned type = index_of_name(memory_type_names, word);
	unsigned cacheability = index_of_name(cacheability_names, word);
	unsigned shareability = index_of_name(shareability_names, word);

	if (slice_is(word, "device"))
		type = SPEMU_MEMORY_DEVICE_NGNRNE;
	if (type == SPEMU_MEMORY_NORMAL) {
		*m = normal_memory(m->shareability);
	} else if (type < SPEMU_MEMORY_NORMAL) {
		*m = (struct spemu_memory){.type = (uint8_t)type};
	} else if (cacheability_names[cacheability]) {
		set_cacheability(&m->inner, &m->inner_hints, cacheability);
		set_cacheability(&m->outer, &m->outer_hints, cacheability);
	} else if (shareability_names[shareability] && shareability != 1) {
		m->shareability = (uint8_t)shareability;
	} else if (slice_is(word, "tagged")) {
		m->tagged = true;
	} else {
		return take_cacheability(parser, m, word);
	}
	return true;
}

/* Complete the attributes. Device and Non-cacheable memory is Outer Shareable. */
static void finish_attributes(struct spemu_memory *m)
{
	if (m->type != SPEMU_MEMORY_NORMAL)
		*m = (struct spemu_memory){.type = m->type};
	if (m->inner == SPEMU_NON_CACHEABLE && m->outer == SPEMU_NON_CACHEABLE)
		m->shareability = SPEMU_OUTER_SHAREABLE;
	m->xs = m->inner != SPEMU_WRITE_BACK || m->outer != SPEMU_WRITE_BACK;
}

/* Parse "pa=", "pas=" and "mecid=". Return false for other words. */
static bool take_output(struct parser *parser, struct mapping *map, struct slice word)
{
	size_t eq = slice_find(word, '=');
	struct slice name = slice_part(word, 0, eq), value;

	if (eq == word.size)
		return false;
	value = slice_part(word, eq + 1, word.size);
	if (slice_is(name, "pa")) {
		map->physical = need_u64(parser, value, "the physical address");
		if (map->physical >> 56 || (map->physical ^ map->base) & 0xfff)
			refuse(parser, value.at,
			       "a physical address of at most 56 bits with the same low 12 bits "
			       "expected");
		map->has_physical = true;
	} else if (slice_is(name, "pas")) {
		map->pas =
		        (uint8_t)need_name(parser, value, "physical address space", security_names);
		map->has_pas = true;
	} else if (slice_is(name, "mecid")) {
		uint64_t mecid = need_u64(parser, value, "the MECID");

		if (mecid >> 16)
			refuse(parser, value.at, "a MECID has 16 bits");
		map->mecid = (uint16_t)mecid;
	} else {
		return false;
	}
	return true;
}

/* Parse a word after the size. */
static void parse_property(struct parser *parser, struct mapping *map, struct slice word)
{
	static const char *const names[] = {"rw",           "ro",           "va",
	                                    "ipa",          "pa",           "pa=",
	                                    "pas=",         "mecid=",       "stage2",
	                                    "fault",        "device",       "tagged",
	                                    "normal",       "assured-only", "device-nGnRnE",
	                                    "wb",           "wt",           "nc",
	                                    "nsh",          "osh",          "ish",
	                                    "device-nGnRE", "inner=",       "outer=",
	                                    "device-nGRE",  "device-GRE",   NULL};
	struct spemu_memory *memory = map->has_stage2 ? &map->stage2 : &map->stage1;
	unsigned type = index_of_name(address_type_names, word);

	if (slice_is(word, "stage2") && !map->has_stage2) {
		map->has_stage2 = true;
	} else if (slice_is(word, "rw") || slice_is(word, "ro")) {
		if (map->has_stage2)
			map->stage2_writable = slice_is(word, "rw");
		else
			map->writable = slice_is(word, "rw");
	} else if (slice_is(word, "assured-only")) {
		if (!map->has_stage2)
			refuse(parser, word.at, "assured-only is a property of stage2");
		map->assured_only = true;
	} else if (address_type_names[type]) {
		map->types |= (uint8_t)(1u << type);
	} else if (!take_output(parser, map, word) && !take_attribute(parser, memory, word)) {
		refuse_word(parser, word, "property of memory", names);
	}
}

void parse_map(struct parser *parser, struct command *c)
{
	struct mapping *map = &c->map;
	struct slice word;

	map->base = need_number(parser, "an address", "the address");
	word = need_text(parser, "+SIZE");
	if (word.text[0] != '+')
		refuse(parser, word.at, "+SIZE expected");
	map->size = need_u64(parser, slice_part(word, 1, word.size), "the size");
	if (!map->size || map->base + (map->size - 1) < map->base)
		refuse(parser, word.at, "the memory is empty or wraps around");
	map->writable = map->stage2_writable = true;
	map->stage1 = normal_memory(SPEMU_INNER_SHAREABLE);
	map->stage2 = normal_memory(SPEMU_NON_SHAREABLE); /* it does not restrict stage 1 */
	while (parser->next.kind == WORD_TEXT && !slice_is(parser->next.slice, "fault")) {
		(void)take_text(parser, &word);
		parse_property(parser, map, word);
	}
	finish_attributes(&map->stage1);
	finish_attributes(&map->stage2);
	if (!map->types)
		map->types =
		        1u << SPEMU_ADDRESS_VA | 1u << SPEMU_ADDRESS_IPA | 1u << SPEMU_ADDRESS_PA;
}
