/* SPDX-License-Identifier: MIT */
/* Strict mode (D17.9): the object around an SPU, and its parts. */
#ifndef SPEMU_SPU_STRICT_STATE_H
#define SPEMU_SPU_STRICT_STATE_H

#include <spemu/strict.h>
#include "spu/spu_object.h"

/*
 * The stages of synchronization of a sampled operation. Software has to execute, in this order: a
 * Context synchronization event after the operation (ORDERED), a PSB (FORCED), and then a DSB for
 * the record and a Context synchronization event for the registers.
 */
enum stage { STAGE_OPEN, STAGE_ORDERED, STAGE_FORCED, STAGES };

/* The writes of sampled operations, as bits: their records with PMBPTR_EL1 and PMBSR_ELx;
 * PMSICR_EL1; PMBSR_ELx.COLL, which a Context synchronization event completes (RLTMKQ); and
 * PMBSR_ELx by an External abort on the write of a record, which needs the DSB too (IMLGHW). */
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
	uint8_t stores; /* of strict.store[]: not completed by a DSB when the operation finished */
};
#define STRICT_QUEUE 16
#define STRICT_BYTES (2 * SPEMU_RECORD_MAX)

/* A range of bytes of the buffer that were written and that no DSB has completed. */
struct strict_range {
	uint64_t address, size;
	uint8_t stage;
};
#define STRICT_RANGES 16
#define STRICT_CHANGES 4
#define STRICT_STORES 4

/* Strict mode around an SPU. */
struct strict {
	struct spemu_spu *spu;
	bool stop_was_read;    /* software has read PMBSR_ELx.S as 1 */
	bool syndrome_cleared; /* software has cleared the S of last_syndrome */
	bool buffer_was_on;    /* PMBLIMITR_EL1.E at the last Context synchronization event */
	bool may_sample;       /* profiling was enabled here at that event, or by a write since */
	bool may_restart;      /* may_sample, had no PMBSR_ELx.S been 1 */
	uint64_t prng;
	uint64_t checked; /* pe.generation when the rules of enabling were last looked at */
	/* The view of software: */
	uint32_t
	        pending; /* registers whose direct write the profiling operation does not see yet */
	uint32_t
	        unsynchronized; /* registers written since the last Context synchronization event */
	uint64_t direct[STRICT_REGISTERS]; /* values of those that are pending */
	/* indirect writes that software has not synchronized */
	uint8_t outstanding[STAGES];             /* BY_* of each stage */
	uint8_t overwritten;                     /* registers that software has written since */
	uint64_t old[STRICT_INDIRECT];           /* values before */
	uint8_t slot_stage[SPEMU_IN_FLIGHT_MAX]; /* enum stage of the operation in each slot */
	struct held queue[STRICT_QUEUE];
	unsigned queued, queued_bytes;
	uint8_t bytes[STRICT_BYTES]; /* the records of queue[], one after the other */
	int status;                  /* how a late write was refused by the host */
	struct strict_range range[STRICT_RANGES];
	unsigned ranges;
	struct strict_range change[STRICT_CHANGES]; /* translations that changed */
	unsigned changes;
	struct strict_range store[STRICT_STORES]; /* writes of software to memory */
	uint8_t incomplete_stores;                /* bits of those that no DSB has completed */
	uint8_t next_store;                       /* the one that is forgotten next */
	uint64_t last_syndrome, last_pointer;     /* of the last fault */
};

/* The host's memory, as spemu_spu_init() lays it out. In plain mode strict is there, too, and does
 * nothing. */
