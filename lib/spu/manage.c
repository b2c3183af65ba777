/* SPDX-License-Identifier: MIT */
/*
 * Recording of Profiling Buffer management events in PMBSR_ELx and PMBPTR_EL1.
 *
 * Arm ARM:     DDI 0487 M.a, D17.8, D17.8.1 to D17.8.6, D17.3.7, D24.7.5
 * Implements:  RFJDLW IQRJYF IFDVRZ RNXZXG RWVKFM RMYXZK RDTGVZ IXQRTS RJFYNW IVPLMK IZGGXW IQNXKH
 *              ITCPLL RBPFPN IXPWQC IVJVKZ IDBJXM IRCCQG
 * Pseudocode:  OtherSPEManagementEvent(), DebugWriteFault(), DebugWriteExternalAbort(),
 *              SPESampleCollision(). They do not change DL after a fault inside a record; the text
 *              of D17.8.3 sets it, and the text decides
 * Choices:     external-abort, external-abort-on-walk, walk-external-abort-sets-ea,
 *              fault-data-loss, fault-reporting, pointer-restriction-data-loss
 */
#include "spu/spu_object.h"

enum { EC_OTHER = 0, EC_IMPDEF = 0x1f };
enum bsc { BSC_NOT_ALLOWED = 0, BSC_FILLED = 1, BSC_BUFFER_SIZE = 4 };

/* The changes that an event makes to PMBSR_ELx. */
struct event {
	unsigned ec, mss, mss2;
	bool dl, ea;
	bool dl_cleared; /* clear DL if dl is false; if both are false, DL does not change */
};

#define PMBSR_EL1_BIT(F) BIT64(SPEMU_PMBSR_EL1_##F##_LSB)

static enum spemu_reg pmbsr(unsigned el)
{
	return el == 3 ? SPEMU_REG_PMBSR_EL3 : el == 2 ? SPEMU_REG_PMBSR_EL2 : SPEMU_REG_PMBSR_EL1;
}

/*
 * Record an event. The first event wins: S, EC, MSS, MSS2 and DL are written only while S is 0. But
 * EA of an External abort, and the DL that comes with it, are set in any case (RBPFPN).
 */
static void record_event(struct spemu_spu *s, const struct event *e)
{
	enum spemu_reg reg = pmbsr(spemu__route_target_el(s->pe, e->ec, e->mss & 0x3f));
	uint64_t value = s->pe->reg[reg];

	if (!(value & PMBSR_EL1_BIT(S))) {
		value &= ~(BITMASK(55, 32) | BITMASK(31, 26) | BITMASK(15, 0));
		value |= (uint64_t)e->mss2 << SPEMU_PMBSR_EL1_MSS2_LSB |
		         (uint64_t)e->ec << SPEMU_PMBSR_EL1_EC_LSB | PMBSR_EL1_BIT(S) | e->mss;
		if (e->dl)
			value |= PMBSR_EL1_BIT(DL);
		else if (e->dl_cleared)
			value &= ~PMBSR_EL1_BIT(DL);
	}
	if (e->ea)
		value |= PMBSR_EL1_BIT(EA) | (e->dl ? PMBSR_EL1_BIT(DL) : 0);
	s->pe->reg[reg] = value;
	spemu__restart_note_event(s, e->ec == EC_OTHER && e->mss == BSC_FILLED, e->dl || e->ea);
	s->change = CHANGE_NOTED;
}

/* Return DL of an event. If the restrictions forbid the pointer, the event is "with or without
 * indicating data loss" (RPGGHS). */
static bool data_loss(const struct spemu_spu *s, bool by_event)
{
	unsigned option = pe_choice(s->pe, SPEMU_CHOICE_POINTER_RESTRICTION_DATA_LOSS);

	if (!s->violations || option == SPEMU_POINTER_RESTRICTION_DATA_LOSS_BY_EVENT)
		return by_event;
	return option == SPEMU_POINTER_RESTRICTION_DATA_LOSS_SET;
}

static void other(struct spemu_spu *s, enum bsc bsc)
{
	/* D17.8.5 does not mention DL for a buffer that is too large. Only a hypervisor reports
	 * this event. The record is lost, so DL is set. */
	record_event(s, &(struct event){
	                        .ec = EC_OTHER, .mss = bsc, .dl = data_loss(s, bsc != BSC_FILLED)});
}

