/* SPDX-License-Identifier: MIT */
#include "line_users.h"

#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

enum { TIDS = 4, PARTS = 6 }; /* threads and members that a text names */

static int compare_users(const void *pa, const void *pb)
{
	const struct line_user *a = pa, *b = pb;

	if (a->line != b->line)
		return compare_numbers(a->line, b->line);
	if (a->base != b->base)
		return compare_numbers(a->base, b->base);
	if (a->offset != b->offset)
		return compare_numbers(a->offset, b->offset);
	return compare_numbers(a->tid, b->tid);
}

/* Add up equal users, which are neighbors. */
static void merge(struct line_users *users)
{
	size_t n = 0;

	for (size_t i = 0; i < users->count; i++) {
		struct line_user *u = &users->of[i], *last = n ? &users->of[n - 1] : NULL;

		users->objects += !last || last->base != u->base;
		if (!last || compare_users(last, u)) {
			users->of[n++] = *u;
			continue;
		}
		last->samples += u->samples;
		last->loads += u->loads;
		last->stores += u->stores;
	}
	users->count = n;
}

void line_users_find(struct line_users *users, const struct profile *p, const struct group *group)
{
	*users = (struct line_users){.of = xcalloc(group->count + 1, sizeof(*users->of))};
	for (size_t i = 0; i < group->count; i++) {
		const struct touch *t = member_touch(&group->members[i]);
		enum op_group op = facet_operation(&p->facets[t->bin.facet]);
		uint64_t n = t->bin.sums.samples;

		if (!p->lines[t->line].contended)
			continue;
		users->of[users->count++] =
		        (struct line_user){.line = t->line,
		                           .tid = p->samples.places[t->bin.place].task->tid,
		                           .base = touch_base(p, t),
		                           .offset = type_of_touch(p, t)->offset,
		                           .touch = t,
		                           .samples = n,
		                           .loads = op != OP_STORE ? n : 0,
		                           .stores = op != OP_LOAD ? n : 0};
	}
	if (users->count)
		qsort(users->of, users->count, sizeof(*users->of), compare_users);
	merge(users);
}

void line_users_free(struct line_users *users)
{
	free(users->of);
	*users = (struct line_users){0};
}

/* Return the first user of an object on a line, or of a later object or line. */
static size_t first_user(const struct line_users *users, uint32_t line, uint64_t base)
{
	size_t i;

	COUNT_LEADING(i, users->count, mid,
	              users->of[mid].line < line ||
	                      (users->of[mid].line == line && users->of[mid].base < base));
	return i;
}

bool line_users_meet(const struct line_users *users, const struct profile *p,
                     const struct touch *touch)
{
	uint32_t tid = p->samples.places[touch->bin.place].task->tid;
	uint64_t base = touch_base(p, touch);
	bool other = false, own_stores = false, other_stores = false;

	for (size_t i = first_user(users, touch->line, base); i < users->count; i++) {
		const struct line_user *u = &users->of[i];

		if (u->line != touch->line || u->base != base)
			break;
		if (u->tid == tid) {
			own_stores |= u->stores > 0;
		} else {
			other = true;
			other_stores |= u->stores > 0;
		}
	}
	return other && (own_stores || other_stores);
}

/* Write "threads 1, 3 read " for the users from first to last of one member. */
static size_t write_threads(char *text, size_t size, const struct line_user *first, size_t count,
                            bool stores)
{
	size_t used = 0, n = 0;

	for (size_t i = 0; i < count; i++)
		n += (stores ? first[i].stores : first[i].loads && !first[i].stores) != 0;
	if (!n)
		return 0;
	used = (size_t)snprintf(text, size, "thread%s ", n == 1 ? "" : "s");
	for (size_t i = 0, told = 0; i < count && told <= TIDS && used < size; i++) {
		if (!(stores ? first[i].stores : first[i].loads && !first[i].stores))
			continue;
		if (told++ == TIDS)
			used += (size_t)snprintf(text + used, size - used, ", ...");
		else
			used += (size_t)snprintf(text + used, size - used, "%s%u",
			                         told > 1 ? ", " : "", first[i].tid);
	}
	if (used < size)
		used += (size_t)snprintf(text + used, size - used, " %s%s ",
		                         stores ? "write" : "read", n == 1 ? "s" : "");
	return used < size ? used : size - 1;
}

static size_t write_part(char *text, size_t size, const struct profile *p,
                         const struct line_user *first, size_t count, bool stores, bool again)
{
	char threads[200], member[200];

	if (!write_threads(threads, sizeof(threads), first, count, stores))
		return 0;
	touch_member(member, sizeof(member), p, first->touch);
	return (size_t)snprintf(text, size, "%s%s%s", again ? "; " : "", threads,
	                        *member ? member : data_type_of_touch(p, first->touch)->name);
}

static int compare_offsets(const void *pa, const void *pb)
{
	const struct line_user *a = pa, *b = pb;

	return a->offset != b->offset ? compare_numbers(a->offset, b->offset)
	                              : compare_numbers(a->tid, b->tid);
}

/* Copy the users of a line, sorted by offset and thread. Users of different objects are one. Return
 * their number. */
static size_t users_of_line(struct line_user *to, const struct line_users *users, uint32_t line)
{
	size_t n = 0, count = 0;

	for (size_t i = first_user(users, line, 0); i < users->count && users->of[i].line == line;
	     i++)
		to[count++] = users->of[i];
	if (count)
		qsort(to, count, sizeof(*to), compare_offsets);
	for (size_t i = 0; i < count; i++) {
		if (!n || compare_offsets(&to[n - 1], &to[i])) {
			to[n++] = to[i];
			continue;
		}
		to[n - 1].loads += to[i].loads;
		to[n - 1].stores += to[i].stores;
	}
	return n;
}

void line_users_text(char text[LINE_USERS_TEXT], const struct line_users *users,
                     const struct profile *p, const struct touch *touch)
{
	struct line_user *own = xcalloc(users->count + 1, sizeof(*own));
	size_t used = 0, parts = 0, count = users_of_line(own, users, touch->line);

	text[0] = 0;
	for (size_t i = 0, n; i < count; i += n) {
		for (n = 1; i + n < count && own[i + n].offset == own[i].offset;)
			n++;
		for (unsigned stores = 2; stores-- > 0;) {
			size_t more = 0;

			if (parts < PARTS && used < LINE_USERS_TEXT)
				more = write_part(text + used, LINE_USERS_TEXT - used, p, &own[i],
				                  n, stores, used > 0);
			parts += more > 0;
			used += more;
		}
	}
	free(own);
}
