/* SPDX-License-Identifier: MIT */
/* What an SPU in strict mode remembers (D17.9), and the table of diagnostics. */
#ifndef SPEMU_SPU_STRICT_STATE_H
#define SPEMU_SPU_STRICT_STATE_H

#include <spemu/strict.h>

/*
 * How far software has synchronized what a sampled operation does. In the order in which it has to
 * happen: a Context synchronization event after the operation, then a PSB, then a DSB for the
 * record and a Context synchronization event for the registers.
 */
enum stage { STAGE_OPEN, STAGE_ORDERED, STAGE_FORCED, STAGES };

/* What sampled operations write: their records with PMBPTR_EL1 and PMBSR_ELx; PMSICR_EL1; PMBSR_ELx.COLL,
 * which a Context synchronization event completes (RLTMKQ); and PMBSR_ELx by an External abort on the write of
 * a record, which needs the DSB too (IMLGHW). */
enum { BY_RECORDS = 1, BY_COUNTING = 2, BY_COLLISION = 4, BY_ABORT = 8, BY_ALL = 15 };

/* Registers whose direct writes become visible late, by their place in spemu__strict_register[]. */
#define STRICT_REGISTERS 17
/* The first of them are also written by the SPU; PMBSR_EL1 to PMBSR_EL3 are among those. */
#define STRICT_INDIRECT 5
#define STRICT_SYNDROME 1
#define STRICT_SYNDROMES 3
/* PMBSR_EL1 to PMBSR_EL3. */
struct syndromes {
	uint64_t value[STRICT_SYNDROMES];
};

/* A record that is made and not yet written. */
struct held {
	uint16_t size;
	uint8_t stage;
	uint8_t security; /* the owner's when the operation finished: enum spemu_security */
	uint8_t stores; /* of strict.store[]: those that no DSB had completed when the operation finished */
};
#define STRICT_QUEUE 16
#define STRICT_BYTES (2 * SPEMU_RECORD_MAX)

/* Bytes of the buffer that were written and that a DSB has not completed. */
struct strict_range {
	uint64_t address, size;
	uint8_t stage;
};
#define STRICT_RANGES 16
#define STRICT_CHANGES 4
#define STRICT_STORES 4
#define STRICT_SEEN 256 /* a power of two */

struct strict {
	bool has_pc;
	bool stop_was_read; /* software has read PMBSR_ELx.S as 1 */
	bool buffer_was_on; /* PMBLIMITR_EL1.E at the last Context synchronization event */
	bool may_sample; /* profiling into the buffer was enabled here then, or by a write since */
	bool may_restart; /* the same of profiling that is stopped: it was enabled but for PMBSR_ELx.S */
	bool syndrome_cleared; /* and has cleared the one of last_syndrome */
	uint64_t prng;
	uint64_t pc;
	uint64_t checked; /* pe.generation when the rules of enabling were last looked at */
	/* Direct writes that the profiling operation does not see yet, and what software reads. */
	uint32_t pending;
	uint32_t unsynchronized; /* written since the last Context synchronization event */
	uint64_t direct[STRICT_REGISTERS];
	/* Indirect writes that software has not synchronized: BY_* of each stage; the registers that
	 * software has written since; their values before. */
	uint8_t outstanding[STAGES];
	uint8_t overwritten;
	uint64_t old[STRICT_INDIRECT];
	struct held queue[STRICT_QUEUE];
	unsigned queued, queued_bytes;
	uint8_t bytes[STRICT_BYTES]; /* the records of queue[], one after the other */
	int status;                  /* how a late write was refused by the host */
	struct strict_range range[STRICT_RANGES];
	unsigned ranges;
	struct strict_range change[STRICT_CHANGES]; /* translations that changed */
	unsigned changes;
	/* What software has written to memory; those that no DSB has completed, as bits; the one that is
	 * next to be forgotten. */
	struct strict_range store[STRICT_STORES];
	uint8_t incomplete_stores, next_store;
	uint64_t last_syndrome, last_pointer; /* of the last fault */
	uint64_t seen[STRICT_SEEN];           /* diagnostics that were given; 0: free */
};

/* Records that no PSB has forced. */
static inline bool strict_in_flight(const struct strict *strict)
{
	return (strict->outstanding[STAGE_OPEN] | strict->outstanding[STAGE_ORDERED]) & BY_RECORDS;
}

/* diagnose.c: the diagnostics, in the order of its table. */
enum diagnosis {
	DIAGNOSE_NO_ROOM,
	DIAGNOSE_TOP_BYTE,
	DIAGNOSE_UNALIGNED,
	DIAGNOSE_AFTER_LOSS,
	DIAGNOSE_AFTER_FULL,
	DIAGNOSE_PROGRAMMED_ENABLED,
	DIAGNOSE_WRITTEN_IN_FLIGHT,
	DIAGNOSE_READ_EARLY,
	DIAGNOSE_MEMORY_EARLY,
	DIAGNOSE_MEMORY_WRITTEN,
	DIAGNOSE_PSB_UNORDERED,
	DIAGNOSE_DISABLED_IN_FLIGHT,
	DIAGNOSE_CAUSE_PERSISTS,
	DIAGNOSE_CLEARED_FIRST,
	DIAGNOSE_ENABLED_FIRST,
	DIAGNOSE_NEVER_CLEARED,
	DIAGNOSE_NEVER_WRITTEN,
	DIAGNOSE_CLEARED_EARLY,
	DIAGNOSE_CONTEXT_IN_FLIGHT,
	DIAGNOSE_REGIME_IN_FLIGHT,
	DIAGNOSE_REGIME_WHILE_ENABLED,
	DIAGNOSE_TRANSLATION_IN_USE,
	DIAGNOSE_TRANSLATION_STALE,
	DIAGNOSE_CROSSES_SECURITY,
	DIAGNOSE_RESERVED_VALUE,
	DIAGNOSE_RESERVED_BITS,
	DIAGNOSE_FILTER,
	DIAGNOSE_INTERVAL_SHORT,
	DIAGNOSE_INTERVAL_ZERO,
	DIAGNOSE_VM_IGNORED,
	DIAGNOSE_VM_SIZE,
	DIAGNOSE_VM_ADDRESS,
	DIAGNOSES,
};

