/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The count of the sample population: every architecturally executed instruction
 * (FEAT_SPE_ArchInst).
 *
 * Arm ARM: DDI 0487 M.a, D17.2, D17.3.
 */
#include "timing/a64.h"

#include "callchain.h"
#include "count.h"
#include "previous_target.h"
#include "process.h"
#include "region.h"
#include "sample.h"
#include "sampled_window.h"
#include "vectors.h"

/* The lowest expired count, as the unsigned number that generated code compares. An expired count
 * is below zero by at most a block. With a constant of 32 bits that code has one instruction
 * less. */
#define EXPIRED ((uint64_t)-4096)

/* The vcpu of a thread that left a block so that its variant is translated. */
static __thread struct vcpu *restarting __attribute__((tls_model("initial-exec")));

bool count_variant(uint64_t pc)
{
	return restarting && restarting->arming == pc;
}

/* Take the samples in `block` or before it. */
static void count_sample(unsigned cpu, const struct block *block, uintptr_t ra)
{
	struct vcpu *vcpu = vcpu_at(cpu);

	if (!vcpu) {
		*countdown_left(cpu) = COUNT_NEVER;
		return;
	}
	restarting = vcpu;
	if (!vcpu->tid) {
		process_thread_start(vcpu);
		*countdown_left(cpu) -= block->insns;
	}
	if (!region_waited(vcpu, block))
		return;
	if (process.previous_target && !vcpu_is_timed(vcpu))
		previous_target_block(vcpu, block);
	sample_block(vcpu, block, ra);
}

static __attribute__((noinline)) void count_expired(unsigned cpu, const struct block *block,
                                                    uintptr_t ra)
{
	count_sample(cpu, block, ra);
	if (process.sampled && vcpu_at(cpu))
		window_follow(vcpu_at(cpu), block, ra);
}

static void count_block(unsigned cpu, void *udata)
{
	if (cpu >= MAX_VCPUS)
		return;
	countdown[cpu].left -= (int64_t)block_tag(udata);
	if (__builtin_expect(countdown[cpu].left < 0, 0))
		count_expired(cpu, block_untagged(udata), (uintptr_t)__builtin_return_address(0));
}

/* Count a block with a call site in a single callback, which costs less than two. The slow path is
 * a separate function, so that the fast path saves no registers. */
#define COUNT_SITE(name, at_site)                                                           \
	static __attribute__((noinline)) void name##_expired(                               \
	        unsigned cpu, const struct block *block, uintptr_t ra)                      \
	{                                                                                   \
		count_expired(cpu, block, ra);                                              \
		at_site(cpu, block);                                                        \
	}                                                                                   \
	static void name(unsigned cpu, void *udata)                                         \
	{                                                                                   \
		const struct block *block = udata;                                          \
                                                                                            \
		if (cpu >= MAX_VCPUS)                                                       \
			return;                                                             \
		countdown[cpu].left -= block->insns;                                        \
		if (__builtin_expect(countdown[cpu].left < 0, 0))                           \
			name##_expired(cpu, block, (uintptr_t)__builtin_return_address(0)); \
		else                                                                        \
			at_site(cpu, block);                                                \
	}
COUNT_SITE(count_block_site, callchain_at_block)
COUNT_SITE(count_block_call, callchain_at_call)
COUNT_SITE(count_block_return, callchain_at_return)

/* Handle an expired count, if generated code counts. */
static void count_block_expired(unsigned cpu, void *udata)
{
	count_expired(cpu, udata, (uintptr_t)__builtin_return_address(0));
}

/* Report a branch of a rarer kind. The function is not inline, so that the fast path saves no
 * registers. */
static __attribute__((noinline)) void branch_other(struct uarch_core *core, uint64_t pc,
                                                   uint32_t flags, uint64_t next_pc)
{
	uarch_branch(core, NULL, pc, flags, next_pc != pc + 4, next_pc);
}

/* If the block before ended with a branch, report the branch to the timing model. The function is
 * inline because it runs for each block, mostly without a result. */
static inline __attribute__((always_inline)) void branch_timed(struct countdown *own,
                                                               struct uarch_core *core,
                                                               struct uarch_result *result,
                                                               const struct block *block)
{
	uint64_t pc = own->branch_pc;
	uint32_t flags = own->branch_flags;

	own->branch_pc = block->last_pc;
	own->branch_flags = block->branch;
	if (result && flags)
		uarch_branch(core, result, pc, flags, block->pc != pc + 4, block->pc);
	else if (flags == SPEMU_OPF_CONDITIONAL)
		uarch_branch(core, NULL, pc, SPEMU_OPF_CONDITIONAL, block->pc != pc + 4, block->pc);
	else if (flags)
		branch_other(core, pc, flags, block->pc);
}

