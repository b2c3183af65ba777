/* SPDX-License-Identifier: MIT */
/* See code.h. */
#define _GNU_SOURCE
#include "code.h"
#include "../types/sample_access.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

static void find_frames(struct code *code)
{
	struct frame frames[CODE_FRAMES_MAX];
	const struct place *place = code->place;

	if (!place->resolved)
		return;
	code->frame_count =
	        (uint32_t)object_frames(place->object, frames, CODE_FRAMES_MAX, place->addr);
	if (!code->frame_count)
		return;
	code->frames = xcalloc(code->frame_count, sizeof(*frames));
	for (uint32_t i = 0; i < code->frame_count; i++)
		code->frames[i] = frames[i];
}

const struct code *code_at(struct codes *codes, uint32_t index)
{
	struct code *code;

	/* Make room for all places, so that pointers to codes stay valid until the next sample. */
	while (codes->count < codes->samples->place_index.count) {
		GROW(codes->items, codes->count, codes->capacity)
		[codes->count] = (struct code){.place = NULL};
		codes->count++;
	}
	code = &codes->items[index];
	code->place = &codes->samples->places[index]; /* the array of places may have been
	                                                 reallocated too */
	if (code->found)
		return code;
	code->found = true;
	place_find_symbol(&codes->samples->places[index]);
	place_find_line(&codes->samples->places[index]);
	find_frames(code);
	code->function = code->place->symbol ? code->place->symbol : place_object(code->place);
	if (!code->place->symbol && *code->function != '[')
		code->function = xasprintf("[%s]", code->function);
	return code;
}

const struct typed *code_typed(struct codes *codes, const struct sample *sample)
{
	struct data_access access;

	if (!codes->typing || !sample_access(&access, codes->samples, sample))
		return NULL;
	if (codes->typed_chunk == sample->chunk && codes->typed_offset == sample->record->offset)
		return &codes->typed;
	typing_find(codes->typing, &codes->typed, &access);
	codes->typed_chunk = sample->chunk;
	codes->typed_offset = sample->record->offset;
	return &codes->typed;
}

static const char *name_of_allocation(struct codes *codes, struct session *s,
                                      const struct heap_object *heap)
{
	const struct allocation_site *site = heap_allocation_site(s->heap, heap->allocation_site);
	struct place place;
	size_t i;

	if (map_insert(&codes->allocation_index, (struct map_key){(uintptr_t)site, 0, 0}, &i)) {
		place = place_of_allocation(s, site);
		place_find_symbol(&place);
		place_find_line(&place);
		GROW(codes->allocations, i, codes->allocation_capacity)
		[i] = allocation_name(&place, site->call);
	}
	return codes->allocations[i];
}

const struct memory *code_memory(struct codes *codes, const struct sample *sample)
{
	struct session *s = (struct session *)(uintptr_t)&sample->recording->session;
	struct data_access access;

	if (!sample_access(&access, codes->samples, sample))
		return NULL;
	if (codes->memory_chunk == sample->chunk && codes->memory_offset == sample->record->offset)
		return &codes->memory;
	codes->memory_chunk = sample->chunk;
	codes->memory_offset = sample->record->offset;
	codes->memory = memory_at(s, access.pid, access.address, access.time, access.heap);
	if (codes->memory.kind == MEMORY_HEAP)
		codes->memory.name = name_of_allocation(codes, s, access.heap);
	return &codes->memory;
}

uint32_t code_frames(const struct code *code)
{
	return code->frame_count ? code->frame_count : 1;
}

const char *code_frame(const struct code *code, uint32_t number, const char **file, int *line)
{
	const struct frame *frame = code->frame_count ? &code->frames[number] : NULL;

	*file = frame ? frame->file : code->place->file;
	*line = frame ? frame->line : code->place->line;
	/* The outermost function has the same name as in other outputs. */
	if (!frame || number + 1 == code->frame_count || !frame->function)
		return code->function;
	return frame->function;
}

/* Append the functions of an instruction, from the outermost on. */
static void add_names(struct bytes *text, const struct code *code)
{
	for (uint32_t n = code_frames(code); n-- > 0;) {
		const char *file, *name;
		size_t start;
		int line;

		name = code_frame(code, n, &file, &line);
		if (text->size)
			bytes_byte(text, ';');
		start = text->size;
		bytes_add(text, name, strlen(name));
		for (; start < text->size; start++)
			if (text->data[start] == ';')
				text->data[start] = ':';
	}
}

const char *stack_text(struct codes *codes, uint32_t stack)
{
	uint32_t path[SPEMU_PERF_CALLCHAIN_MAX + 1];
	const struct call *calls = codes->samples->calls;
	size_t n = 0;

	for (uint32_t at = stack; at; at = calls[at].caller)
		path[n++] = calls[at].place;
	codes->text.size = 0;
	while (n-- > 0)
		add_names(&codes->text, code_at(codes, path[n]));
	bytes_byte(&codes->text, 0);
	return (const char *)codes->text.data;
}

char *build_id_text(char text[BUILD_ID_TEXT], const struct object *object)
{
	size_t size;
	const uint8_t *id = object_build_id(object, &size);

	text[0] = 0;
	for (size_t i = 0; i < size && i < SPEMU_PERF_BUILD_ID_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	return text;
}
