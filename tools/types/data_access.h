/* SPDX-License-Identifier: MIT */
/* A memory access, and the type of its data. */
#ifndef TOOLS_TYPES_DATA_ACCESS_H
#define TOOLS_TYPES_DATA_ACCESS_H

#include "type.h"
#include "../session/samples.h"

/* A sampled memory access. */
struct data_access {
	uint32_t input; /* index of the recording */
	uint32_t pid;
	const struct place *place;      /* instruction */
	uint64_t address, time;         /* data address without its tag, and time of the sample */
	const struct heap_object *heap; /* heap object at the address, or NULL */
	const struct place *caller;     /* call of the caller in whose frame it is, or NULL */
	int64_t frame_offset;           /* offset of the address from the caller's frame address */
};

/* The answer. */
struct typed {
	enum type_source source;
	struct types *types; /* set of the type, or NULL */
	struct type *type;   /* NULL if source is TYPE_NONE or TYPE_SAVED */
	uint64_t offset;    /* offset of the access in the type; below its size, if that is known */
	bool any_element;   /* true if the access is in an unknown element of an array */
	unsigned size;      /* bytes of the access for each register, or 0 if unknown */
	unsigned count;     /* number of registers, or 0 if unknown */
	const char *reason; /* reason of TYPE_NONE */
};

/* Reasons that have their own remedies. */
#define NO_DEBUG_IN_OBJECT "the object has no debugging information"
#define NO_DEBUG_IN_FUNCTION "the function has no debugging information"

#endif
