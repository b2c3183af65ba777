/* SPDX-License-Identifier: MIT */
/* Output of a view as text or JSON. */
#ifndef TOOLS_ANNOTATE_PRINT_H
#define TOOLS_ANNOTATE_PRINT_H

#include <json-c/json_object.h>

#include "annotate_view.h"

struct print_options {
	bool source, code;
	unsigned context; /* number of rows around rows with samples; UINT_MAX for all */
};

void print_view(const struct view *v, const struct counts *all, const struct print_options *opt);
struct json_object *view_json(const struct view *v, const struct counts *all);

#endif
