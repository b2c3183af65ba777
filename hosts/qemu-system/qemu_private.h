/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that is private to QEMU and used here, stated once.
 *
 * The plugin interface has no System registers, no level interrupts and no traps, in 10.0 no writes
 * to memory either. The functions below are QEMU's own, which distribution builds export because
 * they are built with modules; where series have different ones, whichever is there is used. The
 * few offsets are a row of system_series.c, and qemu_verify.c holds all of them and the layout of
 * struct private_reg against the running QEMU before the first instruction. A series whose offsets
 * alone differ is another row.
 */
#ifndef QEMU_PRIVATE_H
#define QEMU_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "qemu_series.h"
#include "qemu_symbols.h"

/* CPAccessResult of an access function: 0 is permitted. */
enum private_access {
	PRIVATE_ACCESS_OK = 0,
	PRIVATE_ACCESS_TRAP_EL1 = 1 << 2 | 1,
	PRIVATE_ACCESS_TRAP_EL2 = 1 << 2 | 2,
	PRIVATE_ACCESS_TRAP_EL3 = 1 << 2 | 3,
	PRIVATE_ACCESS_UNDEFINED = 2 << 2,
};

/* ARMCPRegInfo: one System register as QEMU decodes it. Of 11.1 all but `orig`. */
struct private_reg {
	const char *name;
	uint8_t cp, crn, crm, op0, op1, op2;
	int state;  /* PRIVATE_STATE_AA64 */
	int type;   /* PRIVATE_REG_* */
	int access; /* PRIVATE_RW_FROM_ELn: the access function decides where that permits */
	int secure;
	int fgt;
	uint32_t nv2_redirect_offset;
	uint64_t others; /* 0; 10.0: a pointer for the functions, 11.1: two keys for FEAT_VHE */
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
	(1 << 9) /* readfn and writefn run with QEMU's lock, and may ask for the time */
#define PRIVATE_REG_NO_RAW (1 << 10)
#define PRIVATE_REG_NO_GDB (1 << 15)
#define PRIVATE_NV2_IF_NV1 0x4000     /* nv2_redirect_offset: only if HCR_EL2.NV1 is 1 */
#define PRIVATE_NV2_IF_NOT_NV1 0x8000 /* ... is 0 */

/* Get the version of the running QEMU. Return false if it does not report one. */
bool private_version(unsigned *major, unsigned *minor);

/* Return true if the running QEMU exports the functions that are used here. */
bool private_has_functions(void);

/* Return true if the machine is complete and runs. The functions below may be called only then. */
bool private_running(void);

struct CPUState *private_current_cpu(void);

/* PSTATE. el: the current Exception level, in AArch32 too. pc is that of the instruction in System
 * register accesses and, in the hooks below, where the exception came from or where it led to. */
uint64_t private_pc(const struct CPUArchState *env);
unsigned private_el(const struct CPUArchState *env);
bool private_aarch32(const struct CPUArchState *env);
bool private_illegal_state(const struct CPUArchState *env); /* PSTATE.IL; in AArch64 */
/* In a hook before an exception: return true if the instruction at private_pc() faulted and was not
 * executed. */
bool private_faulted(const struct CPUState *cpu);
/* In that hook: return true for an exception, false for an exception return. */
bool private_takes_exception(const struct CPUState *cpu);
/* x0 .. x30 and the stack pointer, at a block's entry. */
const uint64_t *private_xregs(const struct CPUArchState *env);
/* The length of vectors at the current Exception level, in Streaming SVE mode or not; the PE has
 * that mode, or SVE. */
unsigned private_vector_bits(struct CPUArchState *env, bool streaming);
unsigned private_security(struct CPUArchState *env); /* as enum spemu_security */

/* The System register with this encoding (SPEMU_SYSREG_*); NULL if the PE has none. The struct is
 * the vCPU's own and may be changed before the vCPU translates code. */
struct private_reg *private_reg_find(struct CPUArchState *env, uint32_t encoding);
/* Return where env has the register's value; 0 if the PE or env does not have it. */
ptrdiff_t private_reg_offset(struct CPUArchState *env, uint32_t encoding);
/* The value of the System register with this encoding; 0 if the PE has none. */
uint64_t private_sysreg(struct CPUArchState *env, uint32_t encoding);

/* Read or write the value at an offset that private_reg_offset() has returned; at 0 there is
 * nothing, which reads as 0. */
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

/* The same of AArch32, with QEMU's encoding (ENCODE_CP_REG). */
struct private_reg *private_reg_find_aarch32(struct CPUArchState *env, uint32_t encoded);
/* Return the value that the register holds. */
uint64_t private_reg_value(struct CPUArchState *env, const struct private_reg *reg);
/* MRS and MSR of it, without access rules; only in functions of registers with PRIVATE_REG_IO. */
uint64_t private_reg_read(struct CPUArchState *env, const struct private_reg *reg);
void private_reg_write(struct CPUArchState *env, const struct private_reg *reg, uint64_t value);
/* Write a register as QEMU does if the register has no write function. */
void private_reg_write_raw(struct CPUArchState *env, const struct private_reg *reg, uint64_t value);
/* Define a register, which is copied. */
void private_reg_define(struct CPUState *cpu, const struct private_reg *reg);

/* Return true if a value of HCR_EL2 has E2H and TGE: EL0 is in the host. */
static inline bool private_in_host(uint64_t hcr)
{
	const uint64_t e2h_tge = UINT64_C(1) << 34 | UINT64_C(1) << 27;

	return (hcr & e2h_tge) == e2h_tge;
}

/* HCR_EL2 as it takes effect: 0 where EL2 is disabled. */
QEMU_WEAK uint64_t arm_hcr_el2_eff(struct CPUArchState *env);

/* In a callback of a block or of an instruction, to which the host code at its return address ra
 * belongs: takes an SError exception to EL el before it, with the syndrome in VSESR_EL2; another
 * exception, to the vector of synchronous ones, with this syndrome; goes on after the instruction,
 * which is not executed. These do not return; the caller holds no lock. */
_Noreturn void private_raise_serror(struct CPUArchState *env, unsigned el, uintptr_t ra);
_Noreturn void private_raise(struct CPUArchState *env, uint64_t syndrome, unsigned el,
                             uintptr_t ra);
_Noreturn void private_skip(struct CPUState *cpu, uintptr_t ra);

/* Call hook before or after every exception entry and exception return. */
QEMU_WEAK void arm_register_pre_el_change_hook(struct CPUState *cpu,
                                               void (*hook)(struct CPUState *, void *),
                                               void *opaque);
QEMU_WEAK void arm_register_el_change_hook(struct CPUState *cpu,
                                           void (*hook)(struct CPUState *, void *), void *opaque);

/* PPI intid (16..31) of vCPU index at the GICv3; NULL if the machine has no GICv3. */
struct IRQState *private_ppi(unsigned index, unsigned intid);
void private_ppi_set(struct IRQState *irq, bool level);

/* Take QEMU's lock, around a call that may raise an interrupt. Return true if it was held already:
 * the argument of private_unlock(). */
bool private_lock(void);
void private_unlock(bool locked);

/* size bytes of physical memory in the PA space pas (enum spemu_security). False: External
 * abort. */
bool private_memory(struct CPUState *cpu, uint64_t address, unsigned pas, void *data, size_t size,
                    bool write);
/* n instructions at the virtual address pc, in the present regime. False: they cannot be read. */
bool private_code(struct CPUState *cpu, uint64_t pc, uint32_t *opcode, unsigned n);
/* 8 bytes, atomically; *old is what was there. */
bool private_memory_swap(struct CPUState *cpu, uint64_t *old, uint64_t address, unsigned pas,
                         uint64_t expected, uint64_t desired);

/* The physical count (CNTPCT_EL0 without offsets). */
QEMU_WEAK uint64_t gt_get_countervalue(struct CPUArchState *env);

/* Nanoseconds of the virtual clock, the same for all vCPUs. */
uint64_t private_time(void);

/* The virtual clock is stopped for all vCPUs until it is started again; only as
 * private_reg_read(). */
void private_clock_stop(void);
void private_clock_start(void);

/* The section `name` of what is saved of a machine: save writes it with private_file_put(), load
 * reads it with private_file_get(), and returns 0. No vCPU runs meanwhile. Before the machine is
 * made. */
struct QEMUFile;
void private_save_register(const char *name, int version,
                           void (*save)(struct QEMUFile *file, void *opaque),
                           int (*load)(struct QEMUFile *file, void *opaque, int version));
void private_file_put(struct QEMUFile *file, const void *data, size_t size);
/* Return the bytes that one private_file_put() has written, to be freed; NULL if they are not there
 * whole, or are more than `most`. */
void *private_file_get(struct QEMUFile *file, size_t *size, size_t most);

/* changed is called before the machine runs and after it has stopped, on the main thread; state is
 * for private_restores(): whether it stops because another state is to be loaded, and
 * private_may_save(): whether it may be saved. */
QEMU_WEAK void *qemu_add_vm_change_state_handler(void (*changed)(void *opaque, bool running,
                                                                 int state),
                                                 void *opaque);
bool private_restores(int state);
bool private_may_save(int state);

/* Call function on the vCPU's thread before it runs again. */
QEMU_WEAK void async_run_on_cpu(struct CPUState *cpu,
                                void (*function)(struct CPUState *cpu, void *data), void *data);

/* Return the vCPU, or NULL if the machine has none with this number. */
QEMU_WEAK struct CPUState *qemu_get_cpu(int index);

/* Drop all translations before the next block of any vCPU runs. */
void private_flush_translations(struct CPUState *cpu);

#endif
