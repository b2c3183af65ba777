/* SPDX-License-Identifier: MIT */
/*
 * A timing model of caches, TLBs, coherence between cores and branch prediction. A host that
 * does not model time itself (an emulator) uses it to fill in events, latencies and data source.
 *
 * Sizes come from public manuals; docs/reference/machines.md lists each with its source. The
 * behavior is that of a textbook in-order core. The model does not claim real cycle counts.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.4 (data recorded for a memory access), D18.2.3 (counters), D18.2.6
 * (events). The SPU later clears events that the feature level does not have.
 *
 * Objects and threads. There is one `shared` (last level cache and directory) and any number of
 * `cores`. One thread at a time uses a core, and different cores may be used at once. Both kinds of
 * objects live in memory that the caller gives and frees. No function allocates, blocks or does
 * I/O. A lock inside `shared` is held for tens of nanoseconds, and a wait for it is bounded (a lock
 * that fork() left locked is taken over). Given the order of all calls, results are deterministic.
 *
 * Addresses are tags only. A user-mode host passes virtual addresses; then one `shared` serves one
 * process. A host that knows physical addresses may pass them for all accesses instead. Bits
 * [63:56] are ignored (top-byte tags).
 *
 * Use: call uarch_access() and uarch_branch() for every operation, with result NULL unless the
 * operation is sampled. For a sampled operation, start with a result of zeroes, and pass it to
 * uarch_complete() at the end.
 */
#ifndef UARCH_H
#define UARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/op.h>
#include <spemu/perfdata.h> /* enum spemu_perf_total */

/* A cache or TLB level. A level with entries 0 is absent (allowed for the L2 TLB only). */
struct uarch_level {
	uint32_t entries; /* lines or translations; entries / ways must be a power of two */
	uint32_t ways;    /* 1..16; for the L1 DTLB equal to entries (fully associative), 1..64 */
	uint32_t cycles;  /* caches: load-to-use latency of a hit; TLBs: cycles added by a hit */
};

/* The source of data: an index of data_source[] of the profile. */
enum uarch_source {
	UARCH_SRC_L1 = 0,
	UARCH_SRC_L2,
	UARCH_SRC_PEER, /* cache of another core */
	UARCH_SRC_LLC,
	UARCH_SRC_DRAM,
	UARCH_SRC_COUNT,
	/* Added to a source if the data belong to another socket. The payload is then
	 * remote_source of the profile. */
	UARCH_SRC_REMOTE = 8
};

