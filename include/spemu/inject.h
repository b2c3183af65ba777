/* SPDX-License-Identifier: MIT */
/*
 * Fault injection: any outcome of a write to the Profiling Buffer, at the n-th record, at an
 * address, or at a rate. Injected events are reported by the same rules as real ones (D17.8), with
 * the same choices. The same run with the same seed gives the same events.
 *
 * Arm ARM: DDI 0487 M.a, D17.8. Threads: these are functions of an SPU (<spemu/spu.h>), which one
 * thread uses at a time.
 */
#ifndef SPEMU_INJECT_H
#define SPEMU_INJECT_H

#include <spemu/api.h>
#include <spemu/memory.h>
#include <spemu/spu.h>

SPEMU_BEGIN_DECLS

enum spemu_inject_when {
	SPEMU_INJECT_NTH =
	        0, /* the nth record that is about to be written, from now, 1 = the next */
	SPEMU_INJECT_ADDRESS, /* a record that touches [first, last], addresses as in PMBPTR_EL1 */
	SPEMU_INJECT_RATE,    /* one record in rate on average, as the seed decides */
};
enum spemu_inject_kind {
	/*
	 * .fault says which, External aborts (SPEMU_FAULT_EXTERNAL) included. The faulting address
	 * is the first of [first, last] for SPEMU_INJECT_ADDRESS; else .fault.written bytes of the
	 * record are written before it (at most all but one). An External abort on a table walk is
	 * a fault with an FSC that says so.
	 */
	SPEMU_INJECT_FAULT = 0,
	SPEMU_INJECT_NOT_ALLOWED, /* access not allowed (D17.8.5): the record is lost */
	SPEMU_INJECT_FULL, /* buffer full after the record, whatever room there is (D17.8.2) */
	SPEMU_INJECT_BUFFER_SIZE, /* BSC 0b000100, as a hypervisor reports it: the record is lost */
	SPEMU_INJECT_IMPDEF,    /* EC 0b011111 with .mss and .mss2 (D17.8.6): the record is lost */
	SPEMU_INJECT_COLLISION, /* COLL and SAMPLE_COLLISION (RLTMKQ); the record is written */
};

/* size is sizeof(struct spemu_injection). */
struct spemu_injection {
	size_t size;
	uint8_t when;   /* enum spemu_inject_when */
	uint8_t kind;   /* enum spemu_inject_kind */
	uint16_t mss;   /* PMBSR_ELx.MSS of SPEMU_INJECT_IMPDEF */
	uint32_t mss2;  /* PMBSR_ELx.MSS2 of it, 24 bits */
	uint32_t times; /* how often at most; 0 = without end. SPEMU_INJECT_NTH: again every nth */
	uint64_t nth;   /* SPEMU_INJECT_NTH: 1.. */
	uint64_t first, last; /* SPEMU_INJECT_ADDRESS */
	uint32_t rate;        /* SPEMU_INJECT_RATE: 1.. */
	struct spemu_fault fault;
};

/* The number of injections that an object holds at a time. */
#define SPEMU_INJECTIONS_MAX 8

/*
 * Add an injection, which is copied; *index, which may be NULL, is set to its number for
 * spemu_spu_injected(), or after an error to SPEMU_INJECTIONS_MAX. If several are due at the same
 * record the one with the smallest number happens. SPEMU_OK; SPEMU_ERR_INVALID for a member out of
 * range, among them an FSC that does not exist; SPEMU_ERR_NOSPACE if there are SPEMU_INJECTIONS_MAX
 * already.
 */
int spemu_spu_inject(struct spemu_spu *spu, unsigned *index,
                     const struct spemu_injection *injection);

/* Count how often the injection happened. SPEMU_ERR_INVALID for a number that was not given out. */
int spemu_spu_injected(const struct spemu_spu *spu, uint64_t *count, unsigned index);

/* Remove all injections. */
void spemu_spu_inject_clear(struct spemu_spu *spu);

SPEMU_END_DECLS
#endif
