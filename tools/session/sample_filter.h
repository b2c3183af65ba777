/* SPDX-License-Identifier: MIT */
/*
 * Filters of samples: a list for each property that perf filters by, and for properties of a
 * record. A sample is shown if every given list has it.
 */
#ifndef TOOLS_SAMPLE_FILTER_H
#define TOOLS_SAMPLE_FILTER_H

#include "data_source.h"
#include "place.h"

/* Return a filter without lists, which shows every sample. */
struct filter *filter_new(void);
/*
 * Take an option by its name in the tables of tools/options. Return false if the option is not a
 * filter. Die of a wrong value. A list that is given twice is one longer list.
 */
bool filter_take(struct filter *f, const char *option, const char *text);
bool filter_is_empty(const struct filter *f);

/* Return true if the filter shows a place, or a record. f may be NULL. */
bool filter_wants_place(const struct filter *f, struct place *place);
bool filter_wants_record(const struct filter *f, uint32_t cpu, uint64_t time,
                         const struct spemu_record *rec);

/* Return true if the filter needs the times of the first and the last record, for parts in
 * percent. */
bool filter_needs_times(const struct filter *f);
void filter_set_times(struct filter *f, uint64_t first, uint64_t last);
/*
 * Set the encoding of the data sources of the next records, or NULL if it is unknown. Return false
 * if data sources were given by name and need it.
 */
bool filter_set_sources(struct filter *f, const struct source_encoding *encoding);

#endif