/* A core model. Copy a named profile, change members, and initialize objects with the copy. */
struct uarch_profile {
	size_t size;          /* sizeof(struct uarch_profile) */
	const char *name;     /* static string */
	uint32_t midr;        /* MIDR_EL1 of the core with these sizes */
	uint32_t core_mhz;    /* core clock in MHz, for converting cycles to time */
	uint32_t timer_hz;    /* usual CNTFRQ_EL0 in Hz: relates time to timestamps */
	uint8_t counter_bits; /* bits of a Counter packet: 12 or 16 (PMSIDR_EL1.CountSize) */
	uint8_t line_shift;   /* log2 of the line size in bytes, 4..8 */
	/* log2 of the page size in bytes, 12..30; uarch_pages() adds other sizes */
	uint8_t page_shift;
	uint8_t ras_entries;    /* entries of the return stack, 1..64 */
	uint8_t bimodal_shift;  /* log2 of the counters of the per-branch predictor, 4..20 */
	uint8_t gshare_shift;   /* log2 of the counters of the history predictor, 4..20 */
	uint8_t history_bits;   /* outcomes of conditional branches in the history, 1..32 */
	uint8_t indirect_shift; /* log2 of the entries of the indirect target table, 4..16 */
	struct uarch_level l1d, l2, llc; /* l2 has at least as many entries as l1d */
	struct uarch_level dtlb, l2tlb;
	uint32_t peer_cycles;    /* load-to-use latency from another core's cache */
	uint32_t dram_cycles;    /* load-to-use latency from memory */
	uint32_t walk_cycles;    /* cycles of a translation table walk */
	uint32_t split_cycles;   /* cycles for each further line of one operation */
	uint32_t issue_cycles;   /* cycles from dispatch to issue, if operands are ready */
	uint32_t store_entries;  /* number of stores in the store buffer, 1..256 */
	uint32_t store_cycles;   /* cycles until a store is in the store buffer, if it has room */
	uint32_t branch_cycles;  /* cycles until a branch is resolved */
	uint32_t int_cycles;     /* cycles of an ALU operation */
	uint32_t mul_cycles;     /* cycles of an integer multiply */
	uint32_t div_cycles;     /* cycles of a typical 64-bit integer divide */
	uint32_t fp_cycles;      /* cycles of an FP add, multiply, convert, compare */
	uint32_t fma_cycles;     /* cycles of an FP multiply-accumulate */
	uint32_t fdiv_cycles;    /* cycles of a typical double FP divide or square root */
	uint32_t simd_cycles;    /* cycles of an Advanced SIMD or SVE integer operation */
	uint32_t barrier_cycles; /* cycles of DMB, DSB, ISB */
	uint16_t data_source[UARCH_SRC_COUNT]; /* Data Source packet payloads */
	/* 1: records of branches that are not taken have a target, the address after the branch.
	 * 0: they do not. Hosts use it as their default of the choice not-taken-target
	 * (D17.6.3). */
	uint8_t not_taken_target;
	/* 1: the core has SVE, and its SPE is at least FEAT_SPEv1p1, which records SVE. Hosts use
	 * it for their default features. */
	uint8_t sve;
	/*
	 * Several sockets: core id is in socket id / socket_cores % sockets. Memory pages and the
	 * last level are interleaved: page number n belongs to socket n % sockets.
	 */
	uint8_t sockets;        /* number of sockets, up to 8; 0 or 1: one */
	uint8_t socket_cores;   /* cores per socket; at least 1 if there are several sockets */
	uint8_t remote_source;  /* payload of the Data Source packet for data of another socket */
	uint16_t socket_cycles; /* cycles added for data of another socket */
	/*
	 * Hardware prefetchers, trained by misses of L1 and by the first use of prefetched lines.
	 * The stride prefetcher tracks the address stride of each instruction, and prefetches into
	 * L2 and, for loads, into L1. The stream prefetcher tracks neighboring lines, independent
	 * of the instruction, and prefetches into L2.
	 */
	/* Entries (instructions) of the stride prefetcher, a power of two; 0: off */
	uint8_t stride_entries;
	uint8_t stream_entries;    /* entries (pages) of the stream prefetcher, a power of two up
	                              to 64; 0: off */
	uint8_t prefetch_distance; /* maximum distance ahead in strides or lines; 1..64 with a
	                              prefetcher */
	/* Prefetches into L2 that may leave the page of the access. 0: none; 1: those of
	 * neighboring lines; 2: all. Prefetches into L1 stay in the page. */
	uint8_t prefetch_pages;
	/* Number of lines of a page that an instruction accesses in a row before its stride starts
	 * prefetches into L2; neighboring lines that may leave the page do not wait; 0 and 1: no
	 * minimum */
	uint8_t l2_prefetch_after;
	uint8_t l1_prefetch_after;    /* the same for prefetches into L1 */
	uint8_t l1_prefetch_distance; /* maximum distance ahead in L1, in strides, up to 64; 0: no
	                                 prefetches into L1 */
	/* Line fill buffers of L1: number of lines not in L2 that may be in flight at once, up to
	 * 64. With 0, a load that misses delays all later operations. */
	uint8_t fill_entries;
	/*
	 * Time. window_accesses: number of accesses that the core may dispatch after one that is
	 * not complete, up to 255. With 0, loads do not wait for their addresses, and nothing is
	 * limited by bandwidth. dispatch_width: operations dispatched in a cycle, 1..16, for hosts
	 * that count them. The gaps are the time between two lines that arrive from L2, from the
	 * last level or a peer, and from memory, in sixteenths of a cycle; 0: no limit.
	 */
	uint8_t window_accesses, dispatch_width;
	uint8_t l2_gap, llc_gap, dram_gap;
	/*
	 * forward_cycles: load-to-use latency of data from a store in the store buffer; 0: loads do
	 * not search the store buffer. retire_cycles: cycles for which loads still see a store
	 * after it could have left.
	 */
	uint8_t forward_cycles, retire_cycles;
	/*
	 * A property of the operating system, not of the core: the memory of a program that has
	 * huge pages (enum uarch_huge). The library ignores it. Hosts that know a program's memory
	 * call uarch_pages() accordingly.
	 */
	uint8_t huge_pages;
};

