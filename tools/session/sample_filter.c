/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "sample_filter.h"
#include "data_source.h"
#include "reason.h"
#include "../base/common.h"
#include "../base/optext.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct words {
	char **word;
	size_t count, capacity;
};

struct range {
	uint64_t first, last;
};

struct ranges {
	struct range *range;
	size_t count, capacity;
};

/* A term of --event: a record must have all events of one set and none of the other. */
struct event_term {
	uint64_t all, none;
};

/* A part of the recording's time, with both ends from 0 to 1. */
struct part {
	double first, last;
};

struct filter {
	bool given;
	struct words comms, dsos, symbols, types;
	struct ranges pids, tids, cpus, times, latencies, sources;
	struct event_term *events;
	size_t event_count, event_capacity;
	struct part *parts;
	size_t part_count, part_capacity;
	size_t fixed_times;     /* number of ranges in times that are not made from parts */
	unsigned named_sources; /* data sources given by name, as bits of enum source_name */
	unsigned reasons;       /* bits of enum reason, or 0 for any */
	const struct source_encoding *encoding;
};

/* An option whose value is a list. */
struct filter_option {
	const char *name, *what; /* name of the option, and of an item in messages */
	void (*take)(struct filter *f, const struct filter_option *o, char *word);
	size_t list; /* offset of the list in struct filter */
};

static void *list_of(struct filter *f, const struct filter_option *o)
{
	return (char *)f + o->list;
}

struct filter *filter_new(void)
{
	return xcalloc(1, sizeof(struct filter));
}

bool filter_is_empty(const struct filter *f)
{
	return !f->given;
}

/*
 * Return the next word of a list, or NULL at its end. A comma inside brackets is part of a C++
 * name. Die if the word is empty.
 */
static char *next_word(char **rest, const char *what)
{
	char *word = *rest, *s = word;
	int depth = 0;

	if (!word)
		return NULL;
	for (; *s && (*s != ',' || depth > 0); s++) {
		if (strchr("(<[{", *s))
			depth++;
		else if (strchr(")]}", *s) || (*s == '>' && (s == word || s[-1] != '-')))
			depth--;
	}
	*rest = *s ? s + 1 : NULL;
	*s = 0;
	if (!*word)
		die(EXIT_USAGE, "an empty %s in a list; remove it", what);
	return word;
}

static void add_range(struct ranges *r, uint64_t first, uint64_t last)
{
	APPEND(r->range, r->count, r->capacity) = (struct range){first, last};
}

/* Add the range "5", "5-9", "5-" or "-9" to a list. */
static void take_range(struct filter *f, const struct filter_option *o, char *word)
{
	char *copy = xstrdup(word), *dash = strchr(copy, '-');
	uint64_t first = 0, last = UINT64_MAX;
	bool good;

	if (dash)
		*dash++ = 0;
	good = dash ? (*copy || *dash) && (!*copy || parse_number(&first, copy, 1000)) &&
	                       (!*dash || parse_number(&last, dash, 1000))
	            : parse_number(&first, copy, 1000);
	if (!dash)
		last = first;
	if (!good || first > last)
		die(EXIT_USAGE, "--%s: expected a number or a range like 2-5, 2- or -5, got '%s'",
		    o->name, word);
	add_range(list_of(f, o), first, last);
	free(copy);
}

static bool in_ranges(const struct ranges *r, uint64_t n)
{
	for (size_t i = 0; i < r->count; i++) {
		if (n >= r->range[i].first && n <= r->range[i].last)
			return true;
	}
	return false;
}

/* Add a term of events: "l1d-refill+tlb-walk" is both events, "!retired" is without it. */
static void take_events(struct filter *f, const struct filter_option *o, char *word)
{
	struct event_term term = {0, 0};
	char *name;

	(void)o;
	while ((name = strsep(&word, "+"))) {
		bool not = *name == '!';
		int bit = event_bit(name + not );

		if (bit < 0)
			die(EXIT_USAGE, "unknown event '%s'%s", name + not,
			    suggestion(name + not, spemu_event_names));
		*(not ? &term.none : &term.all) |= UINT64_C(1) << bit;
	}
	APPEND(f->events, f->event_count, f->event_capacity) = term;
}

