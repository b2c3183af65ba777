/* SPDX-License-Identifier: MIT */
/*
 * Access patterns whose cost is known on real machines, one function each, for
 * scripts/benches/calibrate. A recording of the function shows the cost of the pattern in the
 * timing model. Memory is not written before it is read. So all loaded values are 0, and an address
 * can depend on a load without a prepared list.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE 64
#define KB 1024ul
#define MB (1024ul * KB)
#define PAGE 4096ul
#define PATTERN static __attribute__((noinline)) uint64_t

static char *memory, *huge;

/* Load each line once, in the order of a full-period generator. Each address depends on the
 * previous load. */
#define CHASE(name, bytes, loads)                                         \
	PATTERN name(void)                                                \
	{                                                                 \
		uint64_t lines = (bytes) / LINE, at = 0;                  \
                                                                          \
		for (uint64_t i = 0; i < (loads); i++) {                  \
			at = (at * 1664525 + 1013904223) % lines;         \
			at += *(volatile uint64_t *)(memory + at * LINE); \
		}                                                         \
		return at;                                                \
	}
CHASE(chase_l1, 32 * KB, 100000)
CHASE(chase_l2, 256 * KB, 100000)
CHASE(chase_llc, 4 * MB, 100000)
CHASE(chase_dram, 512 * MB, 50000)

/* Warm the caches before a chase. */
PATTERN warm_up(uint64_t bytes)
{
	uint64_t sum = 0;

	for (uint64_t at = 0; at < bytes; at += LINE)
		sum += *(volatile uint64_t *)(memory + at);
	return sum;
}

/* Load 8 bytes each time: in sequence, from each line, from every fourth line, or from every
 * page. */
#define STREAM(name, stride, loads)                                           \
	PATTERN name(void)                                                    \
	{                                                                     \
		uint64_t sum = 0;                                             \
                                                                              \
		for (uint64_t i = 0; i < (loads); i++)                        \
			sum += *(volatile uint64_t *)(memory + i * (stride)); \
		return sum;                                                   \
	}
STREAM(stream, 8, 200000)
STREAM(stride_line, 64, 100000)
STREAM(stride_256, 256, 100000)
STREAM(stride_page, 4096 + 64, 50000)

/* Read one line in each of `pages` pages in turn. */
#define PAGES(name, pages)                                                                   \
	PATTERN name(void)                                                                   \
	{                                                                                    \
		uint64_t sum = 0;                                                            \
                                                                                             \
		for (uint64_t i = 0; i < 100000; i++)                                        \
			sum += *(volatile uint64_t *)(memory + i % (pages) * (PAGE + LINE)); \
		return sum;                                                                  \
	}
PAGES(pages_32, 32)
PAGES(pages_512, 512)
PAGES(pages_8192, 8192)

/* Repeat the patterns in memory with huge pages, under other names. */
#define HUGE_PAGES(name, pages)                                                            \
	PATTERN name(void)                                                                 \
	{                                                                                  \
		uint64_t sum = 0;                                                          \
                                                                                           \
		for (uint64_t i = 0; i < 100000; i++)                                      \
			sum += *(volatile uint64_t *)(huge + i % (pages) * (PAGE + LINE)); \
		return sum;                                                                \
	}
HUGE_PAGES(huge_8192, 8192)

/* Read one line in each of `pages` huge pages in turn. */
#define HUGE_REACH(name, pages)                                                              \
	PATTERN name(void)                                                                   \
	{                                                                                    \
		uint64_t sum = 0;                                                            \
                                                                                             \
		for (uint64_t i = 0; i < 100000; i++)                                        \
			sum += *(volatile uint64_t *)(huge + i % (pages) * (2 * MB + LINE)); \
		return sum;                                                                  \
	}
HUGE_REACH(huge_reach_32, 32)
HUGE_REACH(huge_reach_512, 512)
HUGE_REACH(huge_reach_4096, 4096)

/* Memory for stores. It is separate from the memory of the loads, whose values stay 0. */
#define STORES (memory + 512 * MB)

/* Write to more lines than the store buffer holds, as fast as possible. Then load stored data. */
PATTERN store_burst(void)
{
	for (uint64_t i = 0; i < 100000; i++)
		*(volatile uint64_t *)(STORES + i * 2654435761u % MB * LINE) = i;
	return 0;
}

PATTERN store_and_load(void)
{
	volatile uint64_t *at = (volatile uint64_t *)STORES;

	for (uint64_t i = 0; i < 100000; i++)
		at[i % 8] = at[i % 8] + 1;
	return at[0];
}

/* Branch regularly in a loop of eight rounds, and then on values that no predictor can learn. */
PATTERN branches_regular(void)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 25000; i++) {
		for (uint64_t k = 0; k < 8; k++)
			__asm__ volatile("add %0, %0, %1" : "+r"(sum), "+r"(k));
	}
	return sum;
}

PATTERN branches_random(void)
{
	uint64_t state = 88172645463325252u, sum = 0;

	for (uint64_t i = 0; i < 50000; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		if (state & 4096)
			__asm__ volatile("add %0, %0, 1" : "+r"(sum));
		else
			__asm__ volatile("eor %0, %0, 1" : "+r"(sum));
	}
	return sum;
}

static struct {
	_Alignas(LINE) volatile uint64_t one;
	volatile uint64_t other; /* in the same line */
} line;

static pthread_barrier_t both;

/* Let two threads write the same line. */
static __attribute__((noinline)) void *false_sharing(void *counter)
{
	volatile uint64_t *mine = counter;

	pthread_barrier_wait(&both);
	for (int i = 0; i < 100000; i++)
		*mine += 1;
	return NULL;
}

static uint64_t huge_pages(void)
{
	huge = mmap(NULL, 8196 * MB, PROT_READ | PROT_WRITE,
	            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (huge == MAP_FAILED || madvise(huge, 8196 * MB, MADV_HUGEPAGE)) {
		perror("patterns");
		exit(1);
	}
	huge = (char *)(((uintptr_t)huge + 2 * MB - 1) / (2 * MB) * (2 * MB));
	return huge_8192() + huge_reach_32() + huge_reach_512() + huge_reach_4096();
}

int main(void)
{
	pthread_t thread;
	uint64_t sum;

	memory = mmap(NULL, 640 * MB, PROT_READ | PROT_WRITE,
	              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		perror("patterns");
		return 1;
	}
	sum = warm_up(32 * KB) + chase_l1();
	sum += warm_up(256 * KB) + chase_l2();
	sum += warm_up(4 * MB) + chase_llc() + chase_dram();
	sum += pages_32() + pages_512() + pages_8192();
	sum += store_burst() + store_and_load() + branches_regular() + branches_random();
	/* these patterns do not depend on the contents of the caches */
	memory += 64 * MB;
	sum += stream() + stride_line() + stride_256() + stride_page();
	pthread_barrier_init(&both, NULL, 2);
	if (pthread_create(&thread, NULL, false_sharing, (void *)(uintptr_t)&line.other))
		return 1;
	false_sharing((void *)(uintptr_t)&line.one);
	pthread_join(thread, NULL);
	return sum + huge_pages() == 1; /* always false */
}
