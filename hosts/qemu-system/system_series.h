/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The series of qemu-system-aarch64 that the plugin knows. */
#ifndef SYSTEM_SERIES_H
#define SYSTEM_SERIES_H

#include "qemu_series.h"

/* The remedy in an error about a QEMU without a row: the versions to use instead. */
#define SYSTEM_SERIES_REMEDY                                                                 \
	"use qemu-system-aarch64 10.0 or 11.1, as in Debian 13 and the backports of Debian " \
	"12 and 13"

/* Set qemu_series to the row of a version. Return false if there is no row. */
bool system_series_select(unsigned major, unsigned minor);

/*
 * Return the version of the plugin interface that this version of QEMU requires. For a series
 * without a row, return the version of the row before it, so that QEMU loads the plugin, which then
 * reports the error.
 */
int system_series_interface(unsigned major, unsigned minor);

/* Return the member's name in QEMU's sources. */
const char *qemu_offset_name(enum qemu_offset member);

#endif
