/* SPDX-License-Identifier: MIT */
/*
 * Copying structs that begin with their size. A caller that was built with an earlier header passes
 * a smaller struct, whose missing members are 0. A larger struct asks for features that this
 * version does not have.
 */
#ifndef SPEMU_BASE_TAKE_H
#define SPEMU_BASE_TAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Copy the caller's struct, whose first member is its size, to one of size bytes. Return false
 * if it is NULL, larger than this version's, or too small to contain its own size. */
static inline bool take_struct(void *to, size_t size, const void *from)
{
	size_t given;

	if (!from)
		return false;
	memcpy(&given, from, sizeof(given));
	if (given < sizeof(given) || given > size)
		return false;
	memset(to, 0, size);
	memcpy(to, from, given);
	memcpy(to, &size, sizeof(size));
	return true;
}

#endif
