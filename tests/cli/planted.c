/* SPDX-License-Identifier: MIT */
/*
 * Programs with one known problem each, for test_causes.py: planted NAME. The function with the
 * problem has the name of the problem.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBLEM __attribute__((noinline)) static
enum { THREADS = 3, ROUNDS = 300000, NODES = 1 << 19, COLUMNS = 2048, ROWS = 1024 };

static uint64_t state = 1;

static uint32_t next_random(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static void run_threads(void *(*work)(void *))
{
	pthread_t threads[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- contention ---- */

static volatile uint64_t counters[8] __attribute__((aligned(64)));

PROBLEM void *false_sharing(void *number)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		counters[(uintptr_t)number]++;
	return NULL;
}

static uint64_t total __attribute__((aligned(64)));

PROBLEM void *contended_atomic(void *number)
{
	(void)number;
	for (unsigned i = 0; i < ROUNDS; i++)
		__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	return NULL;
}

static struct {
	pthread_mutex_t mutex;
	volatile uint64_t value;
} locked __attribute__((aligned(64))) = {.mutex = PTHREAD_MUTEX_INITIALIZER};

PROBLEM void *lock(void *number)
{
	(void)number;
	for (unsigned i = 0; i < ROUNDS / 4; i++) {
		pthread_mutex_lock(&locked.mutex);
		locked.value++;
		pthread_mutex_unlock(&locked.mutex);
	}
	return NULL;
}

/* ---- memory ---- */

/* Load from one line in each page. The lines fit into L2, the pages do not fit into the TLBs. */
PROBLEM uint64_t tlb(void)
{
	enum { PAGES = 8192, SIZE = 4096 };
	volatile char *memory = mmap(NULL, (size_t)PAGES * SIZE, PROT_READ | PROT_WRITE,
	                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum = 0;

	madvise((void *)memory, (size_t)PAGES * SIZE, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < 1000000; i++) {
		unsigned page = next_random() % PAGES;

		sum += (uint64_t)memory[(size_t)page * SIZE + page / 32 % 64 * 64];
	}
	return sum;
}

struct node {
	struct node *next;
	uint64_t value[7];
};

static struct node *shuffled_list(void)
{
	struct node *nodes = calloc(NODES, sizeof(*nodes));
	uint32_t *order = calloc(NODES, sizeof(*order));

	for (uint32_t i = 0; i < NODES; i++)
		order[i] = i;
	for (uint32_t i = NODES - 1; i; i--) {
		uint32_t k = next_random() % (i + 1), swap = order[i];

		order[i] = order[k];
		order[k] = swap;
	}
	for (uint32_t i = 0; i < NODES; i++)
		nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
	free(order);
	return nodes;
}

PROBLEM uint64_t dram_chase(struct node *at)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 3 * NODES; i++, at = at->next)
		sum += at->value[0];
	return sum;
}

PROBLEM uint64_t column_walk(const volatile uint32_t *cells)
{
	uint64_t sum = 0;

	for (unsigned column = 0; column < COLUMNS; column++) {
		for (unsigned row = 0; row < ROWS; row++)
			sum += cells[row * COLUMNS + column];
	}
	return sum;
}

#define ONE (sum += memory[(next_random() & 0xffffff) * 4])
#define TEN ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE
/* One load on each of many lines of the source. */
PROBLEM uint64_t many_lines(const volatile uint32_t *memory)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 6000; i++) {
		TEN;
		TEN;
		TEN;
		TEN;
		TEN;
		TEN;
		TEN;
		TEN;
		TEN;
		TEN;
	}
	return sum;
}

PROBLEM void stores(volatile uint64_t *memory)
{
	for (unsigned i = 0; i < 1500000; i++)
		memory[(size_t)(next_random() & 0x7fffff) * 2] = i;
}

/* ---- branches ---- */

PROBLEM uint64_t misprediction(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 2000000; i++) {
		if (next_random() & 0x800)
			__asm__ volatile("add %0, %0, #3" : "+r"(sum));
	}
	return sum;
}

/* ---- other places ---- */

/* Copy dram_chase() to memory, and name the copy in a map as JIT compilers do. */
static uint64_t jit(struct node *list, const char *map_folder)
{
	size_t size = 4096;
	void *code = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t (*compiled)(struct node *) = (uint64_t(*)(struct node *))(uintptr_t)code;
	char path[300];
	FILE *map;

	memcpy(code, (const void *)(uintptr_t)dram_chase, 256);
	mprotect(code, size, PROT_READ | PROT_EXEC);
	__builtin___clear_cache(code, (char *)code + size);
	snprintf(path, sizeof(path), "%s/perf-%d.map", map_folder, (int)getpid());
	map = fopen(path, "w");
	if (map) {
		fprintf(map, "%lx %x compiled_chase\n", (unsigned long)code, 256);
		fclose(map);
	}
	return compiled(list);
}

static uint64_t in_library(struct node *list, const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	uint64_t (*walk)(void *) =
	        library ? (uint64_t(*)(void *))(uintptr_t)dlsym(library, "library_walk") : NULL;

	return walk ? walk(list) : 1;
}

static uint64_t in_child(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(dram_chase(shuffled_list()) == 1);
	waitpid(child, &status, 0);
	return (uint64_t)status;
}

static uint64_t run(const char *name, const char *argument)
{
	static const struct {
		const char *name;
		void *(*work)(void *);
	} threaded[] = {{"false_sharing", false_sharing},
	                {"contended_atomic", contended_atomic},
	                {"lock", lock}};

	for (unsigned i = 0; i < sizeof(threaded) / sizeof(threaded[0]); i++) {
		if (!strcmp(name, threaded[i].name))
			return run_threads(threaded[i].work), 0;
	}
	if (!strcmp(name, "tlb"))
		return tlb();
	if (!strcmp(name, "dram_chase"))
		return dram_chase(shuffled_list());
	if (!strcmp(name, "column_walk"))
		return column_walk(calloc((size_t)ROWS * COLUMNS, 4));
	if (!strcmp(name, "many_lines"))
		return many_lines(calloc(1 << 26, 4));
	if (!strcmp(name, "stores"))
		return stores(calloc(1 << 24, 8)), 0;
	if (!strcmp(name, "misprediction"))
		return misprediction();
	if (!strcmp(name, "jit"))
		return jit(shuffled_list(), argument);
	if (!strcmp(name, "library"))
		return in_library(shuffled_list(), argument);
	return in_child();
}

int main(int argc, char **argv)
{
	return argc < 2 || run(argv[1], argc > 2 ? argv[2] : "") == 1;
}
