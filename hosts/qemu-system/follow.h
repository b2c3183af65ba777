/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hooks into everything that changes whether and where the SPU profiles: exceptions, exception
 * returns, writes to SCR_EL3, MDCR_EL3, HCR_EL2 and MDCR_EL2, and TLB maintenance.
 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "vcpu.h"

/* Install the hooks of a vCPU, before it runs. */
void follow_start(struct vcpu *vcpu);

#endif
