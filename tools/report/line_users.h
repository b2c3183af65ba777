/* SPDX-License-Identifier: MIT */
/* The threads that use the members of data of one type on contended cache lines. */
#ifndef TOOLS_REPORT_LINE_USERS_H
#define TOOLS_REPORT_LINE_USERS_H

#include "data_types.h"
#include "group.h"

enum { LINE_USERS_TEXT = 1000 };

/* The accesses of a thread to a member of an object. */
struct line_user {
	uint32_t line, tid;
	uint64_t base, offset; /* address of the object, and offset of the access in it */
	const struct touch *touch;
	uint64_t samples, loads, stores;
};

struct line_users {
	struct line_user *of; /* sorted by line, object, offset and thread */
	size_t count;
	uint64_t objects; /* number of different objects */
};

/* Find the users of all contended lines in the group. */
void line_users_find(struct line_users *users, const struct profile *p, const struct group *group);
void line_users_free(struct line_users *users);
/* Return true if another thread uses the object of a touch on the same line, and one of them
 * writes. */
bool line_users_meet(const struct line_users *users, const struct profile *p,
                     const struct touch *touch);
/* Write the users of the line of a touch: "thread 2 writes count; threads 1, 3 read limit". */
void line_users_text(char text[LINE_USERS_TEXT], const struct line_users *users,
                     const struct profile *p, const struct touch *touch);

#endif
