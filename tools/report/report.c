/* SPDX-License-Identifier: MIT */
/* spemu report: options, sections and forms of the output. */
#include "html.h"
#include "summary.h"
#include "arguments.h"
#include "calls.h"
#include "header.h"
#include "heat.h"
#include "section.h"
#include "vector_limits.h"
#include "../base/json.h"
#include "../base/pager.h"

#include <json-c/json.h>

/* The summary (summary.h), which is not a table. The command line and JSON call it the answer. */
static const struct section section_summary = {"answer", .of_data = true};

/* The sections in the order of the report. */
static const struct section *const sections[] = {
        &section_summary,      &section_reasons,     &section_functions, &section_totals,
        &section_callers,      &section_callees,     &section_lines,     &section_operations,
        &section_types,        &section_unknown,     &section_members,   &section_layout,
        &section_sharing,      &section_advice,      &section_objects,   &section_heap,
        &section_heap_offsets, &section_cache_lines, &section_offsets,   &section_pages,
        &section_branches,     &section_latency,     &section_sources,   &section_events,
};
enum { SUMMARY, SECTION_COUNT = sizeof(sections) / sizeof(sections[0]) };

struct report {
	struct arguments common;
	bool wanted[SECTION_COUNT];
	bool implied[SECTION_COUNT]; /* sections that another one shows, too */
	bool asked;                  /* true if --section was given */
	const char *data_type;       /* only this type is shown, or NULL for all */
	bool call_stacks;            /* true if -g was given */
	bool stacks_asked_for;       /* true if -g or --section asks for call stacks */
};

static void take_option(struct report *a, int option)
{
	const char *section_names[SECTION_COUNT + 1] = {NULL};
	struct arguments *c = &a->common;

	for (size_t i = 0; i < SECTION_COUNT; i++)
		section_names[i] = sections[i]->name;

	switch (option) {
	case REPORT_INPUT:
		arguments_add_input(c, optarg);
		break;
	case REPORT_SECTION:
		arguments_take_sections(a->wanted, section_names, optarg);
		break;
	case REPORT_CALL_STACKS:
		a->call_stacks = true;
		break;
	case REPORT_UNKNOWN:
		arguments_take_sections(a->wanted, section_names, section_unknown.name);
		break;
	case REPORT_DATA_TYPE:
		a->data_type = optarg;
		break;
	case REPORT_LINE_SIZE:
		c->line_size = (unsigned)option_value.number;
		break;
	}
}

static void parse_arguments(struct report *a, int argc, char **argv)
{
	int c;

	while ((c = next_option(&report_options, argc, argv)) != -1) {
		take_option(a, c);
		arguments_take_option(&a->common, report_options.rows[c].name, optarg);
	}
	for (; optind < argc; optind++)
		arguments_add_input(&a->common, argv[optind]);
	if (!a->common.input_count)
		arguments_add_input(&a->common, "perf.data");
}

static void show_text(const struct report *a, struct profile *p)
{
	struct table tables[SECTION_COUNT];
	struct summary summary;

	/* Look everything up before the pager takes over the terminal. */
	if (a->wanted[SUMMARY])
		summary_find(&summary, p);
	for (size_t i = SUMMARY + 1; i < SECTION_COUNT; i++) {
		if (a->wanted[i])
			sections[i]->fill(&tables[i], p, &a->common.view);
	}
	if (!a->common.no_pager)
		pager_start();
	header_print(p, &out_stdout);
	vector_limits_print(p, &out_stdout);
	if (a->wanted[SUMMARY])
		summary_print(&summary, &out_stdout);
	for (size_t i = SUMMARY + 1; i < SECTION_COUNT; i++) {
		if (!a->wanted[i])
			continue;
		if ((a->asked && !a->implied[i]) || tables[i].row_count || !sections[i]->if_any)
			table_print(&tables[i], &out_stdout);
		table_free(&tables[i]);
	}
}

/* Make the JSON form of the wanted sections. tables, unless NULL, gets the title, note and columns
 * of each. */
