/* SPDX-License-Identifier: MIT */
/* spemu report: from recordings to tables. */
#define _GNU_SOURCE
#include "html.h"
#include "report_answer.h"
#include "report_arguments.h"
#include "report_calls.h"
#include "report_header.h"
#include "report_heat.h"
#include "report_section.h"
#include "../session/sample_filter.h"
#include "../session/kernel_object.h"
#include "../session/source.h"
#include "../base/fit.h"
#include "../base/json.h"
#include "../base/pager.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which they are shown; the first is the answer. */
static const struct section {
	const char *name;
	section_fn *fill; /* NULL: the answer, which is no table */
	bool by_address;  /* from what was done to each address */
	enum {
		ALWAYS,
		WITH_STACKS, /* of recordings that have them */
		ASKED_FOR,
	} usual;
} sections[] = {
        {"answer", NULL, false, ALWAYS},
        {"functions", section_functions, false, ALWAYS},
        {"totals", section_totals, false, WITH_STACKS},
        {"callers", section_callers, false, ASKED_FOR},
        {"callees", section_callees, false, ASKED_FOR},
        {"lines", section_lines, false, ALWAYS},
        {"operations", section_operations, false, ALWAYS},
        {"objects", section_objects, true, ALWAYS},
        {"heap", section_heap, true, ALWAYS},
        {"heap-offsets", section_heap_offsets, true, ALWAYS},
        {"cache-lines", section_cache_lines, false, ALWAYS},
        {"offsets", section_offsets, true, ALWAYS},
        {"pages", section_pages, true, ALWAYS},
        {"branches", section_branches, false, ALWAYS},
        {"latency", section_latency, false, ALWAYS},
        {"sources", section_sources, false, ALWAYS},
        {"events", section_events, false, ALWAYS},
};
#define SECTION_COUNT (sizeof(sections) / sizeof(sections[0]))

struct arguments {
	struct report_arguments common;
	bool wanted[SECTION_COUNT];
	bool asked;            /* for some of them */
	bool call_stacks;      /* -g */
	bool stacks_asked_for; /* -g, or a section of them */
};

/* Of those that most recordings have nothing for: shown without being asked for if there is something. */
static bool is_heap(size_t section)
{
	return sections[section].fill == section_heap ||
	       sections[section].fill == section_heap_offsets;
}

static void parse_sections(struct arguments *a, const char *list)
{
	const char *names[SECTION_COUNT + 1] = {NULL};
	char *copy = xstrdup(list), *rest = copy, *word;

	for (size_t i = 0; i < SECTION_COUNT; i++)
		names[i] = sections[i].name;
	while ((word = strsep(&rest, ",")))
		a->wanted[find_name("section", word, names)] = true;
	free(copy);
}

static void take_option(struct arguments *a, int option)
{
	struct report_arguments *c = &a->common;

	switch (option) {
	case REPORT_INPUT:
		arguments_add_input(c, optarg);
		break;
	case REPORT_SECTION:
		parse_sections(a, optarg);
		break;
	case REPORT_CALL_STACKS:
		a->call_stacks = true;
		break;
	case REPORT_LINE_SIZE:
		c->line_size = (unsigned)option_value.number;
		break;
	}
}

static void parse_arguments(struct arguments *a, int argc, char **argv)
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

static void show_text(const struct arguments *a, struct profile *p)
{
	struct table tables[SECTION_COUNT];
	struct answer answer;

	/* All is looked up before the pager takes the terminal. */
	if (a->wanted[0])
		answer_find(&answer, p);
	for (size_t i = 1; i < SECTION_COUNT; i++) {
		if (a->wanted[i])
			sections[i].fill(&tables[i], p, &a->common.view);
	}
	if (!a->common.no_pager)
		pager_start();
	header_print(p, &out_stdout);
	if (a->wanted[0])
		answer_print(&answer, p, &out_stdout);
	for (size_t i = 1; i < SECTION_COUNT; i++) {
		if (!a->wanted[i])
			continue;
		if (a->asked || tables[i].row_count || !is_heap(i))
			table_print(&tables[i], &out_stdout);
		table_free(&tables[i]);
	}
	out_flush(&out_stdout);
}

/* All that is wanted; tables, unless NULL, gets how to show each. */
static struct json_object *as_json(const struct arguments *a, struct profile *p,
                                   struct json_object *tables)
{
	struct json_object *root = header_json(p);
	struct answer answer;
	struct table t;

	if (a->wanted[0]) {
		answer_find(&answer, p);
		json_object_object_add(root, "answer", answer_json(&answer, p));
	}
	for (size_t i = 1; i < SECTION_COUNT; i++) {
		if (!a->wanted[i])
			continue;
		sections[i].fill(&t, p, &a->common.view);
		json_object_object_add(root, t.key, table_json(&t));
		if (tables)
			json_object_array_add(tables, html_table(&t));
		table_free(&t);
	}
	return root;
}

static void show_json(const struct arguments *a, struct profile *p)
{
	out_json_pretty(&out_stdout, as_json(a, p, NULL));
	out_text(&out_stdout, "\n");
	out_flush(&out_stdout);
}

/* -g adds the sections of calls to those that are shown otherwise. */
static void want_usual(struct arguments *a)
{
	bool any = false;

	for (size_t i = 0; i < SECTION_COUNT; i++)
		any = any || a->wanted[i];
	a->asked = any;
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (a->call_stacks && sections[i].usual != ALWAYS)
			a->wanted[i] = true;
		else if (!any && sections[i].usual != ASKED_FOR)
			a->wanted[i] = true;
		if (a->wanted[i] && sections[i].usual != ALWAYS)
			a->stacks_asked_for = a->stacks_asked_for || any || a->call_stacks;
		a->common.by_address |= a->wanted[i] && sections[i].by_address;
	}
}

static bool wants_stacks(const struct arguments *a)
{
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (a->wanted[i] && sections[i].usual != ALWAYS)
			return true;
	}
	return false;
}

/* Where there are no call stacks there are no sections of them. */
static void check_stacks(struct arguments *a, const struct profile *p)
{
	if (!p->calls || p->calls->found)
		return;
	if (a->stacks_asked_for)
		die(EXIT_OWN, "there are no call stacks in %s; record them with 'spemu record -g'",
		    p->inputs[0].path);
	for (size_t i = 0; i < SECTION_COUNT; i++)
		a->wanted[i] = a->wanted[i] && sections[i].usual == ALWAYS;
}

/* Reads the recordings. */
static void collect(struct arguments *a, struct profile *p)
{
	want_usual(a);
	if (wants_stacks(a))
		p->calls = calls_new();
	if (a->common.html)
		p->heat = heat_new();
	arguments_open(&a->common, p);
	check_stacks(a, p);
}

static struct json_object *as_page(const struct arguments *a, struct profile *p)
{
	struct json_object *tables = json_object_new_array();
	struct json_object *root = as_json(a, p, tables);

	html_add_page(root, p, tables);
	return root;
}

struct json_object *html_side(const struct report_arguments *like, const char *path)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	struct arguments a = {0};

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
	struct arguments *a = xcalloc(1, sizeof(*a));

	arguments_init(&a->common);
	parse_arguments(a, argc, argv);
	arguments_check_html(&a->common);
	if (a->common.html)
		html_check_file(a->common.html);
	color_setup(a->common.color);
	collect(a, profile);
	if (a->common.html)
		html_write(a->common.html, as_page(a, profile));
	else if (a->common.json)
		show_json(a, profile);
	else
		show_text(a, profile);
	arguments_warn(profile);
	return profile_status(profile);
}