/* The modes of /sys/kernel/mm/transparent_hugepage/enabled. In every mode, memory that a program
 * maps with MAP_HUGETLB has huge pages. */
enum uarch_huge {
	UARCH_HUGE_NEVER = 0,
	UARCH_HUGE_MADVISE, /* memory for which the program requests huge pages */
	UARCH_HUGE_ALWAYS,  /* all memory that can have huge pages */
};

/* Return a named profile ("generic", "neoverse-n1", "neoverse-v1", "neoverse-n2", "neoverse-v2",
 * "ampereone", "cortex-a76"), or NULL. Profiles are static. Any thread may call it. */
const struct uarch_profile *uarch_profile(const char *name);

/* Return the profile at index 0, 1, ..., or NULL past the end. */
const struct uarch_profile *uarch_profile_at(size_t index);

/*
 * Change one number of a profile by its name; uarch_option_at() lists the names. Values of _size
 * are bytes, at the line size at the time of the call. Return SPEMU_OK, or SPEMU_ERR_INVALID for an
 * unknown name or a value that does not fit. uarch_check() checks the combination.
 */
int uarch_set(struct uarch_profile *profile, const char *name, uint64_t value);
/*
 * Change numbers by a text, "name=value,name=value...". Values are decimal, with K or M for 1024 or
 * 1048576; huge_pages also accepts never, madvise and always. Return SPEMU_OK; or SPEMU_ERR_INVALID
 * with the offset of the error in *error_offset (may be NULL). Values before the error stay
 * changed.
 */
int uarch_parse(struct uarch_profile *profile, size_t *error_offset, const char *text);

/* Return the name of the number at index 0, 1, ..., or NULL past the end. */
const char *uarch_option_at(size_t index);

/* Check the ranges of all members. Return SPEMU_OK or SPEMU_ERR_INVALID. Unless why is NULL,
 * *why is a static phrase that names the wrong part, or NULL. */
int uarch_check(const struct uarch_profile *profile, const char **why);

struct uarch_shared;
struct uarch_core;

/* Maximum cores of one `shared`. */
#define UARCH_MAX_CORES 1024

/* Return the bytes that a `shared` for max_cores (1..UARCH_MAX_CORES) needs, or 0 if an argument
 * is invalid. For Neoverse N1 it is about 8 MB, but only used parts are touched. */
size_t uarch_shared_size(const struct uarch_profile *profile, unsigned max_cores);

/*
 * Make a `shared` in mem: size bytes, aligned to 64, filled with zeroes (mmap or calloc do that
 * without touching it). The profile is copied. *shared points into mem, which must outlive every
 * core. Return SPEMU_OK; SPEMU_ERR_INVALID for the profile or max_cores; SPEMU_ERR_NOSPACE if size
 * is too small.
 */
int uarch_shared_init(struct uarch_shared **shared, void *mem, size_t size,
                      const struct uarch_profile *profile, unsigned max_cores);

/* Return the size in bytes of a core of this `shared` (neoverse-n1: about 250 KB). */
size_t uarch_core_size(const struct uarch_shared *shared);

