/* SPDX-License-Identifier: MIT */
/*
 * These macros surround the declarations of every public header. They give C linkage for C++, and
 * visibility outside the shared library: the library itself is compiled with hidden visibility, so
 * it exports nothing but the functions and objects declared between them.
 */
#ifndef SPEMU_API_H
#define SPEMU_API_H

#ifdef __GNUC__
#define SPEMU_BEGIN_VISIBLE _Pragma("GCC visibility push(default)")
#define SPEMU_END_VISIBLE _Pragma("GCC visibility pop")
#else
#define SPEMU_BEGIN_VISIBLE
#define SPEMU_END_VISIBLE
#endif

#ifdef __cplusplus
#define SPEMU_BEGIN_DECLS              \
	SPEMU_BEGIN_VISIBLE extern "C" \
	{
#define SPEMU_END_DECLS \
	}               \
	SPEMU_END_VISIBLE
#else
#define SPEMU_BEGIN_DECLS SPEMU_BEGIN_VISIBLE
#define SPEMU_END_DECLS SPEMU_END_VISIBLE
#endif

#endif
