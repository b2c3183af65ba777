/* SPDX-License-Identifier: MIT */
/*
 * One Statistical Profiling Unit (SPU) of a PE (<spemu/pe.h>).
 *
 * The host owns the PE: it executes instructions, counts them, and describes the sampled
 * operations. The model owns the rules: the owner of the buffer, the conditions for profiling, the
 * choice of operations, and the data that are collected, filtered, written and signaled.
 *
 *   if (spemu_pe_init(&pe, pe_memory, spemu_pe_size(), &pe_config) ||
 *       spemu_spu_init(&spu, memory, spemu_spu_size(), pe, &config, &host) ||
 *       spemu_spu_msr(spu, &res, SPEMU_SYSREG_PMBLIMITR_EL1, limit | 1) ||
 *       res.outcome != SPEMU_ACCESS_OK ||
 *       write_the_other_registers(spu))     // as a driver does: examples/embed.c
 *           return -1;
 *   n = spemu_spu_ops_until_sample(spu);        // the n-th operation from here is the sample
 *   if (n == UINT64_MAX)                    // profiling is disabled
 *           return -1;
 *   if (spemu_spu_ops(spu, n - 1))              // n - 1 operations have run
 *           return -1;
 *   if (spemu_spu_sample_begin(spu, pc) != SPEMU_SAMPLE_STARTED)   // the n-th operation starts
 *           return -1;
 *   if (spemu_spu_sample_end(spu, &result, &op))   // it has finished: filtered, recorded, written
 *           return -1;
 *
 * Arm ARM: DDI 0487 M.a, D17. Objects of different PEs are independent. Only one thread at a time
 * may use an object. No function allocates, prints, reads a clock or keeps global state.
 */
#ifndef SPEMU_SPU_H
#define SPEMU_SPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/api.h>
#include <spemu/record.h>
#include <spemu/diagnostic.h>
#include <spemu/memory.h>
#include <spemu/op.h>
#include <spemu/pe.h>
#include <spemu/sysreg.h>

SPEMU_BEGIN_DECLS

struct spemu_spu; /* an object in memory that the caller provides */
struct spemu_sample_result;

/* PMU events that the SPU generates (D14.3; arch/events.txt). */
enum spemu_pmu_event {
	SPEMU_PMU_SAMPLE_POP = 0x4000,
	SPEMU_PMU_SAMPLE_FEED = 0x4001,
	SPEMU_PMU_SAMPLE_FILTRATE = 0x4002,
	SPEMU_PMU_SAMPLE_COLLISION = 0x4003,
	SPEMU_PMU_SAMPLE_FEED_DS = 0x8122,
	SPEMU_PMU_SAMPLE_BUFFER_FULL = 0x8123,
	SPEMU_PMU_SAMPLE_FEED_BR = 0x812a,
	SPEMU_PMU_SAMPLE_FEED_LD = 0x812b,
	SPEMU_PMU_SAMPLE_FEED_ST = 0x812c,
	SPEMU_PMU_SAMPLE_FEED_OP = 0x812d,
	SPEMU_PMU_SAMPLE_FEED_EVENT = 0x812e,
	SPEMU_PMU_SAMPLE_FEED_LAT = 0x812f,
	SPEMU_PMU_SAMPLE_FEED_FP = 0x8348,
	SPEMU_PMU_SAMPLE_FEED_SIMD = 0x8349,
};

/*
 * The callbacks of the host. size is sizeof(struct spemu_spu_host). Callbacks that a smaller struct
 * does not have count as NULL. The comment of each callback says if it may be NULL. A callback runs
 * on the thread of the call that causes it. It must not call functions of the same object or its
 * PE, except those that take a pointer to const.
 */
