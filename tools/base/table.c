/* SPDX-License-Identifier: MIT */
#include "table.h"
#include "clean.h"
#include "fit.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* Minimum widths of a text and a symbol while other columns can be dropped, and the largest
 * cell. */
enum { TEXT_MIN = 12, SYMBOL_MIN = 24, CELL_MAX = 4096 };

/* Indent of a text below a row, and its width if the screen has no limit. */
enum { INDENT = 10, WIDEST = 120 };

void table_init(struct table *t, const char *key, const char *title, const struct column *columns,
                unsigned column_count)
{
	memset(t, 0, sizeof(*t));
	t->key = key;
	t->title = title;
	t->columns = columns;
	t->column_count = column_count;
}

struct cell *table_row(struct table *t)
{
	struct cell *row;

	if (t->row_count == t->capacity) {
		t->capacity = t->capacity ? 2 * t->capacity : 32;
		t->cells =
		        xreallocarray(t->cells, t->capacity * t->column_count, sizeof(*t->cells));
	}
	row = &t->cells[t->row_count++ * t->column_count];
	for (unsigned i = 0; i < t->column_count; i++)
		row[i] = (struct cell){.absent = true};
	return row;
}

void cell_text(struct cell *c, const char *text)
{
	c->text = clean_text(xstrdup(text));
	c->absent = false;
}

void cell_count(struct cell *c, uint64_t count)
{
	c->count = count;
	c->absent = false;
}

void cell_number(struct cell *c, double number)
{
	c->number = number;
	c->absent = false;
}

void cell_ratio(struct cell *c, uint64_t part, uint64_t whole)
{
	if (whole)
		cell_number(c, (double)part / (double)whole);
}

static const char *cell_string(const struct cell *c, const struct column *col, char *buf,
                               size_t size)
{
	if (c->absent)
		return "-";
	switch (col->type) {
	case COLUMN_TEXT:
		return c->text;
	case COLUMN_COUNT:
		snprintf(buf, size, "%llu", (unsigned long long)c->count);
		break;
	case COLUMN_PERCENT:
		snprintf(buf, size, "%.2f%%", 100 * c->number);
		break;
	case COLUMN_ADDRESS:
		snprintf(buf, size, "0x%llx", (unsigned long long)c->count);
		break;
	case COLUMN_NUMBER:
		snprintf(buf, size, "%.1f", c->number);
		break;
	case COLUMN_CHANGE:
		snprintf(buf, size, "%+.2f%%", 100 * c->number);
		break;
	case COLUMN_PROBABILITY:
		snprintf(buf, size, c->number < 0.0001 ? "<0.0001" : "%.4f", c->number);
		break;
	}
	return buf;
}

static void pad(struct out *o, unsigned n, char c)
{
	while (n--)
		out_bytes(o, &c, 1);
}

static void print_cell(struct out *o, const char *s, unsigned width, const struct column *col,
                       bool last)
{
	static char *(*const cut[])(char *, size_t, const char *, unsigned) = {
	        [CUT_END] = cut_end, [CUT_MIDDLE] = cut_middle, [CUT_SYMBOL] = cut_symbol};
	bool left = col->type == COLUMN_TEXT;
	char fitting[CELL_MAX];
	unsigned w;

	cut[col->cut](fitting, sizeof(fitting), s, width);
	clean_text(fitting); /* A text that exceeds the buffer may end inside a character. */
	w = text_width(fitting);
	if (!left)
		pad(o, width - w, ' ');
	out_text(o, fitting);
	if (left && !last)
		pad(o, width - w, ' ');
}

/* Return the color of a cell. perf's colors warn of large shares. Here, only the share that the
 * rows are sorted by has them. */
static const char *cell_color(const struct table *t, const struct cell *c, const struct column *col)
{
	if (!color_on || c->absent || col != t->columns || col->type != COLUMN_PERCENT)
		return NULL;
	return c->number >= 0.05 ? "\033[31m" : c->number >= 0.005 ? "\033[32m" : NULL;
}

