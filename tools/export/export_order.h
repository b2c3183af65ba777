/* SPDX-License-Identifier: MIT */
/* Samples sorted by thread and time, in memory of a fixed size. */
#ifndef TOOLS_EXPORT_ORDER_H
#define TOOLS_EXPORT_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct ordered {
	uint64_t time, weight;
	uint32_t thread, stack;
};

/* A zeroed struct is empty. */
struct order {
	struct ordered *run; /* samples of the current run, which is not in the file yet */
	size_t run_count;
	uint64_t file_count;
	int file; /* file of sorted runs of equal length, except for the last one */
};
void order_add(struct order *o, struct ordered sample);
/* Sort all samples. Call this after the last sample; the file is then one run. */
void order_sort(struct order *o);
void order_free(struct order *o);

/* Samples that are read at once. */
enum { ORDER_READ = 256 };
struct order_reader {
	int file;
	uint64_t next, end; /* samples in the file that have not been read */
	size_t at, count;
	struct ordered read[ORDER_READ];
};
/* Start to read the samples from `from` to `to` - 1. */
void order_open(struct order_reader *r, const struct order *o, uint64_t from, uint64_t to);
/* Return the next sample, or NULL at the end. It is valid until order_pass(), which skips it. */
const struct ordered *order_look(struct order_reader *r);
void order_pass(struct order_reader *r);

#endif
