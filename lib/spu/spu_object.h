/* SPDX-License-Identifier: MIT */
/* Declarations that the stages of lib/spu share: the SPU object, and the entry points of each
 * stage. */
#ifndef SPEMU_SPU_SPU_OBJECT_H
#define SPEMU_SPU_SPU_OBJECT_H

#include <spemu/inject.h>
#include <spemu/spu.h>
#include <spemu/strict.h>
#include "pe/clause.h"
#include "spu/diagnosis.h"

/* The data that are collected when an operation is chosen, before it has finished. */
struct collected {
	bool in_flight;
	uint64_t serial; /* number in the order of begins: of two samples in flight, the older one
	                    has the smaller number */
	bool has_context1, has_context2, has_timestamp, has_previous_target;
	bool at_end;       /* the timestamp is read when the operation finishes */
	bool has_physical; /* a data physical address may be recorded */
	bool streaming;    /* PSTATE.SM: Streaming SVE mode */
	uint32_t context1, context2;
	uint64_t pc; /* payload of the Address packet */
	uint64_t timestamp;
	uint64_t previous_target; /* payload of the Address packet */
};

/*
 * Facts about every sample that follow from the registers, the PE's state, the choices and the
 * configuration. spu.c derives them when one of these changes, so that a sample only reads them.
 */
struct facts {
	uint64_t context_byte;   /* result of spemu__collect_context_byte() */
	uint64_t events;         /* events that an operation can have */
	uint64_t timestamp_less; /* offset that is subtracted from the counter */
	bool context1, context2, timestamp, timestamp_at_end, physical_address;
	uint64_t reload;        /* reload value of PMSICR_EL1.COUNT, without a random byte */
	uint32_t counter_max;   /* the greatest value of a latency counter, which saturates */
	bool jitter, secondary; /* PMSIRR_EL1.RND; secondary: with FEAT_SPE_ERnd */
	bool filters;           /* at least one filter of PMSFCR_EL1 is enabled */
	bool reserved_owner;    /* MDCR_EL3.{NSPBE, NSPB} is reserved */
	bool direct;            /* the host translates virtual addresses when it writes */
};

struct injection {
	struct spemu_injection rule;
	uint64_t countdown; /* records up to and including the next one that is due
	                       (SPEMU_INJECT_NTH) */
	uint64_t happened;
};

/* The state of the buffer after a management event (D17.7.4). */
enum ended { ENDED_NOT, ENDED_FULL, ENDED_LOSS };

/* Conditions of RHXSYK and RHLXGD that can be violated. */
enum { RESTRICTION_ROOM = 1, RESTRICTION_TOP_BYTE = 2, RESTRICTION_ALIGNMENT = 4 };

/* Callbacks of strict mode, for events inside the plain model. */
struct spu_observer {
	void (*counter_loads)(struct spemu_spu *s); /* called before PMSICR_EL1 is loaded
	                                               (D17.3.3) */
};

/* The progress of a change of a register, a choice or the state. The head of spu.c lists the
 * transitions. */
enum change {
	CHANGE_REPORTED, /* the change was reported to the other units of the PE */
	CHANGE_NOTED,    /* the members that depend on registers, choices and state are out of
	                    date */
	CHANGE_DERIVED,  /* derived members are up to date, but the other units do not know of
	                    the change */
};

