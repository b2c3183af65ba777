/* SPDX-License-Identifier: MIT */
/* Fuzz target: spemu export, in each format. See fuzz_command.c. */
#include "fuzz_command.h"

int cmd_export(int argc, char **argv);

static const char *const lines[][FUZZ_ARGUMENTS] = {
        {"export", "--format", "folded", "-i", FUZZ_RECORDING, NULL},
        {"export", "--format", "pprof", "-i", FUZZ_RECORDING, NULL},
        {"export", "--format", "callgrind", "-i", FUZZ_RECORDING, NULL},
        {"export", "--format", "firefox", "-i", FUZZ_RECORDING, NULL},
        {"export", "--format", "perfetto", "-i", FUZZ_RECORDING, NULL},
        {"export", "--format", "csv", "-i", FUZZ_RECORDING, NULL},
        {"export", "--format", "sqlite", "-i", FUZZ_RECORDING, "-o", FUZZ_OUTPUT, NULL},
        {"export", "--format", "parquet", "-i", FUZZ_RECORDING, "-o", FUZZ_OUTPUT, NULL},
        {"export", "--format", "folded", "--weight", "cycles", "-i", FUZZ_RECORDING, NULL},
};

const struct fuzz_command fuzz_command = {cmd_export, sizeof(lines) / sizeof(lines[0]), lines, true,
                                          NULL};
