/* SPDX-License-Identifier: MIT */
#include "field.h"
#include "../base/optext.h"

#include <string.h>

struct field_row {
	const char *name, *alias;
	const char *key, *heading;
	enum field_kind kind;
	enum column_type type;
	unsigned drop;
};

/*
 * The fields that are not events. The default columns are the rows before SOURCE_ROW, then the
 * usual events, then SOURCE_ROW. The rows after SOURCE_ROW are shown only on request. A narrow
 * screen leaves out the column with the highest drop first.
 */
enum { SOURCE_ROW = 9 };
static const struct field_row rows[] = {
        {"cycles", NULL, "cycles", "Cycles", FIELD_CYCLES, COLUMN_PERCENT, 0},
        {"overhead", NULL, "overhead", "Overhead", FIELD_OVERHEAD, COLUMN_PERCENT, 6},
        {"sample", "samples", "samples", "Samples", FIELD_SAMPLE, COLUMN_COUNT, 14},
        {"latency", "local_weight", "latency", "Latency", FIELD_LATENCY, COLUMN_NUMBER, 7},
        {"reason", NULL, "reason", "Reason", FIELD_REASON, COLUMN_TEXT, 3},
        {"reason-share", NULL, "reason_share", NULL, FIELD_REASON_SHARE, COLUMN_PERCENT, 20},
        {"issue", NULL, "issue", "Issue", FIELD_ISSUE, COLUMN_PERCENT, 19},
        {"execution", NULL, "execution", "Exec.", FIELD_EXECUTION, COLUMN_PERCENT, 18},
        {"translation", NULL, "translation", "Transl.", FIELD_TRANSLATION, COLUMN_PERCENT, 17},
        [SOURCE_ROW] = {"data-source", NULL, "data_source", "Source", FIELD_SOURCE, COLUMN_TEXT,
                        15},
        {"period", NULL, "period", "Period", FIELD_PERIOD, COLUMN_COUNT, 21},
        {"weight", NULL, "weight", "Weight", FIELD_WEIGHT, COLUMN_COUNT, 21},
};
static const struct event_row {
	unsigned bit;
	const char *heading;
	unsigned drop;
} usual_events[] = {
        {SPEMU_EV_L1D_REFILL, "L1 miss", 9},     {SPEMU_EV_L2D_MISS, "L2 miss", 13},
        {SPEMU_EV_LLC_MISS, "LLC miss", 8},      {SPEMU_EV_TLB_WALK, "TLB walk", 10},
        {SPEMU_EV_MISPREDICTED, "Mispred.", 11}, {SPEMU_EV_DATA_SNOOPED, "Snooped", 12},
        {SPEMU_EV_REMOTE_ACCESS, "Remote", 16},
};
enum {
	ROWS = sizeof(rows) / sizeof(rows[0]),
	USUAL_EVENTS = sizeof(usual_events) / sizeof(usual_events[0]),
};

const char *const field_names[] = {"cycles", "overhead",    "sample",      "latency",      "reason",
                                   "issue",  "execution",   "translation", "reason-share", "period",
                                   "weight", "data-source", NULL};

static void take_row(struct field *f, const struct field_row *row)
{
	*f = (struct field){.kind = row->kind};
	snprintf(f->name, sizeof(f->name), "%s", row->name);
	snprintf(f->key, sizeof(f->key), "%s", row->key);
	f->column = (struct column){.heading = row->heading, .type = row->type, .drop = row->drop};
}

static void take_event(struct field *f, unsigned bit, bool count)
{
	char word[32];

	event_name(word, sizeof(word), bit);
	*f = (struct field){.kind = count ? FIELD_EVENT_COUNT : FIELD_EVENT, .event = bit};
	snprintf(f->name, sizeof(f->name), "%s%s", word, count ? "-count" : "");
	snprintf(f->key, sizeof(f->key), "%s", f->name);
	for (char *c = f->key; *c; c++)
		*c = *c == '-' ? '_' : *c;
	f->column = (struct column){.type = count ? COLUMN_COUNT : COLUMN_PERCENT, .drop = 21};
	f->heading_is_name = true;
	for (unsigned i = 0; i < USUAL_EVENTS && !count; i++) {
		if (usual_events[i].bit == bit) {
			f->column.heading = usual_events[i].heading;
			f->column.drop = usual_events[i].drop;
			f->heading_is_name = false;
		}
	}
}

