/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which features the PE has: those of QEMU's CPU, with the SPE that was asked for. */
#ifndef PE_FEATURES_H
#define PE_FEATURES_H

#include "config.h"
#include "qemu_private.h"

/* Fills out from wanted and the ID registers. NULL, or why such a PE cannot be (constant text). */
const char *features_of(struct spemu_pe_config *out, struct CPUArchState *env,
                        const struct config *wanted);

#endif
