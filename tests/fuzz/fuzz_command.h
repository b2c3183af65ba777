/* SPDX-License-Identifier: MIT */
/*
 * A command of spemu over a recording and a file that its mappings name: see fuzz_command.c. Each
 * target that has one says here which command it is, and with which arguments.
 */
#ifndef SPEMU_TESTS_FUZZ_COMMAND_H
#define SPEMU_TESTS_FUZZ_COMMAND_H

#include "fuzz_session.h"

enum { FUZZ_ARGUMENTS = 16 };

struct fuzz_command {
	int (*run)(int argc, char **argv);
	unsigned count; /* of lines; the first byte of an input chooses one */
	const char *const (*lines)[FUZZ_ARGUMENTS];
	bool binary;          /* the output is binary */
	void (*forget)(void); /* what the command keeps until a process ends; or NULL */
};
extern const struct fuzz_command fuzz_command;

#endif
