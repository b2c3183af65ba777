/* SPDX-License-Identifier: MIT */
/* The parser of the words after "event", "capture", "power" and "external". */
#include "script.h"

#include <stddef.h>

#include "values.h"

const char *const capture_outcome_names[] = {"ignored", "ongoing", "done", "not-done", NULL};

static const struct {
	const char *name;
	uint16_t number;
} events[] = {
        {"SW_INCR", SPEMU_PMU_SW_INCR},       {"INST_RETIRED", SPEMU_PMU_INST_RETIRED},
        {"CPU_CYCLES", SPEMU_PMU_CPU_CYCLES}, {"CHAIN", SPEMU_PMU_CHAIN},
        {"PMU_SNAPSHOT", SPEMU_PMU_SNAPSHOT},
};
enum { EVENTS = sizeof(events) / sizeof(*events) };

void parse_pmu_event(struct parser *parser, struct command *c)
{
	struct slice word = need_text(parser, "an event, by name or by number");
	const char *names[EVENTS + 1];
	uint64_t number;
	unsigned i = 0;

	for (; i < EVENTS && !slice_is(word, events[i].name); i++)
		names[i] = events[i].name;
	names[i] = NULL;
	if (i < EVENTS)
		number = events[i].number;
	else if (!parse_u64(&number, word))
		refuse_word(parser, word, "event", names);
	if (number > 0xffff)
		refuse(parser, word.at, "event numbers have 16 bits");
	c->event.number = (uint16_t)number;
	c->event.count = 1;
	if (take_text(parser, &word)) {
		if (word.size < 2 || word.text[0] != 'x')
			refuse(parser, word.at, "xN expected, for N times");
		c->event.count = need_u64(parser, slice_part(word, 1, word.size), "how often");
	}
}

void parse_capture(struct parser *parser, struct command *c)
{
	static const char *const names[] = {"request", "complete", NULL};
	struct slice word = need_text(parser, "request or complete");

	c->capture.completes = need_name(parser, word, "capture", names);
	c->capture.stated = take_arrow(parser);
	if (c->capture.stated) {
		word = need_text(parser, "ignored, ongoing, done or not-done");
		c->capture.outcome =
		        (uint8_t)need_name(parser, word, "outcome", capture_outcome_names);
	}
}

void parse_power(struct parser *parser, struct command *c)
{
	static const char *const names[] = {"off", "on", NULL};
	struct slice word = need_text(parser, "on or off");

	c->power = need_name(parser, word, "power state", names);
}

/* Parse "external read OFFSET [word] [as SECURITY] [-> VALUE | error]" or "external write OFFSET
 * VALUE ...". */
void parse_external(struct parser *parser, struct command *c)
{
	static const char *const names[] = {"read", "write", NULL};
	struct slice word = need_text(parser, "read or write");
	uint64_t offset;

	c->external.write = need_name(parser, word, "access", names);
	word = need_text(parser, "an offset");
	offset = need_u64(parser, word, "the offset");
	if (offset > 0xfff)
		refuse(parser, word.at, "offsets are below 0x1000");
	c->external.offset = (uint32_t)offset;
	c->external.size = 8;
	c->external.security = SPEMU_SS_ROOT;
	if (c->external.write) {
		c->external.value = need_number(parser, "a value", "the value");
	}
	while (take_text(parser, &word)) {
		if (slice_is(word, "word")) {
			c->external.size = 4;
		} else if (slice_is(word, "as")) {
			word = need_text(parser, "Secure, Non-secure, Root or Realm");
			c->external.security =
			        (uint8_t)need_name(parser, word, "Security state", security_names);
		} else if (slice_is(word, "->")) {
			word = need_text(parser, "a value or error");
			c->external.wants_error = slice_is(word, "error");
			c->external.wants_value = !c->external.wants_error;
			if (c->external.wants_value)
				c->external.wanted = need_u64(parser, word, "the value");
			return;
		} else {
			refuse(parser, word.at, "word, as or -> expected");
		}
	}
}
