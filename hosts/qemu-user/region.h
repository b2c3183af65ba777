/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The region of interest: the part of a program in which threads are recorded.
 *
 * A thread is on while the recorder's switch is on (RECORDING_SWITCHED) and, if there is a region,
 * while the thread is inside it. Operations of a thread that is off are not in the population. As
 * with PMSCR_EL1.E0SPE = 0, the interval counter keeps its value meanwhile. The model is not
 * called, so a thread that is off costs one subtraction per block. The timing model sees the
 * operations of all threads, on or off, as caches do.
 *
 * Points are the instructions at which a thread enters or leaves the region. Code that begins with
 * a point is counted as a separate block, so the border is exact to the instruction. A thread
 * checks the recorder's switch when it returns from a system call and when its countdown expires.
 * So a thread that is on takes no sample after the switch. A thread that is off checks every
 * REGION_WAIT operations.
 */
#ifndef REGION_H
#define REGION_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

#define REGION_WAIT 65536

/* Points at an instruction, as bits because an instruction may be several points. */
enum region_point {
	REGION_BEGIN = 1 << 0,
	REGION_END = 1 << 1,
	REGION_ENTRY = 1 << 2,  /* entry of the function */
	REGION_RETURN = 1 << 3, /* a call of the function may return here */
};

/* Prepare the region. Call each function once: when the parameters are known, when the program has
 * been loaded, and when calibration has shown whether registers can be read. */
void region_install(void);
void region_locate(void);
void region_calibrated(void);

/* Return the points at an instruction of a translation, or 0 if there are none. */
unsigned region_points(struct qemu_plugin_tb *tb, size_t index);

/* Suspend the countdown, which has just been loaded, if the thread is off. */
void region_loaded(struct vcpu *vcpu);

/* Pass the points at the start of `block`, which the thread is about to execute and which has not
 * been counted. */
void region_pass(struct vcpu *vcpu, const struct block *block, unsigned points);
/* Follow the recorder's switch, when the countdown has expired in `block`, which has been counted.
 * Return false if the block does not contain a sample. */
bool region_waited(struct vcpu *vcpu, const struct block *block);
/* Follow the recorder's switch when a system call returns. vcpu may be NULL. */
void region_returns_from_kernel(struct vcpu *vcpu);

#endif
