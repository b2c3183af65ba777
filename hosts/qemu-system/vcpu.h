/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects of the plugin: a vCPU with its SPU, and an instruction of a block.
 *
 * The files, from the top. install.c makes the SPUs and registers the rest with QEMU. instrument.c
 * adds callbacks to blocks while an SPU can sample (counting.c). follow.c follows exceptions and
 * writes of control registers; machine_trace.c reports them. registers.c carries out the guest's MSR
 * and MRS, pmu_snapshot.c those of PMU snapshots. pmu_registers.c follows those of QEMU's PMU, and
 * pmu_events.c counts the SPU's events in it. vcpu_count.c counts at a block's entry and calls
 * vcpu_sample.c, which takes samples with the model.
 * present_block.c finds the instructions of a block that were not executed; vcpu_previous.c follows
 * the branches before a sample. regime.c gives the model the PE's state, streaming.c the state of
 * vectors. timing.c feeds the timing model, if there is one; timing_pages.c looks up the guest's
 * pages for it, and tlbi.c decodes TLBIs. unmet_filter.c warns of filters that need a timing model.
 * serror.c takes SError exceptions, profiling_exception.c Profiling exceptions. buffer_memory.c
 * writes records; events.c reports to `spemu vm`. qemu_private.h declares all private parts of QEMU
 * that are used, and qemu_verify.c compares them with the running QEMU.
 *
 * A vCPU's objects are used by its own thread, and by the main thread in a reset of the machine,
 * when no vCPU runs.
 */
#ifndef VCPU_H
#define VCPU_H

#include <stdbool.h>
#include <stdint.h>

#include <spemu/inject.h>
#include <spemu/mmu.h>
#include <spemu/op.h>
#include <spemu/pmu.h>
#include <spemu/spu.h>
#include <spemu/sysreg.h>
#include "timing/uarch.h"

#include "block.h"
#include "previous_branch.h"
#include "qemu_private.h"

#define MAX_VCPUS 8

/* The count at which a block's entry calls: the sample lies in the block (see vcpu_count.h). */
#define COUNT_LIMIT (UINT64_C(1) << 63)
#define COUNT_NEVER UINT64_MAX /* a count that no vCPU has */

/* An instruction of a block. Callbacks are given it as a tagged pointer. */
struct block_insn {
	const struct block *block;
	unsigned index;
};

#define INSN_ATOMIC 0x8000u /* in the tag: reads and writes at once; with a timing model only */

static inline struct block_insn block_insn_of(const void *tagged)
{
	return (struct block_insn){block_untagged(tagged),
	                           (unsigned)block_tag(tagged) & (INSN_ATOMIC - 1)};
}

static inline uint32_t insn_opcode(struct block_insn insn)
{
	return insn.block->opcode[insn.index];
}

static inline uint64_t insn_pc(struct block_insn insn)
{
	return block_insn_pc(insn.block, insn.index);
}

static inline bool insn_is(struct block_insn a, struct block_insn b)
{
	return a.block == b.block && a.index == b.index;
}

/* The registers that are QEMU's and that the model looks at. */
#define MAX_SHARED 64
struct shared_register {
	enum spemu_reg reg;
	ptrdiff_t offset; /* in env; 0: constant */
	uint64_t value;   /* the value that the model has */
};

/* Return the encoding of the register of Exception level el, from 1 on, whose name ends in it. */
static inline uint32_t sysreg_of_el(unsigned el, uint32_t crn, uint32_t crm, uint32_t op2)
{
	static const uint32_t op1[] = {0, 0, 4, 6};

	return SPEMU_SYSREG(3u, op1[el], crn, crm, op2);
}

/* The numbers of a vCPU that generated code changes or compares: one cache line. */
struct generated {
	uint64_t count;  /* see vcpu_count.h */
	uint64_t serror; /* 1 while an SError exception is pending */
	uint64_t
	        exception_target; /* the Exception level of the pending Profiling exception, or 0 */
	char pad[40];
};

/* A PMU of the model beside QEMU's, with a PE of its own. */
struct model_pmu {
	struct spemu_pmu *pmu; /* NULL: the vCPU has none */
	struct spemu_pe *pe;
	unsigned counters; /* PMCR_EL0.N */
};

/* The part of a saved machine that is the vCPU's, beside the model's images. */
struct vcpu_kept {
	struct previous_branch previous;         /* FEAT_SPE_PBT; vcpu_previous.h */
	bool previous_reported;                  /* the model knows of it */
	bool previous_missing;                   /* it is not known at the sampled operation */
	unsigned previous_lead;                  /* operations; vcpu_previous.h */
	unsigned previous_found;                 /* samples since for which that was enough */
	uint64_t injected[SPEMU_INJECTIONS_MAX]; /* how often each has happened */
	uint64_t switch_pc; /* strict mode: of the latest MSR that may have changed a shared
	                     * register; 0: none */
	unsigned to_count;  /* PMU_SNAPSHOT events that are not counted yet */
	struct {
		uint64_t samples, recorded, filtered, collided, lost, discarded, events, interrupts;
		uint64_t captures;         /* that succeeded */
		uint64_t population;       /* SAMPLE_POP */
		uint64_t injected;         /* faults of --inject */
		uint64_t previous_missing; /* records without the target of the branch taken last */
	} total;
};

