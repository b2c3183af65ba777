/* SPDX-License-Identifier: MIT */
/* Code that a process made itself: names from /tmp/perf-PID.map, which runtimes write on
 * request. */
#include "object.h"
#include "own_file.h"
#include "../base/common.h"

static const char advice[] = "the runtime writes it if asked (node --perf-basic-prof, python -X "
                             "perf, java with perf-map-agent)";

void jit_load(struct object *obj)
{
	FILE *f = own_file_open(obj);

	if (f && !perf_map_load(obj, f))
		obj->problem = xasprintf("%s is not a list of START SIZE NAME", obj->path);
	if (f)
		fclose(f);
	else
		obj->remedy = xstrdup(advice);
	object_finish(obj);
}
