/* SPDX-License-Identifier: MIT */
/* Fuzz target: spemu annotate, as text and as JSON. See fuzz_command.c and fuzz_objdump.c. */
#include "fuzz_command.h"

int cmd_annotate(int argc, char **argv);

static const char *const lines[][FUZZ_ARGUMENTS] = {
        {"annotate", "-i", FUZZ_RECORDING, NULL},
        {"annotate", "--json", "-i", FUZZ_RECORDING, NULL},
        {"annotate", "-n", "0", "-i", FUZZ_RECORDING, NULL},
        {"annotate", "--no-source", "-i", FUZZ_RECORDING, NULL},
};

const struct fuzz_command fuzz_command = {cmd_annotate, sizeof(lines) / sizeof(lines[0]), lines,
                                          false, NULL};
