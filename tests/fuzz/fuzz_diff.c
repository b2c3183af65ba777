/* SPDX-License-Identifier: MIT */
/* Fuzz target: spemu diff, as text, as JSON and as a page. See fuzz_command.c. */
#include "fuzz_command.h"

int cmd_diff(int argc, char **argv);

static const char *const lines[][FUZZ_ARGUMENTS] = {
        {"diff", FUZZ_RECORDING, FUZZ_MAPPED, NULL},
        {"diff", "--json", FUZZ_RECORDING, FUZZ_MAPPED, NULL},
        {"diff", "--html", FUZZ_OUTPUT, FUZZ_RECORDING, FUZZ_MAPPED, NULL},
        {"diff", "--absolute", "--by", "samples", "--sort", "pid,comm,sym", FUZZ_RECORDING,
         FUZZ_MAPPED, NULL},
        {"diff", FUZZ_RECORDING, FUZZ_RECORDING, NULL},
};

const struct fuzz_command fuzz_command = {cmd_diff, sizeof(lines) / sizeof(lines[0]), lines, false,
                                          NULL};
