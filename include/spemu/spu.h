/* SPDX-License-Identifier: MIT */
/*
 * One Statistical Profiling Unit of a PE (<spemu/pe.h>).
 *
 * The host owns the PE: it executes instructions, counts them, and describes the sampled ones. The
 * model owns the rules: the owner of the buffer, the conditions for profiling, the choice of
 * operations, and the data that are collected, filtered, written and signaled.
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
 * Arm ARM: DDI 0487 M.a, D17. Objects are independent. One thread at a time uses an object.
 * No function allocates, prints, reads a clock or keeps global state.
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

struct spemu_spu; /* lives in memory that the caller gives */
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
 * The callbacks of the host. size is sizeof(struct spemu_spu_host); callbacks that a smaller struct
 * lacks are NULL. The comment of a callback says if it may be NULL. Callbacks run on the thread of
 * the call that causes them and must not call back into the same object or its PE, except by
 * functions that take a const one.
 */
struct spemu_spu_host {
	size_t size;
	void *ctx;
	/*
	 * Write size bytes (1..2048) to the Profiling Buffer, in ascending address order; to Device
	 * memory each byte once (D17.7.6). Returns 0 if all were written; otherwise a nonzero value
	 * with *fault filled, where fault->written bytes were written. With translate,
	 * access->translated is true and the bytes lie in one region of one translation; a record
	 * inside one region is one call. Without, access->address is the address that software
	 * programmed, and the host translates it and may return every kind of fault. Required
	 * unless the buffer is never enabled in Fill mode.
	 *
	 * Exclusive monitors (D17.7.9): such a write alone must not clear a monitor of the PE, and
	 * sampling an operation must not make its Store-Exclusive fail. A write to the address of
	 * a monitor counts as a write by another observer. If the host returns nonsense (more
	 * bytes than it was given, a fault that does not exist), the record is lost:
	 * spemu_spu_sample_end() returns SPEMU_ERR_INVALID.
	 */
	int (*buffer_write)(void *ctx, struct spemu_fault *fault,
	                    const struct spemu_buffer_write *access, const void *data, size_t size);
	/* The level of PMBIRQ changed (RTSJRP). May be NULL: ask spemu_spu_pmbirq(). */
	void (*pmbirq)(void *ctx, bool level);
	/* A PMU event happened count times (enum spemu_pmu_event). May be NULL. */
	void (*pmu_event)(void *ctx, uint16_t event, uint64_t count);
	/* PhysicalCountInt(). Required if timestamps are enabled; NULL: as if CNTCR.EN were 0 and
	 * timestamps disabled (D17.6). */
	uint64_t (*counter)(void *ctx);
	/*
	 * Translate access->address: 0 with *result filled; SPEMU_FAULT_STAGE1, SPEMU_FAULT_STAGE2
	 * or SPEMU_FAULT_GPC with *fault filled (written is ignored); negative: the host cannot,
	 * the record is lost and spemu_spu_sample_end() returns the same. The host may translate by
	 * itself or with spemu_mmu_translate(). The model keeps no translation: TLB maintenance
	 * (D17.7.8) is the task of the host's caches. NULL: buffer_write translates.
	 */
	int (*translate)(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
	                 const struct spemu_pe *pe, const struct spemu_buffer_write *access);
	/* The Exception level changed to which an SPE Profiling exception is to be taken now: 1, 2,
	 * 3, or 0 for none (RYZJQX). May be NULL: ask spemu_spu_profiling_exception_target(). */
	void (*profiling_exception)(void *ctx, unsigned target_el);
	/* spemu_spu_pmu_freeze() changed. May be NULL. */
	void (*pmu_freeze)(void *ctx, bool freeze);
	/* An External abort on a write or a walk of the SPU is to be taken as an SError exception,
	 * by the choice external-abort (D17.8.4.2). NULL: nothing is pended. */
	void (*serror)(void *ctx);
	/* Software broke a rule. May be NULL. */
	void (*diagnostic)(void *ctx, const struct spemu_diagnostic *diagnostic);
	/*
	 * Strict mode: a sample for which spemu_spu_sample_end() returned SPEMU_SAMPLE_PENDING has
	 * ended. Such samples end in the order in which they became pending. The buffer_write of a
	 * sample, if any, comes before in the same call. May be NULL.
	 */
	void (*sample_done)(void *ctx, const struct spemu_sample_result *result);
};

/* PMSIDR_EL1.ALTCLK: whose cycles the Alternate clock issue latency counts (IPXWXV). */
enum spemu_altclk {
	SPEMU_ALTCLK_SMCU = 1, /* a Streaming Mode Compute Unit's; needs FEAT_SPE_SME. The packet is
	                          recorded for operations in Streaming SVE mode */
	SPEMU_ALTCLK_IMPDEF = 15,
};

