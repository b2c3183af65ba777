/* SPDX-License-Identifier: MIT */
/*
 * Include this file first in the sources of a command under test. It replaces functions of the C
 * library so that everything a command leaves to the end of its process happens at the end of an
 * input: memory is freed, exit() returns to the target, and the target checks the output.
 */
#ifndef SPEMU_TESTS_FUZZ_TOOLS_H
#define SPEMU_TESTS_FUZZ_TOOLS_H

#define _GNU_SOURCE
#include <search.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *fuzz_calloc(size_t n, size_t size);
void *fuzz_reallocarray(void *p, size_t n, size_t size);
char *fuzz_strdup(const char *text);
int fuzz_vasprintf(char **text, const char *format, va_list ap)
        __attribute__((format(printf, 2, 0)));
ssize_t fuzz_getline(char **line, size_t *room, FILE *f);
void fuzz_free(void *p);
FILE *fuzz_fopen(const char *path, const char *mode); /* fuzz_end() closes it */
FILE *fuzz_fdopen(int fd, const char *mode);
FILE *fuzz_open_memstream(char **text, size_t *size);
int fuzz_fclose(FILE *f);
char *fuzz_realpath(const char *path, char *resolved);
void *fuzz_tsearch(const void *key, void **root, int (*compare)(const void *, const void *));
void *fuzz_tfind(const void *key, void *const *root, int (*compare)(const void *, const void *));
void fuzz_tdestroy(void *root, void (*take)(void *key));
ssize_t fuzz_write(int fd, const void *data, size_t size);
int fuzz_fprintf(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void fuzz_exit(int status);

/* Run a command until it returns or exits. Then call fuzz_end(), which checks the output and frees
 * the command's memory. */
void fuzz_run(void (*command)(void *argument), void *argument);
void fuzz_end(bool binary); /* binary: do not check the output as text */

#define calloc(n, size) fuzz_calloc(n, size)
#define malloc(size) fuzz_calloc(1, size)
#define reallocarray(p, n, size) fuzz_reallocarray(p, n, size)
#define realloc(p, size) fuzz_reallocarray(p, 1, size)
#define strdup(text) fuzz_strdup(text)
#define vasprintf(text, format, ap) fuzz_vasprintf(text, format, ap)
#define getline(line, room, f) fuzz_getline(line, room, f)
#define free(p) fuzz_free(p) /* (free)(p) calls the C library */
#define fopen(path, mode) fuzz_fopen(path, mode)
#define fdopen(fd, mode) fuzz_fdopen(fd, mode)
#define open_memstream(text, size) fuzz_open_memstream(text, size)
#define realpath(path, resolved) fuzz_realpath(path, resolved)
#define fclose(f) fuzz_fclose(f)
#define tsearch(key, root, compare) fuzz_tsearch(key, root, compare)
#define tfind(key, root, compare) fuzz_tfind(key, root, compare)
#define tdestroy(root, take) fuzz_tdestroy(root, take)
#define write(fd, data, size) fuzz_write(fd, data, size)
#define fprintf fuzz_fprintf
#define exit(status) fuzz_exit(status)

#endif
