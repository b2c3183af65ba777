/* SPDX-License-Identifier: MIT */
/* See heap_sites.h. */
#define _GNU_SOURCE
#include "heap_sites.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

/* A site of an input. */
struct site {
	uint32_t input, index;
	struct heap_row row;
};

static int compare_sites(const void *pa, const void *pb)
{
	const struct heap_row *a = &((const struct site *)pa)->row;
	const struct heap_row *b = &((const struct site *)pb)->row;
	int order = object_compare(a->place.object, b->place.object);

	if (!order)
		order = compare_numbers(a->place.addr, b->place.addr);
	return order ? order : strcmp(a->call, b->call);
}

static void find_place(struct place *place, struct session *s, const struct heap_site *site)
{
	const struct mapping *m = timeline_mapping(s->timeline, site->pid, site->pc, site->time);
	uint64_t vaddr;

	*place = (struct place){.addr = site->pc, .object = m ? m->object : NULL};
	if (m && object_vaddr(m->object, &vaddr, site->pc - m->start + m->pgoff, m->writable)) {
		place->addr = vaddr;
		place->resolved = true;
	}
}

int heap_row_line(const struct heap_row *row, const char **file)
{
	const struct place *place = &row->place;

	*file = place->caller_file ? place->caller_file : place->file;
	return place->caller_file ? place->caller_line : place->line;
}

static char *name_of(const struct heap_row *row)
{
	const char *file;
	char text[4200];
	int line = heap_row_line(row, &file);

	place_name(text, sizeof(text), &row->place, !line);
	if (line)
		return xasprintf("%s@%s:%d", row->call, text, line);
	return xasprintf("%s@%s", row->call, text);
}

static void finish_row(struct profile *p, const struct site *first)
{
	struct heap_row *row = &p->heap_rows[p->heap_row_count++];

	*row = first->row;
	place_find_symbol(&row->place);
	place_find_line(&row->place);
	row->name = name_of(row);
	row->totals = false;
	row->objects = row->bytes = row->freed = 0;
}

static void add_totals(struct heap_row *row, const struct heap_site *site)
{
	row->totals = row->totals || site->totals;
	row->objects += site->objects;
	row->bytes += site->bytes;
	row->freed += site->freed;
}

static size_t count_sites(const struct profile *p, struct site *sites)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->samples.recording_count; i++) {
		struct session *s = &p->samples.recordings[i].session;
		const struct heap_site *site;

		for (uint32_t k = 0; (site = heap_site(s->heap, k)); k++, n++) {
			if (!sites)
				continue;
			sites[n] =
			        (struct site){.input = i, .index = k, .row = {.call = site->call}};
			find_place(&sites[n].row.place, s, site);
		}
	}
	return n;
}

void heap_rows_find(struct profile *p)
{
	size_t n = count_sites(p, NULL);
	struct site *sites;

	if (p->heap_rows)
		return;
	sites = xcalloc(n, sizeof(*sites));
	p->heap_rows = xcalloc(n, sizeof(*p->heap_rows));
	p->heap_row_of = xcalloc(p->samples.recording_count, sizeof(*p->heap_row_of));
	count_sites(p, sites);
	if (n)
		qsort(sites, n, sizeof(*sites), compare_sites);
	for (size_t i = 0; i < n; i++) {
		const struct heap *heap = p->samples.recordings[sites[i].input].session.heap;
		uint32_t **rows = &p->heap_row_of[sites[i].input];
		size_t count = 0;

		if (!i || compare_sites(&sites[i - 1], &sites[i]))
			finish_row(p, &sites[i]);
		add_totals(&p->heap_rows[p->heap_row_count - 1], heap_site(heap, sites[i].index));
		while (!*rows && heap_site(heap, count))
			count++;
		if (!*rows)
			*rows = xcalloc(count, sizeof(**rows));
		(*rows)[sites[i].index] = (uint32_t)(p->heap_row_count - 1);
	}
	free(sites);
}

const struct heap_row *heap_row_of(struct profile *p, uint32_t input,
                                   const struct heap_object *object)
{
	heap_rows_find(p);
	return &p->heap_rows[p->heap_row_of[input][object->site]];
}
