/* SPDX-License-Identifier: MIT */
/* A reader for the tables of arch/tables. Columns have names. In a bit pattern, x means "don't
 * care", and "!" means "not". */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TABLE_ROWS 64
#define TABLE_COLUMNS 12

struct table {
	char text[8192];
	const char *cell[TABLE_ROWS][TABLE_COLUMNS]; /* row 0 contains the names */
	unsigned rows, columns;
};

static inline void table_load(struct table *t, const char *name)
{
	char path[512], line[512];
	FILE *in;
	size_t used = 0;

	snprintf(path, sizeof(path), "%s/tables/%s.tsv", SPEMU_ARCH_DIR, name);
	in = fopen(path, "r");
	assert_non_null(in);
	t->rows = t->columns = 0;
	while (fgets(line, sizeof(line), in)) {
		unsigned column = 0;

		if (line[0] == '#')
			continue;
		line[strcspn(line, "\n")] = 0;
		assert_true(used + strlen(line) + 1 < sizeof(t->text));
		strcpy(t->text + used, line);
		for (char *cell = strtok(t->text + used, "\t"); cell; cell = strtok(NULL, "\t")) {
			assert_true(column < TABLE_COLUMNS && t->rows < TABLE_ROWS);
			t->cell[t->rows][column++] = cell;
		}
		used += strlen(line) + 1;
		assert_true(t->rows == 0 || column == t->columns);
		t->columns = column;
		t->rows++;
	}
	fclose(in);
}

static inline const char *table_get(const struct table *t, unsigned row, const char *column)
{
	for (unsigned i = 0; i < t->columns; i++)
		if (strcmp(t->cell[0][i], column) == 0)
			return t->cell[row][i];
	fail_msg("no column %s", column);
	return NULL;
}

/* Return true if `value`, which has as many bits as the pattern, matches. "1x" matches 2 and 3, and
 * "!00" matches all values except 0. */
static inline bool table_matches(const char *pattern, unsigned value)
{
	size_t width = strlen(pattern);

	if (pattern[0] == '!')
		return !table_matches(pattern + 1, value);
	for (size_t i = 0; i < width; i++) {
		unsigned bit = value >> (width - 1 - i) & 1;

		if (pattern[i] != 'x' && (unsigned)(pattern[i] - '0') != bit)
			return false;
	}
	return true;
}

struct table_input {
	const char *column;
	unsigned value;
};

/* Return the first row that matches all inputs, or 0. Store the number of matching rows in
 * `matching`. */
static inline unsigned table_find(const struct table *t, const struct table_input *inputs,
                                  unsigned count, unsigned *matching)
{
	unsigned found = 0;

	*matching = 0;
	for (unsigned row = 1; row < t->rows; row++) {
		bool all = true;

		for (unsigned i = 0; i < count && all; i++)
			all = table_matches(table_get(t, row, inputs[i].column), inputs[i].value);
		if (all) {
			found = found ? found : row;
			(*matching)++;
		}
	}
	return found;
}

#endif
