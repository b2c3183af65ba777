/* SPDX-License-Identifier: MIT */
/* The lines of the trace as events that Perfetto opens (../base/trace_writer.h). */
#ifndef TOOLS_VM_PERFETTO_H
#define TOOLS_VM_PERFETTO_H

#include "vm.h"

#include <json-c/json.h>

/* Begins as zeroes. */
struct vm_perfetto {
	uint64_t time[VM_VCPUS_MAX]; /* nanoseconds, of the latest event */
	bool sampling[VM_VCPUS_MAX]; /* a slice is open */
};

/* Return a line of the plugin's as an event, or an array of several; NULL: there is none. */
json_object *vm_perfetto_event(struct vm_perfetto *p, json_object *line, const char *place);
/* Return the events that close all open slices. */
json_object *vm_perfetto_end(struct vm_perfetto *p);

#endif
