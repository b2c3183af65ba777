/* SPDX-License-Identifier: MIT */
/* Section "lines": source lines of each object. */
#include "section.h"

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	static const char *const keys[] = {"dso", "srcline", NULL};
	struct view lines = view_of(view, keys);

	view_table(t, "lines", "Source lines", p, &lines, NULL);
}

const struct section section_lines = {"lines", .fill = fill};