struct spemu_spu_host {
	size_t size;
	void *ctx; /* argument for the callbacks */
	/*
	 * Write size bytes (1..2048) to the Profiling Buffer, in ascending address order. In Device
	 * memory, write each byte once (D17.7.6). Return 0 if all bytes were written. Otherwise
	 * return a nonzero value and fill in *fault, with the number of written bytes in
	 * fault->written. Required unless the buffer is never enabled in Fill mode.
	 *
	 * If the host has a translate callback, access->translated is true, and all bytes lie in
	 * one region of one translation. A record inside one region is one call. Without translate,
	 * access->address is the address that software programmed. The host translates it and may
	 * return every kind of fault.
	 *
	 * Exclusive monitors (D17.7.9): this write alone must not clear a monitor of the PE, and
	 * sampling an operation must not make its Store-Exclusive fail. A write to the address of a
	 * monitor counts as a write by another observer.
	 *
	 * If the host returns an impossible result (more bytes than it received, a fault that does
	 * not exist), the record is lost, and spemu_spu_sample_end() returns SPEMU_ERR_INVALID.
	 */
	int (*buffer_write)(void *ctx, struct spemu_fault *fault,
	                    const struct spemu_buffer_write *access, const void *data, size_t size);
	/* Notify the host that the level of PMBIRQ changed (RTSJRP). May be NULL: the host calls
	 * spemu_spu_pmbirq() instead. */
	void (*pmbirq)(void *ctx, bool level);
	/* Notify the host that a PMU event (enum spemu_pmu_event) happened count times. May be
	 * NULL. */
	void (*pmu_event)(void *ctx, uint16_t event, uint64_t count);
	/* Return the physical count, PhysicalCountInt(). Required if timestamps are enabled. If
	 * NULL, CNTCR.EN counts as 0, and timestamps are disabled (D17.6). */
	uint64_t (*counter)(void *ctx);
	/*
	 * Translate access->address. Return one of:
	 * - 0, with *result filled.
	 * - SPEMU_FAULT_STAGE1, SPEMU_FAULT_STAGE2 or SPEMU_FAULT_GPC, with *fault filled; written
	 *   is ignored.
	 * - A negative value if the host cannot translate. The record is lost, and
	 *   spemu_spu_sample_end() returns the same value.
	 *
	 * A host can use its own translation or spemu_mmu_translate(). The model does not cache
	 * translations, so TLB maintenance (D17.7.8) is the task of the host's caches. May be NULL:
	 * buffer_write translates.
	 */
	int (*translate)(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
	                 const struct spemu_pe *pe, const struct spemu_buffer_write *access);
	/*
	 * Notify the host that the target of the SPE Profiling exception changed: Exception level
	 * 1, 2 or 3 if an exception is to be taken now, or 0 (RYZJQX). May be NULL: the host calls
	 * spemu_spu_profiling_exception_target() instead.
	 */
	void (*profiling_exception)(void *ctx, unsigned target_el);
	/* Notify the host that the result of spemu_spu_pmu_freeze() changed. May be NULL. */
	void (*pmu_freeze)(void *ctx, bool freeze);
	/*
	 * Take an SError exception, because a write or a walk of the SPU had an External abort. The
	 * choice external-abort decides if this happens (D17.8.4.2). May be NULL: no SError is
	 * pended.
	 */
	void (*serror)(void *ctx);
	/* Report that software broke a rule. *diagnostic is valid during the callback. May be
	 * NULL. */
	void (*diagnostic)(void *ctx, const struct spemu_diagnostic *diagnostic);
	/*
	 * Notify the host of the end of a sample for which spemu_spu_sample_end() returned
	 * SPEMU_SAMPLE_PENDING (strict mode). Samples end in the same order as they became pending.
	 * If the sample is written, its buffer_write comes earlier in the same call. May be NULL.
	 */
	void (*sample_done)(void *ctx, const struct spemu_sample_result *result);
};

/* The clock whose cycles the Alternate clock issue latency counts: PMSIDR_EL1.ALTCLK (IPXWXV). */
enum spemu_altclk {
	SPEMU_ALTCLK_SMCU = 1,    /* clock of a Streaming Mode Compute Unit; requires FEAT_SPE_SME.
	                             The packet is recorded for operations in Streaming SVE mode */
	SPEMU_ALTCLK_IMPDEF = 15, /* IMPLEMENTATION DEFINED clock */
};

