/* SPDX-License-Identifier: MIT */
/* See annotate_layout.h. */
#include "annotate_layout.h"
#include "../base/json.h"
#include "../report/arguments.h"
#include "../report/header.h"
#include "../report/section.h"

int show_layout(const char *input, const char *name, uint64_t limit, bool json)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	struct arguments a;
	struct table t;

	arguments_init(&a);
	arguments_add_input(&a, input);
	a.view.limit = name ? 0 : (size_t)limit;
	a.view.limited = true;
	p->data_type = name;
	profile_want(p, &section_layout);
	arguments_open(&a, p);
	section_layout.fill(&t, p, &a.view);
	if (name && !t.row_count)
		die(EXIT_OWN,
		    "'%s' is not a structure; 'spemu report -i %s --section types' has its samples",
		    name, input);
	if (json) {
		struct json_object *root = header_json(p);

		json_object_object_add(root, t.key, table_json(&t));
		out_json_pretty(&out_stdout, root);
	} else {
		header_print(p, &out_stdout);
		table_print(&t, &out_stdout);
	}
	table_free(&t);
	out_flush(&out_stdout);
	samples_warn(&p->samples);
	return samples_status(&p->samples);
}
