/* SPDX-License-Identifier: MIT */
/* Record the address, size, type and lifetime of the objects that a program uses.
 *
 * A program calls truth() for each object before it uses the object, outside of its hot loops. It
 * calls truth_over() when the object ends before the program does; truth_during() does so for every
 * object of a part of the program. At the end, truth_write() writes one line per object: address,
 * size, first and last nanosecond of CLOCK_MONOTONIC, type. The numbers are hexadecimal. A last
 * nanosecond of 0 means that the object lives until the end. The size of an array is a multiple of
 * the size of its elements, and its type is the type of one element. */
#ifndef TRUTH_H
#define TRUTH_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TRUTH_MOST (1 << 17)
#define TRUTH(address, count, type) truth(address, (count) * sizeof(type), #type)
#define TRUTH_APART __attribute__((noinline, unused)) static

struct truth_object {
	uintptr_t address;
	size_t size;
	uint64_t first, last;
	const char *type;
};

static struct truth_object truth_table[TRUTH_MOST];
static unsigned truth_count;

/* Return a pseudo-random number below `below`, the same in each run. */
static inline unsigned draw(unsigned below)
{
	static unsigned long seed = 88172645463325252u;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 20) % below;
}

TRUTH_APART uint64_t truth_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Record an object. Threads may call the function at the same time. */
TRUTH_APART void truth(const volatile void *address, size_t size, const char *type)
{
	unsigned at = __atomic_fetch_add(&truth_count, 1, __ATOMIC_RELAXED);

	if (at >= TRUTH_MOST)
		abort();
	truth_table[at].address = (uintptr_t)address;
	truth_table[at].size = size;
	truth_table[at].first = truth_now();
	truth_table[at].last = 0;
	truth_table[at].type = type;
}

/* Record the end of the last object that was recorded at this address. */
TRUTH_APART void truth_over(const volatile void *address)
{
	unsigned at = truth_count;

	while (at-- > 0)
		if (truth_table[at].address == (uintptr_t)address && !truth_table[at].last) {
			truth_table[at].last = truth_now();
			return;
		}
	abort();
}

/* Run a part of the program. The objects that it records end with it. */
TRUTH_APART void truth_during(void (*part)(void))
{
	unsigned first = truth_count;
	uint64_t now;

	part();
	now = truth_now();
	for (unsigned at = first; at < truth_count; at++)
		if (!truth_table[at].last)
			truth_table[at].last = now;
}

/* Write the number in hexadecimal before `end`. Return where its text begins. */
TRUTH_APART char *truth_digits(char *end, uint64_t number)
{
	do {
		*--end = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number);
	return end;
}

/* Write the table. Return the exit status of the program. The numbers do not pass through printf(),
 * because printf() would be a large part of the samples. */
TRUTH_APART int truth_write(const char *path)
{
	FILE *file = path ? fopen(path, "w") : stdout;

	if (!file)
		return 1;
	for (unsigned i = 0; i < truth_count; i++) {
		const struct truth_object *o = &truth_table[i];
		const uint64_t numbers[] = {o->address, o->size, o->first, o->last};
		char text[80], *end = text + sizeof(text) - 1;

		*end = 0;
		for (int n = 3; n >= 0; n--) {
			*--end = ' ';
			end = truth_digits(end, numbers[n]);
		}
		fputs(end, file);
		fputs(o->type, file);
		fputs("\n", file);
	}
	return fclose(file) ? 1 : 0;
}
#endif
