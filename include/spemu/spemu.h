/* SPDX-License-Identifier: MIT */
/*
 * The library spemu: the model. Each header that this one includes is the manual of one part.
 * <spemu/trace.h> does the same for the library spemu-trace: packets, records and perf.data files.
 *
 * Rules of both libraries:
 * - Arguments have one order: the object, outputs, arguments that are both input and output,
 *   inputs. The size of a buffer follows the buffer.
 * - Objects live in the caller's memory. The caller passes at least x_size() bytes, aligned as
 *   max_align_t, to x_init().
 * - If the first member of a struct is size, the caller sets it to the size of the struct. A
 *   smaller size means that the caller was built with an earlier version: the missing members count
 *   as 0. A larger size is refused with SPEMU_ERR_INVALID.
 * - Every other struct is closed: its size is constant as long as the soname is. Later versions
 *   replace reserved members, which the caller sets to 0, by new ones.
 * - A function that fails returns a negative enum spemu_status. Unless its comment says otherwise,
 *   it changes only its outputs.
 * - Every return sets the outputs. After an error they are 0 (false, NULL, an empty string), unless
 *   the comment of the function names another value. Buffers and arrays are filled up to the size
 *   or count that the function reports.
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
