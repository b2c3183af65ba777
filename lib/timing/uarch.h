/* SPDX-License-Identifier: MIT */
/*
 * A timing model: caches, TLBs, coherence between cores and branch prediction, so that a host
 * without timing of its own (an emulator) can fill in events, latencies and data source.
 *
 * It is a model. Sizes come from public manuals (docs/uarch.md lists each with its source), the
 * behavior is a plain in-order reading of a textbook: nothing is claimed about real cycle counts.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.4 (what a memory access records), D18.2.3 (counters), D18.2.6
 * (events). Bits that the feature level lacks are masked later, by the SPU.
 *
 * Objects and threads. One `shared` (last level cache and directory) and any number of `cores`,
 * each used by one thread at a time; different cores may be used at once. Both live in memory that
 * the caller gives and frees. Nothing allocates, blocks or does I/O; a lock inside `shared` is held
 * for tens of nanoseconds and never waited for without bound (a lock left locked by fork() is taken
 * over). Given the order of all calls, results are deterministic.
 *
 * Addresses are tags only. A user-mode host knows virtual addresses and passes those; then one
 * `shared` serves one process. A host that knows physical addresses may pass them for all accesses
 * instead. Bits [63:56] are ignored (top-byte tags).
 *
 * Use: call uarch_access() and uarch_branch() for every operation, with result NULL
 * unless the operation is sampled; for a sampled one, collect the result from zero and hand it to
 * uarch_complete().
 */
#ifndef UARCH_H
#define UARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/op.h>

/* A cache or TLB level. A level with entries 0 is absent (allowed for the L2 TLB only). */
struct uarch_level {
	uint32_t entries; /* lines, or translations; entries / ways must be a power of two */
	uint32_t ways;    /* 1..16; L1 DTLB: equal to entries (fully associative), 1..64 */
	uint32_t cycles;  /* caches: load-to-use latency of a hit; TLBs: cycles that a hit adds */
};

/* Where data came from; indexes data_source[] of the profile. */
enum uarch_source {
	UARCH_SRC_L1 = 0,
	UARCH_SRC_L2,
	UARCH_SRC_PEER, /* a cache of another core */
	UARCH_SRC_LLC,
	UARCH_SRC_DRAM,
	UARCH_SRC_COUNT,
	/* With one of these: that of another socket. Its payload is remote_source of the
	 * profile. */
	UARCH_SRC_REMOTE = 8
};