unsigned field_default_count(void)
{
	return SOURCE_ROW + 2 * USUAL_EVENTS + 1;
}

void field_default(struct field *f, unsigned index)
{
	unsigned event = index - SOURCE_ROW;

	if (index < SOURCE_ROW)
		take_row(f, &rows[index]);
	else if (event == 2 * USUAL_EVENTS)
		take_row(f, &rows[SOURCE_ROW]);
	else
		take_event(f, usual_events[event / 2].bit, event % 2);
	f->json_only = f->kind == FIELD_EVENT_COUNT || f->kind == FIELD_REASON_SHARE;
}

static bool take_named(struct field *f, const char *name)
{
	for (unsigned i = 0; i < ROWS; i++) {
		if (strcmp(rows[i].name, name) != 0 &&
		    (!rows[i].alias || strcmp(rows[i].alias, name) != 0))
			continue;
		take_row(f, &rows[i]);
		f->heading_is_name = !f->column.heading;
		return true;
	}
	return false;
}

bool field_find(struct field *f, const char *name)
{
	static const char tail[] = "-count";
	size_t length = strlen(name);
	bool count = length > strlen(tail) && !strcmp(name + length - strlen(tail), tail);
	char word[32];
	int bit;

	if (take_named(f, name))
		return true;
	snprintf(word, sizeof(word), "%.*s", (int)(length - (count ? strlen(tail) : 0)), name);
	bit = event_bit(word);
	if (bit >= 0)
		take_event(f, (unsigned)bit, count);
	return bit >= 0;
}

/* Compute part / whole. Return false if whole is 0. */
static bool share(double *value, uint64_t part, uint64_t whole)
{
	if (whole)
		*value = (double)part / (double)whole;
	return whole;
}

/* Compute the value of a field; for a count, set *count to the exact number, too. Return false if
 * the value is unknown. */
static bool value_of(double *value, uint64_t *count, const struct field *f, const struct metrics *m,
                     const struct profile *p)
{
	const struct sums *s = &m->sums;

	switch (f->kind) {
	case FIELD_CYCLES:
		return share(value, s->latency, p->all.latency);
	case FIELD_OVERHEAD:
		return share(value, s->samples, p->all.samples);
	case FIELD_SAMPLE:
		*count = s->samples;
		break;
	case FIELD_PERIOD:
		*count = s->operations;
		*value = (double)*count;
		return s->operations;
	case FIELD_WEIGHT:
		*count = s->latency;
		*value = (double)*count;
		return s->timed;
	case FIELD_LATENCY:
		return share(value, s->latency, s->timed);
	case FIELD_ISSUE:
		return s->issue_known && share(value, s->issue, s->latency);
	case FIELD_EXECUTION:
		return s->issue_known && share(value, s->execution, s->latency);
	case FIELD_TRANSLATION:
		return share(value, s->translation, s->latency);
	case FIELD_REASON_SHARE:
		return metrics_reason(value, m);
	case FIELD_EVENT:
		return metrics_rate(value, m, f->event);
	case FIELD_EVENT_COUNT:
		*count = m->events[f->event];
		break;
	case FIELD_REASON:
	case FIELD_SOURCE:
		return false;
	}
	*value = (double)*count;
	return true;
}

void field_fill(struct cell *c, const struct field *f, const struct metrics *m,
                const struct profile *p)
{
	const char *text;
	char buf[16];
	uint64_t count = 0;
	double value = 0;

	if (f->kind == FIELD_REASON || f->kind == FIELD_SOURCE) {
		text = f->kind == FIELD_REASON ? metrics_reason(NULL, m)
		                               : metrics_source(buf, sizeof(buf), m);
		if (text)
			cell_text(c, text);
	} else if (value_of(&value, &count, f, m, p)) {
		if (f->column.type == COLUMN_COUNT)
			cell_count(c, count);
		else
			cell_number(c, value);
	}
}

double field_order(const struct field *f, const struct metrics *m, const struct profile *p)
{
	uint64_t count = 0;
	double value = 0;

	/* Reasons are ordered as in their table, data sources by source_group(). */
	if (f->kind == FIELD_REASON)
		return -(double)cost_most(&m->cost);
	if (f->kind == FIELD_SOURCE)
		return metrics_commonest_source(m);
	return value_of(&value, &count, f, m, p) ? value : -1;
}