static void take_source(struct filter *f, const struct filter_option *o, char *word)
{
	const char *names[SOURCE_NAMES] = {NULL};
	size_t n = 0;

	for (unsigned i = SOURCE_UNKNOWN + 1; i < SOURCE_NAMES; i++) {
		names[n++] = source_names[i].word;
		if (strcasecmp(source_names[i].word, word) != 0)
			continue;
		f->named_sources |= 1u << i;
		return;
	}
	if (!isdigit((unsigned char)*word))
		die(EXIT_USAGE, "unknown data source '%s'%s", word, suggestion(word, names));
	take_range(f, o, word);
}

static void take_reason(struct filter *f, const struct filter_option *o, char *word)
{
	const char *names[AREAS + REASONS + 1] = {NULL};
	unsigned reasons = reasons_named(word);

	(void)o;
	for (unsigned i = 0; i < AREAS; i++)
		names[i] = area_words[i];
	for (unsigned i = 0; i < REASONS; i++)
		names[AREAS + i] = reason_texts[i].word;
	if (!reasons)
		die(EXIT_USAGE, "unknown reason '%s'%s", word, suggestion(word, names));
	f->reasons |= reasons;
}

static _Noreturn void wrong_time(const char *text)
{
	die(EXIT_USAGE,
	    "--time: expected seconds like 1.5,2.5 or parts like 10%%-20%% or 10%%/2, got '%s'",
	    text);
}

/* Convert seconds with up to nine decimals to nanoseconds. Return absent for an empty text. whole
 * is for messages. */
static uint64_t parse_seconds(const char *text, uint64_t absent, const char *whole)
{
	uint64_t ns = 0, unit = 1000000000;
	const char *s = text;

	if (!*text)
		return absent;
	for (; isdigit((unsigned char)*s); s++) {
		if (ns > UINT64_MAX / 10 / 2000000000)
			wrong_time(whole);
		ns = ns * 10 + (uint64_t)(*s - '0');
	}
	if (s == text)
		wrong_time(whole);
	ns *= unit;
	if (*s == '.') {
		for (s++; isdigit((unsigned char)*s) && unit > 1; s++) {
			unit /= 10;
			ns += (uint64_t)(*s - '0') * unit;
		}
	}
	if (*s)
		wrong_time(whole);
	return ns;
}

/* Add a part of the time: "a%-b%" from a to b percent, or "a%/n" the n-th slice of a percent. */
static void parse_part(struct filter *f, const char *word, const char *whole)
{
	struct part part;
	double percent, last;
	unsigned number;
	int used = 0;

	if (sscanf(word, "%lf%%-%lf%%%n", &percent, &last, &used) == 2 && used && !word[used]) {
		part = (struct part){percent / 100, last / 100};
	} else if (used = 0, sscanf(word, "%lf%%/%u%n", &percent, &number, &used) == 2 && used &&
	                             !word[used] && number) {
		part = (struct part){percent / 100 * (number - 1), percent / 100 * number};
	} else {
		wrong_time(whole);
	}
	if (!(part.first >= 0) || !(part.last <= 1.0000001) || !(part.first < part.last))
		wrong_time(whole);
	APPEND(f->parts, f->part_count, f->part_capacity) = part;
}

static void parse_times(struct filter *f, char *text, const char *whole)
{
	char *word, *comma;

	if (strchr(text, '%')) {
		while ((word = next_word(&text, "time")))
			parse_part(f, word, whole);
		return;
	}
	while ((word = strsep(&text, " "))) {
		uint64_t first, last;

		if (!*word)
			continue;
		comma = strchr(word, ',');
		if (!comma || !strcmp(word, ","))
			wrong_time(whole);
		*comma = 0;
		first = parse_seconds(word, 0, whole);
		last = parse_seconds(comma + 1, UINT64_MAX - 1, whole);
		if (first > last)
			wrong_time(whole);
		add_range(&f->times, first, last);
	}
	if (!f->times.count)
		wrong_time(whole);
	f->fixed_times = f->times.count;
}

static void take_word(struct filter *f, const struct filter_option *o, char *word)
{
	struct words *w = list_of(f, o);

	APPEND(w->word, w->count, w->capacity) = xstrdup(word);
}

