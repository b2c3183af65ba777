/* SPDX-License-Identifier: MIT */
/* Diagnostics as a SARIF 2.1.0 log (OASIS Standard), which code-scanning services read. */
#ifndef TOOLS_SARIF_H
#define TOOLS_SARIF_H

#include <stdbool.h>
#include <spemu/diagnostic.h>
#include "place.h"

struct sarif;

/* Open the log. Die with EXIT_OWN if the file cannot be written. */
struct sarif *sarif_open(const char *path);
/* Add a result. The symbol is NULL if it is unknown. */
void sarif_add(struct sarif *sarif, const struct report_place *place,
               const struct spemu_diagnostic *d, const char *symbol, bool suppressed);
void sarif_close(struct sarif *sarif);

#endif
