/* SPDX-License-Identifier: MIT */
/*
 * Lines of the trace as events (trace_writer.h). Each CPU has a track. Slices show where operations
 * are sampled, and everything else is an instant.
 */
#define _GNU_SOURCE
#include "vm_perfetto.h"
#include "../base/json.h"
#include "../base/trace_writer.h"

#include <stdlib.h>
#include <string.h>

#define PROCESS 1

/* Return the name of an event on its track; the caller frees it. */
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
		return xasprintf("%s %s", json_member_true(line, "write") ? "MSR" : "MRS",
		                 json_member_text(line, "register"));
	if (!strcmp(type, "interrupt"))
		return xasprintf("PMBIRQ %s",
		                 json_member_true(line, "level") ? "asserted" : "deasserted");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(type, rows[i].type))
			return xasprintf("%s%s", rows[i].prefix,
			                 json_member_text(line, rows[i].key));
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

/* Return the events that name the tracks of the CPUs. */
static json_object *tracks(json_object *line)
{
	json_object *events = json_object_new_array();
	unsigned cpus = (unsigned)json_member_number(line, "vcpus");
	char name[16];

	for (unsigned i = 0; i < cpus; i++) {
		snprintf(name, sizeof(name), "CPU %u", i);
		json_object_array_add(events, trace_track("thread_name", PROCESS, i, name));
	}
	return events;
}

static json_object *slice(struct vm_perfetto *p, unsigned cpu, bool on)
{
	if (p->sampling[cpu] == on)
		return NULL;
	p->sampling[cpu] = on;
	return trace_event("sampling", on ? "B" : "E", PROCESS, cpu, p->time[cpu]);
}

json_object *vm_perfetto_event(struct vm_perfetto *p, json_object *line, const char *place)
{
	const char *type = json_member_text(line, "type");
	unsigned cpu = (unsigned)json_member_number(line, "vcpu") % VM_VCPUS_MAX;
	json_object *member, *event;
	char *name;

	if (!strcmp(type, "ready"))
		return tracks(line);
	if (json_object_object_get_ex(line, "time", &member))
		p->time[cpu] = json_object_get_uint64(member);
	if (!strcmp(type, "sampling"))
		return slice(p, cpu, json_member_true(line, "on"));
	name = name_of(line, type);
	event = trace_instant(name, type, PROCESS, cpu, p->time[cpu], arguments(line, place));
	free(name);
	return event;
}

json_object *vm_perfetto_end(struct vm_perfetto *p)
{
	json_object *events = json_object_new_array(), *open;

	for (unsigned cpu = 0; cpu < VM_VCPUS_MAX; cpu++)
		if ((open = slice(p, cpu, false)))
			json_object_array_add(events, open);
	json_object_array_add(events, trace_track("process_name", PROCESS, 0, "guest"));
	return events;
}
