/* SPDX-License-Identifier: MIT */
/*
 * The library spemu-trace: packets, records and perf.data files, without the model. Each header
 * that this one includes is the manual of one part. <spemu/spemu.h> has the rules of the interface.
 */
#ifndef SPEMU_TRACE_H
#define SPEMU_TRACE_H

#include <spemu/api.h>
#include <spemu/codec.h>
#include <spemu/packet.h>
#include <spemu/perfdata.h>
#include <spemu/record.h>
#include <spemu/status.h>
#include <spemu/version.h>

#endif
