/* SPDX-License-Identifier: MIT */
/*
 * The functions that cost the most, for the page of --html:
 *
 *   functions  name, object, share and sampled lines of each function, with the default fields of a
 *              report. A line of a function with a symbol has its sampled instructions
 *              (html_code.c). "no_disassembly" is the reason why they have no text.
 *   files      for each file, the lines around the sampled ones as [number, text], and "found",
 *              which is false if the file was not found
 *
 * The constants below bound both lists.
 */
#include "html.h"
#include "../base/common.h"
#include "../base/json.h"
#include "../session/source.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 20, LINES = 200, CONTEXT = 4, TEXT_MAX = 1 << 20 };

/* A source line on the page. */
struct shown {
	const char *file;
	int line;
};

struct listing {
	struct profile *p;
	struct view view; /* fields of a line */
	struct groups lines;
	struct shown *shown;
	size_t count, capacity;
	const struct group *of_row[LINES]; /* line of each row of a function */
	struct html_code code;
};

/* Add the default fields that the text form shows. */
static void take_fields(struct view *view)
{
	for (unsigned i = 0; i < field_default_count(); i++) {
		field_default(&view->fields[view->field_count], i);
		view->field_count += !view->fields[view->field_count].json_only;
	}
}

static void fill_line(struct cell *c, const struct listing *l, const struct group *g)
{
	struct metrics m = group_metrics(l->p, g);

	view_fill_fields(c, &l->view, &m, l->p);
	metrics_free(&m);
	key_fill(&c[l->view.field_count], key_find("srcline"), l->p, g);
}

static void show_around(struct listing *l, const struct place *place)
{
	for (int line = place->line - CONTEXT; line <= place->line + CONTEXT; line++) {
		if (line < 1)
			continue;
		APPEND(l->shown, l->count, l->capacity) = (struct shown){place->file, line};
	}
}

/* Fill the table with the lines of a function. Return the number of lines left out. */
static size_t fill_function(struct table *t, struct listing *l, const struct group *function)
{
	const struct comparison c = {l->p, false};
	const struct key *symbol = key_find("sym");
	size_t more = 0;

	for (size_t i = 0; i < l->lines.count; i++) {
		const struct group *g = &l->lines.group[i];

		if (key_compare(symbol, &c, g->members, function->members) != 0)
			continue;
		if (t->row_count == LINES) {
			more++;
			continue;
		}
		l->of_row[t->row_count] = g;
		fill_line(table_row(t), l, g);
		if (member_place(l->p, g->members)->file)
			show_around(l, member_place(l->p, g->members));
	}
	return more;
}

/* Add the instructions of each line to its row. */
static void add_instructions(struct json_object *function, struct listing *l, size_t rows)
{
	struct json_object *lines;

	l->code.problem = NULL;
	json_object_object_get_ex(function, "lines", &lines);
	for (size_t i = 0; i < rows && member_place(l->p, l->of_row[i]->members)->symbol; i++)
		json_object_object_add(json_object_array_get_idx(lines, i), "instructions",
		                       html_instructions(l->p, l->of_row[i], &l->code));
	json_add_text(function, "no_disassembly", l->code.problem);
}

static struct json_object *function_json(struct listing *l, const struct group *function)
{
	struct json_object *o = json_object_new_object();
	const struct place *place = member_place(l->p, function->members);
	const struct key *line = key_find("srcline");
	uint64_t cycles = l->p->all.latency;
	struct table t;
	char name[4200];
	size_t more;

	view_table_init(&t, &l->view, "source", "Source", line->columns, line->column_count);
	more = fill_function(&t, l, function);
	place_name(name, sizeof(name), place, false);
	json_add_text(o, "symbol", name);
	html_add_name(json_object_object_get(o, "symbol"));
	json_add_text(o, "object", place_object(place));
	json_object_object_add(
	        o, "share",
	        json_object_new_double(cycles ? 100 * (double)function->latency / (double)cycles
	                                      : 100 * (double)function->samples /
	                                                (double)l->p->all.samples));
	json_add_number(o, "samples", function->samples);
	json_object_object_add(o, "lines", table_json(&t));
	add_instructions(o, l, t.row_count);
	json_add_number(o, "left_out", more);
	table_free(&t);
	return o;
}

static int compare_shown(const void *pa, const void *pb)
{
	const struct shown *a = pa, *b = pb;
	int order = strcmp(a->file, b->file);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static struct json_object *file_json(const char *file, struct json_object **lines)
{
	struct json_object *o = json_object_new_object();

	*lines = json_object_new_array();
	json_add_text(o, "file", file);
	json_object_object_add(o, "found", json_object_new_boolean(source_found(file)));
	json_object_object_add(o, "lines", *lines);
	return o;
}

static void add_line(struct json_object *lines, const struct shown *s, const char *text)
{
	struct json_object *pair = json_object_new_array();

	json_object_array_add(pair, json_object_new_int(s->line));
	json_object_array_add(pair, json_text(text));
	json_object_array_add(lines, pair);
}

/* Return the files with the text of all shown lines, each line once. */
static struct json_object *files_json(const struct listing *l)
{
	struct json_object *files = json_object_new_array(), *lines = NULL;
	size_t bytes = 0;

	if (l->count)
		qsort(l->shown, l->count, sizeof(*l->shown), compare_shown);
	for (size_t i = 0; i < l->count; i++) {
		const struct shown *s = &l->shown[i], *before = i ? s - 1 : NULL;
		const char *text = source_line(s->file, s->line);

		if (!before || strcmp(before->file, s->file) != 0)
			json_object_array_add(files, file_json(s->file, &lines));
		else if (before->line == s->line)
			continue;
		bytes += text ? strlen(text) : 0;
		if (text && bytes <= TEXT_MAX)
			add_line(lines, s, text);
	}
	return files;
}

struct json_object *html_source(struct profile *p)
{
	static const char *const function_keys[] = {"sym", NULL},
	                         *line_keys[] = {"sym", "srcline", NULL};
	static const struct view empty;
	const struct view function_view = view_of(&empty, function_keys),
	                  line_view = view_of(&empty, line_keys);
	struct json_object *o = json_object_new_object(), *functions = json_object_new_array();
	struct listing l = {.p = p};
	struct groups g;

	take_fields(&l.view);
	groups_make(&g, p, &function_view, false, NULL);
	groups_make(&l.lines, p, &line_view, false, NULL);
	for (size_t i = 0; i < g.count && i < FUNCTIONS; i++)
		json_object_array_add(functions, function_json(&l, &g.group[i]));
	json_object_object_add(o, "functions", functions);
	json_object_object_add(o, "files", files_json(&l));
	groups_free(&g);
	groups_free(&l.lines);
	html_code_free(&l.code);
	free(l.shown);
	return o;
}
