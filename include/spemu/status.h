/* SPDX-License-Identifier: MIT */
/*
 * Status codes of the library.
 *
 * Four channels never mix: misuse of the API or an exhausted resource is a negative code from this
 * list; an architectural outcome (UNDEFINED, a trap, a management event) is a value in a result
 * structure; software under test that broke a rule is a diagnostic; a bug of the library itself is
 * an assertion.
 */
#ifndef SPEMU_STATUS_H
#define SPEMU_STATUS_H

#include <spemu/api.h>

SPEMU_BEGIN_DECLS

enum spemu_status {
	SPEMU_OK = 0,
	SPEMU_ERR_INVALID = -1,       /* an argument is out of its documented range */
	SPEMU_ERR_NOSPACE = -2,       /* the caller's buffer is too small */
	SPEMU_ERR_TRUNCATED = -3,     /* the input ends in the middle of an item */
	SPEMU_ERR_CORRUPT = -4,       /* the input is damaged or contradicts itself */
	SPEMU_ERR_NOT_SUPPORTED = -5, /* correct, but this version does not do it */
	SPEMU_ERR_IO = -6,            /* the system refused; errno says why */
	SPEMU_ERR_STATE = -7,         /* not allowed in the object's present state */
	SPEMU_ERR_END = -8,           /* nothing more to read */
};

/* A fixed English phrase for a status code; never NULL, never freed. Any thread. */
const char *spemu_strerror(int status);

SPEMU_END_DECLS
#endif
