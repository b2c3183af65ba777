/* SPDX-License-Identifier: MIT */
/*
 * Measure the speed of the model on one core: writing sample records to a flat buffer, and the
 * cost of counting operations between samples.
 *
 *     bench_spu [SAMPLES]
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spemu/spu.h>

enum { BUFFER_SIZE = 1 << 20 };

static uint8_t buffer[BUFFER_SIZE];

static int flat_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                      const void *data, size_t size)
{
	(void)ctx;
	(void)fault;
	memcpy(buffer + access->address % BUFFER_SIZE, data, size);
	return 0;
}

static uint64_t count_up(void *ctx)
{
	return ++*(uint64_t *)ctx;
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

/* Set up profiling of EL0 by a driver at EL1, with context, timestamp and physical address. */
static struct spemu_spu *program(struct spemu_pe **pe, struct spemu_layout layout,
                                 struct spemu_spu_host *host)
{
	struct spemu_pe_config pe_config = {.size = sizeof(pe_config)};
	struct spemu_spu_config config = {.size = sizeof(config), .layout = layout};
	struct spemu_pe_state el0 = {0};
	struct spemu_spu *spu;
	void *memory = malloc(spemu_spu_size()), *pe_memory = malloc(spemu_pe_size());

	if (!memory || !pe_memory ||
	    spemu_features_parse(&pe_config.features, NULL,
	                         "v9.4,-EL3,-EL2,-Secure,-FEAT_FGT,-FEAT_FGT2") ||
	    spemu_pe_init(pe, pe_memory, spemu_pe_size(), &pe_config) ||
	    spemu_spu_init(&spu, memory, spemu_spu_size(), *pe, &config, host)) {
		fputs("bench_spu: cannot make an SPU\n", stderr);
		exit(1);
	}
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		set(*pe, (enum spemu_reg)i, 0);
	set(*pe, SPEMU_REG_PMBLIMITR_EL1, BUFFER_SIZE | 1);
	set(*pe, SPEMU_REG_PMSIRR_EL1, 1 << 8);
	set(*pe, SPEMU_REG_PMSCR_EL1,
	    1 << SPEMU_PMSCR_EL1_E0SPE_LSB | 1 << SPEMU_PMSCR_EL1_CX_LSB |
	            1 << SPEMU_PMSCR_EL1_PA_LSB | 1 << SPEMU_PMSCR_EL1_TS_LSB);
	spemu_pe_set(*pe, &el0);
	return spu;
}

/* Make an operation of a type, with every member that the type may have. */
static struct spemu_op op_of(enum spemu_op_type type)
{
	struct spemu_op op = {.kind = {.type = (uint8_t)type},
	                      .target = 0x401000,
	                      .va = 0x7fff0000,
	                      .pa = 0x12340000,
	                      .total_latency = 14,
	                      .issue_latency = 2,
	                      .data_source = 8,
	                      .cond_pass = true,
	                      .retired = true,
	                      .valid = SPEMU_OPV_TOTAL_LATENCY | SPEMU_OPV_ISSUE_LATENCY};

	if (type == SPEMU_OP_BRANCH)
		op.valid |= SPEMU_OPV_TARGET;
	if (type == SPEMU_OP_LOAD)
		op.valid |= SPEMU_OPV_DATA_SOURCE;
	if (type == SPEMU_OP_LOAD || type == SPEMU_OP_STORE) {
		op.kind.access_size = 8;
		op.translation_latency = 1;
		op.events = 1u << SPEMU_EV_L1D_ACCESS;
		op.valid |= SPEMU_OPV_VA | SPEMU_OPV_PA | SPEMU_OPV_TRANSLATION_LATENCY;
	}
	return op;
}

/* A mix that is typical of programs: of twenty operations, five are loads, two stores, four
 * branches and nine others. */
static const char mix[] = "OOOOOOOOOLLLLLSSBBBB";

/* A run of operations that is too long for a branch predictor to learn its order. */
enum { RUN = 4096 };
static struct spemu_op run[RUN];

