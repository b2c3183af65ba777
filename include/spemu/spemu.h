/* SPDX-License-Identifier: MIT */
/*
 * The library spemu: the model. The headers that this one includes are the manual of its parts.
 * <spemu/trace.h> is the library spemu-trace: packets, records and perf.data files.
 *
 * Rules of both libraries:
 * - Arguments come in one order: the object, outputs, in-outs, inputs; a buffer is followed by its
 *   size.
 * - Objects live in memory of the caller, who passes x_size() bytes, aligned as max_align_t, to
 *   x_init().
 * - If the first member of a struct is size, the caller sets it to the size of the struct. A
 *   smaller struct comes from a caller that was built with an earlier version: its missing last
 *   members are 0. A larger one is refused (SPEMU_ERR_INVALID). Every other struct is closed: its
 *   size is constant as long as the soname is, and additions replace reserved members, which are 0.
 * - A function that fails returns a negative enum spemu_status. Unless it says otherwise, it
 *   changes only its outputs.
 * - Every return sets the outputs. After an error they are 0 (false, NULL, an empty string), unless
 *   the function names another value. A buffer or an array is filled up to a size or a count.
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
