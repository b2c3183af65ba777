/* SPDX-License-Identifier: MIT */
/*
 * Location lists that libdw does not read whole. libdw ends at the first expression with an
 * operation that it does not know, such as DW_OP_GNU_uninit of GCC.
 */
#ifndef TOOLS_TYPES_LOCATION_LIST_H
#define TOOLS_TYPES_LOCATION_LIST_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

enum { LOCATION_OPS_MAX = 16 };

/* An entry of a list: the range of code, and the operations of its expression. */
struct location_entry {
	Dwarf_Addr low, high;
	Dwarf_Op ops[LOCATION_OPS_MAX];
	size_t count;
};

typedef void take_location_fn(void *context, const struct location_entry *entry);

/*
 * Pass each entry of the list in the attribute to take(). Entries with operations that describe
 * neither registers nor memory are left out. Nothing is passed for lists of split DWARF.
 */
void location_list_read(Dwarf_Attribute *list, Dwarf_Die *owner, take_location_fn *take,
                        void *context);

#endif
