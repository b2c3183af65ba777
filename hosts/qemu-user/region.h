/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The region of interest: the part of a program in which threads are recorded.
 *
 * A thread is on while the recorder's switch is on (RECORDING_SWITCHED) and, if there is a region,
 * while the thread is inside it. Operations that it executes while off are not in the population:
 * as with PMSCR_EL1.E0SPE = 0, the interval counter keeps its value and goes on later. The model is
 * not called, so off costs one subtraction for each block. A timing model sees all operations, on
 * or off, as caches do.
 *
 * Points are the instructions at which a thread enters or leaves the region. Code that begins with
 * a point is counted as a block of its own, so the border is exact to the instruction. A thread
 * looks at the recorder's switch where it returns from a system call and when its countdown
 * expires. A thread that is on takes no sample after the switch; one that is off looks every
 * REGION_WAIT operations.
 */
#ifndef REGION_H
#define REGION_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

#define REGION_WAIT 65536

/* Points at an instruction; bits, because an instruction may be several. */
enum region_point {
	REGION_BEGIN = 1 << 0,
	REGION_END = 1 << 1,
	REGION_ENTRY = 1 << 2,  /* of the function */
	REGION_RETURN = 1 << 3, /* a call of the function may return here */
};

/* Prepare the region. Call each once: when the parameters are known, when the program has been
 * loaded, and when it is known whether registers can be read. */
void region_install(void);
void region_locate(void);
void region_calibrated(void);

/* Return the points at an instruction of a translation; 0 if there are none. */
unsigned region_points(struct qemu_plugin_tb *tb, size_t index);

/* Let the countdown, which has just been loaded, wait if the thread is off. */
void region_loaded(struct vcpu *vcpu);

/* Pass points: the thread is about to execute block, which begins with them and is not counted
 * yet. */
void region_pass(struct vcpu *vcpu, const struct block *block, unsigned points);
/* Follow the recorder's switch where the countdown expired in block, which is counted. Return false
 * if there is no sample in the block. */
bool region_waited(struct vcpu *vcpu, const struct block *block);
/* Follow the recorder's switch where a system call returns. vcpu may be NULL. */
void region_returns_from_kernel(struct vcpu *vcpu);

#endif
