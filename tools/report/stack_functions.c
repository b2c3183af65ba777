/* SPDX-License-Identifier: MIT */
/*
 * For a reader who looks for recursion, a function and its inlined copies are the same function.
 * They have the same name and the same first line. The demangled name tells the instances of a
 * template apart, the line the static functions of one name. Names are compared by a hash, because
 * a hostile file may have many long names.
 */
#include "stack_functions.h"
#include "../base/common.h"

#include <stdlib.h>

enum { FRAMES_MAX = 64, NAME_MAX_HASHED = 4096 };
enum { KEY_OUTER, KEY_NAME };       /* kinds of keys of names */
enum { KEY_FUNCTION, KEY_INLINED }; /* kinds of keys of functions */

/* Return the FNV-1a hash of a text. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; text[i] && i < NAME_MAX_HASHED; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint32_t name_number(struct stack_functions *f, const struct object *object,
                            const struct frame *frame)
{
	return (uint32_t)map_add(&f->names,
	                         (struct map_key){(uintptr_t)object, hash_text(frame->function),
	                                          (uint64_t)frame->first_line << 1 | KEY_NAME});
}

/* Return the function with this key. Set *fresh if it is new. */
static uint32_t find_function(struct stack_functions *f, struct map_key key, uint32_t place,
                              bool *fresh)
{
	size_t i;

	*fresh = map_insert(&f->index, key, &i);
	if (*fresh)
		GROW(f->functions, i, f->capacity)
	[i] = (struct stack_function){.place = place};
	return (uint32_t)i;
}

/* Find the function that contains a place, and is not inlined. */
static uint32_t find_outer(struct stack_functions *f, const struct place *place, uint32_t index)
{
	const struct map_key key = {(uintptr_t)place->object, place->start,
	                            (uint64_t)(place->symbol != NULL) << 2 |
	                                    (uint64_t)place->no_address << 1 | KEY_FUNCTION};
	bool fresh;
	uint32_t function = find_function(f, key, index, &fresh);

	if (fresh)
		f->functions[function].same =
		        (uint32_t)map_add(&f->names, (struct map_key){function, 0, KEY_OUTER});
	return function;
}

static uint32_t find_inlined(struct stack_functions *f, const struct place *place, uint32_t index,
                             const struct frame *frame)
{
	uint32_t same = name_number(f, place->object, frame), function;
	bool fresh;

	function = find_function(f, (struct map_key){same, 0, KEY_INLINED}, index, &fresh);
	f->functions[function].same = same;
	f->functions[function].inlined = frame->function;
	return function;
}

static void append(struct stack_functions *f, uint32_t function)
{
	APPEND(f->list, f->list_count, f->list_capacity) = function;
}

/* Find the functions at a place. */
static struct function_range find_functions(struct stack_functions *f, struct place *place,
                                            uint32_t index)
{
	struct function_range range = {.first = f->list_count, .count = 1};
	struct frame frames[FRAMES_MAX];
	uint32_t outer;
	size_t n;

	place_find_symbol(place);
	outer = find_outer(f, place, index);
	append(f, outer);
	n = place_frames(place, frames, FRAMES_MAX);
	if (!n)
		return range;
	f->functions[outer].same = name_number(f, place->object, &frames[n - 1]);
	for (size_t i = n - 1; i-- > 0;)
		append(f, find_inlined(f, place, index, &frames[i]));
	range.count = n;
	return range;
}

/* Find the functions at a place once for all tasks that share its object. */
static struct function_range functions_at(struct stack_functions *f, struct place *place,
                                          uint32_t index)
{
	size_t i;

	if (!place->resolved)
		return find_functions(f, place, index);
	if (map_insert(&f->known, (struct map_key){(uintptr_t)place->object, place->addr, 0}, &i))
		GROW(f->known_at, i, f->known_capacity)[i] = find_functions(f, place, index);
	return f->known_at[i];
}

void stack_functions_make(struct stack_functions *f, const struct profile *p)
{
	const struct samples *s = &p->samples;

	*f = (struct stack_functions){.at = xcalloc(s->place_index.count, sizeof(*f->at))};
	for (size_t n = 1; n < s->call_index.count; n++) {
		uint32_t place = s->calls[n].place;

		if (!f->at[place].count)
			f->at[place] = functions_at(f, &s->places[place], place);
	}
}

void stack_functions_free(struct stack_functions *f)
{
	map_free(&f->index);
	map_free(&f->names);
	map_free(&f->known);
	free(f->functions);
	free(f->at);
	free(f->known_at);
	free(f->list);
}

const char *stack_function_name(char *text, size_t size, const struct stack_functions *f,
                                const struct profile *p, uint32_t function)
{
	struct place place = p->samples.places[f->functions[function].place];

	place.inlined = f->functions[function].inlined;
	if (place.no_address)
		snprintf(text, size, "[unknown]");
	else
		place_name(text, size, &place, false);
	return text;
}

const char *stack_function_object(const struct stack_functions *f, const struct profile *p,
                                  uint32_t function)
{
	return place_object(&p->samples.places[f->functions[function].place]);
}
