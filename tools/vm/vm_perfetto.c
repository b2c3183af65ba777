/* SPDX-License-Identifier: MIT */
/*
 * Lines of the trace as events (trace_event.h): a track for each CPU, slices where operations are sampled, and everything
 * else as an instant.
 */
#define _GNU_SOURCE
#include "vm_perfetto.h"
#include "../base/json.h"
#include "../base/trace_event.h"

#include <stdlib.h>
#include <string.h>

#define PROCESS 1

static const char *word(json_object *line, const char *key)
{
	json_object *member;

	return json_object_object_get_ex(line, key, &member) ? json_object_get_string(member) : "";
}

static bool is_true(json_object *line, const char *key)
{
	json_object *member;

	return json_object_object_get_ex(line, key, &member) && json_object_get_boolean(member);
}

static char *text_of_event(json_object *o)
{
	char *text = xstrdup(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));

	json_object_put(o);
	return text;
}

/* What happened, in the words of a track. To be freed. */
static char *name_of(json_object *line, const char *type)
{
	static const struct {
		const char *type, *prefix, *key;
	} rows[] = {{"control", "MSR ", "register"},
	            {"event", "", "meaning"},
	            {"diagnostic", "", "name"},
	            {"exception", "exception to EL", "el"},
	            {"return", "return to EL", "el"}};

	if (!strcmp(type, "access"))
		return xasprintf("%s %s", is_true(line, "write") ? "MSR" : "MRS",
		                 word(line, "register"));
	if (!strcmp(type, "interrupt"))
		return xasprintf("PMBIRQ %s", is_true(line, "level") ? "asserted" : "deasserted");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(type, rows[i].type))
			return xasprintf("%s%s", rows[i].prefix, word(line, rows[i].key));
	return xstrdup(type);
}

static json_object *arguments(json_object *line, const char *place)
{
	json_object *args = json_object_new_object();

	json_object_object_foreach(line, key, value)
	{
		if (strcmp(key, "type") && strcmp(key, "vcpu") && strcmp(key, "time"))
			json_object_object_add(args, key, json_object_get(value));
	}
	if (place)
		json_add_text(args, "symbol", place);
	return args;
}

/* A track's name for each CPU. */
static char *tracks(json_object *line)
{
	json_object *count;
	unsigned cpus = json_object_object_get_ex(line, "vcpus", &count)
	                        ? (unsigned)json_object_get_int(count)
	                        : 0;
	char *text = xstrdup("");

	for (unsigned i = 0; i < cpus; i++) {
		char name[16], *one, *all;

		snprintf(name, sizeof(name), "CPU %u", i);
		one = text_of_event(trace_event_track("thread_name", PROCESS, i, name));
		all = xasprintf("%s%s%s", text, i ? ",\n" : "", one);
		free(one);
		free(text);
		text = all;
	}
	return text;
}

static char *slice(struct vm_perfetto *p, unsigned cpu, bool on)
{
	json_object *o;

	if (p->sampling[cpu] == on)
		return NULL;
	p->sampling[cpu] = on;
	o = trace_event("sampling", on ? "B" : "E", PROCESS, cpu);
	trace_event_time(o, p->time[cpu]);
	return text_of_event(o);
}

char *vm_perfetto_event(struct vm_perfetto *p, json_object *line, const char *place)
{
	const char *type = word(line, "type");
	json_object *member, *o;
	unsigned cpu = 0;
	char *name;

	if (!strcmp(type, "ready"))
		return tracks(line);
	if (json_object_object_get_ex(line, "vcpu", &member))
		cpu = (unsigned)json_object_get_int(member) % VM_VCPUS_MAX;
	if (json_object_object_get_ex(line, "time", &member))
		p->time[cpu] = json_object_get_uint64(member);
	if (!strcmp(type, "sampling"))
		return slice(p, cpu, is_true(line, "on"));
	name = name_of(line, type);
	o = trace_event(name, "i", PROCESS, cpu);
	free(name);
	json_add_text(o, "cat", type);
	json_add_text(o, "s", "t");
	trace_event_time(o, p->time[cpu]);
	json_object_object_add(o, "args", arguments(line, place));
	return text_of_event(o);
}

char *vm_perfetto_head(void)
{
	return xstrdup(TRACE_EVENT_HEAD);
}

char *vm_perfetto_end(struct vm_perfetto *p)
{
	char *text = xstrdup(""), *last, *all;

	for (unsigned cpu = 0; cpu < VM_VCPUS_MAX; cpu++) {
		char *open = slice(p, cpu, false);

		if (!open)
			continue;
		all = xasprintf("%s%s,\n", text, open);
		free(open);
		free(text);
		text = all;
	}
	last = text_of_event(trace_event_track("process_name", PROCESS, 0, "guest"));
	all = xasprintf("%s%s\n" TRACE_EVENT_END, text, last);
	free(last);
	free(text);
	return all;
}
