/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Save and restore of the machine: a section "spemu" of what QEMU saves (savevm, migrate) has the
 * state of the SPUs, in the middle of profiling too. After it has been loaded the samples are those
 * that would have come without.
 *
 * As the machine stops, the operation in flight ends, as it would at the next block: the machine
 * stands between two, and memory is saved before the section. What is loaded is kept until the vCPU
 * runs again, when QEMU has loaded its registers.
 *
 * Not in it: caches, TLBs and predictors of the timing model, which begin empty.
 */
#ifndef MACHINE_STATE_H
#define MACHINE_STATE_H

#include "vcpu.h"

/* Registers the section, before the machine is made. attach gives the vCPU whose thread calls it
 * its SPU, if it has none. */
void machine_state_start(void (*attach)(unsigned index));

/* On the vCPU's thread, before its first instruction, with its SPU as after reset. */
void machine_state_resume(struct vcpu *vcpu);

#endif
