/* SPDX-License-Identifier: MIT */
/* Suggestions for unknown names; see nearest.h. */
#include "nearest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
	LENGTH_MAX = 64,   /* longest word that can be near a name */
	LISTED_MAX = 20,   /* most names of a set that is listed completely */
	LISTED_SIZE = 180, /* most characters of that list */
	NEAREST = 4,       /* names listed of a larger set */
};

/* Return the Levenshtein distance, ignoring case. */
static unsigned edit_distance(const char *a, size_t la, const char *b)
{
	unsigned row[LENGTH_MAX];
	size_t lb = strlen(b);

	if (la >= LENGTH_MAX || lb >= LENGTH_MAX)
		return LENGTH_MAX;
	for (unsigned j = 0; j <= lb; j++)
		row[j] = j;
	for (unsigned i = 1; i <= la; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= lb; j++) {
			unsigned best = diagonal + ((a[i - 1] | 32) != (b[j - 1] | 32));

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

/* Return the distance of a word from a name. An abbreviation is nearer than any typing mistake. */
static unsigned distance(const char *word, size_t size, const char *name)
{
	return size >= 2 && !strncasecmp(word, name, size) ? 0 : edit_distance(word, size, name);
}

const char *nearest_name(const char *word, size_t size, const char *const *names)
{
	const char *best = NULL;
	unsigned best_distance = LENGTH_MAX;

	for (; *names; names++) {
		unsigned d = distance(word, size, *names);

		if (d < best_distance) {
			best_distance = d;
			best = *names;
		}
	}
	return best_distance <= 1 + size / 3 ? best : NULL;
}

static void list_nearest(const char *best[NEAREST], const char *word, size_t size,
                         const char *const *names)
{
	unsigned near[NEAREST];

	for (unsigned i = 0; i < NEAREST; i++)
		near[i] = LENGTH_MAX + 1;
	for (; *names; names++) {
		unsigned d = distance(word, size, *names), i = NEAREST;

		for (; i && d < near[i - 1]; i--) {
			if (i == NEAREST)
				continue;
			near[i] = near[i - 1];
			best[i] = best[i - 1];
		}
		if (i == NEAREST)
			continue;
		near[i] = d;
		best[i] = *names;
	}
}

void suggest_name(char *text, size_t room, const char *word, size_t size, const char *const *names)
{
	const char *near = nearest_name(word, size, names), *best[NEAREST] = {NULL};
	size_t count = 0, length = 0;

	*text = 0;
	while (names[count])
		length += strlen(names[count++]) + 2;
	if (near) {
		snprintf(text, room, "; did you mean '%s'?", near);
		return;
	}
	if (!count)
		return;
	if (count > LISTED_MAX || length > LISTED_SIZE) {
		list_nearest(best, word, size, names);
		names = best;
		count = count < NEAREST ? count : NEAREST;
	}
	for (size_t i = 0; i < count; i++) {
		const char *before = i == 0 ? names == best ? "; the nearest are " : "; use "
		                     : i + 1 == count ? " or "
		                                      : ", ";
		size_t at = strlen(text);

		snprintf(text + at, room - at, "%s%s", before, names[i]);
	}
}
