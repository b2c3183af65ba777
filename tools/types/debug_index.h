/* SPDX-License-Identifier: MIT */
/*
 * Index of the debugging information of one object, from one walk over its units: the names of
 * types with their scopes, the definitions of declared types, functions by name, and variables by
 * address.
 *
 * The index of a user program has all units. The index of a kernel has only those with sampled
 * code, because a kernel has millions of entries.
 */
#ifndef TOOLS_TYPES_DEBUG_INDEX_H
#define TOOLS_TYPES_DEBUG_INDEX_H

#include "../base/map.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A static or thread-local variable, or a function. */
struct debug_entry {
	uint64_t address; /* address in DWARF, or offset in the thread-local block */
	Dwarf_Die die;
};

struct debug_entries {
	struct debug_entry *of; /* sorted by address after the walk */
	size_t count, capacity;
};

struct debug_index;
/* Walk over all units. The object must live as long as the index. */
struct debug_index *debug_index_new(Dwarf *dwarf);
/* Make an index without units. debug_index_add_unit() adds a unit, once; it does nothing if the
 * index has all units. */
struct debug_index *debug_index_new_lazy(void);
void debug_index_add_unit(struct debug_index *index, Dwarf_Die *unit);
bool debug_index_is_lazy(const struct debug_index *index);

/* Return the name of a type with its scopes, as "Tree<int>::Node", or NULL for a type without a
 * name. The caller frees it. */
char *debug_type_name(const struct debug_index *index, Dwarf_Die *type);
/* If the entry declares a structure or union that some unit defines, replace it by the
 * definition. */
void debug_type_complete(const struct debug_index *index, Dwarf_Die *type);
/* Find the definition of a structure or union by its name. */
bool debug_type_find(const struct debug_index *index, Dwarf_Die *type, const char *name);
/* Find the structure of the variables that a closure of Rust captures. Return false for other
 * functions. */
bool debug_closure_find(const struct debug_index *index, Dwarf_Die *captured, Dwarf_Die *function);
/* Find a function by its linkage name, or by its name in languages without one. */
bool debug_function_find(const struct debug_index *index, Dwarf_Die *function, const char *name);

/* Find a function by the address of its entry. */
bool debug_function_at(struct debug_index *index, Dwarf_Die *function, uint64_t address);

/* Return the variables in memory, and those that each thread has. */
const struct debug_entries *debug_static_variables(struct debug_index *index);
const struct debug_entries *debug_thread_variables(struct debug_index *index);
/* Find a variable without an address by its name or symbol; `local` is true for one in a function.
 * GCC gives thread-local variables no address. */
bool debug_variable_find(const struct debug_index *index, Dwarf_Die *variable, const char *name,
                         bool local);

/* Find a declaration of a global variable by its name, if the index is lazy: the unit that
 * defines the variable may be missing. */
bool debug_declaration_find(const struct debug_index *index, Dwarf_Die *variable, const char *name);

/* Return the key of a text in a map. The member c is free for the caller. */
struct map_key debug_text_key(const char *text);

#endif
