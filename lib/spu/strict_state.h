/* SPDX-License-Identifier: MIT */
/* Strict mode (D17.9): the object that contains an SPU, and its parts. */
#ifndef SPEMU_SPU_STRICT_STATE_H
#define SPEMU_SPU_STRICT_STATE_H

#include <spemu/strict.h>
#include "spu/spu_object.h"

/*
 * The stages of synchronization of a sampled operation. Software must execute, in this order, a
 * Context synchronization event after the operation (ORDERED) and a PSB (FORCED). After that, the
 * record needs a DSB, and the registers need a Context synchronization event.
 */
enum stage { STAGE_OPEN, STAGE_ORDERED, STAGE_FORCED, STAGES };

/*
 * The indirect writes of sampled operations, as bits. BY_RECORDS: records with PMBPTR_EL1 and
 * PMBSR_ELx. BY_COUNTING: PMSICR_EL1. BY_COLLISION: PMBSR_ELx.COLL, which a Context synchronization
 * event completes (RLTMKQ). BY_ABORT: PMBSR_ELx by an External abort on the write of a record,
 * which needs the DSB too (IMLGHW).
 */
enum { BY_RECORDS = 1, BY_COUNTING = 2, BY_COLLISION = 4, BY_ABORT = 8, BY_ALL = 15 };

/* The number of registers whose direct writes become visible late. Their places are the indices of
 * spemu__strict_register[]. */
#define STRICT_REGISTERS 17
/* The SPU also writes the first STRICT_INDIRECT of these registers. PMBSR_EL1 to PMBSR_EL3 are
 * STRICT_SYNDROMES registers from STRICT_SYNDROME on. */
#define STRICT_INDIRECT 5
#define STRICT_SYNDROME 1
#define STRICT_SYNDROMES 3
/* The values of PMBSR_EL1 to PMBSR_EL3. */
struct syndromes {
	uint64_t value[STRICT_SYNDROMES];
};

/* A pending record: made but not yet written. */
struct held {
	uint16_t size;
	uint8_t stage;
	uint8_t security; /* enum spemu_security of the owner when the operation finished */
	uint8_t stores;   /* bits of strict.store[]: stores that no DSB had completed when the
	                     operation finished */
};
#define STRICT_QUEUE 16
#define STRICT_BYTES (2 * SPEMU_RECORD_MAX)

/* A range of bytes: of the buffer, written and not completed by a DSB, or of memory. */
struct strict_range {
	uint64_t address, size;
	uint8_t stage;
};
#define STRICT_RANGES 16
#define STRICT_CHANGES 4
#define STRICT_STORES 4

/* The state of strict mode around an SPU. */
struct strict {
	struct spemu_spu *spu;
	bool stop_was_read;    /* software has read PMBSR_ELx.S as 1 */
	bool syndrome_cleared; /* software has cleared the S of last_syndrome */
	bool buffer_was_on;    /* PMBLIMITR_EL1.E at the last Context synchronization event */
	bool may_sample;       /* profiling was enabled here at that event, or has been enabled
	                          by a write since */
	bool may_restart;      /* value that may_sample would have if no PMBSR_ELx.S were 1 */
	uint64_t prng;
	uint64_t checked; /* pe.generation when the rules of enabling were last checked */
	/* Software's view of the registers. pending: those with a direct write that the profiling
	 * operation does not see yet. */
	uint32_t pending;
	/* those that were written since the last Context synchronization event */
	uint32_t unsynchronized;
	uint64_t direct[STRICT_REGISTERS]; /* values of pending direct writes */
	/* Indirect writes that software has not synchronized: */
	uint8_t outstanding[STAGES];             /* bits BY_* for each stage */
	uint8_t overwritten;                     /* registers that software has written after the
	                                            indirect write */
	uint64_t old[STRICT_INDIRECT];           /* values before the indirect write */
	uint8_t slot_stage[SPEMU_IN_FLIGHT_MAX]; /* enum stage of the operation in each slot */
	struct held queue[STRICT_QUEUE];
	unsigned queued, queued_bytes;
	uint8_t bytes[STRICT_BYTES]; /* records of queue[], one after the other */
	int status;                  /* status with which the host refused a late write */
	struct strict_range range[STRICT_RANGES];
	unsigned ranges;
	struct strict_range change[STRICT_CHANGES]; /* ranges whose translation changed */
	unsigned changes;
	struct strict_range store[STRICT_STORES]; /* ranges that software wrote */
	uint8_t incomplete_stores;                /* bits of stores that no DSB has completed */
	uint8_t next_store;                       /* index of the store that is dropped next */
	uint64_t last_syndrome, last_pointer;     /* PMBSR_ELx and PMBPTR_EL1 of the last fault */
};

/* The layout of the memory that the host passes to spemu_spu_init(). In plain mode the member
 * strict exists too, and is unused. */
struct spu_memory {
	struct spemu_spu spu; /* first member: a pointer to the SPU is a pointer to the memory */
	struct strict strict;
};

static inline struct strict *strict_of(struct spemu_spu *s)
{
	return &((struct spu_memory *)s)->strict;
}