struct spemu_spu {
	struct spemu_pe *pe;
	struct spemu_spu_config config; /* configuration with defaults filled in */
	struct spemu_spu_host host;
	/* Strict mode, which is an object around this one, or NULL in plain mode. */
	const struct spu_observer *observer;
	uint8_t next_random; /* drawn in advance, so that the distance to the next sample is
	                        known */
	bool enabled;        /* cached value: profiling is enabled in the current state */
	uint8_t change;      /* enum change: progress of the last change */
	/* Members that spu.c derives from registers and state: */
	bool stopped, buffer_enabled, discard_mode;
	struct spemu_buffer_write access; /* properties that all writes have in common */
	struct spemu_vm_rules vm;         /* all 0 if there are no restrictions */
	struct facts facts;
	/* Signal levels as last reported to the host: */
	bool irq, freeze;
	uint8_t exception_target;
	/* State of the buffer (D17.7.4): */
	bool restart_check_due; /* call spemu__restart_check() when profiling is next enabled */
	uint8_t violations;     /* RESTRICTION_* bits; if not 0, the choice pointer-restriction
	                           decides about records */
	struct {
		uint8_t how; /* enum ended: the last management event */
		uint64_t pointer, limit;
	} ended;
	/* An External abort or a fault whose event is still pending (RJFYNW, RWVKFM). */
	bool asynchronous_abort;
	struct spemu_fault late_fault;
	struct injection injection[SPEMU_INJECTIONS_MAX];
	unsigned injections;
	uint64_t inject_prng;
	uint64_t until_sample; /* cached value: operations up to and including the next chosen
	                          one */
	uint64_t next_serial;
	bool has_previous_target;                     /* previous_target is valid (FEAT_SPE_PBT) */
	uint64_t previous_target;                     /* payload of the Address packet */
	struct collected sample[SPEMU_IN_FLIGHT_MAX]; /* slots; the first
	                                                 config.samples_in_flight are used */
	uint8_t record[SPEMU_RECORD_MAX];
	struct diagnosing diagnosing;
};

static inline bool spu_has(const struct spemu_spu *s, enum spemu_feature feature)
{
	return pe_has(s->pe, feature);
}

static inline bool spu_has_sve_or_sme(const struct spemu_spu *s)
{
	return spu_has(s, SPEMU_FEAT_SVE) || spu_has(s, SPEMU_FEAT_SME);
}

/* Return PMBLIMITR_EL1.LIMIT as an address: the end of the buffer. */
static inline uint64_t buffer_limit(const struct spemu_pe *pe)
{
	return REG_FIELD(pe, PMBLIMITR_EL1, LIMIT) << 12;
}

static inline void spu_pmu_event(const struct spemu_spu *s, uint16_t event, uint64_t count)
{
	if (s->host.pmu_event && count)
		s->host.pmu_event(s->host.ctx, event, count);
}

/*
 * spu.c: the plain model. strict.c calls it for the host and for the PE. Each call of the host that
 * changes the SPU ends with spemu__spu_update().
 */
void spemu__spu_init(struct spemu_spu *s, struct spemu_pe *pe,
                     const struct spemu_spu_config *config, const struct spemu_spu_host *host,
                     const struct pe_unit_calls *calls);
/* Derive values that are out of date. spemu__spu_update() also reports the change to the other
 * units of the PE. */
void spemu__spu_refresh(struct spemu_spu *s);
void spemu__spu_update(struct spemu_spu *s);
/* Functions for the table of struct pe_unit_calls. */
void spemu__spu_synchronize(struct spemu_spu *s, bool isb);
void spemu__spu_synchronized(struct spemu_spu *s, const struct spemu_pe_state *before);
void spemu__spu_changed(struct spemu_spu *s);
/* Write a register, as an MSR does. Call spemu__spu_before_write() before its value changes. */
void spemu__spu_write(struct spemu_spu *s, enum spemu_reg reg, uint64_t value);
void spemu__spu_before_write(struct spemu_spu *s, enum spemu_reg reg);
void spemu__spu_psb(struct spemu_spu *s);
int spemu__spu_ops(struct spemu_spu *s, uint64_t count);
int spemu__spu_begin(struct spemu_spu *s, unsigned *slot, uint64_t pc);
/*
 * Finish the operation in a slot and write its record. The slot stays in use. If held is not NULL,
 * leave the record in s->record for spemu__spu_write_record() instead of writing it, and set *held
 * to its size.
 */
int spemu__spu_end(struct spemu_spu *s, struct spemu_sample_result *result, unsigned slot,
                   const struct spemu_op *op, unsigned *held);
int spemu__spu_write_record(struct spemu_spu *s, struct spemu_sample_result *result, unsigned size);

/* spu_config.c: fill in defaults. Return SPEMU_OK, or SPEMU_ERR_INVALID for an impossible
 * configuration. */
