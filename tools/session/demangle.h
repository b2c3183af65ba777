/* SPDX-License-Identifier: MIT */
/* Names of C++ (Itanium ABI), Rust (v0 and legacy) and D, as their programmers write them. */
#ifndef TOOLS_DEMANGLE_H
#define TOOLS_DEMANGLE_H

/*
 * The name in words, to be freed, or NULL if it is not mangled. What follows an '@' ("@plt") stays.
 * A name costs bounded time and memory, whoever made it: the words are at most 64 KiB, or NULL.
 */
char *demangle(const char *name);

/* As demangle(), for words that a process keeps to its end: after 64 MiB of them it returns
 * NULL. */
char *demangle_kept(const char *name);

#endif
