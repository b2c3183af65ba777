/* SPDX-License-Identifier: MIT */
/* Odd programs: scenes that must behave the same under `spemu record` and under plain qemu-aarch64
 * (tests/cli/test_odd_programs.py). */
#ifndef ODD_H
#define ODD_H

#include <stdio.h>

/* All scenes. `odd NAME` runs a scene. The test compares its output and its end. */
#define X(name) int odd_##name(char **argv);
#include "scenes.inc"
#undef X

/* Execute some instructions for samples. */
void busy(long rounds);
/* Print and flush a line, because children may share standard output. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Wait for a child and print its end. */
void say_end(int pid);
/* Execute this program again as another scene. Return if that fails. */
void again(const char *scene, const char *argument);
extern const char *odd_path;

#endif
