/* SPDX-License-Identifier: MIT */
/*
 * Source files, read once: regular files of at most 16 MiB, for their names come from files that somebody may
 * have made on purpose.
 */
#define _GNU_SOURCE
#include "source.h"
#include "../base/clean.h"
#include "../base/common.h"
#include "../base/regular.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_MAX = 16 << 20, TAB = 8, LINE_LIMIT = 1000 };

struct source {
	const char *name;
	char **lines;
	size_t count, capacity;
	bool found;
};

static const char *source_folder, *source_sysroot;
static void *sources; /* of tsearch(3) */

void source_set_folders(const char *source, const char *sysroot)
{
	source_folder = source;
	source_sysroot = sysroot;
}

static int compare(const void *pa, const void *pb)
{
	return strcmp(((const struct source *)pa)->name, ((const struct source *)pb)->name);
}

/* One line of size bytes with blanks for tabs, cut where nobody reads on. */
static char *plain_line(const char *text, size_t size)
{
	char *line = xcalloc(LINE_LIMIT + TAB + 1, 1);
	size_t n = 0;

	for (size_t i = 0; i < size && n < LINE_LIMIT; i++) {
		if (text[i] != '\t') {
			line[n++] = text[i] ? text[i] : '?';
			continue;
		}
		do
			line[n++] = ' ';
		while (n % TAB);
	}
	while (n && (line[n - 1] == ' ' || line[n - 1] == '\r'))
		n--;
	line[n] = '\0';
	return clean_text(line);
}

static bool read_file(struct source *s, const char *path)
{
	int fd = open_regular(path);
	struct stat st;
	char *text, *line;
	ssize_t n = 0;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || st.st_size > SOURCE_MAX) {
		close(fd);
		return false;
	}
	text = xcalloc((size_t)st.st_size + 1, 1);
	for (size_t at = 0; at < (size_t)st.st_size; at += (size_t)n) {
		n = read(fd, text + at, (size_t)st.st_size - at);
		if (n <= 0)
			break;
	}
	close(fd);
	for (line = text; line < text + st.st_size;) {
		char *end = memchr(line, '\n', (size_t)(text + st.st_size - line));
		size_t size = (size_t)((end ? end : text + st.st_size) - line);

		GROW(s->lines, s->count, s->capacity)[s->count] = plain_line(line, size);
		s->count++;
		line += size + 1;
	}
	free(text);
	return true;
}

static bool read_below(struct source *s, const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	bool found = read_file(s, path);

	free(path);
	return found;
}

static struct source *get(const char *file)
{
	struct source key = {.name = file}, *s;
	struct source *const *known = tfind(&key, &sources, compare);

	if (known)
		return *known;
	s = xcalloc(1, sizeof(*s));
	s->name = xstrdup(file);
	tree_add(&sources, s, compare);
	/* The whole name below the folder, then less and less of it. */
	for (const char *end = source_folder ? file : NULL; end && !s->found;) {
		s->found = read_below(s, source_folder, end);
		end = strchr(end, '/');
		end = end ? end + 1 : NULL;
	}
	if (!s->found && source_sysroot)
		s->found = read_below(s, source_sysroot, file);
	if (!s->found)
		s->found = read_file(s, file);
	return s;
}

const char *source_line(const char *file, int line)
{
	const struct source *s = file ? get(file) : NULL;

	return s && line > 0 && (size_t)line <= s->count ? s->lines[line - 1] : NULL;
}

bool source_found(const char *file)
{
	return file && get(file)->found;
}
