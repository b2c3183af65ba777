/* SPDX-License-Identifier: MIT */
/*
 * Match the source lines of recordings. Lines are the same if their functions have the same name,
 * their files have the same name apart from the folder, and
 *
 *   1. if the text of the file is known for every recording: they have the same text, apart from
 *      blanks at the ends, and as many lines of this text precede them in the function;
 *   2. else, if the first line of the function is known: their distance from it is the same;
 *   3. else: their numbers are the same.
 *
 * The text of a file is known for a recording if the file was found, has all sampled lines, and was
 * changed last before the program was built, by the times of both files. A file that was edited
 * since is another version.
 *
 * A line in an inlined function also has the line of the outermost call, which is matched the same
 * way.
 */
#include "line_match.h"
#include "../base/common.h"
#include "../session/source.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 64 };
enum how { BY_TEXT, BY_DISTANCE, BY_NUMBER };

struct line {
	const char *function, *file;
	int number, first; /* line, and first line of the function, or 0 */
};

/* A bit for each recording that knows the text of a file, and for each one that does not. */
struct texts {
	uint32_t known, unknown;
};

struct matching {
	struct profile *p;
	struct map files; /* files by the names of the object and the file */
	struct texts *texts;
	size_t texts_capacity;
	struct map lines, pairs; /* lines, and pairs of a line and the line of its call */
};

/* Return a hash of bytes (FNV-1a). Lines are numbered by hashes of their names and texts. */
static uint64_t hash(const void *bytes, size_t size)
{
	const uint8_t *b = bytes;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		h = (h ^ b[i]) * UINT64_C(0x100000001b3);
	return h;
}

static uint64_t hash_name(const char *name)
{
	return hash(name, strlen(name));
}

static uint64_t hash_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	return hash_name(slash ? slash + 1 : path);
}

/* Return the line of the first instruction of the function with a place, or 0 if it is unknown or
 * in another file. */
static int first_line(const struct place *place)
{
	const char *file;
	int line;

	if (!place->symbol || !object_line(place->object, &file, &line, place->start))
		return 0;
	return strcmp(file, place->file) ? 0 : line;
}

/* Find the line of a place and, in an inlined function, the line of the call. Return the number of
 * lines. */
static unsigned find_lines(struct line lines[2], struct place *place)
{
	struct linked_frame linked[FRAMES_MAX];
	struct frame frames[FRAMES_MAX];
	size_t n = object_frames(place->object, frames, FRAMES_MAX, place->addr);

	place_find_symbol(place);
	lines[0] = (struct line){place->symbol ? place->symbol : "", place->file, place->line, 0};
	if (!n || object_linked_frames(place->object, linked, FRAMES_MAX, place->addr) != n) {
		lines[0].first = first_line(place);
		return 1;
	}
	lines[0].function = frames[0].function;
	lines[0].first = linked[0].first_line;
	if (!place->caller_file)
		return 1;
	lines[1] = (struct line){frames[n - 1].function, place->caller_file, place->caller_line,
	                         linked[n - 1].first_line};
	return 2;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static bool is_known(struct object *object, const struct line *line)
{
	struct timespec edited, built;
	size_t size;

	return source_bare_line(line->file, line->number, &size) &&
	       source_modified(line->file, &edited) && object_modified(object, &built) &&
	       is_before(&edited, &built);
}

static struct texts *texts_of(struct matching *m, const struct place *place,
                              const struct line *line)
{
	const struct map_key key = {hash_name(place_object(place)), hash_file(line->file), 0};
	size_t i;

	if (map_insert(&m->files, key, &i))
		GROW(m->texts, i, m->texts_capacity)[i] = (struct texts){0};
	return &m->texts[i];
}

static void take_texts(struct matching *m, struct place *place)
{
	struct line lines[2];
	unsigned count = find_lines(lines, place);

	for (unsigned i = 0; i < count; i++) {
		struct texts *texts = texts_of(m, place, &lines[i]);

		if (is_known(place->object, &lines[i]))
			texts->known |= 1u << place->input;
		else
			texts->unknown |= 1u << place->input;
	}
}

/* Return a number for a line, from 1 on. */
static uint64_t line_number(struct matching *m, const struct place *place, const struct line *line)
{
	const struct texts *texts = texts_of(m, place, line);
	uint64_t parts[3] = {BY_NUMBER, (uint64_t)line->number};
	size_t size, i;

	if (texts->known + 1 == 1u << m->p->samples.recording_count && !texts->unknown) {
		const char *text = source_bare_line(line->file, line->number, &size);

		parts[0] = BY_TEXT;
		parts[1] = hash(text, size);
		parts[2] = source_repeats(line->file, line->first, line->number);
	} else if (line->first && line->number >= line->first) {
		parts[0] = BY_DISTANCE;
		parts[1] -= (uint64_t)line->first;
	}
	map_insert(&m->lines,
	           (struct map_key){hash_name(line->function), hash_file(line->file),
	                            hash(parts, sizeof(parts))},
	           &i);
	return i + 1;
}

static void match(struct matching *m, struct place *place)
{
	struct line lines[2];
	uint64_t numbers[2] = {0};
	unsigned count = find_lines(lines, place);
	size_t i;

	for (unsigned n = 0; n < count; n++)
		numbers[n] = line_number(m, place, &lines[n]);
	map_insert(&m->pairs, (struct map_key){numbers[0], numbers[1], 0}, &i);
	place->same_line = (uint32_t)i + 1;
}

void line_match_find(struct profile *p)
{
	static void (*const passes[])(struct matching *, struct place *) = {take_texts, match};
	struct matching m = {.p = p};

	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < p->samples.place_index.count; i++) {
			struct place *place = &p->samples.places[i];

			if (place->wanted)
				place_find_line(place);
			if (place->wanted && place->file)
				passes[pass](&m, place);
			if (!(i & 0xff))
				progress("matching source lines", i, p->samples.place_index.count);
		}
	}
	progress_end();
	map_free(&m.files);
	map_free(&m.lines);
	map_free(&m.pairs);
	free(m.texts);
}
