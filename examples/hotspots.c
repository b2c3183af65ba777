/* SPDX-License-Identifier: MIT */
/*
 * Three causes of lost cycles that a profile by time alone cannot distinguish:
 *
 *   chase_pointers()  a cache-hostile loop: each load misses and depends on the previous one
 *   sort_coins()      a branch on random data, which no predictor can learn
 *   count_shared()    two threads that write different variables in one cache line
 *
 * `make demo` records it with spemu and prints a report that shows each of the three.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES (1 << 19) /* nodes of 64 bytes: 32 MB, more than the caches hold */
#define HOPS 1500000
#define COINS 5000000
#define TURNS 2000000

struct node {
	struct node *next;
	uint64_t value[7];
};

static struct node *nodes;

/* Both counters are in one cache line. Each is written by only one thread. */
static struct {
	_Alignas(64) volatile uint64_t left;
	volatile uint64_t right;
} shared;

static pthread_barrier_t start;

static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Link all nodes in one cycle, in random order (Sattolo's shuffle). */
static void link_nodes(void)
{
	static uint32_t order[NODES];

	for (uint32_t i = 0; i < NODES; i++)
		order[i] = i;
	for (uint32_t i = NODES - 1; i > 0; i--) {
		uint32_t j = (uint32_t)(random_next() % i);
		uint32_t swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
	for (uint32_t i = 0; i < NODES; i++)
		nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
}

/* Follow the cycle. The next node may be anywhere in memory. */
static __attribute__((noinline)) uint64_t chase_pointers(void)
{
	const struct node *node = nodes;
	uint64_t sum = 0;

	for (int i = 0; i < HOPS; i++) {
		sum += node->value[0];
		node = node->next; /* misses: the next line may be anywhere */
	}
	return sum;
}

static __attribute__((noinline)) uint64_t sort_coins(void)
{
	uint64_t heads = 0, tails = 0;

	for (int i = 0; i < COINS; i++) {
		if (random_next() & 4096) /* mispredicted half of the time */
			heads++;
		else
			tails += heads;
		__asm__ volatile("" : "+r"(heads), "+r"(tails)); /* keep the branch */
	}
	return heads ^ tails;
}

static void *count_shared(void *counter)
{
	volatile uint64_t *mine = counter;

	pthread_barrier_wait(&start);
	for (int i = 0; i < TURNS; i++)
		*mine += 1; /* the line moves back and forth between the cores */
	return NULL;
}

int main(void)
{
	pthread_t thread[2];
	uint64_t result;

	nodes = aligned_alloc(64, NODES * sizeof(*nodes));
	if (!nodes)
		return 1;
	link_nodes();
	result = chase_pointers() + sort_coins();
	if (pthread_barrier_init(&start, NULL, 2) ||
	    pthread_create(&thread[0], NULL, count_shared, (void *)&shared.left) ||
	    pthread_create(&thread[1], NULL, count_shared, (void *)&shared.right)) {
		fputs("hotspots: cannot start the threads\n", stderr);
		return 1;
	}
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	printf("%llu\n", (unsigned long long)(result + shared.left + shared.right));
	free(nodes);
	return 0;
}
