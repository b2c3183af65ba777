/* SPDX-License-Identifier: MIT */
/*
 * The error of the timing model, for recordings whose latencies it made: the median difference
 * between the model and published measurements of real cores (arch/silicon.tsv), for each area of
 * cycles.
 */
#ifndef TOOLS_REPORT_MODEL_ERROR_H
#define TOOLS_REPORT_MODEL_ERROR_H

#include "profile.h"
#include "../session/reason.h"

struct model_error {
	const char *area; /* word of the area (area_words); NULL ends the list */
	int percent;
};

/* The generated list of areas with measurements. */
extern const struct model_error model_errors[];

/* Return the machine that `spemu record` names in a recording, or NULL if it did not make the
 * recording. */
const char *recorded_machine(const struct recording *r);

/* Return the error for an area in percent. Return -1 without measurements, or if a recording's
 * latencies do not come from the model. */
int model_error(const struct profile *p, enum area area);

#endif
