/* SPDX-License-Identifier: MIT */
/* The trace in the form that Perfetto opens. Texts are to be freed. */
#ifndef TOOLS_VM_PERFETTO_H
#define TOOLS_VM_PERFETTO_H

#include "vm.h"

#include <json-c/json.h>

/* Begins as zeroes. */
struct vm_perfetto {
	uint64_t time[VM_VCPUS_MAX]; /* nanoseconds, of the latest event */
	bool sampling[VM_VCPUS_MAX]; /* a slice is open */
};

/* The first line of the file. */
char *vm_perfetto_head(void);
/* A line of the plugin's as an event, or several, without a comma after it; NULL: there is none. */
char *vm_perfetto_event(struct vm_perfetto *p, json_object *line, const char *place);
/* What comes after the last event, and closes what is open. */
char *vm_perfetto_end(struct vm_perfetto *p);

#endif
