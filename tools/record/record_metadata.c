/* SPDX-License-Identifier: MIT */
/* The description of CPUs in a recording, with the values that the kernel's driver would find. */
#include "record.h"

#include <spemu/feature.h>
#include <spemu/perfdata.h>
#include <spemu/spu.h>
#include <stdlib.h>

#define NEOVERSE_N1 0x413fd0c1u /* r3p1; also used in CPUID if there is no timing model */
#define MIN_INTERVAL 256        /* PMSIDR_EL1.Interval of the plugin's SPU */

/* Return the bits of PMSEVFR_EL1 that keep a 1: the events that an SPU with these features has. */
static uint64_t event_filter(const struct recording_params *params)
{
	struct spemu_pe_config pe_config = {.size = sizeof(pe_config)};
	struct spemu_spu_config config = {.size = sizeof(config), .layout = spemu_layout_neoverse};
	struct spemu_spu_host host = {.size = sizeof(host)};
	void *pe_memory = xcalloc(1, spemu_pe_size()), *spu_memory = xcalloc(1, spemu_spu_size());
	struct spemu_access_result result;
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	uint64_t kept = 0;

	if (!spemu_features_parse(&pe_config.features, NULL, params->features) &&
	    !spemu_pe_init(&pe, pe_memory, spemu_pe_size(), &pe_config) &&
	    !spemu_spu_init(&spu, spu_memory, spemu_spu_size(), pe, &config, &host) &&
	    !spemu_spu_msr(spu, &result, SPEMU_SYSREG_PMSEVFR_EL1, UINT64_MAX))
		spemu_spu_mrs(spu, &result, &kept, SPEMU_SYSREG_PMSEVFR_EL1);
	free(spu_memory);
	free(pe_memory);
	return kept;
}

void record_describe_cpu(struct spemu_perf_spe_cpu *cpu, const struct recording_params *params)
{
	*cpu = (struct spemu_perf_spe_cpu){
	        .midr = params->midr ? params->midr : NEOVERSE_N1,
	        .min_interval = MIN_INTERVAL,
	        .event_filter = event_filter(params),
	};
}
