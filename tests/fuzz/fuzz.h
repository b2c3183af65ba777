/* SPDX-License-Identifier: MIT */
/* The entry that every fuzz target defines: libFuzzer's, and regress.c's. */
#ifndef SPEMU_TESTS_FUZZ_H
#define SPEMU_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