void spemu__manage_not_allowed(struct spemu_spu *s)
{
	other(s, BSC_NOT_ALLOWED);
}

void spemu__manage_buffer_full(struct spemu_spu *s)
{
	other(s, BSC_FILLED);
	spu_pmu_event(s, SPEMU_PMU_SAMPLE_BUFFER_FULL, 1);
}

static void impdef(struct spemu_spu *s, unsigned mss, unsigned mss2)
{
	record_event(s,
	             &(struct event){
	                     .ec = EC_IMPDEF, .mss = mss, .mss2 = mss2, .dl = data_loss(s, true)});
}

/* Return the bits of MSS2, which all belong to Permission faults (D24.7.5). */
static unsigned mss2_of(const struct spemu_spu *s, const struct spemu_fault *f)
{
	bool permission = (f->fsc & 0x3c) == 0x0c;
	bool the = spu_has(s, SPEMU_FEAT_THE) && f->kind == SPEMU_FAULT_STAGE2;
	bool poe = spu_has(s, SPEMU_FEAT_S1POE) || spu_has(s, SPEMU_FEAT_S2POE);
	bool pie = spu_has(s, SPEMU_FEAT_S1PIE) || spu_has(s, SPEMU_FEAT_S2PIE);

	if (!permission || f->kind == SPEMU_FAULT_GPC)
		return 0;
	return (unsigned)(the && f->top_level) << 8 | (unsigned)(the && f->assured_only) << 7 |
	       (unsigned)(poe && f->overlay) << 6 | (unsigned)(pie && f->dirty_bit) << 5;
}

static bool is_external_on_walk(const struct spemu_fault *f)
{
	if (f->kind == SPEMU_FAULT_GPC)
		return f->external;
	return f->kind != SPEMU_FAULT_EXTERNAL &&
	       ((f->fsc >= 0x12 && f->fsc <= 0x17) || f->fsc == 0x1b);
}

/* Move PMBPTR_EL1 to the faulting address, in the bits that it has (D24.7.4). */
static void move_pointer(struct spemu_spu *s, unsigned written)
{
	uint64_t *pointer = &s->pe->reg[SPEMU_REG_PMBPTR_EL1];

	*pointer = (*pointer + written) & s->pe->mask[SPEMU_REG_PMBPTR_EL1];
}

/* Record an MMU fault (D17.8.3, RMYXZK). */
static void mmu_fault(struct spemu_spu *s, const struct spemu_fault *f)
{
	unsigned choice = pe_choice(s->pe, SPEMU_CHOICE_FAULT_DATA_LOSS);
	bool ea = is_external_on_walk(f) &&
	          pe_choice(s->pe, SPEMU_CHOICE_WALK_EXTERNAL_ABORT_SETS_EA) ==
	                  SPEMU_WALK_EXTERNAL_ABORT_SETS_EA_SET;
	unsigned fsc = f->kind == SPEMU_FAULT_GPC ? 0 : f->fsc & 0x3fu;

	/* D17.8.3 applies only while S is 0, but a fault that is reported late may find S set. */
	if (s->pe->reg[pmbsr(spemu__route_target_el(s->pe, f->kind, fsc))] & PMBSR_EL1_BIT(S))
		return;
	/* Padding belongs to the record before it, so a record starts at the pointer. If any
	 * byte was written, the pointer is no longer just past the last whole record. */
	move_pointer(s, f->written);
	record_event(s, &(struct event){.ec = f->kind,
	                                .mss = fsc,
	                                .mss2 = mss2_of(s, f),
	                                .dl = f->written ||
	                                      data_loss(s, choice == SPEMU_FAULT_DATA_LOSS_SET),
	                                .dl_cleared = choice == SPEMU_FAULT_DATA_LOSS_CLEARED,
	                                .ea = ea});
}

/* Record an External abort (RBPFPN). An abort that is not on a walk has the EC of stage 1. */
static void external_abort(struct spemu_spu *s, const struct spemu_fault *f, bool asynchronous)
{
	struct event e = {.ec = f->kind == SPEMU_FAULT_EXTERNAL ? SPEMU_FAULT_STAGE1 : f->kind,
	                  .dl = asynchronous || f->written,
	                  .ea = true};

	if (e.ec != SPEMU_FAULT_GPC)
		e.mss = asynchronous ? (unsigned)spemu_fsc(SPEMU_FT_EXTERNAL_ASYNC, 0)
		        : f->kind == SPEMU_FAULT_EXTERNAL
		                ? (unsigned)spemu_fsc(SPEMU_FT_EXTERNAL, 0)
		                : f->fsc & 0x3fu;
	if (!asynchronous)
		move_pointer(s, f->written);
	record_event(s, &e);
}

