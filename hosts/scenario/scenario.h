/* SPDX-License-Identifier: MIT */
/*
 * The scenario host: an SPU whose PE, memory, clock and software are lines of text.
 *
 * A scenario is a golden test, a bug report and a replay in one file; spemu-scenario(5) has the
 * language. A text is parsed whole before anything runs. Nothing here prints: what happens goes to
 * a callback. Uses the heap; no globals are written; scripts are independent of each other and may
 * be run by several threads at a time.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/choices.h>
#include <spemu/inject.h>
#include <spemu/strict.h>

struct scenario_script;

/* Why a text is not a scenario. line and column count from 1; both 0: the text as a whole. */
struct scenario_error {
	unsigned line, column;
	char message[400]; /* one line, with the word that was meant or the known ones */
};

/*
 * Parse size bytes of text. name is what events call the script (a path); both are copied. Returns
 * the script, or NULL with *error filled. Any bytes are accepted as input, up to SCENARIO_TEXT_MAX.
 */
#define SCENARIO_TEXT_MAX (1u << 20)
struct scenario_script *scenario_parse(const char *name, const char *text, size_t size,
                                       struct scenario_error *error);
void scenario_free(struct scenario_script *script);

/*
 * The words after "inject" in the language, as an injection. false with *error filled if they are
 * none.
 */
bool scenario_injection(struct spemu_injection *injection, const char *text,
                        struct scenario_error *error);

/* A line of the script's text, without its newline and not terminated; size 0 if there is none. */
const char *scenario_line(const struct scenario_script *script, unsigned line, size_t *size);

enum scenario_event_kind {
	SCENARIO_BEGINS,     /* scenario is its name */
	SCENARIO_HELD,       /* an expectation held */
	SCENARIO_FAILED,     /* an expectation, stated or not, did not hold; the scenario goes on */
	SCENARIO_TRACE,      /* what a command did; only with options.trace */
	SCENARIO_STATE,      /* a line that the command "state" shows */
	SCENARIO_DIAGNOSTIC, /* strict mode: what software broke, and no expectation named */
	SCENARIO_CANNOT,     /* the scenario cannot be run; it ends here */
};

/* Pointers are valid during the callback only. */
struct scenario_event {
	enum scenario_event_kind kind;
	const char *name;     /* the script's */
	const char *scenario; /* the scenario's; "" if it has none */
	unsigned line;        /* of the command; 0 if there is none */
	const char *text;     /* what the expectation is about; else the message */
	const char *expected; /* HELD, FAILED */
	const char *got;      /* HELD, FAILED */
	const struct spemu_diagnostic *diagnostic; /* DIAGNOSTIC */
};

struct scenario_choice {
	enum spemu_choice choice; /* SPEMU_CHOICE_COUNT: all that are named nowhere */
	unsigned option;          /* or SPEMU_CHOICE_RANDOM */
};

struct scenario_options {
	const char *features; /* instead of every "features" command; NULL: as written */
	bool has_seed;        /* seed instead of every "seed" command */
	uint64_t seed;
	const struct scenario_choice *choices; /* instead of "choose" commands for the same */
	unsigned choice_count;
	bool trace;
	bool strict; /* every scenario in strict mode, from its first command on */
	bool has_strict_seed;
	uint64_t strict_seed; /* with has_strict_seed also instead of those of "strict" commands */
	const struct spemu_vm_rules *vm_rules; /* of every scenario; NULL: as written */
	uint64_t step_limit; /* commands and samples of a scenario; 0: 50 million */
	void *ctx;
	/* May be NULL. */
	void (*event)(void *ctx, const struct scenario_event *event);
	/* All that a scenario wrote to its Profiling Buffers, when it ends. May be NULL. */
	void (*stream)(void *ctx, const uint8_t *data, size_t size);
};

/* Added to, never set: start from zero. */
struct scenario_totals {
	uint64_t scenarios;
	uint64_t expectations; /* that were checked: not all if a scenario cannot go on */
	uint64_t failed;       /* of the expectations, and failures that were not expected */
	uint64_t diagnostics;  /* that strict mode gave and no expectation named */
	uint64_t cannot;       /* scenarios that could not be run to their end */
};

/* Run all scenarios of a script. */
void scenario_run(struct scenario_totals *totals, const struct scenario_script *script,
                  const struct scenario_options *options);

#endif
