/* SPDX-License-Identifier: MIT */
/*
 * Measure the speed of encoding and decoding: 64-byte records of loads, stores, branches and other
 * operations, in the layout of Neoverse N1. The buffer is larger than the caches, and memcpy() of
 * it is the comparison. A second benchmark encodes a single load, as the model does, into a buffer
 * that stays in the caches. Times are the best of several rounds on one thread.
 *
 *     bench_codec [MEBIBYTES]                 default 64
 *     bench_codec --write FILE [MEBIBYTES]    a perf.data of such records, to compare dumps of
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spemu/codec.h>
#include <spemu/perfdata.h>
#include "recording.h"

enum { ROUNDS = 7 };

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static uint64_t random_next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void random_record(struct spemu_record *rec, uint64_t *seed)
{
	uint64_t r = random_next(seed);

	memset(rec, 0, sizeof(*rec));
	rec->present = SPEMU_RECORD_ADDR(SPEMU_ADDR_PC) | SPEMU_RECORD_CONTEXT(1) |
	               SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_EVENTS |
	               SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL) |
	               SPEMU_RECORD_COUNTER(SPEMU_COUNTER_ISSUE) | SPEMU_RECORD_TIMESTAMP;
	rec->addr[SPEMU_ADDR_PC] = UINT64_C(0x80) << 56 | (r >> 16 & 0xfffffffffffc);
	rec->events = 0x02;
	rec->events_size = 2;
	rec->counter[SPEMU_COUNTER_ISSUE] = r & 0xff;
	rec->counter[SPEMU_COUNTER_TOTAL] = r & 0x3ff;
	rec->context[1] = 4242;
	rec->timestamp = r >> 8;
	switch (r % 5) {
	case 0:
	case 1: /* load, store */
		rec->op_class = 1;
		rec->op_subclass = (uint8_t)(r % 5);
		rec->events = 0x16;
		rec->present |= SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA) |
		                SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA) |
		                SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TRANSLATION);
		rec->addr[SPEMU_ADDR_DATA_VA] = r >> 12;
		rec->addr[SPEMU_ADDR_DATA_PA] = UINT64_C(0x80) << 56 | r >> 20;
		if (rec->op_subclass)
			break;
		rec->present |= SPEMU_RECORD_DATA_SOURCE;
		rec->data_source_size = 1;
		break;
	case 2:
		rec->op_class = 2;
		rec->op_subclass = 1;
		rec->present |= SPEMU_RECORD_ADDR(SPEMU_ADDR_BRANCH_TARGET);
		rec->addr[SPEMU_ADDR_BRANCH_TARGET] = rec->addr[SPEMU_ADDR_PC] + 64;
		break;
	default:
		break;
	}
}

static uint64_t decode_records(const uint8_t *buf, size_t size)
{
	struct spemu_decoder dec;
	struct spemu_record rec;
	uint64_t sum = 0, n = 0;

	spemu_decoder_init(&dec, buf, size, 0);
	while (spemu_decoder_next(&dec, &rec) == SPEMU_OK) {
		sum += rec.timestamp ^ rec.addr[SPEMU_ADDR_PC];
		n++;
	}
	/* The sum keeps the compiler from removing the loop. */
	if (n != size / 64 || sum == 0) {
		fprintf(stderr, "bench_codec: decoded %" PRIu64 " of %zu records\n", n, size / 64);
		exit(1);
	}
	return n;
}

static uint64_t decode_arrays(const uint8_t *buf, size_t size)
{
	enum { ROWS = 64 };
	static struct spemu_record records[ROWS];
	struct spemu_shapes shapes = {{0}};
	struct spemu_decoder dec;
	uint64_t sum = 0, n = 0;
	size_t count;
	int status;

	spemu_decoder_init(&dec, buf, size, 0);
	do {
		status = spemu_decoder_records(&dec, &count, records, ROWS, &shapes);
		for (size_t i = 0; i < count; i++)
			sum += records[i].timestamp ^ records[i].addr[SPEMU_ADDR_PC];
		n += count;
	} while (status == SPEMU_OK);
	if (n != size / 64 || sum == 0)
		exit(1);
	return n;
}

