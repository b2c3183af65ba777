/* SPDX-License-Identifier: MIT */
/* Status codes in words. */
#include <spemu/status.h>

const char *spemu_strerror(int status)
{
	switch (status) {
	case SPEMU_OK:
		return "success";
	case SPEMU_ERR_INVALID:
		return "invalid argument";
	case SPEMU_ERR_NOSPACE:
		return "buffer too small";
	case SPEMU_ERR_TRUNCATED:
		return "input ends too early";
	case SPEMU_ERR_CORRUPT:
		return "input is corrupt";
	case SPEMU_ERR_NOT_SUPPORTED:
		return "not supported";
	case SPEMU_ERR_IO:
		return "input/output error";
	case SPEMU_ERR_STATE:
		return "not allowed in this state";
	case SPEMU_ERR_END:
		return "end of input";
	default:
		return "unknown status";
	}
}
