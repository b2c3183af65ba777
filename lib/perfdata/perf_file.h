/* SPDX-License-Identifier: MIT */
/* An open perf.data file, shared by the files of the reader. */
#ifndef SPEMU_PERFDATA_PERF_FILE_H
#define SPEMU_PERFDATA_PERF_FILE_H

#include <spemu/perfdata.h>

#include "perfdata/perf_format.h"

/* The sample_type of the events with an id. */
struct perf_id {
	uint64_t id;
	uint64_t sample_type;
};

struct spemu_perf_file {
	const uint8_t *base;
	uint64_t size;
	bool mapped;
	uint64_t data_at, data_end;
	bool cut; /* the file ends before the end of its data or features */
	uint64_t attrs_at;
	uint64_t attr_entry; /* bytes of an attr and the section of its ids */
	uint32_t n_attrs;
	uint64_t features[4];
	uint64_t default_type; /* sample_type of events whose id is unknown */
	bool has_trailer;      /* events have a trailer (sample_id_all) */
	struct perf_id *ids;   /* sorted by id; NULL unless attrs differ in their sample_type */
	size_t n_ids;
};

/* Return true if size bytes at offset lie within the file. */
static inline bool perf_in_file(const struct spemu_perf_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

/* Get the bytes of feature n. Return SPEMU_OK, or SPEMU_ERR_END if the file does not have it. */
int spemu__perf_feature(const struct spemu_perf_file *file, const uint8_t **data, uint64_t *size,
                        unsigned n);

/* Fill event->u and event->who from the event at event->file_offset. event->size bytes,
 * including the header, are readable. Return SPEMU_OK or SPEMU_ERR_CORRUPT. */
int spemu__perf_view_decode(const struct spemu_perf_file *file, struct spemu_perf_event *event);

/* Return the sample_type of events with an id, or the default if the id is unknown. */
uint64_t spemu__perf_type_of(const struct spemu_perf_file *file, uint64_t id);

#endif
