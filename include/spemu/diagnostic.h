/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics about software: a rule that it broke, or a freedom of the architecture that it relied
 * on. Misuse of this library is a negative status instead.
 */
#ifndef SPEMU_DIAGNOSTIC_H
#define SPEMU_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdint.h>
#include <spemu/api.h>

SPEMU_BEGIN_DECLS

/* A register or field that the diagnostic is about, by its name in arch/sysreg.txt. */
struct spemu_diagnostic_value {
	const char *name; /* "PMBPTR_EL1", "PMBSR_EL1.DL"; constant text */
	uint64_t value;   /* value at the time of the diagnostic */
};

/*
 * One diagnostic. The texts are constants and outlive the object. The struct itself is valid during
 * the callback. The host knows the PE that it belongs to, because the callback runs inside a call
 * that the host made. spemu_diagnostic_at() (<spemu/strict.h>) lists all diagnostics.
 */
struct spemu_diagnostic {
	const char *name;   /* short, stable name for suppressions: "pointer-above-limit" */
	const char *rule;   /* the rule ID or section of DDI 0487 M.a that was broken */
	const char *cause;  /* what software did, in one sentence */
	const char *remedy; /* the remedy, in one sentence */
	struct spemu_diagnostic_value value[5];
	unsigned values; /* number of elements of value[] that are filled */
	bool has_pc;     /* pc is valid: spemu_spu_set_pc() was called */
	uint64_t pc;     /* address of the instruction that caused the diagnostic */
};

SPEMU_END_DECLS
#endif
