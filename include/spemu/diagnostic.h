/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics about the software under test. A diagnostic reports that software broke a rule or
 * relied on behavior that the architecture leaves open. Misuse of this library is not a diagnostic
 * but a negative status.
 */
#ifndef SPEMU_DIAGNOSTIC_H
#define SPEMU_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdint.h>
#include <spemu/api.h>

SPEMU_BEGIN_DECLS

/* A register or field that a diagnostic mentions. */
struct spemu_diagnostic_value {
	const char *name; /* name as in arch/sysreg.txt: "PMBPTR_EL1", "PMBSR_EL1.DL"; constant
	                     text */
	uint64_t value;   /* value at the time of the diagnostic */
};

/*
 * One diagnostic. The texts are constants and outlive the object. The struct itself is valid during
 * the callback. The host knows the PE that it belongs to, because the callback runs inside a call
 * that the host made. spemu_diagnostic_at() (<spemu/strict.h>) lists all diagnostics.
 */
struct spemu_diagnostic {
	const char *name;   /* short, stable name for suppressions: "pointer-above-limit" */
	const char *rule;   /* broken rule: a rule ID or section of DDI 0487 M.a */
	const char *cause;  /* what software did, in one sentence */
	const char *remedy; /* what software should do instead, as one sentence */
	struct spemu_diagnostic_value value[5]; /* registers and fields that matter */
	unsigned values;                        /* number of elements of value[] that are filled */
	bool has_pc; /* true if pc is valid, which requires spemu_spu_set_pc() */
	uint64_t pc; /* address of the instruction that caused the diagnostic */
};

SPEMU_END_DECLS
#endif
