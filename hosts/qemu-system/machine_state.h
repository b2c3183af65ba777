/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Save and restore of the SPUs' state, in the section "spemu" of the state that QEMU saves (savevm,
 * migrate). A machine may be saved while it profiles. After the load it takes the same samples as
 * if it had run on.
 *
 * When the machine stops, it is between two blocks. The operation in flight ends as it would at the
 * next block, because memory is saved before the section. A loaded section is kept until the vCPU
 * runs again, when QEMU has loaded the vCPU's registers.
 *
 * The section does not contain caches, TLBs and predictors of the timing model, which start empty.
 */
#ifndef MACHINE_STATE_H
#define MACHINE_STATE_H

#include "vcpu.h"

/* Register the section, before the machine is made. `attach` gives the vCPU of the calling thread
 * its SPU, if it does not have one. */
void machine_state_start(void (*attach)(unsigned index));

/* Load the vCPU's part of a loaded section. Called on the vCPU's thread before its first
 * instruction, with its SPU as after reset. */
void machine_state_resume(struct vcpu *vcpu);

#endif
