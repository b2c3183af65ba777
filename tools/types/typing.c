/* SPDX-License-Identifier: MIT */
/* See typing.h. */
#include "typing.h"

#include "object_types.h"
#include "votes.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

/* An allocation site of a recording. */
struct site {
	struct object_types *types; /* NULL without debugging information at the call */
	uint64_t vaddr;
	bool asked;
	struct type *type; /* type of the objects, after it was asked for */
};

struct typing {
	const struct recording *recordings;
	struct site **sites; /* by recording and allocation site */
	struct votes *votes;
	bool has_sites, finished;
};

/* The types of the instruction and of the data, before one is chosen. */
struct answers {
	const struct code_type *code;
	struct object_types *of_code;
	struct typed from_code, from_variable, from_site, from_votes;
};

const char *type_source_word(enum type_source source)
{
	static const char *const words[] = {[TYPE_NONE] = "unknown",
	                                    [TYPE_STATIC] = "static",
	                                    [TYPE_THREAD] = "thread-local",
	                                    [TYPE_STACK] = "stack",
	                                    [TYPE_SAVED] = "saved",
	                                    [TYPE_REGISTER] = "register",
	                                    [TYPE_ALLOCATION] = "allocation",
	                                    [TYPE_VOTES] = "votes",
	                                    [TYPE_WEAK] = "weak"};

	return words[source];
}

static void locate_site(struct site *site, struct session *s,
                        const struct allocation_site *recorded)
{
	const struct mapping *m =
	        timeline_mapping(s->timeline, recorded->pid, recorded->pc, recorded->time);

	if (!m ||
	    !object_vaddr(m->object, &site->vaddr, recorded->pc - m->start + m->pgoff, m->writable))
		return;
	site->types = object_types_of(m->object);
	if (site->types)
		object_types_add_call(site->types, site->vaddr);
}

struct typing *typing_new(const struct recording *recordings, unsigned count)
{
	struct typing *t = xcalloc(1, sizeof(*t));

	t->recordings = recordings;
	t->votes = votes_new();
	t->sites = xcalloc(count, sizeof(*t->sites));
	for (unsigned i = 0; i < count; i++) {
		struct session *s = (struct session *)(uintptr_t)&recordings[i].session;
		const struct allocation_site *recorded;
		size_t n = 0;

		while (heap_allocation_site(s->heap, n))
			n++;
		t->sites[i] = xcalloc(n + 1, sizeof(*t->sites[i]));
		for (size_t k = 0; (recorded = heap_allocation_site(s->heap, k)); k++)
			locate_site(&t->sites[i][k], s, recorded);
		t->has_sites |= n > 0;
	}
	return t;
}

bool typing_has_votes(const struct typing *t)
{
	return t->has_sites;
}

static struct session *session_of(const struct typing *t, uint32_t input)
{
	return (struct session *)(uintptr_t)&t->recordings[input].session;
}

/* Ask the code. */
static void ask_code(struct answers *a, const struct data_access *access)
{
	const struct place *place = access->place;
	struct typed *typed = &a->from_code;

	typed->reason = "the object has no debugging information";
	if (!place->resolved || !place->object || !(a->of_code = object_types_of(place->object)))
		return;
	a->code = object_types_code(a->of_code, place->addr);
	typed->reason = "the function has no debugging information";
	if (!a->code)
		return;
	*typed = (struct typed){.source = a->code->source,
	                        .types = object_types_set(a->of_code),
	                        .type = a->code->type,
	                        .size = a->code->size,
	                        .any_element = a->code->stride != 0,
	                        .reason = a->code->reason};
	if (!typed->type)
		return;
	if (a->code->weak)
		typed->source = TYPE_WEAK;
	if (a->code->offset >= 0)
		typed->offset = (uint64_t)a->code->offset;
	else
		typed->source = TYPE_WEAK;
}

/* Find the static variable at the data address. */
static void ask_variable(struct typing *t, struct answers *a, const struct data_access *access)
{
	struct session *s = session_of(t, access->input);
	const struct mapping *m =
	        timeline_mapping(s->timeline, access->pid, access->address, access->time);
	struct object_types *types;
	struct typed *typed = &a->from_variable;
	int64_t offset;
	uint64_t vaddr;

	if (!m ||
	    !object_vaddr(m->object, &vaddr, access->address - m->start + m->pgoff, m->writable)) {
		/* Zero-initialized data are in anonymous memory behind the mapping of the file. */
		m = timeline_mapping_below(s->timeline, access->pid, access->address, access->time);
		if (!m || !object_vaddr(m->object, &vaddr, m->pgoff, m->writable))
			return;
		vaddr += access->address - m->start;
		if (!object_holds(m->object, vaddr))
			return;
	}
	if (!(types = object_types_of(m->object)))
		return;
	typed->type = object_types_static(types, &offset, vaddr);
	if (!typed->type)
		return;
	typed->types = object_types_set(types);
	typed->source = TYPE_STATIC;
	typed->offset = (uint64_t)offset;
}

