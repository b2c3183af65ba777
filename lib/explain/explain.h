/* SPDX-License-Identifier: MIT */
/* Declarations that the files of lib/explain share. */
#ifndef SPEMU_EXPLAIN_EXPLAIN_H
#define SPEMU_EXPLAIN_EXPLAIN_H

#include <string.h>

#include <spemu/explain.h>
#include "pmu/pmu_object.h"
#include "spu/spu_object.h"

struct spemu_machine {
	struct spemu_pe pe;          /* what the functions of <spemu/explain.h> are asked about */
	struct spemu_pe_state state; /* as written: the PE has what PSTATE.nRW implies beside it */
	uint64_t written[SPEMU_REG_COUNT];  /* the PE has what exists of it with its features */
	uint8_t choice[SPEMU_CHOICE_COUNT]; /* 0: the default, else 1 + the option */
};

/* written.c: whether records are written where profiling is enabled, and whether an event can
 * happen. */
extern const struct decision
        spemu__explain_written; /* an enum spemu_written: the value of a clause that does not
				   hold */
extern const struct decision spemu__explain_occurs; /* ec, fsc, collision: 1 if it can */
unsigned spemu__explain_written_value(const struct spemu_pe *pe);

/* Return the second of several names with blanks between them; the first has this length. */
static inline const char *next_name(const char *names, size_t length)
{
	names += length;
	return names + strspn(names, " ");
}

#endif
