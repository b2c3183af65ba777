/* SPDX-License-Identifier: MIT */
/* Numbers that assembly and C share. */
#ifndef SELFTEST_LAYOUT_H
#define SELFTEST_LAYOUT_H

#include "numbers.h"
#include "spe_registers.h"

#define CPUS WORK_LINES
#define STACK_BYTES 0x4000

/*
 * The layout of physical memory. Every translation regime maps it at the same addresses; see
 * memory.c. QEMU puts the device tree at the start of memory.
 */
#define TEXT_BASE 0x40200000   /* code and constants: read-only, executable at every level */
#define DATA_BASE 0x40400000   /* data, stacks */
#define WINDOW_BASE 0x40800000 /* the test window: 2 MiB in pages of 4 KiB that tests map */
#define BUFFER_BASE 0x40c00000 /* Profiling Buffers, CPUS * BUFFER_BYTES */
#define BUFFER_BYTES 0x200000
#define KEPT_BASE 0x47000000 /* outside the image, so a reset keeps it */
#define UART 0x09000000      /* the PL011 of QEMU's virt machine, which is always ready */
#define UART_FLAGS 0x18
#define POPULATION_POSITIONS 16 /* population.S */
#define POPULATION_HANDLER 4
#define POPULATION_HOLE (WINDOW_BASE + 0x64020) /* an address that is not mapped in this test */
#define SECURE_MEMORY 0x0e000000                /* Secure state only (QEMU: virt, secure=on) */

/* X(name, op0, CRn, CRm, op2): the registers of PMU snapshots, with op1 0. No machine here has two
 * of them. */
#define SNAPSHOT_REGISTERS(X)           \
	X(PMSSCR_EL1, 3, 9, 13, 3)      \
	X(PMECR_EL1, 3, 9, 14, 5)       \
	X(PMCCNTSVR_EL1, 2, 14, 11, 7)  \
	X(PMEVCNTSVR0_EL1, 2, 14, 8, 0) \
	X(PMEVCNTSVR1_EL1, 2, 14, 8, 1) \
	X(PMEVCNTSVR2_EL1, 2, 14, 8, 2) \
	X(PMEVCNTSVR3_EL1, 2, 14, 8, 3) \
	X(PMEVCNTSVR4_EL1, 2, 14, 8, 4) \
	X(PMEVCNTSVR5_EL1, 2, 14, 8, 5) \
	X(PMEVCNTSVR6_EL1, 2, 14, 8, 6) \
	X(PMICNTSVR_EL1, 2, 14, 12, 0)

#endif
