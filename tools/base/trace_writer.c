/* SPDX-License-Identifier: MIT */
/* See trace_writer.h. */
#define _GNU_SOURCE
#include "trace_writer.h"
#include "json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void trace_begin(struct trace_writer *w, struct out *out)
{
	*w = (struct trace_writer){.out = out};
	out_text(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

void trace_put_text(struct trace_writer *w, const char *text)
{
	out_text(w->out, w->events++ ? ",\n" : "");
	out_text(w->out, text);
}

void trace_put(struct trace_writer *w, struct json_object *events)
{
	char *text = trace_text(events);

	if (text)
		trace_put_text(w, text);
	free(text);
}

void trace_end(struct trace_writer *w)
{
	out_text(w->out, "\n]}\n");
}

char *trace_text(struct json_object *events)
{
	bool is_array = json_object_is_type(events, json_type_array);
	size_t count = is_array ? json_object_array_length(events) : events != NULL;
	char *text = NULL;

	for (size_t i = 0; i < count; i++) {
		struct json_object *event =
		        is_array ? json_object_array_get_idx(events, i) : events;
		char *more =
		        xasprintf("%s%s%s", text ? text : "", text ? ",\n" : "",
		                  json_object_to_json_string_ext(event, JSON_C_TO_STRING_PLAIN));

		free(text);
		text = more;
	}
	json_object_put(events);
	return text;
}

static struct json_object *new_event(const char *name, const char *phase, uint32_t pid,
                                     uint32_t tid)
{
	struct json_object *o = json_object_new_object();

	json_add_clean(o, "name", name);
	json_add_text(o, "ph", phase);
	json_add_number(o, "pid", pid);
	json_add_number(o, "tid", tid);
	return o;
}

/* The format has microseconds; three decimals keep the nanoseconds. */
struct json_object *trace_event(const char *name, const char *phase, uint32_t pid, uint32_t tid,
                                uint64_t time)
{
	struct json_object *o = new_event(name, phase, pid, tid);
	char text[40];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03u", time / 1000, (unsigned)(time % 1000));
	json_object_object_add(o, "ts", json_object_new_double_s((double)time / 1000, text));
	return o;
}

struct json_object *trace_instant(const char *name, const char *category, uint32_t pid,
                                  uint32_t tid, uint64_t time, struct json_object *args)
{
	struct json_object *o = trace_event(name, "i", pid, tid, time);

	json_add_text(o, "s", "t");
	json_add_text(o, "cat", category);
	json_object_object_add(o, "args", args);
	return o;
}

struct json_object *trace_track(const char *what, uint32_t pid, uint32_t tid, const char *name)
{
	struct json_object *o = new_event(what, "M", pid, tid), *args = json_object_new_object();

	json_add_clean(args, "name", name);
	json_object_object_add(o, "args", args);
	return o;
}