/*
 * Make core `id` (0 .. max_cores - 1) in mem: size bytes, aligned to 64, filled with zeroes. mem
 * must stay as long as any core uses `shared`, because other cores invalidate lines in it. When a
 * thread ends, keep its core and give it to the next thread. Return SPEMU_OK; SPEMU_ERR_STATE if id
 * is taken; SPEMU_ERR_INVALID if it is out of range; SPEMU_ERR_NOSPACE if size is too small. Any
 * thread may call it.
 */
int uarch_core_init(struct uarch_core **core, void *mem, size_t size, struct uarch_shared *shared,
                    unsigned id);

/*
 * Announce whether only one core is used until the next call, which saves the locks of the last
 * level cache. The value is false at first. A host that has passed true passes false before a
 * second thread can use a core (when a program calls clone()), and orders all later calls after
 * this one. No other thread uses a core during the call. Events and latencies are the same either
 * way. The change from true to false scans the whole last level, which takes some milliseconds.
 */
void uarch_alone(struct uarch_shared *shared, bool alone);

/*
 * Map size bytes at start with pages of 1 << shift bytes from now on. shift is page_shift of the
 * profile to 30; 0 means page_shift, and removes larger pages. At first all memory has pages of
 * page_shift. start and size are multiples of the requested page size. Bits [63:56] of start are
 * ignored, and the range ends below them. If a part of a larger page changes, the rest of it has
 * pages of the profile's size.
 *
 * A page of any size is one entry in both levels of the TLB, and a walk takes walk_cycles for all
 * sizes. Prefetches stop at the boundaries of pages of the profile's size, and sockets interleave
 * memory by these pages.
 *
 * Each core drops the translations of the changed memory. `core`, which is the calling thread's or
 * NULL, drops them before the call returns. Other cores drop them at their next access that misses
 * L1 or the first level of the TLB, or that has a result. If all of the range already has this page
 * size, nothing changes and nothing is dropped. Only one thread at a time may make this call; all
 * cores may be used during it.
 *
 * Return SPEMU_OK; SPEMU_ERR_INVALID for an argument out of range; SPEMU_ERR_NOSPACE, without any
 * change, if there would be more than 4096 separate ranges of larger pages.
 */
int uarch_pages(struct uarch_shared *shared, struct uarch_core *core, uint64_t start, uint64_t size,
                unsigned shift);

/*
 * Set a callback that returns page sizes, instead of uarch_pages(), for a host whose guest has
 * translation tables. page_log2 returns log2 of the bytes of a page; a smaller number than
 * page_shift of the profile counts as page_shift, and a larger one than 30 as 30. NULL removes the
 * callback. The thread that uses core calls it during an access, when the first level of the TLB
 * does not have the page. addr is bits [55:0] of any byte of one of the access's pages of the
 * profile's size. page_log2 must not call the model. core drops all translations.
 */
void uarch_look_up_pages(struct uarch_core *core, unsigned (*page_log2)(void *ctx, uint64_t addr),
                         void *ctx);

/*
 * Do TLB maintenance: core, which is the calling thread's, drops the translations of size bytes at
 * start, for all page sizes. If all is true, the other cores of its `shared` also drop them, as
 * late as after uarch_pages(), and only one thread at a time may call this function or
 * uarch_pages(). If all is false, any thread may call it for its own core. Bits [63:56] of start
 * are ignored, and the range ends below them. Return SPEMU_OK, or SPEMU_ERR_INVALID for the range.
 */
int uarch_tlb_invalidate(struct uarch_core *core, uint64_t start, uint64_t size, bool all);

/* The effects of a sampled operation; start with all zeroes. Several accesses of one operation
 * are merged. */
struct uarch_result {
	uint64_t events;              /* bits of the Events packet (spemu/codec.h) */
	uint32_t latency;             /* loads: cycles until the data arrive, of the slowest
	                                 access */
	uint32_t translation_latency; /* cycles of waiting for translation, of the slowest access */
	/* Stores: cycles until the store buffer had room, of the slowest access */
	uint32_t store_wait;
	uint32_t accesses; /* number of lines touched; 0 if no memory access was reported */
	/* The instruction word, set by the caller; 0: not known. It distinguishes multiply,
	 * divide and barrier from other operations */
	uint32_t opcode;
	/* Loads: enum uarch_source of the data, the farthest one of several. For a line in flight
	 * it is the source of the line */
	uint8_t source;
};

