/* SPDX-License-Identifier: MIT */
#include "missing.h"
#include "object.h"
#include "../base/common.h"

#include <stdlib.h>

enum { LINES_MAX = 3 };

void missing_count(struct object *obj, uint64_t samples)
{
	if (obj)
		obj->unnamed += samples;
}

/* Return the reason why symbols are missing, or NULL if the user cannot provide them or few samples
 * are affected. */
static const char *cause(const struct object *obj, uint64_t samples)
{
	if (obj->kind == OBJECT_FILE && (obj->path[0] != '/' || obj->path[1] == '/'))
		return NULL;
	if (obj->problem)
		return obj->problem;
	return obj->unnamed * 100 >= samples ? object_gap(obj) : NULL;
}

/* Compare by the number of samples without a symbol, the largest first. */
static int compare(const void *pa, const void *pb)
{
	const struct object *const *a = pa, *const *b = pb;

	return compare_numbers((*b)->unnamed, (*a)->unnamed);
}

void missing_warn(uint64_t samples)
{
	size_t count = 0, warned = 0, more = 0;
	const struct object **sorted;

	while (object_at(count))
		count++;
	sorted = xcalloc(count, sizeof(const struct object *));
	for (size_t i = 0; i < count; i++)
		sorted[i] = object_at(i);
	qsort(sorted, count, sizeof(*sorted), compare);
	for (size_t i = 0; i < count && sorted[i]->unnamed; i++) {
		const struct object *obj = sorted[i];
		const char *why = cause(obj, samples);

		if (why && warned++ < LINES_MAX)
			warn("no symbols for %.3g%% of the samples: %s%s%s; %s",
			     100.0 * (double)obj->unnamed / (double)samples,
			     obj->problem ? "" : obj->path, obj->problem ? "" : " ", why,
			     object_remedy(obj));
		else
			more += why != NULL;
	}
	if (more)
		warn("no symbols for %zu more file%s with fewer samples", more,
		     more == 1 ? "" : "s");
	free(sorted);
}
