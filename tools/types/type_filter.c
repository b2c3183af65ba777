/* SPDX-License-Identifier: MIT */
/* See type_filter.h. */
#include "type_filter.h"

#include "sample_access.h"
#include "../base/common.h"

struct type_filter {
	const struct samples *samples;
	struct typing *typing;
	struct map known; /* index in wanted by type */
	bool *wanted;
	size_t capacity;
};

static void vote(void *type_filter, const struct sample *sample)
{
	struct type_filter *f = type_filter;
	struct data_access access;

	if (sample_access(&access, f->samples, sample))
		typing_vote(f->typing, &access);
}

static bool wants_type(struct type_filter *f, const struct type *type)
{
	size_t i;

	if (map_insert(&f->known, (struct map_key){(uintptr_t)type, 0, 0}, &i))
		GROW(f->wanted, i, f->capacity)
	[i] = filter_wants_type(f->samples->filter, type->name) ||
	      filter_wants_type(f->samples->filter, type_plain_name(type->name));
	return f->wanted[i];
}

static bool wants_sample(void *type_filter, const struct sample *sample)
{
	struct type_filter *f = type_filter;
	struct data_access access;
	struct typed typed;

	if (!sample_access(&access, f->samples, sample))
		return false;
	typing_find(f->typing, &typed, &access);
	return typed.type && wants_type(f, typed.type);
}

void type_filter_prepare(struct samples *s)
{
	struct type_filter *f;

	if (!filter_has_types(s->filter))
		return;
	f = xcalloc(1, sizeof(*f));
	f->samples = s;
	f->typing = typing_new(s->recordings, s->recording_count);
	samples_read(s, vote, NULL, f);
	samples_rewind(s);
	s->want_stacks = true; /* for data in the frames of callers */
	s->wants = wants_sample;
	s->wants_of = f;
}
