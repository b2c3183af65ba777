/* SPDX-License-Identifier: MIT */
/*
 * The named profiles, and the limits of a profile. docs/reference/machines.md gives the source of
 * every number.
 *
 * Data Source payloads are those of Neoverse cores and AmpereOne, which perf names
 * ARM_SPE_COMMON_DS_* and ARM_SPE_AMPEREONE_* (Linux,
 * tools/perf/util/arm-spe-decoder/arm-spe-decoder.h).
 */
#include <string.h>
#include <spemu/status.h>
#include "uarch.h"
#include "base/take.h"
#include "uarch_object.h"

#define NEOVERSE_SOURCES                                                            \
	{                                                                           \
		[UARCH_SRC_L1] = 0x0, [UARCH_SRC_L2] = 0x8, [UARCH_SRC_PEER] = 0x9, \
		[UARCH_SRC_LLC] = 0xb, [UARCH_SRC_DRAM] = 0xe                       \
	}

#define AMPEREONE_SOURCES                                                           \
	{                                                                           \
		[UARCH_SRC_L1] = 0x8, [UARCH_SRC_L2] = 0x9, [UARCH_SRC_PEER] = 0x0, \
		[UARCH_SRC_LLC] = 0x3, [UARCH_SRC_DRAM] = 0x7                       \
	}

/* The numbers that all profiles share, and those that all Neoverse cores and Cortex-A76 share.
 * generic has simple caches, without prefetchers, fill buffers and forwarding. */
#define EVERY_CORE                                                                  \
	.size = sizeof(struct uarch_profile), .line_shift = 6, .page_shift = 12,    \
	.walk_cycles = 40, .split_cycles = 1, .issue_cycles = 2, .store_cycles = 1, \
	.branch_cycles = 1, .int_cycles = 1, .barrier_cycles = 20,                  \
	.huge_pages = UARCH_HUGE_MADVISE
#define NEOVERSE                                                                                 \
	EVERY_CORE, .l1d = {1024, 4, 4}, .store_entries = 72, .mul_cycles = 2, .div_cycles = 12, \
	            .fma_cycles = 4, .simd_cycles = 2, .data_source = NEOVERSE_SOURCES,          \
	            .not_taken_target = 1, .remote_source = 0xd, .stride_entries = 32,           \
	            .stream_entries = 16, .prefetch_distance = 48, .prefetch_pages = 1,          \
	            .l2_prefetch_after = 2, .l1_prefetch_after = 4, .l1_prefetch_distance = 4,   \
	            .fill_entries = 20, .forward_cycles = 5, .retire_cycles = 16
/* Rates of one core of Graviton2. */
#define N1_RATES .l2_gap = 35, .llc_gap = 71, .dram_gap = 122
/* Cortex-A76, which is also the core of Neoverse N1. */
#define A76                                                                                  \
	NEOVERSE, N1_RATES, .counter_bits = 12, .ras_entries = 16, .bimodal_shift = 13,      \
	                    .gshare_shift = 15, .history_bits = 15, .indirect_shift = 10,    \
	                    .window_accesses = 43, .dispatch_width = 4, .dtlb = {48, 48, 0}, \
	                    .l2tlb = {1280, 5, 6}, .fp_cycles = 3, .fdiv_cycles = 15

