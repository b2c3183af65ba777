/* SPDX-License-Identifier: MIT */
/*
 * Measure the cost of a translation by the walker: a hit in its cache, a hit after a write to an
 * unrelated register, and a walk (one stage, both stages). Times are CPU times.
 *
 *     bench_mmu [TRANSLATIONS]
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <spemu/mmu.h>

enum { TABLES = 0x10000, WORDS = 0x10000 / 8, PAGES = 64 };

static uint64_t tables[WORDS];

static int table_read(void *ctx, uint64_t *value, const struct spemu_physical *at)
{
	(void)ctx;
	*value = tables[(at->address - TABLES) / 8 % WORDS];
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void set(struct spemu_pe *pe, enum spemu_reg reg, uint64_t value)
{
	if (spemu_reg_set(pe, reg, value))
		exit(1);
}

static void put(uint64_t address, uint64_t value)
{
	tables[(address - TABLES) / 8] = value;
}

/* Set up EL1&0 with 4 KB pages. Stage 1 tables begin at 0x10000, and stage 2 tables at 0x18000
 * (level 1). Both are identity mappings. */
static struct spemu_pe *program(void)
{
	struct spemu_pe_config config = {.size = sizeof(config)};
	void *memory = malloc(spemu_pe_size());
	struct spemu_pe *pe;

	if (!memory || spemu_features_parse(&config.features, NULL, "v8.8,-EL3,-Secure") ||
	    spemu_pe_init(&pe, memory, spemu_pe_size(), &config)) {
		fputs("bench_mmu: cannot make a PE\n", stderr);
		exit(1);
	}
	for (unsigned i = 0; i < 2 * SPEMU_REG_COUNT; i++)
		set(pe, (enum spemu_reg)(i % SPEMU_REG_COUNT), 0);
	put(0x10000, 0x11003);
	put(0x11000, 0x12003);
	put(0x12000, 0x13003);
	put(0x18000, 0x401 | 15 << 2 | 3 << 6);
	for (unsigned i = 0; i < PAGES; i++)
		put(0x13000 + 8 * i, i << 12 | 0x403);
	set(pe, SPEMU_REG_MAIR_EL1, 0xff);
	set(pe, SPEMU_REG_TCR_EL1, 16 | 16 << 16 | UINT64_C(2) << 30 | UINT64_C(5) << 32);
	set(pe, SPEMU_REG_TTBR0_EL1, 0x10000);
	set(pe, SPEMU_REG_SCTLR_EL1, 5);
	set(pe, SPEMU_REG_VTCR_EL2, 32 | 1 << 6 | 2 << 16);
	set(pe, SPEMU_REG_VTTBR_EL2, 0x18000);
	return pe;
}

enum what { FOUND, OTHER_REGISTER, WALKED };

static void measure(const char *name, struct spemu_pe *pe, enum what what, unsigned long count)
{
	struct spemu_mmu_memory memory = {.size = sizeof(memory), .read = table_read};
	struct spemu_buffer_write access = {.owner_el = 1, .security = SPEMU_SS_NON_SECURE};
	const struct spemu_mmu_scope all = {.by = SPEMU_TLBI_ALL};
	struct spemu_translation t = {0};
	struct spemu_fault fault;
	struct spemu_mmu *mmu;
	void *space = malloc(spemu_mmu_size());
	uint64_t sum = 0;
	double start, seconds, forget = 0;

	if (!space || spemu_mmu_init(&mmu, space, spemu_mmu_size(), &memory))
		exit(1);
	for (int pass = 0; pass < 2; pass++) { /* the first pass warms the caches */
		start = now();
		for (unsigned long i = 0; i < count; i++) {
			access.address = (i % PAGES) << 12 | (i & 0xfff);
			if (what == OTHER_REGISTER)
				set(pe, SPEMU_REG_PMBPTR_EL1, i);
			if (what == WALKED && i % PAGES == 0)
				spemu_mmu_invalidate(mmu, &all);
			if (spemu_mmu_translate(mmu, &t, &fault, pe, &access)) {
				fputs("bench_mmu: a fault\n", stderr);
				exit(1);
			}
			sum += t.physical;
		}
		seconds = now() - start;
	}
	start = now();
	for (unsigned long i = 0; what == OTHER_REGISTER && i < count; i++)
		set(pe, SPEMU_REG_PMBPTR_EL1, i);
	if (what == OTHER_REGISTER)
		forget = now() - start;
	printf("%-34s %6.1f ns a translation%s\n", name, 1e9 * (seconds - forget) / (double)count,
	       sum ? "" : "?");
	free(space);
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 0) : 10000000;
	struct spemu_pe *pe;

	if (!count) {
		fputs("usage: bench_mmu [TRANSLATIONS]\n", stderr);
		return 2;
	}
	pe = program();
	measure("cached:", pe, FOUND, count);
	measure("cached, after another register:", pe, OTHER_REGISTER, count / 4);
	measure("walked, stage 1:", pe, WALKED, count / 10);
	set(pe, SPEMU_REG_HCR_EL2, 1);
	measure("walked, both stages:", pe, WALKED, count / 10);
	measure("cached, both stages:", pe, FOUND, count);
	free(pe);
	return 0;
}
