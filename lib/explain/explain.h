/* SPDX-License-Identifier: MIT */
/* Declarations that the files of lib/explain share. */
#ifndef SPEMU_EXPLAIN_EXPLAIN_H
#define SPEMU_EXPLAIN_EXPLAIN_H

#include <string.h>

#include <spemu/explain.h>
#include "pmu/pmu_object.h"
#include "spu/spu_object.h"

struct spemu_machine {
	struct spemu_pe pe;          /* the PE that the functions of <spemu/explain.h> receive */
	struct spemu_pe_state state; /* state as written; the state of pe also has what
	                                PSTATE.nRW implies */
	uint64_t written[SPEMU_REG_COUNT];  /* values as they were set; the PE has only the bits
	                                       that exist with its features */
	uint8_t choice[SPEMU_CHOICE_COUNT]; /* 0: the default, else the option + 1 */
};

/* written.c: decide whether records are written while profiling is enabled, and whether a
 * management event can occur. */
/* The value of this decision is an enum spemu_written: the largest value of the clauses that do not
 * hold. */
extern const struct decision spemu__explain_written;
extern const struct decision spemu__explain_occurs; /* ec, fsc, collision: 1 if the event can
                                                       happen */
unsigned spemu__explain_written_value(const struct spemu_pe *pe);

/* Return the second of several names that are separated by blanks. The first one has this
 * length. */
static inline const char *next_name(const char *names, size_t length)
{
	names += length;
	return names + strspn(names, " ");
}

#endif
