/* SPDX-License-Identifier: MIT */
/*
 * A timing model: caches, TLBs, coherence between cores and branch prediction, so that a host
 * without timing of its own (an emulator) can fill in events, latencies and data source.
 *
 * It is a model. Sizes come from public manuals; docs/reference/machines.md lists each with its
 * source. The behavior follows a textbook in-order core, and does not claim real cycle counts.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.4 (what a memory access records), D18.2.3 (counters), D18.2.6
 * (events). The SPU later masks bits that the feature level lacks.
 *
 * Objects and threads. There is one `shared` (last level cache and directory) and any number of
 * `cores`, each used by one thread at a time. Different cores may be used at once. Both live in
 * memory that the caller gives and frees. Nothing allocates, blocks or does I/O. A lock inside
 * `shared` is held for tens of nanoseconds, and a wait for it is bounded (a lock that fork() left
 * locked is taken over). Given the order of all calls, results are deterministic.
 *
 * Addresses are tags only. A user-mode host passes virtual addresses; then one `shared` serves one
 * process. A host that knows physical addresses may pass them for all accesses instead. Bits
 * [63:56] are ignored (top-byte tags).
 *
 * Use: call uarch_access() and uarch_branch() for every operation, with result NULL unless the
 * operation is sampled. For a sampled one, start with a result of zeroes, and hand it to
 * uarch_complete() at the end.
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

/* The source of data; an index of data_source[] of the profile. */
enum uarch_source {
	UARCH_SRC_L1 = 0,
	UARCH_SRC_L2,
	UARCH_SRC_PEER, /* a cache of another core */
	UARCH_SRC_LLC,
	UARCH_SRC_DRAM,
	UARCH_SRC_COUNT,
	/* Added to a source: the data are another socket's. Their payload is remote_source of the
	 * profile. */
	UARCH_SRC_REMOTE = 8
};

/* A core model. Copy one of the named profiles, change what is needed, and init with the copy. */
struct uarch_profile {
	size_t size;          /* sizeof(struct uarch_profile) */
	const char *name;     /* static string */
	uint32_t midr;        /* MIDR_EL1 of the core whose sizes these are */
	uint32_t core_mhz;    /* core clock: relates cycles to time */
	uint32_t timer_hz;    /* CNTFRQ_EL0 usual on such systems: relates time to timestamps */
	uint8_t counter_bits; /* size of a Counter packet: 12 or 16 (PMSIDR_EL1.CountSize) */
	uint8_t line_shift;   /* log2 of the line size in bytes, 4..8 */
	/* log2 of the page size in bytes, 12..30; uarch_pages() adds other sizes */
	uint8_t page_shift;
	uint8_t ras_entries;    /* return stack depth, 1..64 */
	uint8_t bimodal_shift;  /* log2 of the counters of the per-branch predictor, 4..20 */
	uint8_t gshare_shift;   /* log2 of the counters of the history predictor, 4..20 */
	uint8_t history_bits;   /* outcomes of conditional branches in the history, 1..32 */
	uint8_t indirect_shift; /* log2 of the entries of the indirect target table, 4..16 */
	struct uarch_level l1d, l2, llc; /* l2 at least as many entries as l1d */
	struct uarch_level dtlb, l2tlb;
	uint32_t peer_cycles;    /* load-to-use from another core's cache */
	uint32_t dram_cycles;    /* load-to-use from memory */
	uint32_t walk_cycles;    /* translation table walk */
	uint32_t split_cycles;   /* cycles for each further line of one operation */
	uint32_t issue_cycles;   /* from dispatch to issue with operands ready */
	uint32_t store_entries;  /* stores that the store buffer holds, 1..256 */
	uint32_t store_cycles;   /* until a store is in the store buffer, if there is room */
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
	/* 1: records have a target for branches that are not taken, the address after the branch.
	 * 0: they have none. Hosts make this their default of the choice not-taken-target
	 * (D17.6.3). */
	uint8_t not_taken_target;
	/*
	 * Several sockets: core id is in socket id / socket_cores % sockets. The pages of memory,
	 * and the last level, are interleaved: page number n belongs to socket n % sockets.
	 */
	uint8_t sockets;        /* up to 8; 0 or 1: one */
	uint8_t socket_cores;   /* cores of each socket; at least 1 if there are several sockets */
	uint8_t remote_source;  /* Data Source packet payload of another socket */
	uint16_t socket_cycles; /* cycles added for data of another socket */
	/*
	 * Hardware prefetchers into L2, trained by misses of L1. The stride prefetcher goes by the
	 * instruction and the stride of its addresses; the stream prefetcher goes by neighboring
	 * lines, whoever accesses them.
	 */
	/* Instructions that the stride prefetcher knows, a power of two; 0: off */
	uint8_t stride_entries;
	uint8_t stream_entries;    /* pages with a stream, a power of two up to 64; 0: off */
	uint8_t prefetch_distance; /* most strides, or lines, ahead; 1..64 with a prefetcher */
	uint8_t prefetch_pages;    /* 0: a prefetch does not leave the page of the access */
	/* Line fill buffers of L1: lines not in L2 that may be in flight at once, up to 64. 0: a
	 * load that misses holds up all later operations. */
	uint8_t fill_entries;
	/* forward_cycles: load-to-use of data from a store in the store buffer; 0: loads do not
	 * look there. Loads see a store for retire_cycles after it could have left. */
	uint8_t forward_cycles, retire_cycles;
	/*
	 * A property of the operating system, not of the core: which memory of a program has huge
	 * pages (enum uarch_huge). The library ignores it. Hosts that know a program's memory call
	 * uarch_pages() by it.
	 */
	uint8_t huge_pages;
};

