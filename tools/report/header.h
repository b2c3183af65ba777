/* SPDX-License-Identifier: MIT */
/* The head of a report: the command, the machine and the number of samples of each recording. */
#ifndef TOOLS_REPORT_HEADER_H
#define TOOLS_REPORT_HEADER_H

#include <json-c/json_object.h>

#include "profile.h"
#include "../base/common.h"

void header_print(const struct profile *p, struct out *o);
/* Return an object that describes the recording. If there are several, its member "inputs" has an
 * object for each. */
struct json_object *header_json(const struct profile *p);

#endif
