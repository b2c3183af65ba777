/* SPDX-License-Identifier: MIT */
/* A program that makes something of its input: objdump of code, xz of a compressed file. */
#ifndef TOOLS_PROGRAM_H
#define TOOLS_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts argv[0]. It reads the descriptor input, nothing if that is negative; what it writes comes
 * from *output, its errors go nowhere. 0, or the error; *output is to be closed in any case.
 */
int program_start(pid_t *pid, int *output, const char *const *argv, int input);

/* Waits for its end: was its exit status 0? */
bool program_ends_well(pid_t pid);

#endif