/* The modes of /sys/kernel/mm/transparent_hugepage/enabled. Memory that a program maps with
 * MAP_HUGETLB has huge pages in every mode. */
enum uarch_huge {
	UARCH_HUGE_NEVER = 0,
	UARCH_HUGE_MADVISE, /* memory for which the program asks */
	UARCH_HUGE_ALWAYS,  /* all memory that can have them */
};

/* Return a named profile ("generic", "neoverse-n1", "neoverse-v1", "neoverse-n2", "neoverse-v2",
 * "ampereone"), or NULL. Profiles are static; any thread. */
const struct uarch_profile *uarch_profile(const char *name);

/* Return the profile at index 0, 1, ..., or NULL past the end. */
const struct uarch_profile *uarch_profile_at(size_t index);

/*
 * Change one number of a profile by its name; uarch_option_at() lists the names. Values of _size
 * are bytes, at the line size in force at the call. Return SPEMU_OK; SPEMU_ERR_INVALID for an
 * unknown name or a value that does not fit. uarch_check() checks the combination.
 */
int uarch_set(struct uarch_profile *profile, const char *name, uint64_t value);
/*
 * Change numbers by a text, "name=value,name=value...". Values are decimal, with K or M for 1024 or
 * 1048576; huge_pages also takes never, madvise and always. Return SPEMU_OK; SPEMU_ERR_INVALID with
 * the offset of the error in *error_offset (may be NULL), and the profile changed up to there.
 */
int uarch_parse(struct uarch_profile *profile, size_t *error_offset, const char *text);

/* Return the name of a number at index 0, 1, ..., or NULL past the end. */
const char *uarch_option_at(size_t index);

/* Check the ranges of all members. Return SPEMU_OK or SPEMU_ERR_INVALID. Unless why is NULL, *why
 * becomes a static phrase that names the wrong part, or NULL. */
int uarch_check(const struct uarch_profile *profile, const char **why);

struct uarch_shared;
struct uarch_core;

/* Most cores of one `shared`. */
#define UARCH_MAX_CORES 1024

