/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The private parts of QEMU; see qemu_private.h.
 */
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin_api.h"
#include "qemu_private.h"
#include "qemu_symbols.h"

/* ENCODE_AA64_CP_REG(): bit 28, coprocessor 0x13, then the encoding as MSR has it. */
#define CP_REG_AA64 (1u << 28 | 0x13u << 16)

#define PSTATE_IL (1u << 20)
#define PSTATE_SS (1u << 21)

#define IRQS_PER_CPU 32
#define PAS_SECURE 0
#define PAS_ROOT 2

struct AddressSpace;
struct IRQState;
struct Object;

/* QEMU 10.0 has the first of these two functions, 11.1 the second. */
QEMU_WEAK void tb_flush(struct CPUState *cpu);
QEMU_WEAK void queue_tb_flush(struct CPUState *cpu);
/* QEMU 10.0 has the first of these two functions, 11.1 the second. */
QEMU_WEAK void define_arm_cp_regs_with_opaque_len(struct CPUState *cpu,
                                                  const struct private_reg *regs, void *opaque,
                                                  size_t count);
QEMU_WEAK void define_arm_cp_regs_len(struct CPUState *cpu, const struct private_reg *regs,
                                      size_t count);
QEMU_WEAK struct private_reg *get_arm_cp_reginfo(void *regs, uint32_t encoded);
QEMU_WEAK unsigned arm_security_space(struct CPUArchState *env);
QEMU_WEAK uint32_t sve_vqm1_for_el_sm(struct CPUArchState *env, int el, bool sm);
QEMU_WEAK _Noreturn void raise_exception_ra(struct CPUArchState *env, uint32_t exception,
                                            uint64_t syndrome, uint32_t el, uintptr_t ra);
QEMU_WEAK bool cpu_restore_state(struct CPUState *cpu, uintptr_t ra);
QEMU_WEAK _Noreturn void cpu_loop_exit(struct CPUState *cpu);
QEMU_WEAK int64_t qemu_clock_get_ns(int type);
QEMU_WEAK void cpu_disable_ticks(void);
QEMU_WEAK void cpu_enable_ticks(void);
QEMU_WEAK struct Object *object_resolve_path_type(const char *path, const char *type,
                                                  bool *ambiguous);
QEMU_WEAK uint64_t object_property_get_uint(struct Object *object, const char *name, void **error);
QEMU_WEAK struct IRQState *qdev_get_gpio_in(struct Object *device, int n);
QEMU_WEAK void qemu_set_irq(struct IRQState *irq, int level);
QEMU_WEAK bool runstate_is_running(void);
QEMU_WEAK bool bql_locked(void);
QEMU_WEAK void bql_lock_impl(const char *file, int line);
QEMU_WEAK void bql_unlock(void);
QEMU_WEAK struct AddressSpace *cpu_get_address_space(struct CPUState *cpu, int index);
/* attrs is struct MemTxAttrs: secure in bit 0, space in bits [2:1]. */
QEMU_WEAK uint32_t address_space_rw(struct AddressSpace *as, uint64_t address, uint64_t attrs,
                                    void *buffer, uint64_t size, bool write);
QEMU_WEAK int cpu_memory_rw_debug(struct CPUState *cpu, uint64_t address, void *data, size_t size,
                                  bool write);
QEMU_WEAK void *address_space_map(struct AddressSpace *as, uint64_t address, uint64_t *size,
                                  bool write, uint64_t attrs);
QEMU_WEAK void address_space_unmap(struct AddressSpace *as, void *buffer, uint64_t size, bool write,
                                   uint64_t access_size);

QEMU_WEAK int register_savevm_live(const char *name, uint32_t instance, int version,
                                   const void *handlers, void *opaque);
QEMU_WEAK void qemu_put_buffer(struct QEMUFile *file, const void *data, size_t size);
QEMU_WEAK size_t qemu_get_buffer(struct QEMUFile *file, void *data, size_t size);
extern QEMU_WEAK const char RunState_lookup[];
QEMU_WEAK const char *qapi_enum_lookup(const void *lookup, int value);

