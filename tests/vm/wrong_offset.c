/* SPDX-License-Identifier: MIT */
/*
 * In the plugin that test_offsets.py loads, between the plugin and its table of offsets: one offset is
 * wrong, or QEMU is of another version. SPEMU_WRONG_OFFSET: "MEMBER BYTES" or "version".
 */
#include <stdio.h>
#include <stdlib.h>

#include "qemu_series.h"

bool __real_qemu_series_select(bool system, unsigned major, unsigned minor);
bool __wrap_qemu_series_select(bool system, unsigned major, unsigned minor);

bool __wrap_qemu_series_select(bool system, unsigned major, unsigned minor)
{
	const char *wrong = getenv("SPEMU_WRONG_OFFSET");
	char name[64];
	int bytes;

	if (wrong && strcmp(wrong, "version") == 0)
		return __real_qemu_series_select(system, major, minor + 1);
	if (!__real_qemu_series_select(system, major, minor))
		return false;
	if (!wrong)
		return true;
	if (sscanf(wrong, "%63s %d", name, &bytes) != 2)
		abort();
	for (unsigned i = 0; i < QEMU_OFFSETS; i++)
		if (strcmp(qemu_offset_name((enum qemu_offset)i), name) == 0) {
			qemu_series.offset[i] += (size_t)bytes;
			return true;
		}
	abort();
}
