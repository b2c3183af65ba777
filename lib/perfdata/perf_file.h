/* SPDX-License-Identifier: MIT */
/* An open perf.data file, for the reader's own files. */
#ifndef SPEMU_PERFDATA_PERF_FILE_H
#define SPEMU_PERFDATA_PERF_FILE_H

#include <spemu/perfdata.h>

#include "perfdata/perf_format.h"

/* The members of the events of an id. */
struct perf_id {
	uint64_t id;
	uint64_t sample_type;
};

struct spemu_perf_file {
	const uint8_t *base;
	uint64_t size;
	bool mapped;
	uint64_t data_at, data_end;
	bool cut; /* the file ends before its data or its features do */
	uint64_t attrs_at;
	uint64_t attr_entry; /* bytes of an attr with the section of its ids */
	uint32_t n_attrs;
	uint64_t features[4];
	uint64_t default_type; /* sample_type of events whose id does not say */
	bool has_trailer;      /* sample_id_all */
	struct perf_id *ids;   /* sorted; only if attrs differ in their sample_type, else NULL */
	size_t n_ids;
};

/* Sections: offset and size lie within the file. */
static inline bool perf_in_file(const struct spemu_perf_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

/* The bytes of feature n. SPEMU_OK, or SPEMU_ERR_END if the file does not have it. */
int spemu__perf_feature(const struct spemu_perf_file *file, const uint8_t **data, uint64_t *size,
                        unsigned n);

/* Fill event->u and event->who from the event at event->file_offset, of which event->size bytes,
 * header included, are available. Return SPEMU_OK or SPEMU_ERR_CORRUPT. */
int spemu__perf_view_decode(const struct spemu_perf_file *file, struct spemu_perf_event *event);

/* The sample_type of an id; the default one if that does not say. */
uint64_t spemu__perf_type_of(const struct spemu_perf_file *file, uint64_t id);

#endif
