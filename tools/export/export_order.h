/* SPDX-License-Identifier: MIT */
/* Samples by thread and time, in memory that does not grow with their number. */
#ifndef TOOLS_EXPORT_ORDER_H
#define TOOLS_EXPORT_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct ordered {
	uint64_t time, weight;
	uint32_t thread, stack;
};

/* All zero is empty. */
struct order {
	struct ordered *run; /* runs that are not in the file yet */
	size_t run_count;
	uint64_t file_count;
	int file; /* of runs in order, each of as many samples but the last */
};
void order_add(struct order *o, struct ordered sample);
/* After the last one: the file is one run. */
void order_sort(struct order *o);
void order_free(struct order *o);

/* Records read at once from a part of the file. */
enum { ORDER_READ = 256 };
struct order_reader {
	int file;
	uint64_t next, end; /* samples of the file that were not read */
	size_t at, count;
	struct ordered read[ORDER_READ];
};
/* Samples from..to - 1. */
void order_open(struct order_reader *r, const struct order *o, uint64_t from, uint64_t to);
/* The sample that order_pass() goes past; NULL: there is none. Until then it is valid. */
const struct ordered *order_look(struct order_reader *r);
void order_pass(struct order_reader *r);

#endif
