/* SPDX-License-Identifier: MIT */
/* Latencies of the data sources. */
#ifndef SPEMU_SOURCE_CYCLES_H
#define SPEMU_SOURCE_CYCLES_H

#include "uarch.h"

/* Return the load-to-use cycles of a source. */
static inline uint32_t source_cycles(const struct uarch_profile *p, enum uarch_source source)
{
	uint32_t added = source & UARCH_SRC_REMOTE ? p->socket_cycles : 0;

	switch (source & ~(unsigned)UARCH_SRC_REMOTE) {
	case UARCH_SRC_L1:
		return p->l1d.cycles;
	case UARCH_SRC_L2:
		return p->l2.cycles;
	case UARCH_SRC_LLC:
		return p->llc.cycles + added;
	case UARCH_SRC_PEER:
		return p->peer_cycles + added;
	default:
		return p->dram_cycles + added;
	}
}

#endif
