/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proofs of all offsets of system_series.c. No proof relies on the offset that it proves:
 *
 *   xregs, pc, pstate      a debugger reads the value written there by the register's name
 *   pstate, aarch64,       arm_mmu_idx() and cpsr_read() depend on the value written there;
 *   uncached_cpsr, env     their argument is env, which proves its offset, too
 *   tcg_cflags             curr_cflags() returns the value written there
 *   exclusive_context_     start_exclusive() in an exclusive context and end_exclusive() change it
 *   count
 *   exception_index        the migrated state has a field of this name and offset
 *   cflags_next_tb         holds "none", before interrupt_request, which is a migrated field
 *   cp_regs                a pointer to a GLib hash table for such keys, which has MIDR_EL1
 *
 * The members of ARMCPRegInfo have proofs, too:
 *
 *   fieldoffset            a debugger reads the value written there by the register's name
 *   state, type, access,   as the architecture defines registers (a debugger reads the value of
 *   resetvalue,            a constant, VNCR_EL2 has TTBR0_EL1 at 0x200)
 *   nv2_redirect_offset
 *   accessfn, resetfn      equal to exported functions of QEMU
 *   readfn, writefn        QEMU calls them in a structure that this file makes
 *   its size               registers.c finds what it has defined
 *
 * Each value that a proof overwrites is restored at once: no vCPU runs, and QEMU's lock is held.
 * The kernel reads memory that may not exist, so a wrong pointer is an error and not a crash.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <spemu/sysreg.h>

#include "qemu_plugin_api.h"
#include "qemu_private.h"
#include "qemu_verify.h"
#include "qemu_symbols.h"
#include "system_series.h"

#define SYSREG_MIDR_EL1 SPEMU_SYSREG(3u, 0u, 0u, 0u, 0u)
#define SYSREG_ID_AA64MMFR0_EL1 SPEMU_SYSREG(3u, 0u, 0u, 7u, 0u)
#define TTBR0_EL1_IN_VNCR 0x200 /* NVMem[0x200] of its accessibility pseudocode */
/* ENCODE_CP_REG(): Non-secure TPIDRURW, p15 0 c13 c0 2. */
#define CP_REG_TPIDRURW (1u << 29 | 15u << 16 | 13u << 11 | 2u)

#define CLUSTER_BITS 0xff000000u /* of tcg_cflags: curr_cflags() adds none of them */

#define PSTATE_EL(el) ((uint32_t)(el) << 2)
#define PSTATE_MODE 0xfu
#define PSTATE_PAN (1u << 22) /* the CPSR's too */
#define CPSR_MODE 0x1fu
#define CPSR_USR 0x10u
#define CPSR_SVC 0x13u

extern QEMU_WEAK const char vmstate_cpu_common[];
QEMU_WEAK int arm_mmu_idx(struct CPUArchState *env);
QEMU_WEAK uint32_t cpsr_read(struct CPUArchState *env);
QEMU_WEAK struct glib_array *g_byte_array_new(void);
QEMU_WEAK void *g_byte_array_free(struct glib_array *bytes, int segment);
QEMU_WEAK unsigned g_array_get_element_size(struct glib_array *array);
QEMU_WEAK void *g_array_free(struct glib_array *array, int segment);
QEMU_WEAK unsigned g_direct_hash(const void *key);
QEMU_WEAK int g_direct_equal(const void *a, const void *b);
QEMU_WEAK int access_tvm_trvm(struct CPUArchState *env, const struct private_reg *reg,
                              bool is_read);
QEMU_WEAK void arm_cp_reset_ignore(struct CPUArchState *env, const struct private_reg *reg);
QEMU_WEAK uint64_t helper_get_cp_reg64(struct CPUArchState *env, const void *reg);
QEMU_WEAK void helper_set_cp_reg64(struct CPUArchState *env, const void *reg, uint64_t value);