static void take_external_abort(struct spemu_spu *s, const struct spemu_fault *f)
{
	switch (pe_choice(s->pe, SPEMU_CHOICE_EXTERNAL_ABORT)) {
	case SPEMU_EXTERNAL_ABORT_SERROR:
		if (s->host.serror)
			s->host.serror(s->host.ctx);
		break;
	case SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY:
		external_abort(s, f, false);
		break;
	case SPEMU_EXTERNAL_ABORT_REPORTED_ASYNCHRONOUSLY:
		/* The abort arrives after the record has been written, as far as the SPU knows. */
		s->asynchronous_abort = true;
		s->late_fault = *f;
		break;
	default:
		break;
	}
}

void spemu__manage_asynchronous_abort(struct spemu_spu *s)
{
	struct spemu_fault fault = s->late_fault;

	if (!s->asynchronous_abort)
		return;
	s->asynchronous_abort = false;
	s->late_fault = (struct spemu_fault){0};
	external_abort(s, &fault, true);
}

static bool is_taken_as_abort(const struct spemu_spu *s, const struct spemu_fault *f)
{
	return f->kind == SPEMU_FAULT_EXTERNAL ||
	       (is_external_on_walk(f) && pe_choice(s->pe, SPEMU_CHOICE_EXTERNAL_ABORT_ON_WALK) ==
	                                          SPEMU_EXTERNAL_ABORT_ON_WALK_AS_ON_WRITE);
}

/* Return true if the fault is reported late (RWVKFM). */
static bool is_reported_late(const struct spemu_spu *s)
{
	return spu_has(s, SPEMU_FEAT_SPEV1P5) && pe_choice(s->pe, SPEMU_CHOICE_FAULT_REPORTING) ==
	                                                 SPEMU_FAULT_REPORTING_AFTER_NEXT_SAMPLE;
}

int spemu__manage_end_of_fault(const struct spemu_spu *s, const struct spemu_fault *fault)
{
	if (is_taken_as_abort(s, fault))
		return pe_choice(s->pe, SPEMU_CHOICE_EXTERNAL_ABORT) ==
		                       SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY
		               ? WRITE_STOPPED
		               : WRITE_DONE;
	return is_reported_late(s) ? WRITE_DISCARDED : WRITE_STOPPED;
}

static void take_fault(struct spemu_spu *s, const struct spemu_fault *fault)
{
	if (is_taken_as_abort(s, fault))
		take_external_abort(s, fault);
	else if (is_reported_late(s))
		s->late_fault = *fault;
	else
		mmu_fault(s, fault);
}

void spemu__manage_late_fault(struct spemu_spu *s)
{
	struct spemu_fault fault = s->late_fault;

	s->late_fault = (struct spemu_fault){0};
	if (fault.kind)
		mmu_fault(s, &fault);
}

enum spemu_reg spemu__manage_collision_register(const struct spemu_pe *pe)
{
	return pmbsr(spemu__route_target_el(pe, EC_OTHER, 0));
}

void spemu__manage_collision(struct spemu_spu *s)
{
	enum spemu_reg reg = spemu__manage_collision_register(s->pe);

	spu_pmu_event(s, SPEMU_PMU_SAMPLE_COLLISION, 1);
	s->pe->reg[reg] |= PMBSR_EL1_BIT(COLL);
}

void spemu__manage(struct spemu_spu *s, const struct cause *cause)
{
	switch (cause->kind) {
	case CAUSE_FAULT:
		take_fault(s, &cause->fault);
		break;
	case CAUSE_NOT_ALLOWED:
		other(s, BSC_NOT_ALLOWED);
		break;
	case CAUSE_BUFFER_SIZE:
		other(s, BSC_BUFFER_SIZE);
		break;
	case CAUSE_FULL:
		spemu__manage_buffer_full(s);
		break;
	case CAUSE_IMPDEF:
		impdef(s, cause->mss, cause->mss2);
		break;
	case CAUSE_COLLISION:
		spemu__manage_collision(s);
		break;
	}
}
