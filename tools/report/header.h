/* SPDX-License-Identifier: MIT */
/* What recordings say of themselves, before the tables. */
#ifndef TOOLS_REPORT_HEADER_H
#define TOOLS_REPORT_HEADER_H

#include <json-c/json_object.h>

#include "profile.h"
#include "../base/common.h"

void header_print(const struct profile *p, struct out *o);
/* An object with the members of the recording; with several, "inputs" has one for each. */
struct json_object *header_json(const struct profile *p);
/* Adds what is known of one recording. */
void header_json_input(struct json_object *to, const struct recording *r);

#endif
