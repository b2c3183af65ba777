/* SPDX-License-Identifier: MIT */
/*
 * The types of heap objects, by the calls that allocated them.
 *
 * The pointer that gets a new object tells its type. If a function returns the object of an
 * allocating call, it is a wrapper, and its caller may know the type.
 */
#ifndef TOOLS_TYPES_SITES_H
#define TOOLS_TYPES_SITES_H

#include "data_access.h"

struct sites;
/* Collect the allocation sites of the recordings, and tell them to the analysis of the code. */
struct sites *sites_new(const struct recording *recordings, unsigned count);
void sites_free(struct sites *sites);

/* Return a number that is equal for heap objects of one user: the innermost caller of the allocator
 * that is not a wrapper. */
uint64_t sites_user(struct sites *sites, const struct data_access *access);
/* Return a number that is equal for heap objects of one size and one user. */
uint64_t sites_kind(struct sites *sites, const struct data_access *access);
/* Find the type of the heap object that is accessed. `typed` is empty before. */
void sites_type(struct sites *sites, struct typed *typed, const struct data_access *access);

#endif
