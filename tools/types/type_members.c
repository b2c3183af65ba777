/* SPDX-License-Identifier: MIT */
/*
 * The members of structures and unions, and the way from a type to the part at an offset. See
 * type.h.
 *
 * DWARF:       DWARF 5, sections 5.7.3 (base classes), 5.7.6 (members, bit fields) and 5.7.10
 *              (variants)
 */
#include "type.h"

#include "../base/common.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	MEMBERS_MAX = 1 << 16, /* members of a structure */
	VARIANT_DEPTH = 4,     /* variants in variants */
	OVERLAP_MAX = 64,      /* members that may overlap at an offset, as in a union */
	PARTS_MAX = 4096,      /* parts that a comparison of two views looks at */
};

/* Get a number; a location that adds a number counts as the number. */
static bool get_number(uint64_t *value, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(die, name, &attribute))
		return false;
	if (!dwarf_formudata(&attribute, value))
		return true;
	if (dwarf_getlocation(&attribute, &ops, &n) || n != 1 || ops->atom != DW_OP_plus_uconst)
		return false;
	*value = ops->number;
	return true;
}

/*
 * Set the bits of a bit field. DWARF 4 and 5 count bits from the start of the structure. Earlier
 * versions count from the most significant bit of a storage unit.
 */
static void set_bits(struct type_member *m, Dwarf_Die *die)
{
	uint64_t bits, first, storage = m->size;

	if (!get_number(&bits, die, DW_AT_bit_size) || !bits || bits > 128)
		return;
	if (get_number(&first, die, DW_AT_data_bit_offset)) {
		m->offset = first / 8;
	} else if (get_number(&first, die, DW_AT_bit_offset)) {
		get_number(&storage, die, DW_AT_byte_size);
		first = m->offset * 8 + storage * 8 - first - bits;
		m->offset = first / 8;
	} else {
		first = m->offset * 8;
	}
	m->first_bit = (uint32_t)(first % 8);
	m->bits = (uint32_t)bits;
	m->size = (m->first_bit + bits + 7) / 8;
}

static void add_member(struct types *types, struct type *type, Dwarf_Die *die, bool tag)
{
	struct type_member m = {.name = dwarf_diename(die), .type = type_of(types, die)};
	uint64_t offset = 0;

	if (dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration) ||
	    type->member_count >= MEMBERS_MAX)
		return; /* a static member */
	if (dwarf_hasattr(die, DW_AT_data_member_location) &&
	    !get_number(&offset, die, DW_AT_data_member_location))
		return; /* a virtual base class, whose place the object knows */
	m.offset = offset;
	m.size = m.type ? m.type->size : 0;
	if (dwarf_tag(die) == DW_TAG_inheritance)
		m.name = NULL;
	m.tag = tag;
	set_bits(&m, die);
	APPEND(type->members, type->member_count, type->member_capacity) = m;
}

