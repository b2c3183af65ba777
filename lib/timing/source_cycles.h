/* SPDX-License-Identifier: MIT */
/* The time that data take from each source. */
#ifndef SPEMU_SOURCE_CYCLES_H
#define SPEMU_SOURCE_CYCLES_H

#include "uarch.h"

static inline uint32_t remote_cycles(const struct uarch_profile *p, enum uarch_source source)
{
	uint32_t cycles = p->dram_cycles;

	if (source == (UARCH_SRC_REMOTE | UARCH_SRC_LLC))
		cycles = p->llc.cycles;
	else if (source == (UARCH_SRC_REMOTE | UARCH_SRC_PEER))
		cycles = p->peer_cycles;
	return cycles + p->socket_cycles;
}

/* Return the load-to-use cycles of a source. */
static inline uint32_t source_cycles(const struct uarch_profile *p, enum uarch_source source)
{
	switch ((unsigned)source) {
	case UARCH_SRC_L1:
		return p->l1d.cycles;
	case UARCH_SRC_L2:
		return p->l2.cycles;
	case UARCH_SRC_LLC:
		return p->llc.cycles;
	case UARCH_SRC_PEER:
		return p->peer_cycles;
	case UARCH_SRC_DRAM:
		return p->dram_cycles;
	default:
		return remote_cycles(p, source);
	}
}

#endif
