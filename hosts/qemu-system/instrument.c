/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instrumenting blocks; see instrument.h.
 *
 * A block is translated again whenever its code changed, and gets a new struct block then; the
 * memory of the old ones is bounded by QEMU's own code buffer, which it flushes when full.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spemu/strict.h>

#include "config.h"
#include "vcpu_count.h"
#include "instrument.h"
#include "timing.h"
#include "vcpu_sample.h"
#include "pmu_snapshot.h"

/* How long translations are kept after the last SPU was disabled, in ns. */
#define LINGER UINT64_C(3000000000)

#define OPCODE_ISB 0xd50330dfu /* CRm ignored */
#define OPCODE_PSB_CSYNC 0xd503223fu
#define OPCODE_DSB 0xd503309fu /* CRm: option */
#define CRM_MASK 0xfffff0ffu
#define CRM_OF(opcode) ((opcode) >> 8 & 15)

#define CHUNK_SIZE (1u << 20)
struct chunk {
	struct chunk *older;
	size_t used;
	unsigned char data[];
};
static struct chunk *chunks;
static pthread_mutex_t chunk_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned needed;     /* vCPUs that can sample */
static bool counting;       /* blocks are translated with a count */
static uint64_t idle_since; /* when needed became 0 */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void instrument_need(bool more)
{
	if (!more) {
		__atomic_store_n(&idle_since, now(), __ATOMIC_RELAXED);
		__atomic_sub_fetch(&needed, 1, __ATOMIC_SEQ_CST);
		return;
	}
	__atomic_add_fetch(&needed, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_exchange_n(&counting, true, __ATOMIC_SEQ_CST))
		private_flush_translations(private_current_cpu());
}

void instrument_settle(void)
{
	if (!__atomic_load_n(&counting, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&needed, __ATOMIC_RELAXED) || config.strict ||
	    now() - __atomic_load_n(&idle_since, __ATOMIC_RELAXED) < LINGER)
		return;
	if (__atomic_exchange_n(&counting, false, __ATOMIC_SEQ_CST))
		private_flush_translations(private_current_cpu());
}

static void *block_alloc(size_t size)
{
	void *block;

	size = (size + 15) & ~(size_t)15;
	pthread_mutex_lock(&chunk_lock);
	if (!chunks || chunks->used + size > CHUNK_SIZE - sizeof(struct chunk)) {
		struct chunk *chunk = malloc(CHUNK_SIZE);

		if (!chunk) {
			pthread_mutex_unlock(&chunk_lock);
			return NULL;
		}
		chunk->older = chunks;
		chunk->used = 0;
		chunks = chunk;
	}
	block = chunks->data + chunks->used;
	chunks->used += size;
	pthread_mutex_unlock(&chunk_lock);
	return block;
}

/* No vCPU runs code, but one may have an operation in flight, for as long as it waits. */
static void keep_flight(struct vcpu *vcpu)
{
	const struct block *block;
	struct block *kept;

	timing_forget(vcpu);
	if (!vcpu->flight.active)
		return;
	block = block_of(vcpu->flight.insn);
	kept = malloc(sizeof(*block) + block->insns * sizeof(block->insn[0]));
	if (!kept) {
		vcpu->flight.active = false;
		return;
	}
	memcpy(kept, block, sizeof(*block) + block->insns * sizeof(block->insn[0]));
	vcpu->flight.insn = &kept->insn[vcpu->flight.insn->index];
	free(vcpu->kept);
	vcpu->kept = kept;
}

void instrument_flush(qemu_plugin_id_t id)
{
	(void)id;
	for (unsigned i = 0; i < MAX_VCPUS; i++)
		keep_flight(&vcpus[i]);
	while (chunks) {
		struct chunk *chunk = chunks;

		chunks = chunk->older;
		free(chunk);
	}
}