/* Add the members of a structure, a variant part (Rust's enumerations) or a variant. */
static void add_members(struct types *types, struct type *type, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die child;

	if (dwarf_child(parent, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
			add_member(types, type, &child, dwarf_tag(parent) == DW_TAG_variant_part);
		else if ((tag == DW_TAG_variant_part || tag == DW_TAG_variant) &&
		         depth < 2 * VARIANT_DEPTH)
			add_members(types, type, &child, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

static int compare_members(const void *pa, const void *pb)
{
	const struct type_member *a = pa, *b = pb;

	if (a->offset != b->offset)
		return compare_numbers(a->offset, b->offset);
	return a->first_bit != b->first_bit ? compare_numbers(a->first_bit, b->first_bit)
	                                    : compare_numbers(a->size, b->size);
}

/*
 * Add the object that the raw storage of libstdc++ holds: __aligned_membuf<T> and
 * __aligned_buffer<T> declare an array of characters.
 */
static bool add_stored(struct types *types, struct type *type)
{
	const char *name = dwarf_diename(&type->die);
	Dwarf_Die child;
	struct type *stored;

	if (!name ||
	    (strncmp(name, "__aligned_membuf<", 17) && strncmp(name, "__aligned_buffer<", 17)) ||
	    dwarf_child(&type->die, &child))
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_template_type_parameter)
			continue;
		stored = type_of(types, &child);
		if (!stored || stored->size > type->size)
			return false;
		APPEND(type->members, type->member_count, type->member_capacity) =
		        (struct type_member){.type = stored, .size = stored->size};
		return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

const struct type_member *type_members(struct types *types, struct type *type, size_t *count)
{
	if (!type->has_members && type_is_aggregate(type)) {
		type->has_members = true;
		if (!add_stored(types, type))
			add_members(types, type, &type->die, 0);
		if (type->member_count)
			qsort(type->members, type->member_count, sizeof(*type->members),
			      compare_members);
	}
	*count = type->member_count;
	return type->members;
}

/* Return true if the member contains the offset. A flexible array at the end of a structure has no
 * end. */
static bool contains(const struct type *type, const struct type_member *m, uint64_t offset)
{
	if (offset < m->offset || !m->type)
		return false;
	if (m->type->kind == TYPE_ARRAY && !m->type->size)
		return m->type->target && m->type->target->size &&
		       m->offset + m->type->target->size > type->size;
	return offset - m->offset < m->size;
}

/* The members at an offset: those in [first, end) that contain() it. */
struct candidates {
	const struct type_member *first, *end;
};

/* Return the last members that begin at or before an offset. Members are sorted by offset, so one
 * of them contains it. */
static struct candidates candidates_at(struct types *types, struct type *type, uint64_t offset)
{
	const struct type_member *members;
	size_t count, end;

	members = type_members(types, type, &count);
	COUNT_LEADING(end, count, mid, members[mid].offset <= offset);
	/* All members of a union begin at 0. The first ones count. */
	if (type->kind == TYPE_UNION && end > OVERLAP_MAX)
		end = OVERLAP_MAX;
	return (struct candidates){members + (end > OVERLAP_MAX ? end - OVERLAP_MAX : 0),
	                           members + end};
}

/* Return the size of the innermost part of a member at an offset, without unions. */
static uint64_t part_size(struct types *types, struct type *type, uint64_t offset)
{
	for (int depth = 0; type && depth < TYPE_STEPS_MAX; depth++) {
		const struct type_member *m;
		struct candidates c;

		if (type->kind == TYPE_ARRAY) {
			type = type->target;
			offset = type && type->size ? offset % type->size : 0;
			continue;
		}
		if (!type_is_aggregate(type))
			return type->size;
		c = candidates_at(types, type, offset);
		for (m = c.first; m < c.end && !contains(type, m, offset); m++)
			;
		if (m == c.end)
			return 0;
		offset -= m->offset;
		type = m->type;
	}
	return 0;
}

/* Return how well a member fits an access of this size at an offset: exactly, with a part that has
 * another size, or only with its name. A tag of variants that is also a pointer says less. */
static int fit_of(struct types *types, const struct type_member *m, uint64_t offset,
                  unsigned access)
{
	uint64_t size = part_size(types, m->type, offset - m->offset);
	int fit = size == access ? 2 : size ? 1 : 0;

	return fit * 2 + !m->tag;
}

/* Return the member at an offset that fits an access of this size best, or NULL in a hole. */
static const struct type_member *best_member(struct types *types, struct type *type,
                                             uint64_t offset, unsigned access)
{
	const struct type_member *best = NULL;
	struct candidates c = candidates_at(types, type, offset);
	int best_fit = 0;

	for (const struct type_member *m = c.first; m < c.end; m++) {
		int fit;

		if (!contains(type, m, offset))
			continue;
		/* Variants of a Rust enumeration and the members of a union overlap. A base class
		 * or a variant that is empty lies over the first member. */
		fit = fit_of(types, m, offset, access);
		if (!best || fit > best_fit ||
		    (fit == best_fit && best->size < access && m->size > best->size)) {
			best = m;
			best_fit = fit;
		}
	}
	return best;
}

size_t type_steps(struct types *types, struct type_step steps[TYPE_STEPS_MAX], struct type *type,
                  uint64_t offset, unsigned access)
{
	size_t n = 0;

	steps[n++] = (struct type_step){type, offset, NULL};
	while (n < TYPE_STEPS_MAX) {
		const struct type_member *m = NULL;

		if (type->kind == TYPE_ARRAY) {
			if (!type->target || !type->target->size)
				break;
			offset %= type->target->size;
			type = type->target;
		} else if (type_is_aggregate(type)) {
			m = best_member(types, type, offset, access);
			if (!m)
				break;
			offset -= m->offset;
			type = m->type;
		} else {
			break;
		}
		steps[n++] = (struct type_step){type, offset, m};
	}
	return n;
}

/* `left` is the number of parts that the search may still look at. */
static struct type *find_pointer(struct types *types, struct type *type, uint64_t offset,
                                 unsigned depth, unsigned *left)
{
	struct type *found = NULL;
	struct candidates c;

	if (!type || depth == TYPE_STEPS_MAX || !*left)
		return NULL;
	--*left;
	if (type->kind == TYPE_POINTER)
		return offset ? NULL : type;
	if (type->kind == TYPE_ARRAY)
		return type->target && type->target->size
		               ? find_pointer(types, type->target, offset % type->target->size,
		                              depth + 1, left)
		               : NULL;
	if (!type_is_aggregate(type))
		return NULL;
	c = candidates_at(types, type, offset);
	for (const struct type_member *m = c.first; m < c.end && !found; m++) {
		if (contains(type, m, offset))
			found = find_pointer(types, m->type, offset - m->offset, depth + 1, left);
	}
	return found;
}

struct type *type_pointer_at(struct types *types, struct type *type, uint64_t offset)
{
	unsigned left = PARTS_MAX;

	return find_pointer(types, type, offset, 0, &left);
}

/* A search for a part of a type. */
struct search {
	struct types *types;
	const struct type *part;
	uint64_t offset; /* offset of the address in the part */
	unsigned left;   /* parts that the search may still look at */
};

/* Return true if the type, or one of its parts at the offset, is the part. */
static bool has_part(struct search *s, struct type *type, uint64_t offset, unsigned depth)
{
	struct candidates c;

	if (!type || depth == TYPE_STEPS_MAX || !s->left)
		return false;
	s->left--;
	if (type == s->part && offset == s->offset)
		return true;
	if (type->kind == TYPE_ARRAY)
		return type->target && type->target->size &&
		       has_part(s, type->target, offset % type->target->size, depth + 1);
	if (!type_is_aggregate(type))
		return offset == s->offset && type->kind == s->part->kind &&
		       type->size == s->part->size;
	c = candidates_at(s->types, type, offset);
	for (const struct type_member *m = c.first; m < c.end; m++) {
		if (contains(type, m, offset) &&
		    has_part(s, m->type, offset - m->offset, depth + 1))
			return true;
	}
	return false;
}

bool type_agrees(struct types *types, struct type *a, uint64_t offset_a, struct type *b,
                 uint64_t offset_b)
{
	struct search first = {types, b, offset_b, PARTS_MAX},
	              second = {types, a, offset_a, PARTS_MAX};

	return has_part(&first, a, offset_a, 0) || has_part(&second, b, offset_b, 0);
}

void type_path(char *text, size_t size, const struct type_step *steps, size_t count)
{
	size_t used = 0;

	text[0] = 0;
	for (size_t i = 1; i < count && used < size; i++) {
		const struct type_member *m = steps[i].member;

		if (!m)
			used += (size_t)snprintf(text + used, size - used, "[]");
		else if (m->name)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "." : "",
			                         m->name);
	}
}
