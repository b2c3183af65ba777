/* SPDX-License-Identifier: MIT */
/*
 * See export_order.h. Runs of samples are sorted in memory and written to a temporary file. A heap
 * of one reader per run merges them into another file.
 */
#define _GNU_SOURCE
#include "export_order.h"
#include "../base/common.h"
#include "../base/temporary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN = 65536 };

static int compare(const struct ordered *a, const struct ordered *b)
{
	if (a->thread != b->thread)
		return compare_numbers(a->thread, b->thread);
	if (a->time != b->time)
		return compare_numbers(a->time, b->time);
	if (a->stack != b->stack)
		return compare_numbers(a->stack, b->stack);
	return compare_numbers(a->weight, b->weight);
}

static int compare_samples(const void *a, const void *b)
{
	return compare(a, b);
}

static void write_run(struct order *o)
{
	if (!write_all(o->file, o->run, o->run_count * sizeof(*o->run)))
		die(EXIT_OWN, "cannot write a temporary file: %s; name another folder with TMPDIR",
		    strerror(errno));
	o->file_count += o->run_count;
	o->run_count = 0;
}

static void begin_file(struct order *o)
{
	o->file = temporary_file();
	o->file_count = 0;
}

static void end_run(struct order *o)
{
	if (!o->file_count)
		begin_file(o);
	qsort(o->run, o->run_count, sizeof(*o->run), compare_samples);
	write_run(o);
}

void order_add(struct order *o, struct ordered sample)
{
	if (!o->run)
		o->run = xcalloc(RUN, sizeof(*o->run));
	o->run[o->run_count++] = sample;
	if (o->run_count == RUN)
		end_run(o);
}

/* ---- reading ---- */

void order_open(struct order_reader *r, const struct order *o, uint64_t from, uint64_t to)
{
	r->file = o->file;
	r->next = from;
	r->end = to;
	r->at = r->count = 0;
}

static void fill(struct order_reader *r)
{
	size_t count = r->end - r->next < ORDER_READ ? (size_t)(r->end - r->next) : ORDER_READ;
	char *to = (char *)r->read;
	off_t at = (off_t)(r->next * sizeof(*r->read));
	size_t left = count * sizeof(*r->read);

	while (left) {
		ssize_t n = pread(r->file, to, left, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die(EXIT_OWN, "cannot read a temporary file: %s", strerror(errno));
		to += n;
		at += n;
		left -= (size_t)n;
	}
	r->next += count;
	r->at = 0;
	r->count = count;
}

const struct ordered *order_look(struct order_reader *r)
{
	if (r->at == r->count && r->next < r->end)
		fill(r);
	return r->at < r->count ? &r->read[r->at] : NULL;
}

void order_pass(struct order_reader *r)
{
	r->at++;
}

/* ---- merging ---- */

/* Move the reader at heap[at] below all readers that precede it. */
static void sink(struct order_reader **heap, size_t count, size_t at)
{
	struct order_reader *reader;

	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count &&
		    compare(order_look(heap[child + 1]), order_look(heap[child])) < 0)
			child++;
		if (compare(order_look(heap[at]), order_look(heap[child])) <= 0)
			return;
		reader = heap[at];
		heap[at] = heap[child];
		heap[child] = reader;
	}
}

static void merge(struct order *o, struct order_reader **heap, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sink(heap, count, i);
	while (count) {
		o->run[o->run_count++] = *order_look(heap[0]);
		order_pass(heap[0]);
		if (!order_look(heap[0]))
			heap[0] = heap[--count];
		sink(heap, count, 0);
		if (o->run_count == RUN)
			write_run(o);
	}
	write_run(o);
}

void order_sort(struct order *o)
{
	struct order_reader *readers, **heap;
	uint64_t total;
	size_t runs;
	int file;

	if (o->run_count)
		end_run(o);
	total = o->file_count;
	file = o->file;
	runs = (size_t)((total + RUN - 1) / RUN);
	if (runs < 2)
		return;
	readers = xcalloc(runs, sizeof(*readers));
	heap = xcalloc(runs, sizeof(struct order_reader *));
	for (size_t i = 0; i < runs; i++) {
		heap[i] = &readers[i];
		order_open(heap[i], o, (uint64_t)i * RUN,
		           i + 1 < runs ? (uint64_t)(i + 1) * RUN : total);
	}
	begin_file(o);
	merge(o, heap, runs);
	close(file);
	free(readers);
	free(heap);
}

void order_free(struct order *o)
{
	if (o->file_count)
		close(o->file);
	free(o->run);
}
