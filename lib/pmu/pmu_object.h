/* SPDX-License-Identifier: MIT */
/* The PMU object, and the entry points of the files of lib/pmu. */
#ifndef SPEMU_PMU_PMU_OBJECT_H
#define SPEMU_PMU_PMU_OBJECT_H

#include <spemu/pmu.h>
#include "base/prng.h"
#include "pe/clause.h"

enum pmu_range { RANGE_FIRST, RANGE_SECOND };

/* The PC Sample-based Profiling registers of the external interface. */
struct pc_sample {
	uint64_t pmpcsr;
	uint32_t contextidr_el1, contextidr_el2;
	uint16_t vmid;
};

/* The counters that count, and the state from which they were computed. The cache is valid until
 * that state changes. */
struct pmu_counting_cache {
	bool valid, spe_freeze;
	uint64_t generation, overflow, counts;
	struct spemu_pe_state state;
};

/* The progress of software after a Capture that a System register write requested (RPLPCY). */
enum capture_order {
	ORDER_SYNCHRONIZED, /* software may read the snapshot */
	ORDER_REQUESTED,    /* software has not yet read that the Capture is complete */
	ORDER_OBSERVED,     /* software has seen its completion, but no Context synchronization
	                       event has followed */
};

struct spemu_pmu {
	struct spemu_pe *pe;
	struct spemu_pmu_config config; /* configuration with the defaults filled in */
	struct spemu_pmu_host host;
	uint64_t prng;
	bool irq; /* last level reported to the host */
	bool powered;
	uint8_t denied; /* state of the debug authentication interface: SPEMU_DENY_x */
	uint8_t clock;  /* cycles modulo 64, if PMCR_EL0.D divides them */
	uint64_t counter[SPEMU_PMU_COUNTERS], type[SPEMU_PMU_COUNTERS];
	uint64_t saved[SPEMU_PMU_COUNTERS];   /* snapshot registers */
	uint64_t visible[SPEMU_PMU_COUNTERS]; /* snapshot values that software reads until it has
	                                         synchronized */
	bool ongoing;                         /* a Capture is in progress; equals PMSSCR_EL1.SS */
	bool by_software;                     /* a System register write requested the Capture */
	uint8_t polls;                        /* reads of SS since the Capture began */
	uint8_t order;                        /* enum capture_order */
	struct pmu_counting_cache cache;
	/* State of PC sampling. */
	uint8_t pmpcsctl;
	bool branch_known;  /* a branch has retired since the last sample became UNKNOWN */
	bool was_suspended; /* no branch has retired since PC sampling was suspended, or SS set
	                       to 1 */
	struct pc_sample recent, sample;
};

static inline bool pmu_has(const struct spemu_pmu *p, enum spemu_feature feature)
{
	return pe_has(p->pe, feature);
}

static inline uint64_t pmu_random(struct spemu_pmu *p)
{
	return prng_next(&p->prng);
}

/* Return a bit set of the implemented counters. */
static inline uint64_t pmu_mask(const struct spemu_pmu *p)
{
	uint64_t mask = BIT64(spemu__pe_pmu_counters(p->pe)) - 1;

	if (pmu_has(p, SPEMU_FEAT_PMUV3_ICNTR))
		mask |= BIT64(SPEMU_PMU_INSTRUCTION_COUNTER);
	return mask | BIT64(SPEMU_PMU_CYCLE_COUNTER);
}

static inline bool pmu_has_counter(const struct spemu_pmu *p, unsigned n)
{
	return bit_is_set(pmu_mask(p), n);
}

/* Return the value of a type or filter register. PMICFILTR_EL0.evtCount is read-only (D24.5.14). */
static inline uint64_t pmu_type(const struct spemu_pmu *p, unsigned n)
{
	return p->type[n] | (n == SPEMU_PMU_INSTRUCTION_COUNTER ? SPEMU_PMU_INST_RETIRED : 0);
}

/* Return the range of a counter (GetPMUCounterRange()). */
static inline enum pmu_range pmu_range_of(const struct spemu_pe *pe, unsigned n)
{
	return n < SPEMU_PMU_CYCLE_COUNTER && n >= spemu__pe_pmu_hpmn(pe) ? RANGE_SECOND
	                                                                  : RANGE_FIRST;
}

/* pmu.c: derive the level of PMUIRQ again. spemu__pmu_update() also derives the contents of a
 * later PC sample. */
void spemu__pmu_changed(struct spemu_pmu *p);
void spemu__pmu_update(void *pmu);

/* pmu_filter.c: CountPMUEvents() as a decision, which reads pmu and index of struct
 * clause_context. */
extern const struct decision spemu__pmu_counting;

/* freeze.c: freezes, and the interrupt. */
/* Return true if SPE requests a freeze (RHSGZX). PMCR_EL0.FZS and MDCR_EL2.HPMFZS are not
 * considered. */
bool spemu__pmu_spe_freeze(const struct spemu_pmu *p);
bool spemu__pmu_frozen_by_overflow(const struct spemu_pmu *p, enum pmu_range range);
bool spemu__pmu_frozen_by_spe(const struct spemu_pmu *p, unsigned n);

/* counter.c: counting. */
void spemu__pmu_count_for(struct spemu_pmu *p, uint16_t event, uint64_t count, uint64_t counters);
uint64_t spemu__pmu_counter_read(const struct spemu_pmu *p, unsigned n);
void spemu__pmu_counter_write(struct spemu_pmu *p, unsigned n, uint64_t value);
void spemu__pmu_software_increment(struct spemu_pmu *p, uint64_t value);
void spemu__pmu_generate(struct spemu_pmu *p, uint16_t event);

/* capture.c: Captures. The decision is an enum spemu_capture, about the member pe of struct
 * clause_context. */
void spemu__pmu_capture_synchronize(void *pmu, bool isb); /* handles a Context synchronization
                                                             event */
extern const struct decision spemu__pmu_capture_decision;
void spemu__pmu_capture_write(struct spemu_pmu *p, uint64_t value, uint64_t mask, bool by_software);
uint64_t spemu__pmu_pmsscr(struct spemu_pmu *p, bool by_software);
uint64_t spemu__pmu_snapshot(struct spemu_pmu *p, unsigned n);

/* pcsample.c: PC sampling. */
extern const struct decision spemu__pmu_pc_sampling; /* about pe and pmu of struct clause_context */
void spemu__pcsample_capture(struct spemu_pmu *p);
void spemu__pcsample_state_changed(struct spemu_pmu *p);
uint64_t spemu__pcsample_read(struct spemu_pmu *p, bool samples);
uint64_t spemu__pcsample_control(const struct spemu_pmu *p);
void spemu__pcsample_set_control(struct spemu_pmu *p, uint64_t value);

/* pmu_access.c: get or set a register that the PE stores, for spemu_reg_get() and
 * spemu_reg_set(). Return false if the PMU does not have it. */
bool spemu__pmu_pe_reg_get(const void *pmu, uint64_t *value, enum spemu_reg reg);
bool spemu__pmu_pe_reg_set(void *pmu, enum spemu_reg reg, uint64_t value);

/* pmu_access.c: register values and the effects of writes, for System registers and external
 * accesses. */
uint64_t spemu__pmu_identify(const struct spemu_pmu *p, uint32_t encoding);
uint64_t spemu__pmu_type_mask(const struct spemu_pmu *p, unsigned n);
void spemu__pmu_write_pmcr(struct spemu_pmu *p, uint64_t value, uint64_t resettable);

#endif
