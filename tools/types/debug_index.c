/* SPDX-License-Identifier: MIT */
/*
 * See debug_index.h.
 *
 * Debugging information may be hostile. Entries must be in the order of their offsets, so that none
 * is visited twice. The depth and the number of entries are bounded.
 *
 * DWARF:       DWARF 5, sections 2.13 (declarations), 3.3 (functions) and 4.1 (variables)
 */
#include "debug_index.h"

#include "../base/common.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 200,
	ENTRIES_MAX = 64 << 20, /* entries of all units together */
	NAME_MAX = 4096,        /* length of a name with scopes */
	NO_SCOPE = 0,
};

/* A namespace, type or function that contains other entries. */
struct scope {
	const char *name; /* NULL if it has none */
	uint32_t parent;  /* index + 1 of the scope around it, or NO_SCOPE */
};

/* The entries of a kind by a key. */
struct entries {
	struct map map;
	Dwarf_Die *of;
	size_t capacity;
};

struct debug_index {
	struct scope *scopes;
	size_t scope_count, scope_capacity;
	struct map type_map;   /* index in type_scopes by the address of the entry */
	uint32_t *type_scopes; /* scope around a type */
	size_t type_capacity;
	struct entries definitions, functions;
	struct entries unplaced[2]; /* variables without an address: global ones, and local ones */
	struct entries declared;    /* variables that another unit may define; see debug_index.h */
	struct debug_entries statics, of_threads, code;
	size_t visited;
	bool sorted, lazily;
	struct map units; /* units that were added lazily, by the address of their first entry */
};

struct map_key debug_text_key(const char *text)
{
	struct map_key key = {0xcbf29ce484222325, 0x9e3779b97f4a7c15, 0};

	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		key.a = (key.a ^ *c) * 0x100000001b3;
		key.b = (key.b + *c) * 0xff51afd7ed558ccd;
		key.b ^= key.b >> 32;
	}
	return key;
}

/* Add an entry, unless its key has one. */
static void add_entry(struct entries *entries, struct map_key key, const Dwarf_Die *die)
{
	size_t i;

	if (map_insert(&entries->map, key, &i))
		GROW(entries->of, i, entries->capacity)[i] = *die;
}

static bool find_entry(const struct entries *entries, Dwarf_Die *die, const char *name)
{
	size_t i = map_find(&entries->map, debug_text_key(name));

	if (i == MAP_NONE)
		return false;
	*die = entries->of[i];
	return true;
}

