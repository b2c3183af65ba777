/* SPDX-License-Identifier: MIT */
/* See data_types.h. */
#include "data_types.h"

#include "../types/sample_access.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, STACK_OPERATION, PATH_SIZE = 1000 };

/* The members that are known by type, offset and size of the access, because a path takes time. */
struct known_members {
	struct map index;
	uint32_t *members;
	size_t capacity;
};

static uint32_t add_type(struct profile *p, const struct data_type *type)
{
	size_t i;

	if (map_insert(&p->data_type_index, debug_text_key(type->name), &i))
		GROW(p->data_types, i, p->data_type_capacity)[i] = *type;
	return (uint32_t)i;
}

static uint32_t add_member(struct profile *p, const char *path)
{
	size_t i;

	if (map_insert(&p->data_member_index, debug_text_key(path), &i))
		GROW(p->data_members, i, p->data_member_capacity)[i].path = xstrdup(path);
	return (uint32_t)i;
}

static uint32_t member_of(struct profile *p, struct known_members *known, const struct typed *typed)
{
	char path[PATH_SIZE];
	size_t i;

	if (map_insert(&known->index,
	               (struct map_key){(uintptr_t)typed->type, typed->offset, typed->size}, &i)) {
		typed_member(path, sizeof(path), typed);
		GROW(known->members, i, known->capacity)[i] = add_member(p, path);
	}
	return known->members[i];
}

static struct data_access access_of(const struct profile *p, const struct touch *touch)
{
	const struct cache_line *line = &p->lines[touch->line];
	struct data_access access = {.input = line->input,
	                             .pid = line->pid,
	                             .place = &p->samples.places[touch->bin.place],
	                             .address = touch_address(touch, p),
	                             .time = touch->time,
	                             .heap = touch->heap};

	data_access_slot(&access, &p->samples, touch->slot);
	return access;
}

static struct touch_type answer(struct profile *p, struct known_members *known,
                                const struct typed *typed)
{
	struct touch_type t = {.source = (uint8_t)typed->source,
	                       .member = member_of(p, known, typed),
	                       .access = (uint16_t)typed->size,
	                       .count = (uint8_t)typed->count,
	                       .offset = typed->offset,
	                       .reason = typed->reason};

	if (typed->type)
		t.type = add_type(
		        p, &(struct data_type){typed->type->name, typed->types, typed->type});
	else if (typed->source == TYPE_SAVED)
		t.type = STACK_OPERATION;
	return t;
}

/* Find the type that was asked for. Die if no sample accesses it. */
static void find_wanted(struct profile *p)
{
	bool found = !p->data_type;

	for (size_t i = 0; i < p->data_type_index.count && p->data_type; i++) {
		struct data_type *t = &p->data_types[i];

		t->wanted = !strcmp(t->name, p->data_type) ||
		            !strcmp(type_plain_name(t->name), p->data_type);
		found |= t->wanted;
	}
	if (found)
		return;
	samples_warn(&p->samples); /* the file with the type may be missing */
	die(EXIT_OWN,
	    "no sample accesses the type '%s'; 'spemu report -i %s --section types' lists the "
	    "types with samples",
	    p->data_type, p->samples.recordings[0].path);
}

void data_types_find(struct profile *p)
{
	size_t count = p->touch_count;
	struct known_members known = {0};
	struct typing *typing;

	if (p->touch_types)
		return;
	add_type(p, &(struct data_type){.name = "(unknown)"});
	add_type(p, &(struct data_type){.name = "(stack operation)"});
	p->touch_types = xcalloc(count + 1, sizeof(*p->touch_types));
	typing = typing_new(p->samples.recordings, p->samples.recording_count);
	for (size_t i = 0; i < count; i++) {
		struct data_access access = access_of(p, &p->touches[i]);

		typing_vote(typing, &access);
	}
	for (size_t i = 0; i < count; i++) {
		struct data_access access = access_of(p, &p->touches[i]);
		struct typed typed;

		typing_find(typing, &typed, &access);
		p->touch_types[i] = answer(p, &known, &typed);
		if (!(i & 0xfff))
			progress("looking up types", i, count);
	}
	progress_end();
	typing_free(typing);
	map_free(&known.index);
	free(known.members);
	find_wanted(p);
}

const struct touch_type *type_of_touch(const struct profile *p, const struct touch *touch)
{
	return &p->touch_types[touch - p->touches];
}

const struct data_type *data_type_of_touch(const struct profile *p, const struct touch *touch)
{
	return &p->data_types[type_of_touch(p, touch)->type];
}

bool touch_is_wanted(const struct profile *p, const struct touch *touch)
{
	return !p->data_type || data_type_of_touch(p, touch)->wanted;
}

bool member_is_structure(const struct profile *p, const struct member *m)
{
	const struct type *type = data_type_of_touch(p, member_touch(m))->type;

	return type && type_is_aggregate(type) &&
	       type_of_touch(p, member_touch(m))->source != TYPE_WEAK;
}

uint64_t member_type_number(const struct profile *p, const struct member *m)
{
	return type_of_touch(p, member_touch(m))->type;
}

void touch_member(char *text, size_t size, const struct profile *p, const struct touch *touch)
{
	snprintf(text, size, "%s", p->data_members[type_of_touch(p, touch)->member].path);
}
