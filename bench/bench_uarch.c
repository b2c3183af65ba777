/* SPDX-License-Identifier: MIT */
/*
 * Measure the cost of the timing model: nanoseconds per memory access and branch, for operations
 * that are not sampled, in the patterns that matter to an emulator. The result is the best CPU time
 * of several rounds on one thread.
 *
 *     bench_uarch [PROFILE [NAME=VALUE,...]]
 *
 * The default profile is neoverse-n1. NAME=VALUE changes it, like spemu record --uarch.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "timing/a64.h"
#include <spemu/status.h>
#include "timing/uarch.h"

enum { ROUNDS = 5, COUNT = 1000000 };

static struct uarch_shared *shared_of_all;
static struct uarch_core *core;
static uint64_t random_state = 1;
static unsigned mispredicted;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Access memory like a host that knows the instruction. */
static void access_at(uint64_t pc, uint64_t addr, unsigned flags)
{
	if (!uarch_hit(core, addr, 8, flags))
		uarch_access(core, NULL, pc, addr, 8, flags);
}

static void load_at(uint64_t pc, uint64_t addr)
{
	access_at(pc, addr, UARCH_LOAD);
}

/* Patterns: one line repeatedly; 32 KB line by line, over eight pages; much memory in order; and
 * much memory at random. */
static void same_line(unsigned i)
{
	load_at(0, 0x10000 + i % 8 * 8);
}

static void hit_l1(unsigned i)
{
	load_at(0, 0x20000 + i % 512 * 64);
}

static void store_l1(unsigned i)
{
	access_at(0, 0x20000 + i % 512 * 64, UARCH_STORE);
}

static void stream(unsigned i)
{
	load_at(0x4000, 0x100000 + (uint64_t)i * 8);
}

static void random_512k(unsigned i)
{
	load_at(0x4100 + i % 16 * 4, 0x200000 + (random_next() % (512u << 10) & ~UINT64_C(7)));
}

static void random_16m(unsigned i)
{
	load_at(0x4100 + i % 16 * 4, random_next() % (16u << 20) & ~UINT64_C(7));
}

/* The same patterns in memory with huge pages. */
#define HUGE_BASE (UINT64_C(1) << 40)
static void hit_l1_huge(unsigned i)
{
	load_at(0, HUGE_BASE + i % 512 * 64);
}

static void random_huge_512k(unsigned i)
{
	load_at(0x4100 + i % 16 * 4, HUGE_BASE + (random_next() % (512u << 10) & ~UINT64_C(7)));
}

static void random_huge_16m(unsigned i)
{
	load_at(0x4100 + i % 16 * 4, HUGE_BASE + (random_next() % (16u << 20) & ~UINT64_C(7)));
}

static void loop_branch(unsigned i)
{
	mispredicted += uarch_branch(core, NULL, 0x4000, SPEMU_OPF_CONDITIONAL, i % 8 != 7, 0x3000);
}

static void call_return(unsigned i)
{
	if (i % 2)
		uarch_branch(core, NULL, 0x8010, SPEMU_OPF_INDIRECT | SPEMU_OPF_RETURN, true,
		             0x4004);
	else
		uarch_branch(core, NULL, 0x4000, SPEMU_OPF_LINK, true, 0x8000);
}

static void indirect(unsigned i)
{
	mispredicted +=
	        uarch_branch(core, NULL, 0x4000, SPEMU_OPF_INDIRECT, true, 0x8000 + i % 4 * 64);
}

static void classify(unsigned i)
{
	struct spemu_op_kind kind;

	(void)i;
	a64_classify(&kind, (uint32_t)random_next(), 128);
	mispredicted += kind.type;
}

static void measure(const char *what, void (*one)(unsigned))
{
	double best = 1e30;

	for (int round = 0; round < ROUNDS; round++) {
		double start = now();

		for (unsigned i = 0; i < COUNT; i++)
			one(i);
		double each = (now() - start) / (double)COUNT;

		if (each < best)
			best = each;
	}
	printf("%-40s %7.1f ns\n", what, best);
}

/* Map a huge page in every second call, and unmap it in the others. */
static void change_pages(unsigned i)
{
	(void)uarch_pages(shared_of_all, core, HUGE_BASE + (32u << 20), 2u << 20, i % 2 ? 0 : 21);
}

/* Measure the same loads in memory with huge pages, and in other memory while huge pages exist. */
static void huge_pages(struct uarch_shared *shared)
{
	shared_of_all = shared;
	if (uarch_pages(shared, core, HUGE_BASE, 16u << 20, 21) != SPEMU_OK)
		return;
	measure("huge pages: load, 32 KB line by line", hit_l1_huge);
	measure("huge pages: load, random in 512 KB", random_huge_512k);
	measure("huge pages: load, random in 16 MB", random_huge_16m);
	measure("beside them: load, 32 KB line by line", hit_l1);
	measure("beside them: load, random in 512 KB", random_512k);
	measure("beside them: load, random in 16 MB", random_16m);
	measure("a huge page comes or goes", change_pages);
	(void)uarch_pages(shared, core, HUGE_BASE, 16u << 20, 0);
}

static void *zeroed(size_t size)
{
	void *mem = aligned_alloc(64, (size + 63) / 64 * 64);

	if (mem == NULL) {
		perror("bench_uarch");
		exit(1);
	}
	return memset(mem, 0, size);
}

int main(int argc, char **argv)
{
	const struct uarch_profile *profile = uarch_profile(argc > 1 ? argv[1] : "neoverse-n1");
	struct uarch_profile changed;
	struct uarch_shared *shared;

	if (profile == NULL) {
		fprintf(stderr, "bench_uarch: no such profile: %s\n", argv[1]);
		return 1;
	}
	changed = *profile;
	profile = &changed;
	if (argc > 2 && uarch_parse(&changed, NULL, argv[2])) {
		fprintf(stderr, "bench_uarch: not changes of a profile: %s\n", argv[2]);
		return 1;
	}
	size_t size = uarch_shared_size(profile, 4);
	void *shared_mem = zeroed(size);

	if (uarch_shared_init(&shared, shared_mem, size, profile, 4) != SPEMU_OK)
		return 1;
	size = uarch_core_size(shared);
	void *core_mem = zeroed(size);

	if (uarch_core_init(&core, core_mem, size, shared, 0) != SPEMU_OK)
		return 1;
	printf("%s\n", profile->name);
	measure("load, the same line", same_line);
	measure("load, 32 KB line by line (L1 hits)", hit_l1);
	measure("store, 32 KB line by line (L1 hits)", store_l1);
	measure("load, streaming, 8 bytes each", stream);
	measure("load, random in 512 KB", random_512k);
	measure("load, random in 16 MB", random_16m);
	huge_pages(shared);
	measure("conditional branch, loop of 8", loop_branch);
	measure("call, return", call_return);
	measure("indirect branch, 4 targets", indirect);
	measure("classify a random opcode", classify);
	free(core_mem);
	free(shared_mem);
	return 0;
}