/* Decode the columns that an analysis of loads needs. */
static uint64_t decode_columns(const uint8_t *buf, size_t size)
{
	enum { ROWS = 1024 };
	static uint64_t pc[ROWS], va[ROWS], events[ROWS];
	static uint16_t total[ROWS];
	const struct spemu_columns columns = {
	        .capacity = ROWS,
	        .addr = {pc, NULL, va},
	        .events = events,
	        .counter = {total},
	};
	struct spemu_decoder dec;
	uint64_t n = 0, sum = 0;
	size_t count;
	int status;

	spemu_decoder_init(&dec, buf, size, 0);
	do {
		status = spemu_decoder_batch(&dec, &count, &columns);
		n += count;
		sum += count ? pc[count - 1] : 0;
	} while (status == SPEMU_OK);
	if (n != size / 64 || sum == 0)
		exit(1);
	return n;
}

static uint64_t decode_packets(const uint8_t *buf, size_t size)
{
	struct spemu_decoder dec;
	struct spemu_packet pkt;
	uint64_t sum = 0, n = 0;

	spemu_decoder_init(&dec, buf, size, 0);
	while (spemu_decoder_next_packet(&dec, &pkt) > 0) {
		sum += pkt.payload;
		n++;
	}
	if (dec.pos != dec.end || sum == 0)
		exit(1);
	return n;
}

/* The records that encode_records() writes in turn. There are too many for a branch predictor to
 * learn their order. */
enum { SHAPES = 1 << 14 };
static struct spemu_record shapes[SHAPES];

static uint64_t encode_records(uint8_t *buf, size_t size, const struct spemu_layout *layout)
{
	uint64_t n = 0;
	size_t at = 0;

	while (size - at >= 64) {
		int wrote = spemu_record_encode(buf + at, size - at, &shapes[n++ % SHAPES], layout);

		if (wrote <= 0)
			exit(1);
		at += (size_t)wrote;
	}
	return n;
}

/* Encode a load with every member that Neoverse N1 records. Return the nanoseconds of a record. */
static double encode_load_ns(const struct spemu_layout *layout)
{
	enum { TIMES = 1 << 20 };
	/* Keep the record and the bytes at a fixed distance. With equal address bits [11:0], loads
	 * would wait for stores. */
	static struct {
		struct spemu_record rec;
		uint8_t bytes[SPEMU_RECORD_MAX];
	} m;
	double best = 1e9;

	for (unsigned i = 0; i < SHAPES; i++) {
		m.rec = shapes[i];
		if (m.rec.present & SPEMU_RECORD_DATA_SOURCE)
			break;
	}
	for (int i = 0; i < ROUNDS; i++) {
		double start = now(), took;

		for (unsigned k = 0; k < TIMES; k++) {
			m.rec.addr[SPEMU_ADDR_PC] += 4;
			if (spemu_record_encode(m.bytes, sizeof(m.bytes), &m.rec, layout) <= 0)
				exit(1);
		}
		took = (now() - start) / (double)TIMES * 1e9;
		if (took < best)
			best = took;
	}
	return best;
}

static void bench_encode(uint8_t *buf, size_t size, const char *name,
                         const struct spemu_layout *layout)
{
	double best = 1e9;
	uint64_t n = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now(), took;

		n = encode_records(buf, size, layout);
		took = now() - start;
		if (took < best)
			best = took;
	}
	printf("spemu_record_encode      %8.2f M records/s, %6.1f ns each; a load %6.1f ns (%s)\n",
	       (double)n / best * 1e-6, best / (double)n * 1e9, encode_load_ns(layout), name);
}

static double best_of(uint64_t (*work)(const uint8_t *, size_t), const uint8_t *buf, size_t size,
                      uint64_t *items)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now(), took;

		*items = work(buf, size);
		took = now() - start;
		if (took < best)
			best = took;
	}
	return best;
}

