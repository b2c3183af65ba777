/* SPDX-License-Identifier: MIT */
/* The lines of the trace as events for Perfetto (../base/trace_writer.h). */
#ifndef TOOLS_VM_PERFETTO_H
#define TOOLS_VM_PERFETTO_H

#include "vm.h"

#include <json-c/json.h>

/* The state of the conversion. It begins as all zeroes. */
struct vm_perfetto {
	uint64_t time[VM_VCPUS_MAX]; /* time of the latest event in nanoseconds */
	bool sampling[VM_VCPUS_MAX]; /* true while a slice is open */
};

/* Return a line of the plugin as an event, as an array of events, or as NULL if there is no event
 * for it. */
json_object *vm_perfetto_event(struct vm_perfetto *p, json_object *line, const char *place);
/* Return the events that close all open slices. */
json_object *vm_perfetto_end(struct vm_perfetto *p);

#endif