static bool is_structure(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_named_type(int tag)
{
	return is_structure(tag) || tag == DW_TAG_enumeration_type;
}

static bool has(Dwarf_Die *die, unsigned name)
{
	return dwarf_hasattr(die, name);
}

static bool is_closure(const char *name)
{
	return name && !strncmp(name, "{closure#", strlen("{closure#"));
}

/* Append the names of a scope and the scopes around it. */
static void append_scopes(const struct debug_index *index, char *text, uint32_t scope)
{
	uint32_t path[DEPTH_MAX + 1];
	size_t n = 0, used = 0;

	for (; scope && n <= DEPTH_MAX; scope = index->scopes[scope - 1].parent)
		path[n++] = scope;
	for (; n > 0 && used < NAME_MAX; n--) {
		const char *name = index->scopes[path[n - 1] - 1].name;

		if (name)
			used += (size_t)snprintf(text + used, NAME_MAX - used, "%s::", name);
	}
}

static char *name_in(const struct debug_index *index, const char *name, uint32_t scope)
{
	char text[NAME_MAX] = "";

	append_scopes(index, text, scope);
	return xasprintf("%s%s", text, name);
}

char *debug_type_name(const struct debug_index *index, Dwarf_Die *type)
{
	size_t i = map_find(&index->type_map, (struct map_key){(uintptr_t)type->addr, 0, 0});
	const char *name = dwarf_diename(type);

	return name ? name_in(index, name, i == MAP_NONE ? NO_SCOPE : index->type_scopes[i]) : NULL;
}

void debug_type_complete(const struct debug_index *index, Dwarf_Die *type)
{
	char *name;

	if (!is_structure(dwarf_tag(type)) || !has(type, DW_AT_declaration))
		return;
	name = debug_type_name(index, type);
	if (name)
		find_entry(&index->definitions, type, name);
	free(name);
}

bool debug_function_find(const struct debug_index *index, Dwarf_Die *function, const char *name)
{
	return find_entry(&index->functions, function, name);
}

bool debug_variable_find(const struct debug_index *index, Dwarf_Die *variable, const char *name,
                         bool local)
{
	return find_entry(&index->unplaced[local], variable, name);
}

bool debug_declaration_find(const struct debug_index *index, Dwarf_Die *variable, const char *name)
{
	return find_entry(&index->declared, variable, name);
}

bool debug_type_find(const struct debug_index *index, Dwarf_Die *type, const char *name)
{
	return find_entry(&index->definitions, type, name);
}

bool debug_closure_find(const struct debug_index *index, Dwarf_Die *captured, Dwarf_Die *function)
{
	size_t i = map_find(&index->type_map, (struct map_key){(uintptr_t)function->addr, 0, 0});
	const char *name = dwarf_diename(function);
	char *local, *full;
	bool found;

	if (!is_closure(name))
		return false;
	local = xasprintf("{closure_env%s", name + strlen("{closure"));
	full = name_in(index, local, i == MAP_NONE ? NO_SCOPE : index->type_scopes[i]);
	found = find_entry(&index->definitions, captured, full);
	free(local);
	free(full);
	return found;
}

static void add_scope(struct debug_index *index, const Dwarf_Die *die, uint32_t scope)
{
	size_t i;

	if (scope != NO_SCOPE &&
	    map_insert(&index->type_map, (struct map_key){(uintptr_t)die->addr, 0, 0}, &i))
		GROW(index->type_scopes, i, index->type_capacity)[i] = scope;
}

static void add_type(struct debug_index *index, Dwarf_Die *die, uint32_t scope)
{
	const char *name = dwarf_diename(die);
	char *full;

	add_scope(index, die, scope);
	if (!name || has(die, DW_AT_declaration) || !is_structure(dwarf_tag(die)))
		return;
	full = name_in(index, name, scope);
	add_entry(&index->definitions, debug_text_key(full), die);
	free(full);
}

static void add_function(struct debug_index *index, Dwarf_Die *die, uint32_t scope)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;
	Dwarf_Addr entry;

	if (!dwarf_entrypc(die, &entry))
		APPEND(index->code.of, index->code.count, index->code.capacity) =
		        (struct debug_entry){entry, *die};
	if (dwarf_attr(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr(die, DW_AT_MIPS_linkage_name, &attribute) ||
	    dwarf_attr(die, DW_AT_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (name)
		add_entry(&index->functions, debug_text_key(name), die);
	if (is_closure(dwarf_diename(die)))
		add_scope(index, die, scope);
}

/* Get the address that the first operation of a location pushes. */
static bool pushed_address(uint64_t *address, Dwarf_Attribute *location, const Dwarf_Op *op)
{
	Dwarf_Attribute indexed;

	switch (op->atom) {
	case DW_OP_addr:
	case DW_OP_const4u:
	case DW_OP_const8u:
		*address = op->number;
		return true;
	case DW_OP_addrx:
	case DW_OP_constx:
	case DW_OP_GNU_addr_index:
	case DW_OP_GNU_const_index:
		return !dwarf_getlocation_attr(location, op, &indexed) &&
		       !dwarf_formaddr(&indexed, address);
	default:
		return false;
	}
}

/* Add a variable without an address by its name, and by the name of its symbol. */
static void add_unplaced(struct debug_index *index, Dwarf_Die *die, bool local)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_diename(die), *symbol;

	if (!name || has(die, DW_AT_declaration) || has(die, DW_AT_const_value))
		return;
	add_entry(&index->unplaced[local], debug_text_key(name), die);
	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		return;
	symbol = dwarf_formstring(&attribute);
	if (symbol)
		add_entry(&index->unplaced[local], debug_text_key(symbol), die);
}

static void add_variable(struct debug_index *index, Dwarf_Die *die, bool local)
{
	struct debug_entries *to = &index->statics;
	struct debug_entry variable = {.die = *die};
	Dwarf_Attribute location;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(die, DW_AT_location, &location)) {
		const char *name = dwarf_diename(die);

		if (name && index->lazily && has(die, DW_AT_declaration))
			add_entry(&index->declared, debug_text_key(name), die);
		add_unplaced(index, die, local);
		return;
	}
	if (dwarf_whatform(&location) == DW_FORM_sec_offset ||
	    dwarf_whatform(&location) == DW_FORM_loclistx ||
	    dwarf_getlocation(&location, &ops, &n) || n < 1 || n > 2 ||
	    !pushed_address(&variable.address, &location, ops))
		return;
	if (n == 2 &&
	    (ops[1].atom == DW_OP_form_tls_address || ops[1].atom == DW_OP_GNU_push_tls_address))
		to = &index->of_threads;
	else if (n == 2 || ops->atom == DW_OP_const4u || ops->atom == DW_OP_const8u)
		return;
	APPEND(to->of, to->count, to->capacity) = variable;
}

/* Return the scope for the children of an entry. */
static uint32_t scope_for(struct debug_index *index, Dwarf_Die *die, uint32_t scope)
{
	int tag = dwarf_tag(die);

	if (tag != DW_TAG_namespace && !is_named_type(tag))
		return scope;
	APPEND(index->scopes, index->scope_count, index->scope_capacity) =
	        (struct scope){dwarf_diename(die), scope};
	return (uint32_t)index->scope_count;
}

/* `local` is true in a function. */
static void add(struct debug_index *index, Dwarf_Die *die, uint32_t scope, bool local)
{
	int tag = dwarf_tag(die);

	if (is_named_type(tag))
		add_type(index, die, scope);
	else if (tag == DW_TAG_subprogram)
		add_function(index, die, scope);
	else if (tag == DW_TAG_variable)
		add_variable(index, die, local);
}

/* Walk over an entry, its siblings and their children. Return false if the walk must stop. */
static bool walk(struct debug_index *index, Dwarf_Die *first, Dwarf_Off *last, uint32_t scope,
                 bool local, unsigned depth)
{
	Dwarf_Die die = *first, child;
	int status = 0;

	for (; status == 0; status = dwarf_siblingof(&die, &die)) {
		if (dwarf_dieoffset(&die) <= *last || ++index->visited > ENTRIES_MAX)
			return false;
		*last = dwarf_dieoffset(&die);
		add(index, &die, scope, local);
		if (dwarf_haschildren(&die) > 0 && dwarf_child(&die, &child) == 0 &&
		    (depth == DEPTH_MAX ||
		     !walk(index, &child, last, scope_for(index, &die, scope),
		           local || dwarf_tag(&die) == DW_TAG_subprogram, depth + 1)))
			return false;
	}
	return status > 0;
}

static int compare_addresses(const void *pa, const void *pb)
{
	const struct debug_entry *a = pa, *b = pb;

	return compare_numbers(a->address, b->address);
}

static void sort_entries(struct debug_entries *entries)
{
	if (entries->count)
		qsort(entries->of, entries->count, sizeof(*entries->of), compare_addresses);
}

static void sort(struct debug_index *index)
{
	if (index->sorted)
		return;
	sort_entries(&index->statics);
	sort_entries(&index->of_threads);
	sort_entries(&index->code);
	index->sorted = true;
}

static void walk_unit(struct debug_index *index, Dwarf_Die *unit)
{
	Dwarf_Off last = dwarf_dieoffset(unit);
	Dwarf_Die child;

	if (dwarf_child(unit, &child) == 0)
		walk(index, &child, &last, NO_SCOPE, false, 0);
	index->sorted = false;
}

static void walk_units(struct debug_index *index, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;

	for (;;) {
		Dwarf_Die die, split;

		if (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) != 0)
			break;
		walk_unit(index, type == DW_UT_skeleton && dwarf_tag(&split) > 0 ? &split : &die);
	}
}

