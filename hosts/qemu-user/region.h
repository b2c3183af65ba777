/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The region of interest: where a thread is recorded, if not everywhere.
 *
 * A thread is on while the recorder's switch is (RECORDING_SWITCHED) and, with a region, while the
 * thread is inside it. What it executes while off is not in the population: as with PMSCR_EL1.E0SPE
 * = 0, the interval counter keeps its value, and goes on with it. The model is told nothing, so off
 * costs one subtraction for each block. A timing model sees all operations, on or off, as caches
 * do.
 *
 * Points are the instructions at which a thread enters or leaves the region: what begins with one
 * is counted as a block of its own, so the border is exact to the instruction. The recorder's
 * switch is seen where a thread returns from a system call; apart from that, when its countdown
 * expires: a thread that is on takes no sample after the switch, one that is off looks every
 * REGION_WAIT operations.
 */
#ifndef REGION_H
#define REGION_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

#define REGION_WAIT 65536

/* What an instruction is to the region; bits, for its first may be several. */
enum region_point {
	REGION_BEGIN = 1 << 0,
	REGION_END = 1 << 1,
	REGION_ENTRY = 1 << 2,  /* of the function */
	REGION_RETURN = 1 << 3, /* perhaps: a call may return here */
};

/* Once each: when the parameters are known, when the program has been loaded, and when it is known
 * whether registers can be read. */
void region_install(void);
void region_locate(void);
void region_calibrated(void);

/* The points at an instruction of a translation; 0 if there is no region. */
unsigned region_points(struct qemu_plugin_tb *tb, size_t index);

/* The countdown has been loaded: it waits if the thread is off. */
void region_loaded(struct vcpu *vcpu);

/* The thread is about to execute block, which has points and is not counted yet. */
void region_pass(struct vcpu *vcpu, const struct block *block, unsigned points);
/* The countdown expired in block, which is counted. False if there is no sample in it. */
bool region_waited(struct vcpu *vcpu, const struct block *block);
/* A system call returns; vcpu may be NULL. */
void region_returns_from_kernel(struct vcpu *vcpu);

#endif
