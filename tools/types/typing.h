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

#include "data_access.h"

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
