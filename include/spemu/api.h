/* SPDX-License-Identifier: MIT */
/*
 * Linkage and visibility of the public declarations. Every public header puts its declarations
 * between these macros. They give the declarations C linkage in C++, and default visibility in the
 * shared library. The library is compiled with hidden visibility, so it exports only what is
 * declared between them.
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
