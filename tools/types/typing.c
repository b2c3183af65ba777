/* SPDX-License-Identifier: MIT */
/* See typing.h. */
#include "typing.h"

#include "object_types.h"
#include "sites.h"
#include "thread_blocks.h"
#include "votes.h"
#include "../base/common.h"
#include "../session/object.h"

#include <stdlib.h>
#include <string.h>

struct typing {
	const struct recording *recordings;
	struct sites *sites;
	struct votes *votes;
	struct thread_blocks threads;
	bool finished;
	struct map code_index; /* index in codes by object and address of an instruction */
	struct code_answer *codes;
	size_t code_capacity;
};

/* The answer of the code for an instruction. */
struct code_answer {
	const struct code_type *code;
	struct typed typed;
};

/* The types of the instruction and of the data, before one is chosen. */
struct answers {
	const struct code_type *code;
	struct typed from_code, from_variable, from_site, from_object, from_kind;
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

struct typing *typing_new(const struct recording *recordings, unsigned count)
{
	struct typing *t = xcalloc(1, sizeof(*t));

	t->recordings = recordings;
	t->votes = votes_new();
	t->sites = sites_new(recordings, count);
	return t;
}

void typing_free(struct typing *t)
{
	sites_free(t->sites);
	votes_free(t->votes);
	thread_blocks_free(&t->threads);
	map_free(&t->code_index);
	free(t->codes);
	free(t);
}

static struct session *session_of(const struct typing *t, uint32_t input)
{
	return (struct session *)(uintptr_t)&t->recordings[input].session;
}

/* Look up an instruction. */
static struct code_answer look_up(const struct place *place)
{
	struct code_answer a = {.typed.reason = NO_DEBUG_IN_OBJECT};
	struct object_types *types;
	const struct code_type *code;

