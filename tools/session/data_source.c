/* SPDX-License-Identifier: MIT */
#include "data_source.h"

#include <stdlib.h>

const struct source source_names[SOURCE_NAMES] = {
        [SOURCE_L1] = {"L1", "level 1 data cache"},
        [SOURCE_L2] = {"L2", "level 2 cache"},
        [SOURCE_PEER_CORE] = {"peer-core", "peer core"},
        [SOURCE_LOCAL_CLUSTER] = {"local-cluster", "local cluster"},
        [SOURCE_SYSTEM_CACHE] = {"system-cache", "system cache"},
        [SOURCE_PEER_CLUSTER] = {"peer-cluster", "peer cluster"},
        [SOURCE_REMOTE] = {"remote", "remote socket"},
        [SOURCE_DRAM] = {"DRAM", "memory"},
};

/* From Linux, tools/perf/util/arm-spe-decoder/arm-spe-decoder.h: ARM_SPE_COMMON_DS_*. */
static const struct source_encoding common = {{
        [0x0] = SOURCE_L1,
        [0x8] = SOURCE_L2,
        [0x9] = SOURCE_PEER_CORE,
        [0xa] = SOURCE_LOCAL_CLUSTER,
        [0xb] = SOURCE_SYSTEM_CACHE,
        [0xc] = SOURCE_PEER_CLUSTER,
        [0xd] = SOURCE_REMOTE,
        [0xe] = SOURCE_DRAM,
}};

/* From the same header: ARM_SPE_AMPEREONE_*. perf treats 0x0, another cache of the chip or a
 * Device, as a peer core. */
static const struct source_encoding ampereone = {{
        [0x0] = SOURCE_PEER_CORE,
        [0x3] = SOURCE_SYSTEM_CACHE,
        [0x5] = SOURCE_REMOTE,
        [0x7] = SOURCE_DRAM,
        [0x8] = SOURCE_L1,
        [0x9] = SOURCE_L2,
}};

/* Cores whose Data Source packets perf decodes (arm-spe.c), as far as spemu knows their
 * encoding. */
static const struct {
	uint8_t implementer;
	uint16_t part;
	const struct source_encoding *encoding;
} cores[] = {
        {0x41, 0xd0c, &common},    /* Neoverse N1 */
        {0x41, 0xd40, &common},    /* Neoverse V1 */
        {0x41, 0xd49, &common},    /* Neoverse N2 */
        {0x41, 0xd4f, &common},    /* Neoverse V2 */
        {0x41, 0xd4c, &common},    /* Cortex-X1C */
        {0x41, 0xd4e, &common},    /* Cortex-X3 */
        {0x41, 0xd81, &common},    /* Cortex-A720 */
        {0x41, 0xd85, &common},    /* Cortex-X925 */
        {0x41, 0xd87, &common},    /* Cortex-A725 */
        {0xc0, 0xac4, &ampereone}, /* AmpereOne, AC04 */
};

const struct source_encoding *sources_of(const struct spemu_perf_file *file)
{
	const char *cpuid;
	unsigned long midr;

	if (spemu_perf_feature_string(file, &cpuid, SPEMU_PERF_FEAT_CPUID))
		return NULL;
	midr = strtoul(cpuid, NULL, 0);
	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
		if (midr >> 24 == cores[i].implementer && (midr >> 4 & 0xfff) == cores[i].part)
			return cores[i].encoding;
	}
	return NULL;
}

enum source_name source_name(const struct source_encoding *encoding, const struct spemu_record *rec)
{
	if (!encoding || !(rec->present & SPEMU_RECORD_DATA_SOURCE) ||
	    rec->data_source >= SOURCE_COUNT)
		return SOURCE_UNKNOWN;
	return (enum source_name)encoding->name[rec->data_source];
}

enum { NAMED = SOURCE_NAMES * SOURCE_COUNT };

unsigned source_index(enum source_name name, uint16_t payload)
{
	return (name == SOURCE_UNKNOWN ? NAMED : (unsigned)name * SOURCE_COUNT) + payload;
}

enum source_name source_index_name(unsigned index)
{
	return index < NAMED ? (enum source_name)(index / SOURCE_COUNT) : SOURCE_UNKNOWN;
}

uint16_t source_index_payload(unsigned index)
{
	return (uint16_t)(index < NAMED ? index % SOURCE_COUNT : index - NAMED);
}

unsigned source_group(enum source_name name, uint16_t payload)
{
	return source_index(name, name == SOURCE_UNKNOWN ? payload : 0);
}