struct spemu_spu;
struct spemu_pe_state;
struct spemu_sample_result;

void spemu__spu_diagnose(struct spemu_spu *s, enum diagnosis which);
/* The same about one register more, which is named first. */
void spemu__spu_diagnose_register(struct spemu_spu *s, enum diagnosis which, enum spemu_reg reg,
                                  uint64_t value);

/* The PMSCR_ELx that enables profiling here (D17.4.1): PMSCR_EL2 at EL2, and at EL0 where HCR_EL2.TGE makes it EL2's; at EL3,
 * where neither does, the owner's. */
enum spemu_reg spemu__diagnose_pmscr(const struct spemu_spu *s);

/* strict.c: called in strict mode alone, each at its place. */
extern const enum spemu_reg spemu__strict_register[STRICT_REGISTERS];
int spemu__strict_place(enum spemu_reg reg);        /* in spemu__strict_register[], or -1 */
bool spemu__strict_is_syndrome(enum spemu_reg reg); /* PMBSR_ELx */
uint64_t spemu__strict_direct(const struct spemu_spu *s,
                              enum spemu_reg reg); /* what software wrote */
/* The direct writes that become visible now, as bits of strict_register[]; whether the oldest record is
 * written now. Each draws. */
uint32_t spemu__strict_due(struct spemu_spu *s);
bool spemu__strict_record_is_due(struct spemu_spu *s);
void spemu__strict_expose(struct spemu_spu *s, uint32_t which);
/* MSR: which direct write becomes visible at once, as a bit; MRS: what is read. */
uint32_t spemu__strict_msr(struct spemu_spu *s, enum spemu_reg reg, uint64_t value);
uint64_t spemu__strict_mrs(struct spemu_spu *s, enum spemu_reg reg);
void spemu__strict_set(struct spemu_spu *s, enum spemu_reg reg, uint64_t value);
/* A Context synchronization event, before the PE's state changes, if it does. */
void spemu__strict_synchronize(struct spemu_spu *s);
void spemu__strict_psb(struct spemu_spu *s);
void spemu__strict_dsb(struct spemu_spu *s);
void spemu__strict_note(struct spemu_spu *s, unsigned by); /* an operation is about to write BY_* */
void spemu__strict_collided(struct spemu_spu *s,
                            enum spemu_reg reg); /* BY_COLLISION: COLL of reg */
/* Around the write of a record: which events were there. */
void spemu__strict_before_write(const struct spemu_spu *s, struct syndromes *before);
void spemu__strict_after_write(struct spemu_spu *s, const struct syndromes *before,
                               enum stage stage);
void spemu__strict_start(struct spemu_spu *s, bool on, uint64_t seed);

/* strict_queue.c: records that are made and not written yet. */
/* How many of the oldest: all that a PSB has forced, with those that wait before them. */
unsigned spemu__strict_forced(const struct spemu_spu *s);
bool spemu__strict_take(struct spemu_spu *s, struct held *record); /* the oldest, into s->record */
bool spemu__strict_has_room(const struct spemu_spu *s, unsigned size);
void spemu__strict_put(struct spemu_spu *s, unsigned size,
                       uint8_t stage); /* the one in s->record, as the youngest */
void spemu__strict_written(struct spemu_spu *s, const struct held *record, uint64_t address);
void spemu__strict_advance(struct spemu_spu *s, enum stage from, enum stage to);
void spemu__strict_buffer_read(struct spemu_spu *s, uint64_t address, uint64_t size);
/* Whether a record at address is in bytes that software wrote with no DSB before its operation. */
bool spemu__strict_meets_store(const struct spemu_spu *s, const struct held *record,
                               uint64_t address);
void spemu__strict_translation_changed(struct spemu_spu *s, uint64_t address, uint64_t size);

/* strict_check.c: what software did, against the rules. */
void spemu__check_synchronized(struct spemu_spu *s);
void spemu__check_enabled(struct spemu_spu *s);
void spemu__check_write(struct spemu_spu *s, enum spemu_reg reg, uint64_t value);
void spemu__check_set(struct spemu_spu *s, enum spemu_reg reg, uint64_t value);
void spemu__check_return(struct spemu_spu *s, unsigned from_el, unsigned to_el);
void spemu__check_delivery(struct spemu_spu *s, const struct held *record);
void spemu__check_event(struct spemu_spu *s);
/* strict_switch.c: changed are the bits of reg that are to change. */
void spemu__check_switch(struct spemu_spu *s, enum spemu_reg reg, uint64_t changed);

#endif