/* Report the branch that ended the block before, in a sampling window. */
static void branch_sampled(struct countdown *own, struct uarch_core *core,
                           struct uarch_result *result, const struct block *block)
{
	struct insn_stats *stats = own->branch_stats;
	uint64_t pc = own->branch_pc;
	uint32_t flags = own->branch_flags;

	own->branch_stats = block->stats;
	if (!stats || !flags) {
		branch_timed(own, core, result, block);
		return;
	}
	own->branch_flags = 0;
	branch_timed(own, core, result, block);
	uarch_sampled_branch(core, stats, result, flags, block->pc != pc + 4, block->pc);
}

/* Report the branch that ended the block before, if it may be in flight or the thread has not
 * begun. */
static __attribute__((noinline)) void branch_in_flight(unsigned cpu, const struct block *block)
{
	struct countdown *own = &countdown[cpu];
	struct vcpu *vcpu = own->vcpu;

	if (vcpu && vcpu->core)
		(process.sampled ? branch_sampled : branch_timed)(
		        own, vcpu->core, sample_branch_result(vcpu, own->branch_pc), block);
	if (vcpu && process.previous_target)
		previous_target_block(vcpu, block);
}

static __attribute__((noinline)) void count_in_flight(unsigned cpu, const struct block *block,
                                                      uintptr_t ra)
{
	branch_in_flight(cpu, block);
	if (countdown[cpu].left < 0)
		count_expired(cpu, block, ra);
}

/* Count a block and report the branch before it. On the fast path nothing is in flight and the
 * count does not expire. Each kind of report has its own callback, to keep the fast path short. */
#define COUNT_TIMED(name, report)                                                            \
	static void name(unsigned cpu, void *udata)                                          \
	{                                                                                    \
		const struct block *block = udata;                                           \
		struct countdown *own = &countdown[cpu];                                     \
                                                                                             \
		if (cpu >= MAX_VCPUS)                                                        \
			return;                                                              \
		own->left -= block->insns;                                                   \
		if (__builtin_expect(own->left < 0 || !own->timed, 0))                       \
			count_in_flight(cpu, block, (uintptr_t)__builtin_return_address(0)); \
		else                                                                         \
			report(own, own->timed, NULL, block);                                \
	}

COUNT_TIMED(count_block_timed, branch_timed)
COUNT_TIMED(count_block_sampled, branch_sampled)

/* Count a block and follow the branch taken last, which requires a callback at every block. */
static void count_block_previous(unsigned cpu, void *udata)
{
	const struct block *block = udata;

	if (cpu >= MAX_VCPUS)
		return;
	countdown[cpu].left -= block->insns;
	count_in_flight(cpu, block, (uintptr_t)__builtin_return_address(0));
}

/* Count a block that begins with points of the region of interest. The tag of udata has the
 * points. */
static void count_block_region(unsigned cpu, void *udata)
{
	const struct block *block = block_untagged(udata);
	struct vcpu *vcpu;

	if (cpu >= MAX_VCPUS)
		return;
	vcpu = countdown[cpu].vcpu;
	if (vcpu && !vcpu->tid)
		process_thread_start(vcpu);
	if (block->timed)
		branch_in_flight(cpu, block);
	if (vcpu)
		region_pass(vcpu, block, (unsigned)block_tag(udata));
	*countdown_left(cpu) -= block->insns;
	if (*countdown_left(cpu) < 0)
		count_sample(cpu, block, (uintptr_t)__builtin_return_address(0));
}

void count_at_point(struct qemu_plugin_insn *insn, const struct block *block, unsigned points)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, count_block_region, QEMU_PLUGIN_CB_R_REGS,
	                                       block_tagged(block, points));
}

void count_install(void)
{
	if (process.profile || process.params->interleave || !qemu_plugin_scoreboard_new ||
	    !qemu_plugin_scoreboard_find || !qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu ||
	    !qemu_plugin_register_vcpu_tb_exec_cond_cb)
		return;
	counted = qemu_plugin_scoreboard_new(sizeof(int64_t));
}