/* Return true if the text form has the column in the row. */
static bool is_in_row(const struct column *col)
{
	return col->heading && !col->below;
}

/* Compute the width that the cells of each column need; 0 for a column that is not in the row. */
static void measure(const struct table *t, unsigned *width)
{
	char buf[64];

	for (unsigned i = 0; i < t->column_count; i++) {
		const struct column *col = &t->columns[i];

		width[i] = is_in_row(col) ? text_width(col->heading) : 0;
		for (size_t r = 0; is_in_row(col) && r < t->row_count; r++) {
			const struct cell *c = &t->cells[r * t->column_count + i];
			unsigned w = text_width(cell_string(c, col, buf, sizeof(buf)));

			if (w > width[i])
				width[i] = w;
		}
	}
}

/* Return the smallest width of a text column. */
static unsigned least_width(const struct column *col)
{
	return col->min_width ? col->min_width : col->cut == CUT_SYMBOL ? SYMBOL_MIN : TEXT_MIN;
}

/* Return the width of a line. If least is true, all texts have their smallest width. */
static unsigned line_width(const struct table *t, const unsigned *width, bool least)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < t->column_count; i++) {
		unsigned most = least_width(&t->columns[i]);

		if (!least || t->columns[i].type != COLUMN_TEXT || width[i] < most)
			most = width[i];
		if (width[i])
			sum += 2 + most;
	}
	return sum;
}

/* Drop columns until the others can fit. Return the number of dropped columns. */
static unsigned drop_columns(const struct table *t, unsigned *width, unsigned screen)
{
	unsigned dropped = 0;

	while (line_width(t, width, true) > screen) {
		unsigned worst = t->column_count;

		for (unsigned i = 0; i < t->column_count; i++)
			if (width[i] && t->columns[i].drop &&
			    (worst == t->column_count ||
			     t->columns[i].drop > t->columns[worst].drop))
				worst = i;
		if (worst == t->column_count)
			break;
		width[worst] = 0;
		dropped++;
	}
	return dropped;
}

/* Return a weight that says which text is shortened next: the widest one first, those that keep the
 * most last. */
static unsigned weight(const struct table *t, const unsigned *width, unsigned i)
{
	unsigned more = least_width(&t->columns[i]) - TEXT_MIN;

	return width[i] > more ? width[i] - more : width[i];
}

static void shrink_columns(const struct table *t, unsigned *width, unsigned screen)
{
	while (line_width(t, width, false) > screen) {
		unsigned widest = t->column_count;

		for (unsigned i = 0; i < t->column_count; i++)
			if (t->columns[i].type == COLUMN_TEXT && width[i] > 1 &&
			    (widest == t->column_count ||
			     weight(t, width, i) > weight(t, width, widest)))
				widest = i;
		if (widest == t->column_count)
			return;
		width[widest]--;
	}
}

/* Compute the widths of all columns. Return the number of dropped columns. */
static unsigned layout(const struct table *t, unsigned *width)
{
	unsigned screen = screen_width(), dropped;

	measure(t, width);
	for (unsigned i = 0; !screen && i < t->column_count; i++)
		if (t->columns[i].max_width && width[i] > t->columns[i].max_width)
			width[i] = t->columns[i].max_width;
	if (!screen)
		return 0;
	dropped = drop_columns(t, width, screen);
	shrink_columns(t, width, screen);
	return dropped;
}

/* Return true if no shown column follows. */
static bool is_last(const struct table *t, const unsigned *width, unsigned column)
{
	while (++column < t->column_count) {
		if (width[column])
			return false;
	}
	return true;
}

static void print_row(const struct table *t, struct out *o, const unsigned *width,
                      const struct cell *row)
{
	char buf[64];
	for (unsigned i = 0; i < t->column_count; i++) {
		const struct column *col = &t->columns[i];
		const char *color = cell_color(t, &row[i], col);

		if (!width[i])
			continue;
		out_text(o, "  ");
		if (color)
			out_text(o, color);
		print_cell(o, cell_string(&row[i], col, buf, sizeof(buf)), width[i], col,
		           is_last(t, width, i));
		if (color)
			out_text(o, "\033[0m");
	}
	out_text(o, "\n");
}

