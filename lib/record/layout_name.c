/* SPDX-License-Identifier: MIT */
/*
 * Parsing of layouts, and their names.
 *
 * Arm ARM:     DDI 0487 M.a, D18.1.2, D18.1.3: any order, padding anywhere
 */
#include <stdbool.h>
#include <string.h>
#include <spemu/record.h>
#include "member.h"

const char *const spemu_layout_names[] = {"dense", "neoverse", "words", NULL};

/* Names of the members, indexed by bit number in present. */
static const char *const member_names[] = {
        [MEMBER_ADDR0] = "pc",
        [MEMBER_ADDR0 + 1] = "target",
        [MEMBER_ADDR0 + 2] = "va",
        [MEMBER_ADDR0 + 3] = "pa",
        [MEMBER_ADDR0 + 4] = "previous-target",
        [MEMBER_ADDR0 + 5] = "address5",
        [MEMBER_ADDR0 + 6] = "address6",
        [MEMBER_ADDR0 + 7] = "address7",
        [MEMBER_COUNTER0] = "total",
        [MEMBER_COUNTER0 + 1] = "issue",
        [MEMBER_COUNTER0 + 2] = "translation",
        [MEMBER_COUNTER0 + 3] = "counter3",
        [MEMBER_COUNTER0 + 4] = "alt-issue",
        [MEMBER_COUNTER0 + 5] = "counter5",
        [MEMBER_COUNTER0 + 6] = "counter6",
        [MEMBER_COUNTER0 + 7] = "counter7",
        [MEMBER_CONTEXT0] = "context1",
        [MEMBER_CONTEXT0 + 1] = "context2",
        [MEMBER_EVENTS] = "events",
        [MEMBER_OP_TYPE] = "type",
        [MEMBER_DATA_SOURCE] = "source",
};

/* The order of SPEConstructRecord(). */
static const uint8_t pseudocode_order[SPEMU_LAYOUT_MEMBERS] = {
        16, 17, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 22, 21, 20,
};

/* A part of the text. p is the position after it and its separator. */
struct word {
	const char *at;
	size_t size;
};

static struct word next_word(const char **p, const char *separators)
{
	struct word w = {*p, strcspn(*p, separators)};

	*p += w.size + (w.at[w.size] != '\0');
	return w;
}

static bool is(struct word w, const char *name)
{
	return strlen(name) == w.size && !memcmp(w.at, name, w.size);
}

/* Return the text after name and "=" in w. Its `at` is NULL if w does not begin with name and
 * "=". */
static struct word value_of(struct word w, const char *name)
{
	size_t n = strlen(name);

	if (w.size <= n || memcmp(w.at, name, n) != 0 || w.at[n] != '=')
		return (struct word){NULL, 0};
	return (struct word){w.at + n + 1, w.size - n - 1};
}

static bool take_name(struct spemu_layout *layout, struct word w)
{
	const struct spemu_layout *const named[] = {&spemu_layout_dense, &spemu_layout_neoverse,
	                                            &spemu_layout_words};

	for (unsigned i = 0; spemu_layout_names[i]; i++) {
		if (is(w, spemu_layout_names[i])) {
			*layout = *named[i];
			return true;
		}
	}
	return false;
}

static bool take_align(struct spemu_layout *layout, struct word w)
{
	unsigned value = 0;

	for (size_t i = 0; i < w.size; i++) {
		if (w.at[i] < '0' || w.at[i] > '9' || value > SPEMU_RECORD_MAX)
			return false;
		value = 10 * value + (unsigned)(w.at[i] - '0');
	}
	if (!value || value > SPEMU_RECORD_MAX || (value & (value - 1)))
		return false;
	layout->align_log2 = (uint8_t)__builtin_ctz(value);
	return true;
}

/* Parse the listed packets, then add the others. If a packet is unknown or listed twice, set *wrong
 * to it and return false. */
static bool take_order(struct spemu_layout *layout, struct word w, const char **wrong)
{
	const char *p = w.at, *end = w.at + w.size;
	uint32_t taken = 0;
	unsigned n = 0;

	layout->fixed_places = 0;
	if (is(w, "pseudocode") || is(w, "pc-first")) {
		layout->order = is(w, "pc-first") ? SPEMU_ORDER_PC_FIRST : SPEMU_ORDER_PSEUDOCODE;
		return true;
	}
	layout->order = SPEMU_ORDER_CHOSEN;
	while (p < end) {
		struct word packet = next_word(&p, ":,");
		unsigned bit = 0;

		while (bit <= MEMBER_DATA_SOURCE &&
		       !(member_names[bit] && is(packet, member_names[bit])))
			bit++;
		*wrong = packet.at;
		if (bit > MEMBER_DATA_SOURCE || (taken >> bit & 1))
			return false;
		taken |= (uint32_t)1 << bit;
		layout->chosen[n++] = (uint8_t)bit;
	}
	for (unsigned i = 0; i < SPEMU_LAYOUT_MEMBERS; i++) {
		if (!(taken >> pseudocode_order[i] & 1))
			layout->chosen[n++] = pseudocode_order[i];
	}
	return w.size > 0;
}

int spemu_layout_parse(struct spemu_layout *layout, size_t *error_offset, const char *text)
{
	struct spemu_layout made = {0};
	const char *p = text, *wrong = text;
	bool good, more;

	if (layout)
		*layout = made;
	if (error_offset)
		*error_offset = 0;
	if (!layout || !text)
		return SPEMU_ERR_INVALID;
	good = take_name(&made, next_word(&p, ","));
	more = p > text && p[-1] == ',';
	while (good && more) {
		struct word w = next_word(&p, ","), v;

		wrong = w.at;
		more = w.at[w.size] == ',';
		if ((v = value_of(w, "align")).at) {
			good = take_align(&made, v);
		} else if ((v = value_of(w, "pad")).at) {
			good = is(v, "inside") || is(v, "after");
			made.pad_before_end = is(v, "inside");
		} else if ((v = value_of(w, "order")).at) {
			good = take_order(&made, v, &wrong);
		} else {
			good = false;
		}
	}
	if (!good) {
		if (error_offset)
			*error_offset = (size_t)(wrong - text);
		return SPEMU_ERR_INVALID;
	}
	*layout = made;
	return SPEMU_OK;
}