void count_at_entry(struct qemu_plugin_tb *tb, const struct block *block)
{
	static const qemu_plugin_vcpu_udata_cb at_site[] = {
	        [CALLCHAIN_ANY] = count_block_site,
	        [CALLCHAIN_CALL] = count_block_call,
	        [CALLCHAIN_RETURN] = count_block_return,
	};
	const qemu_plugin_vcpu_udata_cb timed = process.previous_target ? count_block_previous
	                                        : process.sampled       ? count_block_sampled
	                                                                : count_block_timed;
	struct qemu_plugin_u64 left = {.score = counted, .offset = 0};
	void *udata = (void *)(uintptr_t)block;

	if (counted) {
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
		        tb, QEMU_PLUGIN_INLINE_ADD_U64, left, (uint64_t) - (int64_t)block->insns);
		qemu_plugin_register_vcpu_tb_exec_cond_cb(
		        tb, count_block_expired, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_GE, left,
		        EXPIRED, udata);
		return;
	}
	if (!block->call_site && !block->timed)
		udata = block_tagged(block, block->insns);
	qemu_plugin_register_vcpu_tb_exec_cb(tb,
	                                     block->call_site ? at_site[callchain_site_kind(block)]
	                                     : block->timed   ? timed
	                                                      : count_block,
	                                     QEMU_PLUGIN_CB_NO_REGS, udata);
}

static void count_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	struct vcpu *vcpu = vcpu_at(cpu);
	struct in_flight *flight = vcpu ? sample_in_flight(vcpu, udata) : NULL;

	if (flight)
		sample_access(vcpu, flight, vaddr, 1u << qemu_plugin_mem_size_shift(info));
}

/*
 * Callbacks of the timing model get a tagged pointer to the block. The tag has the bytes of each
 * memory access, if all have the same size, and the index of the instruction in the block. Most
 * callbacks use only the bytes.
 */
#define SIZE_BITS 5

static inline uint32_t tagged_size(const void *udata)
{
	return (uint32_t)block_tag(udata) & ((1u << SIZE_BITS) - 1);
}

static inline const uint32_t *tagged_opcode(const void *udata)
{
	return &((const struct block *)block_untagged(udata))
	                ->opcode[block_tag(udata) >> SIZE_BITS];
}

/* Report an access that the fast paths did not take. */
static void report_access(struct uarch_core *core, struct uarch_result *result, const void *udata,
                          uint64_t vaddr, uint32_t size, unsigned flags)
{
	const struct block *block = block_untagged(udata);
	unsigned index = (unsigned)(block_tag(udata) >> SIZE_BITS);
	const struct block_registers *registers = &block->registers[index];

	uarch_registers(core, registers->from, registers->to);
	uarch_access(core, result, block_insn_pc(block, index), vaddr, size, flags);
}

/* Report a memory access of an instruction that may be in flight. If it is, keep the timing model's
 * results. */
static __attribute__((noinline)) void
access_in_flight(unsigned cpu, const void *udata, uint64_t vaddr, uint32_t size, unsigned flags)
{
	struct vcpu *vcpu = vcpu_at(cpu);
	struct in_flight *flight;

	if (!vcpu || !vcpu->core)
		return;
	flight = sample_in_flight(vcpu, tagged_opcode(udata));
	if (flight)
		sample_access(vcpu, flight, vaddr, size);
	else if (uarch_hit(vcpu->core, vaddr, size, flags))
		return;
	report_access(vcpu->core, flight ? &flight->timing : NULL, udata, vaddr, size, flags);
}

/* Report a memory access that missed. The block is seldom in the host's caches, so it is prefetched
 * meanwhile. */
static __attribute__((noinline)) void access_missed(struct uarch_core *core, const void *udata,
                                                    uint64_t vaddr, unsigned flags)
{
	__builtin_prefetch(block_untagged(udata));
	if (!uarch_in_l1(core, vaddr, tagged_size(udata), flags))
		report_access(core, NULL, udata, vaddr, tagged_size(udata), flags);
}

static void count_any_timed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	access_in_flight(cpu, udata, vaddr, 1u << qemu_plugin_mem_size_shift(info),
	                 qemu_plugin_mem_is_store(info) ? UARCH_STORE : UARCH_LOAD);
}

/* Report a memory access of an instruction that only loads or only stores. udata has the size of
 * each access, so no call of QEMU is needed. On the fast path nothing is in flight. */
static inline void access_timed(unsigned cpu, uint64_t vaddr, const void *udata, unsigned flags)
{
	struct uarch_core *core = cpu < MAX_VCPUS ? countdown[cpu].timed : NULL;

	if (__builtin_expect(!core, 0))
		access_in_flight(cpu, udata, vaddr, tagged_size(udata), flags);
	else if (!uarch_hit(core, vaddr, tagged_size(udata), flags))
		access_missed(core, udata, vaddr, flags);
}

static void count_load_timed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	(void)info;
	access_timed(cpu, vaddr, udata, UARCH_LOAD);
}

static void count_store_timed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	(void)info;
	access_timed(cpu, vaddr, udata, UARCH_STORE);
}

/* Tag bits of udata in sampled fidelity, beside the pointer to the instruction's statistics. */
#define SAMPLED_SIZE 0xff /* bytes of each access; 0: get the size from QEMU */
#define SAMPLED_FLAGS 8   /* enum uarch_access_flag, shifted by this */