int spemu__config_resolve(struct spemu_spu_config *c, const struct spemu_features *features);

/* register.c: return the writable bits; write a register at once; return the value that a read
 * shows if value is stored. */
uint64_t spemu__register_writable(const struct spemu_spu *s, enum spemu_reg reg);
void spemu__register_write(struct spemu_spu *s, enum spemu_reg reg, uint64_t value);
/* Return true if MSR and MRS of the register belong to the SPU. */
bool spemu__register_is_ours(const struct sysreg_desc *desc);
uint64_t spemu__register_shows(const struct spemu_spu *s, enum spemu_reg reg, uint64_t value);

/* vm_rules.c: restrictions by a hypervisor. */
bool spemu__vm_ignores(enum spemu_reg reg, uint64_t value,
                       uint64_t limit); /* limit is PMBLIMITR_EL1 as software wrote it */
bool spemu__vm_buffer_too_large(const struct spemu_spu *s);
/* Return the number of bytes that PMBIDR_EL1.MaxBuffSize encodes, or UINT64_MAX for 0. */
uint64_t spemu__vm_max_buff_size(uint16_t max_buff_size);

/* owner.c: the owner of the buffer. */
struct spemu_owner spemu__spu_owner(const struct spemu_pe *pe);
bool spemu__spu_effective_nvm(const struct spemu_pe *pe);

/* enable.c: the decisions of D17.4, which are folds of clause tables, like those of owner.c and
 * route.c. */
bool spemu__spu_stopped(const struct spemu_pe *pe);
bool spemu__spu_buffer_enabled(const struct spemu_pe *pe);
bool spemu__spu_enabled_at(const struct spemu_pe *pe, unsigned el);
/* Return true unless Table D17-1 marks the Exception level n/a. */
bool spemu__spu_el_available(const struct spemu_pe *pe, unsigned el);
/* The comments name the result, or the members of struct clause_context that a decision reads
 * besides pe. */
extern const struct decision spemu__spu_owner_security; /* enum spemu_security */
extern const struct decision spemu__spu_owner_el;       /* answer: 1 or 2 */
extern const struct decision spemu__spu_profiling_stopped;
extern const struct decision spemu__spu_buffer_decision;
extern const struct decision spemu__spu_enabled_decision; /* reads el */
extern const struct decision spemu__spu_route_decision;   /* reads ec and fsc; answer: the x of
                                                             PMBSR_ELx */

/* interval.c: the choice of operations. */
void spemu__interval_prepare(struct spemu_spu *s); /* sets the members of s->facts for intervals */
void spemu__interval_refresh(struct spemu_spu *s); /* derives until_sample from registers and
                                                      s->enabled */
/* Count n operations of the population, at most until_sample of them. */
void spemu__interval_advance(struct spemu_spu *s, uint64_t n);
/* Count n operations inline if no counter reaches 0. */
static inline void interval_advance(struct spemu_spu *s, uint64_t n)
{
	uint64_t *counter = &s->pe->reg[SPEMU_REG_PMSICR_EL1];

	if (n >= *counter || *counter > UINT32_MAX) { /* COUNT reaches 0, or ECOUNT is not 0 */
		spemu__interval_advance(s, n);
		return;
	}
	*counter -= n;
	s->until_sample -= n;
}
void spemu__interval_init(struct spemu_spu *s);
/* Call this when profiling becomes enabled after a change of the PE's state. */
void spemu__interval_enable(struct spemu_spu *s);

/* collect.c: data that are collected when an operation starts. */
void spemu__collect_prepare(struct spemu_spu *s);
void spemu__collect_begin(struct spemu_spu *s, struct collected *sample, uint64_t pc);
/* Return the timestamp for a sample with a timestamp. */
uint64_t spemu__collect_end(const struct spemu_spu *s, const struct collected *sample);
bool spemu__collect_physical_address(const struct spemu_pe *pe);
uint64_t spemu__collect_context_byte(
        const struct spemu_pe *pe); /* returns NS, EL, NSE of the current state, in bits 63:56 */

uint64_t spemu__collect_context_of(unsigned security, unsigned el);

