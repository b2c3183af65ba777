/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics about software: a rule that it broke, or a freedom of the architecture that it ran
 * into. Misuse of this library is a negative status instead.
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
	uint64_t value;   /* at the time of the diagnostic */
};

/*
 * One diagnostic. The texts are constants and outlive the object; the struct itself is valid during
 * the callback. Which processor it is about is known to the host: the callback runs inside the call
 * that the host made for an instruction. spemu_diagnostic_at() (<spemu/strict.h>) lists all of
 * them.
 */
struct spemu_diagnostic {
	const char *name;  /* short and stable, for suppressions: "pointer-above-limit" */
	const char *rule;  /* the rule ID or section of DDI 0487 M.a that was broken */
	const char *cause; /* one sentence: what software did */
	const char *cure;  /* one sentence: the remedy */
	struct spemu_diagnostic_value value[5];
	unsigned values; /* how many of value[] are filled */
	bool has_pc;     /* spemu_spu_set_pc() was called: */
	uint64_t pc;     /* where software was */
};

SPEMU_END_DECLS
#endif