static __attribute__((noinline)) void sampled_in_flight(unsigned cpu, struct insn_stats *stats,
                                                        uint64_t vaddr, uint32_t size,
                                                        unsigned flags)
{
	struct vcpu *vcpu = vcpu_at(cpu);
	struct in_flight *flight = NULL;

	if (!vcpu || !vcpu->core)
		return;
	if (vcpu->flight.want && vcpu->flight.op.pc == stats->pc)
		flight = &vcpu->flight;
	else if (vcpu->next.want && vcpu->next.op.pc == stats->pc)
		flight = &vcpu->next;
	if (flight)
		sample_access(vcpu, flight, vaddr, size);
	uarch_sampled_access(vcpu->core, stats, flight ? &flight->timing : NULL, vaddr, size,
	                     flags);
}

/* Report a memory access in a sampling window. */
static void count_sampled(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	struct insn_stats *stats = (struct insn_stats *)(uintptr_t)block_untagged(udata);
	uint32_t size = (uint32_t)block_tag(udata) & SAMPLED_SIZE;
	unsigned flags = (unsigned)block_tag(udata) >> SAMPLED_FLAGS;

	if (!size) {
		size = 1u << qemu_plugin_mem_size_shift(info);
		flags = qemu_plugin_mem_is_store(info) ? UARCH_STORE : UARCH_LOAD;
	}
	if (__builtin_expect(cpu < MAX_VCPUS && countdown[cpu].timed, 1))
		uarch_sampled_access(countdown[cpu].timed, stats, NULL, vaddr, size, flags);
	else
		sampled_in_flight(cpu, stats, vaddr, size, flags);
}

/* First version of the interface whose QEMUs access up to 16 bytes at once. */
#define WHOLE_ACCESSES 4

/* Return the bytes of each memory access of an instruction that only loads or only stores. 0 means
 * that QEMU has to report them. */
static uint32_t access_size(const struct spemu_op_kind *kind)
{
	uint32_t size = kind->flags & SPEMU_OPF_PAIR ? kind->access_size / 2u : kind->access_size;

	if (size > 16 || kind->type == SPEMU_OP_LOAD_ATOMIC ||
	    (kind->ldst != SPEMU_LDST_GENERAL && kind->ldst != SPEMU_LDST_SIMDFP))
		return 0;
	if (qemu_plugin_version >= WHOLE_ACCESSES && (size > 8 || kind->flags & SPEMU_OPF_PAIR))
		return 0;
	return size > 8 ? 8 : size; /* QEMU 7.2 accesses 16 bytes in two steps */
}

/* Return the callback of an instruction whose block reports to the timing model, and set its
 * udata. */
static qemu_plugin_mem_cb timed_access(const struct block *block, unsigned index, void **udata)
{
	struct insn_stats *stats;
	struct spemu_op_kind kind;
	uint32_t size;
	unsigned flags;

	a64_classify(&kind, block->opcode[index], 0);
	size = access_size(&kind);
	flags = kind.type == SPEMU_OP_LOAD ? UARCH_LOAD : UARCH_STORE;
	if (!process.sampled) {
		*udata = block_tagged(block, size | (uintptr_t)index << SIZE_BITS);
		return !size                ? count_any_timed
		       : flags & UARCH_LOAD ? count_load_timed
		                            : count_store_timed;
	}
	stats = window_insn_stats(block_insn_pc(block, index));
	stats->parts = size ? kind.access_size / size : 1;
	stats->from = block->registers[index].from;
	stats->to = block->registers[index].to;
	*udata = block_tagged(stats, size | flags << SAMPLED_FLAGS);
	return count_sampled;
}

/* Complete an SVE operation in flight, before it executes. */
static void count_vectors(unsigned cpu, void *udata)
{
	struct vcpu *vcpu = vcpu_at(cpu);
	struct in_flight *flight;

	if (!vcpu || countdown[cpu].timed)
		return;
	flight = sample_in_flight(vcpu, udata);
	if (flight)
		vectors_complete(&flight->op, *(const uint32_t *)udata);
}

void count_accesses(struct qemu_plugin_insn *insn, const struct block *block, unsigned index)
{
	void *udata = (void *)(uintptr_t)&block->opcode[index];
	qemu_plugin_mem_cb callback = count_access;

	if (process.vectors && vectors_used(block->opcode[index]))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, count_vectors, QEMU_PLUGIN_CB_R_REGS,
		                                       udata);
	if (block->timed)
		callback = timed_access(block, index, &udata);
	qemu_plugin_register_vcpu_mem_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
	                                 udata);
}