/* Print the texts that belong below a row. */
static void print_below(const struct table *t, struct out *o, const struct cell *row)
{
	unsigned screen = screen_width();

	for (unsigned i = 0; i < t->column_count; i++) {
		char *text;

		if (!t->columns[i].heading || !t->columns[i].below || row[i].absent)
			continue;
		text = xstrdup(row[i].text);
		out_wrapped(o, text, "", INDENT, screen ? screen : WIDEST);
		free(text);
	}
}

void table_print(const struct table *t, struct out *o)
{
	unsigned *width = xcalloc(t->column_count, sizeof(*width)), dropped = layout(t, width);
	static const struct column text_column = {.type = COLUMN_TEXT};

	out_fmt(o, "#\n# %s%s%s\n", color_on ? "\033[1m" : "", t->title, color_on ? "\033[0m" : "");
	if (t->note)
		out_comment(o, t->note);
	if (!t->row_count) {
		out_text(o, "#   (none)\n");
		free(width);
		return;
	}
	for (int line = 0; line < 2; line++) {
		out_text(o, "#");
		for (unsigned i = 0, n = 0; i < t->column_count; i++) {
			const struct column *col = &t->columns[i];

			if (!width[i])
				continue;
			out_text(o, n++ ? "  " : " ");
			if (line)
				pad(o, width[i], '.');
			else
				print_cell(o, col->heading, width[i],
				           col->type == COLUMN_TEXT ? &text_column : col,
				           is_last(t, width, i));
		}
		out_text(o, "\n");
	}
	for (size_t r = 0; r < t->row_count; r++) {
		print_row(t, o, width, &t->cells[r * t->column_count]);
		print_below(t, o, &t->cells[r * t->column_count]);
	}
	if (dropped)
		out_fmt(o, "# %u more column%s on a wider screen\n", dropped,
		        dropped == 1 ? "" : "s");
	if (t->left_out && t->left_out_by)
		out_fmt(o, "# %zu more, beyond %s\n", t->left_out, t->left_out_by);
	else if (t->left_out)
		out_fmt(o, "# %zu more; --limit 0 shows all\n", t->left_out);
	free(width);
}

static struct json_object *cell_json(const struct cell *c, const struct column *col)
{
	char buf[64];

	if (c->absent)
		return NULL;
	switch (col->type) {
	case COLUMN_TEXT:
		return json_text(c->text);
	case COLUMN_COUNT:
		return json_object_new_uint64(c->count);
	case COLUMN_PERCENT:
	case COLUMN_CHANGE:
		snprintf(buf, sizeof(buf), "%.4f", 100 * c->number);
		return json_object_new_double_s(100 * c->number, buf);
	case COLUMN_NUMBER:
		snprintf(buf, sizeof(buf), "%.3f", c->number);
		return json_object_new_double_s(c->number, buf);
	case COLUMN_PROBABILITY:
		snprintf(buf, sizeof(buf), "%.6g", c->number);
		return json_object_new_double_s(c->number, buf);
	case COLUMN_ADDRESS:
		snprintf(buf, sizeof(buf), "0x%llx", (unsigned long long)c->count);
		return json_object_new_string(buf);
	}
	return NULL;
}

struct json_object *table_json(const struct table *t)
{
	struct json_object *rows = json_object_new_array();

	for (size_t r = 0; r < t->row_count; r++) {
		struct json_object *row = json_object_new_object();

		for (unsigned i = 0; i < t->column_count; i++)
			json_object_object_add(
			        row, t->columns[i].key,
			        cell_json(&t->cells[r * t->column_count + i], &t->columns[i]));
		json_object_array_add(rows, row);
	}
	return rows;
}

void table_free(struct table *t)
{
	for (size_t i = 0; i < t->row_count * t->column_count; i++)
		free(t->cells[i].text);
	free(t->cells);
	free(t->owned_columns);
	free(t->note);
	memset(t, 0, sizeof(*t));
}
