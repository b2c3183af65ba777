/* SPDX-License-Identifier: MIT */
/*
 * The files that a command reads, which are made from an input. They are dropped before the next
 * input.
 *
 * An input contains the length of the perf.data file in two bytes, this file, and another file: an
 * ELF file, a source file or a list of symbols. The linker option --wrap must redirect
 * spemu_perf_open() and spemu_perf_close() to fuzz_session.c.
 */
#ifndef SPEMU_TESTS_FUZZ_SESSION_H
#define SPEMU_TESTS_FUZZ_SESSION_H

#include "fuzz_tools.h"

#include "fuzz.h"

#define FUZZ_RECORDING "/proc/self/fd/1001"
/* Placeholders. fuzz_session_name() replaces them by unique names of the same length. */
#define FUZZ_MAPPED "/dev/shm/spemu-fuzz-mapped1" /* and /proc/self/fd/1000 */
#define FUZZ_OUTPUT "/dev/shm/spemu-fuzz-output1"

/* Write the rest of the input to the two files. */
void fuzz_session_take(struct fuzz_input *in);
/* Return this process's name for FUZZ_MAPPED or FUZZ_OUTPUT, or else the name itself. */
char *fuzz_session_name(const char *name);
/* Close all recordings and drop everything cached from other files. */
void fuzz_session_forget(void);

#endif
