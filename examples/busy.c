/* SPDX-License-Identifier: MIT */
/*
 * The program that `make demo-vm` profiles in a guest. Its threads only compute. Most operations,
 * and most loads and stores, belong to hash_words(), and then to sort_words(). The result depends
 * only on the arguments.
 *
 *   busy [THREADS [ROUNDS]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 4096
#define THREADS_MAX 64

struct job {
	pthread_t thread;
	unsigned long rounds;
	uint64_t result;
	uint32_t word[WORDS];
};

static struct job jobs[THREADS_MAX];

__attribute__((noinline)) static uint64_t hash_words(const uint32_t *word, uint64_t hash)
{
	for (unsigned pass = 0; pass < 240; pass++) {
		for (unsigned i = 0; i < WORDS; i++) {
			hash = (hash ^ word[i]) * UINT64_C(0x100000001b3);
			hash ^= hash >> 29;
		}
	}
	return hash;
}

/* Sort with Shell sort: comparisons, loads and stores. */
__attribute__((noinline)) static void sort_words(uint32_t *word)
{
	for (unsigned gap = WORDS / 2; gap; gap /= 2) {
		for (unsigned i = gap; i < WORDS; i++) {
			uint32_t moved = word[i];
			unsigned j = i;

			for (; j >= gap && word[j - gap] > moved; j -= gap)
				word[j] = word[j - gap];
			word[j] = moved;
		}
	}
}

__attribute__((noinline)) static void fill_words(uint32_t *word, uint64_t seed)
{
	for (unsigned i = 0; i < WORDS; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
		word[i] = (uint32_t)(seed >> 32);
	}
}

static void *work(void *arg)
{
	struct job *job = arg;

	for (unsigned long round = 0; round < job->rounds; round++) {
		fill_words(job->word, job->result);
		job->result = hash_words(job->word, job->result);
		sort_words(job->word);
		job->result += job->word[WORDS / 2];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 20;
	uint64_t sum = 0;

	if (threads < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "busy: 1 to %d threads\n", THREADS_MAX);
		return 2;
	}
	for (unsigned long i = 0; i < threads; i++) {
		jobs[i].rounds = rounds;
		jobs[i].result = i + 1;
		if (pthread_create(&jobs[i].thread, NULL, work, &jobs[i])) {
			fputs("busy: cannot start a thread\n", stderr);
			return 1;
		}
	}
	for (unsigned long i = 0; i < threads; i++) {
		pthread_join(jobs[i].thread, NULL);
		sum ^= jobs[i].result;
	}
	printf("busy: %016llx\n", (unsigned long long)sum);
	return 0;
}
