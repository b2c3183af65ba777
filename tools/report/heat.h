/* SPDX-License-Identifier: MIT */
/*
 * Accesses by time and address, in bounded memory: cells of as much time and as many bytes as are
 * needed for no more than HEAT_CELLS of them. They begin as small as they can be; when there are
 * too many, all become twice as large in one direction, and those that meet are added up.
 */
#ifndef TOOLS_REPORT_HEAT_H
#define TOOLS_REPORT_HEAT_H

#include "section.h"

enum {
	HEAT_CELLS = 16384,
	HEAT_TIMES = 512,       /* there are about so many times before addresses become coarse */
	HEAT_ADDRESS_SHIFT = 6, /* of the smallest cell: 64 bytes */
};

struct heat_cell {
	uint64_t time, address; /* of the cell: shifted */
	uint32_t input, pid;
	uint64_t samples, stores, timed, latency;
};

struct heat {
	struct map index;
	struct heat_cell *cells; /* index.count of them */
	size_t capacity;
	unsigned time_shift, address_shift;
	uint64_t without_time; /* accesses that are in no cell */
};

/* No table: the page alone shows it. */
extern const struct section section_heat;

#endif
