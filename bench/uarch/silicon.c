/* SPDX-License-Identifier: MIT */
/*
 * The programs of arch/silicon.tsv, for scripts/benches/silicon: one function for each published
 * measurement, after its description. The samples of the function show what the timing model says
 * about it.
 *
 *   silicon PATTERN SIZE COUNT [huge]
 *
 * SIZE is in bytes, pages or branches, as the pattern says. COUNT is the number of operations that
 * the published number is about. A run with a COUNT of 0 does all else, so the difference of two
 * runs leaves out start-up.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE 64ul
#define KB 1024ul
#define MB (1024ul * KB)
#define PAGE 4096ul
#define PATTERN static __attribute__((noinline)) uint64_t

/* A pattern uses at most 1 GB. Memory that was never written reads as 0, so an address can depend
 * on a loaded value without a prepared list. */
#define AREA (1024 * MB)
static char *memory;

/* Read each line once, so that the caches are warm. */
PATTERN warm_up(uint64_t size)
{
	uint64_t sum = 0;

	for (uint64_t at = 0; at < size; at += LINE)
		sum += *(volatile uint64_t *)(memory + at);
	return sum;
}

/* Load one of the lines of size bytes, a power of two, in the order of a full-period generator. The
 * next address depends on the loaded value. lmbench, ASCT's latency-sweep, ramlat and
 * tinymembench's latency test do the same in their own orders. */
PATTERN chase(uint64_t size, uint64_t count)
{
	uint64_t lines = size / LINE, at = 0;

	for (uint64_t i = 0; i < count; i++) {
		at = (at * 1664525 + 1013904223) & (lines - 1);
		at += *(volatile uint64_t *)(memory + at * LINE);
	}
	return at;
}

PATTERN start_chase(uint64_t size, uint64_t count)
{
	return (size <= 32 * MB ? warm_up(size) : 0) + chase(size, count);
}

/* Walk through size bytes in steps of seven lines. Each step is the value of the byte that it
 * begins at, as in DynamoRIO's stride benchmark. `ahead` is the distance of software prefetches in
 * steps, or 0. */
PATTERN stride(uint64_t size, uint64_t count)
{
	const unsigned char *bytes = (unsigned char *)memory;
	uint64_t at = 0;

	for (uint64_t i = 0; i < count; i++)
		at = (at + ((uint64_t)bytes[at] << 6)) & (size - 1);
	return at;
}

PATTERN stride_prefetched(uint64_t size, uint64_t count)
{
	const unsigned char *bytes = (unsigned char *)memory;
	uint64_t at = 0;

	for (uint64_t i = 0; i < count; i++) {
		__builtin_prefetch(&bytes[at + 100 * 7 * LINE], 0, 0);
		at = (at + ((uint64_t)bytes[at] << 6)) & (size - 1);
	}
	return at;
}

PATTERN start_stride(uint64_t size, uint64_t count)
{
	memset(memory, 7, size);
	return stride(size, count);
}

PATTERN start_stride_prefetched(uint64_t size, uint64_t count)
{
	memset(memory, 7, size);
	return stride_prefetched(size, count);
}

/* Read, write or copy 16 bytes, count times, in order through size bytes and again. An iteration of
 * the loop moves a line, as in unrolled code. */
PATTERN stream_read(uint64_t size, uint64_t count)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < count; i += 4) {
		__asm__ volatile("ldp q0, q1, [%0]\n\tldp q2, q3, [%0, #32]" ::"r"(memory + at)
		                 : "v0", "v1", "v2", "v3", "memory");
		at = at + LINE == size ? 0 : at + LINE;
	}
	return at;
}

PATTERN stream_write(uint64_t size, uint64_t count)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < count; i += 4) {
		__asm__ volatile("stp q0, q1, [%0]\n\tstp q2, q3, [%0, #32]" ::"r"(memory + at)
		                 : "memory");
		at = at + LINE == size ? 0 : at + LINE;
	}
	return at;
}

PATTERN stream_copy(uint64_t size, uint64_t count)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < count; i += 4) {
		__asm__ volatile("ldp q0, q1, [%0]\n\tldp q2, q3, [%0, #32]\n\t"
		                 "stp q0, q1, [%1]\n\tstp q2, q3, [%1, #32]" ::"r"(memory + at),
		                 "r"(memory + size + at)
		                 : "v0", "v1", "v2", "v3", "memory");
		at = at + LINE == size ? 0 : at + LINE;
	}
	return at;
}

PATTERN start_stream_read(uint64_t size, uint64_t count)
{
	return (size <= 32 * MB ? warm_up(size) : 0) + stream_read(size, count);
}

/* Read one line in each of `pages` pages in turn. Each address depends on the value before. */
PATTERN pages(uint64_t pages, uint64_t count)
{
	uint64_t page = 0;

	for (uint64_t i = 0; i < count; i++) {
		page = page + 1 == pages ? 0 : page + 1;
		page += *(volatile uint64_t *)(memory + page * (PAGE + LINE));
	}
	return page;
}

/* Store 8 bytes and load 8 bytes from `offset` bytes behind the same address. */
PATTERN forward(uint64_t offset, uint64_t count)
{
	uint64_t value = 0;

	for (uint64_t i = 0; i < count; i++) {
		*(volatile uint64_t *)memory = value;
		value += *(volatile uint64_t *)(memory + offset);
	}
	return value;
}