static const struct uarch_profile profiles[] = {
        {
                EVERY_CORE,
                .name = "generic",
                .midr = 0x000f0000, /* implementer 0: reserved for software */
                .sve = 1,
                .core_mhz = 2000,
                .timer_hz = 25000000,
                .counter_bits = 12,
                .ras_entries = 16,
                .bimodal_shift = 12,
                .gshare_shift = 13,
                .history_bits = 13,
                .indirect_shift = 9,
                .l1d = {512, 4, 4},
                .l2 = {8192, 8, 12},
                .llc = {131072, 16, 40},
                .dtlb = {32, 32, 0},
                .l2tlb = {1024, 4, 6},
                .peer_cycles = 70,
                .dram_cycles = 180,
                .store_entries = 32,
                .mul_cycles = 3,
                .div_cycles = 12,
                .fp_cycles = 3,
                .fma_cycles = 4,
                .fdiv_cycles = 15,
                .simd_cycles = 2,
                .data_source = NEOVERSE_SOURCES,
                .socket_cores = 8,
                .remote_source = 0xd,
                .socket_cycles = 120,
                .prefetch_distance = 8,
                .dispatch_width = 3,
                .retire_cycles = 16,
        },
        {
                A76,
                .name = "neoverse-n1",
                .midr = 0x413fd0c1, /* r3p1 */
                .core_mhz = 2500,
                .timer_hz = 25000000,
                .l2 = {16384, 8, 11},
                .llc = {524288, 16, 75},
                .peer_cycles = 110,
                .dram_cycles = 205,
                .socket_cores = 64,
                .socket_cycles = 240,
        },
        {
                NEOVERSE,
                N1_RATES,
                .name = "neoverse-v1",
                .midr = 0x411fd401, /* r1p1 */
                .sve = 1,
                .core_mhz = 2600,
                .timer_hz = 1050000000,
                .counter_bits = 12,
                .ras_entries = 16,
                .bimodal_shift = 14,
                .gshare_shift = 16,
                .history_bits = 20,
                .indirect_shift = 10,
                .window_accesses = 85,
                .dispatch_width = 8,
                .l2 = {16384, 8, 10},
                .llc = {524288, 16, 80},
                .dtlb = {40, 40, 0},
                .l2tlb = {2048, 8, 5},
                .peer_cycles = 120,
                .dram_cycles = 300,
                .fp_cycles = 2,
                .fdiv_cycles = 13,
                .socket_cores = 64,
                .socket_cycles = 250,
        },
        {
                NEOVERSE,
                N1_RATES,
                .name = "neoverse-n2",
                .midr = 0x410fd493, /* r0p3 */
                .sve = 1,
                .core_mhz = 3200,
                .timer_hz = 1000000000,
                .counter_bits = 16,
                .ras_entries = 16,
                .bimodal_shift = 13,
                .gshare_shift = 16,
                .history_bits = 20,
                .indirect_shift = 10,
                .window_accesses = 53,
                .dispatch_width = 5,
                .l2 = {16384, 8, 11},
                .llc = {1048576, 16, 90},
                .dtlb = {44, 44, 0},
                .l2tlb = {1280, 5, 5},
                .peer_cycles = 140,
                .dram_cycles = 330,
                .fp_cycles = 2,
                .fdiv_cycles = 13,
                .socket_cores = 128,
                .socket_cycles = 300,
        },
        {
                NEOVERSE,
                .name = "neoverse-v2",
                .midr = 0x410fd4f1, /* r0p1 */
                .sve = 1,
                .core_mhz = 2800,
                .timer_hz = 1000000000,
                .counter_bits = 16,
                .ras_entries = 32,
                .bimodal_shift = 14,
                .gshare_shift = 17,
                .history_bits = 24,
                .indirect_shift = 11,
                .window_accesses = 107,
                .dispatch_width = 8,
                .l2_gap = 30,
                .llc_gap = 37,
                .dram_gap = 77,
                .l2 = {32768, 8, 11},
                .llc = {524288, 16, 59},
                .dtlb = {48, 48, 0},
                .l2tlb = {2048, 8, 5},
                .peer_cycles = 126,
                .dram_cycles = 310,
                .fp_cycles = 2,
                .fdiv_cycles = 13,
                .socket_cores = 96,
                .socket_cycles = 262,
        },
        {
                EVERY_CORE,
                .name = "ampereone",
                .midr = 0xc00fac40, /* AC04, r0p0 */
                .core_mhz = 3200,
                .timer_hz = 1000000000,
                .counter_bits = 16,
                .ras_entries = 32,
                .bimodal_shift = 14,
                .gshare_shift = 16,
                .history_bits = 24,
                .indirect_shift = 11,
                .l1d = {1024, 4, 4},
                .l2 = {32768, 8, 11},
                .llc = {1048576, 16, 100},
                .dtlb = {64, 64, 0},
                .l2tlb = {2048, 8, 6},
                .peer_cycles = 150,
                .dram_cycles = 350,
                .store_entries = 64,
                .mul_cycles = 3,
                .div_cycles = 18,
                .fp_cycles = 5,
                .fma_cycles = 5,
                .fdiv_cycles = 25,
                .simd_cycles = 3,
                .data_source = AMPEREONE_SOURCES,
                .socket_cores = 192,
                .remote_source = 0x5,
                .socket_cycles = 300,
                .stride_entries = 32,
                .stream_entries = 16,
                .prefetch_distance = 48,
                .fill_entries = 16,
                .window_accesses = 64,
                .dispatch_width = 4,
                .forward_cycles = 5,
                .retire_cycles = 16,
        },
        {
                A76,
                .name = "cortex-a76",
                .midr = 0x414fd0b0, /* r4p0 */
                .core_mhz = 2300,
                .timer_hz = 24000000,
                .l2 = {8192, 8, 9},
                .llc = {49152, 12, 40},
                .peer_cycles = 140,
                .dram_cycles = 250,
                .socket_cores = 8,
                .socket_cycles = 240,
        },
};