/* Events of the Events packet that are optional (D18.2.6): Last Level cache, remote access,
 * misalignment, Level 2 cache, data modified, recently fetched, data snooped, SMCU. */
#define SPEMU_OPTIONAL_EVENTS UINT64_C(0x2f80f00)

/* Most sampled operations that spemu_spu_config.samples_in_flight can ask for. */
#define SPEMU_IN_FLIGHT_MAX 16

/* IMPLEMENTATION DEFINED properties of the SPU. Zero is a usable default for all but features. */
struct spemu_spu_config {
	size_t size;                /* sizeof(struct spemu_spu_config) */
	struct spemu_layout layout; /* align_log2 is also PMBIDR_EL1.Align */
	uint8_t max_size_log2;      /* PMSIDR_EL1.MaxSize, 6..11, and not less than
	                               spemu_spu_largest_record() needs; 0 = the least */
	uint8_t counter_bits;       /* PMSIDR_EL1.CountSize: 12 or 16; 0 = 12 */
	uint16_t min_interval;      /* PMSIDR_EL1.Interval in operations: 256, 512, 768, 1024, 1536,
	                               2048,      3072, 4096; 0 = 256 */
	uint8_t events_size;      /* Events packet payload bytes: 1, 2, 4, 8; 0 = 2, or 4 where the
	                             feature level has events above bit 15 */
	uint8_t data_source_size; /* Data Source packet payload bytes: 1 or 2; 0 = 1 */
	uint64_t impdef_events;   /* IMPLEMENTATION DEFINED bits of the Events packet that exist */
	uint64_t missing_events;  /* bits of SPEMU_OPTIONAL_EVENTS: events that the implementation
	                            does not have (D18.2.6). They are 0, and so are their bits in
	                            PMSEVFR_EL1 and PMSNEVFR_EL1, except event 11 */
	uint8_t alternate_clock; /* PMSIDR_EL1.ALTCLK: enum spemu_altclk. 0: without FEAT_SPE_ALTCLK
	                            none, with it SMCU if there is FEAT_SPE_SME, else IMPDEF */
	uint8_t samples_in_flight; /* sampled operations that can be in flight at a time (RQWTQB):
	                              1..SPEMU_IN_FLIGHT_MAX; 0 = 1 */
	/* Bits m: filtering on Data Source m is not supported, PMSDSFR_EL1.S<m> is RAZ/WI
	 * (D24.7.10). While PMSFCR_EL1.FDS is 1, loads with such a Data Source are not recorded
	 * (D17.5.4). */
	uint64_t missing_source_filters;
};

/*
 * The largest record in bytes, padding included, that an SPU of this configuration makes in a PE of
 * these features: PMSIDR_EL1.MaxSize, rounded up to a power of two, must hold it (D24.7.14).
 * max_size_log2 is not read. SPEMU_ERR_INVALID for NULL or a layout, events_size or
 * data_source_size that cannot be.
 */
int spemu_spu_largest_record(const struct spemu_spu_config *config,
                             const struct spemu_features *features);

/* Bytes that an object needs, and their alignment is that of max_align_t. */
size_t spemu_spu_size(void);

/*
 * Make an object in memory[0..size) and attach it to its PE, which must outlive it; a PE has one
 * SPU, the one attached last. config and host are copied. SPEMU_OK; SPEMU_ERR_NOSPACE;
 * SPEMU_ERR_INVALID for an impossible configuration, or a PE without FEAT_SPE.
 */
int spemu_spu_init(struct spemu_spu **spu, void *memory, size_t size, struct spemu_pe *pe,
                   const struct spemu_spu_config *config, const struct spemu_spu_host *host);

/*
 * MSR and MRS at the current Exception level, by encoding (SPEMU_SYSREG_*). RES0 bits written are
 * dropped; effects are at once (in strict mode later: <spemu/strict.h>). SPEMU_OK with *result
 * filled, whatever the architectural outcome; SPEMU_ERR_NOT_SUPPORTED if the model does not know
 * the encoding (the host handles that register itself). *value is 0 unless the status is SPEMU_OK
 * and the outcome SPEMU_ACCESS_OK.
 */
int spemu_spu_msr(struct spemu_spu *spu, struct spemu_access_result *result, uint32_t encoding,
                  uint64_t value);
int spemu_spu_mrs(struct spemu_spu *spu, struct spemu_access_result *result, uint64_t *value,
                  uint32_t encoding);

/*
 * Decide how an MSR (write) or MRS of this encoding would end in the present state. Nothing
 * happens. For hosts that have to raise exceptions before they know the value. SPEMU_OK;
 * SPEMU_ERR_NOT_SUPPORTED as spemu_spu_msr().
 */