/* Return the bytes that a `shared` for max_cores (1..UARCH_MAX_CORES) needs, or 0 if an argument is
 * invalid. Neoverse N1: about 8 MB, touched only as far as used. */
size_t uarch_shared_size(const struct uarch_profile *profile, unsigned max_cores);

/*
 * Make a `shared` in mem: size bytes, aligned to 64, filled with zeroes (mmap or calloc do that
 * without touching it). The profile is copied. *shared points into mem, which must outlive every
 * core. SPEMU_ERR_INVALID, SPEMU_ERR_NOSPACE.
 */
int uarch_shared_init(struct uarch_shared **shared, void *mem, size_t size,
                      const struct uarch_profile *profile, unsigned max_cores);

/* Return the bytes that each core of this `shared` needs (neoverse-n1: about 250 KB). */
size_t uarch_core_size(const struct uarch_shared *shared);

/*
 * Make core `id` (0 .. max_cores - 1) in mem: size bytes, aligned to 64, filled with zeroes. mem
 * must stay as long as any core uses `shared`, because other cores invalidate lines in it. When a
 * thread ends, keep its core and give it to the next thread. SPEMU_ERR_STATE if id is taken,
 * SPEMU_ERR_INVALID, SPEMU_ERR_NOSPACE. Any thread.
 */
int uarch_core_init(struct uarch_core **core, void *mem, size_t size, struct uarch_shared *shared,
                    unsigned id);

/*
 * Say whether only one core is used until the next call, which saves the locks of the last level
 * cache; false at first. A host that said true says false before a second thread can use a core (as
 * a program calls clone()); all later calls are ordered after this one. No other thread uses a core
 * during the call. Events and latencies are the same either way. The change from true to false
 * looks through the whole last level, which takes some milliseconds.
 */
void uarch_alone(struct uarch_shared *shared, bool alone);

/*
 * Map size bytes at start by pages of 1 << shift bytes from now on. shift is page_shift of the
 * profile to 30; 0 means page_shift, and takes larger pages away. At first all memory has pages of
 * page_shift. start and size are multiples of the page size asked for; bits [63:56] of start are
 * ignored, and the range ends below them. If a part of a larger page changes, the rest of it has
 * pages of the profile's size.
 *
 * A page is one entry in both levels of the TLB, whatever its size, and a walk takes walk_cycles
 * for all sizes. Prefetches stop at pages of the profile's size, and sockets share memory out by
 * them.
 *
 * Each core forgets the translations of what changed: `core`, which is the calling thread's or
 * NULL, before the call returns; other cores at their next access that misses L1 or the first level
 * of the TLB, or that has a result. If all of the range is mapped so already, nothing changes and
 * nothing is forgotten. There is one call at a time; all cores may be used during it.
 *
 * Return SPEMU_OK; SPEMU_ERR_INVALID for the arguments; SPEMU_ERR_NOSPACE if there would be more
 * than 4096 separate ranges of larger pages, and then nothing has changed.
 */
int uarch_pages(struct uarch_shared *shared, struct uarch_core *core, uint64_t start, uint64_t size,
                unsigned shift);

/*
 * Look page sizes up, in place of uarch_pages(): for a host whose guest has translation tables.
 * page_log2 (NULL: no longer) returns log2 of the bytes of a page; a smaller number counts as
 * page_shift of the profile, and a larger one as 30. The thread that uses core calls it during an
 * access, when the first level of the TLB does not have the page. addr is bits [55:0] of any byte
 * of one of the access's pages of the profile's size. page_log2 may not call the model. core
 * forgets all translations.
 */
void uarch_look_up_pages(struct uarch_core *core, unsigned (*page_log2)(void *ctx, uint64_t addr),
                         void *ctx);

/*
 * Do TLB maintenance: core, which is the calling thread's, forgets the translations of the size
 * bytes at start, whatever the size of their pages. With all, so do the other cores of its
 * `shared`, as late as after uarch_pages(), and there is one call at a time, as of uarch_pages().
 * Without all, any thread calls it for its own core. Bits [63:56] of start are ignored, and the
 * range ends below them. Return SPEMU_OK; SPEMU_ERR_INVALID for the range.
 */
