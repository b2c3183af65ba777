/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations of all private parts of QEMU that the plugin uses.
 *
 * The plugin interface has no System registers, level interrupts or traps, and in 10.0 no writes to
 * memory. The functions below are QEMU's own. Distribution builds export them because they are
 * built with modules. Where the series have different functions, the plugin uses the one that
 * exists. The few offsets are a row of system_series.c. Before the first instruction, qemu_verify.c
 * checks all offsets and the layout of struct private_reg against the running QEMU. A series that
 * differs only in offsets needs only another row.
 */
#ifndef QEMU_PRIVATE_H
#define QEMU_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "qemu_series.h"
#include "qemu_symbols.h"

/* CPAccessResult of an access function; 0 permits the register access. */
enum private_access {
	PRIVATE_ACCESS_OK = 0,
	PRIVATE_ACCESS_TRAP_EL1 = 1 << 2 | 1,
	PRIVATE_ACCESS_TRAP_EL2 = 1 << 2 | 2,
	PRIVATE_ACCESS_TRAP_EL3 = 1 << 2 | 3,
	PRIVATE_ACCESS_UNDEFINED = 2 << 2,
};

/* ARMCPRegInfo: one System register as QEMU decodes it. In 11.1 it does not have `orig`. */
struct private_reg {
	const char *name;
	uint8_t cp, crn, crm, op0, op1, op2;
	int state;  /* PRIVATE_STATE_AA64 */
	int type;   /* PRIVATE_REG_* */
	int access; /* PRIVATE_RW_FROM_ELn; the access function may refuse more */
	int secure;
	int fgt;
	uint32_t nv2_redirect_offset;
	uint64_t others; /* 0; a pointer for the functions in 10.0, two FEAT_VHE keys in 11.1 */
	uint64_t resetvalue;
	ptrdiff_t fieldoffset;
	ptrdiff_t bank_fieldoffsets[2];
	int (*accessfn)(struct CPUArchState *env, const struct private_reg *reg, bool is_read);
	uint64_t (*readfn)(struct CPUArchState *env, const struct private_reg *reg);
	void (*writefn)(struct CPUArchState *env, const struct private_reg *reg, uint64_t value);
	uint64_t (*raw_readfn)(struct CPUArchState *env, const struct private_reg *reg);
	void (*raw_writefn)(struct CPUArchState *env, const struct private_reg *reg,
	                    uint64_t value);
	void (*resetfn)(struct CPUArchState *env, const struct private_reg *reg);
	void (*orig[3])(void);
};
#define PRIVATE_STATE_AA64 1
#define PRIVATE_RW_FROM_EL1 0xfc
#define PRIVATE_RW_FROM_EL2 0xf0
#define PRIVATE_RW_FROM_EL3 0xc0
#define PRIVATE_REG_CONST (1 << 4)
#define PRIVATE_REG_IO \
	(1 << 9) /* readfn and writefn run with QEMU's lock held and may read the clock */
#define PRIVATE_REG_NO_RAW (1 << 10)
#define PRIVATE_REG_NO_GDB (1 << 15)
#define PRIVATE_NV2_IF_NV1 0x4000     /* in nv2_redirect_offset: only if HCR_EL2.NV1 is 1 */
#define PRIVATE_NV2_IF_NOT_NV1 0x8000 /* only if HCR_EL2.NV1 is 0 */

/* Get the version of the running QEMU. Return false if it does not report one. */
bool private_version(unsigned *major, unsigned *minor);

/* Return true if the running QEMU exports the functions that are used here. */
bool private_has_functions(void);

/* Return true if the machine is complete and runs. Only then call the functions below. */
bool private_running(void);

struct CPUState *private_current_cpu(void);

/* Return a part of the PE's state. The Exception level is right in AArch32 too. In a System
 * register access the pc is the address of the instruction. In the hooks below it is the address
 * where the exception came from, or where it led to. */
