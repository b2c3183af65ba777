/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Features of the PE, from QEMU's CPU and the configured SPE. */
#ifndef PE_FEATURES_H
#define PE_FEATURES_H

#include "config.h"
#include "qemu_private.h"

/* Fill `out` from `wanted` and the ID registers. Return NULL, or the reason why such a PE is
 * impossible (constant text). */
const char *features_of(struct spemu_pe_config *out, struct CPUArchState *env,
                        const struct config *wanted);

#endif