/* A core model. Copy one of the named profiles and change what is needed, then init with it. */
struct uarch_profile {
	size_t size;          /* sizeof(struct uarch_profile) */
	const char *name;     /* static string */
	uint32_t midr;        /* MIDR_EL1 of the core whose sizes these are */
	uint32_t core_mhz;    /* core clock: relates cycles to time */
	uint32_t timer_hz;    /* CNTFRQ_EL0 usual on such systems: relates time to timestamps */
	uint8_t counter_bits; /* of a Counter packet: 12 or 16 (PMSIDR_EL1.CountSize) */
	uint8_t line_shift;   /* log2 of the line size in bytes, 4..8 */
	uint8_t page_shift; /* log2 of the page size in bytes, 12..30, but for what uarch_pages() is told of */
	uint8_t ras_entries;    /* return stack depth, 1..64 */
	uint8_t bimodal_shift;  /* log2 of the counters of the per-branch predictor, 4..20 */
	uint8_t gshare_shift;   /* log2 of the counters of the history predictor, 4..20 */
	uint8_t history_bits;   /* outcomes of conditional branches that it sees, 1..32 */
	uint8_t indirect_shift; /* log2 of the entries of the indirect target table, 4..16 */
	struct uarch_level l1d, l2, llc; /* l2 at least as many entries as l1d */
	struct uarch_level dtlb, l2tlb;
	uint32_t peer_cycles;    /* load-to-use from another core's cache */
	uint32_t dram_cycles;    /* load-to-use from memory */
	uint32_t walk_cycles;    /* translation table walk */
	uint32_t split_cycles;   /* for each further line that one operation touches */
	uint32_t issue_cycles;   /* from dispatch to issue with operands ready */
	uint32_t store_entries;  /* stores that the store buffer holds, 1..256 */
	uint32_t store_cycles;   /* until a store sits in the store buffer, if there is room */
	uint32_t branch_cycles;  /* until a branch is resolved */
	uint32_t int_cycles;     /* ALU operation */
	uint32_t mul_cycles;     /* integer multiply */
	uint32_t div_cycles;     /* integer divide, 64-bit, typical */
	uint32_t fp_cycles;      /* FP add, multiply, convert, compare */
	uint32_t fma_cycles;     /* FP multiply-accumulate */
	uint32_t fdiv_cycles;    /* FP divide and square root, double, typical */
	uint32_t simd_cycles;    /* Advanced SIMD and SVE integer operation */
	uint32_t barrier_cycles; /* DMB, DSB, ISB */
	uint16_t data_source[UARCH_SRC_COUNT]; /* Data Source packet payloads */
	/* 1: records of the core have a target for branches that are not taken, the address after
	 * the branch; 0: none is known. Hosts make it their default of the choice not-taken-target
	 * (D17.6.3). */
	uint8_t not_taken_target;
	/*
	 * More than one socket: core id is in socket id / socket_cores % sockets. The pages of
	 * memory, and the last level, are shared out in turn: page number n is that of socket n %
	 * sockets.
	 */
	uint8_t sockets;        /* up to 8; 0 or 1: one */
	uint8_t socket_cores;   /* of each; at least 1 if there are several sockets */
	uint8_t remote_source;  /* Data Source packet payload of another socket */
	uint16_t socket_cycles; /* what another socket's data take more than one's own */
	/*
	 * Hardware prefetchers into L2, which are trained by misses of L1: one goes by the
	 * instruction and the stride of its addresses, the other by neighboring lines, whoever
	 * accesses them.
	 */
	uint8_t stride_entries; /* instructions that the former knows, a power of two; 0: there is none */
	uint8_t stream_entries; /* pages in which the latter follows one, a power of two up to 64; 0: there is none */
	uint8_t prefetch_distance; /* strides, or lines, ahead at most; 1..64 with one of them */
	uint8_t prefetch_pages;    /* 0: a prefetch does not leave the page of the access */
	/* Line fill buffers of L1: lines that L2 has not and that may be under way at once, up to
	 * 64. 0: a load that misses holds up all that follows. */
	uint8_t fill_entries;
	/* Load-to-use of data from a store in the store buffer; 0: loads do not look there. As far
	 * as loads are concerned a store stays for retire_cycles after it could have left. */
	uint8_t forward_cycles, retire_cycles;
	/*
	 * Not of the core but of its operating system: which memory of a program has huge pages,
	 * enum uarch_huge. The library does nothing about it: it is for hosts that know of a
	 * program's memory, and call uarch_pages().
	 */
	uint8_t huge_pages;
};

/* As Linux has it in /sys/kernel/mm/transparent_hugepage/enabled. What is mapped by huge pages
 * explicitly has them anyway. */
enum uarch_huge {
	UARCH_HUGE_NEVER = 0,
	UARCH_HUGE_MADVISE, /* what the program asks for */
	UARCH_HUGE_ALWAYS,  /* all that can */
};

/* A named profile ("generic", "neoverse-n1", "neoverse-v1", "neoverse-n2", "neoverse-v2",
 * "ampereone"), or NULL. Static; any thread. */
const struct uarch_profile *uarch_profile(const char *name);

/* The profile at index 0, 1, ..., NULL past the end: to list them. */
const struct uarch_profile *uarch_profile_at(size_t index);

/*
 * Change one number of a profile by its name: l1d_size, l2_size, llc_size (bytes, at the line size
 * in force at the call) and the same with _ways and _cycles; dtlb_entries, dtlb_cycles,
 * l2tlb_entries, l2tlb_ways, l2tlb_cycles, walk_cycles; store_entries, store_cycles;
 * return_entries, bimodal_entries, gshare_entries, history_bits, indirect_entries (of the branch
 * predictor); line_size, page_size (bytes); peer_cycles, dram_cycles, core_mhz; sockets,
 * socket_cores, socket_cycles; stride_entries, stream_entries, prefetch_distance, prefetch_pages;
 * fill_entries; forward_cycles, retire_cycles; huge_pages (enum uarch_huge). SPEMU_OK;
 * SPEMU_ERR_INVALID for an unknown name or a value that does not fit. The combination is checked by
 * uarch_check().
 */
