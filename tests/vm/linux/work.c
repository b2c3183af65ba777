/* SPDX-License-Identifier: MIT */
/*
 * A program with known memory accesses and branches. It also prints where its data is in physical
 * memory.
 *
 *   work ROUNDS
 *
 * load_words() and store_words() are loops of five instructions. They load only from source[] and
 * store only to sink[]. call_leaf() calls leaf() through a pointer. swap_words() swaps words of
 * shared[] with load and store exclusives. At the end, the program prints a line "page VA PA" for
 * each page of the three arrays, from /proc/self/pagemap.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define WORDS 8192
#define KEPT __attribute__((noipa))

_Alignas(PAGE) uint64_t source[WORDS];
_Alignas(PAGE) uint64_t sink[WORDS];
_Alignas(PAGE) uint64_t shared[PAGE / 8];

KEPT static uint64_t load_words(void)
{
	uint64_t sum = 0, word;
	const uint64_t *at = source, *end = source + WORDS;

	__asm__ volatile("1: ldr %1, [%2], #8\n\tadd %0, %0, %1\n\tnop\n\t"
	                 "cmp %2, %3\n\tb.ne 1b"
	                 : "+r"(sum), "=&r"(word), "+r"(at)
	                 : "r"(end)
	                 : "memory", "cc");
	return sum;
}

KEPT static void store_words(uint64_t value)
{
	uint64_t *at = sink, *end = sink + WORDS;

	__asm__ volatile("1: str %1, [%0], #8\n\tadd %1, %1, #3\n\tnop\n\t"
	                 "cmp %0, %2\n\tb.ne 1b"
	                 : "+r"(at), "+r"(value)
	                 : "r"(end)
	                 : "memory", "cc");
}

KEPT static uint64_t leaf(uint64_t value)
{
	return value ^ (value >> 7);
}

KEPT static uint64_t call_leaf(uint64_t (*volatile function)(uint64_t))
{
	uint64_t value = 1;

	for (unsigned i = 0; i < WORDS; i++)
		value = function(value) + i;
	return value;
}

KEPT static void swap_words(uint64_t value)
{
	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t *word = &shared[i % (PAGE / 8)], old;
		uint32_t failed;

		__asm__ volatile("1: ldxr %0, [%2]\n\tstxr %w1, %3, [%2]\n\tcbnz %w1, 1b"
		                 : "=&r"(old), "=&r"(failed)
		                 : "r"(word), "r"(value + i)
		                 : "memory");
	}
}

static void show_pages(const void *begin, size_t size)
{
	uintptr_t va = (uintptr_t)begin;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	for (size_t i = 0; i < size / PAGE; i++) {
		uint64_t entry = 0; /* bits [54:0]: page frame; bit [63]: present */

		if (pread(fd, &entry, sizeof(entry), (off_t)((va / PAGE + i) * sizeof(entry))) !=
		            sizeof(entry) ||
		    !(entry >> 63))
			exit(1);
		printf("page %#lx %#llx\n", (unsigned long)(va + i * PAGE),
		       (unsigned long long)((entry & ((UINT64_C(1) << 55) - 1)) * PAGE));
	}
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
	uint64_t sum = 0;

	mlockall(MCL_CURRENT | MCL_FUTURE);
	for (unsigned i = 0; i < WORDS; i++)
		source[i] = i;
	for (unsigned long i = 0; i < rounds; i++) {
		sum += load_words();
		store_words(sum);
		sum += call_leaf(leaf);
		swap_words(sum);
	}
	printf("sum %llu\n", (unsigned long long)sum);
	show_pages(source, sizeof(source));
	show_pages(sink, sizeof(sink));
	show_pages(shared, sizeof(shared));
	return 0;
}
