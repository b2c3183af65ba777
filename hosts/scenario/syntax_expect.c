/* SPDX-License-Identifier: MIT */
/* The parser of expectations, after "expect" and "->". */
#include "script.h"

#include <string.h>

#include "subject.h"

static struct expectation *add_expectation(struct parser *parser, struct expectations *list)
{
	list->items = parser_grow(parser, list->items, list->count, sizeof(*list->items));
	return &list->items[list->count++];
}

static void parse_range(struct parser *parser, struct wanted *w, struct slice value)
{
	size_t dots = 0;

	while (dots + 1 < value.size && memcmp(value.text + dots, "..", 2))
		dots++;
	if (dots + 1 >= value.size) {
		w->lo = w->hi = need_u64(parser, value, "the value");
		return;
	}
	w->lo = need_u64(parser, slice_part(value, 0, dots), "the lower end");
	w->hi = need_u64(parser, slice_part(value, dots + 2, value.size), "the upper end");
	if (w->lo > w->hi)
		refuse(parser, value.at, "the range is empty");
}

static void parse_named(struct parser *parser, struct wanted *w, struct slice value,
                        const char *const *names, const char *what)
{
	w->lo = w->hi = need_name(parser, value, what, names);
}

/* Parse an owner, like "Non-secure/EL1". */
static void parse_owner(struct parser *parser, struct wanted *w, struct slice value)
{
	size_t slash = slice_find(value, '/');
	uint64_t security;

	parse_named(parser, w, slice_part(value, 0, slash), security_names, "Security state");
	security = w->lo;
	if (slash == value.size)
		refuse(parser, value.at, "an owner like Non-secure/EL1 expected");
	parse_named(parser, w, slice_part(value, slash + 1, value.size), level_names,
	            "Exception level");
	w->lo = w->hi = security << 8 | w->lo;
}

static void parse_wanted(struct parser *parser, struct wanted *w, enum value_kind kind,
                         struct slice value)
{
	static const char *const yes_no[] = {"no", "yes", NULL};

	w->kind = WANT_RANGE;
	if (slice_is(value, "none") || slice_is(value, "any")) {
		w->kind = slice_is(value, "none") ? WANT_ABSENT : WANT_PRESENT;
		return;
	}
	switch (kind) {
	case VALUE_YES_NO:
		if (slice_is(value, "0") || slice_is(value, "1"))
			w->lo = w->hi = slice_is(value, "1");
		else
			parse_named(parser, w, value, yes_no, "answer");
		return;
	case VALUE_DISTANCE:
		if (slice_is(value, "never"))
			w->lo = w->hi = UINT64_MAX;
		else
			parse_range(parser, w, value);
		return;
	case VALUE_OWNER:
		parse_owner(parser, w, value);
		return;
	case VALUE_EVENTS:
		w->lo = w->hi = parse_events(parser, value);
		return;
	case VALUE_TEXT:
		w->kind = WANT_TEXT;
		w->text = slice_copy(parser, value);
		return;
	default:
		if (value_names(kind))
			parse_named(parser, w, value, value_names(kind),
			            kind == VALUE_SECURITY ? "Security state" : "value");
		else
			parse_range(parser, w, value);
	}
}

/* Parse the event of "pmu.SAMPLE_POP" or "pmu.0x4000". Return its index. */
static unsigned parse_pmu(struct parser *parser, struct slice name)
{
	uint64_t number;
	bool is_number = parse_u64(&number, name);

	for (unsigned i = 0; pmu_event_names[i]; i++)
		if (slice_is(name, pmu_event_names[i]) ||
		    (is_number && pmu_event_numbers[i] == number))
			return i;
	refuse_word(parser, name, "PMU event", pmu_event_names);
}

static const struct subject *find_subject(const struct subject *table, struct slice name)
{
	for (; table->name; table++)
		if (slice_is(name, table->name))
			return table;
	return NULL;
}

static _Noreturn void refuse_subject(struct parser *parser, struct slice name,
                                     const struct subject *table, const struct subject *more,
                                     const char *what)
{
	const char *names[128];
	unsigned n = 0;

	for (; table->name && n < 127; table++)
		names[n++] = table->name;
	for (; more && more->name && n < 127; more++)
		names[n++] = more->name;
	names[n] = NULL;
	refuse_word(parser, name, what, names);
}

/* Split "WHAT=VALUE" or "WHAT!=VALUE". Return the value. */
static struct slice split(struct parser *parser, struct expectation *e, struct slice word,
                          struct slice *what)
{
	size_t eq = slice_find(word, '=');
	size_t end;

	if (eq == word.size)
		refuse(parser, word.at, "WHAT=VALUE expected");
	e->wanted.differs = eq > 0 && word.text[eq - 1] == '!';
	end = eq - e->wanted.differs;
	*what = slice_part(word, 0, end);
	e->what = slice_copy(parser, *what);
	e->want_text =
	        slice_copy(parser, slice_part(word, e->wanted.differs ? end : eq + 1, word.size));
	return slice_part(word, eq + 1, word.size);
}