static double best_memcpy(uint8_t *to, const uint8_t *from, size_t size)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now(), took;

		memcpy(to, from, size);
		/* Use the copy in a way that the compiler does not see, so that it keeps the
		 * copy. */
		if (memcmp(to + size - 64, from + size - 64, 64) != 0)
			exit(1);
		took = now() - start;
		if (took < best)
			best = took;
	}
	return best;
}

static int write_recording(const char *file, const uint8_t *bytes, size_t size)
{
	static const char *const argv[] = {"bench_codec", NULL};
	const struct recording_about about = {.argv = argv, .version = "bench", .osrelease = "6.1"};
	struct recording_params params = {.period = 4096, .counter_hz = 1000000000};
	static struct recording rec;
	size_t piece = 1 << 20;
	int status = recording_create(&rec, file, &params, &about);

	if (status == SPEMU_OK)
		status = (int)recording_lane_get(&rec);
	for (size_t at = 0; at < size && status >= 0; at += piece) {
		struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1000 + at};

		status = recording_append_aux(&rec, &who, bytes + at, piece, 0);
	}
	if (status >= 0)
		status = recording_finish(&rec, NULL);
	if (status < 0)
		fprintf(stderr, "bench_codec: %s: %s\n", file, spemu_strerror(status));
	return status < 0;
}

int main(int argc, char **argv)
{
	const char *file = argc > 2 && !strcmp(argv[1], "--write") ? argv[2] : NULL;
	const char *number = file ? (argc > 3 ? argv[3] : NULL) : argc > 1 ? argv[1] : NULL;
	size_t mebibytes = number ? strtoul(number, NULL, 10) : 64;
	size_t size = mebibytes << 20;
	uint8_t *buf, *copy;
	uint64_t seed = 88172645463325252u, n;
	struct spemu_record rec;
	double took;

	if (mebibytes < 1 || mebibytes > 4096) {
		fprintf(stderr, "usage: bench_codec [--write FILE] [MEBIBYTES]  (1 to 4096)\n");
		return 2;
	}
	buf = malloc(size);
	copy = malloc(size);
	if (!buf || !copy) {
		fprintf(stderr, "bench_codec: out of memory\n");
		return 1;
	}
	for (unsigned i = 0; i < SHAPES; i++)
		random_record(&shapes[i], &seed);
	if (!file) {
		bench_encode(copy, size, "dense", &spemu_layout_dense);
		bench_encode(copy, size, "neoverse", &spemu_layout_neoverse);
	}
	for (size_t at = 0; at < size; at += 64) {
		random_record(&rec, &seed);
		if (spemu_record_encode(buf + at, 64, &rec, &spemu_layout_neoverse) != 64)
			return 1;
	}
	if (file)
		return write_recording(file, buf, size);
	memset(copy, 0, size);
	took = best_memcpy(copy, buf, size);
	printf("memcpy                   %28s %6.2f GB/s\n", "", (double)size / took * 1e-9);
	took = best_of(decode_records, buf, size, &n);
	printf("spemu_decoder_next       %8.2f M records/s %10s %6.2f GB/s\n",
	       (double)n / took * 1e-6, "", (double)size / took * 1e-9);
	took = best_of(decode_arrays, buf, size, &n);
	printf("spemu_decoder_records    %8.2f M records/s %10s %6.2f GB/s\n",
	       (double)n / took * 1e-6, "", (double)size / took * 1e-9);
	took = best_of(decode_columns, buf, size, &n);
	printf("spemu_decoder_batch      %8.2f M records/s %10s %6.2f GB/s\n",
	       (double)n / took * 1e-6, "", (double)size / took * 1e-9);
	took = best_of(decode_packets, buf, size, &n);
	printf("spemu_decoder_next_packet%8.2f M packets/s %10s %6.2f GB/s\n",
	       (double)n / took * 1e-6, "", (double)size / took * 1e-9);
	free(copy);
	free(buf);
	return 0;
}
