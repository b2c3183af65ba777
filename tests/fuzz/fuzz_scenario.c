/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: arbitrary bytes as a scenario.
 *
 * Every input is either parsed, or rejected at a place within the text with a message of one line.
 * A parsed scenario ends within its limit of steps, and its totals agree with its events.
 */
#include <stdlib.h>
#include <string.h>

#include <scenario.h>
#include "fuzz.h"

struct seen {
	uint64_t begins, answers, failed, cannot;
	const struct scenario_script *script;
};

static void on_event(void *ctx, const struct scenario_event *e)
{
	struct seen *seen = ctx;
	size_t size;

	seen->begins += e->kind == SCENARIO_BEGINS;
	seen->answers += e->kind == SCENARIO_HELD || e->kind == SCENARIO_FAILED;
	seen->failed += e->kind == SCENARIO_FAILED;
	seen->cannot += e->kind == SCENARIO_CANNOT;
	REQUIRE(e->text && e->name && e->scenario);
	if (e->kind == SCENARIO_FAILED) {
		REQUIRE(e->expected && e->got && e->line);
		(void)scenario_line(seen->script, e->line, &size);
		REQUIRE(size > 0);
	}
}

static void run(const struct scenario_script *script)
{
	struct seen seen = {.script = script};
	struct scenario_totals totals = {0};
	struct scenario_options options = {
	        .step_limit = 2000, .trace = true, .ctx = &seen, .event = on_event};

	scenario_run(&totals, script, &options);
	REQUIRE(totals.scenarios == seen.begins);
	REQUIRE(totals.expectations == seen.answers);
	REQUIRE(totals.failed == seen.failed);
	REQUIRE(totals.cannot == seen.cannot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Use memory of the exact size, so that a sanitizer detects a read past the end. */
	char *copy = malloc(size ? size : 1);
	struct scenario_error error;
	struct scenario_script *script;

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	script = scenario_parse("fuzz", copy, size, &error);
	free(copy);
	if (script) {
		run(script);
		scenario_free(script);
	} else {
		REQUIRE(error.message[0] && !strchr(error.message, '\n'));
		REQUIRE(error.line <= size + 1 && error.column <= size + 1);
	}
	return 0;
}
