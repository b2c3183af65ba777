/* SPDX-License-Identifier: MIT */
/*
 * See type.h.
 *
 * Debugging information may be hostile: chains of references and nested members are bounded, and a
 * type that contains itself ends a walk by its depth.
 *
 * DWARF:       DWARF 5, sections 5.1 to 5.14 (types) and 2.13 (declarations)
 */
#include "type.h"

#include "../base/common.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHAIN_MAX = 64,         /* typedefs, qualifiers and pointers in a row */
	MEMBERS_MAX = 1 << 16,  /* members of a structure */
	TYPES_MAX = 1 << 22,    /* types of an object */
	NAME_MAX = 4096,        /* longest name that names of pointers and arrays contain */
	ELEMENTS_MAX_BITS = 40, /* an array with more elements has an unknown length */
};

struct types {
	const struct debug_index *index;
	struct map by_die, by_name; /* indexes in of_die and of_name */
	struct type **of_die, **of_name;
	size_t die_capacity, name_capacity;
	unsigned depth; /* number of types that are being made */
};

struct types *types_new(const struct debug_index *index)
{
	struct types *types = xcalloc(1, sizeof(*types));

	types->index = index;
	return types;
}

/* Return the number of an attribute, or `otherwise`. */
static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) ? otherwise
	                                                                            : value;
}

/* Set *target to the entry that DW_AT_type of the user names. */
static bool type_entry(Dwarf_Die *target, Dwarf_Die *user)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(user, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, target);
}

static bool is_transparent(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type ||
	       tag == DW_TAG_immutable_type || tag == DW_TAG_shared_type;
}

/*
 * Skip qualifiers and typedefs. Set *alias to the name of the last typedef, which names a structure
 * without a name. Return false for void.
 */
static bool skip_transparent(Dwarf_Die *die, const char **alias)
{
	*alias = NULL;
	for (int i = 0; is_transparent(dwarf_tag(die)); i++) {
		Dwarf_Die next;

		if (dwarf_tag(die) == DW_TAG_typedef)
			*alias = dwarf_diename(die);
		if (i == CHAIN_MAX || !type_entry(&next, die))
			return false;
		*die = next;
	}
	return true;
}

static int kind_of(int tag)
{
	switch (tag) {
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_unspecified_type:
	case DW_TAG_subrange_type:
		return TYPE_SCALAR;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return TYPE_POINTER;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return TYPE_STRUCT;
	case DW_TAG_union_type:
		return TYPE_UNION;
	case DW_TAG_array_type:
		return TYPE_ARRAY;
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		return TYPE_FUNCTION;
	default:
		return -1;
	}
}

/* Return the number of elements of an array, or 0 if it is unknown. */
static uint64_t element_count(Dwarf_Die *array)
{
	uint64_t all = 1, count;
	Dwarf_Die child;

	if (dwarf_child(array, &child))
		return 0;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		count = number_of(&child, DW_AT_count, UINT64_MAX);
		if (count == UINT64_MAX)
			count = number_of(&child, DW_AT_upper_bound, UINT64_MAX) + 1;
		if (count >> ELEMENTS_MAX_BITS || __builtin_mul_overflow(all, count, &all) ||
		    all >> ELEMENTS_MAX_BITS)
			return 0;
	} while (!dwarf_siblingof(&child, &child));
	return all;
}

