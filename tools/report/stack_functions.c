/* SPDX-License-Identifier: MIT */
/*
 * For a reader who looks for recursion, a function and its inlined copies are the same function.
 * They have the same linkage name and the same first line. The linkage name tells the instances of
 * a template apart, the line the static functions of one name. Names are compared by a hash,
 * because a hostile file may have many long names.
 */
#include "stack_functions.h"
#include "../base/common.h"

#include <stdlib.h>

enum { FRAMES_MAX = 64, NAME_MAX_HASHED = 4096 };
enum { KEY_OUTER, KEY_NAME };

/* Return the FNV-1a hash of a text. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; text[i] && i < NAME_MAX_HASHED; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint32_t name_number(struct stack_functions *f, const struct object *object,
                            const struct linked_frame *linked, const struct frame *frame)
{
	const char *name = linked->function ? linked->function : frame->function;

	return (uint32_t)map_add(&f->names,
	                         (struct map_key){(uintptr_t)object, hash_text(name),
	                                          (uint64_t)linked->first_line << 1 | KEY_NAME});
}

static uint32_t find_inlined(struct stack_functions *f, struct object *object, const char *name,
                             uint32_t same)
{
	size_t i;

	if (map_insert(&f->inlined, (struct map_key){same, 0, 0}, &i)) {
		APPEND(f->functions, f->count, f->capacity) =
		        (struct stack_function){object, name, same};
	}
	return (uint32_t)(f->outer.index.count + i);
}

static void append(struct stack_functions *f, uint32_t function)
{
	APPEND(f->list, f->list_count, f->list_capacity) = function;
}

/* Find the functions at a place, which is in the function `outer`. */
static struct function_range find_functions(struct stack_functions *f, const struct place *place,
                                            uint32_t outer)
{
	struct function_range range = {.first = f->list_count};
	struct linked_frame linked[FRAMES_MAX];
	struct frame frames[FRAMES_MAX];
	size_t n =
	        place->resolved ? object_frames(place->object, frames, FRAMES_MAX, place->addr) : 0;

	append(f, outer);
	if (n && object_linked_frames(place->object, linked, n, place->addr) == n) {
		f->functions[outer].same =
		        name_number(f, place->object, &linked[n - 1], &frames[n - 1]);
		for (size_t i = n - 1; i-- > 0;) {
			uint32_t same = name_number(f, place->object, &linked[i], &frames[i]);

			append(f, find_inlined(f, place->object, frames[i].function, same));
		}
	}
	range.count = f->list_count - range.first;
	return range;
}

void stack_functions_make(struct stack_functions *f, const struct profile *p)
{
	const struct samples *s = &p->samples;

	*f = (struct stack_functions){.at = xcalloc(s->place_index.count, sizeof(*f->at))};
	call_functions_make(&f->outer, p);
	for (size_t i = 0; i < f->outer.index.count; i++) {
		APPEND(f->functions, f->count, f->capacity) = (struct stack_function){
		        .same = (uint32_t)map_add(&f->names, (struct map_key){i, 0, KEY_OUTER})};
	}
	for (size_t n = 1; n < s->call_index.count; n++) {
		uint32_t place = s->calls[n].place;

		if (!f->at[place].count)
			f->at[place] = find_functions(f, &s->places[place], f->outer.of_stack[n]);
	}
}

void stack_functions_free(struct stack_functions *f)
{
	call_functions_free(&f->outer);
	map_free(&f->names);
	map_free(&f->inlined);
	free(f->functions);
	free(f->at);
	free(f->list);
}

const char *stack_function_name(char *text, size_t size, const struct stack_functions *f,
                                const struct profile *p, uint32_t function)
{
	if (f->functions[function].inlined)
		snprintf(text, size, "%s", f->functions[function].inlined);
	else
		call_function_name(text, size, &f->outer, p, function);
	return text;
}

const char *stack_function_object(const struct stack_functions *f, const struct profile *p,
                                  uint32_t function)
{
	const struct stack_function *of = &f->functions[function];

	return of->inlined ? object_name(of->object)
	                   : place_object(&p->samples.places[f->outer.places[function]]);
}
