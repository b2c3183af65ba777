/* SPDX-License-Identifier: MIT */
/*
 * Votes: samples whose instruction tells the type say what lies at an offset of a heap object. So
 * the type is known for other accesses to the object, for example of a library.
 */
#ifndef TOOLS_TYPES_VOTES_H
#define TOOLS_TYPES_VOTES_H

#include "type.h"

/* An object. `kind` is equal for objects of the same allocation site and size. */
struct voted {
	uint64_t object, kind, site;
};

struct votes;
struct votes *votes_new(void);
void votes_free(struct votes *votes);
/* Count a vote: in this object, a type begins at an offset. */
void votes_add(struct votes *votes, const struct voted *voted, struct types *types,
               struct type *type, uint64_t offset);
/* Sort the votes. Drop objects, kinds and sites whose votes contradict each other. */
void votes_finish(struct votes *votes);
/*
 * Return the type at an offset of an object, or of the objects of its kind, and set the offset in
 * it. Return NULL if no vote fits. A site that allocates objects of several types, such as a
 * wrapper of malloc(), tells nothing about a kind.
 */
struct type *votes_of_object(const struct votes *votes, struct types **types, uint64_t *in_type,
                             const struct voted *voted, uint64_t offset);
struct type *votes_of_kind(const struct votes *votes, struct types **types, uint64_t *in_type,
                           const struct voted *voted, uint64_t offset);

#endif
