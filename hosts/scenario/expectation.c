/* SPDX-License-Identifier: MIT */
/* The checks of expectations. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run_state.h"

/* Write the wanted value to text, after "not " if the expectation has "!=". Return text. */
static const char *wanted_text(char *text, size_t size, const struct expectation *e)
{
	snprintf(text, size, "%s%s", e->wanted.differs ? "not " : "", e->want_text);
	return text;
}

static bool holds(const struct wanted *w, bool present, uint64_t value)
{
	switch (w->kind) {
	case WANT_ABSENT:
		return !present;
	case WANT_PRESENT:
		return present;
	case WANT_RANGE:
		return present && value >= w->lo && value <= w->hi;
	case WANT_TEXT:
	case WANT_DIAGNOSTIC:
		break;
	}
	return false;
}

static void check(struct run *run, const struct expectation *e, bool present, uint64_t value,
                  const char *got)
{
	char expected[256];

	run_verdict(run, holds(&e->wanted, present, value) != e->wanted.differs, 0, e->what,
	            wanted_text(expected, sizeof(expected), e), present ? got : "none");
}

void expect_value(struct run *run, const struct expectation *e, uint64_t value)
{
	const struct target *t = &e->target;
	char got[32];

	value = value >> t->lo & UINT64_MAX >> (63 - (t->hi - t->lo));
	snprintf(got, sizeof(got), "%#" PRIx64, value);
	check(run, e, true, value, got);
}

static void ask(struct run *run, const struct expectation *e, struct query *q)
{
	uint64_t value = 0;
	char got[400], expected[256];
	bool present;

	q->argument = e->argument;
	present = e->subject->get(q, &value);
	if (e->wanted.kind == WANT_TEXT) {
		bool same = present && strcmp(q->text, e->wanted.text) == 0;

		run_verdict(run, same != e->wanted.differs, 0, e->what,
		            wanted_text(expected, sizeof(expected), e), present ? q->text : "none");
		return;
	}
	value_text(got, sizeof(got), e->subject->kind, value);
	if (e->subject->kind == VALUE_TEXT)
		snprintf(got, sizeof(got), "%s", q->text);
	check(run, e, present, value, got);
}

/* Return the first diagnostic that no expectation has named yet, or NULL. With text, its name or
 * rule must match. */
static struct diagnosed *find_diagnostic(struct machine *m, const char *text)
{
	for (size_t i = 0; i < m->diagnosed_count; i++) {
		struct diagnosed *d = &m->diagnosed[i];

		if (!d->expected &&
		    (!text || !strcmp(text, d->what.name) || !strcmp(text, d->what.rule)))
			return d;
	}
	return NULL;
}

static void expect_diagnostic(struct run *run, const struct expectation *e)
{
	struct diagnosed *d = find_diagnostic(&run->machine, e->wanted.text);
	struct diagnosed *other = d ? d : find_diagnostic(&run->machine, NULL);
	char got[128] = "none";

	if (other)
		snprintf(got, sizeof(got), "%s (%s)", other->what.name, other->what.rule);
	run_verdict(run, (d != NULL) == (e->wanted.text != NULL), 0, e->what, e->want_text, got);
	if (d && e->wanted.text)
		d->expected = true;
}

void unexpected_diagnostics(struct run *run)
{
	struct diagnosed *d;

	while ((d = find_diagnostic(&run->machine, NULL))) {
		char what[128], got[600];

		if (spemu_spu_strict(run->machine.spu)) {
			d->expected = true;
			run_diagnostic(run, d->line, &d->what);
			continue;
		}
		snprintf(what, sizeof(what), "diagnostic %s (%s)", d->what.name, d->what.rule);
		snprintf(got, sizeof(got), "%s; %s", d->what.cause, d->what.remedy);
		d->expected = true;
		run_verdict(run, false, d->line, what, "none", got);
	}
}

void expect_machine(struct run *run, const struct command *command)
{
	const struct expectations *list = &command->expect.list;
	struct query q = {.machine = &run->machine};

	for (size_t i = 0; i < list->count; i++) {
		const struct expectation *e = &list->items[i];

		if (e->wanted.kind == WANT_DIAGNOSTIC)
			expect_diagnostic(run, e);
		else if (e->subject)
			ask(run, e, &q);
		else
			expect_value(run, e, machine_get(&run->machine, &e->target));
	}
}