/* Optional bits of the Events packet (D18.2.6): Last Level cache, remote access, misalignment,
 * Level 2 cache, data modified, recently fetched, data snooped, SMCU. */
#define SPEMU_OPTIONAL_EVENTS UINT64_C(0x2f80f00)

/* The maximum of spemu_spu_config.samples_in_flight. */
#define SPEMU_IN_FLIGHT_MAX 16

/* IMPLEMENTATION DEFINED properties of the SPU. Zero is a usable default for all but size. */
struct spemu_spu_config {
	size_t size;                /* sizeof(struct spemu_spu_config); members that a smaller
	                               struct lacks are 0 */
	struct spemu_layout layout; /* layout of records; its align_log2 is also PMBIDR_EL1.Align */
	uint8_t max_size_log2;      /* log2 of the maximum record size in bytes
	                               (PMSIDR_EL1.MaxSize), 6..11, and enough for
	                               spemu_spu_largest_record(); 0 = the smallest possible
	                               value */
	uint8_t counter_bits;       /* bits of a counter (PMSIDR_EL1.CountSize), 12 or 16; 0 = 12 */
	uint16_t min_interval;      /* minimum interval in operations (PMSIDR_EL1.Interval): 256,
	                               512, 768, 1024, 1536, 2048, 3072, 4096; 0 = 256 */
	uint8_t events_size;        /* payload bytes of the Events packet: 1, 2, 4, 8; 0 = 2, or 4
	                               if the feature level has events above bit 15 */
	uint8_t data_source_size;   /* payload of the Data Source packet in bytes: 1 or 2; 0
	                               means 1 */
	uint64_t impdef_events;     /* IMPLEMENTATION DEFINED bits of the Events packet that the
	                               implementation has */
	uint64_t missing_events;    /* bits of SPEMU_OPTIONAL_EVENTS that the implementation does
	                               not have (D18.2.6). They are 0 in records, and in
	                               PMSEVFR_EL1 and PMSNEVFR_EL1, except for event 11 */
	/* PMSIDR_EL1.ALTCLK: enum spemu_altclk. 0 means the default: no alternate clock without
	 * FEAT_SPE_ALTCLK, SPEMU_ALTCLK_SMCU with FEAT_SPE_SME, otherwise SPEMU_ALTCLK_IMPDEF. */
	uint8_t alternate_clock;
	uint8_t samples_in_flight; /* number of sampled operations that can be in flight at a
	                              time (RQWTQB): 1..SPEMU_IN_FLIGHT_MAX; 0 means 1 */
	/* Data Sources without a filter: if bit m is 1, PMSDSFR_EL1.S<m> is RAZ/WI (D24.7.10).
	 * While PMSFCR_EL1.FDS is 1, loads with Data Source m are not recorded (D17.5.4). */
	uint64_t missing_source_filters;
};

/*
 * Return the size in bytes of the largest record, padding included, that an SPU of this
 * configuration makes in a PE of these features. PMSIDR_EL1.MaxSize must be at least this size,
 * rounded up to a power of two (D24.7.14). max_size_log2 is not read. Return SPEMU_ERR_INVALID for
 * NULL, or for a layout, events_size or data_source_size out of range.
 */
int spemu_spu_largest_record(const struct spemu_spu_config *config,
                             const struct spemu_features *features);

/* Return the size of an SPU in bytes. Its memory must be aligned as max_align_t. */
size_t spemu_spu_size(void);

/*
 * Make an SPU in memory[0..size) and attach it to its PE. The memory belongs to the caller. The PE
 * must outlive the SPU. A PE has one SPU, the one attached last. config and host are copied. Return
 * SPEMU_OK; SPEMU_ERR_NOSPACE if size is below spemu_spu_size(); or SPEMU_ERR_INVALID for an
 * impossible configuration or a PE without FEAT_SPE.
 */
