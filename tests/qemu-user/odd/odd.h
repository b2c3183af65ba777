/* SPDX-License-Identifier: MIT */
/* Odd programs: scenes that must run under `spemu record` as they do under plain qemu-aarch64
 * (tests/cli/test_odd_programs.py). */
#ifndef ODD_H
#define ODD_H

#include <stdio.h>

/* Every scene. `odd NAME` runs it; its output and its end are compared. */
#define X(name) int odd_##name(char **argv);
#include "scenes.inc"
#undef X

/* Execute some instructions, to be sampled. */
void busy(long rounds);
/* Print and flush a line: standard output may be shared with children. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Wait for a child and print how it ended. */
void say_end(int pid);
/* Execute this program again as another scene. Return if that fails. */
void again(const char *scene, const char *argument);
extern const char *odd_path;

#endif
