/* SPDX-License-Identifier: MIT */
/*
 * Values of register fields by name. FIELD(MDCR_EL3, NSPB, 3) is 0b11 in MDCR_EL3.NSPB.
 * NAMED(MDCR_EL2, E2PB, EL1) is the value of MDCR_EL2.E2PB that arch/sysreg.txt names EL1.
 */
#ifndef FIELD_H
#define FIELD_H

#include <stdint.h>

#include <spemu/sysreg.h>

#define FIELD(reg, field, value) ((uint64_t)(value) << SPEMU_##reg##_##field##_LSB)
#define NAMED(reg, field, name) \
	((uint64_t)SPEMU_##reg##_##field##_##name << SPEMU_##reg##_##field##_LSB)

#endif
