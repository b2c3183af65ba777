/* SPDX-License-Identifier: MIT */
/*
 * The Trace Event Format, which Perfetto, chrome://tracing and others open: objects in an array, each with a phase, a track
 * (process and thread) and a time.
 */
#ifndef TOOLS_BASE_TRACE_EVENT_H
#define TOOLS_BASE_TRACE_EVENT_H

#include <json-c/json_object.h>
#include <stdint.h>

/* What a file begins and ends with; events are between, with commas. */
#define TRACE_EVENT_HEAD "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["
#define TRACE_EVENT_END "]}"

struct json_object *trace_event(const char *name, const char *phase, uint32_t pid, uint32_t tid);
/* In ns; ts is in us, with three digits after the point. */
void trace_event_time(struct json_object *event, uint64_t time);
/* A track's name: what is "process_name" or "thread_name". */
struct json_object *trace_event_track(const char *what, uint32_t pid, uint32_t tid,
                                      const char *name);

#endif