static const char *prefix_of(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_class_type:
		return "class ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

/* Return the name of a structure, a number or an enumeration. */
static char *own_name(struct types *types, Dwarf_Die *die, const char *alias)
{
	char *plain = debug_type_name(types->index, die), *name;

	if (!plain && alias)
		return xstrdup(alias);
	name = xasprintf("%s%s", prefix_of(dwarf_tag(die)), plain ? plain : "(anonymous)");
	free(plain);
	return name;
}

/* Return the name of a pointer, an array or a function. */
static char *derived_name(const struct type *type)
{
	static const char *const suffixes[] = {
	        [TYPE_POINTER] = "*", [TYPE_ARRAY] = "[]", [TYPE_FUNCTION] = "()"};
	const char *target;

	/* The name of a type that contains itself is not known yet. */
	if (!type->target)
		target = "void";
	else if (type->target->name && strlen(type->target->name) < NAME_MAX)
		target = type->target->name;
	else
		target = "...";
	return xasprintf("%s%s", target, suffixes[type->kind]);
}

/* Set the members of a pointer, an array or a function that follow from its target. */
static void describe_derived(struct types *types, struct type *type)
{
	type->target = type_of(types, &type->die);
	type->name = derived_name(type);
	if (type->kind == TYPE_POINTER && !type->size)
		type->size = 8;
	if (type->kind == TYPE_ARRAY &&
	    (!type->target ||
	     __builtin_mul_overflow(element_count(&type->die), type->target->size, &type->size)))
		type->size = 0;
}

/* Return the place of the type that equals this one: the same name, size and kind. Pointers, arrays
 * and functions are equal if their targets are. */
static size_t same_type(struct types *types, const struct type *type)
{
	struct map_key key = type->target ? (struct map_key){(uintptr_t)type->target, UINT64_MAX, 0}
	                                  : debug_text_key(type->name);
	size_t i;

	key.c = type->size << 3 | type->kind;
	if (map_insert(&types->by_name, key, &i))
		GROW(types->of_name, i, types->name_capacity)[i] = NULL;
	return i;
}

/* Make the type of an entry, or find an equal one. Store it at index i of of_die. */
static void make(struct types *types, Dwarf_Die *die, enum type_kind kind, const char *alias,
                 size_t i)
{
	struct type *type = xcalloc(1, sizeof(*type));
	size_t same;

	*type = (struct type){
	        .kind = kind, .die = *die, .size = number_of(die, DW_AT_byte_size, 0)};
	/* A type may refer to itself while it is being made. */
	types->of_die[i] = type;
	if (kind == TYPE_POINTER || kind == TYPE_ARRAY || kind == TYPE_FUNCTION)
		describe_derived(types, type);
	else
		type->name = own_name(types, die, alias);
	if (type_is_aggregate(type) && !dwarf_diename(die) && !alias)
		return;
	same = same_type(types, type);
	if (!types->of_name[same])
		types->of_name[same] = type;
	types->of_die[i] = types->of_name[same];
}

struct type *type_define(struct types *types, Dwarf_Die *from)
{
	Dwarf_Die die = *from;
	const char *alias;
	size_t i;
	int kind;

	if (!skip_transparent(&die, &alias))
		return NULL;
	debug_type_complete(types->index, &die);
	kind = kind_of(dwarf_tag(&die));
	if (kind < 0 || types->by_die.count >= TYPES_MAX || types->depth >= CHAIN_MAX)
		return NULL;
	/* Anonymous structures have a name by their typedef. */
	if (map_insert(&types->by_die, (struct map_key){(uintptr_t)die.addr, alias != NULL, 0},
	               &i)) {
		GROW(types->of_die, i, types->die_capacity)[i] = NULL;
		types->depth++;
		make(types, &die, (enum type_kind)kind, alias, i);
		types->depth--;
	}
	return types->of_die[i];
}

struct type *type_of(struct types *types, Dwarf_Die *user)
{
	Dwarf_Die die;

	return type_entry(&die, user) ? type_define(types, &die) : NULL;
}

struct type *type_pointer_to(struct types *types, struct type *target)
{
	struct type like = {.kind = TYPE_POINTER, .size = 8, .target = target};
	size_t i = same_type(types, &like);

	if (!types->of_name[i]) {
		types->of_name[i] = xcalloc(1, sizeof(like));
		*types->of_name[i] = like;
		types->of_name[i]->name = derived_name(&like);
	}
	return types->of_name[i];
}

struct type *type_captured(struct types *types, Dwarf_Die *function)
{
	Dwarf_Die captured;

	return debug_closure_find(types->index, &captured, function) ? type_define(types, &captured)
	                                                             : NULL;
}

bool type_is_slice(const struct type_step *steps, size_t count)
{
	const struct type_member *m = steps[count - 1].member;

	return count > 1 && m && m->name && !strcmp(m->name, "data_ptr") &&
	       steps[count - 2].type->member_count == 2;
}

bool type_is_float(const struct type *type)
{
	Dwarf_Die die = type->die;

	return type->kind == TYPE_SCALAR && dwarf_tag(&die) == DW_TAG_base_type &&
	       number_of(&die, DW_AT_encoding, 0) == DW_ATE_float;
}

bool type_is_vague(const struct type *type)
{
	Dwarf_Die die;

	if (!type || !type->size)
		return true;
	if (type->size > 1 || type->kind != TYPE_SCALAR)
		return false;
	die = type->die;
	return dwarf_tag(&die) == DW_TAG_base_type &&
	       number_of(&die, DW_AT_encoding, 0) != DW_ATE_boolean;
}

const char *type_plain_name(const char *name)
{
	static const char *const words[] = {"struct ", "class ", "union ", "enum "};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strncmp(name, words[i], strlen(words[i])))
			return name + strlen(words[i]);
	}
	return name;
}
