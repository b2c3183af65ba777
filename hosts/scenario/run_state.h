/* SPDX-License-Identifier: MIT */
/* The state of a running scenario. */
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
	const char *scenario; /* name of the scenario */
	const struct command *current;
	struct spemu_pe_config pe_config;
	struct spemu_spu_config config;
	const char *features;
	const struct command *chosen[CHOSEN_MAX];
	unsigned chosen_count;
	bool started;   /* the SPU exists, so the configuration is complete */
	bool abandoned; /* the rest of the scenario is skipped */
	uint64_t steps;
	uint64_t *op_counts; /* operations that each command has executed */
	struct spemu_op in_flight[SPEMU_IN_FLIGHT_MAX]; /* operations of "begin", by slot */
	struct machine machine;
	bool has_pc;
	uint64_t pc;                     /* pc of the next command that is an instruction */
	uint64_t shown[SPEMU_REG_COUNT]; /* register values that the trace has shown */
	size_t shown_records;
	bool shown_irq, shown_freeze;
	unsigned shown_exception; /* target of the exception that the trace has shown */
	uint64_t shown_serrors;
	size_t shown_diagnostics;
};

/* Functions of run_event.c. */
void run_event(struct run *run, enum scenario_event_kind kind, const char *text);
/* Count an expectation and report its verdict. `line` is its line, or 0 for the current command's
 * line. */
void run_verdict(struct run *run, bool held, unsigned line, const char *what, const char *expected,
                 const char *got);
/* Report a diagnostic of strict mode about a line. */
void run_diagnostic(struct run *run, unsigned line, const struct spemu_diagnostic *diagnostic);
/* End the scenario here, with a message. */
void run_abandon(struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Functions of configuration.c. */
/* Execute a command of the configuration. Return false for other commands. */
bool execute_configuration(struct run *run, const struct command *c);
/* Make the SPU. Return false if that fails. */
bool run_start(struct run *run);

/* Functions of expectation.c. */
void expect_machine(struct run *run, const struct command *command);
/* Fail for each diagnostic that no expectation names; in strict mode, report it. */
void unexpected_diagnostics(struct run *run);
void expect_record(struct run *run, const struct command *command);
void expect_value(struct run *run, const struct expectation *e, uint64_t value);
void expect_outcome(struct run *run, const struct command *command, int status,
                    const struct spemu_access_result *result);

/* Functions of execute_pmu.c. */
void execute_pmu(struct run *run, const struct command *command);

/* Functions of trace.c. */
void trace_start(struct run *run);   /* regard the present state as shown */
void trace_command(struct run *run); /* show all changes since the last call */
/* Show the state, for the command "state". */
void trace_state(struct run *run, const struct command *command);
/* Write descriptions of a record's packets to text, separated by "; ". */
void record_text(char *text, size_t size, const uint8_t *data, size_t data_size);

#endif
