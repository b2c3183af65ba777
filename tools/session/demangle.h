/* SPDX-License-Identifier: MIT */
/* Names of C++ (Itanium ABI), Rust (v0 and legacy) and D, as their programmers write them. */
#ifndef TOOLS_DEMANGLE_H
#define TOOLS_DEMANGLE_H

/*
 * Return the demangled name, which the caller frees, or NULL if the name is not mangled. The part
 * from an '@' on ("@plt") is kept. Time and memory are bounded for every name: a result of more
 * than 64 KiB is NULL.
 */
char *demangle(const char *name);

/* Return the same for a name that the process keeps to its end. After 64 MiB of such names,
 * return NULL. */
char *demangle_kept(const char *name);

#endif
