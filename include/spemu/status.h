/* SPDX-License-Identifier: MIT */
/*
 * Status codes of the library.
 *
 * The library reports four kinds of problems, each in its own way:
 * - Misuse of the API or an exhausted resource is a negative code from this list.
 * - An architectural outcome (UNDEFINED, a trap, a management event) is a value in a result struct.
 * - A rule that the software under test broke is a diagnostic (<spemu/diagnostic.h>).
 * - A bug of the library itself is an assertion.
 */
#ifndef SPEMU_STATUS_H
#define SPEMU_STATUS_H

#include <spemu/api.h>

SPEMU_BEGIN_DECLS

enum spemu_status {
	SPEMU_OK = 0,                 /* success */
	SPEMU_ERR_INVALID = -1,       /* an argument is out of its documented range */
	SPEMU_ERR_NOSPACE = -2,       /* the caller's buffer is too small */
	SPEMU_ERR_TRUNCATED = -3,     /* the input ends inside an item */
	SPEMU_ERR_CORRUPT = -4,       /* the input is damaged or contradicts itself */
	SPEMU_ERR_NOT_SUPPORTED = -5, /* valid, but not implemented in this version */
	SPEMU_ERR_IO = -6,            /* a system call failed; errno has the reason */
	SPEMU_ERR_STATE = -7,         /* not permitted in the present state of the object */
	SPEMU_ERR_END = -8,           /* there is nothing more to read */
};

/* Return a fixed English phrase for a status code. It is never NULL and must not be freed. Any
 * thread may call this function. */
const char *spemu_strerror(int status);

SPEMU_END_DECLS
#endif