/* VersionInfo: what the monitor's query-version returns. */
struct version {
	const struct {
		int64_t major, minor, micro;
	} * qemu;
	const char *package;
};
QEMU_WEAK struct version *qmp_query_version(void **error);
QEMU_WEAK void qapi_free_VersionInfo(struct version *version);

bool private_version(unsigned *major, unsigned *minor)
{
	struct version *version;

	if (!qmp_query_version || !qapi_free_VersionInfo)
		return false;
	version = qmp_query_version(NULL);
	*major = (unsigned)version->qemu->major;
	*minor = (unsigned)version->qemu->minor;
	qapi_free_VersionInfo(version);
	return true;
}

bool private_has_functions(void)
{
	return &current_cpu && curr_cflags && cpu_loop_exit_restore &&
	       (tb_flush || queue_tb_flush) &&
	       (define_arm_cp_regs_with_opaque_len || define_arm_cp_regs_len) &&
	       get_arm_cp_reginfo && arm_register_pre_el_change_hook &&
	       arm_register_el_change_hook && arm_security_space && sve_vqm1_for_el_sm &&
	       arm_hcr_el2_eff && raise_exception_ra && cpu_restore_state && cpu_loop_exit &&
	       gt_get_countervalue && object_resolve_path_type && object_property_get_uint &&
	       qdev_get_gpio_in && qemu_set_irq && runstate_is_running && bql_locked &&
	       bql_lock_impl && bql_unlock && cpu_get_address_space && cpu_memory_rw_debug &&
	       address_space_rw && address_space_map && address_space_unmap &&
	       register_savevm_live && qemu_put_buffer && qemu_get_buffer &&
	       qemu_add_vm_change_state_handler && RunState_lookup && qapi_enum_lookup &&
	       qemu_get_cpu && async_run_on_cpu && cpu_disable_ticks && cpu_enable_ticks &&
	       qemu_clock_get_ns;
}

bool private_running(void)
{
	return runstate_is_running && runstate_is_running();
}

struct CPUState *private_current_cpu(void)
{
	return current_cpu;
}

uint64_t private_pc(const struct CPUArchState *env)
{
	return qemu_double(env, ENV_PC);
}

bool private_aarch32(const struct CPUArchState *env)
{
	return !*(const unsigned char *)qemu_member(env, ENV_AARCH64);
}

bool private_illegal_state(const struct CPUArchState *env)
{
	return qemu_word(env, ENV_PSTATE) & PSTATE_IL;
}

unsigned private_el(const struct CPUArchState *env)
{
	if (!private_aarch32(env))
		return qemu_word(env, ENV_PSTATE) >> 2 & 3;
	switch (qemu_word(env, ENV_UNCACHED_CPSR) & 0x1f) { /* PSTATE.M */
	case 0x10:
		return 0;
	case 0x16:
		return 3;
	case 0x1a:
		return 2;
	default:
		return 1;
	}
}

const uint64_t *private_xregs(const struct CPUArchState *env)
{
	return qemu_member(env, ENV_XREGS);
}

/* Return true for an EXCP_* (target/arm/cpu.h, the same in 10.0 and 11.1) that is a fault, trap or
 * debug event of the instruction at the pc. Interrupts, SVC, HVC, SMC, aborts of a fetch and
 * exception returns are not. */
bool private_faulted(const struct CPUState *cpu)
{
	switch (qemu_word(cpu, CPU_EXCEPTION_INDEX)) {
	case 1:  /* UDEF, also traps of System registers and software step */
	case 4:  /* DATA_ABORT */
	case 7:  /* BKPT */
	case 17: /* NOCP */
		return true;
	default:
		return false;
	}
}

/* An EXCP_* is 0 or greater; the index is -1 while code is executed. */
bool private_takes_exception(const struct CPUState *cpu)
{
	return (int32_t)qemu_word(cpu, CPU_EXCEPTION_INDEX) >= 0;
}

unsigned private_vector_bits(struct CPUArchState *env, bool streaming)
{
	return 128 * (sve_vqm1_for_el_sm(env, (int)private_el(env), streaming) + 1);
}

unsigned private_security(struct CPUArchState *env)
{
	return arm_security_space(env);
}

struct private_reg *private_reg_find_aarch32(struct CPUArchState *env, uint32_t encoded)
{
	return get_arm_cp_reginfo((void *)(uintptr_t)qemu_double(env, ENV_CP_REGS), encoded);
}