int spemu_spu_access_check(const struct spemu_spu *spu, struct spemu_access_result *result,
                           uint32_t encoding, bool write);

/*
 * Carry out the MSR or MRS that spemu_spu_access_check() has permitted, without a second check.
 * access is its result, and no other function of the SPU or its PE has been called since. SPEMU_OK;
 * SPEMU_ERR_INVALID if the outcome is not SPEMU_ACCESS_OK, or the register is not the SPU's.
 */
int spemu_spu_msr_permitted(struct spemu_spu *spu, const struct spemu_access_result *access,
                            uint64_t value);
int spemu_spu_mrs_permitted(struct spemu_spu *spu, uint64_t *value,
                            const struct spemu_access_result *access);

/*
 * Barriers (D17.9), with spemu_pe_isb(): a host calls them where its software executes them. In
 * plain mode every effect is at once, so they have nothing to wait for; in strict mode
 * (<spemu/strict.h>) they order and complete effects.
 */
void spemu_spu_psb_csync(struct spemu_spu *spu);
/* One for loads and stores; not DSB LD, and not DSB ST: spemu_spu_dsb_st() (IMLGHW). */
void spemu_spu_dsb(struct spemu_spu *spu);

/*
 * Return how many operations of the population are left up to and including the next one that is
 * chosen for sampling: 1 means the very next one. UINT64_MAX while profiling is disabled in the
 * current state. Changes only by the functions of this header.
 */
uint64_t spemu_spu_ops_until_sample(const struct spemu_spu *spu);

/*
 * count operations were executed in the current state, none of them sampled: SAMPLE_POP, and the
 * interval counter goes down. SPEMU_ERR_INVALID if count is not below spemu_spu_ops_until_sample().
 * While profiling is disabled any count is accepted and nothing happens.
 */
int spemu_spu_ops(struct spemu_spu *spu, uint64_t count);

/*
 * FEAT_SPE_PBT: a branch was taken and has retired (D17.6.3.1), in the current state: call it
 * before spemu_pe_set() and spemu_pe_isb() report what followed. target is a virtual address; flags
 * are those of enum spemu_op_flag that say which branch it was: ERET; EXCEPTION, for an instruction
 * that generated an exception, target being the vector's address; ISB, which is a branch only by
 * choice; others do not matter. destination is the state that an exception or exception return led
 * to, NULL for the same. The next sampled operation shows the target of the last such branch, if
 * profiling was enabled where it was executed.
 *
 * Of several calls without a spemu_spu_sample_begin() between them only the last counts, so a host
 * may make that one alone. Without FEAT_SPE_PBT nothing happens, and a host need not call at all.
 */
void spemu_spu_branch(struct spemu_spu *spu, uint64_t target, uint32_t flags,
                      const struct spemu_pe_state *destination);
/*
 * The same where the host knows that profiling was disabled where the branch taken last was
 * executed, as in a kernel that it does not emulate, or does not know which branch it was: the next
 * sampled operation shows none.
 */
void spemu_spu_branch_unknown(struct spemu_spu *spu);

/* The fate of a sample. */
enum spemu_sample_outcome {
	SPEMU_SAMPLE_STARTED = 0,
	SPEMU_SAMPLE_COLLIDED,  /* another sampled operation is in flight: COLL (D17.3.7) */
	SPEMU_SAMPLE_RECORDED,  /* written to the Profiling Buffer */
	SPEMU_SAMPLE_FILTERED,  /* discarded by PMSFCR_EL1 */
	SPEMU_SAMPLE_DISCARDED, /* Discard mode, or profiling stopped or disabled meanwhile; or an
	                           operation that did not retire and is by choice not captured */
	SPEMU_SAMPLE_LOST,      /* the write ended in a management event */
	SPEMU_SAMPLE_PENDING,   /* strict mode: the record is made, and not written yet */
};
struct spemu_sample_result {
	uint8_t outcome;  /* enum spemu_sample_outcome */
	uint8_t filters;  /* for FILTERED: PMSFCR_EL1 bits {FDS, FnE, FL, FT, FE} that discarded it
	                   */
	uint16_t written; /* bytes, padding included */
	bool management_event; /* PMBSR_ELx.S was set by this sample, buffer full included */
};

/*
 * The chosen operation, at pc, starts: the interval counter is reloaded, context and timestamp are
 * collected. Returns SPEMU_SAMPLE_STARTED or SPEMU_SAMPLE_COLLIDED; SPEMU_ERR_STATE if
 * spemu_spu_ops_until_sample() is not 1. COLLIDED: as many operations are in flight as
 * spemu_spu_config.samples_in_flight says, PMBSR_ELx.COLL was set and SAMPLE_COLLISION counted
 * (RLTMKQ).
 */
