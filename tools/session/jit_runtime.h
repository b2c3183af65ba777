/* SPDX-License-Identifier: MIT */
/* Runtimes that generate code, and how they write the names of their code for perf. */
#ifndef TOOLS_JIT_RUNTIME_H
#define TOOLS_JIT_RUNTIME_H

/* Return the number of the runtime to which a mapped file belongs, from 1 on, or 0 if the file does
 * not belong to a runtime. */
unsigned jit_runtime_of(const char *path);
/* Return the number that describes a process that has mapped files of both runtimes. */
unsigned jit_runtime_both(unsigned a, unsigned b);
/* Return how to make the runtime write names. The number may be 0. */
const char *jit_runtime_advice(unsigned runtime);

#endif