struct private_reg *private_reg_find(struct CPUArchState *env, uint32_t encoding)
{
	return private_reg_find_aarch32(env, CP_REG_AA64 | encoding);
}

ptrdiff_t private_reg_offset(struct CPUArchState *env, uint32_t encoding)
{
	const struct private_reg *reg = private_reg_find(env, encoding);

	return reg ? reg->fieldoffset : 0;
}

uint64_t private_sysreg(struct CPUArchState *env, uint32_t encoding)
{
	const struct private_reg *reg = private_reg_find(env, encoding);

	return reg ? private_reg_value(env, reg) : 0;
}

uint64_t private_reg_value(struct CPUArchState *env, const struct private_reg *reg)
{
	if (reg->type & PRIVATE_REG_CONST)
		return reg->resetvalue;
	if (!reg->fieldoffset)
		return reg->readfn ? reg->readfn(env, reg) : 0;
	return private_value_at(env, reg->fieldoffset);
}

uint64_t private_reg_read(struct CPUArchState *env, const struct private_reg *reg)
{
	return reg->readfn ? reg->readfn(env, reg) : private_reg_value(env, reg);
}

void private_reg_write_raw(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	private_put_at(env, reg->fieldoffset, value);
}

void private_reg_write(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	if (reg->writefn)
		reg->writefn(env, reg, value);
	else
		private_reg_write_raw(env, reg, value);
}

void private_reg_define(struct CPUState *cpu, const struct private_reg *reg)
{
	if (define_arm_cp_regs_len)
		define_arm_cp_regs_len(cpu, reg, 1);
	else
		define_arm_cp_regs_with_opaque_len(cpu, reg, NULL, 1);
}

/* Numbers from target/arm/cpu.h, the same in 10.0 and 11.1. Where EL2 uses AArch64, EXCP_HYP_TRAP
 * is an ordinary exception to the vector of synchronous exceptions. It is the only one to which
 * QEMU gives no other meaning, and it does not affect the population (private_faulted()). */
#define EXCP_HYP_TRAP 12
#define EXCP_VSERR 24
#define RETURN_ADJUST 2 /* restart_block.c */

_Noreturn void private_raise_serror(struct CPUArchState *env, unsigned el, uintptr_t ra)
{
	raise_exception_ra(env, EXCP_VSERR, 0, el, ra - RETURN_ADJUST);
}

_Noreturn void private_raise(struct CPUArchState *env, uint64_t syndrome, unsigned el, uintptr_t ra)
{
	raise_exception_ra(env, EXCP_HYP_TRAP, syndrome, el, ra - RETURN_ADJUST);
}

/* Clear PSTATE.SS too: it is 1 only while a debugger steps, and this was that step. */
_Noreturn void private_skip(struct CPUState *cpu, uintptr_t ra)
{
	struct CPUArchState *env = qemu_env(cpu);
	uint32_t pstate;
	uint64_t pc;

	cpu_restore_state(cpu, ra - RETURN_ADJUST);
	pc = private_pc(env) + 4;
	memcpy(qemu_member(env, ENV_PC), &pc, sizeof(pc));
	pstate = qemu_word(env, ENV_PSTATE) & ~PSTATE_SS;
	memcpy(qemu_member(env, ENV_PSTATE), &pstate, sizeof(pstate));
	cpu_loop_exit(cpu);
}

struct IRQState *private_ppi(unsigned index, unsigned intid)
{
	struct Object *gic = object_resolve_path_type("", "arm-gicv3", NULL);
	uint64_t irqs;

	if (!gic)
		return NULL;
	irqs = object_property_get_uint(gic, "num-irq", NULL); /* includes the 32 of one PE */
	return qdev_get_gpio_in(gic, (int)(irqs - IRQS_PER_CPU + index * IRQS_PER_CPU + intid));
}

bool private_lock(void)
{
	bool locked = bql_locked();

	if (!locked)
		bql_lock_impl(__FILE__, __LINE__);
	return locked;
}

void private_unlock(bool locked)
{
	if (!locked)
		bql_unlock();
}

