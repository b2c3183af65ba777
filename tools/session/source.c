/* SPDX-License-Identifier: MIT */
/*
 * Source files, each read once. Their names come from untrusted files, so only regular files of at
 * most 16 MiB are read, and at most 128 MiB in all. Memory has the bytes of a file and four bytes
 * for each line. A line is made printable on request.
 */
#define _GNU_SOURCE
#include "source.h"
#include "object.h"
#include "../base/clean.h"
#include "../base/common.h"
#include "../base/regular.h"

#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_MAX = 16 << 20, ALL_MAX = 128 << 20, TAB = 8, LINE_LIMIT = 1000 };

/* The content of a file. Several names may share it. */
struct text {
	dev_t device;
	ino_t inode;
	struct timespec modified; /* time of the last change */
	char *bytes;
	uint32_t *starts; /* offset of each line, then the offset after the last line's newline */
	size_t count;     /* number of lines */
};

struct source {
	const char *name;
	const struct text *text; /* content, or NULL if the file was not found */
};

static const char *source_folder;
static void *sources, *texts; /* trees of tsearch(3) */

void source_set_folder(const char *folder)
{
	source_folder = folder;
}

static int compare(const void *pa, const void *pb)
{
	return strcmp(((const struct source *)pa)->name, ((const struct source *)pb)->name);
}

static int compare_texts(const void *pa, const void *pb)
{
	const struct text *a = pa, *b = pb;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->inode > b->inode) - (a->inode < b->inode);
}

/* Return a line of size bytes in printable form, with tabs expanded, cut at LINE_LIMIT. The next
 * call overwrites it. */
static const char *plain_line(const char *text, size_t size)
{
	static char line[LINE_LIMIT + TAB + 1];
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

/* Record the start of each line. A last line without a newline counts, too. */
static void find_lines(struct text *t, size_t size)
{
	size_t lines = 0, n = 0;

	for (size_t i = 0; i < size; i++)
		lines += t->bytes[i] == '\n';
	if (size && t->bytes[size - 1] != '\n')
		lines++;
	t->starts = xcalloc(lines + 1, sizeof(*t->starts));
	t->count = lines;
	for (size_t i = 0; i < size; i++) {
		if (t->bytes[i] == '\n')
			t->starts[++n] = (uint32_t)i + 1;
	}
	if (n < lines)
		t->starts[lines] = (uint32_t)size + 1;
}

static const struct text *read_text(int fd, const struct stat *st)
{
	const struct text key = {.device = st->st_dev, .inode = st->st_ino};
	struct text *const *known = tfind(&key, &texts, compare_texts), *t;
	static size_t all; /* bytes of all files */
	size_t size = (size_t)st->st_size;
	ssize_t n = 0;

	if (known)
		return *known;
	if (size > ALL_MAX - all)
		return NULL;
	all += size;
	t = xcalloc(1, sizeof(*t));
	*t = key;
	t->modified = st->st_mtim;
	t->bytes = xcalloc(size + 1, 1);
	for (size_t at = 0; at < size; at += (size_t)n) {
		n = read(fd, t->bytes + at, size - at);
		if (n <= 0)
			break;
	}
	find_lines(t, size);
	tree_add(&texts, t, compare_texts);
	return t;
}

static const struct text *read_file(const char *path)
{
	const struct text *text = NULL;
	int fd = open_regular(path);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size <= SOURCE_MAX)
		text = read_text(fd, &st);
	close(fd);
	return text;
}

static const struct text *read_below(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	const struct text *text = read_file(path);

	free(path);
	return text;
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
	/* Try the whole name below the folder, then drop one leading folder after the other. */
	for (const char *end = source_folder ? file : NULL; end && !s->text;) {
		s->text = read_below(source_folder, end);
		end = strchr(end, '/');
		end = end ? end + 1 : NULL;
	}
	if (!s->text && objects_sysroot())
		s->text = read_below(objects_sysroot(), file);
	if (!s->text)
		s->text = read_file(file);
	return s;
}

const char *source_line(const char *file, int line)
{
	const struct text *t = file ? get(file)->text : NULL;
	const uint32_t *start;

	if (!t || line <= 0 || (size_t)line > t->count)
		return NULL;
	start = &t->starts[line - 1];
	return plain_line(t->bytes + start[0], start[1] - start[0] - 1);
}

bool source_found(const char *file)
{
	return file && get(file)->text;
}

bool source_modified(const char *file, struct timespec *time)
{
	const struct text *t = get(file)->text;

	if (t)
		*time = t->modified;
	return t;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Return a line, from 1 on, without blanks at its ends. */
static const char *bare_line(const struct text *t, size_t line, size_t *size)
{
	const char *s = t->bytes + t->starts[line - 1], *end = t->bytes + t->starts[line] - 1;

	while (s < end && is_blank(*s))
		s++;
	while (s < end && is_blank(end[-1]))
		end--;
	*size = (size_t)(end - s);
	return s;
}

const char *source_bare_line(const char *file, int line, size_t *size)
{
	const struct text *t = get(file)->text;

	return t && line > 0 && (size_t)line <= t->count ? bare_line(t, (size_t)line, size) : NULL;
}

unsigned source_repeats(const char *file, int first, int line)
{
	size_t size, other;
	const char *text = source_bare_line(file, line, &size);
	const struct text *all = get(file)->text;
	unsigned n = 0;

	if (first < 1 || first < line - SOURCE_REPEATS_MAX)
		first = line > SOURCE_REPEATS_MAX ? line - SOURCE_REPEATS_MAX : 1;
	for (int i = first; text && i < line; i++) {
		const char *before = bare_line(all, (size_t)i, &other);

		n += other == size && !memcmp(before, text, size);
	}
	return n;
}
