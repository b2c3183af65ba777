/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects of the plugin: the process and its threads.
 *
 * The files, from the top. translate.c makes blocks. count.c counts at their entry and calls
 * sample.c, which takes samples with the model and calls driver.c when PMBIRQ rises. region.c
 * switches counting on and off. syscall.c follows the guest's system calls, and exec.c its
 * execve(). process.c follows threads, fork and exit. mappings.c and stacks.c record the guest's
 * memory; huge_pages.c follows its huge pages, and signals.c its handlers. sideband.c writes events
 * to the recording. heap.c follows the program's allocators. callchain.c follows calls and records
 * each sample's stack. calibrate.c finds private parts of QEMU. entry_registers.c reads
 * registers, and vectors.c those of SVE.
 */
#ifndef VCPU_H
#define VCPU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <spemu/choices.h>
#include <spemu/op.h>
#include <spemu/spu.h>
#include "timing/uarch.h"

#include "block.h"
#include "previous_branch.h"
#include "recording.h"

/* Threads that can be sampled at the same time; further threads run unsampled. */
#define MAX_VCPUS 32768

/* A sampled operation whose outcome is not known yet. */
struct in_flight {
	bool active;
	bool branch; /* the address of the next block decides its outcome */
	struct spemu_op op;
	const uint32_t *want; /* its place in block.opcode, the argument of memory callbacks */
	unsigned accesses;    /* memory accesses seen so far */
	unsigned tail;        /* instructions after it in its block */
	struct uarch_result timing;
};

/* A thread's place relative to the region of interest; region.h. */
struct region_place {
	bool off;       /* not recorded; the countdown is suspended */
	bool inside;    /* inside the region, if there is one */
	int64_t left;   /* the suspended countdown while off */
	uint64_t back;  /* return address of the outermost call of the region's function */
	uint64_t stack; /* stack pointer at that call */
};

/* A guest thread with its SPU. Used only by its own thread, except as driver.h states. */
struct vcpu {
	unsigned index;
	pid_t tid; /* 0 until the thread has run */
	uint32_t lane;
	bool dead; /* takes no samples: not followed, or making its SPU failed */
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	uint8_t *objects; /* memory of the PE and the SPU */
	uint8_t *buffer;  /* the Profiling Buffer */
	size_t buffer_size;
	bool buffer_shared; /* shared with the recorder, so it survives this process */
	uint64_t until;     /* spemu_spu_ops_until_sample() when the countdown was last loaded */
	int64_t resume;     /* the suspended countdown while an operation is in flight */
	uint64_t base;      /* operations up to the last sample, not yet in the counters */
	uint64_t executed;  /* all operations up to the last sample; see sample_executed() */
	uint64_t count[RECORDING_COUNTERS]; /* not yet in the recording's counters */
	unsigned restarts;                  /* restarts of the block for the present sample */
	uint64_t arming;                    /* pc of the block being restarted, or NO_BLOCK */
	struct {
		uint64_t pc, va; /* of the access, from block_op_address() before the restart */
	} claim;
	struct in_flight flight;
	struct in_flight next; /* a second sample in the block, begun after the first */
	struct region_place region;
	bool windowed;               /* its blocks report to the timing model; sampled_window.h */
	struct callchain *callchain; /* NULL if its samples have no call stacks */
	struct uarch_core *core;
	uint64_t told[SPEMU_PERF_TOTALS]; /* the core's totals that the recording has */
	struct previous_branch previous;  /* FEAT_SPE_PBT; previous_target.h */
	bool previous_missing;            /* that target is unknown at the sample */
	int64_t lead;                     /* operations before the sample; previous_target.h */
};

/* The countdown is the number of operations before the next sample, at a block's entry. The sample
 * is in the block if the countdown is below zero after the block's operations were subtracted.
 * COUNT_NEVER does not expire. */
#define COUNT_NEVER (INT64_MAX / 2)

/* State of a thread for the usual callbacks, in one cache line. */
struct countdown {
	int64_t left; /* the countdown, unless generated code counts; countdown_left() */
	struct vcpu *vcpu;
	/* State for the timing model. */
	struct uarch_core *timed; /* the thread's core; NULL while in flight */
	uint64_t branch_pc;       /* the last instruction of the block before */
	uint32_t branch_flags;    /* its flags if it is a branch; otherwise 0 */
	/* Set if the thread's calls are followed and its registers are in memory. Otherwise shadow
	 * is NULL. */
	struct shadow *shadow;
	const uint64_t *registers;
	struct insn_stats *branch_stats; /* statistics of that branch, in sampled fidelity */
};
extern struct countdown countdown[MAX_VCPUS];

/* The scoreboard where generated code counts, or NULL if callbacks count. */
extern struct qemu_plugin_scoreboard *counted;

static inline int64_t *countdown_left(unsigned cpu)
{
	return counted ? qemu_plugin_scoreboard_find(counted, cpu) : &countdown[cpu].left;
}

struct process {
	struct recording rec;
	const struct recording_params *params;
	pid_t pid, ppid;
	bool memory_callbacks;  /* every block has memory callbacks, not only restarted ones */
	bool registers;         /* registers can be read at a block's entry */
	bool entry_addresses;   /* addresses can be computed at a block's entry */
	unsigned entry_checked; /* computed addresses that memory callbacks have confirmed */
	bool vectors;           /* records describe SVE operations; vectors.h */
	bool previous_target;   /* records have the target of the branch taken last */
	bool sampled;           /* sampled fidelity of the timing model; sampled_window.h */
	bool recording;         /* attached, and this process is followed */
	bool calibrated;
	bool mapped;                         /* the initial mappings are in the recording */
	const struct uarch_profile *profile; /* NULL: no timing model */
	struct uarch_profile profile_storage;
	struct uarch_shared *shared;
	struct spemu_features features;
};
extern struct process process;

/* Return the calling thread's vcpu by QEMU's index, or NULL if it is not recorded. */
static inline struct vcpu *vcpu_at(unsigned index)
{
	return index < MAX_VCPUS ? countdown[index].vcpu : NULL;
}

/* Return true if the thread's blocks report to the timing model. */
static inline bool vcpu_is_timed(const struct vcpu *vcpu)
{
	return process.profile && (!process.sampled || vcpu->windowed);
}

#endif
