/* SPDX-License-Identifier: MIT */
/*
 * PMU snapshots: the conditions and the effects of a Capture.
 *
 * Arm ARM:     DDI 0487 M.a, D13.9, D24.5.23, Table D13-10
 * Implements:  IVZCDM RSCLCQ RMFJWS RYWLFL RTSYTY IMRCSY IWHYSQ RVPZHN RDBRSV RPLPCY IWRNBL IHHHDQ
 *              RMPZSB ILXYBX RVLKCZ
 * Pseudocode:  PMUCaptureEventEnabled(), PMUCaptureEventAllowed(), PMUCaptureEvent() (which asserts
 *              EL3, although the text describes Captures without EL3)
 * Choices:     reserved-sse, capture-completion, write-during-capture, no-capture-write,
 *              unsynchronized-snapshot, snapshot-event-in-debug-state
 */
#include <string.h>

#include "pmu/pmu_object.h"

static unsigned sse(const struct spemu_pe *pe)
{
	static const uint8_t reserved[] = {[SPEMU_RESERVED_SSE_DISABLED] = 0,
	                                   [SPEMU_RESERVED_SSE_PROHIBITED] = 2,
	                                   [SPEMU_RESERVED_SSE_ALLOWED] = 3};
	unsigned value = (unsigned)REG_FIELD(pe, PMECR_EL1, SSE);

	return value == 1 ? reserved[pe_choice(pe, SPEMU_CHOICE_RESERVED_SSE)] : value;
}

#include "pmu/capture_clauses.h"

/* The decision of Table D13-10. The control of EL2 counts even if EL2 is disabled in the current
 * Security state. */
const struct decision spemu__pmu_capture_decision = DECISION(FOLD_FIRST, capture_clauses);

enum spemu_capture spemu_pmu_capture(const struct spemu_pmu *p)
{
	struct clause_context c = {.pe = p->pe};

	return (enum spemu_capture)decide(&spemu__pmu_capture_decision, &c);
}

static void finish(struct spemu_pmu *p, unsigned nc)
{
	p->ongoing = false;
	REG_FIELD_SET(p->pe, PMSSCR_EL1, NC, nc);
	REG_FIELD_SET(p->pe, PMSSCR_EL1, SS, 0);
}

/* Make the snapshot visible, unless a System register write requested it: then software must
 * synchronize first. */
static void show(struct spemu_pmu *p)
{
	if (!p->by_software || pe_choice(p->pe, SPEMU_CHOICE_UNSYNCHRONIZED_SNAPSHOT) ==
	                               SPEMU_UNSYNCHRONIZED_SNAPSHOT_NEW)
		memcpy(p->visible, p->saved, sizeof(p->visible));
}

/* Complete a Capture. The event PMU_SNAPSHOT occurs after the counter that counts it was
 * captured. */
static enum spemu_capture_outcome complete(struct spemu_pmu *p)
{
	uint64_t counters = pmu_mask(p);

	if (spemu_pmu_capture(p) != SPEMU_CAPTURE_ALLOWED) {
		finish(p, 1);
		p->order = ORDER_SYNCHRONIZED; /* software has nothing new to read */
		return SPEMU_CAPTURE_NOT_DONE;
	}
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		if (bit_is_set(counters, n))
			p->saved[n] = spemu__pmu_counter_read(p, n);
	show(p);
	spemu__pcsample_capture(p);
	if (p->host.brbe_freeze)
		p->host.brbe_freeze(p->host.ctx);
	finish(p, 0);
	if (!p->pe->state.debug || pe_choice(p->pe, SPEMU_CHOICE_SNAPSHOT_EVENT_IN_DEBUG_STATE) ==
	                                   SPEMU_SNAPSHOT_EVENT_IN_DEBUG_STATE_GENERATED)
		spemu__pmu_generate(p, SPEMU_PMU_SNAPSHOT);
	spemu__pmu_changed(p);
	return SPEMU_CAPTURE_DONE;
}

static void report(struct spemu_pmu *p, const struct spemu_diagnostic *diagnostic)
{
	if (p->host.diagnostic)
		p->host.diagnostic(p->host.ctx, diagnostic);
}