int uarch_set(struct uarch_profile *profile, const char *name, uint64_t value);
/*
 * The same from text: "name=value,name=value...", values decimal, with K or M for 1024 or 1048576;
 * of huge_pages also never, madvise and always. SPEMU_OK; SPEMU_ERR_INVALID with the offset of what
 * is wrong in *error_offset (may be NULL), and the profile changed as far as the text was right.
 */
int uarch_parse(struct uarch_profile *profile, size_t *error_offset, const char *text);

/* The names that can be changed, by index 0, 1, ...; NULL past the end. */
const char *uarch_option_at(size_t index);

/* Whether all members are in their ranges: SPEMU_OK, or SPEMU_ERR_INVALID. *why, unless why is
 * NULL, is set to a static phrase that names it (NULL if all is well). */
int uarch_check(const struct uarch_profile *profile, const char **why);

struct uarch_shared;
struct uarch_core;

/* Most cores that one `shared` serves. */
#define UARCH_MAX_CORES 1024

/* Bytes that a `shared` for max_cores (1..UARCH_MAX_CORES) needs; 0 if an argument is
 * invalid. Neoverse N1: about 8 MB, touched only as far as used. */
size_t uarch_shared_size(const struct uarch_profile *profile, unsigned max_cores);

/*
 * Make a `shared` in mem: size bytes, aligned to 64, filled with zeroes (mmap or calloc do that
 * without touching it). The profile is copied. *shared points into mem and is valid until the
 * caller frees mem, which must outlive every core. SPEMU_ERR_INVALID, SPEMU_ERR_NOSPACE.
 */
int uarch_shared_init(struct uarch_shared **shared, void *mem, size_t size,
                      const struct uarch_profile *profile, unsigned max_cores);

/* Bytes that each core of this `shared` needs (neoverse-n1: about 250 KB). */
size_t uarch_core_size(const struct uarch_shared *shared);

/*
 * Make core `id` (0 .. max_cores - 1) in mem: size bytes, aligned to 64, filled with zeroes. mem
 * must stay until `shared` is no longer used by any core, as other cores invalidate lines in it;
 * when a thread ends, keep the core and give it to the next thread. SPEMU_ERR_STATE if id is taken,
 * SPEMU_ERR_INVALID, SPEMU_ERR_NOSPACE. Any thread.
 */
int uarch_core_init(struct uarch_core **core, void *mem, size_t size, struct uarch_shared *shared,
                    unsigned id);

/*
 * Whether one core alone is used until the next call, which saves the locks of the last level
 * cache. false at first. A host that says true says false before a second thread can use a core (as
 * a program calls clone()): from then on all calls are ordered after this one. No core is in use by
 * another thread meanwhile. Events and latencies are the same either way. From true to false it
 * looks through the whole last level: some milliseconds.
 */
void uarch_alone(struct uarch_shared *shared, bool alone);

/*
 * Pages of several sizes. From now on size bytes at start are mapped by pages of 1 << shift bytes:
 * shift is page_shift of the profile to 30; 0 is page_shift, which takes larger pages away. All is
 * page_shift at first. start and size are multiples of the page size asked for; bits [63:56] of
 * start are ignored, and size reaches no farther than they do. A larger page of which a part
 * becomes something else is one no more: the rest of it has pages of the profile's size.
 *
 * A page is one entry in both levels of the TLB, whatever its size, and a walk takes walk_cycles
 * for all. What else goes by pages goes by those of the profile: how far prefetches go, and which
 * socket memory is of.
 *
 * A core forgets the translations of what changed: core, which is the calling thread's or NULL,
 * before the call returns; others when they access what L1 or the first level of the TLB has not,
 * or with a result. Nothing changes, and nothing is forgotten, where all of the range is mapped so
 * already. The caller has one call of it at a time; all cores may be used meanwhile.
 *
 * SPEMU_OK; SPEMU_ERR_INVALID for the arguments; SPEMU_ERR_NOSPACE if there were more than 4096
 * ranges of larger pages that do not adjoin: nothing has changed then.
 */
