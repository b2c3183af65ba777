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

static void put_words(struct out *o, const char *text)
{
	char *copy;

	if (is_plain(text)) {
		out_text(o, text);
		return;
	}
	copy = clean_text(xstrdup(text));
	out_text(o, "\"");
	for (const char *s = copy; *s; s++)
		out_bytes(o, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
	out_text(o, "\"");
	free(copy);
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
			put_words(e->out, value.words);
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
