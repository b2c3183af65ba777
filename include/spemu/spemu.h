/* SPDX-License-Identifier: MIT */
/* All of libspemu. The headers that it includes are the manual of their parts. */
#ifndef SPEMU_SPEMU_H
#define SPEMU_SPEMU_H

#include <spemu/a64.h>
#include <spemu/api.h>
#include <spemu/choices.h>
#include <spemu/codec.h>
#include <spemu/diagnostic.h>
#include <spemu/explain.h>
#include <spemu/feature.h>
#include <spemu/inject.h>
#include <spemu/memory.h>
#include <spemu/mmu.h>
#include <spemu/op.h>
#include <spemu/packet.h>
#include <spemu/pe.h>
#include <spemu/perfdata.h>
#include <spemu/pmu.h>
#include <spemu/spu.h>
#include <spemu/status.h>
#include <spemu/strict.h>
#include <spemu/sysreg.h>
#include <spemu/uarch.h>
#include <spemu/version.h>

#endif
