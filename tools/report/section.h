/* SPDX-License-Identifier: MIT */
/* The sections of a report: each makes a table, which the caller frees. */
#ifndef TOOLS_REPORT_SECTION_H
#define TOOLS_REPORT_SECTION_H

#include "group.h"

typedef void section_fn(struct table *t, struct profile *p, const struct view *view);
section_fn section_functions, section_lines, section_operations, section_cache_lines,
        section_branches, section_latency, section_sources, section_events, section_objects,
        section_offsets, section_pages, section_heap, section_heap_offsets, section_totals,
        section_callers, section_callees;

#endif
