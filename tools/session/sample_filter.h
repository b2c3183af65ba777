/* SPDX-License-Identifier: MIT */
/*
 * Filters of samples, with a list of accepted values for each property: those of perf, and those of
 * SPE records. A sample passes if every given list accepts it.
 */
#ifndef TOOLS_SAMPLE_FILTER_H
#define TOOLS_SAMPLE_FILTER_H

#include "data_source.h"
#include "place.h"

/* Return a filter without lists, which accepts every sample. */
struct filter *filter_new(void);
/*
 * Take an option by its name in the tables of tools/options. Return false if the option is not a
 * filter. Die if the value is invalid. If an option is given twice, its lists are joined.
 */
bool filter_take(struct filter *f, const char *option, const char *text);
bool filter_is_empty(const struct filter *f);

/* Return true if the filter accepts a place, or a record. f may be NULL. */
bool filter_wants_place(const struct filter *f, struct place *place);
bool filter_wants_record(const struct filter *f, uint32_t cpu, uint64_t time,
                         const struct spemu_record *rec);

/* Return true if the filter has types of data, and if it accepts a type of this name. */
bool filter_has_types(const struct filter *f);
bool filter_wants_type(const struct filter *f, const char *name);

/* Return true if the filter has times in percent, and needs filter_set_times() with the times of
 * the first and the last record. */
bool filter_needs_times(const struct filter *f);
void filter_set_times(struct filter *f, uint64_t first, uint64_t last);
/*
 * Set the encoding of the data sources of the next records, or NULL if it is unknown. Return false
 * if it is unknown and the filter has data sources by name.
 */
bool filter_set_sources(struct filter *f, const struct source_encoding *encoding);

#endif
