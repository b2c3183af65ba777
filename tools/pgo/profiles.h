/* SPDX-License-Identifier: MIT */
/* Profiles for optimizers. All are made from the same branches. */
#ifndef TOOLS_PGO_PROFILES_H
#define TOOLS_PGO_PROFILES_H

#include "branches.h"
#include "../base/common.h"

/* Write BOLT's .fdata. */
void bolt_write(const struct branches *b, struct out *o);
/* Write counts of ranges and branches without names: llvm-profgen --unsymbolized-profile. */
void profgen_write(const struct branches *b, struct out *o);
/* Write a sample profile as text: clang -fprofile-sample-use, llvm-profdata --sample. */
void autofdo_write(const struct branches *b, struct out *o);
/* Write the binary form for GCC: gcc -fauto-profile. */
void gcov_write(const struct branches *b, struct out *o);

#endif