/* prev_branch.c: the target of the last taken branch. */
void spemu__prev_branch_synchronize(struct spemu_spu *s); /* handles a Context synchronization
                                                             event */
bool spemu__prev_branch_is_shown(const struct spemu_spu *s, const struct collected *sample,
                                 const struct spemu_op *op);

/* operation.c: normalize an operation for filters and record; return its Events packet; decide
 * whether it has a record, and whether that record has more than the Events packet. */
bool spemu__operation_is_normal(const struct spemu_spu *s, const struct spemu_op *op);
void spemu__operation_normalize(struct spemu_spu *s, const struct collected *sample,
                                struct spemu_op *op);
uint64_t spemu__operation_events(const struct spemu_spu *s, const struct collected *sample,
                                 const struct spemu_op *op);
/* Return the events that the implementation has. */
uint64_t spemu__operation_existing_events(const struct spemu_spu *s);
bool spemu__operation_is_captured(const struct spemu_spu *s, const struct spemu_op *op);
bool spemu__operation_is_shown_whole(const struct spemu_spu *s, const struct spemu_op *op);

/* filter.c: return the PMSFCR_EL1 bits {FDS, FnE, FL, FT, FE} of the filters that discard the
 * sample; 0 if it is recorded. */
bool spemu__filter_any(const struct spemu_pe *pe);
unsigned spemu__filter_sample(const struct spemu_spu *s, const struct spemu_op *op,
                              uint64_t events);
uint64_t spemu__filter_event_mask(const struct spemu_spu *s);
/* Return true if the filter is disabled, or its selection is neither empty nor contradictory. */
bool spemu__filter_types_make_sense(const struct spemu_pe *pe);
bool spemu__filter_events_make_sense(const struct spemu_pe *pe);
bool spemu__filter_latency_makes_sense(const struct spemu_pe *pe);
/* Return false if no operation can have the type that the filter selects. */
bool spemu__filter_some_type_passes(const struct spemu_pe *pe);
/* Return true if the type filter, as it is set, selects operations of this kind. */
bool spemu__filter_selects_type(const struct spemu_spu *s, const struct spemu_op_kind *kind);

/* Decisions of other stages about the record of a sample. */
struct shown {
	bool whole;           /* operation.c: the record has more than the Events packet */
	bool previous_target; /* prev_branch.c: the record has a previous target */
	uint64_t timestamp;   /* collect.c: timestamp, if the sample has one */
};

/* construct.c: make the record in s->record. Return its size, padding included. */
unsigned spemu__record_make(struct spemu_spu *s, const struct collected *sample,
                            const struct spemu_op *op, uint64_t events, const struct shown *shown);

/* buffer_address.c: the destination of a write. */
void spemu__address_prepare(struct spemu_spu *s);
int spemu__address_resolve(struct spemu_spu *s, struct spemu_buffer_write *access,
                           struct spemu_translation *t, struct spemu_fault *fault,
                           uint64_t address);

/* inject.c: return the injection that is due for a record at address, or NULL. *offset is the
 * place of its fault in the record. */
const struct spemu_injection *spemu__inject_due(struct spemu_spu *s, unsigned *offset,
                                                uint64_t address, unsigned size);
bool spemu__injection_is_valid(const struct spemu_injection *injection);
bool spemu__fault_is_valid(const struct spemu_fault *fault);

/* restart.c: the rules for the write pointer. */
bool spemu__restart_has_room(const struct spemu_spu *s, uint64_t pointer, uint64_t limit);
void spemu__restart_check(struct spemu_spu *s);
/* Return the conditions, RESTRICTION_*, that PMBPTR_EL1 and PMBLIMITR_EL1 violate. */
unsigned spemu__restart_violations(const struct spemu_pe *pe, unsigned max_size_log2,
                                   unsigned align_log2);
void spemu__restart_note_event(struct spemu_spu *s, bool full, bool loss);

/* Outcomes of the write of a record or of a part of it. A negative value means that the host
 * returned an impossible result. */
enum write_end {
	WRITE_DONE,      /* written, as far as software can see */
	WRITE_STOPPED,   /* ended in a management event */
	WRITE_DISCARDED, /* not written, without a management event */
};