/* Kinds of memory access; an atomic or a swap has both flags. */
enum uarch_access_flag {
	UARCH_LOAD = 1u << 0,
	UARCH_STORE = 1u << 1,
};

/*
 * Access size bytes (1 .. 65536; 0 counts as 1) at addr. flags has at least one bit of enum
 * uarch_access_flag. All lines and pages in the range count. Call it for every access, sampled or
 * not, in program order of the core. The call has three steps, so that a host can defer finding the
 * instruction at `pc` (0: not known), which only the last step needs to train the stride
 * prefetcher:
 *
 * 1. uarch_hit(), the fast path: one line, at the place in L1 where it was last.
 * 2. uarch_in_l1(): L1 has the whole access, in one or two lines; the first level of the TLB may
 *    miss the page. This step is optional.
 * 3. uarch_access(), which handles every access, and merges its effects into result, which may be
 *    NULL.
 *
 * The first two return true if they have done the access. If they return false, they have changed
 * nothing that a later access could notice, and the next step follows. An access with a result uses
 * only the third step.
 */
bool uarch_hit(struct uarch_core *core, uint64_t addr, uint32_t size, unsigned flags);
bool uarch_in_l1(struct uarch_core *core, uint64_t addr, uint32_t size, unsigned flags);
void uarch_access(struct uarch_core *core, struct uarch_result *result, uint64_t pc, uint64_t addr,
                  uint32_t size, unsigned flags);

/*
 * Set a callback that returns the number of operations that the core has executed, from any start.
 * If the number jumps back or far ahead, the operations since the last access do not count. The
 * thread that uses core calls it during an access. It must not call the model. NULL removes the
 * callback: then time advances by one cycle per access.
 */
void uarch_count_operations(struct uarch_core *core, uint64_t (*executed)(void *ctx), void *ctx);

/*
 * Give the registers of the next uarch_access() of a load: sets of general registers, register n in
 * bit n and the stack pointer in bit 31. The address depends on the last loads into `from`, and the
 * load writes `to`. Without this call, the address depends on no load.
 */
void uarch_registers(struct uarch_core *core, uint32_t from, uint32_t to);

/* Set the totals of a core since it was made. Prefetches do not count. */
void uarch_totals(uint64_t totals[SPEMU_PERF_TOTALS], const struct uarch_core *core);

/*
 * Execute a branch at pc. flags are those of spemu_op_kind; CONDITIONAL, INDIRECT, LINK, RETURN and
 * ERET count. target is the address after the branch, and is ignored unless taken. Return true if
 * the branch was mispredicted, and merge SPEMU_EV_MISPREDICTED into result unless that is NULL.
 */
bool uarch_branch(struct uarch_core *core, struct uarch_result *result, uint64_t pc, uint32_t flags,
                  bool taken, uint64_t target);

/*
 * Sampled fidelity: the model sees only a part of the operations, in sampling windows. From these
 * it learns how often each instruction misses, and it estimates the samples between windows. The
 * host calls uarch_window() at the beginning of a core's window. In the window, it calls
 * uarch_sampled_access() and uarch_sampled_branch() instead of uarch_access() and uarch_branch(),
 * for each operation. Between windows it calls uarch_estimate(), for sampled operations only.
 */

/*
 * The levels of per-instruction statistics. The statistics count the accesses that reached a level,
 * and those of them that went further. The comments give both groups, separated by a semicolon.
 */
enum insn_stats_level {
	UARCH_LEVEL_L1 = 0,   /* all accesses; those that missed L1 */
	UARCH_LEVEL_PEER,     /* L1 misses; lines that another core supplied */
	UARCH_LEVEL_MODIFIED, /* lines from another core; lines that it had modified */
	UARCH_LEVEL_L2,       /* other L1 misses; those that missed L2 */
	UARCH_LEVEL_LLC,      /* L2 misses; those that missed the last level */
	UARCH_LEVEL_DTLB,     /* all accesses; those that missed the first-level TLB */
	UARCH_LEVEL_L2TLB,    /* DTLB misses; those with a table walk */
	UARCH_LEVEL_BRANCH,   /* branches; mispredicted branches */
	UARCH_LEVEL_LATE,     /* loads that hit L1 or L2; those that waited for a line in flight */
	UARCH_LEVELS
};

