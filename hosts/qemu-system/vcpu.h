/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects of the plugin: a vCPU with its SPU, and translation blocks.
 *
 * Who calls what: registers.c answers the guest's MSR and MRS; regime.c follows Exception levels and
 * the registers that the SPU shares with the PE; instrument.c instruments blocks, only while some SPU
 * can sample; vcpu_count.c counts at their entry and calls vcpu_sample.c, which takes samples with the
 * model; timing.c feeds the timing model, if there is one; buffer_memory.c writes records;
 * pmu_snapshot.c adds the snapshot registers of the PMU; events.c tells what happened. qemu_private.c
 * alone knows private parts of QEMU.
 *
 * A vCPU's objects are used by its own thread, and by the main thread in a reset of the machine, when
 * no vCPU runs.
 */
#ifndef VCPU_H
#define VCPU_H

#include <stdbool.h>
#include <stdint.h>

#include <spemu/mmu.h>
#include <spemu/op.h>
#include <spemu/spu.h>
#include <spemu/uarch.h>

#include "qemu_private.h"

#define MAX_VCPUS 8

/* Longest translation block (TCG_MAX_INSNS). */
#define MAX_BLOCK_INSNS 512

/* The count at which a block's entry calls: the sample lies in the block (see vcpu_count.h). */
#define COUNT_LIMIT (UINT64_C(1) << 63)

struct block;

/* An instruction of a block; its address is what callbacks are given. */
struct block_insn {
	uint32_t opcode;
	uint16_t index;
	bool atomic; /* reads and writes at once; with a timing model only */
};

/* A translation block. Lives until QEMU flushes its translations. */
struct block {
	uint64_t pc;
	uint32_t insns;
	struct block_insn insn[];
};

static inline const struct block *block_of(const struct block_insn *insn)
{
	return (const struct block *)((const char *)(insn - insn->index) -
	                              offsetof(struct block, insn));
}

static inline uint64_t block_insn_pc(const struct block_insn *insn)
{
	return block_of(insn)->pc + 4ull * insn->index;
}

/* The registers that are QEMU's and that the model looks at. */
#define MAX_SHARED 64
struct shared_register {
	enum spemu_reg reg;
	ptrdiff_t offset; /* in env; 0: constant */
	uint64_t value;   /* what the model was told */
};

struct vcpu {
	unsigned index;
	struct CPUState *cpu;
	struct CPUArchState *env;
	struct IRQState *irq;
	struct spemu_pe_config pe_config;
	struct spemu_config config;
	struct spemu_pe *pe;
	struct spemu *spu;
	struct spemu_mmu *mmu;
	unsigned tlbi_seen; /* tlbi_epoch when the walker's cache was last emptied */
	struct shared_register shared[MAX_SHARED];
	unsigned shareds, controls; /* the first `controls` decide whether profiling is enabled */
	struct spemu_pe_state state;
	uint64_t *count; /* see vcpu_count.h */
	bool can_sample; /* profiling is enabled at some Exception level */
	uint64_t until;  /* spemu_ops_until_sample() when the count was last loaded */
	uint64_t loaded; /* the count then */
	uint64_t arming; /* pc of the block that is run again instruction by instruction, 1: none */
	unsigned restarts; /* of it, for the present sample */
	/* The sampled operation, until what follows it is known. Not begun: it was chosen at its block's
	 * entry, and whether it is reached is not known yet. */
	struct {
		bool active, begun;
		const struct block_insn *insn;
		struct spemu_op op;
		unsigned accesses;
		bool has_va; /* told at the block's entry */
		uint64_t va;
		struct spemu_uarch_result timing;
		unsigned tail; /* operations after it that were executed before an exception */
	} flight;
	bool needs_pa;      /* PMSCR_ELx.PA of the owner: known only by running the access */
	uint64_t before_pc; /* the preferred return address of the exception being taken */
	bool before_fault;  /* the instruction there was not executed */
	uint64_t pc;        /* of the instruction that the model is called for */
	struct spemu_uarch_core *core;  /* the timing model's; NULL without one */
	const struct block *last_block; /* for it: the block that was entered last */
	ptrdiff_t ttbr0;                /* where env has TTBR0_EL1 */
	void *kept; /* the block of the operation in flight, when QEMU drops it */
	struct {
		/* PMU snapshots, see pmu_snapshot.c: a PMU, and a PE that has the features it needs. */
		struct spemu_pmu *pmu;
		struct spemu_pe *pe;
		void *memory, *pe_memory; /* of pmu and pe; NULL: the vCPU has none */
		unsigned counters;        /* PMCR_EL0.N */
		unsigned to_count;        /* PMU_SNAPSHOT events that are not counted yet */
	} snapshot;
	struct {
		uint64_t samples, recorded, filtered, collided, lost, discarded, events, interrupts;
		uint64_t captures; /* that succeeded */
	} total;
};

extern struct vcpu vcpus[MAX_VCPUS];

/* The vCPU of the calling thread; NULL outside of vCPU threads. */
struct vcpu *vcpu_current(void);

/* Makes the vCPU's SPU anew: at start and at each reset. */
void vcpu_reset(struct vcpu *vcpu);

/* Ends QEMU with exit status 1 and one line: in the events, or on standard error without. */
_Noreturn void vcpu_refuse(const char *cause, const char *remedy);

#endif
