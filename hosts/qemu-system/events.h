/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports to `spemu vm`: JSON objects, one a line, each written whole with one write().
 *
 * Without events-fd only errors are reported, on standard error. Any thread may report.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include <spemu/diagnostic.h>

#include "vcpu.h"

/* Report an error, and end QEMU with exit status 1. */
_Noreturn void events_refuse(const char *cause, const char *remedy);
/* Report a problem that the user should know at once. */
void events_warning(const struct vcpu *vcpu, const char *cause, const char *remedy);
void events_ready(unsigned count);
/* Report the guest's MSR or MRS of the register `reg`. */
void events_register_access(const struct vcpu *vcpu, const char *reg, bool write, uint64_t value,
                            const struct spemu_access_result *result);
/* Report a PMBSR_ELx after a management event. */
void events_management(const struct vcpu *vcpu, const char *reg, uint64_t value);
void events_interrupt(const struct vcpu *vcpu, bool level);
/* Report the fault of the --inject with this index. */
void events_injection(const struct vcpu *vcpu, unsigned index);
/* Report a write to a register of the PE that controls the SPU. */
void events_control(const struct vcpu *vcpu, uint64_t pc, const char *reg, uint64_t value);
/* An exception, or an exception return. */
struct change_of_el {
	bool entry;
	unsigned from, to;   /* Exception levels */
	uint64_t pc, target; /* preferred return address or the ERET's address; destination */
	const char *kind;    /* kind of an exception to AArch64, else NULL */
	bool has_syndrome;
	uint64_t syndrome;
};
void events_change_of_el(const struct vcpu *vcpu, const struct change_of_el *change);
/* Report that sampling begins or ends. */
void events_sampling(const struct vcpu *vcpu, bool on);
void events_collision(const struct vcpu *vcpu);
/* Report a diagnostic. For host.diagnostic. */
void events_diagnostic(void *vcpu, const struct spemu_diagnostic *d);
void events_reset(const struct vcpu *vcpu);
void events_summary(const struct vcpu *vcpu);

#endif
