/* SPDX-License-Identifier: MIT */
/* Threads count in structures that share cache lines. With -DCURED each object has its own line.
 *
 * The program prints its counts, which are the same in both forms. */
#include <pthread.h>
#include <stdio.h>

#define THREADS 4
#define ROUNDS 60000
#define STEPS 64

#ifdef CURED
#define LINE __attribute__((aligned(64)))
#else
#define LINE
#endif

struct tally {
	unsigned long sum;
	unsigned long largest;
} LINE;

static struct tally tallies[THREADS];

/* Mix the bits of a number; this is the work that a thread does besides. */
static __attribute__((noinline)) unsigned long mix(unsigned long n)
{
	for (unsigned i = 0; i < STEPS; i++)
		n = (n ^ n >> 13) * 0x9e3779b97f4a7c15u;
	return n;
}

static void *work(void *of)
{
	volatile struct tally *own = of;
	unsigned long n = (unsigned long)(own - tallies) + 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		n = mix(n);
		own->sum += n >> 60;
		if (n > own->largest)
			own->largest = n;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned long sum = 0;

	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &tallies[i]);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += tallies[i].sum;
	}
	printf("%lu\n", sum);
	return 0;
}
