/* SPDX-License-Identifier: MIT */
/*
 * Reports of strict mode, for every host: text with context, JSON lines, a SARIF 2.1.0 file;
 * suppressions; symbols of an ELF file.
 */
#ifndef TOOLS_STRICT_REPORT_H
#define TOOLS_STRICT_REPORT_H

#include <spemu/strict.h>
#include "../base/common.h"
#include "images.h"
#include "place.h"

struct strict_report;

/* The paths and images may be NULL. Dies with EXIT_OWN, naming file and line, if one cannot be
 * used. */
struct strict_report *strict_report_new(const char *suppressions, const char *sarif,
                                        const struct images *images);
/* Suppress the diagnostic, a constant text. */
void strict_report_ignore(struct strict_report *report, const char *diagnostic);

/* Shows a diagnostic, as a JSON line or as text, unless it is suppressed. */
void strict_report_add(struct strict_report *report, struct out *out, bool json, bool comment,
                       const struct report_place *place, const struct spemu_diagnostic *d);

uint64_t strict_report_count(const struct strict_report *report); /* shown */

/* Says how many there were, and writes the SARIF file. out NULL: says nothing. */
void strict_report_finish(struct strict_report *report, struct out *out, bool json, bool comment);

#endif