static void fill_run(const char *letters)
{
	uint64_t random = 1;

	for (unsigned i = 0; i < RUN; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		switch (letters[(random >> 33) % strlen(letters)]) {
		case 'L':
			run[i] = op_of(SPEMU_OP_LOAD);
			break;
		case 'S':
			run[i] = op_of(SPEMU_OP_STORE);
			break;
		case 'B':
			run[i] = op_of(SPEMU_OP_BRANCH);
			break;
		default:
			run[i] = op_of(SPEMU_OP_OTHER);
			break;
		}
	}
}

static void bench_records(const char *name, const char *letters, struct spemu_layout layout,
                          unsigned long samples)
{
	uint64_t clock = 0, bytes = 0;
	struct spemu_spu_host host = {.size = sizeof(host),
	                              .ctx = &clock,
	                              .buffer_write = flat_write,
	                              .counter = count_up};
	struct spemu_pe *pe;
	struct spemu_spu *spu = program(&pe, layout, &host);
	struct spemu_sample_result result = {0};
	double start, seconds;

	fill_run(letters);
	start = now();
	for (unsigned long i = 0; i < samples; i++) {
		(void)spemu_spu_ops(spu, spemu_spu_ops_until_sample(spu) - 1);
		(void)spemu_spu_sample_begin(spu, 0x400000 + 4 * i);
		(void)spemu_spu_sample_end(spu, &result, &run[i % RUN]);
		bytes += result.written;
		if (result.management_event) { /* the buffer is full: restart like a driver */
			set(pe, SPEMU_REG_PMBPTR_EL1, 0);
			set(pe, SPEMU_REG_PMBSR_EL1, 0);
		}
	}
	seconds = now() - start;
	printf("records, %-17s %6.2f million/s, %6.1f ns each, %5.1f bytes each\n", name,
	       1e-6 * (double)samples / seconds, 1e9 * seconds / (double)samples,
	       (double)bytes / (double)samples);
	free(pe);
	free(spu);
}

/* Measure the cost for a host that asks and counts after every 16 operations. */
static void bench_ops(unsigned long calls)
{
	uint64_t clock = 0, sum = 0;
	struct spemu_spu_host host = {.size = sizeof(host),
	                              .ctx = &clock,
	                              .buffer_write = flat_write,
	                              .counter = count_up};
	struct spemu_pe *pe;
	struct spemu_spu *spu = program(&pe, spemu_layout_dense, &host);
	double start, seconds;

	set(pe, SPEMU_REG_PMSIRR_EL1, UINT64_C(0xffffff) << 8);
	set(pe, SPEMU_REG_PMSICR_EL1, 0xffffffff);
	start = now();
	for (unsigned long i = 0; i < calls; i++) {
		uint64_t until = spemu_spu_ops_until_sample(spu);

		sum += until;
		if (until <= 16)
			set(pe, SPEMU_REG_PMSICR_EL1, 0xffffffff);
		else
			(void)spemu_spu_ops(spu, 16);
	}
	seconds = now() - start;
	printf("spemu_spu_ops_until_sample() and spemu_spu_ops(): %5.1f ns a pair%s\n",
	       1e9 * seconds / (double)calls, sum ? "" : " (nothing was counted)");
	free(pe);
	free(spu);
}

int main(int argc, char **argv)
{
	unsigned long samples = argc > 1 ? strtoul(argv[1], NULL, 0) : 5000000;

	if (!samples) {
		fputs("usage: bench_spu [SAMPLES]\n", stderr);
		return 2;
	}
	bench_records("dense, a mix:", mix, spemu_layout_dense, samples);
	bench_records("neoverse, a mix:", mix, spemu_layout_neoverse, samples);
	bench_records("dense, loads:", "L", spemu_layout_dense, samples);
	bench_records("neoverse, loads:", "L", spemu_layout_neoverse, samples);
	bench_records("dense, others:", "O", spemu_layout_dense, samples);
	bench_records("dense, branches:", "B", spemu_layout_dense, samples);
	bench_ops(10 * samples);
	return 0;
}
