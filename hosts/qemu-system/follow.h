/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following what changes whether and where the SPU profiles: exceptions and returns, writes of
 * SCR_EL3, MDCR_EL3, HCR_EL2 and MDCR_EL2, and TLB maintenance.
 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "vcpu.h"

/* Follow the vCPU from now on: before it runs. */
void follow_start(struct vcpu *vcpu);

#endif