/*
 * Statistics of one instruction of the program, in the caller's memory. They belong to one model,
 * and all threads use them; if updates race, a count may be lost. The caller sets pc, parts,
 * from and to. The other members start at zero and are private to the model.
 */
struct insn_stats {
	uint64_t pc;
	uint32_t parts;       /* number of calls of uarch_sampled_access() per execution; 0
	                         counts as 1 */
	uint32_t from, to;    /* arguments of uarch_registers() */
	uint32_t store_wait;  /* recent mean wait for the store buffer, in cycles times 65536 */
	uint32_t late_cycles; /* recent mean latency of loads of lines in flight, in cycles times
	                         65536 */
	uint32_t late_source; /* enum uarch_source of the last line in flight */
	uint32_t window;      /* number of the last window with the instruction */
	uint32_t reached[UARCH_LEVELS];
	uint32_t further[UARCH_LEVELS];
	int32_t owed[UARCH_LEVELS]; /* fractions of events from earlier estimates, times 65536 */
};

/*
 * Begin a sampling window of core. complete is true if the core has seen everything so far, as at
 * the start of a program. In other windows, the model learns about L1 and the TLB only after four
 * accesses for each entry, and about branches only after 4096 branches. It estimates the lines that
 * L2 would have if the core had seen everything, from how soon lines are used again in windows. It
 * learns about L2 once half of the lines in L2 were used again in this window.
 */
void uarch_window(struct uarch_core *core, bool complete);

/* Return true if the window should go on until L2 is known. This is the case if L1 was missed often
 * in it, mostly by instructions whose share of L2 misses is unknown. */
bool uarch_wants_more(const struct uarch_core *core);

/* Return true if the window should continue for L2: at least one access in 64 missed L1, and
 * more than an eighth of the lines in L2 were not used again yet. */
bool uarch_wants_l2(const struct uarch_core *core);

/* Return true if the mean latency of loads in the window was as expected from earlier windows,
 * to half a cycle. The next window may then be further away. */
bool uarch_as_known(const struct uarch_core *core);

/* Access memory, or execute a branch, in a sampling window, as uarch_access() and uarch_branch()
 * do, and learn from it for the instruction of stats. */
void uarch_sampled_access(struct uarch_core *core, struct insn_stats *stats,
                          struct uarch_result *result, uint64_t addr, uint32_t size,
                          unsigned flags);
bool uarch_sampled_branch(struct uarch_core *core, struct insn_stats *stats,
                          struct uarch_result *result, uint32_t flags, bool taken, uint64_t target);

/*
 * Estimate a sampled operation between windows, and merge its effects into result. The operation
 * misses as often as its instruction did in windows; the lines that are still in the caches from
 * windows decide which samples miss. flags are the accesses of the operation at addr, with size
 * bytes in total. flags 0 means a branch, and addr and size are ignored. The caches do not change.
 * Return true if the instruction was in windows often enough for an estimate. If many calls return
 * false, a new window is due.
 */
bool uarch_estimate(struct uarch_core *core, struct insn_stats *stats, struct uarch_result *result,
                    uint64_t addr, uint32_t size, unsigned flags);

/*
 * Fill in a sampled operation. OR result->events into op->events. Set the total, issue and
 * translation latency, the data source and their bits in op->valid. Only loads that reported an
 * access have a data source, and only loads and stores that reported one have a translation
 * latency. op->kind must be set. If result is NULL, the operation accessed no memory and
 * mispredicted nothing.
 */
void uarch_complete(const struct uarch_core *core, struct spemu_op *op,
                    const struct uarch_result *result);

#endif
