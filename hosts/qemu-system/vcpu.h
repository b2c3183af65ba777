/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects of the plugin: a vCPU with its SPU, and an instruction of a block.
 *
 * The files, from the top. install.c makes the SPUs and registers the other parts with QEMU.
 * instrument.c adds callbacks to blocks while an SPU can sample (counting.c). follow.c follows
 * exceptions and writes to control registers; machine_trace.c reports them. registers.c carries out
 * the guest's MSR and MRS of SPU registers, and pmu_snapshot.c those of PMU snapshots.
 * pmu_registers.c follows register accesses to QEMU's PMU; pmu_events.c counts the SPU's events in
 * it. vcpu_count.c counts at a block's entry and calls vcpu_sample.c, which takes samples with the
 * model. present_block.c finds the instructions of a block that were not executed. vcpu_previous.c
 * follows the branches before a sample. regime.c gives the model the PE's state; streaming.c looks
 * up the vector length and the Streaming SVE mode. timing.c feeds the timing model, if there is
 * one; timing_pages.c looks up the guest's pages for it, and tlbi.c decodes TLBIs. unmet_filter.c
 * warns of filters that need a timing model. serror.c takes SError exceptions, and
 * profiling_exception.c takes Profiling exceptions. buffer_memory.c writes records; events.c
 * reports to `spemu vm`. qemu_private.h declares all private parts of QEMU that are used, and
 * qemu_verify.c compares them with the running QEMU.
 *
 * A vCPU's objects are used by its own thread. The main thread uses them in a reset of the machine,
 * while no vCPU runs.
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

/* The count at which a block's entry calls the plugin: the sample lies in the block
 * (vcpu_count.h). */
#define COUNT_LIMIT (UINT64_C(1) << 63)
#define COUNT_NEVER UINT64_MAX /* a count that no vCPU has */

/* An instruction of a block. Callbacks receive it as a tagged pointer. */
struct block_insn {
	const struct block *block;
	unsigned index;
};

#define INSN_ATOMIC 0x8000u /* in the tag: a timed access that reads and writes */

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

/* Registers of QEMU that the model reads. */
#define MAX_SHARED 64
struct shared_register {
	enum spemu_reg reg;
	ptrdiff_t offset; /* in env; 0: constant */
	uint64_t value;   /* the value that the model has */
};

/* Return the encoding of a register whose name ends in its Exception level, for level el from 1 to
 * 3. */
static inline uint32_t sysreg_of_el(unsigned el, uint32_t crn, uint32_t crm, uint32_t op2)
{
	static const uint32_t op1[] = {0, 0, 4, 6};

	return SPEMU_SYSREG(3u, op1[el], crn, crm, op2);
}

/* Numbers of a vCPU that generated code changes or compares, in one cache line. */
struct generated {
	uint64_t count;  /* see vcpu_count.h */
	uint64_t serror; /* 1 while an SError exception is pending */
	uint64_t
	        exception_target; /* the Exception level of the pending Profiling exception, or 0 */
	char pad[40];
};

/* A PMU of the model, with its own PE. QEMU's PMU exists beside it. */
struct model_pmu {
	struct spemu_pmu *pmu; /* NULL if the vCPU does not have this PMU */
	struct spemu_pe *pe;
	unsigned counters; /* PMCR_EL0.N */
};

