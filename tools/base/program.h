/* SPDX-License-Identifier: MIT */
/* A helper program that transforms its input, such as objdump for code or xz for a compressed
 * file. */
#ifndef TOOLS_PROGRAM_H
#define TOOLS_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Start argv[0]. It reads the descriptor `input`, or nothing if `input` is negative. *output
 * receives a descriptor of its standard output, which the caller closes in any case. Its errors are
 * discarded. Return 0 or the error number.
 */
int program_start(pid_t *pid, int *output, const char *const *argv, int input);

/* Wait for the program to end. Return true if its exit status was 0. */
bool program_ends_well(pid_t pid);

#endif
