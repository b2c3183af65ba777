/* SPDX-License-Identifier: MIT */
/* The sections of a report. Each makes a table of the samples. */
#ifndef TOOLS_REPORT_SECTION_H
#define TOOLS_REPORT_SECTION_H

#include "group.h"

struct section {
	const char *name; /* as --section has it */
	/*
	 * Prepare for samples, and count one. NULL: bins and cache lines say enough. Sections that
	 * count the same have the same functions, which are called once for all.
	 */
	void (*begin)(struct profile *p);
	void (*add)(struct profile *p, const struct counted *c);
	/* Make the table, which the caller frees. NULL: the section has none. */
	void (*fill)(struct table *t, struct profile *p, const struct view *view);
	bool of_stacks; /* the section needs call stacks */
	bool asked_for; /* shown only if it or all sections of stacks are asked for */
	bool if_any;    /* shown only if it is asked for or has rows */
};

extern const struct section section_functions, section_lines, section_operations,
        section_cache_lines, section_branches, section_latency, section_sources, section_events,
        section_objects, section_offsets, section_pages, section_heap, section_heap_offsets,
        section_totals, section_callers, section_callees;

/* touches.c: for sections about data. */
void touches_begin(struct profile *p);
void touches_add(struct profile *p, const struct counted *c);

#endif