int spemu_spu_sample_begin(struct spemu_spu *spu, uint64_t pc);
/*
 * The operation that has been in flight longest has finished: filter it, make its record and write
 * it. op->pc is ignored (the one of begin counts). SPEMU_ERR_STATE if none is in flight; else
 * SPEMU_OK with *result (may be NULL) filled. The operations between begin and end are counted by
 * spemu_spu_ops() as usual.
 */
int spemu_spu_sample_end(struct spemu_spu *spu, struct spemu_sample_result *result,
                         const struct spemu_op *op);
/*
 * The same for hosts that keep several operations in flight, which may finish in any order. begin
 * writes to *slot (may be NULL), if it returns SPEMU_SAMPLE_STARTED, which of the slots 0 ..
 * samples_in_flight - 1 holds the operation until end is called with it, and else
 * SPEMU_IN_FLIGHT_MAX, which no slot has. end: SPEMU_ERR_INVALID for a slot out of range;
 * SPEMU_ERR_STATE for one that is free. Slots in use are saved and loaded; what an object that has
 * fewer slots loads beyond them is dropped. spemu_spu_samples_in_flight(): how many are in use.
 */
int spemu_spu_sample_begin_slot(struct spemu_spu *spu, unsigned *slot, uint64_t pc);
int spemu_spu_sample_end_slot(struct spemu_spu *spu, struct spemu_sample_result *result,
                              unsigned slot, const struct spemu_op *op);
unsigned spemu_spu_samples_in_flight(const struct spemu_spu *spu);

/*
 * Save and load all of the SPU that software can observe: records in flight, the state of the
 * buffer, injections, strict mode; registers, choices and the random state are the PE's
 * (spemu_pe_save(), spemu_pe_load()), which is loaded first. The image is the same on every host
 * and is versioned. save: SPEMU_OK; SPEMU_ERR_NOSPACE below spemu_spu_save_size() bytes. load:
 * SPEMU_OK; SPEMU_ERR_TRUNCATED, SPEMU_ERR_CORRUPT, SPEMU_ERR_NOT_SUPPORTED (another version's
 * image), and then the object is as it was. Call load outside any callback; PMBIRQ may change in
 * it.
 *
 * strict: the size for an object in strict mode, whose image is larger. Its image turns strict mode
 * on in the object that loads it, as another one turns it off.
 */
size_t spemu_spu_save_size(bool strict);
int spemu_spu_save(const struct spemu_spu *spu, void *buffer, size_t size);
int spemu_spu_load(struct spemu_spu *spu, const void *buffer, size_t size);

/* The level of PMBIRQ, derived from state (RTSJRP, SPEInterruptEnabled()). */
bool spemu_spu_pmbirq(const struct spemu_spu *spu);

/*
 * The SPE Profiling exception (FEAT_SPE_EXC) that PMBSR_ELx.S of one Exception level asks for, in
 * the current state, as spemu_explain_signals() describes it (RYZJQX, Tables D17-8 to D17-10,
 * CheckForSPEException()).
 */
struct spemu_profiling_exception {
	bool pending;          /* enabled, and PMBSR_ELx.S is 1 */
	bool masked;           /* pending, and not to be taken in the current state */
	uint8_t target_el;     /* where it is taken to, if pending; else 0 */
	const char *masked_by; /* constant text: what masks it; NULL if not masked */
};
/*
 * Return the Exception level to which an SPE Profiling exception is to be taken now: 1, 2, 3; 0 if
 * none is pending and unmasked. Its syndrome is EC 0b111101 with ISS SPEMU_PROFILING_EXCEPTION_ISS
 * (asynchronous, from SPE).
 */
unsigned spemu_spu_profiling_exception_target(const struct spemu_spu *spu);
#define SPEMU_PROFILING_EXCEPTION_ISS 0x2

/*
 * Return true if the SPU asks the PMU to freeze its counters: PMBLIMITR_EL1.{E, PMFZ} is {1, 1} and
 * profiling is stopped. What freezes is up to PMCR_EL0.FZS and MDCR_EL2.HPMFZS of the PMU
 * (SPEFreezeOnEvent()).
 */
bool spemu_spu_pmu_freeze(const struct spemu_spu *spu);

/* The owner of the buffer (D17.7.5); and true if profiling is enabled at el (D17.4). Both in the
 * current state. spemu_explain_decide() (<spemu/explain.h>) has all decisions of a PE. */
struct spemu_owner {
	uint8_t security; /* enum spemu_security */
	uint8_t el;       /* 1 or 2 */
};
void spemu_spu_buffer_owner(const struct spemu_spu *spu, struct spemu_owner *owner);
bool spemu_spu_profiling_enabled(const struct spemu_spu *spu, unsigned el);

SPEMU_END_DECLS
#endif