/* Divide a number in memory again and again. */
PATTERN divide(uint64_t offset, uint64_t count)
{
	volatile double *number = (double *)(memory + offset);

	*number = 1.23456789;
	for (uint64_t i = 0; i < count; i++)
		*number /= 1.00000001;
	return *number > 1;
}

static struct {
	_Alignas(LINE) volatile uint64_t turn;
	pthread_barrier_t both;
	uint64_t count;
} table;

/* Let two threads pass the turn to each other through one line. */
static __attribute__((noinline)) void *ping(void *number)
{
	uint64_t mine = (uintptr_t)number;

	pthread_barrier_wait(&table.both);
	for (uint64_t i = 0; i < table.count; i++) {
		while (table.turn != mine)
			;
		table.turn = !mine;
	}
	return NULL;
}

PATTERN start_ping(uint64_t size, uint64_t count)
{
	pthread_t other;

	table.count = count;
	pthread_barrier_init(&table.both, NULL, 2);
	if (pthread_create(&other, NULL, ping, (void *)1))
		exit(1);
	ping(NULL);
	pthread_join(other, NULL);
	return size;
}

/* Execute 512 different branches on bytes that are 0 or 1 at random. Each branch repeats its
 * outcomes after `period` rounds, or never if period is 0. */
#define BRANCHES 512ul
PATTERN branches(const unsigned char *taken)
{
	uint64_t sum = 0;

	__asm__ volatile(".rept 512\n\t"
	                 "ldrb w9, [%1], #1\n\t"
	                 "cbz w9, 1f\n\t"
	                 "add %0, %0, #1\n"
	                 "1:\n\t"
	                 ".endr"
	                 : "+r"(sum), "+r"(taken)
	                 :
	                 : "w9", "memory");
	return sum;
}

PATTERN start_branches(uint64_t period, uint64_t count)
{
	uint64_t state = 88172645463325252u, sum = 0, rounds = count / BRANCHES;
	uint64_t made = period ? period : rounds;
	unsigned char *taken = malloc(made * BRANCHES + 1);

	for (uint64_t i = 0; taken && i < made * BRANCHES; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		taken[i] = state >> 40 & 1;
	}
	for (uint64_t i = 0; taken && i < rounds; i++)
		sum += branches(taken + i % made * BRANCHES);
	free(taken);
	return sum;
}

/* Sort random numbers by swaps of neighbors, with at most count comparisons. Five functions swap in
 * turn, so that each swap is an indirect call, as in Arm's example for BOLT. */
#define SWAP(name)                                                 \
	static __attribute__((noinline)) void name(int *a, int *b) \
	{                                                          \
		int value = *a;                                    \
                                                                   \
		*a = *b;                                           \
		*b = value;                                        \
	}
SWAP(swap_0)
SWAP(swap_1)
SWAP(swap_2)
SWAP(swap_3)
SWAP(swap_4)
static void (*volatile const swaps[])(int *a, int *b) = {swap_0, swap_1, swap_2, swap_3, swap_4};

PATTERN bubble(uint64_t size, uint64_t count)
{
	int *numbers = (int *)memory;
	uint64_t state = 88172645463325252u, compared = 0;
	unsigned next = 0;
	bool swapped = true;

	for (uint64_t i = 0; i < size; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		numbers[i] = state >> 33;
	}
	for (uint64_t end = size - 1; swapped && end && compared < count; end--) {
		swapped = false;
		for (uint64_t i = 1; i <= end; i++, compared++) {
			if (numbers[i] >= numbers[i - 1])
				continue;
			swaps[next](&numbers[i - 1], &numbers[i]);
			next = next == 4 ? 0 : next + 1;
			swapped = true;
		}
	}
	return compared;
}

static const struct {
	const char *name;
	uint64_t (*run)(uint64_t size, uint64_t count);
} patterns[] = {
        {"chase", start_chase},
        {"stride", start_stride},
        {"stride_prefetched", start_stride_prefetched},
        {"stream_read", start_stream_read},
        {"stream_write", stream_write},
        {"stream_copy", stream_copy},
        {"pages", pages},
        {"forward", forward},
        {"divide", divide},
        {"ping", start_ping},
        {"branches", start_branches},
        {"bubble", bubble},
};

static volatile uint64_t result; /* keeps the compiler from removing the pattern */

int main(int argc, char **argv)
{
	bool huge = argc == 5 && strcmp(argv[4], "huge") == 0;

	memory = mmap(NULL, AREA + 2 * MB, PROT_READ | PROT_WRITE,
	              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED || (huge && madvise(memory, AREA + 2 * MB, MADV_HUGEPAGE))) {
		perror("silicon");
		return 1;
	}
	memory = (char *)(((uintptr_t)memory + 2 * MB - 1) / (2 * MB) * (2 * MB));
	for (size_t i = 0; argc > 3 && i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if (strcmp(argv[1], patterns[i].name) == 0) {
			result = patterns[i].run(strtoull(argv[2], NULL, 0),
			                         strtoull(argv[3], NULL, 0));
			return 0;
		}
	}
	fprintf(stderr, "usage: silicon PATTERN SIZE COUNT [huge]\n");
	return 2;
}