struct debug_index *debug_index_new(Dwarf *dwarf)
{
	struct debug_index *index = xcalloc(1, sizeof(*index));
	Dwarf *shared = dwarf_getalt(dwarf);

	walk_units(index, dwarf);
	/* dwz moves what several programs have into a file that they share. */
	if (shared)
		walk_units(index, shared);
	return index;
}

struct debug_index *debug_index_new_lazy(void)
{
	struct debug_index *index = xcalloc(1, sizeof(*index));

	index->lazily = true;
	return index;
}

bool debug_index_is_lazy(const struct debug_index *index)
{
	return index->lazily;
}

void debug_index_add_unit(struct debug_index *index, Dwarf_Die *unit)
{
	size_t i;

	if (index->lazily &&
	    map_insert(&index->units, (struct map_key){(uintptr_t)unit->addr, 0, 0}, &i))
		walk_unit(index, unit);
}

bool debug_function_at(struct debug_index *index, Dwarf_Die *function, uint64_t address)
{
	const struct debug_entries *code = &index->code;
	size_t i;

	sort(index);
	COUNT_LEADING(i, code->count, mid, code->of[mid].address < address);
	if (i == code->count || code->of[i].address != address)
		return false;
	*function = code->of[i].die;
	return true;
}

const struct debug_entries *debug_static_variables(struct debug_index *index)
{
	sort(index);
	return &index->statics;
}

const struct debug_entries *debug_thread_variables(struct debug_index *index)
{
	sort(index);
	return &index->of_threads;
}
