/* SPDX-License-Identifier: MIT */
/* The version of the library; meson.build says which it is. */
#include <spemu/version.h>

const char *spemu_version(void)
{
	return SPEMU_VERSION;
}
