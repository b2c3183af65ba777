/* SPDX-License-Identifier: MIT */
/*
 * Reports of strict mode for every host: text with context, JSON lines, and a SARIF 2.1.0 file,
 * with suppressions and the symbols of ELF files.
 */
#ifndef TOOLS_STRICT_REPORT_H
#define TOOLS_STRICT_REPORT_H

#include <spemu/strict.h>
#include "../base/common.h"
#include "images.h"
#include "place.h"

struct strict_report;

/* Create a report. The paths and images may be NULL. Die with EXIT_OWN, and name file and line, if
 * one cannot be used. */
struct strict_report *strict_report_new(const char *suppressions, const char *sarif,
                                        const struct images *images);
/* Suppress a diagnostic. Its name must stay valid. */
void strict_report_ignore(struct strict_report *report, const char *diagnostic);

/* Show a diagnostic as a JSON line or as text, unless it is suppressed. */
void strict_report_add(struct strict_report *report, struct out *out, bool json, bool comment,
                       const struct report_place *place, const struct spemu_diagnostic *d);

uint64_t strict_report_count(const struct strict_report *report); /* number of diagnostics shown */

/* Complete the SARIF file, and write the number of diagnostics unless `out` is NULL. */
void strict_report_finish(struct strict_report *report, struct out *out, bool json, bool comment);

#endif