struct vcpu {
	unsigned index;
	struct CPUState *cpu;
	struct CPUArchState *env;
	struct IRQState *irq;
	struct spemu_pe_config pe_config;
	struct spemu_spu_config config;
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	struct spemu_mmu *mmu;
	unsigned tlbi_seen; /* tlbi_epoch when the walker's cache was last emptied */
	struct shared_register shared[MAX_SHARED];
	unsigned shareds, controls; /* the first `controls` decide whether profiling is enabled */
	struct spemu_pe_state state;
	struct spemu_access_result
	        register_access; /* of the MSR or MRS that QEMU has asked about last */
	struct generated *generated;
	uint64_t *count; /* in generated */
	struct { /* see present_block.h: the block that was entered when the count was this */
		const struct block *block;
		uint64_t count;
		bool single; /* an instruction of it that has counted for itself */
	} present;
	struct { /* where a block was left last, and the count then */
		uint64_t pc, count;
	} left;
	/* Counted instructions of the present block that count_catch_up() has left. */
	unsigned behind;
	/* pc of the instruction that runs again as a separate block; 1: none. */
	uint64_t alone;
	bool can_sample; /* profiling is enabled at some Exception level */
	uint64_t until;  /* spemu_spu_ops_until_sample() when the count was last loaded */
	uint64_t loaded; /* the count then */
	uint64_t arming; /* pc of the block that is run again instruction by instruction, 1: none */
	unsigned restarts; /* of it, for the present sample */
	/* The sampled operation, until what follows it is known. Not begun: it was chosen at its
	 * block's entry, and whether it is reached is not known yet. */
	struct {
		bool active, begun;
		struct block_insn insn;
		struct spemu_op op;
		unsigned accesses;
		bool has_va; /* known at the block's entry */
		uint64_t va;
		bool streaming; /* PSTATE.SM, and the length of vectors; streaming.h */
		unsigned vector_bits;
		struct uarch_result timing;
		unsigned tail;   /* operations after it that were executed before an exception */
		unsigned behind; /* begun: instructions of its block after it that count */
	} flight;
	struct vcpu_kept saved;
	uint64_t early;     /* operations by which the count reaches its limit early */
	uint64_t overflow;  /* operations after `loaded` until a counter of the PMU overflows */
	bool needs_pa;      /* PMSCR_ELx.PA of the owner: known only by running the access */
	uint64_t before_pc; /* the preferred return address of the exception being taken */
	bool before_fault;  /* the instruction there was not executed */
	/* The trace; machine_trace.h. */
	bool before_entry, control_reported, sampling;
	uint8_t before_el;
	uint64_t pc;                    /* of the instruction that the model is called for */
	struct uarch_core *core;        /* the timing model's; NULL without one */
	const struct block *last_block; /* for it: the block that was entered last */
	struct {
		bool taking;
		uint64_t kept;                    /* VSESR_EL2, meanwhile */
		ptrdiff_t daif, scr, disr, vsesr; /* where env has them; 0: the PE has none */
	} serror;
	struct {
		bool pm;           /* PSTATE.PM; profiling_exception.h */
		bool illegal;      /* PSTATE.IL after the latest exception or return */
		bool restored;     /* the PSTATE.PM of the return that is carried out */
		bool entry;        /* ... or that it is an exception; */
		bool from_aarch64; /* where from */
		ptrdiff_t spsr[4]; /* where env has SPSR_ELx */
	} exception;
	struct timing_pages *pages; /* for the timing model; NULL without one */
	ptrdiff_t svcr;             /* where env has SVCR; 0: the PE has none */
	void *kept;                 /* the block of the operation in flight, when QEMU drops it */
	struct model_pmu snapshot;  /* for PMU snapshots; pmu_snapshot.c */
	struct model_pmu pmu;       /* for events that QEMU does not count; pmu_events.c */
	uint32_t watched;           /* counters of QEMU's PMU with such an event */
	uint16_t event[31];         /* PMEVTYPER<n>_EL0.evtCount */
};

extern struct vcpu vcpus[MAX_VCPUS];

/* The vCPU of the calling thread; NULL outside of vCPU threads. */
struct vcpu *vcpu_current(void);

/* The vCPU with this env, in functions of System registers. */
struct vcpu *vcpu_of(const struct CPUArchState *env);

/* The calling thread is that of the vCPU with this index, which is returned. */
struct vcpu *vcpu_attach(unsigned index);

#endif
