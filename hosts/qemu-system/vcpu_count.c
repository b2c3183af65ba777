/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The count and its callbacks; see vcpu_count.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.2 (population), D17.3 (interval).
 */
#include <string.h>

#include <spemu/strict.h>

#include "config.h"
#include "vcpu_count.h"
#include "events.h"
#include "regime.h"
#include "vcpu_sample.h"
#include "instrument.h"

/* A variant that does not come after this many restarts is given up for this sample. */
#define MAX_RESTARTS 8

/* One cache line for each vCPU. */
struct count {
	uint64_t executed;
	char pad[56];
};

static struct qemu_plugin_scoreboard *counts;

void count_start(void)
{
	counts = qemu_plugin_scoreboard_new(sizeof(struct count));
}

struct qemu_plugin_u64 count_entry(void)
{
	return (struct qemu_plugin_u64){counts, offsetof(struct count, executed)};
}

static uint64_t *count_of(const struct vcpu *vcpu)
{
	return &((struct count *)qemu_plugin_scoreboard_find(counts, vcpu->index))->executed;
}

void count_commit(struct vcpu *vcpu)
{
	uint64_t *count = count_of(vcpu);
	uint64_t executed = *count - vcpu->loaded;

	if (vcpu->flight.active || vcpu->until == UINT64_MAX)
		return;
	if (executed >= vcpu->until)
		executed = vcpu->until - 1;
	if (executed && spemu_ops(vcpu->spu, executed) == SPEMU_OK)
		vcpu->until -= executed;
	vcpu->loaded = *count;
}

static void load_behind(struct vcpu *vcpu, uint64_t counted)
{
	uint64_t *count = count_of(vcpu);

	vcpu->until = vcpu->flight.active ? 0 : spemu_ops_until_sample(vcpu->spu);
	vcpu->loaded = vcpu->until == UINT64_MAX ? 0 : COUNT_LIMIT - vcpu->until;
	*count = vcpu->loaded + counted;
}

void count_load(struct vcpu *vcpu)
{
	load_behind(vcpu, 0);
}

void count_changed(struct vcpu *vcpu)
{
	bool can = vcpu->until != UINT64_MAX;

	count_load(vcpu);
	for (unsigned el = 0; el < 4 && !can; el++)
		can = spemu_profiling_enabled(vcpu->spu, el);
	can |= vcpu->until != UINT64_MAX;
	if (can != vcpu->can_sample) {
		vcpu->can_sample = can;
		instrument_need(can);
	}
}

bool count_variant(uint64_t pc)
{
	const struct vcpu *vcpu = vcpu_current();

	return vcpu && vcpu->arming == pc;
}

static __attribute__((noinline)) void block_expired(struct vcpu *vcpu, const struct block *block,
                                                    uintptr_t ra)
{
	uint64_t *count = count_of(vcpu);

	if (vcpu->flight.active) {
		sample_finish(vcpu, block->pc);
		load_behind(vcpu, block->insns);
		if (*count < COUNT_LIMIT)
			return;
	}
	if (vcpu->until == UINT64_MAX) { /* disabled for 2^63 instructions */
		count_load(vcpu);
		return;
	}
	*count -= block->insns;
	vcpu->arming = block->pc;
	if (private_may_restart(vcpu->cpu) && vcpu->restarts++ < MAX_RESTARTS)
		private_restart(vcpu->cpu, ra);
	/* The operation cannot be looked at: the sample is its successor. */
	*count = COUNT_LIMIT - 1;
	vcpu->loaded = *count - (vcpu->until - 1);
	vcpu->restarts = 0;
}

void count_block_expired(unsigned cpu, void *udata)
{
	block_expired(&vcpus[cpu], udata, (uintptr_t)__builtin_return_address(0));
}

void count_insn_expired(unsigned cpu, void *udata)
{
	struct vcpu *vcpu = &vcpus[cpu];
	const struct block_insn *insn = udata;
	uint64_t *count = count_of(vcpu);

	vcpu->arming = NO_BLOCK;
	vcpu->restarts = 0;
	if (vcpu->flight.active) {
		sample_finish(vcpu, block_insn_pc(insn));
		load_behind(vcpu, 1);
		if (*count < COUNT_LIMIT)
			return;
	}
	if (vcpu->until == UINT64_MAX) {
		count_load(vcpu);
		return;
	}
	spemu_ops(vcpu->spu, vcpu->until - 1);
	sample_begin(vcpu, insn);
	count_load(vcpu);
}

void count_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	struct vcpu *vcpu = &vcpus[cpu];
	const struct qemu_plugin_hwaddr *pa;

	if (!vcpu->flight.active || vcpu->flight.insn != udata || vcpu->flight.accesses)
		return;
	pa = qemu_plugin_get_hwaddr(info, vaddr);
	sample_access(vcpu, vaddr, 1u << qemu_plugin_mem_size_shift(info), pa != NULL,
	              pa ? qemu_plugin_hwaddr_phys_addr(pa) : 0);
}
