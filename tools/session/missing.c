/* SPDX-License-Identifier: MIT */
#include "object.h"
#include "missing.h"
#include "../base/common.h"

#include <stdlib.h>

enum { LINES_MAX = 3 };

struct unnamed {
	const struct object *obj;
	uint64_t unnamed;
};

struct missing {
	struct unnamed *entries; /* by index of the object */
	size_t count;
	uint64_t samples;
};

struct missing *missing_new(void)
{
	struct missing *m = xcalloc(1, sizeof(*m));

	while (object_at(m->count))
		m->count++;
	m->entries = xcalloc(m->count, sizeof(*m->entries));
	return m;
}

void missing_count(struct missing *m, const struct object *obj, uint64_t samples, bool named)
{
	m->samples += samples;
	if (!obj || named)
		return;
	m->entries[obj->index].obj = obj;
	m->entries[obj->index].unnamed += samples;
}

/* Return what is missing, or NULL if nobody could provide it or it hardly matters. */
static const char *cause(const struct missing *m, const struct unnamed *e)
{
	const struct object *obj = e->obj;

	if (!obj || (obj->kind == OBJECT_FILE && (obj->path[0] != '/' || obj->path[1] == '/')))
		return NULL;
	if (obj->problem)
		return obj->problem;
	return e->unnamed * 100 >= m->samples ? object_gap(obj) : NULL;
}

static int compare(const void *pa, const void *pb)
{
	const struct unnamed *a = pa, *b = pb;

	return a->unnamed > b->unnamed ? -1 : a->unnamed < b->unnamed;
}

void missing_warn(struct missing *m)
{
	size_t warned = 0, more = 0;

	qsort(m->entries, m->count, sizeof(*m->entries), compare);
	for (size_t i = 0; i < m->count && m->entries[i].unnamed; i++) {
		const struct unnamed *e = &m->entries[i];
		const char *why = cause(m, e);

		if (!why)
			continue;
		if (warned++ < LINES_MAX)
			warn("no symbols: %s%s%s; it has %.3g%% of the samples; %s",
			     e->obj->problem ? "" : e->obj->path, e->obj->problem ? "" : " ", why,
			     100.0 * (double)e->unnamed / (double)m->samples,
			     object_remedy(e->obj));
		else
			more++;
	}
	if (more)
		warn("no symbols for %zu more file%s with fewer samples", more,
		     more == 1 ? "" : "s");
	free(m->entries);
	free(m);
}
