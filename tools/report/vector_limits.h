/* SPDX-License-Identifier: MIT */
/* Facts about SVE operations that records do not show, and how to get them. */
#ifndef TOOLS_REPORT_VECTOR_LIMITS_H
#define TOOLS_REPORT_VECTOR_LIMITS_H

#include <json-c/json_object.h>

#include "profile.h"
#include "../base/common.h"

/* Note whether a load or store in the format of SVE has an address. */
void vector_limits_note(struct profile *p, const struct counted *c);
/* Print a line for each limit, or nothing. Sections must have looked up the symbols before. */
void vector_limits_print(const struct profile *p, struct out *o);
void vector_limits_json(struct json_object *root, const struct profile *p);

#endif
