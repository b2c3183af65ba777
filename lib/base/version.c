/* SPDX-License-Identifier: MIT */
/* The version of the library, which meson.build defines. */
#include <spemu/version.h>

const char *spemu_version(void)
{
	return SPEMU_VERSION;
}