static void report_write_while_ongoing(struct spemu_pmu *p)
{
	struct spemu_diagnostic d = {
	        .name = "write-during-capture",
	        .rule = "D24.5.23",
	        .cause = "software wrote PMSSCR_EL1.SS while a Capture is ongoing: it is "
	                 "CONSTRAINED "
	                 "UNPREDICTABLE whether that completes",
	        .remedy = "read PMSSCR_EL1 until SS is 0 before the next Capture is requested",
	        .value = {{"PMSSCR_EL1.SS", 1}},
	        .values = 1,
	};

	report(p, &d);
}

static enum spemu_capture_outcome request(struct spemu_pmu *p, bool by_software)
{
	if (!p->powered || spemu_pmu_capture(p) == SPEMU_CAPTURE_DISABLED)
		return SPEMU_CAPTURE_IGNORED;
	if (p->ongoing) {
		report_write_while_ongoing(p);
		if (pe_choice(p->pe, SPEMU_CHOICE_WRITE_DURING_CAPTURE) ==
		    SPEMU_WRITE_DURING_CAPTURE_COMPLETES)
			return complete(p);
		return SPEMU_CAPTURE_ONGOING;
	}
	p->by_software = by_software;
	p->ongoing = true;
	p->polls = 0;
	REG_FIELD_SET(p->pe, PMSSCR_EL1, SS, 1);
	if (by_software)
		p->order = ORDER_REQUESTED;
	if (pe_choice(p->pe, SPEMU_CHOICE_CAPTURE_COMPLETION) == SPEMU_CAPTURE_COMPLETION_IMMEDIATE)
		return complete(p);
	return SPEMU_CAPTURE_ONGOING;
}

/* Write PMSSCR_EL1. A write of 0 to SS is ignored, and so is any write while Captures are disabled
 * (RMFJWS). */
void spemu__pmu_capture_write(struct spemu_pmu *p, uint64_t value, uint64_t mask, bool by_software)
{
	const uint64_t nc = BIT64(SPEMU_PMSSCR_EL1_NC_LSB);
	uint64_t *pmsscr = &p->pe->reg[SPEMU_REG_PMSSCR_EL1];

	if (pe_choice(p->pe, SPEMU_CHOICE_NO_CAPTURE_WRITE) == SPEMU_NO_CAPTURE_WRITE_WRITTEN &&
	    p->powered && spemu_pmu_capture(p) != SPEMU_CAPTURE_DISABLED)
		*pmsscr = (*pmsscr & ~(nc & mask)) | (value & nc & mask);
	if (value & mask & 1)
		request(p, by_software);
}

enum spemu_capture_outcome spemu_pmu_capture_request(struct spemu_pmu *p)
{
	return p->ongoing ? SPEMU_CAPTURE_ONGOING : request(p, false);
}

enum spemu_capture_outcome spemu_pmu_capture_complete(struct spemu_pmu *p)
{
	return p->ongoing ? complete(p) : SPEMU_CAPTURE_IGNORED;
}

uint64_t spemu__pmu_pmsscr(struct spemu_pmu *p, bool by_software)
{
	if (p->ongoing && by_software && p->polls++ >= p->config.polls)
		complete(p);
	if (!p->ongoing && by_software && p->order == ORDER_REQUESTED)
		p->order = ORDER_OBSERVED;
	return p->pe->reg[SPEMU_REG_PMSSCR_EL1];
}

void spemu__pmu_capture_synchronize(void *pmu, bool isb)
{
	struct spemu_pmu *p = pmu;

	(void)isb;
	if (p->order != ORDER_OBSERVED)
		return;
	p->order = ORDER_SYNCHRONIZED;
	memcpy(p->visible, p->saved, sizeof(p->visible));
}

/* Return a snapshot register as software reads it. */
uint64_t spemu__pmu_snapshot(struct spemu_pmu *p, unsigned n)
{
	static const char *const cause[] = {
	        [ORDER_REQUESTED] =
	                "software read a snapshot register without having observed that the "
	                "Capture is complete",
	        [ORDER_OBSERVED] =
	                "software read a snapshot register without a Context synchronization "
	                "event since it observed that the Capture is complete",
	};
	struct spemu_diagnostic d = {
	        .name = "unsynchronized-snapshot",
	        .rule = "RPLPCY",
	        .cause = cause[p->order],
	        .remedy = "read PMSSCR_EL1 until SS is 0, then execute an ISB, then read the "
	                  "snapshot",
	        .value = {{"PMSSCR_EL1", p->pe->reg[SPEMU_REG_PMSSCR_EL1]}},
	        .values = 1,
	};

	if (p->order != ORDER_SYNCHRONIZED)
		report(p, &d);
	return p->visible[n];
}
