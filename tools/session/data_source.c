/* SPDX-License-Identifier: MIT */
/* See data_source.h. */
#include "data_source.h"

#include <stdlib.h>

const struct source neoverse_sources[SOURCE_COUNT] = {
        [0x0] = {"L1", "level 1 data cache", SOURCE_L1},
        [0x8] = {"L2", "level 2 cache", SOURCE_L2},
        [0x9] = {"peer-core", "peer core", SOURCE_OTHER_CORE},
        [0xa] = {"local-cluster", "local cluster", SOURCE_OTHER_CORE},
        [0xb] = {"system-cache", "system cache", SOURCE_LAST_LEVEL},
        [0xc] = {"peer-cluster", "peer cluster", SOURCE_OTHER_CORE},
        [0xd] = {"remote", "remote socket", SOURCE_REMOTE},
        [0xe] = {"DRAM", "memory", SOURCE_DRAM},
};

const struct source *sources_of(const struct spemu_perf_file *file)
{
	const char *cpuid;
	unsigned long midr, part;

	if (spemu_perf_feature_string(file, &cpuid, SPEMU_PERF_FEAT_CPUID))
		return NULL;
	midr = strtoul(cpuid, NULL, 0);
	part = midr >> 4 & 0xfff;
	if (midr >> 24 != 0x41 ||
	    (part != 0xd0c && part != 0xd49 && part != 0xd40 && part != 0xd4f))
		return NULL;
	return neoverse_sources;
}
