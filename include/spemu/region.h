/* SPDX-License-Identifier: MIT */
/*
 * Markers for the program that is profiled: `spemu record --region markers` records a thread from
 * SPEMU_REGION_BEGIN() to SPEMU_REGION_END() and nothing else.
 *
 * A marker is one instruction that does nothing wherever it runs, MOVZ to the zero register with a
 * number that no compiler has a use for; without the option it costs that one operation. This
 * header needs no library and no other header, and compiles to nothing for other architectures.
 *
 * Markers are per thread: a thread that passes none is not recorded. They do not nest: the first
 * END ends.
 */
#ifndef SPEMU_REGION_H
#define SPEMU_REGION_H

#define SPEMU_REGION_OPCODE_BEGIN 0xd28a6a1fu /* movz xzr, #0x5350 */
#define SPEMU_REGION_OPCODE_END 0xd28a6a3fu   /* movz xzr, #0x5351 */

/* The compiler moves no access to memory past them. */
#if defined(__aarch64__)
#define SPEMU_REGION_BEGIN() __asm__ volatile("movz xzr, #0x5350" : : : "memory")
#define SPEMU_REGION_END() __asm__ volatile("movz xzr, #0x5351" : : : "memory")
#else
#define SPEMU_REGION_BEGIN() ((void)0)
#define SPEMU_REGION_END() ((void)0)
#endif

#endif