static bool has_functions(void)
{
	return private_has_functions() && vmstate_cpu_common && start_exclusive && end_exclusive &&
	       arm_mmu_idx && cpsr_read && g_byte_array_new && g_byte_array_free && g_array_free &&
	       g_array_get_element_size && g_direct_hash && g_direct_equal && access_tvm_trvm &&
	       arm_cp_reset_ignore && helper_get_cp_reg64 && helper_set_cp_reg64 &&
	       qemu_plugin_get_registers && qemu_plugin_read_register;
}

/* Copy memory through the kernel. Return false if the source is not mapped. */
static bool copy(void *to, const void *from, size_t size)
{
	bool copied;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return false;
	copied = write(ends[1], from, size) == (ssize_t)size &&
	         read(ends[0], to, size) == (ssize_t)size;
	close(ends[0]);
	close(ends[1]);
	return copied;
}

static bool is_text(const char *at, const char *expected)
{
	char text[64];
	size_t size = strlen(expected) + 1;

	return size <= sizeof(text) && copy(text, at, size) && memcmp(text, expected, size) == 0;
}

static void put_word(void *object, enum qemu_offset member, uint32_t value)
{
	memcpy(qemu_member(object, member), &value, sizeof(value));
}

/* Read the register's value as a debugger does. Return false if there is no such register. */
static bool debugger_reads(uint64_t *value, const char *name)
{
	struct glib_array *registers = qemu_plugin_get_registers();
	unsigned size = g_array_get_element_size(registers);
	struct glib_array *bytes = g_byte_array_new();
	bool found;

	*value = 0;
	for (unsigned i = 0; i < registers->len; i++) {
		const struct qemu_plugin_reg_descriptor *reg =
		        (const void *)((const char *)registers->data + (size_t)i * size);

		if (strcmp(reg->name, name) == 0) {
			qemu_plugin_read_register(reg->handle, bytes);
			break;
		}
	}
	g_array_free(registers, 1);
	found = bytes->len > 0 && bytes->len <= sizeof(*value);
	if (found)
		memcpy(value, bytes->data, bytes->len);
	g_byte_array_free(bytes, 1);
	return found;
}

/* Return true if the 8 bytes at `at` are the value of the register with this name. */
static bool is_register(void *at, const char *name)
{
	const uint64_t pattern = UINT64_C(0x00005a3c96e1785a) ^ (uintptr_t)at << 4;
	uint64_t kept, seen;
	bool found;

	memcpy(&kept, at, sizeof(kept));
	memcpy(at, &pattern, sizeof(pattern));
	found = debugger_reads(&seen, name);
	memcpy(at, &kept, sizeof(kept));
	return found && seen == pattern;
}

static bool verify_xregs(struct CPUState *cpu)
{
	uint64_t *x = qemu_member(qemu_env(cpu), ENV_XREGS);
	char name[8];

	for (unsigned i = 0; i < 31; i++) {
		snprintf(name, sizeof(name), "x%u", i);
		if (!is_register(x + i, name))
			return false;
	}
	return is_register(x + 31, "sp");
}

static bool verify_pc(struct CPUState *cpu)
{
	return is_register(qemu_member(qemu_env(cpu), ENV_PC), "pc");
}

static bool verify_pstate(struct CPUState *cpu)
{
	struct CPUArchState *env = qemu_env(cpu);
	uint32_t kept = qemu_word(env, ENV_PSTATE);
	bool same = true;

	for (uint32_t mode = 0; mode <= PSTATE_MODE && same; mode++) {
		uint64_t seen;

		put_word(env, ENV_PSTATE, (kept & ~PSTATE_MODE) | mode);
		same = debugger_reads(&seen, "cpsr") && (seen & PSTATE_MODE) == mode;
	}
	put_word(env, ENV_PSTATE, kept);
	return same;
}

