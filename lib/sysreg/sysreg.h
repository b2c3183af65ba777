/* SPDX-License-Identifier: MIT */
/* Lookup, RES0 and reset of System registers, with the tables that are generated from
 * arch/sysreg.txt. */
#ifndef SPEMU_SYSREG_SYSREG_H
#define SPEMU_SYSREG_SYSREG_H

#include <spemu/pe.h>
#include "sysreg/tables.h"

/* Return true if the features meet the guard. */
bool spemu__guard_holds(const struct guard *g, const struct spemu_features *features);

/* Return the register of an encoding, or NULL. */
const struct sysreg_desc *spemu__sysreg_by_encoding(uint32_t encoding);

/* Find the register or field with the name "REG" or "REG.FIELD", in upper or lower case. Return
 * NULL if there is none. */
const struct sysreg_name *spemu__sysreg_find(const char *name, size_t length);

/* Return the description of the register that holds the value of reg. */
const struct sysreg_desc *spemu__sysreg_desc_of(enum spemu_reg reg);

/* Return the bits that exist with these features: all except RES0; none if the features do not
 * have the register. */
uint64_t spemu__sysreg_mask(const struct sysreg_desc *desc, const struct spemu_features *features);

/*
 * Return the value after a Warm reset: known reset values, and random bits in fields that reset to
 * an architecturally UNKNOWN value. Bits that arch/sysreg.txt does not describe are 0.
 */
uint64_t spemu__sysreg_reset_value(const struct sysreg_desc *desc,
                                   const struct spemu_features *features, uint64_t random);

#endif
