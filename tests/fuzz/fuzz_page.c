/* SPDX-License-Identifier: MIT */
/* Fuzz target: spemu report --html. See fuzz_command.c. */
#include "fuzz_command.h"

int cmd_report(int argc, char **argv);

static const char *const lines[][FUZZ_ARGUMENTS] = {
        {"report", "--html", FUZZ_OUTPUT, "-i", FUZZ_RECORDING, NULL},
        {"report", "--html", FUZZ_OUTPUT, "-i", FUZZ_RECORDING, "--sort", "sym,srcline", NULL},
};

const struct fuzz_command fuzz_command = {cmd_report, sizeof(lines) / sizeof(lines[0]), lines,
                                          false, NULL};