int uarch_tlb_invalidate(struct uarch_core *core, uint64_t start, uint64_t size, bool all);

/* The effects of a sampled operation; start from all zeroes. Several accesses of one operation
 * merge. */
struct uarch_result {
	uint64_t events;              /* bits of the Events packet, see spemu/codec.h */
	uint32_t latency;             /* cycles for data, of the slowest access; loads */
	uint32_t translation_latency; /* cycles waiting for translation, of the slowest access */
	/* Cycles until the store buffer had room, of the slowest access; stores */
	uint32_t store_wait;
	uint32_t accesses; /* lines touched; 0: no memory access was reported */
	/* The instruction, set by the caller; 0: not known; separates multiply, divide and
	 * barrier from other operations */
	uint32_t opcode;
	/* enum uarch_source: the farthest source of data, that of a line in flight included;
	 * loads */
	uint8_t source;
};

/* Kinds of access; an atomic or a swap is both. */
enum uarch_access_flag {
	UARCH_LOAD = 1u << 0,
	UARCH_STORE = 1u << 1,
};

/*
 * Access size bytes (1 .. 65536; 0 counts as 1) at addr. flags has at least one bit of enum
 * uarch_access_flag. Every line and page touched counts. Do it for every access, sampled or not, in
 * program order of the core. There are three steps, the last of which needs the instruction at `pc`
 * (0: not known), which trains the stride prefetcher and which a host may need time to find:
 *
 * 1. uarch_hit(), the fast path: one line, which L1 has where it was last.
 * 2. uarch_in_l1(): L1 has all of the access, in one or two lines; the first level of the TLB may
 *    miss the page. This step is optional.
 * 3. uarch_access(), which handles every access, and merges its effects into result, which may be
 *    NULL.
 *
 * The first two return true if they have done the access. If they return false, they have changed
 * nothing that a later access could notice, and the next step follows. An access with a result
 * takes the third step alone.
 */
bool uarch_hit(struct uarch_core *core, uint64_t addr, uint32_t size, unsigned flags);
bool uarch_in_l1(struct uarch_core *core, uint64_t addr, uint32_t size, unsigned flags);
void uarch_access(struct uarch_core *core, struct uarch_result *result, uint64_t pc, uint64_t addr,
                  uint32_t size, unsigned flags);

/*
 * Execute a branch at pc. flags are those of spemu_op_kind (CONDITIONAL, INDIRECT, LINK, RETURN,
 * ERET count). target is where it went; it is ignored unless taken. Return true if the branch was
 * mispredicted, and merge SPEMU_EV_MISPREDICTED into result unless that is NULL.
 */
bool uarch_branch(struct uarch_core *core, struct uarch_result *result, uint64_t pc, uint32_t flags,
                  bool taken, uint64_t target);

/*
 * Sampled fidelity: the model sees only a part of the operations, in sampling windows. From these
 * it learns how often each instruction misses, and it estimates the samples between windows. The
 * host calls uarch_window() as a window of a core begins. In the window it calls
 * uarch_sampled_access() and uarch_sampled_branch() in place of uarch_access() and uarch_branch(),
 * for each operation. Between windows it calls uarch_estimate(), for sampled operations alone.
 */

/* Levels of which per-instruction statistics count the accesses that reached them, and those that
 * went further. What "further" means: */
