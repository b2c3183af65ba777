/* SPDX-License-Identifier: MIT */
/* Values that the loader stores into memory before the program runs, such as the global offset
 * table, and the thread-local variables of an object. */
#ifndef TOOLS_TYPES_STORED_H
#define TOOLS_TYPES_STORED_H

#include "value.h"

#include <libelf.h>

struct stored_values;
/* Read the dynamic relocations. The file must stay open. */
struct stored_values *stored_values_new(Elf *elf);
/* Find the value that the loader stores at vaddr. Return false if it stores none. */
bool stored_value_at(const struct stored_values *stored, struct value *value, uint64_t vaddr);

/* Return the offset of the program's thread-local block from the thread pointer. */
uint64_t thread_block_offset(Elf *elf);
/* The symbol of a thread-local variable. */
struct thread_symbol {
	const char *name;
	uint64_t start, size; /* offset in the block, and size */
};
/* Find the thread-local variable at an offset in the block. Return false if there is none. */
bool thread_symbol_at(Elf *elf, struct thread_symbol *symbol, uint64_t offset);

#endif
