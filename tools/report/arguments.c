/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "arguments.h"
#include "../session/sample_filter.h"
#include "../session/session_option.h"
#include "../base/whole_file.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 128, LIMIT = 20, HTML_LIMIT = 500, LINE_SIZE = 64 };

static const char *const usual_keys[] = {"comm", "dso", "sym", NULL};

void arguments_init(struct arguments *a)
{
	*a = (struct arguments){.filter = filter_new(), .line_size = LINE_SIZE};
	a->view.limit = LIMIT;
	for (unsigned i = 0; usual_keys[i]; i++)
		a->view.keys[a->view.key_count++] = key_find(usual_keys[i]);
	for (unsigned i = 0; i < field_default_count(); i++)
		field_default(&a->view.fields[a->view.field_count++], i);
}

void arguments_add_input(struct arguments *a, const char *path)
{
	APPEND(a->inputs, a->input_count, a->input_capacity) = path;
}

/* Return a suggestion: what replaces perf's key, or the key, field or event whose name is nearest
 * to the word. */
static const char *near(const char *word)
{
	const char *names[NAMES_MAX + 1] = {NULL};
	const char *instead = foreign_value(&report_options, "sort", word);
	unsigned n = 0;

	if (instead)
		return xasprintf("; %s", instead);
	for (unsigned i = 0; key_at(i); i++)
		names[n++] = key_at(i)->name;
	for (unsigned i = 0; field_names[i]; i++)
		names[n++] = field_names[i];
	for (unsigned i = 0; spemu_event_names[i] && n < NAMES_MAX; i++)
		names[n++] = spemu_event_names[i];
	return suggestion(word, names);
}

/* Add a key. A field of the same name would repeat its column. */
static void add_key(struct view *view, const struct key *key)
{
	unsigned n = 0;

	if (view_has_key(view, key->name))
		return;
	view->keys[view->key_count++] = key;
	for (unsigned i = 0; i < view->field_count; i++) {
		if (strcmp(view->fields[i].name, key->name) != 0)
			view->fields[n++] = view->fields[i];
	}
	view->field_count = n;
}

static void add_order(struct view *view, const struct field *field)
{
	if (view->order_count == ORDERS_MAX)
		die(EXIT_USAGE, "-s: more than %d fields to order the rows; leave some out",
		    ORDERS_MAX);
	view->orders[view->order_count++] = *field;
}

static void take_sort(struct arguments *a, const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *word;
	struct view *view = &a->view;
	struct field field;

	_Static_assert(KEYS_MAX >= 18, "room for every key");
	view->order_count = 0;
	while ((word = strsep(&rest, ","))) {
		const struct key *key = key_find(word);

		if (key && !a->sorted)
			view->key_count = 0;
		a->sorted = a->sorted || key;
		if (key)
			add_key(view, key);
		else if (field_find(&field, word))
			add_order(view, &field);
		else
			die(EXIT_USAGE, "unknown sort key '%s'%s", word, near(word));
	}
	free(copy);
}

static void take_field(struct arguments *a, const char *word, bool more)
{
	const struct key *key = key_find(word);
	struct view *view = &a->view;
	struct field field;

	if (key) {
		if (!a->sorted && !more)
			view->key_count = 0;
		a->sorted = a->sorted || !more;
		add_key(view, key);
		return;
	}
	if (!field_find(&field, word))
		die(EXIT_USAGE, "unknown field '%s'%s", word, near(word));
	if (view->field_count == FIELDS_MAX)
		die(EXIT_USAGE, "--fields: more than %d fields; leave some out", FIELDS_MAX);
	for (unsigned i = 0; i < view->field_count; i++) {
		if (!strcmp(view->fields[i].name, field.name)) {
			view->fields[i] = field;
			return;
		}
	}
	view->fields[view->field_count++] = field;
}

static void take_fields(struct arguments *a, const char *list)
{
	bool more = *list == '+';
	char *copy = xstrdup(list + more), *rest = copy, *word;

	if (!more) {
		a->view.field_count = 0;
		a->view.chosen_fields = true;
	}
	while ((word = strsep(&rest, ",")))
		take_field(a, word, more);
	free(copy);
}

void arguments_take_sections(bool *wanted, const char *const *names, const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		wanted[find_name("section", word, names)] = true;
	free(copy);
}

static void take_percent_limit(struct arguments *a, const char *text)
{
	char *end;

	a->view.percent_limit = strtod(text, &end);
	if (end == text || *end || !(a->view.percent_limit >= 0 && a->view.percent_limit <= 100))
		die(EXIT_USAGE, "--percent-limit: expected a number from 0 to 100, got '%s'", text);
}

void arguments_take_option(struct arguments *a, const char *option, const char *value)
{
	if (!strcmp(option, "sort"))
		take_sort(a, value);
	else if (!strcmp(option, "fields"))
		take_fields(a, value);
	else if (!strcmp(option, "limit"))
		a->view.limit = (size_t)option_value.number, a->view.limited = true;
	else if (!strcmp(option, "percent-limit"))
		take_percent_limit(a, value);
	else if (!strcmp(option, "json"))
		a->json = true;
	else if (!strcmp(option, "html"))
		a->html = value;
	else if (!strcmp(option, "color"))
		a->color = value;
	else if (!strcmp(option, "no-inline"))
		places_hide_inlined();
	else if (!strcmp(option, "no-pager"))
		a->no_pager = true;
	else
		session_take_option(a->filter, option, value);
}

void arguments_check_html(struct arguments *a)
{
	if (!a->html)
		return;
	if (a->json)
		die(EXIT_USAGE,
		    "--html and --json exclude each other; give --html, which includes the JSON");
	if (!a->view.limited)
		a->view.limit = HTML_LIMIT;
	/* `spemu report --html perf.data` must not overwrite the recording. */
	whole_file_check(a->html, "--html FILE");
}

void arguments_open(struct arguments *a, struct profile *p)
{
	struct view *view = &a->view;

	/* Order rows by the fields that were chosen, unless -s gives another order. */
	if (view->chosen_fields && !view->order_count) {
		for (unsigned i = 0; i < view->field_count && i < ORDERS_MAX; i++)
			add_order(view, &view->fields[i]);
	}
	samples_open(&p->samples, a->inputs, a->input_count, a->filter);
	p->line_size = a->line_size;
	p->by_cpu = view_has_key(&a->view, "cpu");
	if (view_is_of_data(&a->view))
		p->by_line = p->by_address = true;
	profile_collect(p);
}