bool filter_take(struct filter *f, const char *option, const char *text)
{
	static const struct filter_option options[] = {
	        {"comms", "command", take_word, offsetof(struct filter, comms)},
	        {"dsos", "object", take_word, offsetof(struct filter, dsos)},
	        {"symbols", "symbol", take_word, offsetof(struct filter, symbols)},
	        {"types", "type", take_word, offsetof(struct filter, types)},
	        {"pid", "process", take_range, offsetof(struct filter, pids)},
	        {"tid", "thread", take_range, offsetof(struct filter, tids)},
	        {"cpu", "CPU", take_range, offsetof(struct filter, cpus)},
	        {"latency", "latency", take_range, offsetof(struct filter, latencies)},
	        {"data-source", "data source", take_source, offsetof(struct filter, sources)},
	        {"event", "event", take_events, 0},
	        {"reason", "reason", take_reason, 0},
	        {"time", NULL, NULL, 0},
	        {0}};
	const struct filter_option *o = options;
	char *copy, *rest, *word;

	while (o->name && strcmp(o->name, option) != 0)
		o++;
	if (!o->name)
		return false;
	f->given = true;
	copy = rest = xstrdup(text);
	if (!o->take)
		parse_times(f, copy, text);
	while (o->take && (word = next_word(&rest, o->what)))
		o->take(f, o, word);
	free(copy);
	return true;
}

static bool has_word(const struct words *w, const char *word)
{
	for (size_t i = 0; i < w->count; i++) {
		if (!strcmp(w->word[i], word))
			return true;
	}
	return false;
}

bool filter_wants_place(const struct filter *f, struct place *place)
{
	char name[4096];

	if (!f)
		return true;
	if (f->comms.count && !has_word(&f->comms, place->task->comm))
		return false;
	if (f->pids.count && !in_ranges(&f->pids, place->task->pid))
		return false;
	if (f->tids.count && !in_ranges(&f->tids, place->task->tid))
		return false;
	if ((f->dsos.count || f->symbols.count) && place->no_address)
		return false;
	if (f->dsos.count && !has_word(&f->dsos, place_object(place)) &&
	    !(place->object && has_word(&f->dsos, object_path(place->object))))
		return false;
	if (!f->symbols.count)
		return true;
	place_find_symbol(place);
	place_name(name, sizeof(name), place, false);
	return has_word(&f->symbols, name) ||
	       (place->symbol && has_word(&f->symbols, place->symbol));
}

static bool has_events(const struct filter *f, const struct spemu_record *rec)
{
	if (!(rec->present & SPEMU_RECORD_EVENTS))
		return false;
	for (size_t i = 0; i < f->event_count; i++) {
		if ((rec->events & f->events[i].all) == f->events[i].all &&
		    !(rec->events & f->events[i].none))
			return true;
	}
	return false;
}

static bool has_source(const struct filter *f, const struct spemu_record *rec)
{
	if (!f->sources.count && !f->named_sources)
		return true;
	return rec->present & SPEMU_RECORD_DATA_SOURCE &&
	       (in_ranges(&f->sources, rec->data_source) ||
	        f->named_sources >> source_name(f->encoding, rec) & 1);
}

static bool has_reason(const struct filter *f, const struct spemu_record *rec)
{
	return !f->reasons ||
	       f->reasons >> reason_of_record(rec, source_name(f->encoding, rec)) & 1;
}

bool filter_wants_record(const struct filter *f, uint32_t cpu, uint64_t time,
                         const struct spemu_record *rec)
{
	if (!f || !f->given)
		return true;
	if ((f->times.count || f->part_count) && !in_ranges(&f->times, time))
		return false;
	if (f->cpus.count && !in_ranges(&f->cpus, cpu))
		return false;
	if (f->event_count && !has_events(f, rec))
		return false;
	if (f->latencies.count && !(rec->present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL) &&
	                            in_ranges(&f->latencies, rec->counter[SPEMU_COUNTER_TOTAL])))
		return false;
	return has_source(f, rec) && has_reason(f, rec);
}

bool filter_has_types(const struct filter *f)
{
	return f && f->types.count;
}

bool filter_wants_type(const struct filter *f, const char *name)
{
	return has_word(&f->types, name);
}

bool filter_needs_times(const struct filter *f)
{
	return f && f->part_count;
}

void filter_set_times(struct filter *f, uint64_t first, uint64_t last)
{
	f->times.count = f->fixed_times;
	for (size_t i = 0; i < f->part_count && first <= last; i++) {
		const struct part *part = &f->parts[i];
		double whole = (double)(last - first);
		uint64_t from = first + (uint64_t)(part->first * whole);
		uint64_t end = part->last >= 1 ? last + 1 : first + (uint64_t)(part->last * whole);

		if (from < end)
			add_range(&f->times, from, end - 1);
	}
}

bool filter_set_sources(struct filter *f, const struct source_encoding *encoding)
{
	if (!f)
		return true;
	f->encoding = encoding;
	return encoding || !f->named_sources;
}
