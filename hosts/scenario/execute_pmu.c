/* SPDX-License-Identifier: MIT */
/* The execution of commands for the PMU: events, Captures, branches, power and external
 * accesses. */
#include <stdio.h>

#include "run_state.h"

static void execute_capture(struct run *run, const struct command *c)
{
	struct spemu_pmu *pmu = run->machine.pmu;
	unsigned outcome = c->capture.completes ? spemu_pmu_capture_complete(pmu)
	                                        : spemu_pmu_capture_request(pmu);

	if (c->capture.stated)
		run_verdict(run, outcome == c->capture.outcome, 0, "capture",
		            capture_outcome_names[c->capture.outcome],
		            capture_outcome_names[outcome]);
}

static void execute_external(struct run *run, const struct command *c)
{
	struct spemu_pmu *pmu = run->machine.pmu;
	uint64_t value = 0;
	bool error;
	char expected[32], got[32];
	int status;

	if (c->external.write)
		status = spemu_pmu_external_write(pmu, &error, c->external.offset, c->external.size,
		                                  c->external.security, c->external.value);
	else
		status = spemu_pmu_external_read(pmu, &error, &value, c->external.offset,
		                                 c->external.size, c->external.security);
	if (status) {
		run_abandon(run, "no external access of %u bytes at %#x: %s", c->external.size,
		            c->external.offset, spemu_strerror(status));
		return;
	}
	snprintf(got, sizeof(got), "%#llx", (unsigned long long)value);
	if (c->external.wants_error || error)
		run_verdict(run, error == c->external.wants_error, 0, "external access",
		            c->external.wants_error ? "error" : "no error", error ? "error" : got);
	else if (c->external.wants_value) {
		snprintf(expected, sizeof(expected), "%#llx",
		         (unsigned long long)c->external.wanted);
		run_verdict(run, value == c->external.wanted, 0, "external access", expected, got);
	}
}

void execute_pmu(struct run *run, const struct command *c)
{
	struct spemu_pmu *pmu = run->machine.pmu;

	if (!pmu) {
		run_abandon(run, "this PE does not have a PMU; add FEAT_PMUv3 to its features");
		return;
	}
	switch (c->kind) {
	case COMMAND_EVENT:
		(void)spemu_pmu_count(pmu, c->event.number, c->event.count);
		break;
	case COMMAND_CAPTURE:
		execute_capture(run, c);
		break;
	case COMMAND_BRANCH:
		spemu_pmu_branch(pmu, c->address);
		break;
	case COMMAND_POWER:
		spemu_pmu_power(pmu, c->power);
		break;
	case COMMAND_EXTERNAL:
		execute_external(run, c);
		break;
	default:
		break;
	}
}
