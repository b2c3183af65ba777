/* SPDX-License-Identifier: MIT */
/*
 * A command of spemu that reads a recording, and a file that the recording's mappings name; see
 * fuzz_command.c. Each target of this kind describes its command and the arguments here.
 */
#ifndef SPEMU_TESTS_FUZZ_COMMAND_H
#define SPEMU_TESTS_FUZZ_COMMAND_H

#include "fuzz_session.h"

enum { FUZZ_ARGUMENTS = 16 };

struct fuzz_command {
	int (*run)(int argc, char **argv);
	unsigned count; /* number of lines; the first byte of an input selects one */
	const char *const (*lines)[FUZZ_ARGUMENTS];
	bool binary;          /* the output is binary */
	void (*forget)(void); /* drop what the command keeps; or NULL */
};
extern const struct fuzz_command fuzz_command;

#endif
