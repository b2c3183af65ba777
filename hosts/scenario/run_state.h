/* SPDX-License-Identifier: MIT */
/* The state of a running scenario, which execute.c, expectation.c and trace.c share. */
#ifndef SCENARIO_RUN_STATE_H
#define SCENARIO_RUN_STATE_H

#include "scenario_machine.h"
#include "scenario.h"
#include "script.h"
#include "subject.h"

#define CHOSEN_MAX 64

struct run {
	const struct scenario_script *script;
	const struct scenario_options *options;
	struct scenario_totals *totals;
	const char *scenario; /* its name */
	const struct command *current;
	struct spemu_pe_config pe_config;
	struct spemu_spu_config config;
	const char *features;
	const struct command *chosen[CHOSEN_MAX];
	unsigned chosen_count;
	bool started;   /* the SPU is there: the configuration is complete */
	bool abandoned; /* the rest of the scenario is skipped */
	uint64_t steps;
	uint64_t *op_counts; /* operations that each command has executed */
	struct spemu_op in_flight[SPEMU_IN_FLIGHT_MAX]; /* what "begin" started, by slot */
	struct machine machine;
	bool has_pc;
	uint64_t pc;                     /* of the next command that is an instruction */
	uint64_t shown[SPEMU_REG_COUNT]; /* registers as the trace knows them */
	size_t shown_records;
	bool shown_irq, shown_freeze;
	unsigned shown_exception; /* its target */
	uint64_t shown_serrors;
	size_t shown_diagnostics;
};

/* run_event.c */
void run_event(struct run *run, enum scenario_event_kind kind, const char *text);
/* Count an expectation and report its verdict, about a line; line 0: the current command's. */
void run_verdict(struct run *run, bool held, unsigned line, const char *what, const char *expected,
                 const char *got);
/* Report a diagnostic of strict mode about a line. */
void run_diagnostic(struct run *run, unsigned line, const struct spemu_diagnostic *diagnostic);
/* End the scenario here, with a message. */
void run_abandon(struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* configuration.c */
/* Commands that make the configuration; false for others. */
bool execute_configuration(struct run *run, const struct command *c);
/* Make the SPU; false if there is none. */
bool run_start(struct run *run);

/* expectation.c */
void expect_machine(struct run *run, const struct command *command);
/* Fail for each diagnostic that no expectation names; in strict mode, report it. */
void unexpected_diagnostics(struct run *run);
void expect_record(struct run *run, const struct command *command);
void expect_value(struct run *run, const struct expectation *e, uint64_t value);
void expect_outcome(struct run *run, const struct command *command, int status,
                    const struct spemu_access_result *result);

/* execute_pmu.c */
void execute_pmu(struct run *run, const struct command *command);

/* trace.c */
void trace_start(struct run *run);   /* take the state as known */
void trace_command(struct run *run); /* show what differs from what is known */
/* The command "state". */
void trace_state(struct run *run, const struct command *command);
/* The packets of a record in words, "; " between them. */
void record_text(char *text, size_t size, const uint8_t *data, size_t data_size);

#endif
