/* SPDX-License-Identifier: MIT */
/*
 * CSV with the quoting of RFC 4180: one row with the names of the columns, then one row per sample.
 * Texts that are empty or have a comma or a quotation mark are quoted. A missing value is empty
 * without quotes.
 */
#include "export.h"
#include "export_columns.h"
#include "../base/clean.h"

#include <stdlib.h>
#include <string.h>

/* Return true if the text needs no quotes. */
static bool is_plain(const char *text)
{
	const char *s = text;

	while (*s >= ' ' && *s <= '~' && *s != '"' && *s != ',')
		s++;
	return s > text && !*s;
}

/* Return a text that spreadsheets do not take for a formula: an apostrophe precedes each character
 * that begins a formula. Spreadsheets of some languages separate cells at ';'. The caller frees the
 * text. */
static char *without_formulas(const char *text)
{
	char *copy = xcalloc(2 * strlen(text) + 1, 1), *to = copy;

	for (const char *s = text; *s; s++) {
		if ((s == text || s[-1] == ';') && strchr("=+-@\t\r", *s))
			*to++ = '\'';
		*to++ = *s;
	}
	return copy;
}

static void put_words(struct export *e, const char *words)
{
	char *text = e->escape_formulas ? without_formulas(words) : NULL;

	if (is_plain(text ? text : words)) {
		out_text(e->out, text ? text : words);
	} else {
		text = clean_text(text ? text : xstrdup(words));
		out_text(e->out, "\"");
		for (const char *s = text; *s; s++)
			out_bytes(e->out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
		out_text(e->out, "\"");
	}
	free(text);
}

static void *begin(struct export *e)
{
	for (unsigned i = 0; i < export_column_count; i++) {
		out_text(e->out, i ? "," : "");
		out_text(e->out, export_columns[i].name);
	}
	out_text(e->out, "\n");
	return e;
}

static void take(void *state, const struct sample *sample)
{
	struct export *e = state;
	const struct row row = row_of(&e->codes, sample);
	struct value value;

	for (unsigned i = 0; i < export_column_count; i++) {
		out_bytes(e->out, ",", i != 0);
		if (!column_get(&value, i, &row))
			continue;
		if (export_columns[i].kind == COLUMN_WORDS) {
			put_words(e, value.words);
		} else if (export_columns[i].kind == COLUMN_HEX) {
			out_bytes(e->out, "0x", 2);
			out_hex(e->out, value.number, 0);
		} else {
			out_dec(e->out, value.number);
		}
	}
	out_text(e->out, "\n");
}

const struct format csv_format = {.name = "csv", .begin = begin, .sample = take, .has_rows = true};
