/* SPDX-License-Identifier: MIT */
/* Start-up: the code that runs before main(), and the dynamic loader. */
#ifndef TOOLS_REPORT_STARTUP_H
#define TOOLS_REPORT_STARTUP_H

#include "cost.h"
#include "../session/place.h"

/* Return true if the place is in the dynamic loader, or in a function of the C library that
 * prepares a program or an object. */
bool is_startup(struct place *place);

/* Return the cost of start-up. */
struct cost cost_of_startup(struct profile *p);

#endif
