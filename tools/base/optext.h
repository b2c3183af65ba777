/* SPDX-License-Identifier: MIT */
/* Words for the operation types and events of records. */
#ifndef TOOLS_OPTEXT_H
#define TOOLS_OPTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <spemu/packet.h>

/* Groups of operation types (Operation Type packet, D18.2.7). */
enum op_group {
	OP_LOAD,
	OP_STORE,
	OP_ATOMIC,
	OP_BRANCH,
	OP_OTHER,
	OP_GROUPS,
};

static inline enum op_group op_group(unsigned op_class, unsigned subclass)
{
	if (op_class == SPEMU_CLASS_BRANCH)
		return OP_BRANCH;
	if (op_class != SPEMU_CLASS_LDST)
		return OP_OTHER;
	if (spemu_op_format(op_class, subclass) == SPEMU_FORMAT_EXTENDED &&
	    (subclass & SPEMU_SUBCLASS_AT))
		return OP_ATOMIC;
	return subclass & SPEMU_SUBCLASS_LDST ? OP_STORE : OP_LOAD;
}

bool op_is_fp(unsigned op_class, unsigned subclass);
bool op_is_simd(unsigned op_class, unsigned subclass);
/* Describe an operation type: "load, general", "store, SVE, predicated", "branch, conditional". */
void op_describe(char *text, size_t size, unsigned op_class, unsigned subclass);

/*
 * Write the name that filters take for an event, from arch/events.txt, or "bit12" if the
 * architecture does not define the event. Return `text`.
 */
const char *event_name(char *text, size_t size, unsigned bit);
/* Return the event of such a name, 0 to 63, or -1. */
int event_bit(const char *name);

#endif
