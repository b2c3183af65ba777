/* SPDX-License-Identifier: MIT */
/*
 * Measure the cost of strict mode: run a scenario with sessions of a driver (program, profile,
 * interrupt, drain) in plain and strict mode, interleaved, and print the ratio.
 *
 *     bench_strict [SESSIONS]
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../hosts/scenario/scenario.h"

enum { ROUNDS = 5, SAMPLES = 1024 };

static const char text[] =
        "features v8.7 ; layout neoverse ; zero\n"
        "set MDCR_EL3.NSPB=0b11 SCR_EL3.NS=1 MDCR_EL2.E2PB=0b11\n"
        "map 0x10000 +0x20000\n"
        "at EL1\n"
        "msr PMSIRR_EL1 INTERVAL=1\n"
        "repeat %lu {\n"
        "  msr PMBPTR_EL1 0x10000 ; msr PMBLIMITR_EL1 0x20001 ; msr PMBSR_EL1 0\n"
        "  isb ; msr PMSICR_EL1 0 ; isb ; msr PMSCR_EL1 E0SPE|TS|CX ; at EL0\n"
        "  sample load pc=0x400000+4 va=0x8000+64 size=8 total=14 issue=2 x%d ; wait\n"
        "  at EL1 ; psb ; dsb ; isb ; mrs PMBSR_EL1 ; mrs PMBPTR_EL1\n"
        "  msr PMSCR_EL1 0 ; isb ; psb ; dsb ; msr PMBLIMITR_EL1 0 ; isb\n"
        "}\n";

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say(void *ctx, const struct scenario_event *e)
{
	(void)ctx;
	if (e->kind == SCENARIO_FAILED || e->kind == SCENARIO_CANNOT ||
	    e->kind == SCENARIO_DIAGNOSTIC)
		printf("%u: %s\n", e->line, e->text);
}

static double run(const struct scenario_script *script, bool strict, uint64_t seed)
{
	struct scenario_options options = {.strict = strict, .strict_seed = seed, .event = say};
	struct scenario_totals totals = {0};
	double start = now();

	scenario_run(&totals, script, &options);
	return now() - start;
}

int main(int argc, char **argv)
{
	unsigned long sessions = argc > 1 ? strtoul(argv[1], NULL, 0) : 500;
	struct scenario_script *script;
	struct scenario_error error;
	char source[sizeof(text) + 64];
	double best[2] = {1e9, 1e9};

	if (!sessions) {
		fputs("usage: bench_strict [SESSIONS]\n", stderr);
		return 2;
	}
	snprintf(source, sizeof(source), text, sessions, SAMPLES);
	script = scenario_parse("bench", source, strlen(source), &error);
	if (!script) {
		fprintf(stderr, "bench_strict: %u:%u: %s\n", error.line, error.column,
		        error.message);
		return 1;
	}
	for (unsigned round = 0; round < ROUNDS; round++)
		for (int strict = 0; strict < 2; strict++) {
			double seconds = run(script, strict, round);

			best[strict] = seconds < best[strict] ? seconds : best[strict];
		}
	for (int strict = 0; strict < 2; strict++)
		printf("scenario, %-6s %6.1f ns a sample\n", strict ? "strict" : "plain",
		       1e9 * best[strict] / (double)(sessions * SAMPLES));
	printf("strict / plain: %.2f\n", best[1] / best[0]);
	scenario_free(script);
	return 0;
}
