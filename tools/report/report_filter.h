/* SPDX-License-Identifier: MIT */
/*
 * Which samples are shown: a list for each of what perf filters by, and of what a record has. A sample is
 * shown if every list that was given has it.
 */
#ifndef TOOLS_REPORT_FILTER_H
#define TOOLS_REPORT_FILTER_H

#include "report_profile.h"

enum filter_list {
	FILTER_COMMS,
	FILTER_DSOS,
	FILTER_SYMBOLS,
	FILTER_PIDS,
	FILTER_TIDS,
	FILTER_CPUS,
	FILTER_TIMES,
	FILTER_EVENTS,
	FILTER_LATENCIES,
	FILTER_SOURCES,
};

/* Without any list: every sample is shown. */
struct filter *filter_new(void);
/* Takes the text of an option; dies of one that is wrong. A list given twice is one longer list. */
void filter_add(struct filter *f, enum filter_list list, const char *text);
bool filter_is_empty(const struct filter *f);

/* f may be NULL. What a place has, and what a record has. */
bool filter_wants_place(const struct filter *f, struct place *place);
bool filter_wants_record(const struct filter *f, uint32_t cpu, uint64_t time,
                         const struct spemu_record *rec);

/* Parts of the time in percent need the time of the first and the last record. */
bool filter_needs_times(const struct filter *f);
void filter_set_times(struct filter *f, uint64_t first, uint64_t last);
bool filter_names_sources(const struct filter *f);

#endif
