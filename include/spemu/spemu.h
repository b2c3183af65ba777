/* SPDX-License-Identifier: MIT */
/*
 * The library spemu: the model. The headers that this one includes are the manual of its parts.
 * <spemu/trace.h> is the library spemu-trace: packets, records and perf.data files.
 *
 * Rules of both libraries:
 * - Arguments come in one order: the object, outputs, in-outs, inputs; a buffer is followed by its
 *   size.
 * - Objects live in memory that the caller gives: x_size() bytes, aligned as max_align_t, to
 *   x_init().
 * - A struct that a caller fills and whose first member is size carries its size: a smaller one, of
 *   a caller that was built against an earlier version, lacks the last members, and they are 0; a
 *   larger one is refused (SPEMU_ERR_INVALID). Every other struct is closed: it keeps its size as
 *   long as the library keeps its soname, and what a later version adds takes the place of reserved
 *   members, which are 0.
 * - A function that fails returns a negative enum spemu_status. It changes nothing but its outputs,
 *   where nothing else is said.
 * - An output is filled on every return. After an error it is 0 (false, NULL, an empty string),
 *   where its function does not name another value. A buffer or an array is filled as far as a size
 *   or a count says.
 */
#ifndef SPEMU_SPEMU_H
#define SPEMU_SPEMU_H

#include <spemu/api.h>
#include <spemu/choices.h>
#include <spemu/diagnostic.h>
#include <spemu/explain.h>
#include <spemu/feature.h>
#include <spemu/inject.h>
#include <spemu/memory.h>
#include <spemu/mmu.h>
#include <spemu/op.h>
#include <spemu/packet.h>
#include <spemu/pe.h>
#include <spemu/pmu.h>
#include <spemu/record.h>
#include <spemu/spu.h>
#include <spemu/status.h>
#include <spemu/strict.h>
#include <spemu/sysreg.h>
#include <spemu/version.h>

#endif
