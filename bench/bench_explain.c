/* SPDX-License-Identifier: MIT */
/*
 * Measure the decisions per second for random states of twelve assignments, as text: first with the
 * library alone, then with `spemu explain --batch`, which also reads and writes them.
 *
 *     bench_explain [SPEMU]      SPEMU: the command, which is also measured
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spemu/explain.h>

enum { STATES = 500000, ROUNDS = 5, LINE = 512 };

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static unsigned random_bits(unsigned bits)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned)(x >> 20) & ((1u << bits) - 1);
}

static void random_line(char *line)
{
	static const unsigned e2pb[4] = {0, 2, 3, 3};

	snprintf(line, LINE,
	         "features=v9.6 PSTATE.EL=%u SCR_EL3.NS=%u SCR_EL3.EEL2=%u MDCR_EL3.NSPB=0b%u%u "
	         "MDCR_EL2.E2PB=%#x HCR_EL2.TGE=%u HCR_EL2.E2H=%u PMBLIMITR_EL1=0x4000%u "
	         "PMSCR_EL1=%#x PMSCR_EL2.E2SPE=%u PMBSR_EL1.S=%u\n",
	         random_bits(2), random_bits(1), random_bits(1), random_bits(1), random_bits(1),
	         e2pb[random_bits(2)], random_bits(1), random_bits(1), random_bits(1),
	         random_bits(2), random_bits(1), random_bits(2) == 0);
}

/* Decide one line with the library. A features word is parsed once, as in the command. */
static bool decide(struct spemu_machine *m, const char *line, const struct spemu_machine *initial)
{
	struct spemu_pe_state state;
	struct spemu_refusal_detail detail;
	struct spemu_decisions d;

	spemu_machine_copy(m, initial);
	line += strcspn(line, " ");
	while (*line == ' ') {
		size_t length = strcspn(++line, " \n");

		if (spemu_machine_set(m, &detail, line, length) != SPEMU_OK)
			exit(1);
		line += length;
	}
	spemu_explain_decide(spemu_machine_pe(m), &d);
	spemu_pe_get(spemu_machine_pe(m), &state);
	return d.enabled[state.el];
}

static void bench_library(char (*lines)[LINE])
{
	size_t size = spemu_machine_size();
	struct spemu_machine *initial, *m;
	unsigned enabled = 0;
	double best = 1e9;

	if (spemu_machine_init(&initial, malloc(size), size) ||
	    spemu_machine_init(&m, malloc(size), size))
		exit(1);
	for (int round = 0; round < ROUNDS; round++) {
		double start = now(), took;

		enabled = 0;
		for (unsigned i = 0; i < STATES; i++)
			enabled += decide(m, lines[i], initial);
		took = now() - start;
		best = took < best ? took : best;
	}
	printf("explain, library         %8.0f k states/s (%u of %u enabled)\n",
	       (double)STATES / best * 1e-3, enabled, (unsigned)STATES);
	free(initial);
	free(m);
}

static void bench_command(char (*lines)[LINE], const char *spemu)
{
	char path[] = "/tmp/bench-explain-XXXXXX", command[1024];
	int fd = mkstemp(path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	double best = 1e9;

	if (!out) {
		fprintf(stderr, "bench_explain: cannot make a temporary file\n");
		exit(1);
	}
	for (unsigned i = 0; i < STATES; i++)
		fputs(lines[i], out);
	fclose(out);
	snprintf(command, sizeof(command), "'%s' explain --batch <'%s' >/dev/null", spemu, path);
	for (int round = 0; round < ROUNDS; round++) {
		double start = now(), took;

		if (system(command) != 0)
			exit(1);
		took = now() - start;
		best = took < best ? took : best;
	}
	remove(path);
	printf("spemu explain --batch    %8.0f k states/s\n", (double)STATES / best * 1e-3);
}

int main(int argc, char **argv)
{
	char(*lines)[LINE] = malloc((size_t)STATES * LINE);

	if (!lines) {
		fprintf(stderr, "bench_explain: out of memory\n");
		return 1;
	}
	for (unsigned i = 0; i < STATES; i++)
		random_line(lines[i]);
	bench_library(lines);
	if (argc > 1)
		bench_command(lines, argv[1]);
	free(lines);
	return 0;
}
