/* SPDX-License-Identifier: MIT */
/* Symbols by address: collected in any order, sorted once, then searched. */
#ifndef TOOLS_SYMBOL_LIST_H
#define TOOLS_SYMBOL_LIST_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start, end;
	const char *name;  /* name as linked, valid as long as the list */
	const char *words; /* demangled name, or NULL before the first use */
	uint32_t rank;     /* priority among the symbols at one address; the highest wins */
	uint8_t sized, binding;
};

struct symbol_list {
	struct symbol *items;
	size_t count, capacity;
};

void symbols_add(struct symbol_list *list, const struct symbol *symbol);
/* Sort, keep the best name of each address, and extend unsized symbols to the next symbol. */
void symbols_finish(struct symbol_list *list);
/* Return the symbol that contains the address, or NULL. */
struct symbol *symbols_find(const struct symbol_list *list, uint64_t address);
/* Return the symbol that contains the address, or NULL. Like linkers and optimizers, treat a label
 * inside a function as part of the function. */
struct symbol *symbols_find_function(const struct symbol_list *list, uint64_t address);
/* Return the demangled name. */
const char *symbol_words(struct symbol *symbol);

#endif
