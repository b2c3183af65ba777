/* SPDX-License-Identifier: MIT */
/*
 * Which samples are shown: a list for each of what perf filters by, and of what a record has. A
 * sample is shown if every list that was given has it.
 */
#ifndef TOOLS_SAMPLE_FILTER_H
#define TOOLS_SAMPLE_FILTER_H

#include "data_source.h"
#include "place.h"

/* Without any list: every sample is shown. */
struct filter *filter_new(void);
/*
 * Takes an option by its name, as the tables of tools/options have it. False: it is not a filter's.
 * Dies of a text that is wrong. A list given twice is one longer list.
 */
bool filter_take(struct filter *f, const char *option, const char *text);
bool filter_is_empty(const struct filter *f);

/* f may be NULL. What a place has, and what a record has. */
bool filter_wants_place(const struct filter *f, struct place *place);
bool filter_wants_record(const struct filter *f, uint32_t cpu, uint64_t time,
                         const struct spemu_record *rec);

/* Parts of the time in percent need the time of the first and the last record. */
bool filter_needs_times(const struct filter *f);
void filter_set_times(struct filter *f, uint64_t first, uint64_t last);
/*
 * The encoding of the data sources that come next, NULL: it is not known. False: data sources were
 * given by name, and it is needed.
 */
bool filter_set_sources(struct filter *f, const struct source_encoding *encoding);

#endif