struct spu_memory {
	struct spemu_spu spu; /* first: a pointer to the SPU is one to the memory */
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

/* strict_view.c, in strict mode only. `which` and returned sets are bits of
 * spemu__strict_register[]. */
extern const struct spu_observer spemu__strict_observer;
extern const enum spemu_reg spemu__strict_register[STRICT_REGISTERS];
/* Return the place of a register in spemu__strict_register[], or -1. */
int spemu__strict_place(enum spemu_reg reg);
bool spemu__strict_is_syndrome(enum spemu_reg reg); /* PMBSR_ELx */
/* Return a register as software wrote it. */
uint64_t spemu__strict_direct(const struct strict *strict, enum spemu_reg reg);
/* Draw the direct writes that become visible now, and whether the oldest record is written now. */
uint32_t spemu__strict_due(struct strict *strict);
bool spemu__strict_record_is_due(struct strict *strict);
/* Make direct writes visible. */
void spemu__strict_expose(struct strict *strict, uint32_t which);
/* Keep the value of an MSR. Return the direct write that becomes visible at once. */
uint32_t spemu__strict_msr(struct strict *strict, enum spemu_reg reg, uint64_t value);
/* Return the value of an MRS. */
uint64_t spemu__strict_mrs(struct strict *strict, enum spemu_reg reg);
/* Write a register for the host, at once. */
void spemu__strict_set(struct strict *strict, enum spemu_reg reg, uint64_t value);
/* Synchronize as a Context synchronization event does, before the PE's state changes, if it
 * does. */
void spemu__strict_synchronize(struct strict *strict);
void spemu__strict_psb(struct strict *strict);
void spemu__strict_dsb(struct strict *strict);
/* Note that an operation is about to write BY_*. */
void spemu__strict_note(struct strict *strict, unsigned by);
/* Note a collision, which has set COLL of reg. */
void spemu__strict_collided(struct strict *strict, enum spemu_reg reg);
/* Note the events that the write of a record leaves: called around it. */
void spemu__strict_before_write(const struct strict *strict, struct syndromes *before);
void spemu__strict_after_write(struct strict *strict, const struct syndromes *before,
                               enum stage stage);

/* strict_queue.c: records that are made and not written yet, and memory. */
/* Return how many of the oldest records a PSB has forced, with those that wait before them. */
unsigned spemu__strict_forced(const struct strict *strict);
/* Take the oldest record out of the queue, into spu->record. Return false if there is none. */
bool spemu__strict_take(struct strict *strict, struct held *record);
bool spemu__strict_has_room(const struct strict *strict, unsigned size);
/* Put the record in spu->record into the queue. */
void spemu__strict_put(struct strict *strict, unsigned size, uint8_t stage);
/* Note that a record was written at address. */
void spemu__strict_written(struct strict *strict, const struct held *record, uint64_t address);
/* Move all that is in one stage to another. */
void spemu__strict_advance(struct strict *strict, enum stage from, enum stage to);
/* Return true if a record at address is in bytes that software wrote with no DSB before its
 * operation. */
bool spemu__strict_meets_store(const struct strict *strict, const struct held *record,
                               uint64_t address);
void spemu__strict_buffer_read(struct strict *strict, uint64_t address, uint64_t size);
void spemu__strict_buffer_written(struct strict *strict, uint64_t address, uint64_t size);
void spemu__strict_translation_changed(struct strict *strict, uint64_t address, uint64_t size);
void spemu__strict_translation_maintained(struct strict *strict, uint64_t address, uint64_t size);

/* state.c: load an image, but for what follows from it. */
int spemu__state_load(struct spemu_spu *s, const uint8_t *p, size_t size);

/* state_strict.c: the block of a saved state that is there in strict mode; p NULL: of an SPU in
 * plain mode. */
#define STATE_STRICT_SIZE 4800
void spemu__state_put_strict(uint8_t *p, const struct strict *strict);
bool spemu__state_strict_is_valid(const uint8_t *p);
void spemu__state_get_strict(struct strict *strict, const uint8_t *p);

/* strict_check.c: hold what software did against the rules. */
void spemu__check_synchronized(struct strict *strict);
void spemu__check_enabled(struct strict *strict);
void spemu__check_write(struct strict *strict, enum spemu_reg reg, uint64_t value);
void spemu__check_set(struct strict *strict, enum spemu_reg reg, uint64_t value);
void spemu__check_return(struct strict *strict, unsigned from_el, unsigned to_el);
void spemu__check_delivery(struct strict *strict, const struct held *record);
void spemu__check_event(struct strict *strict);
/* strict_switch.c: the same for bits of reg that are about to change. */
void spemu__check_switch(struct strict *strict, enum spemu_reg reg, uint64_t changed);

#endif
