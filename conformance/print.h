/* SPDX-License-Identifier: MIT */
/* Printing through a function that outputs a character. Also the functions that a compiler may call
 * in a freestanding program. */
#ifndef CONFORMANCE_PRINT_H
#define CONFORMANCE_PRINT_H

#include <stdarg.h>
#include <stddef.h>

void put(char c); /* defined by the program */
/* %s %d %u %x (all integers are 64-bit) %% */
void print(const char *format, ...);
void print_list(const char *format, va_list list);

void *memset(void *to, int value, size_t bytes);
void *memcpy(void *to, const void *from, size_t bytes);

#endif