static uint32_t opcode_at(struct qemu_plugin_tb *tb, size_t index)
{
	uint8_t b[4] = {0};

	qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, index), b, sizeof(b));
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static struct block *make_block(struct qemu_plugin_tb *tb, size_t insns)
{
	struct block *block = block_alloc(sizeof(*block) + insns * sizeof(block->insn[0]));

	if (!block)
		return NULL;
	block->pc = qemu_plugin_tb_vaddr(tb);
	block->insns = (uint32_t)insns;
	for (size_t i = 0; i < insns; i++) {
		block->insn[i].opcode = opcode_at(tb, i);
		block->insn[i].index = (uint16_t)i;
		block->insn[i].atomic = config.machine && sample_is_atomic(block->insn[i].opcode);
	}
	return block;
}

/*
 * Barriers only matter in strict mode (D17.9), where writes of registers take effect at them, and to
 * snapshots of the PMU that are read unsynchronized (RPLPCY).
 */
static void barrier(unsigned cpu, void *udata)
{
	uint32_t opcode = (uint32_t)(uintptr_t)udata;
	struct vcpu *vcpu = &vcpus[cpu];

	count_commit(vcpu);
	if (opcode == OPCODE_PSB_CSYNC) {
		spemu_psb_csync(vcpu->spu);
	} else if ((opcode & CRM_MASK) == OPCODE_DSB) {
		spemu_dsb(vcpu->spu);
	} else {
		spemu_isb(vcpu->pe);
		snapshot_synchronize(vcpu);
	}
	count_changed(vcpu);
}

static void follow_barriers(struct qemu_plugin_tb *tb, size_t insns)
{
	for (size_t i = 0; i < insns; i++) {
		uint32_t opcode = opcode_at(tb, i);
		bool dsb = (opcode & CRM_MASK) == OPCODE_DSB && (CRM_OF(opcode) & 3) == 3;

		if (dsb || (opcode & CRM_MASK) == OPCODE_ISB || opcode == OPCODE_PSB_CSYNC)
			qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i),
			                                       barrier, QEMU_PLUGIN_CB_NO_REGS,
			                                       (void *)(uintptr_t)opcode);
	}
}

static void tell_accesses(struct qemu_plugin_tb *tb, struct block *block)
{
	for (size_t i = 0; i < block->insns; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i),
		                                 config.machine ? timing_access : count_access,
		                                 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
		                                 &block->insn[i]);
}

/* Each instruction counts for itself. */
static void count_insns(struct qemu_plugin_tb *tb, struct block *block)
{
	for (size_t i = 0; i < block->insns; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
		        insn, QEMU_PLUGIN_INLINE_ADD_U64, count_entry(), 1);
		qemu_plugin_register_vcpu_insn_exec_cond_cb(
		        insn, count_insn_expired, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_COND_GE,
		        count_entry(), COUNT_LIMIT, &block->insn[i]);
	}
}

void instrument_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t insns = qemu_plugin_tb_n_insns(tb);
	struct block *block;

	(void)id;
	if (!vcpu_current())
		vcpu_refuse("a vCPU ran before it had its SPU",
		            "use QEMU 10.0 without -S and -gdb");
	if (insns == 0 || insns > MAX_BLOCK_INSNS)
		return;
	if (config.barriers)
		follow_barriers(tb, insns);
	if (!__atomic_load_n(&counting, __ATOMIC_RELAXED))
		return;
	block = make_block(tb, insns);
	if (!block)
		return; /* out of memory: this code runs uncounted */
	if (config.machine) {
		qemu_plugin_register_vcpu_tb_exec_cb(tb, timing_block, QEMU_PLUGIN_CB_NO_REGS,
		                                     block);
		tell_accesses(tb, block);
	}
	if (insns == 1 || count_variant(block->pc)) {
		if (!config.machine)
			tell_accesses(tb, block);
		count_insns(tb, block);
		return;
	}
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
	                                                  count_entry(), insns);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, count_block_expired, QEMU_PLUGIN_CB_NO_REGS,
	                                          QEMU_PLUGIN_COND_GE, count_entry(), COUNT_LIMIT,
	                                          block);
}
