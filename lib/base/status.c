/* SPDX-License-Identifier: MIT */
/* The texts of the status codes. */
#include <spemu/status.h>

const char *spemu_strerror(int status)
{
	static const char *const texts[] = {
	        "success",
	        "invalid argument",
	        "buffer too small",
	        "input ends too early",
	        "input is corrupt",
	        "not supported",
	        "input/output error",
	        "not allowed in this state",
	        "end of input",
	};

	return status <= 0 && status >= SPEMU_ERR_END ? texts[-status] : "unknown status";
}
