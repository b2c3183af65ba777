/* SPDX-License-Identifier: MIT */
/*
 * Where data came from, in words. The Data Source payload is IMPLEMENTATION DEFINED (D18.2.4): the words are
 * those of cores whose encoding is known, which the recording's MIDR tells.
 */
#ifndef TOOLS_DATA_SOURCE_H
#define TOOLS_DATA_SOURCE_H

#include <spemu/perfdata.h>
#include <stdint.h>

enum source_kind {
	SOURCE_UNKNOWN,
	SOURCE_L1,
	SOURCE_L2,
	SOURCE_OTHER_CORE, /* a core's or a cluster's cache */
	SOURCE_LAST_LEVEL,
	SOURCE_REMOTE,
	SOURCE_DRAM,
};

struct source {
	const char *word, *meaning;
	enum source_kind kind;
};

/* The payloads that Arm's Neoverse N1, N2, V1 and V2 share. */
#define SOURCE_COUNT 16
extern const struct source neoverse_sources[SOURCE_COUNT];

/* The table of the core that a recording is of, or NULL. */
const struct source *sources_of(const struct spemu_perf_file *file);

#endif