uint64_t private_pc(const struct CPUArchState *env);
unsigned private_el(const struct CPUArchState *env);
bool private_aarch32(const struct CPUArchState *env);
bool private_illegal_state(const struct CPUArchState *env); /* PSTATE.IL, in AArch64 only */
/* Return true if the instruction at private_pc() faulted and was not executed. For a hook before an
 * exception. */
bool private_faulted(const struct CPUState *cpu);
/* Return true for an exception, false for an exception return. For the same hook. */
bool private_takes_exception(const struct CPUState *cpu);
/* Return x0 .. x30 and the stack pointer, at a block's entry. */
const uint64_t *private_xregs(const struct CPUArchState *env);
/* Return the vector length at the current Exception level, in Streaming SVE mode or outside it. The
 * PE has that mode, or SVE. */
unsigned private_vector_bits(struct CPUArchState *env, bool streaming);
unsigned private_security(struct CPUArchState *env); /* as enum spemu_security */

/* Return the System register with this encoding (SPEMU_SYSREG_*), or NULL if the PE does not have
 * it. The struct belongs to the vCPU and may be changed before the vCPU translates code. */
struct private_reg *private_reg_find(struct CPUArchState *env, uint32_t encoding);
/* Return the offset of the register's value in env, or 0 if the PE or env does not have it. */
ptrdiff_t private_reg_offset(struct CPUArchState *env, uint32_t encoding);
/* Return the value of the System register with this encoding, or 0 if the PE does not have it. */
uint64_t private_sysreg(struct CPUArchState *env, uint32_t encoding);

/* Read or write the value at an offset from private_reg_offset(). Offset 0 reads as 0 and ignores
 * writes. */
static inline uint64_t private_value_at(const struct CPUArchState *env, ptrdiff_t offset)
{
	uint64_t value = 0;

	if (offset)
		memcpy(&value, (const char *)env + offset, sizeof(value));
	return value;
}

static inline void private_put_at(struct CPUArchState *env, ptrdiff_t offset, uint64_t value)
{
	if (offset)
		memcpy((char *)env + offset, &value, sizeof(value));
}

/* Return an AArch32 register, by QEMU's encoding (ENCODE_CP_REG). */
struct private_reg *private_reg_find_aarch32(struct CPUArchState *env, uint32_t encoded);
/* Return the value that the register holds. */
uint64_t private_reg_value(struct CPUArchState *env, const struct private_reg *reg);
/* Read or write the register as MRS and MSR do, without access rules. Only for functions of
 * registers with PRIVATE_REG_IO. */
uint64_t private_reg_read(struct CPUArchState *env, const struct private_reg *reg);
void private_reg_write(struct CPUArchState *env, const struct private_reg *reg, uint64_t value);
/* Write a register as QEMU does if the register has no write function. */
void private_reg_write_raw(struct CPUArchState *env, const struct private_reg *reg, uint64_t value);
/* Define a register, which is copied. */
void private_reg_define(struct CPUState *cpu, const struct private_reg *reg);

/* Return true if this value of HCR_EL2 has E2H and TGE set, so that EL0 is in the host. */
static inline bool private_in_host(uint64_t hcr)
{
	const uint64_t e2h_tge = UINT64_C(1) << 34 | UINT64_C(1) << 27;

	return (hcr & e2h_tge) == e2h_tge;
}

/* Return the Effective value of HCR_EL2, which is 0 if EL2 is disabled. */
QEMU_WEAK uint64_t arm_hcr_el2_eff(struct CPUArchState *env);

/* Leave the callback of a block or an instruction, whose return address is ra.
 * private_raise_serror() takes an SError exception to EL el before the instruction, with the
 * syndrome in VSESR_EL2. private_raise() takes an exception to the vector of synchronous
 * exceptions, with this syndrome. private_skip() continues after the instruction, which is not
 * executed. The caller holds no lock. */