/* Find a subject with an argument after the full stop. Return false if there is no such subject. */
static bool find_argument(struct parser *parser, struct expectation *e, struct slice what)
{
	size_t dot = slice_find(what, '.');
	struct slice argument;

	if (dot == what.size)
		return false;
	e->subject = find_subject(machine_subjects, slice_part(what, 0, dot + 1));
	argument = slice_part(what, dot + 1, what.size);
	if (e->subject && slice_is(slice_part(what, 0, dot), "pmu"))
		e->argument = parse_pmu(parser, argument);
	else if (e->subject)
		e->argument = need_u64(parser, argument, "the number");
	return e->subject != NULL;
}

static void parse_machine_item(struct parser *parser, struct expectations *list, struct slice word)
{
	struct expectation *e = add_expectation(parser, list);
	struct slice what, value = split(parser, e, word, &what);

	e->subject = find_subject(machine_subjects, what);
	if (!e->subject)
		e->subject = find_subject(write_subjects, what);
	if (e->subject && what.text[what.size - 1] != '.') {
		e->argument = e->subject->argument;
	} else if (find_argument(parser, e, what)) {
		/* find_argument() has set subject and argument */
	} else if (what.size && what.text[0] >= 'A' && what.text[0] <= 'Z') {
		e->target = parse_target(parser, what);
		parse_range(parser, &e->wanted, value);
		return;
	} else {
		refuse_subject(parser, what, machine_subjects, write_subjects, "expectation");
	}
	parse_wanted(parser, &e->wanted, e->subject->kind, value);
}

static void parse_record_item(struct parser *parser, void *list)
{
	struct expectation *e = add_expectation(parser, list);
	struct slice word = need_text(parser, ""), what, value;

	if (slice_is(word, "text")) { /* the description of some packet of the record */
		e->what = "text";
		e->want_text = slice_copy(parser, need_text(parser, "a packet in words"));
		e->wanted.kind = WANT_TEXT;
		e->wanted.text = e->want_text;
		return;
	}
	value = split(parser, e, word, &what);
	e->subject = find_subject(record_subjects, what);
	if (!e->subject)
		refuse_subject(parser, what, record_subjects, NULL, "property of a record");
	e->argument = e->subject->argument;
	parse_wanted(parser, &e->wanted, e->subject->kind, value);
}

static void parse_which_record(struct parser *parser, struct command *c)
{
	struct slice word = need_text(parser, "a number, 'last' or 'at ADDRESS'");

	if (slice_is(word, "last")) {
		c->expect.base = RECORD_LAST;
	} else if (slice_is(word, "at")) {
		c->expect.base = RECORD_AT;
		c->expect.value = need_number(parser, "an address", "the address");
	} else {
		c->expect.base = RECORD_INDEX;
		c->expect.value = need_u64(parser, word, "the record");
	}
}

static void parse_record(struct parser *parser, struct command *c)
{
	struct place open;

	c->kind = COMMAND_EXPECT_RECORD;
	parse_which_record(parser, c);
	open = parser->next.slice.at;
	if (parser->next.kind != WORD_OPEN)
		refuse(parser, open, "'{' expected");
	parser_advance(parser);
	parse_items(parser, open, true, parse_record_item, &c->expect.list);
}

/* Parse "diagnostic NAME", by name or rule, or "diagnostics none", which permits only diagnostics
 * that were expected before. */
static void parse_diagnostic(struct parser *parser, struct expectations *list, bool none)
{
	struct slice word = need_text(parser, none ? "'none'" : "a name or a rule");
	struct expectation *e = add_expectation(parser, list);

	if (none && !slice_is(word, "none"))
		refuse(parser, word.at, "'none' expected, or 'diagnostic NAME'");
	e->what = none ? "diagnostics" : "diagnostic";
	e->want_text = slice_copy(parser, word);
	e->wanted.kind = WANT_DIAGNOSTIC;
	e->wanted.text = none ? NULL : e->want_text;
}

void parse_expect(struct parser *parser, struct command *c)
{
	struct slice word = need_text(parser, "WHAT=VALUE");

	if (slice_is(word, "record")) {
		parse_record(parser, c);
		return;
	}
	do {
		if (slice_is(word, "diagnostics") || slice_is(word, "diagnostic"))
			parse_diagnostic(parser, &c->expect.list, slice_is(word, "diagnostics"));
		else
			parse_machine_item(parser, &c->expect.list, word);
	} while (take_text(parser, &word));
}

void parse_mrs_values(struct parser *parser, struct access_wanted *wanted, enum spemu_reg reg,
                      struct slice word)
{
	struct slice what, value;

	do {
		struct expectation *e = add_expectation(parser, &wanted->values);

		e->target = (struct target){reg, 63, 0};
		if (slice_find(word, '=') == word.size) {
			e->what = "the value";
			e->want_text = slice_copy(parser, word);
			parse_range(parser, &e->wanted, word);
			continue;
		}
		value = split(parser, e, word, &what);
		e->target = parse_field(parser, what, reg);
		parse_range(parser, &e->wanted, value);
	} while (take_text(parser, &word));
}
