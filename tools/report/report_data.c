/* SPDX-License-Identifier: MIT */
/* Sections about data and counts: cache lines, latencies, sources, events. */
#define _GNU_SOURCE
#include "report_memory.h"
#include "report_section.h"
#include "../session/data_source.h"
#include "../base/optext.h"

#include <stdlib.h>
#include <string.h>

static int compare_cache_lines(const void *pa, const void *pb)
{
	const struct cache_line *a = *(const struct cache_line *const *)pa;
	const struct cache_line *b = *(const struct cache_line *const *)pb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->addr < b->addr ? -1 : 1;
}

static void cache_line_row(struct cell *c, struct profile *p, const struct cache_line *line,
                           uint64_t whole)
{
	const char *kind = sharing_word(line);
	char text[700];

	cell_share(&c[0], line->samples, whole);
	cell_count(&c[1], line->samples);
	cell_count(&c[2], line->addr);
	cell_count(&c[3], line->loads);
	cell_count(&c[4], line->stores);
	cell_count(&c[5], line->atomics);
	cell_count(&c[6], line->refills);
	cell_count(&c[7], line->snooped);
	cell_count(&c[8], line->thread_count);
	if (kind)
		cell_text(&c[9], kind);
	if (line->latency_samples)
		cell_number(&c[10], (double)line->latency / (double)line->latency_samples);
	cell_count(&c[11], line->pid);
	line_names(text, sizeof(text), p, line);
	cell_text(&c[12], text);
}

static size_t processes(const struct profile *p)
{
	size_t n = 0;

	for (unsigned i = 0; i < p->input_count; i++)
		n += session_process_count(&p->inputs[i].session);
	return n;
}

void section_cache_lines(struct table *t, struct profile *p, const struct view *view)
{
	static struct column columns[] = {
	        {"share", "Share", COLUMN_PERCENT, 0},
	        {"samples", "Samples", COLUMN_COUNT, 0},
	        {"line", "Cache line", COLUMN_ADDRESS, 0},
	        {"loads", "Loads", COLUMN_COUNT, 0, .drop = 3},
	        {"stores", "Stores", COLUMN_COUNT, 0, .drop = 2},
	        {"atomics", "Atomics", COLUMN_COUNT, 0, .drop = 5},
	        {"l1d_refills", "L1 miss", COLUMN_COUNT, 0, .drop = 4},
	        {"snooped", "Snooped", COLUMN_COUNT, 0, .drop = 1},
	        {"threads", "Threads", COLUMN_COUNT, 0},
	        {"sharing", "Shared", COLUMN_TEXT, 0},
	        {"latency", "Latency", COLUMN_NUMBER, 0},
	        {"pid", NULL, COLUMN_COUNT, 0, .drop = 6},
	        {"data", "Data", COLUMN_TEXT, 60, CUT_SYMBOL},
	};
	size_t n = p->line_index.count, rows = n;
	const struct cache_line **sorted = xcalloc(n, sizeof(const struct cache_line *));
	uint64_t whole = 0, falsely = 0;

	for (size_t i = 0; i < n; i++) {
		enum sharing how = line_sharing(&p->lines[i]);

		sorted[i] = &p->lines[i];
		whole += p->lines[i].samples;
		falsely += how == SHARING_FALSE || how == SHARING_MAYBE;
	}
	columns[11].heading = processes(p) > 1 ? "Pid" : NULL;
	table_init(t, "cache_lines", "Data cache lines", columns, 13);
	t->note =
	        xasprintf("%u bytes each; %llu accesses to %zu lines, %llu likely falsely shared "
	                  "(threads write and touch different parts)",
	                  p->line_size, (unsigned long long)whole, n, (unsigned long long)falsely);
	qsort(sorted, n, sizeof(*sorted), compare_cache_lines);
	t->left_out_by = view->percent_limit > 0 ? "--limit and --percent-limit" : NULL;
	while (rows &&
	       100 * (double)sorted[rows - 1]->samples < view->percent_limit * (double)whole)
		rows--;
	if (view->limit && rows > view->limit)
		rows = view->limit;
	t->left_out = n - rows;
	for (size_t i = 0; i < rows; i++)
		cache_line_row(table_row(t), p, sorted[i], whole);
	free(sorted);
}

