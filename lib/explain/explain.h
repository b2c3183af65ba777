/* SPDX-License-Identifier: MIT */
/* What the files of lib/explain share: the machine as lib/pe and lib/spu see it. */
#ifndef SPEMU_EXPLAIN_EXPLAIN_H
#define SPEMU_EXPLAIN_EXPLAIN_H

#include <spemu/explain.h>
#include "pmu/pmu.h"
#include "spu/spu.h"

/* Registers without RES0 bits; what PSTATE.nRW says of this and lower Exception levels. */
void spemu__machine_to_pe(const struct spemu_machine *m, struct pe *pe);

/* The bits that exist, of every register; none of a register that is not implemented. */
void spemu__machine_masks(struct spemu_machine *m);

#endif
