/* SPDX-License-Identifier: MIT */
/*
 * The baseline of scripts/benches/bindings for Python and Rust: decode a file of SPE data in each
 * way that the library offers, and print nanoseconds of CPU time per record, the best of five.
 *
 *     bench_decode FILE
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <spemu/codec.h>

/* LEAST is the smallest record for which there is room, in bytes, as in bindings/python. */
enum { TIMES = 5, GROUP = 64, ROWS = 8192, LEAST = 24 };

static uint8_t *data;
static size_t size;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* Read the members that a loop over records needs. The sum keeps the compiler from removing the
 * loop. */
static uint64_t sum;

static size_t records(void)
{
	static struct spemu_record group[GROUP];
	struct spemu_shapes shapes = {{0}};
	struct spemu_decoder dec;
	size_t count, n = 0;
	int status;

	spemu_decoder_init(&dec, data, size, 0);
	do {
		status = spemu_decoder_records(&dec, &count, group, GROUP, &shapes);
		for (size_t i = 0; i < count; i++)
			sum += group[i].addr[SPEMU_ADDR_PC] + group[i].counter[SPEMU_COUNTER_TOTAL];
		n += count;
	} while (status == SPEMU_OK);
	return n;
}

static size_t batches(const struct spemu_columns *columns)
{
	struct spemu_decoder dec;
	size_t count, n = 0;
	int status;

	spemu_decoder_init(&dec, data, size, 0);
	do {
		status = spemu_decoder_batch(&dec, &count, columns);
		n += count;
	} while (status == SPEMU_OK);
	return n;
}

static uint64_t words[12][ROWS];
static uint32_t halves[3][ROWS];
static uint16_t shorts[9][ROWS];
static uint8_t bytes[2][ROWS];

static size_t four_columns(void)
{
	const struct spemu_columns columns = {
	        .capacity = ROWS,
	        .addr = {words[0], NULL, words[1]},
	        .events = words[2],
	        .counter = {shorts[0]},
	};

	return batches(&columns);
}

static size_t all_columns(void)
{
	struct spemu_columns columns = {
	        .capacity = ROWS,
	        .offset = words[8],
	        .events = words[9],
	        .timestamp = words[10],
	        .present = halves[0],
	        .context = {halves[1], halves[2]},
	        .data_source = shorts[8],
	        .op_class = bytes[0],
	        .op_subclass = bytes[1],
	};

	for (unsigned i = 0; i < 8; i++) {
		columns.addr[i] = words[i];
		columns.counter[i] = shorts[i];
	}
	return batches(&columns);
}

/* Decode all records into new arrays each time. The kernel, which provides the memory, takes most
 * of the time. */
static size_t whole(bool all)
{
	const size_t rows = size / LEAST + 1;
	struct spemu_columns columns = {.capacity = rows};
	struct spemu_decoder dec;
	size_t count;

	columns.events = malloc(rows * sizeof(*columns.events));
	for (unsigned i = 0; i < 8; i++) {
		if (all || i == SPEMU_ADDR_PC || i == SPEMU_ADDR_DATA_VA)
			columns.addr[i] = malloc(rows * sizeof(**columns.addr));
		if (all || i == SPEMU_COUNTER_TOTAL)
			columns.counter[i] = malloc(rows * sizeof(**columns.counter));
	}
	if (all) {
		columns.offset = malloc(rows * sizeof(*columns.offset));
		columns.present = malloc(rows * sizeof(*columns.present));
		columns.timestamp = malloc(rows * sizeof(*columns.timestamp));
		columns.context[0] = malloc(rows * sizeof(**columns.context));
		columns.context[1] = malloc(rows * sizeof(**columns.context));
		columns.data_source = malloc(rows * sizeof(*columns.data_source));
		columns.op_class = malloc(rows * sizeof(*columns.op_class));
		columns.op_subclass = malloc(rows * sizeof(*columns.op_subclass));
	}
	spemu_decoder_init(&dec, data, size, 0);
	if (spemu_decoder_batch(&dec, &count, &columns) == SPEMU_OK)
		exit(1); /* records of bench_codec are larger than those in the file */
	for (unsigned i = 0; i < 8; i++) {
		free(columns.addr[i]);
		free(columns.counter[i]);
	}
	free(columns.events);
	free(columns.offset);
	free(columns.present);
	free(columns.timestamp);
	free(columns.context[0]);
	free(columns.context[1]);
	free(columns.data_source);
	free(columns.op_class);
	free(columns.op_subclass);
	return count;
}

static size_t whole_four(void)
{
	return whole(false);
}

static size_t whole_all(void)
{
	return whole(true);
}

static void measure(const char *name, size_t (*work)(void))
{
	double best = 1e18;
	size_t n = 0;

	for (int i = 0; i < TIMES; i++) {
		double start = now(), took;

		n = work();
		took = now() - start;
		if (took < best)
			best = took;
	}
	if (n == 0) {
		fprintf(stderr, "bench_decode: no records\n");
		exit(1);
	}
	printf("%s %.3f\n", name, best / (double)n);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	long end;

	if (!file || fseek(file, 0, SEEK_END) || (end = ftell(file)) <= 0) {
		fprintf(stderr, "usage: bench_decode FILE\n");
		return 2;
	}
	rewind(file);
	size = (size_t)end;
	data = malloc(size);
	if (!data || fread(data, 1, size, file) != size)
		return 1;
	fclose(file);
	measure("records", records);
	measure("columns-4", four_columns);
	measure("columns-all", all_columns);
	measure("whole-4", whole_four);
	measure("whole-all", whole_all);
	return sum == 0;
}