static bool verify_uncached_cpsr(struct CPUState *cpu)
{
	struct CPUArchState *env = qemu_env(cpu);
	uint32_t kept = qemu_word(env, ENV_UNCACHED_CPSR);
	bool same = true;

	for (uint32_t mode = 0; mode <= CPSR_MODE && same; mode++) {
		put_word(env, ENV_UNCACHED_CPSR, (kept & ~CPSR_MODE) | mode);
		same = (cpsr_read(env) & CPSR_MODE) == mode;
	}
	put_word(env, ENV_UNCACHED_CPSR, kept);
	return same;
}

/* Return the index of the translation regime for this PSTATE in AArch64, or this CPSR in
 * AArch32. */
static int regime(struct CPUArchState *env, bool aarch64, uint32_t pstate, uint32_t cpsr)
{
	unsigned char *flag = qemu_member(env, ENV_AARCH64);
	uint32_t kept_pstate = qemu_word(env, ENV_PSTATE);
	uint32_t kept_cpsr = qemu_word(env, ENV_UNCACHED_CPSR);
	unsigned char kept_flag = *flag;
	int index;

	put_word(env, ENV_PSTATE, (kept_pstate & ~(PSTATE_MODE | PSTATE_PAN)) | pstate);
	put_word(env, ENV_UNCACHED_CPSR, (kept_cpsr & ~(CPSR_MODE | PSTATE_PAN)) | cpsr);
	*flag = aarch64;
	index = arm_mmu_idx(env);
	*flag = kept_flag;
	put_word(env, ENV_UNCACHED_CPSR, kept_cpsr);
	put_word(env, ENV_PSTATE, kept_pstate);
	return index;
}

static bool verify_aarch64(struct CPUState *cpu)
{
	struct CPUArchState *env = qemu_env(cpu);
	int el0 = regime(env, true, PSTATE_EL(0), CPSR_SVC);
	int el1 = regime(env, true, PSTATE_EL(1), CPSR_USR);

	return el0 != el1 && regime(env, false, PSTATE_EL(1), CPSR_USR) == el0 &&
	       regime(env, false, PSTATE_EL(0), CPSR_SVC) == el1;
}

static bool verify_tcg_cflags(struct CPUState *cpu)
{
	static const uint32_t patterns[] = {0xa5000000, 0x5a000000, 0};
	uint32_t kept = qemu_word(cpu, CPU_TCG_CFLAGS);
	bool same = true;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]) && same; i++) {
		put_word(cpu, CPU_TCG_CFLAGS, (kept & ~CLUSTER_BITS) | patterns[i]);
		same = (curr_cflags(cpu) & CLUSTER_BITS) == patterns[i];
	}
	put_word(cpu, CPU_TCG_CFLAGS, kept);
	return same;
}

/* If the count is not 0, start_exclusive() only increments it. At a wrong offset it would wait for
 * running vCPUs, and no vCPU runs. */
static bool verify_exclusive_context(struct CPUState *cpu)
{
	uint32_t kept = qemu_word(cpu, CPU_EXCLUSIVE_CONTEXT);
	bool same;

	put_word(cpu, CPU_EXCLUSIVE_CONTEXT, 1);
	start_exclusive();
	same = qemu_word(cpu, CPU_EXCLUSIVE_CONTEXT) == 2;
	end_exclusive();
	same &= qemu_word(cpu, CPU_EXCLUSIVE_CONTEXT) == 1;
	put_word(cpu, CPU_EXCLUSIVE_CONTEXT, kept);
	return same && kept == 0;
}

/* The members of a VMStateDescription that are used. */
struct migrated {
	const char *name;
	const char *fields;
	const char *const *subsections;
};
#define MIGRATED_MAX 32 /* limit of the fields and subsections searched */

static bool copy_migrated(struct migrated *to, const char *from)
{
	return copy(&to->name, from, sizeof(to->name)) &&
	       copy(&to->fields, from + qemu_series.migrated.fields, sizeof(to->fields)) &&
	       copy(&to->subsections, from + qemu_series.migrated.fields + sizeof(to->fields),
	            sizeof(to->subsections));
}