int spemu_spu_init(struct spemu_spu **spu, void *memory, size_t size, struct spemu_pe *pe,
                   const struct spemu_spu_config *config, const struct spemu_spu_host *host);

/*
 * Execute an MSR or MRS at the current Exception level, by encoding (SPEMU_SYSREG_*). Written RES0
 * bits are dropped. Effects are immediate in plain mode, and may be later in strict mode
 * (<spemu/strict.h>). *value is 0 unless the status is SPEMU_OK and the outcome SPEMU_ACCESS_OK.
 *
 * Return SPEMU_OK with *result filled, for every architectural outcome; SPEMU_ERR_NOT_SUPPORTED if
 * the model does not have the register, which the host then handles itself.
 */
int spemu_spu_msr(struct spemu_spu *spu, struct spemu_access_result *result, uint32_t encoding,
                  uint64_t value);
int spemu_spu_mrs(struct spemu_spu *spu, struct spemu_access_result *result, uint64_t *value,
                  uint32_t encoding);

/*
 * Decide the outcome of an MSR (write is true) or MRS of this encoding in the present state,
 * without any effect. Hosts use it if they must raise exceptions before they know the value. Return
 * SPEMU_OK, or SPEMU_ERR_NOT_SUPPORTED as spemu_spu_msr() does.
 */
int spemu_spu_access_check(const struct spemu_spu *spu, struct spemu_access_result *result,
                           uint32_t encoding, bool write);

/*
 * Execute the MSR or MRS that spemu_spu_access_check() has permitted, without a second check.
 * access is the result of that check. Between the two calls, the host must not call another
 * function of the SPU or its PE. Return SPEMU_OK; SPEMU_ERR_INVALID if the outcome is not
 * SPEMU_ACCESS_OK, or the SPU does not have the register.
 */
int spemu_spu_msr_permitted(struct spemu_spu *spu, const struct spemu_access_result *access,
                            uint64_t value);
int spemu_spu_mrs_permitted(struct spemu_spu *spu, uint64_t *value,
                            const struct spemu_access_result *access);

/*
 * Execute a barrier (D17.9). A host calls these functions, and spemu_pe_isb(), where its software
 * executes the barriers. In plain mode every effect is immediate, so a barrier has nothing to wait
 * for. In strict mode (<spemu/strict.h>) barriers order and complete effects.
 */
void spemu_spu_psb_csync(struct spemu_spu *spu);
/* Execute a DSB for loads and stores. Do not call it for DSB LD. For DSB ST, call
 * spemu_spu_dsb_st() (IMLGHW). */
void spemu_spu_dsb(struct spemu_spu *spu);

/*
 * Return the number of operations of the population up to and including the next one that is chosen
 * for sampling: 1 means the very next operation. Return UINT64_MAX while profiling is disabled in
 * the current state. Only functions that change the SPU or its PE change the number.
 */
uint64_t spemu_spu_ops_until_sample(const struct spemu_spu *spu);

/*
 * Count `count` executed operations of the population, none of them sampled, in the current state.
 * SAMPLE_POP counts them, and the interval counter decreases. Return SPEMU_OK, or SPEMU_ERR_INVALID
 * if count is not below spemu_spu_ops_until_sample(). While profiling is disabled, any count is
 * accepted and nothing happens.
 */
int spemu_spu_ops(struct spemu_spu *spu, uint64_t count);

/*
 * Report a taken branch that has retired in the current state (FEAT_SPE_PBT, D17.6.3.1). Call it
 * before spemu_pe_set() or spemu_pe_isb() reports the consequences of the branch. The next sampled
 * operation shows the target of the last such branch, if profiling was enabled where the branch was
 * executed.
 *
 * - target is a virtual address: the target of the branch, or of the exception vector.
 * - flags are bits of enum spemu_op_flag: ERET; EXCEPTION for an instruction that generated an
 *   exception; ISB, which is a branch only by choice. Other bits are ignored.
 * - destination is the state after an exception or exception return, or NULL if the state stays the
 *   same.
 *
 * Of several calls without a spemu_spu_sample_begin() between them, only the last counts, so a host
 * may omit the others. Without FEAT_SPE_PBT nothing happens, and a host need not call at all.
 */
