/* SPDX-License-Identifier: MIT */
/* The files that optimizers read, each made of the same branches. */
#ifndef TOOLS_PGO_PROFILES_H
#define TOOLS_PGO_PROFILES_H

#include "branches.h"
#include "../base/common.h"

/* BOLT's .fdata. */
void bolt_write(const struct branches *b, struct out *o);
/* Counts of ranges and branches that have no names yet: llvm-profgen --unsymbolized-profile. */
void profgen_write(const struct branches *b, struct out *o);
/* A sample profile as text: clang -fprofile-sample-use, llvm-profdata --sample. */
void autofdo_write(const struct branches *b, struct out *o);
/* The same for GCC, not text: gcc -fauto-profile. */
void gcov_write(const struct branches *b, struct out *o);

#endif