/* Return a number that is equal for objects of one size and allocation site. */
static uint64_t kind_of(const struct data_access *access)
{
	struct map_key key = {access->input, access->heap->allocation_site, access->heap->len};

	return map_hash(&key) | 1;
}

static void ask_site(struct typing *t, struct answers *a, const struct data_access *access)
{
	struct site *site = &t->sites[access->input][access->heap->allocation_site];
	struct typed *typed = &a->from_site;

	if (!site->types)
		return;
	if (!site->asked) {
		site->asked = true;
		site->type = object_types_call(site->types, site->vaddr);
	}
	/* An object that is smaller than the type was allocated for another one. */
	if (!site->type || !site->type->size || access->heap->len < site->type->size)
		return;
	*typed = (struct typed){.source = TYPE_ALLOCATION,
	                        .types = object_types_set(site->types),
	                        .type = site->type,
	                        .offset =
	                                (access->address - access->heap->start) % site->type->size};
}

static void ask_votes(struct typing *t, struct answers *a, const struct data_access *access)
{
	struct typed *typed = &a->from_votes;

	typed->type = votes_find(t->votes, &typed->types, &typed->offset, (uintptr_t)access->heap,
	                         kind_of(access), access->address - access->heap->start);
	if (typed->type)
		typed->source = TYPE_VOTES;
}

/* Return true if the answer is strong enough to say what lies in the object. */
static bool is_evidence(const struct typed *typed, const struct code_type *code)
{
	return code && typed->source == TYPE_REGISTER && type_is_aggregate(typed->type) &&
	       typed->type->size && !code->stride && typed->offset < typed->type->size;
}

void typing_vote(struct typing *t, const struct data_access *access)
{
	struct answers a = {0};
	uint64_t offset;

	if (!access->heap)
		return;
	ask_code(&a, access);
	if (!is_evidence(&a.from_code, a.code))
		return;
	offset = access->address - access->heap->start;
	if (offset < a.from_code.offset)
		return;
	offset -= a.from_code.offset;
	/* An allocator may give a few bytes more than the program asked for. */
	if (offset + a.from_code.type->size > access->heap->len + 15)
		return;
	votes_add(t->votes, (uintptr_t)access->heap, kind_of(access), a.from_code.types,
	          a.from_code.type, offset);
}

/* Return how much an answer says: 3 for a member, 2 for a scalar, 1 for a character or a weak
 * answer. */
static int value_of(const struct typed *typed)
{
	struct type_step steps[TYPE_STEPS_MAX];
	size_t n;

	if (!typed->type || typed->source == TYPE_NONE)
		return 0;
	if (typed->source == TYPE_WEAK)
		return 1;
	n = type_steps(typed->types, steps, typed->type, typed->offset,
	               typed->size ? typed->size : 1);
	if (type_is_aggregate(steps[n - 1].type))
		return 1;
	for (size_t i = 0; i < n; i++) {
		if (type_is_aggregate(steps[i].type))
			return 3;
	}
	return steps[n - 1].type->size == 1 ? 1 : 2;
}

static void choose(struct typed *typed, const struct answers *a)
{
	/* The order of trust. */
	const struct typed *const all[] = {&a->from_code, &a->from_variable, &a->from_site,
	                                   &a->from_votes};
	int best = 0;

	*typed = a->from_code;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int value = value_of(all[i]);

		if (value <= best)
			continue;
		best = value;
		*typed = *all[i];
	}
	typed->size = a->from_code.size;
	/* An element of an array counts as an object of its own. */
	while (typed->type && typed->type->kind == TYPE_ARRAY && typed->type->target &&
	       typed->type->target->size) {
		typed->type = typed->type->target;
		typed->offset %= typed->type->size;
	}
}

void typing_find(struct typing *t, struct typed *typed, const struct data_access *access)
{
	struct answers a = {0};

	if (!t->finished)
		votes_finish(t->votes);
	t->finished = true;
	ask_code(&a, access);
	if (a.from_code.source != TYPE_SAVED) {
		ask_variable(t, &a, access);
		a.from_variable.size = a.from_site.size = a.from_votes.size = a.from_code.size;
		if (access->heap) {
			ask_site(t, &a, access);
			ask_votes(t, &a, access);
		}
	}
	choose(typed, &a);
}

void typed_member(char *text, size_t size, const struct typed *typed)
{
	struct type_step steps[TYPE_STEPS_MAX];
	size_t n;

	text[0] = 0;
	if (!typed->type)
		return;
	n = type_steps(typed->types, steps, typed->type, typed->offset,
	               typed->size ? typed->size : 1);
	type_path(text, size, steps, n);
}