static inline const struct strict *strict_of_const(const struct spemu_spu *s)
{
	return &((const struct spu_memory *)s)->strict;
}

/* Return true if there are records that no PSB has forced. */
static inline bool strict_in_flight(const struct strict *strict)
{
	return (strict->outstanding[STAGE_OPEN] | strict->outstanding[STAGE_ORDERED]) & BY_RECORDS;
}

/* strict_view.c, for strict mode only. `which` and returned sets are bits of
 * spemu__strict_register[]. */
extern const struct spu_observer spemu__strict_observer;
extern const enum spemu_reg spemu__strict_register[STRICT_REGISTERS];
/* Return the index of a register in spemu__strict_register[], or -1. */
int spemu__strict_place(enum spemu_reg reg);
/* Return true for PMBSR_ELx. */
bool spemu__strict_is_syndrome(enum spemu_reg reg);
/* Return the value of a register as software wrote it. */
uint64_t spemu__strict_direct(const struct strict *strict, enum spemu_reg reg);
/* Draw the direct writes that become visible now. spemu__strict_record_is_due() draws whether the
 * oldest record is written now. */
uint32_t spemu__strict_due(struct strict *strict);
bool spemu__strict_record_is_due(struct strict *strict);
/* Make direct writes visible. */
void spemu__strict_expose(struct strict *strict, uint32_t which);
/* Store the value of an MSR. Return the direct write that becomes visible at once. */
uint32_t spemu__strict_msr(struct strict *strict, enum spemu_reg reg, uint64_t value);
/* Return the value of an MRS. */
uint64_t spemu__strict_mrs(struct strict *strict, enum spemu_reg reg);
/* Write a register for the host, with an immediate effect. */
void spemu__strict_set(struct strict *strict, enum spemu_reg reg, uint64_t value);
/* Synchronize as a Context synchronization event does. If the PE's state changes, this call comes
 * before the change. */
void spemu__strict_synchronize(struct strict *strict);
void spemu__strict_psb(struct strict *strict);
void spemu__strict_dsb(struct strict *strict);
/* Record that an operation is about to make the indirect writes BY_*. */
void spemu__strict_note(struct strict *strict, unsigned by);
/* Record a collision, which has set COLL of reg. */
void spemu__strict_collided(struct strict *strict, enum spemu_reg reg);
/* Record the events that the write of a record causes. These two functions are called before and
 * after the write. */
void spemu__strict_before_write(const struct strict *strict, struct syndromes *before);
void spemu__strict_after_write(struct strict *strict, const struct syndromes *before,
                               enum stage stage);

/* strict_queue.c: pending records, and memory. */
/* Return the number of oldest records that a PSB has forced, including those that wait before
 * them. */
unsigned spemu__strict_forced(const struct strict *strict);
/* Move the oldest record from the queue into spu->record. Return false if the queue is empty. */
bool spemu__strict_take(struct strict *strict, struct held *record);
bool spemu__strict_has_room(const struct strict *strict, unsigned size);
/* Append the record in spu->record to the queue. */
void spemu__strict_put(struct strict *strict, unsigned size, uint8_t stage);
/* Record that a record was written at address. */
void spemu__strict_written(struct strict *strict, const struct held *record, uint64_t address);
/* Move everything in one stage to another stage. */
void spemu__strict_advance(struct strict *strict, enum stage from, enum stage to);
/* Return true if a record at address is in bytes that software wrote, without a DSB before the
 * operation of the record. */
bool spemu__strict_meets_store(const struct strict *strict, const struct held *record,
                               uint64_t address);
void spemu__strict_buffer_read(struct strict *strict, uint64_t address, uint64_t size);
void spemu__strict_buffer_written(struct strict *strict, uint64_t address, uint64_t size);
void spemu__strict_translation_changed(struct strict *strict, uint64_t address, uint64_t size);
void spemu__strict_translation_maintained(struct strict *strict, uint64_t address, uint64_t size);

/* state.c: load an image, but derive nothing from it. */
int spemu__state_load(struct spemu_spu *s, const uint8_t *p, size_t size);

/* state_strict.c: the block of a saved state that only strict mode has. p is NULL if the state was
 * saved by an SPU in plain mode. */
#define STATE_STRICT_SIZE 4800
void spemu__state_put_strict(uint8_t *p, const struct strict *strict);
bool spemu__state_strict_is_valid(const uint8_t *p);
void spemu__state_get_strict(struct strict *strict, const uint8_t *p);

/* strict_check.c: check software against the rules. */
void spemu__check_synchronized(struct strict *strict);
void spemu__check_enabled(struct strict *strict);
void spemu__check_write(struct strict *strict, enum spemu_reg reg, uint64_t value);
void spemu__check_set(struct strict *strict, enum spemu_reg reg, uint64_t value);
void spemu__check_return(struct strict *strict, unsigned from_el, unsigned to_el);
void spemu__check_delivery(struct strict *strict, const struct held *record);
void spemu__check_event(struct strict *strict);
/* strict_switch.c: do the same for bits of reg that are about to change. */
void spemu__check_switch(struct strict *strict, enum spemu_reg reg, uint64_t changed);

#endif