/* Return the offset of the field of 4 bytes with this name, or 0 if there is none. */
static size_t migrated_offset(const struct migrated *migrated, const char *name)
{
	for (unsigned i = 0; i < MIGRATED_MAX; i++) {
		const char *field = migrated->fields + i * qemu_series.migrated.field_size;
		struct {
			size_t offset, size;
		} at;
		const char *named;

		if (!copy(&named, field, sizeof(named)) || !named ||
		    !copy(&at, field + qemu_series.migrated.field_offset, sizeof(at)))
			return 0;
		if (is_text(named, name))
			return at.size == sizeof(uint32_t) ? at.offset : 0;
	}
	return 0;
}

static bool verify_exception_index(struct CPUState *cpu)
{
	struct migrated common, section;
	const char *at;

	(void)cpu;
	if (!copy_migrated(&common, vmstate_cpu_common))
		return false;
	for (unsigned i = 0; i < MIGRATED_MAX; i++) {
		if (!copy(&at, common.subsections + i, sizeof(at)) || !at ||
		    !copy_migrated(&section, at))
			return false;
		if (is_text(section.name, "cpu_common/exception_index"))
			return migrated_offset(&section, "exception_index") ==
			       qemu_series.offset[CPU_EXCEPTION_INDEX];
	}
	return false;
}

static bool verify_cflags_next_tb(struct CPUState *cpu)
{
	struct migrated common;

	return copy_migrated(&common, vmstate_cpu_common) &&
	       migrated_offset(&common, "interrupt_request") ==
	               qemu_series.offset[CPU_CFLAGS_NEXT_TB] + sizeof(uint32_t) &&
	       qemu_word(cpu, CPU_CFLAGS_NEXT_TB) == NO_CFLAGS;
}

/* Return true if `at` is a GHashTable, in which the hash and equality functions are adjacent. */
static bool is_hash_table(const void *at)
{
	const uintptr_t hash = (uintptr_t)g_direct_hash, equal = (uintptr_t)g_direct_equal;
	uintptr_t words[16];

	if (!copy(words, at, sizeof(words)))
		return false;
	for (size_t i = 0; i + 1 < sizeof(words) / sizeof(words[0]); i++)
		if (words[i] == hash && words[i + 1] == equal)
			return true;
	return false;
}

static bool verify_cp_regs(struct CPUState *cpu)
{
	struct CPUArchState *env = qemu_env(cpu);
	const struct private_reg *midr;

	if (!is_hash_table((const void *)(uintptr_t)qemu_double(env, ENV_CP_REGS)))
		return false;
	midr = private_reg_find(env, SYSREG_MIDR_EL1);
	return midr && is_text(midr->name, "MIDR_EL1") && midr->op0 == 3 && midr->op1 == 0;
}

static bool is_plain_register(const struct private_reg *reg)
{
	return reg && reg->state == PRIVATE_STATE_AA64 && reg->access == PRIVATE_RW_FROM_EL1 &&
	       !(reg->type & PRIVATE_REG_CONST);
}

static bool verify_register_data(struct CPUState *cpu)
{
	struct CPUArchState *env = qemu_env(cpu);
	const struct private_reg *ttbr0 = private_reg_find(env, SPEMU_SYSREG_TTBR0_EL1),
	                         *mmfr0 = private_reg_find(env, SYSREG_ID_AA64MMFR0_EL1);
	uint64_t constant;

	return is_plain_register(ttbr0) && ttbr0->fieldoffset > 0 && ttbr0->fieldoffset % 8 == 0 &&
	       (size_t)ttbr0->fieldoffset < qemu_series.offset[ENV_CP_REGS] &&
	       is_register((char *)env + ttbr0->fieldoffset, "TTBR0_EL1") &&
	       ttbr0->nv2_redirect_offset == (TTBR0_EL1_IN_VNCR | PRIVATE_NV2_IF_NV1) && mmfr0 &&
	       (mmfr0->type & PRIVATE_REG_CONST) && debugger_reads(&constant, "ID_AA64MMFR0_EL1") &&
	       constant != 0 && mmfr0->resetvalue == constant;
}

