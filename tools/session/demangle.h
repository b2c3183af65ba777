/* SPDX-License-Identifier: MIT */
/* Demangle names of C++ (Itanium ABI), Rust (v0 and legacy) and D. */
#ifndef TOOLS_DEMANGLE_H
#define TOOLS_DEMANGLE_H

/*
 * Return the demangled name, which the caller frees, or NULL if the name is not mangled. A suffix
 * that begins with '@' ("@plt") is kept. Time and memory are bounded: a result of more than 64 KiB
 * is NULL.
 */
char *demangle(const char *name);

/* Return the demangled name, which is never freed. After 64 MiB of such names, return NULL. */
char *demangle_kept(const char *name);

#endif