#define PROFILE_COUNT (sizeof(profiles) / sizeof(profiles[0]))

const struct uarch_profile *uarch_profile_at(size_t index)
{
	return index < PROFILE_COUNT ? &profiles[index] : NULL;
}

const struct uarch_profile *uarch_profile(const char *name)
{
	for (size_t i = 0; name && i < PROFILE_COUNT; i++) {
		if (strcmp(profiles[i].name, name) == 0)
			return &profiles[i];
	}
	return NULL;
}

static bool between(uint64_t value, uint64_t low, uint64_t high)
{
	return value >= low && value <= high;
}

/* Return true if the level has 1 to 16 ways, a power of two of sets, and at most 2^26 entries (64
 * MB of tags). */
static bool level_is_good(const struct uarch_level *level)
{
	return between(level->ways, 1, 16) && between(level->entries, 1, 1u << 26) &&
	       level->entries % level->ways == 0 && uarch_log2(level->entries / level->ways) >= 0;
}

static bool prefetcher_is_good(const struct uarch_profile *p)
{
	if (!p->stride_entries && !p->stream_entries)
		return true;
	return (!p->stride_entries || uarch_log2(p->stride_entries) >= 0) &&
	       (!p->stream_entries || uarch_log2(p->stream_entries) >= 0) &&
	       p->stream_entries <= STREAMS_MAX && between(p->prefetch_distance, 1, 64) &&
	       p->prefetch_pages <= 2 && p->l1_prefetch_distance <= 64 &&
	       (!p->l1_prefetch_distance || p->l1d.entries > 1);
}

int uarch_check(const struct uarch_profile *profile, const char **why)
{
	struct uarch_profile p = {0};
	bool sized = take_struct(&p, sizeof(p), profile);
	const struct {
		bool good;
		const char *name;
	} parts[] = {
	        {sized, "size of the profile"},
	        {between(p.line_shift, 4, 8), "line size"},
	        {between(p.page_shift, 12, 30), "page size"},
	        {level_is_good(&p.l1d), "L1 data cache"},
	        {level_is_good(&p.l2) && p.l2.entries >= p.l1d.entries, "L2 cache"},
	        {level_is_good(&p.llc), "last level cache"},
	        {between(p.dtlb.entries, 1, 64) && p.dtlb.ways == p.dtlb.entries, "L1 data TLB"},
	        {!p.l2tlb.entries || level_is_good(&p.l2tlb), "L2 TLB"},
	        {between(p.store_entries, 1, 256), "store buffer"},
	        {between(p.ras_entries, 1, 64), "return stack"},
	        {between(p.bimodal_shift, 4, 20) && between(p.gshare_shift, 4, 20) &&
	                 between(p.history_bits, 1, 32) && between(p.indirect_shift, 4, 16),
	         "branch predictor"},
	        {p.core_mhz && p.timer_hz, "frequency"},
	        {p.sockets <= 8 && (p.sockets <= 1 || p.socket_cores), "sockets"},
	        {prefetcher_is_good(&p), "prefetcher"},
	        {p.fill_entries <= FILLS_MAX, "line fill buffers"},
	        {between(p.dispatch_width, 1, 16), "dispatch width"},
	        {p.huge_pages <= UARCH_HUGE_ALWAYS, "huge pages"},
	        {p.counter_bits == 12 || p.counter_bits == 16, "counter size"},
	};
	const char *wrong = NULL;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !wrong; i++)
		wrong = parts[i].good ? NULL : parts[i].name;
	if (why)
		*why = wrong;
	return wrong ? SPEMU_ERR_INVALID : SPEMU_OK;
}
