/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters that no operation passes: without a timing model none has a latency, and few events are
 * known.
 */
#ifndef UNMET_FILTER_H
#define UNMET_FILTER_H

#include "vcpu.h"

/* Warn of such a filter, once for the machine, after a write to a register of the SPU. */
void unmet_filter_check(const struct vcpu *vcpu);

#endif
