/* SPDX-License-Identifier: MIT */
/*
 * Names of data sources. The Data Source payload is IMPLEMENTATION DEFINED (D18.2.4), so a payload
 * has a name only if the encoding of the core is known. The MIDR in the recording identifies the
 * core. Each encoding assigns its own payloads to the names.
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

/* Bits of the data sources that are caches of other cores and clusters. */
#define SOURCE_OTHER_CORE \
	(1u << SOURCE_PEER_CORE | 1u << SOURCE_LOCAL_CLUSTER | 1u << SOURCE_PEER_CLUSTER)

struct source {
	const char *word, *meaning;
};

/* Words and meanings by enum source_name. Those of SOURCE_UNKNOWN are NULL. */
extern const struct source source_names[SOURCE_NAMES];

/* The encoding of a core: enum source_name by payload. */
#define SOURCE_COUNT 16
struct source_encoding {
	uint8_t name[SOURCE_COUNT];
};

/* Return the encoding of the core that made the recording, or NULL. */
const struct source_encoding *sources_of(const struct spemu_perf_file *file);
/* Return the name of a record's data source, or SOURCE_UNKNOWN if it has none. encoding may be
 * NULL. */
enum source_name source_name(const struct source_encoding *encoding,
                             const struct spemu_record *rec);

/*
 * Convert a data source to an index, and back. Named data sources come first, in the order of the
 * names, then payloads without a name. There are SOURCE_INDEXES indexes.
 */
#define SOURCE_INDEXES (SOURCE_NAMES * SOURCE_COUNT + 65536)
unsigned source_index(enum source_name name, uint16_t payload);
enum source_name source_index_name(unsigned index);
uint16_t source_index_payload(unsigned index);
/* Return an index that is the same for all payloads of one name. */
unsigned source_group(enum source_name name, uint16_t payload);

#endif