void section_latency(struct table *t, struct profile *p, const struct view *view)
{
	static const struct column columns[] = {
	        {"from", NULL, COLUMN_COUNT, 0},
	        {"to", NULL, COLUMN_COUNT, 0},
	        {"cycles", "Cycles", COLUMN_TEXT, 0},
	        {"total_share", "Total", COLUMN_PERCENT, 0},
	        {"total", "Samples", COLUMN_COUNT, 0, .drop = 1},
	        {"issue_share", "Issue", COLUMN_PERCENT, 0},
	        {"issue", "Samples", COLUMN_COUNT, 0, .drop = 2},
	        {"translation_share", "Transl.", COLUMN_PERCENT, 0},
	        {"translation", "Samples", COLUMN_COUNT, 0, .drop = 3},
	};
	double mean[LATENCY_KINDS];
	unsigned last = 0;

	(void)view;
	table_init(t, "latency", "Latency", columns, 9);
	for (int k = 0; k < LATENCY_KINDS; k++) {
		const struct histogram *h = &p->latency[k];

		mean[k] = h->samples ? (double)h->sum / (double)h->samples : 0;
		for (unsigned b = 0; b < LATENCY_BUCKETS; b++) {
			if (h->bucket[b] && b + 1 > last)
				last = b + 1;
		}
	}
	t->note = xasprintf("mean (most) cycles: total %.1f (%llu), issue %.1f (%llu), translation "
	                    "%.1f (%llu)",
	                    mean[0], (unsigned long long)p->latency[0].max, mean[1],
	                    (unsigned long long)p->latency[1].max, mean[2],
	                    (unsigned long long)p->latency[2].max);
	for (unsigned b = 0; b < last; b++) {
		struct cell *c = table_row(t);
		unsigned from = b ? 1u << (b - 1) : 0, to = b ? (1u << b) - 1 : 0;
		char text[32];

		snprintf(text, sizeof(text), b < 2 ? "%u" : "%u-%u", from, to);
		cell_count(&c[0], from);
		cell_count(&c[1], to);
		cell_text(&c[2], text);
		for (int k = 0; k < LATENCY_KINDS; k++) {
			cell_share(&c[3 + 2 * k], p->latency[k].bucket[b], p->latency[k].samples);
			cell_count(&c[4 + 2 * k], p->latency[k].bucket[b]);
		}
	}
}

void section_sources(struct table *t, struct profile *p, const struct view *view)
{
	static const struct column columns[] = {
	        {"share", "Share", COLUMN_PERCENT, 0},    {"samples", "Samples", COLUMN_COUNT, 0},
	        {"latency", "Latency", COLUMN_NUMBER, 0}, {"source", "Source", COLUMN_ADDRESS, 0},
	        {"name", "Name", COLUMN_TEXT, 0},
	};
	uint64_t whole = 0;

	(void)view;
	table_init(t, "sources", "Data sources", columns, 5);
	for (unsigned i = 0; i < SOURCE_INDEXES; i++)
		whole += p->sources[i].samples;
	for (unsigned i = 0; i < SOURCE_INDEXES; i++) {
		const struct source_count *s = &p->sources[i];
		const char *name = source_names[source_index_name(i)].meaning;
		struct cell *c;

		if (!s->samples)
			continue;
		c = table_row(t);
		cell_share(&c[0], s->samples, whole);
		cell_count(&c[1], s->samples);
		if (s->latency_samples)
			cell_number(&c[2], (double)s->latency / (double)s->latency_samples);
		cell_count(&c[3], source_index_payload(i));
		if (name)
			cell_text(&c[4], name);
	}
}

void section_events(struct table *t, struct profile *p, const struct view *view)
{
	static const struct column columns[] = {
	        {"share", "Share", COLUMN_PERCENT, 0},  {"samples", "Samples", COLUMN_COUNT, 0},
	        {"bit", "Bit", COLUMN_COUNT, 0},        {"event", "Event", COLUMN_TEXT, 0},
	        {"meaning", "Meaning", COLUMN_TEXT, 0},
	};

	(void)view;
	table_init(t, "events", "Events", columns, 5);
	for (unsigned bit = 0; bit < 64; bit++) {
		struct cell *c;
		char name[32];

		if (!p->events[bit])
			continue;
		c = table_row(t);
		cell_share(&c[0], p->events[bit], p->samples);
		cell_count(&c[1], p->events[bit]);
		cell_count(&c[2], bit);
		event_name(name, sizeof(name), bit);
		cell_text(&c[3], name);
		cell_text(&c[4], spemu_event_meaning(bit) ? spemu_event_meaning(bit)
		                                          : "IMPLEMENTATION DEFINED");
	}
}
