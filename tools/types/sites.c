/* SPDX-License-Identifier: MIT */
/* See sites.h. */
#include "sites.h"

#include "object_types.h"
#include "../base/common.h"

#include <stdlib.h>

/* A call that led to an allocation. */
struct site_call {
	const struct object *object;
	struct object_types *types; /* NULL without debugging information at the call */
	uint64_t vaddr;
};

/* An allocation site of a recording. */
struct site {
	struct site_call calls[1 + ALLOCATION_CALLERS]; /* of the allocator, and its callers */
	unsigned call_count;
	const char *call; /* name of the allocator */
	uint64_t number; /* number of the calls from the allocator to the user, or 0: number_of() */
	/* ---- after the type was asked for ---- */
	bool asked;
	bool exact; /* the type is that of objects of its size only */
	struct object_types *types;
	struct type *type;
};

struct sites {
	unsigned count;      /* recordings */
	struct site **sites; /* by recording and allocation site */
	struct map numbers;  /* index + 1 by the number of the callers and a call */
};

static struct site_call located(const struct place *place)
{
	return (struct site_call){place->object,
	                          place->resolved ? object_types_of(place->object) : NULL,
	                          place->addr};
}

static enum wrapper wrapper_of(const struct site_call *call)
{
	return call->types ? object_types_wrapper(call->types, call->vaddr) : WRAPPER_UNKNOWN;
}

/* Return a number that is equal for the sites with one user of the new object. The user is the
 * innermost function that is not a wrapper. */
static uint64_t number_of(struct sites *all, struct site *site)
{
	uint64_t number = (uintptr_t)site->call;

	for (unsigned i = 0; i < site->call_count && !site->number; i++) {
		const struct site_call *call = &site->calls[i];

		number =
		        1 + map_add(&all->numbers,
		                    (struct map_key){number, (uintptr_t)call->object, call->vaddr});
		if (wrapper_of(call) == WRAPPER_NO)
			break;
	}
	if (!site->number)
		site->number = number;
	return site->number;
}

static void locate_site(struct site *site, struct session *s,
                        const struct allocation_site *recorded)
{
	struct place place = place_of_allocation(s, recorded);

	site->call = recorded->call;
	site->calls[site->call_count++] = located(&place);
	if (site->calls->types)
		object_types_add_call(site->calls->types, site->calls->vaddr);
	for (unsigned i = 0; i < ALLOCATION_CALLERS && recorded->callers[i]; i++) {
		place = place_of_allocation_caller(s, recorded, i);
		site->calls[site->call_count++] = located(&place);
	}
}

/*
 * Find the type of the objects of a site, from the innermost call that knows it. A function that
 * returns the new object is a wrapper, so its caller may know. So may the caller of a function
 * without debugging information, but that function may also return a part of the object.
 */
static void find_site_type(struct site *site)
{
	site->asked = true;
	for (unsigned i = 0; i < site->call_count && !site->type; i++) {
		const struct site_call *call = &site->calls[i];
		enum wrapper wrapper = wrapper_of(call);

		site->types = call->types;
		if (call->types)
			site->type = object_types_call(call->types, call->vaddr);
		if (!site->type)
			site->exact |= wrapper == WRAPPER_UNKNOWN;
		if (wrapper == WRAPPER_NO)
			break;
	}
}

struct sites *sites_new(const struct recording *recordings, unsigned count)
{
	struct sites *all = xcalloc(1, sizeof(*all));

	all->count = count;
	all->sites = xcalloc(count, sizeof(*all->sites));
	for (unsigned i = 0; i < count; i++) {
		struct session *s = (struct session *)(uintptr_t)&recordings[i].session;
		const struct allocation_site *recorded;
		size_t n = 0;

		while (heap_allocation_site(s->heap, n))
			n++;
		all->sites[i] = xcalloc(n + 1, sizeof(*all->sites[i]));
		for (size_t k = 0; (recorded = heap_allocation_site(s->heap, k)); k++)
			locate_site(&all->sites[i][k], s, recorded);
	}
	return all;
}

void sites_free(struct sites *all)
{
	for (unsigned i = 0; i < all->count; i++)
		free(all->sites[i]);
	free(all->sites);
	map_free(&all->numbers);
	free(all);
}

static struct site *site_of(const struct sites *all, const struct data_access *access)
{
	return &all->sites[access->input][access->heap->allocation_site];
}

uint64_t sites_user(struct sites *all, const struct data_access *access)
{
	struct map_key key = {number_of(all, site_of(all, access)), UINT64_MAX, 0};

	return map_hash(&key) | 1;
}

uint64_t sites_kind(struct sites *all, const struct data_access *access)
{
	struct map_key key = {number_of(all, site_of(all, access)), access->heap->len, 0};

	return map_hash(&key) | 1;
}

/* Return true if the type is a structure that ends in a flexible array. */
static bool ends_flexible(const struct typed *typed)
{
	size_t n = 0;
	const struct type_member *members =
	        type_is_aggregate(typed->type) ? type_members(typed->types, typed->type, &n) : NULL;
	const struct type *last = n ? members[n - 1].type : NULL;

	return last && last->kind == TYPE_ARRAY && !last->size;
}

void sites_type(struct sites *all, struct typed *typed, const struct data_access *access)
{
	struct site *site = site_of(all, access);

	if (!site->asked)
		find_site_type(site);
	/* An object that is smaller than the type was allocated for another one. */
	if (!site->type || !site->type->size || access->heap->len < site->type->size ||
	    (site->exact && access->heap->len != site->type->size))
		return;
	*typed = (struct typed){.source = TYPE_ALLOCATION,
	                        .types = object_types_set(site->types),
	                        .type = site->type,
	                        .offset = access->address - access->heap->start};
	if (ends_flexible(typed))
		return;
	/* Other data may follow the structure. */
	if (access->heap->len % site->type->size == 0)
		typed->offset %= site->type->size;
	else if (typed->offset >= site->type->size)
		*typed = (struct typed){0};
}
