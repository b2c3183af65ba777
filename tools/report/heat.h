/* SPDX-License-Identifier: MIT */
/*
 * Memory accesses by time and address, in bounded memory: at most HEAT_CELLS cells. A cell covers a
 * range of time and a range of addresses. The cells start as small as possible. When there are too
 * many, one of the two ranges doubles for all cells, and cells that coincide are added up.
 */
#ifndef TOOLS_REPORT_HEAT_H
#define TOOLS_REPORT_HEAT_H

#include "section.h"

enum {
	HEAT_CELLS = 16384,
	HEAT_TIMES = 512, /* number of times below which addresses become coarser, not times */
	HEAT_ADDRESS_SHIFT = 6, /* size of the smallest cell: 64 bytes */
};

struct heat_cell {
	uint64_t time, address; /* shifted right by time_shift and address_shift */
	uint32_t input, pid;
	uint64_t samples, stores, timed, latency;
};

struct heat {
	struct map index;
	struct heat_cell *cells; /* array of index.count cells */
	size_t capacity;
	unsigned time_shift, address_shift;
	uint64_t without_time; /* number of memory accesses without a time, which no cell counts */
};

/* A section without a table, for the heat map of the HTML page. */
extern const struct section section_heat;

#endif
