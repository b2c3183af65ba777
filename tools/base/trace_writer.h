/* SPDX-License-Identifier: MIT */
/*
 * Writer of the Trace Event Format, which Perfetto, chrome://tracing and others open: an array of
 * objects, each with a phase, a track (process and thread) and a time. spemu export and spemu vm
 * use it.
 */
#ifndef TOOLS_BASE_TRACE_WRITER_H
#define TOOLS_BASE_TRACE_WRITER_H

#include <json-c/json_object.h>
#include <stdint.h>

#include "common.h"

struct trace_writer {
	struct out *out;
	uint64_t events;
};
/* Write the head of a file to `out`. */
void trace_begin(struct trace_writer *w, struct out *out);
/* Write an event, or an array of events, and free it. */
void trace_put(struct trace_writer *w, struct json_object *events);
/* Write the text of events. */
void trace_put_text(struct trace_writer *w, const char *text);
void trace_end(struct trace_writer *w);

/* Return the text of an event or of an array of events, and free the event. Return NULL if there is
 * no event. */
char *trace_text(struct json_object *events);

/* Return an event of a phase of the format. The name is cleaned. `time` is in ns. */
struct json_object *trace_event(const char *name, const char *phase, uint32_t pid, uint32_t tid,
                                uint64_t time);
/* Return an event without a duration. It takes ownership of `args`. */
struct json_object *trace_instant(const char *name, const char *category, uint32_t pid,
                                  uint32_t tid, uint64_t time, struct json_object *args);
/* Return the event that names a track. `what` is "process_name" or "thread_name". */
struct json_object *trace_track(const char *what, uint32_t pid, uint32_t tid, const char *name);

#endif