int uarch_pages(struct uarch_shared *shared, struct uarch_core *core, uint64_t start, uint64_t size,
                unsigned shift);

/*
 * For a host whose guest has translation tables: instead of what uarch_pages() says, core asks
 * page_log2 (NULL: no longer) how large a page is: log2 of its bytes, taken as page_shift of the
 * profile if it is less, and as 30 if it is more. It is asked, by the thread that uses core, in a
 * call that tells of an access, when the first level of the TLB has no page of that address: bits
 * [55:0] of any byte of one of the access's pages of the profile's size. It may not call the model.
 * core forgets all translations.
 */
void uarch_look_up_pages(struct uarch_core *core, unsigned (*page_log2)(void *ctx, uint64_t addr),
                         void *ctx);

/*
 * TLB maintenance: core, which is the calling thread's, forgets the translations of the size bytes
 * at start, of whatever size their pages are; with all, the other cores of its `shared` do, too,
 * when uarch_pages() says. Bits [63:56] of start are ignored, and size reaches no farther than they
 * do. With all it is as a call of uarch_pages(): one at a time; else any thread calls it for its
 * own core. SPEMU_OK; SPEMU_ERR_INVALID for the range.
 */
int uarch_tlb_invalidate(struct uarch_core *core, uint64_t start, uint64_t size, bool all);

/* What a sampled operation did; start from all zeroes. Several accesses of one operation merge. */
struct uarch_result {
	uint64_t events;              /* bits of the Events packet, see spemu/codec.h */
	uint32_t latency;             /* cycles for data, of the slowest access; loads */
	uint32_t translation_latency; /* cycles waiting for translation, of the slowest access */
	uint32_t store_wait; /* cycles until the store buffer had room, of the slowest access;
	                                 stores */
	uint32_t accesses;   /* lines touched; 0 = no memory access was reported */
	uint32_t opcode;     /* set by the caller: the instruction, 0 = not known; separates
	                                 multiply, divide and barrier from other operations */
	uint8_t source; /* enum uarch_source: the farthest; loads; of a line on its way: where it comes from */
};

/* What an access does; an atomic or a swap does both. */
enum uarch_access_flag {
	UARCH_LOAD = 1u << 0,
	UARCH_STORE = 1u << 1,
};

/*
 * The core accesses size bytes (1 .. 65536; 0 counts as 1) at addr. flags: at least one of enum
 * uarch_access_flag. Every line and page touched counts. result may be NULL; if not, it is
 * merged into. Call it for every access, sampled or not, in program order of the core.
 */
void uarch_access(struct uarch_core *core, struct uarch_result *result, uint64_t addr,
                  uint32_t size, unsigned flags);

/*
 * The same in three steps, for hosts that know the instruction at `pc` (0: not known), which trains
 * the prefetcher by stride, and that need time to find it. First the quick way, uarch_hit(): one
 * line, which L1 has where it was last. Then uarch_in_l1(): L1 has all of it, in one or two lines;
 * the page may be one that the TLB's first level has not. Each returns whether that was all; if
 * not, nothing has happened that a later access could tell, and the next step does it:
 * uarch_access_of() at last, which always does. The second may be left out. An access with a result
 * always takes the third alone.
 */
bool uarch_hit(struct uarch_core *core, uint64_t addr, uint32_t size, unsigned flags);
bool uarch_in_l1(struct uarch_core *core, uint64_t addr, uint32_t size, unsigned flags);
void uarch_access_of(struct uarch_core *core, struct uarch_result *result, uint64_t pc,
                     uint64_t addr, uint32_t size, unsigned flags);

/*
 * The core executes a branch at pc. flags are those of spemu_op_kind (CONDITIONAL, INDIRECT, LINK,
 * RETURN, ERET count). target is where it went; ignored unless taken. Returns whether it was
 * mispredicted, and merges SPEMU_EV_MISPREDICTED into result unless that is NULL.
 */
bool uarch_branch(struct uarch_core *core, struct uarch_result *result, uint64_t pc, uint32_t flags,
                  bool taken, uint64_t target);

/*
 * Sampled fidelity: the model is told of a part of the operations, in windows, and learns from them
 * for each instruction how often it misses; of what is not told it is asked for an estimate. The
 * host calls uarch_window() as a window of a core begins, and in it the calls that follow in place
 * of uarch_access() and uarch_branch(), for each operation; outside of windows uarch_estimate() for
 * sampled operations alone.
 */

