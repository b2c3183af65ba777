/* SPDX-License-Identifier: MIT */
/* Suggestions for a name that is not in a set: the probable name, or the set. */
#ifndef SCENARIO_NEAREST_H
#define SCENARIO_NEAREST_H

#include <stddef.h>

/*
 * Return the name nearest to the word of size characters, or NULL if no name is near enough. names
 * ends with NULL. Case is ignored.
 */
const char *nearest_name(const char *word, size_t size, const char *const *names);

/*
 * Write "; did you mean 'X'?" to text. If no name is near, write "; use X, Y or Z", or for a large
 * set the nearest names. An empty set leaves text empty.
 */
void suggest_name(char *text, size_t room, const char *word, size_t size, const char *const *names);

#endif
