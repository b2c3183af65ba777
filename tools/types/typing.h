/* SPDX-License-Identifier: MIT */
/*
 * The type, and the member in it, of each sampled memory access.
 *
 * Several sources may answer: the variable at the data address, also in the stack frame of a caller
 * and in thread-local memory (thread_blocks.h); the code (flow.h); the call that allocated the
 * object; and other samples of the same object (votes). The most trusted answer wins. Collect the
 * votes of all samples first, and ask then.
 */
#ifndef TOOLS_TYPES_TYPING_H
#define TOOLS_TYPES_TYPING_H

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

struct typing;
/* The recordings must be open, and live as long as the result. */
struct typing *typing_new(const struct recording *recordings, unsigned count);
/* Free it. Answers stay valid. */
void typing_free(struct typing *typing);
/* Count what an access says about the object that it accesses, or about the places of thread-local
 * variables. */
void typing_vote(struct typing *typing, const struct data_access *access);
/* Find the type of an access. The first call ends the votes. */
void typing_find(struct typing *typing, struct typed *typed, const struct data_access *access);

/* Return the word for a source, as "allocation". */
const char *type_source_word(enum type_source source);
/* Write the path of the member, as "a.keys[].b"; empty for a scalar. */
void typed_member(char *text, size_t size, const struct typed *typed);

#endif
