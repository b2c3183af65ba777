/* SPDX-License-Identifier: MIT */
/* The list of diagnostics, and the functions of diagnose.c that give them. */
#ifndef SPEMU_SPU_DIAGNOSIS_H
#define SPEMU_SPU_DIAGNOSIS_H

#include <spemu/sysreg.h>

/* Diagnostics in the order of the table in diagnose.c. Those of plain mode come first. */
enum diagnosis {
	DIAGNOSE_NO_ROOM,
	DIAGNOSE_TOP_BYTE,
	DIAGNOSE_UNALIGNED,
	DIAGNOSE_AFTER_LOSS,
	DIAGNOSE_AFTER_FULL,
	DIAGNOSE_PROGRAMMED_ENABLED,
	DIAGNOSE_WRITTEN_IN_FLIGHT,
	DIAGNOSE_READ_EARLY,
	DIAGNOSE_MEMORY_EARLY,
	DIAGNOSE_MEMORY_WRITTEN,
	DIAGNOSE_PSB_UNORDERED,
	DIAGNOSE_DISABLED_IN_FLIGHT,
	DIAGNOSE_CAUSE_PERSISTS,
	DIAGNOSE_CLEARED_FIRST,
	DIAGNOSE_ENABLED_FIRST,
	DIAGNOSE_NEVER_CLEARED,
	DIAGNOSE_NEVER_WRITTEN,
	DIAGNOSE_CLEARED_EARLY,
	DIAGNOSE_CONTEXT_IN_FLIGHT,
	DIAGNOSE_REGIME_IN_FLIGHT,
	DIAGNOSE_REGIME_WHILE_ENABLED,
	DIAGNOSE_TRANSLATION_IN_USE,
	DIAGNOSE_TRANSLATION_STALE,
	DIAGNOSE_CROSSES_SECURITY,
	DIAGNOSE_RESERVED_VALUE,
	DIAGNOSE_RESERVED_BITS,
	DIAGNOSE_FILTER,
	DIAGNOSE_INTERVAL_SHORT,
	DIAGNOSE_INTERVAL_ZERO,
	DIAGNOSE_VM_IGNORED,
	DIAGNOSE_VM_SIZE,
	DIAGNOSE_VM_ADDRESS,
	DIAGNOSES,
};

#define DIAGNOSES_PLAIN (DIAGNOSE_AFTER_FULL + 1)
#define DIAGNOSES_SEEN 256 /* a power of two */

/* The PC of the next diagnostics, and the diagnostics that strict mode has given. */
struct diagnosing {
	bool has_pc;
	uint64_t pc;
	uint64_t seen[DIAGNOSES_SEEN]; /* 0 for a free entry */
};

struct spemu_spu;

/* Give a diagnostic. In plain mode, diagnostics of strict mode are dropped. */
void spemu__spu_diagnose(struct spemu_spu *s, enum diagnosis which);
/* Give a diagnostic with an additional register, which comes first in its values. */
void spemu__spu_diagnose_register(struct spemu_spu *s, enum diagnosis which, enum spemu_reg reg,
                                  uint64_t value);

/*
 * Return the PMSCR_ELx that enables profiling here (D17.4.1). This is PMSCR_EL2 at EL2, and at EL0
 * if HCR_EL2.TGE makes it EL2's. At EL3 neither register enables profiling, and the owner's is
 * returned.
 */
enum spemu_reg spemu__diagnose_pmscr(const struct spemu_spu *s);

#endif
