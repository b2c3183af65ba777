/* SPDX-License-Identifier: MIT */
#include "html.h"
#include "html_page.h"
#include "calls.h"
#include "heat.h"
#include "../session/reason.h"
#include "../base/common.h"
#include "../base/fit.h"
#include "../base/json.h"
#include "../base/whole_file.h"

enum { NAME_WIDTH = 60, NAME_SIZE = 4096 };

/* The short forms of the page's long symbols, by symbol, or NULL if there are none. */
static struct json_object *names;

void html_add_name(struct json_object *symbol)
{
	const char *text = json_object_get_string(symbol);
	char cut[NAME_SIZE];

	if (!text || text_width(text) <= NAME_WIDTH)
		return;
	if (!names)
		names = json_object_new_object();
	json_add_text(names, text, cut_symbol(cut, sizeof(cut), text, NAME_WIDTH));
}

/* Add the symbols of a table's rows. */
static void add_names(const struct table *t)
{
	for (size_t i = 0; i < t->row_count * t->column_count; i++) {
		struct json_object *text;

		if (t->columns[i % t->column_count].cut != CUT_SYMBOL || t->cells[i].absent)
			continue;
		text = json_text(t->cells[i].text);
		html_add_name(text);
		json_object_put(text);
	}
}

static struct json_object *column_json(const struct column *c)
{
	static const char *const types[] = {[COLUMN_TEXT] = "text",
	                                    [COLUMN_COUNT] = "count",
	                                    [COLUMN_PERCENT] = "percent",
	                                    [COLUMN_ADDRESS] = "address",
	                                    [COLUMN_NUMBER] = "number",
	                                    [COLUMN_CHANGE] = "change",
	                                    [COLUMN_PROBABILITY] = "probability"};
	struct json_object *o = json_object_new_object();

	json_add_text(o, "key", c->key);
	json_add_text(o, "heading", c->heading);
	json_add_text(o, "type", types[c->type]);
	if (c->drop)
		json_add_number(o, "drop", c->drop);
	return o;
}

struct json_object *html_table(const struct table *t)
{
	struct json_object *o = json_object_new_object(), *columns = json_object_new_array();

	for (unsigned i = 0; i < t->column_count; i++)
		json_object_array_add(columns, column_json(&t->columns[i]));
	json_add_text(o, "key", t->key);
	json_add_text(o, "title", t->title);
	json_add_text(o, "note", t->note);
	json_object_object_add(o, "columns", columns);
	json_add_number(o, "left_out", t->left_out);
	add_names(t);
	return o;
}

static struct json_object *reasons_json(void)
{
	struct json_object *all = json_object_new_array();

	for (unsigned r = 0; r < REASONS; r++) {
		struct json_object *pair = json_object_new_array();

		json_object_array_add(pair, json_object_new_string(reason_texts[r].word));
		json_object_array_add(pair,
		                      json_object_new_string(area_words[reason_texts[r].area]));
		json_object_array_add(all, pair);
	}
	return all;
}

/* Add the symbols of a list in the summary. */
static void add_symbols(struct json_object *answer, const char *key)
{
	struct json_object *list;

	if (!json_object_object_get_ex(answer, key, &list))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		html_add_name(json_object_object_get(json_object_array_get_idx(list, i), "symbol"));
}

void html_add_page(struct json_object *root, struct profile *p, struct json_object *tables)
{
	struct json_object *page = json_object_new_object(), *answer;

	if (json_object_object_get_ex(root, "answer", &answer)) {
		add_symbols(answer, "causes");
		add_symbols(answer, "functions");
	}
	json_object_object_add(page, "reasons", reasons_json());
	json_object_object_add(page, "tables", tables);
	json_object_object_add(page, "source", html_source(p));
	if (p->calls && p->samples.has_stacks)
		json_object_object_add(page, "stacks", html_stacks(p));
	if (p->heat && p->heat->index.count)
		json_object_object_add(page, "heat", html_heat(p));
	json_object_object_add(root, "page", page);
}

void html_write(const char *file, struct json_object *root)
{
	struct out *o = whole_file_out(file);

	json_object_object_add(json_object_object_get(root, "page"), "names",
	                       names ? names : json_object_new_object());
	out_bytes(o, html_page_head, html_page_head_size);
	out_json_html(o, root);
	out_bytes(o, html_page_tail, html_page_tail_size);
	whole_file_out_close(o);
}
