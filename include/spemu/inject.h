/* SPDX-License-Identifier: MIT */
/*
 * Fault injection: any outcome of a write to the Profiling Buffer, at the n-th record, at an
 * address, or at a rate. Injected events follow the same rules (D17.8) and choices as real ones.
 * The same run with the same seed gives the same events.
 *
 * Arm ARM: DDI 0487 M.a, D17.8. Threads: these are functions of an SPU (<spemu/spu.h>), so only one
 * thread at a time may call them.
 */
#ifndef SPEMU_INJECT_H
#define SPEMU_INJECT_H

#include <spemu/api.h>
#include <spemu/memory.h>
#include <spemu/spu.h>

SPEMU_BEGIN_DECLS

/* The record that triggers an injection. */
enum spemu_inject_when {
	/* the nth record that is about to be written from now on; 1 = the next */
	SPEMU_INJECT_NTH = 0,
	SPEMU_INJECT_ADDRESS, /* at a record that touches [first, last], addresses as in
	                         PMBPTR_EL1 */
	SPEMU_INJECT_RATE,    /* at one in rate records on average, as the seed decides */
};
/* The event that an injection causes. */
enum spemu_inject_kind {
	/*
	 * The fault in spemu_injection.fault, which may be an External abort
	 * (SPEMU_FAULT_EXTERNAL). With SPEMU_INJECT_ADDRESS, the faulting address is the first of
	 * [first, last] that the record touches. Otherwise fault.written bytes of the record, but
	 * not the whole record, are written before the faulting address. An External abort on a
	 * table walk is a fault with the corresponding FSC.
	 */
	SPEMU_INJECT_FAULT = 0,
	SPEMU_INJECT_NOT_ALLOWED, /* access not allowed (D17.8.5); the record is lost */
	SPEMU_INJECT_FULL,        /* buffer full after the record, at any fill level (D17.8.2) */
	SPEMU_INJECT_BUFFER_SIZE, /* BSC 0b000100, as a hypervisor reports it; the record is lost */
	SPEMU_INJECT_IMPDEF,      /* EC 0b011111 with mss and mss2 (D17.8.6); the record is lost */
	SPEMU_INJECT_COLLISION,   /* COLL and SAMPLE_COLLISION (RLTMKQ): the record is written */
};

/* An injection. size is sizeof(struct spemu_injection). */
struct spemu_injection {
	size_t size;
	uint8_t when;   /* enum spemu_inject_when */
	uint8_t kind;   /* enum spemu_inject_kind */
	uint16_t mss;   /* SPEMU_INJECT_IMPDEF: PMBSR_ELx.MSS */
	uint32_t mss2;  /* SPEMU_INJECT_IMPDEF: PMBSR_ELx.MSS2, 24 bits */
	uint32_t times; /* maximum number of events; 0 = unlimited. SPEMU_INJECT_NTH repeats at
	                   every nth record */
	uint64_t nth;   /* SPEMU_INJECT_NTH: number of the record, 1.. */
	uint64_t first, last;     /* SPEMU_INJECT_ADDRESS: the inclusive range of addresses */
	uint32_t rate;            /* SPEMU_INJECT_RATE: one in this number of records, from 1 */
	struct spemu_fault fault; /* SPEMU_INJECT_FAULT: the fault */
};

/* The largest number of injections of an SPU at a time. */
#define SPEMU_INJECTIONS_MAX 8

/*
 * Add an injection, which is copied. *index (may be NULL) is its number for spemu_spu_injected(),
 * or SPEMU_INJECTIONS_MAX after an error. If several injections are due at the same record, the one
 * with the smallest number happens. Return SPEMU_OK; SPEMU_ERR_INVALID for a member out of range,
 * for example an FSC that does not exist; SPEMU_ERR_NOSPACE if the object already has
 * SPEMU_INJECTIONS_MAX injections.
 */
int spemu_spu_inject(struct spemu_spu *spu, unsigned *index,
                     const struct spemu_injection *injection);

/* Get the number of times that an injection happened. Return SPEMU_OK, or SPEMU_ERR_INVALID for
 * a number that spemu_spu_inject() did not return. */
int spemu_spu_injected(const struct spemu_spu *spu, uint64_t *count, unsigned index);

/* Remove all injections. */
void spemu_spu_inject_clear(struct spemu_spu *spu);

SPEMU_END_DECLS
#endif
