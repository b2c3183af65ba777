/* SPDX-License-Identifier: MIT */
/*
 * The scenario host: an SPU whose PE, memory, clock and software are lines of text.
 *
 * A scenario is a golden test, a bug report and a replay in one file. spemu-scenario(5) describes
 * the language. A text is parsed completely before it runs. Nothing is printed: events go to a
 * callback. The host uses the heap and writes no globals. Scripts are independent of each other,
 * and several threads may run scripts at the same time.
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

/* The reason why a text is not a scenario. line and column count from 1. Both are 0 for an error of
 * the whole text. */
struct scenario_error {
	unsigned line, column;
	char message[400]; /* one line, with the probable word or the known words */
};

/*
 * Parse size bytes of text, which may be any bytes, up to SCENARIO_TEXT_MAX. name is the script's
 * name in events (a path). Both are copied. Return the script, or NULL with *error filled.
 */
#define SCENARIO_TEXT_MAX (1u << 20)
struct scenario_script *scenario_parse(const char *name, const char *text, size_t size,
                                       struct scenario_error *error);
void scenario_free(struct scenario_script *script);

/*
 * Parse the words after "inject" in the language. Return false, with *error filled, if they are not
 * an injection.
 */
bool scenario_injection(struct spemu_injection *injection, const char *text,
                        struct scenario_error *error);

/* Return a line of the script's text, without newline or NUL. *size is 0 if there is no such
 * line. */
const char *scenario_line(const struct scenario_script *script, unsigned line, size_t *size);

enum scenario_event_kind {
	SCENARIO_BEGINS,     /* a scenario begins; `scenario` is its name */
	SCENARIO_HELD,       /* an expectation held */
	SCENARIO_FAILED,     /* an expectation failed; the scenario continues */
	SCENARIO_TRACE,      /* effects of a command; only with options.trace */
	SCENARIO_STATE,      /* a line of the command "state" */
	SCENARIO_DIAGNOSTIC, /* a diagnostic of strict mode that no expectation named */
	SCENARIO_CANNOT,     /* the scenario cannot continue; it ends here */
};

/* An event of a run. Pointers are valid only during the callback. */
struct scenario_event {
	enum scenario_event_kind kind;
	const char *name;                          /* name of the script */
	const char *scenario;                      /* name of the scenario, or "" */
	unsigned line;                             /* line of the command, or 0 */
	const char *text;                          /* subject of the expectation, or the message */
	const char *expected;                      /* HELD, FAILED */
	const char *got;                           /* HELD, FAILED */
	const struct spemu_diagnostic *diagnostic; /* DIAGNOSTIC */
};

struct scenario_choice {
	enum spemu_choice choice; /* SPEMU_CHOICE_COUNT: all choices without a name elsewhere */
	unsigned option;          /* or SPEMU_CHOICE_RANDOM */
};

struct scenario_options {
	const char *features; /* replaces every "features" command unless NULL */
	bool has_seed;        /* `seed` replaces every "seed" command */
	uint64_t seed;
	const struct scenario_choice *choices; /* replace "choose" commands for the same choices */
	unsigned choice_count;
	bool trace;
	bool strict; /* run every scenario in strict mode from its first command on */
	bool has_strict_seed;
	uint64_t strict_seed; /* with has_strict_seed, replaces seeds of "strict" commands */
	const struct spemu_vm_rules *vm_rules; /* rules of every scenario unless NULL */
	uint64_t step_limit; /* most commands and samples of a scenario; 0: 50 million */
	void *ctx;
	/* Receives events. May be NULL. */
	void (*event)(void *ctx, const struct scenario_event *event);
	/* Receives everything that a scenario wrote to its Profiling Buffers, at its end. May be
	 * NULL. */
	void (*stream)(void *ctx, const uint8_t *data, size_t size);
};

/* Totals of runs. scenario_run() adds to them, so start with zeros. */
struct scenario_totals {
	uint64_t scenarios;
	uint64_t expectations; /* checked expectations */
	uint64_t failed;       /* failed expectations, and unexpected failures */
	uint64_t diagnostics;  /* diagnostics of strict mode that no expectation named */
	uint64_t cannot;       /* scenarios that could not run to their end */
};

/* Run all scenarios of a script. */
void scenario_run(struct scenario_totals *totals, const struct scenario_script *script,
                  const struct scenario_options *options);

#endif
