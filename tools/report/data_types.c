/* SPDX-License-Identifier: MIT */
/* See data_types.h. */
#include "data_types.h"

#include "memory.h"
#include "../base/common.h"

#include <string.h>

enum { UNKNOWN, STACK_OPERATION };

static uint32_t add_type(struct profile *p, const struct data_type *type)
{
	size_t i;

	if (map_insert(&p->data_type_index, debug_text_key(type->name), &i))
		GROW(p->data_types, i, p->data_type_capacity)[i] = *type;
	return (uint32_t)i;
}

static struct data_access access_of(const struct profile *p, const struct touch *touch)
{
	const struct cache_line *line = &p->lines[touch->line];

	return (struct data_access){.input = line->input,
	                            .pid = line->pid,
	                            .place = &p->samples.places[touch->bin.place],
	                            .address = touch_address(touch, p),
	                            .time = touch->time,
	                            .heap = touch->heap};
}

static struct touch_type answer(struct profile *p, const struct typed *typed)
{
	struct touch_type t = {.source = (uint8_t)typed->source,
	                       .access = (uint16_t)typed->size,
	                       .offset = typed->offset,
	                       .reason = typed->reason};

	if (typed->type)
		t.type = add_type(
		        p, &(struct data_type){typed->type->name, typed->types, typed->type});
	else if (typed->source == TYPE_SAVED)
		t.type = STACK_OPERATION;
	return t;
}

void data_types_find(struct profile *p)
{
	size_t count = p->touch_count;
	struct typing *typing;

	if (p->touch_types)
		return;
	add_type(p, &(struct data_type){.name = "(unknown)"});
	add_type(p, &(struct data_type){.name = "(stack operation)"});
	p->touch_types = xcalloc(count + 1, sizeof(*p->touch_types));
	typing = typing_new(p->samples.recordings, p->samples.recording_count);
	for (size_t i = 0; i < count && typing_wants_votes(typing); i++) {
		struct data_access access = access_of(p, &p->touches[i]);

		typing_vote(typing, &access);
	}
	for (size_t i = 0; i < count; i++) {
		struct data_access access = access_of(p, &p->touches[i]);
		struct typed typed;

		typing_find(typing, &typed, &access);
		p->touch_types[i] = answer(p, &typed);
		if (!(i & 0xfff))
			progress("looking up types", i, count);
	}
	progress_end();
	typing_free(typing);
}

const struct touch_type *type_of_touch(const struct profile *p, const struct touch *touch)
{
	return &p->touch_types[touch - p->touches];
}

const struct data_type *data_type_of_touch(const struct profile *p, const struct touch *touch)
{
	return &p->data_types[type_of_touch(p, touch)->type];
}

uint64_t member_type_number(const struct profile *p, const struct member *m)
{
	return type_of_touch(p, member_touch(m))->type;
}

void touch_member(char *text, size_t size, const struct profile *p, const struct touch *touch)
{
	const struct touch_type *t = type_of_touch(p, touch);
	const struct data_type *type = data_type_of_touch(p, touch);

	text[0] = 0;
	if (type->type)
		typed_member(text, size,
		             &(struct typed){.types = type->types,
		                             .type = type->type,
		                             .offset = t->offset,
		                             .size = t->access});
}
