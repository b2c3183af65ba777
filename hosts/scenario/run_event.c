/* SPDX-License-Identifier: MIT */
/* Events of a run, sent to its caller. */
#include <stdarg.h>
#include <stdio.h>

#include "run_state.h"

static void send(struct run *run, struct scenario_event event)
{
	event.name = run->script->name;
	event.scenario = run->scenario;
	if (!event.line)
		event.line = run->current ? run->current->at.line : 0;
	if (run->options->event)
		run->options->event(run->options->ctx, &event);
}

void run_event(struct run *run, enum scenario_event_kind kind, const char *text)
{
	send(run, (struct scenario_event){.kind = kind, .text = text});
}

void run_verdict(struct run *run, bool held, unsigned line, const char *what, const char *expected,
                 const char *got)
{
	run->totals->expectations++;
	run->totals->failed += !held;
	send(run, (struct scenario_event){.kind = held ? SCENARIO_HELD : SCENARIO_FAILED,
	                                  .line = line,
	                                  .text = what,
	                                  .expected = expected,
	                                  .got = got});
}

void run_diagnostic(struct run *run, unsigned line, const struct spemu_diagnostic *diagnostic)
{
	run->totals->diagnostics++;
	send(run, (struct scenario_event){.kind = SCENARIO_DIAGNOSTIC,
	                                  .line = line,
	                                  .text = diagnostic->name,
	                                  .diagnostic = diagnostic});
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
	run_event(run, SCENARIO_CANNOT, text);
}