	if (!place->resolved || !place->object) {
		a.typed.reason = "the code is in no file";
		return a;
	}
	if (!(types = object_types_of(place->object)))
		return a;
	a.code = code = object_types_code(types, place->addr);
	a.typed.reason = NO_DEBUG_IN_FUNCTION;
	if (!code)
		return a;
	a.typed = (struct typed){.source = code->weak ? TYPE_WEAK : code->source,
	                         .types = object_types_set(types),
	                         .type = code->type,
	                         .size = code->size,
	                         .count = code->count,
	                         .any_element = code->stride != 0,
	                         .reason = code->reason};
	if (code->type && code->offset >= 0)
		a.typed.offset = (uint64_t)code->offset;
	else if (code->type)
		a.typed.source = TYPE_WEAK;
	return a;
}

/* Ask the code. */
static void ask_code(struct typing *t, struct answers *a, const struct data_access *access)
{
	const struct place *place = access->place;
	size_t i;

	if (map_insert(&t->code_index,
	               (struct map_key){(uintptr_t)place->object, place->addr, place->resolved},
	               &i))
		GROW(t->codes, i, t->code_capacity)[i] = look_up(place);
	a->code = t->codes[i].code;
	a->from_code = t->codes[i].typed;
}

/* Find the static variable at the data address. */
static void ask_variable(struct typing *t, struct answers *a, const struct data_access *access)
{
	struct typed *typed = &a->from_variable;
	struct object_types *types;
	struct object *object;
	int64_t offset;
	uint64_t vaddr;

	if (!place_of_data(&object, &vaddr, session_of(t, access->input), access->pid,
	                   access->address, access->time) ||
	    !(types = object_types_of(object)))
		return;
	typed->type = object_types_static(types, &offset, vaddr);
	if (!typed->type)
		return;
	typed->types = object_types_set(types);
	typed->source = TYPE_STATIC;
	typed->offset = (uint64_t)offset;
}

/* Return the numbers of an object for the votes. */
static struct voted voted_of(struct typing *t, const struct data_access *access)
{
	return (struct voted){(uintptr_t)access->heap, sites_kind(t->sites, access),
	                      sites_user(t->sites, access)};
}

/* Find the variable in the frame of a caller. */
static void ask_caller(struct answers *a, const struct data_access *access)
{
	const struct place *caller = access->caller;
	struct typed *typed = &a->from_variable;
	struct object_types *types;
	int64_t offset;

	if (!caller || !caller->resolved || !caller->object ||
	    !(types = object_types_of(caller->object)))
		return;
	typed->types = object_types_set(types);
	typed->source =
	        object_types_slot(types, &typed->type, &offset, caller->addr, access->frame_offset);
	if (typed->type)
		typed->offset = (uint64_t)offset;
}

static struct thread_key thread_of(const struct data_access *access)
{
	return (struct thread_key){access->input, access->pid, access->place->task->tid};
}

/* Find the thread-local variable at the data address. */
static void ask_thread(const struct typing *t, struct answers *a, const struct data_access *access)
{
	const struct thread_key thread = thread_of(access);
	struct typed *typed = &a->from_variable;
	const struct thread_block *b = thread_blocks_first(&t->threads, &thread);
	int64_t offset;

	for (; b && !typed->type; b = thread_blocks_next(&t->threads, b)) {
		if (!b->doubtful)
			typed->type = object_types_thread(b->types, &offset,
			                                  (int64_t)(access->address - b->pointer));
		if (typed->type)
			*typed = (struct typed){.source = TYPE_THREAD,
			                        .types = object_types_set(b->types),
			                        .type = typed->type,
			                        .offset = (uint64_t)offset};
	}
}

static void ask_votes(struct typing *t, struct answers *a, const struct data_access *access)
{
	uint64_t offset = access->address - access->heap->start;
	struct typed *object = &a->from_object, *kind = &a->from_kind;
	struct voted voted = voted_of(t, access);

	object->type = votes_of_object(t->votes, &object->types, &object->offset, &voted, offset);
	object->source = object->type ? TYPE_VOTES : TYPE_NONE;
	if (object->type)
		return;
	kind->type = votes_of_kind(t->votes, &kind->types, &kind->offset, &voted, offset);
	kind->source = kind->type ? TYPE_VOTES : TYPE_NONE;
}

/* Return true if the answer is strong enough to say what lies in the object. */
static bool is_evidence(const struct typed *typed, const struct code_type *code)
{
	return code && typed->source == TYPE_REGISTER && type_is_aggregate(typed->type) &&
	       typed->type->size && !code->stride && typed->offset < typed->type->size;
}

/* Note where the thread-local variables are. In a kernel, all code has to be prepared first. */
static void note_thread(struct typing *t, const struct data_access *access)
{
	const struct place *place = access->place;
	const struct thread_key thread = thread_of(access);
	struct object_types *types =
	        place->resolved && place->object ? object_types_of(place->object) : NULL;
	struct answers a = {0};

	if (types)
		object_types_prepare(types, place->addr);
	if (!types || place->object->kind != OBJECT_FILE)
		return;
	ask_code(t, &a, access);
	if (a.code && a.code->source == TYPE_THREAD && !a.code->stride)
		thread_blocks_note(&t->threads, &thread, types,
		                   access->address - (uint64_t)a.code->in_thread);
}

void typing_vote(struct typing *t, const struct data_access *access)
{
	struct answers a = {0};
	struct voted voted;
	uint64_t offset;

	if (!access->heap) {
		note_thread(t, access);
		return;
	}
	ask_code(t, &a, access);
	if (!is_evidence(&a.from_code, a.code))
		return;
	offset = access->address - access->heap->start;
	if (offset < a.from_code.offset)
		return;
	offset -= a.from_code.offset;
	/* An allocator may give a few bytes more than the program asked for. */
	if (offset + a.from_code.type->size > access->heap->len + 15)
		return;
	voted = voted_of(t, access);
	votes_add(t->votes, &voted, a.from_code.types, a.from_code.type, offset);
}

/* The knowledge in an answer. A character and a weak answer say little. */
enum { VALUE_NOTHING, VALUE_LITTLE, VALUE_SCALAR, VALUE_MEMBER };

static int value_of(const struct typed *typed)
{
	struct type_step steps[TYPE_STEPS_MAX];
	size_t n;

	if (!typed->type || typed->source == TYPE_NONE)
		return VALUE_NOTHING;
	if (typed->source == TYPE_WEAK)
		return VALUE_LITTLE;
	n = type_steps(typed->types, steps, typed->type, typed->offset,
	               typed->size ? typed->size : 1);
	if (type_is_aggregate(steps[n - 1].type))
		return VALUE_LITTLE;
	for (size_t i = 0; i < n; i++) {
		if (type_is_aggregate(steps[i].type))
			return VALUE_MEMBER;
	}
	return steps[n - 1].type->size == 1 ? VALUE_LITTLE : VALUE_SCALAR;
}

static void choose(struct typed *typed, const struct answers *a)
{
	/* The order of trust. An index may lead beyond the array where it begins. */
	const struct typed *const sure[] = {&a->from_code, &a->from_variable, &a->from_site,
	                                    &a->from_object, &a->from_kind};
	const struct typed *const indexed[] = {&a->from_variable, &a->from_object, &a->from_code,
	                                       &a->from_site, &a->from_kind};
	const struct typed *const *all = a->from_code.any_element ? indexed : sure;
	int best = 0;

	*typed = a->from_code;
	for (size_t i = 0; i < sizeof(sure) / sizeof(sure[0]); i++) {
		int value = value_of(all[i]);

		if (value <= best)
			continue;
		best = value;
		*typed = *all[i];
	}
	if (!best && a->from_variable.source == TYPE_SAVED)
		*typed = a->from_variable;
	typed->size = a->from_code.size;
	typed->count = a->from_code.count;
	/* Each element of an array counts as one object. */
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
	ask_code(t, &a, access);
	/* Ask the others only if they may know more. */
	if (a.from_code.source != TYPE_SAVED &&
	    (a.from_code.any_element || value_of(&a.from_code) < VALUE_MEMBER)) {
		ask_variable(t, &a, access);
		if (!a.from_variable.type)
			ask_caller(&a, access);
		if (!a.from_variable.type)
			ask_thread(t, &a, access);
		if (access->heap) {
			sites_type(t->sites, &a.from_site, access);
			ask_votes(t, &a, access);
		}
		a.from_variable.size = a.from_site.size = a.from_code.size;
		a.from_object.size = a.from_kind.size = a.from_code.size;
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
