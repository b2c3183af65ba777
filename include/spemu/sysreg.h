/* SPDX-License-Identifier: MIT */
/*
 * System registers: their encodings, where their values live, their fields, and the register
 * reference.
 *
 * <spemu/sysreg_list.h> is generated from arch/sysreg.txt. It has SPEMU_SYSREG_x, the encoding of
 * register x (a macro of n for an array of registers); enum spemu_reg of the registers that have a
 * value; and for each field the least significant bit, the width and the named values.
 *
 * Arm ARM: DDI 0487 M.a, D24. The functions keep no state, so any thread may call them.
 */
#ifndef SPEMU_SYSREG_H
#define SPEMU_SYSREG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An encoding as MSR and MRS have it. */
#define SPEMU_SYSREG(op0, op1, crn, crm, op2) \
	((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

#include <spemu/api.h>
#include <spemu/feature.h>
#include <spemu/sysreg_list.h>

SPEMU_BEGIN_DECLS

/* The register's name ("PMSCR_EL1"), or NULL if out of range. */
const char *spemu_reg_name(enum spemu_reg reg);

/* The register of a name, or -1. Alias names (PMSCR_EL12) give the register that they name. */
int spemu_reg_by_name(const char *name);

/* The encoding that MSR and MRS have for a name (SPEMU_SYSREG_x), aliases and members of arrays
 * ("PMEVCNTR7_EL0") included, or -1. */
int spemu_reg_encoding(const char *name);

/*
 * Find where MRS and MSR of a name at EL1 go instead when the Effective HCR_EL2.{NV2, NV} is {1,
 * 1}: *offset from VNCR_EL2.BADDR, if HCR_EL2.NV1 is *nv1, or for both of its values if *nv1 is -1.
 * Whether other conditions hold is for spemu_spu_access_check() to say. SPEMU_OK; SPEMU_ERR_INVALID
 * for what is not redirected, or not there with these features: then *nv1 is -1.
 */
int spemu_reg_nvmem(uint16_t *offset, int *nv1, const struct spemu_features *features,
                    uint32_t encoding);

/*
 * A field of a register by its index, for tools that show registers. Returns 0 and fills the
 * outputs, or SPEMU_ERR_INVALID past the last field. *name is constant text.
 */
int spemu_reg_field(enum spemu_reg reg, unsigned index, const char **name, unsigned *hi,
                    unsigned *lo);

/*
 * The register reference: everything that arch/sysreg.txt says, by index 0, 1, ... in its order,
 * alias names included. Texts are constant. A guard names the features that the register or field
 * requires; without them the register is UNDEFINED or the field RES0. "A+B" requires all of them,
 * "A|B" one of them, "" none.
 */
struct spemu_reg_description {
	const char *name, *doc, *guard;
	uint32_t encoding;  /* SPEMU_SYSREG_x */
	enum spemu_reg reg; /* where its value lives: another register's place for an alias; else
			       SPEMU_REG_COUNT: in the PMU (spemu/pmu.h) */
	unsigned count;     /* registers of an array "PMEVCNTR<n>_EL0": encoding + n; else 1 */
	bool alias, readonly, writeonly;
	bool partial;    /* only the fields that SPE depends on are described */
	bool host_owned; /* spemu_reg_get() and spemu_reg_set() only: MSR and MRS are the host's */
	unsigned field_count; /* an alias has the fields of the register that it names */
};
struct spemu_field_description {
	const char *name, *guard;
	unsigned hi, lo;
	bool reset_known; /* false: resets to an architecturally UNKNOWN value */
	uint64_t reset;
	unsigned enum_count;
};
struct spemu_enum_description {
	uint64_t value;
	const char *name;
};
/* SPEMU_OK, or SPEMU_ERR_INVALID for an index past the last. */
int spemu_reg_describe(struct spemu_reg_description *out, unsigned index);
int spemu_field_describe(struct spemu_field_description *out, unsigned index, unsigned field);
int spemu_enum_describe(struct spemu_enum_description *out, unsigned index, unsigned field,
                        unsigned position);

/*
 * Find "REG" or "REG.FIELD" (length bytes, upper and lower case alike, alias names included) in
 * constant time. *index is that of spemu_reg_describe(), *field that of spemu_field_describe() or
 * -1 where the name is a register's. SPEMU_OK, or SPEMU_ERR_INVALID if there is no such name: then
 * *index is ~0u and *field -1.
 */
int spemu_reg_find(unsigned *index, int *field, const char *name, size_t length);

SPEMU_END_DECLS
#endif
