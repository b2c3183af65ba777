/* SPDX-License-Identifier: MIT */
/* What is asked of a profile: names of places, and how a cache line is shared. */
#define _GNU_SOURCE
#include "report_profile.h"
#include "../base/common.h"

void profile_open(struct profile *p)
{
	for (unsigned i = 0; i < p->input_count; i++)
		session_open(&p->inputs[i].session, p->inputs[i].path);
}

int profile_status(const struct profile *p)
{
	for (unsigned i = 0; i < p->input_count; i++) {
		if (p->inputs[i].session.damage)
			return EXIT_DAMAGED;
	}
	return p->skipped_bytes ? EXIT_DAMAGED : 0;
}

void place_find_symbol(struct place *place)
{
	if (place->named)
		return;
	place->named = true;
	place->start = place->addr;
	if (place->resolved)
		place->symbol =
		        object_symbol(place->object, &place->start, place->addr, SYMBOL_CODE);
}

static void find_caller(struct place *place)
{
	enum { FRAMES_MAX = 64 };
	struct frame frames[FRAMES_MAX];
	size_t n = object_frames(place->object, frames, FRAMES_MAX, place->addr);

	if (n < 2)
		return;
	place->caller_file = frames[n - 1].file;
	place->caller_line = frames[n - 1].line;
}

void place_find_line(struct place *place)
{
	if (place->lined)
		return;
	place->lined = true;
	if (!place->resolved ||
	    !object_line(place->object, &place->file, &place->line, place->addr)) {
		place->file = NULL;
		place->line = 0;
		return;
	}
	find_caller(place);
}

void place_name(char *text, size_t size, const struct place *place, bool with_offset)
{
	if (!place->symbol)
		snprintf(text, size, "0x%016llx", (unsigned long long)place->addr);
	else if (with_offset)
		snprintf(text, size, "%s+0x%llx", place->symbol,
		         (unsigned long long)(place->addr - place->start));
	else
		snprintf(text, size, "%s", place->symbol);
}

const char *place_object(const struct place *place)
{
	if (place->object)
		return object_name(place->object);
	return place->kernel ? "[kernel]" : "[unknown]";
}

enum sharing line_sharing(const struct cache_line *line)
{
	uint64_t once = 0, more = 0, written = 0;

	for (uint32_t i = 0; i < line->thread_count; i++) {
		uint64_t touched = line->threads[i].read | line->threads[i].written;

		more |= once & touched;
		once |= touched;
		written |= line->threads[i].written;
	}
	if (line->thread_count < 2)
		return SHARING_NONE;
	if (!written)
		return line->snooped ? SHARING_MAYBE : SHARING_READ;
	if (!(written & more))
		return SHARING_FALSE;
	return written & ~more ? SHARING_MIXED : SHARING_TRUE;
}

const char *sharing_word(const struct cache_line *line)
{
	static const char *const words[] = {
	        [SHARING_NONE] = NULL,     [SHARING_READ] = "read", [SHARING_MAYBE] = "false?",
	        [SHARING_FALSE] = "FALSE", [SHARING_TRUE] = "true", [SHARING_MIXED] = "mixed"};

	return words[line_sharing(line)];
}