enum insn_stats_level {
	UARCH_LEVEL_L1 = 0,   /* L1 missed; all accesses reach this level */
	UARCH_LEVEL_PEER,     /* another core supplied the line; of L1 misses */
	UARCH_LEVEL_MODIFIED, /* that core had modified it; of PEER */
	UARCH_LEVEL_L2,       /* L2 missed; of L1 misses without a peer */
	UARCH_LEVEL_LLC,      /* the last level missed; of L2 misses */
	UARCH_LEVEL_DTLB,     /* the first level of the TLB missed; all accesses */
	UARCH_LEVEL_L2TLB,    /* the tables were walked; of DTLB misses */
	UARCH_LEVEL_BRANCH,   /* a branch was mispredicted */
	UARCH_LEVEL_LATE,     /* the line was in flight; of loads of lines that L1 or L2 has */
	UARCH_LEVELS
};

/*
 * Statistics of one instruction of the program, in the caller's memory. They belong to one model,
 * and all threads use them: of counts that race, one may be lost. The caller sets pc and parts; the
 * rest is zero at first and the model's.
 */
struct insn_stats {
	uint64_t pc;
	uint32_t parts;       /* calls of uarch_sampled_access() per execution; 0 counts as 1 */
	uint32_t store_wait;  /* recent mean, in cycles times 65536 */
	uint32_t late_cycles; /* recent mean of loads of lines in flight, in cycles times 65536 */
	uint32_t late_source; /* source of the last line in flight: enum uarch_source */
	uint32_t window;      /* number of the window that met the instruction last */
	uint32_t reached[UARCH_LEVELS];
	uint32_t further[UARCH_LEVELS];
	int32_t owed[UARCH_LEVELS]; /* events owed by earlier estimates, times 65536 */
};

/*
 * Begin a sampling window of core. complete: the core has seen everything so far, as at the start
 * of a program. In other windows the model learns nothing of L1 and the TLB until the window has
 * seen four accesses for each entry, and nothing of branches until it has seen 4096. Which lines L2
 * would have if the core had seen everything is estimated by how soon lines are used again in
 * windows. The model learns of L2 once half of the lines that L2 has were used again in this
 * window.
 */
void uarch_window(struct uarch_core *core, bool complete);

/* Return true if the window should go on until L2 is known: L1 was missed often in it, and mostly
 * by instructions whose share of L2 misses is not known. */
bool uarch_wants_more(const struct uarch_core *core);

/* Return true if the window should go on for L2: one access in 64 or more missed L1, and more than
 * an eighth of the lines that L2 has were not used again yet. */
bool uarch_wants_l2(const struct uarch_core *core);

/* Return true if loads took as long in the window as was known of them before it, to half a cycle
 * on average. Then the next window may be further away. */
bool uarch_as_known(const struct uarch_core *core);

/* Access memory, or execute a branch, in a window, as uarch_access() and uarch_branch() do, and
 * learn from it for the instruction of stats. */
void uarch_sampled_access(struct uarch_core *core, struct insn_stats *stats,
                          struct uarch_result *result, uint64_t addr, uint32_t size,
                          unsigned flags);
bool uarch_sampled_branch(struct uarch_core *core, struct insn_stats *stats,
                          struct uarch_result *result, uint32_t flags, bool taken, uint64_t target);

/*
 * Estimate a sampled operation between windows, and merge its effects into result. The operation
 * misses as often as its instruction did in windows; the lines that caches still have from there
 * decide which samples miss. flags: what the operation does at addr, with size bytes in all. flags
 * 0: it is a branch, and addr and size are ignored. No cache changes. Return true if windows met
 * the instruction often enough for this. If many were not, a window is due.
 */
bool uarch_estimate(struct uarch_core *core, struct insn_stats *stats, struct uarch_result *result,
                    uint64_t addr, uint32_t size, unsigned flags);

/*
 * Fill in a sampled operation. OR result->events into op->events; set the total, issue and
 * translation latency, the data source and their bits in op->valid. Only loads that reported an
 * access have a data source, and only loads and stores that did have a translation latency.
 * op->kind must be set. result NULL: the operation accessed no memory and mispredicted nothing.
 */
void uarch_complete(const struct uarch_core *core, struct spemu_op *op,
                    const struct uarch_result *result);

#endif