static struct json_object *as_json(const struct report *a, struct profile *p,
                                   struct json_object *tables)
{
	struct json_object *root = header_json(p);
	struct summary summary;
	struct table t;

	if (a->wanted[SUMMARY]) {
		summary_find(&summary, p);
		json_object_object_add(root, "answer", summary_json(&summary));
	}
	for (size_t i = SUMMARY + 1; i < SECTION_COUNT; i++) {
		if (!a->wanted[i])
			continue;
		sections[i]->fill(&t, p, &a->common.view);
		json_object_object_add(root, t.key, table_json(&t));
		if (tables)
			json_object_array_add(tables, html_table(&t));
		table_free(&t);
	}
	vector_limits_json(root, p);
	return root;
}

/* Choose the default sections if none was asked for. -g adds the sections about calls. */
static void want_usual(struct report *a)
{
	for (size_t i = 0; i < SECTION_COUNT; i++)
		a->asked = a->asked || a->wanted[i];
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		const struct section *s = sections[i];

		if (s->of_stacks ? a->call_stacks || (!a->asked && !s->asked_for)
		                 : !a->asked && !s->asked_for)
			a->wanted[i] = true;
		/* The page has a picture of the layout. */
		if (a->common.html && !a->asked && s->of_data && s->asked_for)
			a->wanted[i] = true;
		for (size_t k = 0; k < i && s->with; k++)
			a->implied[i] |= sections[k] == s->with && a->wanted[k] && !a->wanted[i];
		a->wanted[i] |= a->implied[i];
		if (a->wanted[i] && s->of_stacks)
			a->stacks_asked_for = a->asked || a->call_stacks;
	}
}

/* Drop the sections about call stacks if the recordings have none. Die if they were asked for. */
static void check_stacks(struct report *a, const struct profile *p)
{
	if (!p->calls || p->samples.has_stacks)
		return;
	if (a->stacks_asked_for)
		die(EXIT_OWN, "%s has no call stacks; record them with 'spemu record -g'",
		    p->samples.recordings[0].path);
	for (size_t i = 0; i < SECTION_COUNT; i++)
		a->wanted[i] = a->wanted[i] && !sections[i]->of_stacks;
}

/* Read the recordings for the wanted sections. */
static void collect(struct report *a, struct profile *p)
{
	want_usual(a);
	p->data_type = a->data_type;
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (a->wanted[i])
			profile_want(p, sections[i]);
	}
	if (a->common.html) {
		profile_want(p, &section_heat);
		profile_want(p, &section_call_bins);
	}
	arguments_open(&a->common, p);
	check_stacks(a, p);
}

static struct json_object *as_page(const struct report *a, struct profile *p)
{
	struct json_object *tables = json_object_new_array();
	struct json_object *root = as_json(a, p, tables);

	html_add_page(root, p, tables);
	return root;
}

struct json_object *html_side(const struct arguments *like, const char *path)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	struct report a = {0};

	arguments_init(&a.common);
	arguments_add_input(&a.common, path);
	a.common.filter = like->filter;
	a.common.html = like->html;
	a.common.view.limit = like->view.limit;
	a.common.view.percent_limit = like->view.percent_limit;
	collect(&a, p);
	return as_page(&a, p);
}

int cmd_report(int argc, char **argv)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));
	struct report *a = xcalloc(1, sizeof(*a));

	arguments_init(&a->common);
	parse_arguments(a, argc, argv);
	arguments_check_html(&a->common);
	color_setup(a->common.color);
	collect(a, profile);
	if (a->common.html)
		html_write(a->common.html, as_page(a, profile));
	else if (a->common.json)
		out_json_pretty(&out_stdout, as_json(a, profile, NULL));
	else
		show_text(a, profile);
	out_flush(&out_stdout);
	if (a->data_type && !profile->touch_types)
		warn("--data-type changes no section of this report; add --section types");
	samples_warn(&profile->samples);
	return samples_status(&profile->samples);
}
