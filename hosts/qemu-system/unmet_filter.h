/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Warnings of filters that no operation passes. Without a timing model, operations have no latency
 * and only few events.
 */
#ifndef UNMET_FILTER_H
#define UNMET_FILTER_H

#include "vcpu.h"

/* Warn if no operation passes the present filter. Call this after a write to a register of the SPU.
 * A machine gets one warning about latencies and one about events. */
void unmet_filter_check(const struct vcpu *vcpu);

#endif
