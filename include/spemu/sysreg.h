/* SPDX-License-Identifier: MIT */
/*
 * System registers: their encodings, the places of their values, their fields, and the register
 * reference.
 *
 * <spemu/sysreg_list.h> is generated from arch/sysreg.txt. It contains SPEMU_SYSREG_x, the encoding
 * of register x (a macro of n for an array of registers); enum spemu_reg, the registers that have a
 * value; and for each field the least significant bit, the width and the named values.
 *
 * Arm ARM: DDI 0487 M.a, D24. The functions keep no state, so any thread may call them.
 */
#ifndef SPEMU_SYSREG_H
#define SPEMU_SYSREG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The encoding of a register from its parts in MSR and MRS. */
#define SPEMU_SYSREG(op0, op1, crn, crm, op2) \
	((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

#include <spemu/api.h>
#include <spemu/feature.h>
#include <spemu/sysreg_list.h>

SPEMU_BEGIN_DECLS

/* Return the name of a register ("PMSCR_EL1"), or NULL if there is no such register. */
const char *spemu_reg_name(enum spemu_reg reg);

/* Return the register (enum spemu_reg) with a name, or -1. An alias name (PMSCR_EL12) gives the
 * register that it names. */
int spemu_reg_by_name(const char *name);

/* Return the encoding (SPEMU_SYSREG_x) that MSR and MRS use for a name, or -1 if there is no such
 * name. Aliases and members of arrays ("PMEVCNTR7_EL0") have names too. */
int spemu_reg_encoding(const char *name);

/*
 * Find the memory location that MRS and MSR of an encoding at EL1 access instead of the register.
 * This redirection requires that the Effective HCR_EL2.{NV2, NV} is {1, 1}. *offset is the offset
 * from VNCR_EL2.BADDR. The redirection applies if HCR_EL2.NV1 is *nv1, or for both values of NV1 if
 * *nv1 is -1. spemu_spu_access_check() decides whether the other conditions hold. Return SPEMU_OK,
 * or SPEMU_ERR_INVALID if the register is not redirected or does not exist with these features;
 * *nv1 is -1 then.
 */
int spemu_reg_nvmem(uint16_t *offset, int *nv1, const struct spemu_features *features,
                    uint32_t encoding);

/*
 * Get a field of a register by its index, for tools that show registers. *hi and *lo are its most
 * and least significant bit. *name is constant text. Return 0, or SPEMU_ERR_INVALID past the last
 * field.
 */
int spemu_reg_field(enum spemu_reg reg, unsigned index, const char **name, unsigned *hi,
                    unsigned *lo);

/*
 * The register reference: the content of arch/sysreg.txt, by index 0, 1, ... in its order, alias
 * names included. Texts are constant. A guard names the features that the register or field
 * requires: "A+B" requires all of them, "A|B" one of them, "" none. Without them, the register is
 * UNDEFINED or the field RES0.
 */
struct spemu_reg_description {
	const char *name, *doc, *guard;
	uint32_t encoding;  /* encoding, SPEMU_SYSREG_x */
	enum spemu_reg reg; /* register that holds the value, which for an alias is the register
	                       that it names; SPEMU_REG_COUNT if the PMU holds the value
	                       (<spemu/pmu.h>) */
	unsigned count;     /* number of registers of an array "PMEVCNTR<n>_EL0", with encodings
	                       encoding + n; else 1 */
	bool alias, readonly, writeonly;
	bool partial;         /* only the fields that SPE depends on are described */
	bool host_owned;      /* MSR and MRS belong to the host; only spemu_reg_get() and
	                         spemu_reg_set() have the register */
	unsigned field_count; /* number of fields; an alias has the fields of the register that
	                         it names */
};
/* A field of a register: bits [hi:lo]. */
struct spemu_field_description {
	const char *name, *guard;
	unsigned hi, lo;
	bool reset_known;    /* false: the field resets to an architecturally UNKNOWN value */
	uint64_t reset;      /* value after reset, if reset_known */
	unsigned enum_count; /* number of named values */
};
/* A named value of a field. */
struct spemu_enum_description {
	uint64_t value;
	const char *name;
};
/* Describe a register, a field, or a named value of a field. Return SPEMU_OK, or
 * SPEMU_ERR_INVALID for an index past the last. */
int spemu_reg_describe(struct spemu_reg_description *out, unsigned index);
int spemu_field_describe(struct spemu_field_description *out, unsigned index, unsigned field);
int spemu_enum_describe(struct spemu_enum_description *out, unsigned index, unsigned field,
                        unsigned position);

/*
 * Find a register by its name "REG", or a field by "REG.FIELD", in constant time. name has length
 * bytes. Upper and lower case are equal, and alias names are included. *index is the index of
 * spemu_reg_describe(). *field is the index of spemu_field_describe(), or -1 if the name is a
 * register's. Return SPEMU_OK; or SPEMU_ERR_INVALID, with *index ~0u and *field -1, for an unknown
 * name.
 */
int spemu_reg_find(unsigned *index, int *field, const char *name, size_t length);

SPEMU_END_DECLS
#endif
