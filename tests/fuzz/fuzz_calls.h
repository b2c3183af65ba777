/* SPDX-License-Identifier: MIT */
/* The state and checks that fuzz_calls.c and fuzz_calls_check.c share. */
#ifndef SPEMU_TESTS_FUZZ_CALLS_H
#define SPEMU_TESTS_FUZZ_CALLS_H

#include <spemu/choices.h>
#include <spemu/inject.h>
#include <spemu/strict.h>
#include "fuzz_world.h"

struct calls {
	struct fuzz_input in;
	struct fuzz_world w;
	unsigned number, place; /* the world of the objects */
	const struct spemu_spu_host *host;
	bool hostile; /* the input determines the host's replies */
	uint64_t time;
	bool making; /* objects are being made, so no check applies */
	/* The state of the host's signals. */
	bool irq, freeze;
	unsigned target, serrors;
	unsigned pending; /* records that strict mode holds back */
	/* Operations in flight, and their addresses. */
	bool used[SPEMU_IN_FLIGHT_MAX];
	uint64_t pc[SPEMU_IN_FLIGHT_MAX];
	/* Calls made so far that relax a check. */
	bool chosen, injected, was_strict;
	bool troubled; /* the host failed or lied in this call */
	/* The lowest pointer and the highest limit that software or the host ever wrote. */
	uint64_t lowest, highest;
	/* PMBPTR_EL1 before the sample ended, and the bytes written since. */
	uint64_t pointer;
	uint8_t written[2 * SPEMU_RECORD_MAX];
	size_t written_size;
};
extern struct calls calls;

void calls_start(void);
void calls_note_register(enum spemu_reg reg, uint64_t value); /* record a write */
void calls_check_write(const struct spemu_buffer_write *access, const void *data, size_t size);
void calls_check_diagnostic(void *ctx, const struct spemu_diagnostic *diagnostic);
void calls_check_access(const struct spemu_access_result *expected,
                        const struct spemu_access_result *result, int status);
void calls_before_end(void);
void calls_check_end(const struct spemu_sample_result *result, int status, uint64_t pc);
void calls_check_levels(void);
void calls_check_registers(void);
void calls_reload(void); /* save all objects and continue in the other place */

#endif
