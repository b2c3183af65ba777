/* SPDX-License-Identifier: MIT */
/*
 * Where data came from, in words. The Data Source payload is IMPLEMENTATION DEFINED (D18.2.4): a
 * word is known where the core's encoding is, which the recording's MIDR tells. One word has
 * several payloads, one in each encoding.
 */
#ifndef TOOLS_DATA_SOURCE_H
#define TOOLS_DATA_SOURCE_H

#include <spemu/codec.h>
#include <spemu/perfdata.h>
#include <stdint.h>

enum source_name {
	SOURCE_UNKNOWN,
	SOURCE_L1,
	SOURCE_L2,
	SOURCE_PEER_CORE,
	SOURCE_LOCAL_CLUSTER,
	SOURCE_SYSTEM_CACHE,
	SOURCE_PEER_CLUSTER,
	SOURCE_REMOTE,
	SOURCE_DRAM,
	SOURCE_NAMES,
};

/* A core's or a cluster's cache, as bits. */
#define SOURCE_OTHER_CORE \
	(1u << SOURCE_PEER_CORE | 1u << SOURCE_LOCAL_CLUSTER | 1u << SOURCE_PEER_CLUSTER)

struct source {
	const char *word, *meaning;
};

/* By name; that of SOURCE_UNKNOWN has neither. */
extern const struct source source_names[SOURCE_NAMES];

/* What the payloads of a core mean: enum source_name by payload. */
#define SOURCE_COUNT 16
struct source_encoding {
	uint8_t name[SOURCE_COUNT];
};

/* The encoding of the core that a recording is of, or NULL. */
const struct source_encoding *sources_of(const struct spemu_perf_file *file);
/* The name of a record's data source; SOURCE_UNKNOWN also where it has none. encoding may be
 * NULL. */
enum source_name source_name(const struct source_encoding *encoding,
                             const struct spemu_record *rec);

/*
 * Data sources that differ have different numbers: in the order of the names, and after them
 * payloads without a name. There are SOURCE_INDEXES.
 */
#define SOURCE_INDEXES (SOURCE_NAMES * SOURCE_COUNT + 65536)
unsigned source_index(enum source_name name, uint16_t payload);
enum source_name source_index_name(unsigned index);
uint16_t source_index_payload(unsigned index);
/* The same, but one number for all payloads of a name. */
unsigned source_group(enum source_name name, uint16_t payload);

#endif
