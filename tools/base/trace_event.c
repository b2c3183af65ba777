/* SPDX-License-Identifier: MIT */
/* See trace_event.h. */
#define _GNU_SOURCE
#include "trace_event.h"
#include "json.h"

#include <inttypes.h>
#include <stdio.h>

struct json_object *trace_event(const char *name, const char *phase, uint32_t pid, uint32_t tid)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "name", name);
	json_add_text(o, "ph", phase);
	json_add_number(o, "pid", pid);
	json_add_number(o, "tid", tid);
	return o;
}

void trace_event_time(struct json_object *event, uint64_t time)
{
	char text[40];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03u", time / 1000, (unsigned)(time % 1000));
	json_object_object_add(event, "ts", json_object_new_double_s((double)time / 1000, text));
}

struct json_object *trace_event_track(const char *what, uint32_t pid, uint32_t tid,
                                      const char *name)
{
	struct json_object *o = trace_event(what, "M", pid, tid), *args = json_object_new_object();

	json_add_text(args, "name", name);
	json_object_object_add(o, "args", args);
	return o;
}