/* An event of a write, to be recorded by manage.c. */
struct cause {
	enum {
		CAUSE_FAULT,
		CAUSE_NOT_ALLOWED,
		CAUSE_BUFFER_SIZE,
		CAUSE_FULL,
		CAUSE_IMPDEF,
		CAUSE_COLLISION
	} kind;
	unsigned mss, mss2; /* for CAUSE_IMPDEF */
	struct spemu_fault fault;
};

/* The write of a record. It has at most four causes: an injected collision, a fault of each
 * part, and an injected fault. */
struct write {
	int end;   /* enum write_end, or a negative status */
	bool full; /* the buffer has no room for another record, or an injection demands this
	              event */
	unsigned causes;
	struct cause cause[4]; /* causes in order */
};

/* buffer.c: write the record in s->record at PMBPTR_EL1. */
bool spemu__buffer_discard_mode(const struct spemu_pe *pe);
void spemu__buffer_write_record(struct spemu_spu *s, struct write *w, unsigned size);

/* route.c: the PMBSR_ELx for an event. */
unsigned spemu__route_target_el(const struct spemu_pe *pe, unsigned ec, unsigned fsc);

/* manage.c: record an event in the registers. */
void spemu__manage(struct spemu_spu *s, const struct cause *cause);
void spemu__manage_not_allowed(struct spemu_spu *s); /* for CAUSE_NOT_ALLOWED */
void spemu__manage_buffer_full(struct spemu_spu *s); /* for CAUSE_FULL */
/* Return how a fault ends the write, as an enum write_end. */
int spemu__manage_end_of_fault(const struct spemu_spu *s, const struct spemu_fault *fault);
void spemu__manage_asynchronous_abort(struct spemu_spu *s); /* if there is one */
void spemu__manage_late_fault(struct spemu_spu *s);         /* if there is one */
void spemu__manage_collision(struct spemu_spu *s);
enum spemu_reg spemu__manage_collision_register(const struct spemu_pe *pe); /* returns the
                                                                               PMBSR_ELx whose
                                                                               COLL is set */

/* signal.c: the signals of the SPU. */
bool spemu__signal_irq_level(const struct spemu_pe *pe);
struct spemu_profiling_exception spemu__signal_exception(const struct spemu_pe *pe,
                                                         unsigned el); /* el is 1 to 3 */
unsigned spemu__signal_taken_to(const struct spemu_pe *pe); /* returns an Exception level, or 0
                                                               for none */
void spemu__signal_update(struct spemu_spu *s);             /* reports changes to the host */
extern const struct decision spemu__spu_interrupt_decision;
extern const struct decision spemu__spu_exception_pending[3]; /* for PMBSR_EL1, _EL2, _EL3 */
extern const struct decision spemu__spu_exception_masked[3];

/* state_buffer.c: the block of a saved state for the buffer and the injections; it has a fixed
 * size. */
#define STATE_INJECTION_SIZE 72
#define STATE_BUFFER_SIZE (64 + SPEMU_INJECTIONS_MAX * STATE_INJECTION_SIZE)
void spemu__state_put_buffer(uint8_t *p, const struct spemu_spu *s);
bool spemu__state_buffer_is_valid(const uint8_t *p);
void spemu__state_get_buffer(struct spemu_spu *s, const uint8_t *p);

/* identify.c: read-only registers, and the bits that the SPU's properties remove from writable
 * registers. */
void spemu__identify_masks(const struct spemu_spu *s); /* narrows pe->mask[] */
uint64_t spemu__identify_pmsidr(const struct spemu_spu *s);
/* Return the fields of ID_AA64DFRn_EL1 that belong to SPE; the host sets the others. */
uint64_t spemu__identify_id_register(const struct spemu_spu *s, enum spemu_reg reg);
uint64_t spemu__identify_pmbidr(const struct spemu_spu *s);
/* Return PMBIDR_EL1.{AddrMode, P} as read at el, in place. */
uint64_t spemu__identify_programming(const struct spemu_pe *pe, unsigned el, bool physical_only);

#endif
