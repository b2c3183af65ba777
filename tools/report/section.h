/* SPDX-License-Identifier: MIT */
/* Sections of a report. Each section makes a table of the samples. */
#ifndef TOOLS_REPORT_SECTION_H
#define TOOLS_REPORT_SECTION_H

#include "group.h"

struct section {
	const char *name; /* name for --section */
	/*
	 * Prepare for samples, and count one sample. NULL: the section needs only bins and cache
	 * lines. Sections that count the same share these functions, which are called once.
	 */
	void (*begin)(struct profile *p);
	void (*add)(struct profile *p, const struct counted *c);
	/* Make the table, which the caller frees. NULL: the section has no table. */
	void (*fill)(struct table *t, struct profile *p, const struct view *view);
	bool of_stacks;             /* true if the section needs call stacks */
	bool of_data;               /* true if the section needs touches by address */
	bool of_lines;              /* true if the section needs cache lines */
	bool asked_for;             /* true if only --section or -g shows it */
	const struct section *with; /* section that shows this one, too, or NULL */
	bool if_any; /* true to hide the section if it is empty, unless --section names it */
};

extern const struct section section_reasons, section_functions, section_lines, section_operations,
        section_cache_lines, section_branches, section_latency, section_sources, section_events,
        section_objects, section_types, section_unknown, section_members, section_layout,
        section_sharing, section_advice, section_offsets, section_pages, section_heap,
        section_heap_offsets, section_totals, section_callers, section_callees;

#endif
