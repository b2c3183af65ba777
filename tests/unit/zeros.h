/* SPDX-License-Identifier: MIT */
/*
 * ASSERT_ZERO checks that every member of an output is zero. Padding may have any value. Only gcc
 * 11 and later can find the padding, so other compilers check nothing.
 */
#ifndef ZEROS_H
#define ZEROS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { GARBAGE = 0xa5 };

#define SPOIL(variable) memset(&(variable), GARBAGE, sizeof(variable))

#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
#define CLEAR_PADDING(at) __builtin_clear_padding(at)
#endif
#endif

static inline void assert_zeros(const void *at, size_t size)
{
	const uint8_t *byte = at;

	for (size_t i = 0; i < size; i++)
		assert_int_equal(byte[i], 0);
}

#ifdef CLEAR_PADDING
#define ASSERT_ZERO(variable)                                \
	do {                                                 \
		CLEAR_PADDING(&(variable));                  \
		assert_zeros(&(variable), sizeof(variable)); \
	} while (0)
#else
#define ASSERT_ZERO(variable) ((void)(variable), (void)assert_zeros)
#endif

#endif
