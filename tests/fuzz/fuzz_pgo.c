/* SPDX-License-Identifier: MIT */
/* Fuzz target: spemu pgo, in each format. See fuzz_command.c. */
#include "fuzz_command.h"

#include "../../tools/pgo/instruction.c" /* included to clear its cache of pages */

int cmd_pgo(int argc, char **argv);

static const char *const lines[][FUZZ_ARGUMENTS] = {
        {"pgo", "--format", "bolt", "-i", FUZZ_RECORDING, FUZZ_MAPPED, NULL},
        {"pgo", "--format", "autofdo", "-i", FUZZ_RECORDING, FUZZ_MAPPED, NULL},
        {"pgo", "--format", "gcov", "-i", FUZZ_RECORDING, FUZZ_MAPPED, NULL},
        {"pgo", "--format", "llvm-profgen", "-i", FUZZ_RECORDING, FUZZ_MAPPED, NULL},
};

static void forget(void)
{
	memset(&known, 0, sizeof(known));
}

const struct fuzz_command fuzz_command = {cmd_pgo, sizeof(lines) / sizeof(lines[0]), lines, true,
                                          forget};
