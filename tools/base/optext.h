/* SPDX-License-Identifier: MIT */
/* Operation types and events of records in words, for report and dump. */
#ifndef TOOLS_OPTEXT_H
#define TOOLS_OPTEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Parts of the Operation Type packet (D18.2.7). */
enum op_group {
	OP_LOAD,
	OP_STORE,
	OP_ATOMIC,
	OP_BRANCH,
	OP_OTHER,
	OP_GROUPS,
};
enum op_group op_group(unsigned op_class, unsigned subclass);
bool op_is_fp(unsigned op_class, unsigned subclass);
bool op_is_simd(unsigned op_class, unsigned subclass);
/* In words: "load, general", "store, SVE, predicated", "branch, conditional". */
void op_describe(char *text, size_t size, unsigned op_class, unsigned subclass);

/*
 * The name of an event as filters take it: of arch/events.txt, or "bit12" where the architecture
 * has none. Returns it.
 */
const char *event_name(char *text, size_t size, unsigned bit);
/* The event of such a name, 0..63, or -1. */
int event_bit(const char *name);

#endif
