/* SPDX-License-Identifier: MIT */
/*
 * A trace for Perfetto and chrome://tracing (trace_writer.h). Each thread has a track with an
 * instant per sample, whose arguments are the facts about the sample, and counters of its cycles.
 * Events are written in the order of the samples, because a trace may have any order.
 */
#define _GNU_SOURCE
#include "export.h"
#include "export_columns.h"
#include "../base/json.h"
#include "../base/trace_writer.h"

#include <stdlib.h>
#include <string.h>

/* Columns that become arguments. The track already shows process and thread. */
static const char *const arguments[] = {
        "stack", "cpu",   "period",      "pc",     "object",      "file",   "line", "op", "events",
        "total", "issue", "translation", "source", "source_name", "target", "va",   "pa"};
/* Columns that become counters. */
static const char *const counters[] = {"total", "issue", "translation"};
enum {
	ARGUMENT_COUNT = sizeof(arguments) / sizeof(arguments[0]),
	COUNTER_COUNT = sizeof(counters) / sizeof(counters[0]),
};

/* The distance between the numbers of two recordings. Process and thread numbers in a trace have 32
 * bits. Those of Linux are smaller than this distance: PID_MAX_LIMIT is 2^22. */
enum { RECORDING_STEP = 10000000 };

struct perfetto {
	struct export *e;
	unsigned argument[ARGUMENT_COUNT], counter[COUNTER_COUNT]; /* indexes of columns */
	struct map tracks; /* tasks, and processes of each recording */
	struct trace_writer writer;
	uint64_t untimed;
};

static unsigned find_column(const char *name)
{
	unsigned i = 0;

	while (strcmp(export_columns[i].name, name) != 0)
		i++;
	return i;
}

static void *begin(struct export *e)
{
	struct perfetto *p = xcalloc(1, sizeof(*p));

	if (e->samples.recording_count > UINT32_MAX / RECORDING_STEP)
		die(EXIT_OWN, "a trace has room for %u recordings; export fewer at once",
		    UINT32_MAX / RECORDING_STEP);
	p->e = e;
	for (unsigned i = 0; i < ARGUMENT_COUNT; i++)
		p->argument[i] = find_column(arguments[i]);
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		p->counter[i] = find_column(counters[i]);
	trace_begin(&p->writer, e->out);
	return p;
}

/* Return a number that is unique among recordings: several may contain the same thread. */
static uint32_t numbered(const struct perfetto *p, const struct recording *recording, uint32_t id)
{
	return id + (uint32_t)(recording - p->e->samples.recordings) * RECORDING_STEP;
}

/* ---- tracks ---- */

static void put_track(struct perfetto *p, const struct sample *sample, const char *what,
                      const char *name)
{
	const struct recording *r = sample->recording;

	trace_put(&p->writer, trace_track(what, numbered(p, r, sample->task->pid),
	                                  numbered(p, r, sample->task->tid), name));
}

/* Name a process after its main thread and, if there are several recordings, after its
 * recording. */
static void put_process(struct perfetto *p, const struct sample *sample)
{
	const struct recording *r = sample->recording;
	const char *name =
	        timeline_task(r->session.timeline, sample->task->pid, sample->time)->comm;
	char *text = p->e->samples.recording_count > 1 ? xasprintf("%s (%s)", name, r->path)
	                                               : xstrdup(name);

	put_track(p, sample, "process_name", text);
	free(text);
}

static void put_tracks(struct perfetto *p, const struct sample *sample)
{
	const struct map_key thread = {(uintptr_t)sample->task, 0, 0};
	const struct map_key process = {(uintptr_t)sample->recording, sample->task->pid, 1};
	size_t ignored;

	if (!map_insert(&p->tracks, thread, &ignored))
		return;
	if (map_insert(&p->tracks, process, &ignored))
		put_process(p, sample);
	put_track(p, sample, "thread_name", sample->task->comm);
}

/* ---- samples ---- */

static void add_value(struct json_object *args, unsigned column, const struct row *row)
{
	const struct export_column *c = &export_columns[column];
	struct value value;

	if (!column_get(&value, column, row))
		return;
	if (c->kind == COLUMN_WORDS)
		json_add_clean(args, c->name, value.words);
	else if (c->kind == COLUMN_HEX)
		json_add_hex(args, c->name, value.number);
	else
		json_add_number(args, c->name, value.number);
}

static void put_sample(struct perfetto *p, const struct row *row)
{
	const struct sample *sample = row->sample;
	struct json_object *args = json_object_new_object();
	const char *file, *name;
	int line;

	name = code_frame(row->code, 0, &file, &line);
	for (unsigned i = 0; i < ARGUMENT_COUNT; i++)
		add_value(args, p->argument[i], row);
	trace_put(&p->writer,
	          trace_instant(name, "sample", numbered(p, sample->recording, sample->task->pid),
	                        numbered(p, sample->recording, sample->task->tid), sample->time,
	                        args));
}

static void put_counters(struct perfetto *p, const struct row *row)
{
	const struct sample *sample = row->sample;
	struct json_object *event, *args = json_object_new_object();
	char id[16];

	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		add_value(args, p->counter[i], row);
	if (!json_object_object_length(args)) {
		json_object_put(args);
		return;
	}
	/* A counter belongs to a process. The id separates the threads. */
	event = trace_event("cycles", "C", numbered(p, sample->recording, sample->task->pid),
	                    numbered(p, sample->recording, sample->task->tid), sample->time);
	snprintf(id, sizeof(id), "%u", sample->task->tid);
	json_add_text(event, "id", id);
	json_object_object_add(event, "args", args);
	trace_put(&p->writer, event);
}

static void take(void *state, const struct sample *sample)
{
	struct perfetto *p = state;
	const struct row row = row_of(&p->e->codes, sample);

	if (sample->time == UINT64_MAX) {
		p->untimed++;
		return;
	}
	put_tracks(p, sample);
	put_sample(p, &row);
	put_counters(p, &row);
}

static void end(void *state)
{
	struct perfetto *p = state;

	trace_end(&p->writer);
	if (p->untimed)
		warn("a trace is sorted by time: %llu samples without a time are left out",
		     (unsigned long long)p->untimed);
	map_free(&p->tracks);
	free(p);
}

const struct format perfetto_format = {
        .name = "perfetto", .begin = begin, .sample = take, .end = end, .has_rows = true};