/* The vCPU's own part of a saved machine. The model's images are saved beside it. */
struct vcpu_kept {
	struct previous_branch previous;         /* FEAT_SPE_PBT; vcpu_previous.h */
	bool previous_reported;                  /* `previous` has been reported to the model */
	bool previous_missing;                   /* `previous` is unknown at the sample */
	unsigned previous_lead;                  /* operations; vcpu_previous.h */
	unsigned previous_found;                 /* successive samples with a known branch */
	uint64_t injected[SPEMU_INJECTIONS_MAX]; /* times that each injection has happened */
	uint64_t switch_pc; /* pc of the latest MSR that may have changed a shared register, or 0;
	                     * in strict mode */
	unsigned to_count;  /* PMU_SNAPSHOT events still to be counted */
	struct {
		uint64_t samples, recorded, filtered, collided, lost, discarded, events, interrupts;
		uint64_t captures;         /* successful Captures */
		uint64_t population;       /* SAMPLE_POP */
		uint64_t injected;         /* faults of --inject */
		uint64_t previous_missing; /* records without a previous branch target */
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
	struct spemu_access_result register_access; /* result of the latest MSR or MRS check */
	struct generated *generated;
	uint64_t *count; /* in generated */
	struct { /* the block that was entered when the count was `count`; see present_block.h */
		const struct block *block;
		uint64_t count;
		bool single; /* one instruction, which counted for itself */
	} present;
	struct { /* pc where a block was last left early, and the count then */
		uint64_t pc, count;
	} left;
	/* Counted instructions of the present block after the one that count_catch_up() stopped
	 * at. */
	unsigned behind;
	/* pc of the instruction that runs again as a separate block, or 1. */
	uint64_t alone;
	bool can_sample;   /* profiling is enabled at some Exception level */
	uint64_t until;    /* spemu_spu_ops_until_sample() when the count was last loaded */
	uint64_t loaded;   /* the count then */
	uint64_t arming;   /* pc of the block that runs again instruction by instruction, or 1 */
	unsigned restarts; /* restarts of that block for the present sample */
	/* The sampled operation, until its successor is known. While `begun` is false, the
	 * operation was chosen at its block's entry and may not be reached. */
	struct {
		bool active, begun;
		struct block_insn insn;
		struct spemu_op op;
		unsigned accesses;
		bool has_va; /* `va` is known at the block's entry */
		uint64_t va;
		bool streaming; /* PSTATE.SM at the operation; streaming.h */
		unsigned vector_bits;
		struct uarch_result timing;
		unsigned tail;   /* operations after it that executed before an exception */
		unsigned behind; /* if begun: counted instructions after it in its block */
	} flight;
	struct vcpu_kept saved;
	uint64_t early;     /* operations by which the limit comes early */
	uint64_t overflow;  /* operations after `loaded` until a PMU counter overflows */
	bool needs_pa;      /* PMSCR_ELx.PA of the owner; only running the access shows the PA */
	uint64_t before_pc; /* preferred return address of the exception being taken */
	bool before_fault;  /* the instruction there was not executed */
	/* The trace; machine_trace.h. */
	bool before_entry, control_reported, sampling;
	uint8_t before_el;
	uint64_t pc;                    /* pc of the instruction that the model is called for */
	struct uarch_core *core;        /* core of the timing model; NULL without one */
	const struct block *last_block; /* for the timing model: the block that was entered last */
	struct {
		bool taking;
		uint64_t kept;                    /* VSESR_EL2 while the SError is taken */
		ptrdiff_t daif, scr, disr, vsesr; /* offsets in env; 0: the PE lacks it */
	} serror;
	struct {
		bool pm;           /* PSTATE.PM; profiling_exception.h */
		bool illegal;      /* PSTATE.IL after the latest exception or return */
		bool restored;     /* PSTATE.PM that the present exception return restores */
		bool entry;        /* the present change of EL is an exception */
		bool from_aarch64; /* it comes from AArch64 state */
		ptrdiff_t spsr[4]; /* offsets of SPSR_ELx in env */
	} exception;
	struct timing_pages *pages; /* for the timing model; NULL without one */
	ptrdiff_t svcr;             /* offset of SVCR in env; 0 if the PE lacks it */
	void *kept;                 /* copy of the block in flight while QEMU drops blocks */
	struct model_pmu snapshot;  /* for PMU snapshots; pmu_snapshot.c */
	struct model_pmu pmu;       /* for events that QEMU does not count; pmu_events.c */
	uint32_t watched;           /* bit set of QEMU's counters that count such an event */
	uint16_t event[31];         /* PMEVTYPER<n>_EL0.evtCount */
};

extern struct vcpu vcpus[MAX_VCPUS];

/* Return the vCPU of the calling thread, or NULL outside vCPU threads. */
struct vcpu *vcpu_current(void);

/* Return the vCPU with this env. For functions of System registers. */
struct vcpu *vcpu_of(const struct CPUArchState *env);

/* Make the calling thread the thread of the vCPU with this index. Return that vCPU. */
struct vcpu *vcpu_attach(unsigned index);

#endif
