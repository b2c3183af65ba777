/* SPDX-License-Identifier: MIT */
/* The shape of the tables that arch/gen/gen-arch makes from arch/. */
#ifndef SPEMU_SYSREG_TABLES_H
#define SPEMU_SYSREG_TABLES_H

#include <stdbool.h>
#include <stdint.h>
#include <spemu/feature.h>
#include <spemu/sysreg.h>

/* The features that something needs. */
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
	bool reset_known;      /* false: resets to an architecturally UNKNOWN value */
	uint8_t reset_highest; /* but known where this is the highest implemented Exception level */
	uint64_t reset;
	struct guard guard; /* without it the bits are RES0 */
	const struct sysreg_enum *enums;
	unsigned enum_count;
	const char *guard_text; /* as in arch/sysreg.txt, "" without one */
};

/* The counter of a register access: the one of the array, or the one that PMSELR_EL0 selects. */
enum access_counter { COUNTER_N, COUNTER_SNAPSHOT, COUNTER_SEL, COUNTER_SEL31 };

/* The unit that has the register: its MSR and MRS reach it. */
enum sysreg_unit { UNIT_SPU, UNIT_PMU };

struct access_clause {
	uint8_t id;          /* index into the table "access" of arch/clauses.tsv */
	bool last;           /* the last of its list */
	uint8_t bit;         /* of the field that is the argument */
	uint16_t offset;     /* NVMem offset */
	uint8_t mask, value; /* of the Effective HCR_EL2.{NV2,NV1,NV}; value: enum access_counter */
	int16_t reg;         /* enum spemu_reg, for aliases */
	const char *fields[2]; /* fields that an MRS and an MSR look at */
	const char *word;      /* as in arch/sysreg.txt */
};

/* Bits that are RES0 without the guard, whatever their fields need. */
struct res0_without {
	uint8_t hi, lo;
	struct guard guard;
};

struct sysreg_desc {
	const char *name, *doc;
	uint16_t encoding;
	int16_t reg; /* enum spemu_reg: where its value lives; -1: in its unit */
	bool alias;  /* another register's storage under another name */
	bool readonly, writeonly;
	bool partial;       /* bits without a field are kept as written */
	bool host_owned;    /* no access lists: MSR and MRS are the host's */
	uint8_t unit;       /* enum sysreg_unit */
	uint8_t count;      /* registers, with encodings from encoding on */
	struct guard guard; /* without it the register is UNDEFINED */
	const struct sysreg_field *fields;
	unsigned field_count;
	const struct access_clause *access[4]; /* EL0 (NULL: UNDEFINED), EL1, EL2, EL3 */
	const char *guard_text;
	const struct res0_without *res0_without;
	unsigned res0_without_count;
};

extern const struct sysreg_desc spemu__sysreg_table[];
extern const unsigned spemu__sysreg_table_size;
extern const uint8_t spemu__sysreg_order[];  /* indices of spemu__sysreg_table, by encoding */
extern const uint8_t spemu__sysreg_of_reg[]; /* ... by enum spemu_reg: where its value lives */

/* An open-addressed hash table over "REG" and "REG.FIELD": FNV-1a of the upper-case name. */
#define SYSREG_NAME_SLOTS 2048
struct sysreg_name {
	const char *name; /* NULL: a free slot */
	uint8_t length;
	uint8_t index; /* into spemu__sysreg_table */
	int8_t field;  /* of the register that has the storage; -1: the register itself */
};
extern const struct sysreg_name spemu__sysreg_names[SYSREG_NAME_SLOTS];

/* From which version of the architecture on. */
#define VERSION_NONE 255
struct version {
	uint8_t index;   /* v8.n is n, v9.n is n + 5 */
	uint8_t v9_only; /* not in v8.n, however large n */
};

struct feature_desc {
	const char *name;
	struct version preset;
	struct version implied_from; /* from here on implied_by implies it */
	struct guard implied_by;
	uint8_t require_count;
	struct guard require[4];
	const char *require_text; /* for messages: "A requires B, C" */
};
extern const struct feature_desc spemu__feature_table[SPEMU_FEATURE_COUNT];

/* A field of an ID register that shows a feature; by register and field. */
struct feature_id {
	uint16_t encoding;
	uint8_t feature;     /* enum spemu_feature */
	uint8_t hi, lo;      /* the field */
	uint8_t least, most; /* its values that say so */
	uint8_t other;       /* its value without such a feature */
};
extern const struct feature_id spemu__feature_ids[];
extern const unsigned spemu__feature_ids_size;

#endif
