/* SPDX-License-Identifier: MIT */
/*
 * Markers for a profiled program: `spemu record --region markers` records a thread only from
 * SPEMU_REGION_BEGIN() to SPEMU_REGION_END().
 *
 * A marker is one instruction without an effect on any machine: MOVZ to the zero register with a
 * number that compilers do not use. Without the option it costs one operation. This header needs no
 * library and no other header. On other architectures the markers compile to nothing.
 *
 * Markers are per thread: a thread that executes none is not recorded. They do not nest: the first
 * END ends the region.
 */
#ifndef SPEMU_REGION_H
#define SPEMU_REGION_H

#define SPEMU_REGION_OPCODE_BEGIN 0xd28a6a1fu /* movz xzr, #0x5350 */
#define SPEMU_REGION_OPCODE_END 0xd28a6a3fu   /* movz xzr, #0x5351 */

/* Begin and end a region. The compiler does not move memory accesses across a marker. */
#if defined(__aarch64__)
#define SPEMU_REGION_BEGIN() __asm__ volatile("movz xzr, #0x5350" : : : "memory")
#define SPEMU_REGION_END() __asm__ volatile("movz xzr, #0x5351" : : : "memory")
#else
#define SPEMU_REGION_BEGIN() ((void)0)
#define SPEMU_REGION_END() ((void)0)
#endif

#endif