/* Check that some packet of the record has this description. */
static void check_packet_text(struct run *run, const struct expectation *e, const uint8_t *data,
                              size_t size)
{
	struct spemu_decoder dec;
	struct spemu_packet pkt;
	char text[160], got[2048];

	spemu_decoder_init(&dec, data, size, 0);
	while (spemu_decoder_next_packet(&dec, &pkt) > 0) {
		spemu_packet_describe(text, sizeof(text), &pkt);
		if (strcmp(text, e->wanted.text) == 0) {
			run_verdict(run, true, 0, e->what, e->want_text, text);
			return;
		}
	}
	record_text(got, sizeof(got), data, size);
	run_verdict(run, false, 0, e->what, e->want_text, got);
}

/* Find the record that a command names. Return its size, or 0 if there is no such record. */
static size_t find_record(const struct run *run, const uint8_t **data, const struct command *c)
{
	const struct machine *m = &run->machine;
	uint64_t i = c->expect.base == RECORD_LAST ? m->record_count - 1 : c->expect.value;

	if (c->expect.base == RECORD_AT)
		return machine_memory(m, data, c->expect.value);
	if (i >= m->record_count)
		return 0;
	*data = m->stream + m->records[i].offset;
	return m->records[i].size;
}

void expect_record(struct run *run, const struct command *c)
{
	const uint8_t *data = NULL;
	size_t size = find_record(run, &data, c);
	struct spemu_decoder dec;
	struct spemu_record rec;
	struct query q = {.record = &rec};
	char got[64];

	spemu_decoder_init(&dec, data, size, 0);
	if (!size || spemu_decoder_next(&dec, &rec)) {
		snprintf(got, sizeof(got), "%s, and %zu records in all",
		         size ? "bytes that are not a record" : "none", run->machine.record_count);
		run_verdict(run, false, 0, "the record", "a record", got);
		return;
	}
	if (!c->expect.list.count)
		run_verdict(run, true, 0, "the record", "a record", "a record");
	for (size_t i = 0; i < c->expect.list.count; i++) {
		const struct expectation *e = &c->expect.list.items[i];

		if (e->subject)
			ask(run, e, &q);
		else
			check_packet_text(run, e, data + rec.offset, rec.size);
	}
}

static void outcome_text(char *text, size_t size, unsigned outcome, unsigned offset)
{
	static const char *const names[] = {"ok",       "undefined", "trap EL2",
	                                    "trap EL3", "nvmem",     "trap EL1"};

	if (outcome == SPEMU_ACCESS_NVMEM)
		snprintf(text, size, "nvmem %#x", offset);
	else
		snprintf(text, size, "%s", names[outcome]);
}

/* Check the outcome of an MSR or MRS. Without a stated outcome only failures are reported. */
void expect_outcome(struct run *run, const struct command *c, int status,
                    const struct spemu_access_result *result)
{
	const struct access_wanted *w = &c->access.wanted;
	bool held = result->outcome == w->outcome;
	char what[64], expected[48], got[160];

	snprintf(what, sizeof(what), "%s %s", c->kind == COMMAND_MSR ? "msr" : "mrs",
	         c->access.name);
	outcome_text(expected, sizeof(expected), w->outcome, w->nvmem_offset);
	outcome_text(got, sizeof(got), result->outcome, result->nvmem_offset);
	if (status) {
		run_verdict(run, false, 0, what, expected, "not a register of the model");
		return;
	}
	if (held && w->outcome == SPEMU_ACCESS_NVMEM)
		held = result->nvmem_offset == w->nvmem_offset;
	if (held && w->has_iss) {
		held = result->iss == w->iss;
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
		         " iss=%#" PRIx32, w->iss);
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " iss=%#" PRIx32,
		         result->iss);
	}
	if (result->rule && !held)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " (%s)", result->rule);
	if ((w->stated && !w->values.count) || !held)
		run_verdict(run, held, 0, what, expected, got);
}