/* What is counted of an instruction: whether it got further, of those times that it came so far. */
enum insn_stats_level {
	UARCH_LEVEL_L1 = 0,   /* of all: L1 missed */
	UARCH_LEVEL_PEER,     /* of these: another core supplied the line, */
	UARCH_LEVEL_MODIFIED, /* and had modified it */
	UARCH_LEVEL_L2,       /* of the others: L2 missed, */
	UARCH_LEVEL_LLC,      /* and the last level missed */
	UARCH_LEVEL_DTLB,     /* of all: the first level of the TLB missed, */
	UARCH_LEVEL_L2TLB,    /* and the tables were walked */
	UARCH_LEVEL_BRANCH,   /* a branch: it was mispredicted */
	UARCH_LEVEL_LATE,     /* of loads of lines that L1 or L2 has: the line was on its way */
	UARCH_LEVELS
};

/*
 * An instruction of the program, in the caller's memory, of the same model all the time and used by
 * all threads: what races for a counter may be lost. pc and parts are the caller's, the rest is
 * zero at first and the model's.
 */
struct insn_stats {
	uint64_t pc;
	uint32_t parts;       /* accesses that it is told as, one after the other; 0 counts as 1 */
	uint32_t store_wait;  /* cycles, the mean of late, times 65536 */
	uint32_t late_cycles; /* what loads of lines on their way took, in the same way */
	uint32_t late_source; /* where the last one came from: enum uarch_source */
	uint32_t window;      /* in which it was met last */
	uint32_t reached[UARCH_LEVELS];
	uint32_t further[UARCH_LEVELS];
	int32_t owed[UARCH_LEVELS]; /* times that were estimated too few, times 65536 */
};

/*
 * A window of core begins. complete: the core has been told of everything so far, as at the start
 * of a program. In others nothing is learnt of L1 and the TLB until the window has seen four
 * accesses for each entry, nor of branches until 4096. What L2 would have, had the core been told
 * of everything, is estimated by how soon lines are used again in windows; it is learnt of when
 * half of what it has was used again in this one.
 */
void uarch_window(struct uarch_core *core, bool complete);

/* Whether the window had better go on until L2 is learnt of: L1 was missed often in it, and mostly
 * by instructions of which that is not known. */
bool uarch_wants_more(const struct uarch_core *core);

/* Whether the window had better go on for L2: one access in 64 or more missed L1, and more than an
 * eighth of what L2 has was not used again yet. */
bool uarch_wants_l2(const struct uarch_core *core);

/* Whether loads took as long in the window, half a cycle more or less on average, as was known of
 * them before it: then the next may be further away. */
bool uarch_as_known(const struct uarch_core *core);

/* As uarch_access() and uarch_branch(), by the instruction that stats is of. */
void uarch_sampled_access(struct uarch_core *core, struct insn_stats *stats,
                          struct uarch_result *result, uint64_t addr, uint32_t size,
                          unsigned flags);
bool uarch_sampled_branch(struct uarch_core *core, struct insn_stats *stats,
                          struct uarch_result *result, uint32_t flags, bool taken, uint64_t target);

/*
 * A sampled operation that the core was not told of: what it would have met, merged into result. It
 * gets as far as often as its instruction did in windows; what the caches still have from there
 * decides which of its samples do. flags: what it does at addr, with size bytes in all; 0: it is a
 * branch, and the others are ignored. No cache changes. Returns whether the instruction was met
 * often enough in windows to say so; where many were not, a window is due.
 */
bool uarch_estimate(struct uarch_core *core, struct insn_stats *stats, struct uarch_result *result,
                    uint64_t addr, uint32_t size, unsigned flags);

/*
 * Fill in a sampled operation: ors result->events into op->events; sets total, issue and
 * translation latency, data source and their bits in op->valid. Data source only for loads that
 * reported an access, translation latency for loads and stores that did. op->kind must be set.
 * result may be NULL: an operation that did nothing to memory and mispredicted nothing.
 */
void uarch_complete(const struct uarch_core *core, struct spemu_op *op,
                    const struct uarch_result *result);

#endif
