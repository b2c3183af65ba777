/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The series of qemu-system-aarch64 that the plugin knows. */
#ifndef SYSTEM_SERIES_H
#define SYSTEM_SERIES_H

#include "qemu_series.h"

/* Ends an error line about a QEMU without a row: names the versions to use instead. */
#define SYSTEM_SERIES_REMEDY                                                                 \
	"use qemu-system-aarch64 10.0 or 11.1, as in Debian 13 and the backports of Debian " \
	"12 and 13"

/* Set qemu_series to the row of a version. Returns false if it has none. */
bool system_series_select(unsigned major, unsigned minor);

/*
 * Return the version of the plugin interface that this version wants. Of a series that has no row
 * it is that of the one before it, so that QEMU loads the plugin, which can then say so.
 */
int system_series_interface(unsigned major, unsigned minor);

/* The member as QEMU's sources call it. */
const char *qemu_offset_name(enum qemu_offset member);

#endif