_Noreturn void private_raise_serror(struct CPUArchState *env, unsigned el, uintptr_t ra);
_Noreturn void private_raise(struct CPUArchState *env, uint64_t syndrome, unsigned el,
                             uintptr_t ra);
_Noreturn void private_skip(struct CPUState *cpu, uintptr_t ra);

/* Call `hook` before or after every exception entry and exception return. */
QEMU_WEAK void arm_register_pre_el_change_hook(struct CPUState *cpu,
                                               void (*hook)(struct CPUState *, void *),
                                               void *opaque);
QEMU_WEAK void arm_register_el_change_hook(struct CPUState *cpu,
                                           void (*hook)(struct CPUState *, void *), void *opaque);

/* Return PPI `intid` (16..31) of the vCPU at the GICv3, or NULL if the machine has no GICv3. */
struct IRQState *private_ppi(unsigned index, unsigned intid);
void private_ppi_set(struct IRQState *irq, bool level);

/* Take QEMU's lock, for a call that may raise an interrupt. Return true if the lock was held
 * already; pass the result to private_unlock(). */
bool private_lock(void);
void private_unlock(bool locked);

/* Read or write `size` bytes of physical memory in the PA space `pas` (enum spemu_security). Return
 * false for an External abort. */
bool private_memory(struct CPUState *cpu, uint64_t address, unsigned pas, void *data, size_t size,
                    bool write);
/* Read n instructions at the virtual address pc, in the present regime. Return false if they cannot
 * be read. */
bool private_code(struct CPUState *cpu, uint64_t pc, uint32_t *opcode, unsigned n);
/* Compare and swap 8 bytes of physical memory atomically, with the previous value in *old. Return
 * false if that is impossible. */
bool private_memory_swap(struct CPUState *cpu, uint64_t *old, uint64_t address, unsigned pas,
                         uint64_t expected, uint64_t desired);

/* Return the physical count (CNTPCT_EL0 without offsets). */
QEMU_WEAK uint64_t gt_get_countervalue(struct CPUArchState *env);

/* Return the virtual clock in nanoseconds, the same for all vCPUs. */
uint64_t private_time(void);

/* Stop the virtual clock for all vCPUs, and start it again. Only where private_reg_read() is
 * permitted. */
void private_clock_stop(void);
void private_clock_start(void);

/* Register a section of the machine's saved state, before the machine is made. `save` writes it
 * with private_file_put(). `load` reads it with private_file_get() and returns 0. No vCPU runs
 * meanwhile. */
struct QEMUFile;
void private_save_register(const char *name, int version,
                           void (*save)(struct QEMUFile *file, void *opaque),
                           int (*load)(struct QEMUFile *file, void *opaque, int version));
void private_file_put(struct QEMUFile *file, const void *data, size_t size);
/* Return the bytes of one private_file_put(), for the caller to free. Return NULL if they are
 * incomplete or more than `most`. */
void *private_file_get(struct QEMUFile *file, size_t *size, size_t most);

/* Call `changed` on the main thread before the machine runs and after it has stopped. With its
 * `state`, private_restores() returns true if the machine stops because another state will be
 * loaded, and private_may_save() if the machine may be saved. */
QEMU_WEAK void *qemu_add_vm_change_state_handler(void (*changed)(void *opaque, bool running,
                                                                 int state),
                                                 void *opaque);
bool private_restores(int state);
bool private_may_save(int state);

/* Call `function` on the vCPU's thread before it runs again. */
QEMU_WEAK void async_run_on_cpu(struct CPUState *cpu,
                                void (*function)(struct CPUState *cpu, void *data), void *data);

/* Return the vCPU with this number, or NULL if the machine does not have it. */
QEMU_WEAK struct CPUState *qemu_get_cpu(int index);

/* Drop all translations before the next block of any vCPU runs. */
void private_flush_translations(struct CPUState *cpu);

#endif