void private_ppi_set(struct IRQState *irq, bool level)
{
	bool locked = private_lock();

	qemu_set_irq(irq, level);
	private_unlock(locked);
}

static bool is_secure(unsigned pas)
{
	return pas == PAS_SECURE || pas == PAS_ROOT;
}

static uint64_t attributes(unsigned pas)
{
	return (uint64_t)pas << 1 | is_secure(pas);
}

bool private_memory(struct CPUState *cpu, uint64_t address, unsigned pas, void *data, size_t size,
                    bool write)
{
	struct AddressSpace *as = cpu_get_address_space(cpu, is_secure(pas));

	return address_space_rw(as, address, attributes(pas), data, size, write) == 0;
}

/* Convert the instructions, which are little-endian in memory. */
bool private_code(struct CPUState *cpu, uint64_t pc, uint32_t *opcode, unsigned n)
{
	uint8_t bytes[4];

	if (cpu_memory_rw_debug(cpu, pc, opcode, n * sizeof(*opcode), false))
		return false;
	for (unsigned i = 0; i < n; i++) {
		memcpy(bytes, &opcode[i], sizeof(bytes));
		opcode[i] = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
		            (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	}
	return true;
}

bool private_memory_swap(struct CPUState *cpu, uint64_t *old, uint64_t address, unsigned pas,
                         uint64_t expected, uint64_t desired)
{
	struct AddressSpace *as = cpu_get_address_space(cpu, is_secure(pas));
	uint64_t size = sizeof(uint64_t);
	uint64_t *at = address_space_map(as, address, &size, true, attributes(pas));
	bool done;

	if (!at)
		return false;
	done = size == sizeof(uint64_t);
	if (done) {
		*old = expected;
		__atomic_compare_exchange_n(at, old, desired, false, __ATOMIC_SEQ_CST,
		                            __ATOMIC_SEQ_CST);
	}
	address_space_unmap(as, at, size, true, done ? size : 0);
	return done;
}

#define CLOCK_OF_MACHINE 1 /* QEMU_CLOCK_VIRTUAL */

uint64_t private_time(void)
{
	return (uint64_t)qemu_clock_get_ns(CLOCK_OF_MACHINE);
}

/* Leave the clock alone while the machine is being stopped: QEMU has stopped it, and only QEMU may
 * start it. */
void private_clock_stop(void)
{
	if (private_running())
		cpu_disable_ticks();
}

void private_clock_start(void)
{
	if (private_running())
		cpu_enable_ticks();
}

#define SAVE_HANDLERS 32 /* SaveVMHandlers has fewer */

void private_save_register(const char *name, int version,
                           void (*save)(struct QEMUFile *file, void *opaque),
                           int (*load)(struct QEMUFile *file, void *opaque, int version))
{
	static const void *handlers[SAVE_HANDLERS]; /* NULL for handlers that are not used */

	memcpy(&handlers[0], &save, sizeof(save));
	memcpy((char *)handlers + qemu_series.load_state, &load, sizeof(load));
	register_savevm_live(name, 0, version, handlers, NULL);
}

void private_file_put(struct QEMUFile *file, const void *data, size_t size)
{
	uint64_t length = size;

	qemu_put_buffer(file, &length, sizeof(length));
	qemu_put_buffer(file, data, size);
}

void *private_file_get(struct QEMUFile *file, size_t *size, size_t most)
{
	uint64_t length;
	void *data;

	if (qemu_get_buffer(file, &length, sizeof(length)) != sizeof(length) || length == 0 ||
	    length > most)
		return NULL;
	data = malloc(length);
	if (data && qemu_get_buffer(file, data, length) != length) {
		free(data);
		return NULL;
	}
	*size = length;
	return data;
}

static bool is_state(int state, const char *name)
{
	return strcmp(qapi_enum_lookup(RunState_lookup, state), name) == 0;
}

bool private_restores(int state)
{
	return is_state(state, "restore-vm");
}

bool private_may_save(int state)
{
	return is_state(state, "save-vm") || is_state(state, "finish-migrate") ||
	       is_state(state, "paused");
}

void private_flush_translations(struct CPUState *cpu)
{
	if (queue_tb_flush)
		queue_tb_flush(cpu);
	else
		tb_flush(cpu);
}