void spemu_spu_branch(struct spemu_spu *spu, uint64_t target, uint32_t flags,
                      const struct spemu_pe_state *destination);
/*
 * Report a taken branch about which the host knows too little. Either profiling was disabled where
 * the branch was executed, as in a kernel that the host does not emulate, or the host does not know
 * the branch. The next sampled operation shows no target.
 */
void spemu_spu_branch_unknown(struct spemu_spu *spu);

/* The outcome of a sample. */
enum spemu_sample_outcome {
	SPEMU_SAMPLE_STARTED = 0, /* the sampled operation has started */
	SPEMU_SAMPLE_COLLIDED,    /* refused: too many sampled operations are in flight, and COLL
	                             is set (D17.3.7) */
	SPEMU_SAMPLE_RECORDED,    /* the record was written to the Profiling Buffer */
	SPEMU_SAMPLE_FILTERED,    /* PMSFCR_EL1 and its filters discarded the sample */
	SPEMU_SAMPLE_DISCARDED,   /* not recorded: Discard mode; or profiling was stopped or
	                             disabled meanwhile; or the operation did not retire and by
	                             choice is not captured */
	SPEMU_SAMPLE_LOST,        /* lost, because the write ended in a management event */
	SPEMU_SAMPLE_PENDING,     /* strict mode: the record has been made and is not written yet */
};
struct spemu_sample_result {
	uint8_t outcome;       /* enum spemu_sample_outcome */
	uint8_t filters;       /* FILTERED: bits {FDS, FnE, FL, FT, FE} of PMSFCR_EL1 whose filters
	                          discarded the sample */
	uint16_t written;      /* bytes written, padding included */
	bool management_event; /* this sample set PMBSR_ELx.S, for example because the buffer is
	                          full */
};

/*
 * Start the chosen operation, at pc: reload the interval counter, and collect context and
 * timestamp. Return one of:
 * - SPEMU_SAMPLE_STARTED.
 * - SPEMU_SAMPLE_COLLIDED: spemu_spu_config.samples_in_flight operations are already in flight.
 *   PMBSR_ELx.COLL was set and SAMPLE_COLLISION counted (RLTMKQ).
 * - SPEMU_ERR_STATE if spemu_spu_ops_until_sample() is not 1.
 */
int spemu_spu_sample_begin(struct spemu_spu *spu, uint64_t pc);
/*
 * End the sample of the operation that has been in flight longest: filter it, make its record and
 * write it. op describes the finished operation; op->pc is ignored, because
 * spemu_spu_sample_begin() has set the PC. Report operations between begin and end with
 * spemu_spu_ops() as usual. Return SPEMU_OK and fill *result (may be NULL), or return
 * SPEMU_ERR_STATE if no operation is in flight. If buffer_write or translate of the host fails,
 * return SPEMU_ERR_INVALID or the status of translate.
 */
int spemu_spu_sample_end(struct spemu_spu *spu, struct spemu_sample_result *result,
                         const struct spemu_op *op);
/*
 * Begin and end samples in a host that keeps several operations in flight, which may finish in any
 * order. If spemu_spu_sample_begin_slot() returns SPEMU_SAMPLE_STARTED, *slot (may be NULL) is the
 * slot of the operation, 0 .. samples_in_flight - 1, until it is passed to
 * spemu_spu_sample_end_slot(). Otherwise *slot is SPEMU_IN_FLIGHT_MAX, which is not a slot.
 * spemu_spu_sample_end_slot() returns SPEMU_ERR_INVALID for a slot out of range, and
 * SPEMU_ERR_STATE for a free slot. Everything else is as for spemu_spu_sample_begin() and
 * spemu_spu_sample_end(). spemu_spu_samples_in_flight() returns the number of slots in use. Slots
 * in use are saved and loaded; an object with fewer slots drops those that it does not have.
 */
