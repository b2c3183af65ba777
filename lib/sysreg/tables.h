/* SPDX-License-Identifier: MIT */
/* The types of the tables that arch/gen/gen-arch generates from arch/. */
#ifndef SPEMU_SYSREG_TABLES_H
#define SPEMU_SYSREG_TABLES_H

#include <stdbool.h>
#include <stdint.h>
#include <spemu/feature.h>
#include <spemu/sysreg.h>

/* The features that a register, field or other item requires. */
enum guard_mode { GUARD_ALWAYS, GUARD_ALL, GUARD_ANY };
struct guard {
	uint8_t mode; /* enum guard_mode */
	uint8_t count;
	uint8_t feature[4];
};

struct sysreg_enum {
	uint32_t value;
	const char *name;
};

struct sysreg_field {
	const char *name;
	uint8_t hi, lo;
	bool reset_known; /* false: the field resets to an architecturally UNKNOWN value */
	/* If reset_known is false: the value is known if this is the highest implemented Exception
	 * level. 0 means never. */
	uint8_t reset_highest;
	uint64_t reset;
	struct guard guard; /* condition without which the bits are RES0 */
	const struct sysreg_enum *enums;
	unsigned enum_count;
	const char *guard_text; /* text of the guard in arch/sysreg.txt; "" without one */
};

/* The counter of a register access: from the array index, or selected by PMSELR_EL0. */
enum access_counter { COUNTER_N, COUNTER_SNAPSHOT, COUNTER_SEL, COUNTER_SEL31 };

/* The unit whose MSR and MRS functions have the register. */
enum sysreg_unit { UNIT_SPU, UNIT_PMU };

struct access_clause {
	uint8_t id;            /* index into the table "access" of arch/clauses.tsv */
	bool last;             /* last clause of its list */
	uint8_t bit;           /* bit number of the field that is the argument */
	uint16_t offset;       /* offset from VNCR_EL2.BADDR */
	uint8_t mask, value;   /* mask and value of the Effective HCR_EL2.{NV2,NV1,NV}; value may
	                          also be an enum access_counter */
	int16_t reg;           /* for aliases: enum spemu_reg */
	const char *fields[2]; /* fields that the clause reads for an MRS and for an MSR */
	const char *word;      /* the word of arch/sysreg.txt */
};

/* Bits that are RES0 without the guard, independent of the guards of their fields. */
struct res0_without {
	uint8_t hi, lo;
	struct guard guard;
};

struct sysreg_desc {
	const char *name, *doc;
	uint16_t encoding;
	int16_t reg; /* enum spemu_reg that holds the value; -1 if the unit holds it */
	bool alias;  /* another name of the storage of a register */
	bool readonly, writeonly;
	bool partial;       /* bits without a field keep the written value */
	bool host_owned;    /* no access lists, because the host executes MSR and MRS */
	uint8_t unit;       /* enum sysreg_unit */
	uint8_t count;      /* number of registers, with consecutive encodings */
	struct guard guard; /* condition without which the register is UNDEFINED */
	const struct sysreg_field *fields;
	unsigned field_count;
	const struct access_clause *access[4]; /* by Exception level, EL0 to EL3; NULL for EL0
	                                          means UNDEFINED */
	const char *guard_text;
	const struct res0_without *res0_without;
	unsigned res0_without_count;
};

extern const struct sysreg_desc spemu__sysreg_table[];
extern const unsigned spemu__sysreg_table_size;
extern const uint8_t spemu__sysreg_order[]; /* indices of spemu__sysreg_table, by encoding */
/* Indices of spemu__sysreg_table, by enum spemu_reg: the register that holds the value. */
extern const uint8_t spemu__sysreg_of_reg[];

/* An open-addressed hash table of "REG" and "REG.FIELD", with the FNV-1a hash of the upper-case
 * name. */
#define SYSREG_NAME_SLOTS 2048
struct sysreg_name {
	const char *name; /* NULL in a free slot */
	uint8_t length;
	uint8_t index; /* index into spemu__sysreg_table */
	int8_t field;  /* index of the field in the register that holds the value; -1 for the
	                  register */
};
extern const struct sysreg_name spemu__sysreg_names[SYSREG_NAME_SLOTS];

/* A version of the architecture, from which on a feature exists or is implied. */
#define VERSION_NONE 255
struct version {
	uint8_t index;   /* n for v8.n, n + 5 for v9.n */
	uint8_t v9_only; /* the feature is not in v8.n for any n */
};

struct feature_desc {
	const char *name;
	struct version preset;
	struct version implied_from; /* from this version on, implied_by implies the feature */
	struct guard implied_by;
	uint8_t require_count;
	struct guard require[4];
	const char *require_text; /* text for messages: "A requires B, C" */
};
extern const struct feature_desc spemu__feature_table[SPEMU_FEATURE_COUNT];

/* A field of an ID register that shows a feature. Rows are sorted by register and field. */
struct feature_id {
	uint16_t encoding;
	uint8_t feature;     /* enum spemu_feature */
	uint8_t hi, lo;      /* bits of the field */
	uint8_t least, most; /* values of the field that show the feature */
	uint8_t other;       /* value of the field without a feature */
};
extern const struct feature_id spemu__feature_ids[];
extern const unsigned spemu__feature_ids_size;

#endif
