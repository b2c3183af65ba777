/* SPDX-License-Identifier: MIT */
/* Shared parts of the tests of Profiling exceptions. */
#ifndef SELFTEST_PROFILING_H
#define SELFTEST_PROFILING_H

#include "runtime.h"

#define PMBSR_EL2 S3_4_C9_C10_3
#define PMBSR_EL12 S3_5_C9_C10_3
#define PMBSR_EL3 S3_6_C9_C10_3

#define PM_BIT BIT(32)                                               /* bit of PM and of SPSR_ELx */
#define PM_SET() __asm__ volatile(".inst 0xd501431f" : : : "memory") /* MSR PM, #1 */
#define PM_CLEAR() __asm__ volatile(".inst 0xd501421f" : : : "memory") /* MSR PM, #0 */

#define PMSCR_KE BIT(10)
#define MDCR3_PMSEE(n) ((u64)(n) << 51)
enum { EE_DISABLED, EE_DELEGATED, EE_ENABLED, EE_ALL }; /* PMSCR_EL1.EE: ENABLED is 0b11 */

#define VECTOR_SAME_LEVEL 4
#define VECTOR_LOWER_LEVEL 8
/* ESR_ELx: EC 0x3d, IL; ISS: FSC 0b00001, SYNC 0. */
#define PROFILING_SYNDROME (UINT64_C(0x3d) << 26 | BIT(25) | 2)

/* Return a Non-secure world at `el` in which EL3 delegates Profiling exceptions to lower levels. */
struct world profiling_world(unsigned el);
/* A handler for struct cpu: clear the pending events that are visible at the level. */
void profiling_clear(struct cpu *cpu, unsigned el);

/* work_vm.S */
u64 raise_el1(u64 pmbsr);
extern char raise_el1_isb[], raise_el1_after[];
u64 unmask_immediate(u64 unused);
u64 unmask_register(u64 pm);
extern char unmask_immediate_isb[], unmask_immediate_after[], unmask_register_isb[],
        unmask_register_after[];
/* Return illegally at EL1. Returns PM after the return and the exception that follows it. */
u64 illegal_return(u64 spsr);
extern char illegal_return_after[];
u64 drained(u64 unused);
u64 drained_at_once(u64 unused);
extern char drained_after[], drained_at_once_after[];
/* MRS PM; MSR PM; MSR PM, #0; MSR PM, #1; MRS of PMBSR_EL2, _EL12 and _EL3; 16 bytes each */
extern char pm_stubs[];
#define PM_STUBS 7

void test_profiling_mask(void);

#endif