/* Arguments of the last call of a function of the probe. */
static struct {
	const struct private_reg *reg;
	uint64_t value;
} probed;

static uint64_t probe_read(struct CPUArchState *env, const struct private_reg *reg)
{
	(void)env;
	probed.reg = reg;
	return probed.value;
}

static void probe_write(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	(void)env;
	probed.reg = reg;
	probed.value = value;
}

/* Stand in for each function of the probe that QEMU must not call. The arguments do not matter. */
static uint64_t decoy(void)
{
	return 0;
}

static bool verify_register_functions(struct CPUState *cpu)
{
	const uint64_t pattern = UINT64_C(0x5a3c96e10f4b2d87);
	struct CPUArchState *env = qemu_env(cpu);
	const uintptr_t nothing = (uintptr_t)decoy;
	struct private_reg probe = {0};

	for (size_t at = offsetof(struct private_reg, others); at < sizeof(probe);
	     at += sizeof(nothing))
		memcpy((char *)&probe + at, &nothing, sizeof(nothing));
	probe.readfn = probe_read;
	probe.writefn = probe_write;
	helper_set_cp_reg64(env, &probe, pattern);
	if (probed.reg != &probe || probed.value != pattern)
		return false;
	probed.reg = NULL;
	probed.value = ~pattern;
	return helper_get_cp_reg64(env, &probe) == ~pattern && probed.reg == &probe;
}

static bool verify_register_layout(struct CPUState *cpu)
{
	struct CPUArchState *env = qemu_env(cpu);
	const struct private_reg *ttbr0 = private_reg_find(env, SPEMU_SYSREG_TTBR0_EL1),
	                         *tpidrurw = private_reg_find_aarch32(env, CP_REG_TPIDRURW);

	return verify_register_data(cpu) && ttbr0->accessfn == access_tvm_trvm && tpidrurw &&
	       tpidrurw->resetfn == arm_cp_reset_ignore && verify_register_functions(cpu);
}

/* The proofs, in order: later ones rely on earlier ones. */
static const struct {
	enum qemu_offset member;
	bool (*holds)(struct CPUState *cpu);
} proofs[] = {
        {CPU_TCG_CFLAGS, verify_tcg_cflags},
        {CPU_CFLAGS_NEXT_TB, verify_cflags_next_tb},
        {CPU_EXCLUSIVE_CONTEXT, verify_exclusive_context},
        {CPU_EXCEPTION_INDEX, verify_exception_index},
        {ENV_XREGS, verify_xregs},
        {ENV_PC, verify_pc},
        {ENV_PSTATE, verify_pstate},
        {ENV_UNCACHED_CPSR, verify_uncached_cpsr},
        {ENV_AARCH64, verify_aarch64},
        {ENV_CP_REGS, verify_cp_regs},
};

const char qemu_register_layout_differs[] = "this QEMU has a different layout of ARMCPRegInfo";

const char *qemu_verify(void)
{
	static char text[128];

	if (!has_functions())
		return "this QEMU does not export the functions that the plugin needs";
	if (!private_current_cpu())
		return "this QEMU runs vCPUs in an unsupported way";
	for (size_t i = 0; i < sizeof(proofs) / sizeof(proofs[0]); i++)
		if (!proofs[i].holds(private_current_cpu())) {
			snprintf(text, sizeof(text), "%s is not at its QEMU %u.%u offset",
			         qemu_offset_name(proofs[i].member), qemu_series.major,
			         qemu_series.minor);
			return text;
		}
	if (!verify_register_layout(private_current_cpu()))
		return qemu_register_layout_differs;
	return NULL;
}
