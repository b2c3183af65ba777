/* SPDX-License-Identifier: MIT */
/* The types of data that the code of an object accesses. */
#ifndef TOOLS_TYPES_OBJECT_TYPES_H
#define TOOLS_TYPES_OBJECT_TYPES_H

#include "flow.h"

struct object;
struct object_types;

/* Return the types of an object, which are read once. Return NULL if the object has no debugging
 * information. The result lives as long as the object. */
struct object_types *object_types_of(struct object *object);
/* Return the set of types. */
struct types *object_types_set(struct object_types *types);

/* Say that types of the code at vaddr will be asked for. In a kernel, the answer to a query depends
 * on the queries before it, unless all sampled code was prepared. */
void object_types_prepare(struct object_types *types, uint64_t vaddr);

/* Say that the call at vaddr returns a new heap object. Tell all calls before the first query. */
void object_types_add_call(struct object_types *types, uint64_t vaddr);

/* Return what the code says about the load or store at vaddr, or NULL if vaddr is in no function
 * with debugging information or is not such an instruction. */
const struct code_type *object_types_code(struct object_types *types, uint64_t vaddr);
/* Return the type of the static variable at vaddr, and set the offset in it. Return NULL if there
 * is none. */
struct type *object_types_static(struct object_types *types, int64_t *offset, uint64_t vaddr);
/* Return the type of the thread-local variable at an offset from the thread pointer, and set the
 * offset in it. Return NULL if there is none. */
struct type *object_types_thread(struct object_types *types, int64_t *offset, int64_t in_thread);
/* Find the variable at an offset from the canonical frame address of the function with the call at
 * vaddr. Return TYPE_STACK, and set the type and the offset in it. Return TYPE_SAVED if no variable
 * is there, or TYPE_NONE if the frame is unknown. */
enum type_source object_types_slot(struct object_types *types, struct type **type, int64_t *offset,
                                   uint64_t vaddr, int64_t frame_offset);
/* Return the type of the objects that the call at vaddr allocates, or NULL. */
struct type *object_types_call(struct object_types *types, uint64_t vaddr);
/* Say whether the function around the call at vaddr returns the new object of the call. */
enum wrapper {
	WRAPPER_NO,
	WRAPPER_YES,
	WRAPPER_UNKNOWN, /* it has no debugging information */
};
enum wrapper object_types_wrapper(struct object_types *types, uint64_t vaddr);

#endif