int spemu_spu_sample_begin_slot(struct spemu_spu *spu, unsigned *slot, uint64_t pc);
int spemu_spu_sample_end_slot(struct spemu_spu *spu, struct spemu_sample_result *result,
                              unsigned slot, const struct spemu_op *op);
unsigned spemu_spu_samples_in_flight(const struct spemu_spu *spu);

/*
 * Save and load the state of the SPU that software can observe: records in flight, the state of the
 * buffer, injections and strict mode. Registers, choices and the random state belong to the PE
 * (spemu_pe_save(), spemu_pe_load()), which is loaded first. The image has a version and is the
 * same on every host.
 *
 * spemu_spu_save() returns SPEMU_OK, or SPEMU_ERR_NOSPACE if size is below spemu_spu_save_size()
 * bytes. spemu_spu_load() returns SPEMU_OK; SPEMU_ERR_TRUNCATED, SPEMU_ERR_CORRUPT, or
 * SPEMU_ERR_NOT_SUPPORTED for the image of another version. After an error the object is unchanged.
 * Do not call load from a callback; PMBIRQ may change in the call.
 *
 * spemu_spu_save_size() takes the mode, because images of strict mode are larger. Loading an image
 * of strict mode turns strict mode on, and loading another image turns it off.
 */
size_t spemu_spu_save_size(bool strict);
int spemu_spu_save(const struct spemu_spu *spu, void *buffer, size_t size);
int spemu_spu_load(struct spemu_spu *spu, const void *buffer, size_t size);

/* Return the level of PMBIRQ, derived from the state (RTSJRP, SPEInterruptEnabled()). */
bool spemu_spu_pmbirq(const struct spemu_spu *spu);

/*
 * The SPE Profiling exception (FEAT_SPE_EXC) that PMBSR_ELx.S of one Exception level requests in
 * the current state. spemu_explain_signals() fills it in (RYZJQX, Tables D17-8 to D17-10,
 * CheckForSPEException()).
 */
struct spemu_profiling_exception {
	bool pending;          /* the exception is enabled and PMBSR_ELx.S is 1 */
	bool masked;           /* the exception is pending but cannot be taken in the current
	                          state */
	uint8_t target_el;     /* Exception level that the exception is taken to if pending; else
	                          0 */
	const char *masked_by; /* the control that masks it, constant text; NULL if not masked */
};
/*
 * Return the Exception level, 1 to 3, to which an SPE Profiling exception is to be taken now, or 0
 * if no exception is pending and unmasked. Its syndrome is EC 0b111101 with ISS
 * SPEMU_PROFILING_EXCEPTION_ISS (asynchronous, from SPE).
 */
unsigned spemu_spu_profiling_exception_target(const struct spemu_spu *spu);
#define SPEMU_PROFILING_EXCEPTION_ISS 0x2

/*
 * Return true if the SPU requests that the PMU freeze its counters: PMBLIMITR_EL1.{E, PMFZ} is {1,
 * 1} and profiling is stopped (SPEFreezeOnEvent()). PMCR_EL0.FZS and MDCR_EL2.HPMFZS of the PMU
 * select the counters that freeze.
 */
bool spemu_spu_pmu_freeze(const struct spemu_spu *spu);

/*
 * The owner of the buffer in the current state (D17.7.5). spemu_spu_buffer_owner() gets it.
 * spemu_spu_profiling_enabled() returns true if profiling is enabled at el (D17.4).
 * spemu_explain_decide() (<spemu/explain.h>) gets all decisions of a PE.
 */
struct spemu_owner {
	uint8_t security; /* owning Security state: enum spemu_security */
	uint8_t el;       /* owning Exception level: 1 or 2 */
};
void spemu_spu_buffer_owner(const struct spemu_spu *spu, struct spemu_owner *owner);
bool spemu_spu_profiling_enabled(const struct spemu_spu *spu, unsigned el);

SPEMU_END_DECLS
#endif
