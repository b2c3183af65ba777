/* SPDX-License-Identifier: MIT */
/* What a run tells its caller. */
#include <stdarg.h>
#include <stdio.h>

#include "run_state.h"

void run_event_at(struct run *run, enum scenario_event_kind kind, unsigned line, const char *text,
                  const char *expected, const char *got)
{
	struct scenario_event event = {
	        .kind = kind,
	        .name = run->script->name,
	        .scenario = run->scenario,
	        .line = line,
	        .text = text,
	        .expected = expected,
	        .got = got,
	};

	if (run->options->event)
		run->options->event(run->options->ctx, &event);
}

void run_diagnostic(struct run *run, unsigned line, const struct spemu_diagnostic *diagnostic)
{
	struct scenario_event event = {
	        .kind = SCENARIO_DIAGNOSTIC,
	        .name = run->script->name,
	        .scenario = run->scenario,
	        .line = line,
	        .text = diagnostic->name,
	        .diagnostic = diagnostic,
	};

	run->totals->diagnostics++;
	if (run->options->event)
		run->options->event(run->options->ctx, &event);
}

void run_event(struct run *run, enum scenario_event_kind kind, const char *text,
               const char *expected, const char *got)
{
	run_event_at(run, kind, run->current ? run->current->at.line : 0, text, expected, got);
}

void run_abandon(struct run *run, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	run->abandoned = true;
	run->totals->cannot++;
	run_event(run, SCENARIO_CANNOT, text, NULL, NULL);
}
