/* SPDX-License-Identifier: MIT */
/*
 * Memory accesses by time and address, in bounded memory. A cell covers as much time and as many
 * bytes as needed for at most HEAT_CELLS cells. The cells start as small as possible. When there
 * are too many, all double in one direction, and those that coincide are added up.
 */
#ifndef TOOLS_REPORT_HEAT_H
#define TOOLS_REPORT_HEAT_H

#include "section.h"

enum {
	HEAT_CELLS = 16384,
	HEAT_TIMES = 512,       /* about the number of times at which addresses become coarser */
	HEAT_ADDRESS_SHIFT = 6, /* the smallest cell has 64 bytes */
};

struct heat_cell {
	uint64_t time, address; /* shifted right */
	uint32_t input, pid;
	uint64_t samples, stores, timed, latency;
};

struct heat {
	struct map index;
	struct heat_cell *cells; /* index.count of them */
	size_t capacity;
	unsigned time_shift, address_shift;
	uint64_t without_time; /* memory accesses without a time, which are in no cell */
};

/* The section has no table. Only the page shows it. */
extern const struct section section_heat;

#endif
