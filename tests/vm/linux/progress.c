/* SPDX-License-Identifier: MIT */
/*
 * Threads increment one counter in each of the ways of A64: with load and store exclusives, and
 * with FEAT_LSE also with LDADD and with a loop around CAS. Each way must finish, and leave the
 * counter at THREADS x ADDITIONS.
 *
 *   progress THREADS ADDITIONS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#define HWCAP_ATOMICS (1 << 8)
#define THREADS_MAX 16

static volatile uint64_t counter;
static unsigned long additions;

static void *by_exclusives(void *unused)
{
	for (unsigned long i = 0; i < additions; i++) {
		uint64_t value;
		uint32_t failed;

		__asm__ volatile("1: ldaxr %0, [%2]\n\tadd %0, %0, #1\n\tstlxr %w1, %0, [%2]\n\t"
		                 "cbnz %w1, 1b"
		                 : "=&r"(value), "=&r"(failed)
		                 : "r"(&counter)
		                 : "memory");
	}
	return unused;
}

static void *by_ldadd(void *unused)
{
	for (unsigned long i = 0; i < additions; i++)
		__asm__ volatile(".arch armv8.1-a\n\tldaddal %0, xzr, [%1]"
		                 :
		                 : "r"(UINT64_C(1)), "r"(&counter)
		                 : "memory");
	return unused;
}

static void *by_cas(void *unused)
{
	for (unsigned long i = 0; i < additions; i++) {
		uint64_t old, found;

		do {
			old = found = counter;
			__asm__ volatile(".arch armv8.1-a\n\tcasal %0, %1, [%2]"
			                 : "+r"(found)
			                 : "r"(old + 1), "r"(&counter)
			                 : "memory");
		} while (found != old);
	}
	return unused;
}

static void run(const char *name, void *(*work)(void *), unsigned threads)
{
	pthread_t thread[THREADS_MAX];

	counter = 0;
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			exit(1);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%s %s\n", name, counter == threads * additions ? "right" : "wrong");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4;

	if (threads > THREADS_MAX)
		return 2;
	additions = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
	run("exclusives", by_exclusives, threads);
	if (getauxval(AT_HWCAP) & HWCAP_ATOMICS) {
		run("ldadd", by_ldadd, threads);
		run("cas", by_cas, threads);
	}
	return 0;
}
