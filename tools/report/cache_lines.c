/* SPDX-License-Identifier: MIT */
/* Section "cache-lines": lines of data, and how threads share them. */
#define _GNU_SOURCE
#include "memory.h"
#include "section.h"

#include <stdlib.h>
#include <string.h>

enum sharing line_sharing(const struct cache_line *line)
{
	uint64_t once = 0, more = 0, written = 0;

	for (uint32_t i = 0; i < line->thread_count; i++) {
		uint64_t touched = line->threads[i].read | line->threads[i].written;

		more |= once & touched;
		once |= touched;
		written |= line->threads[i].written;
	}
	if (line->thread_count < 2)
		return SHARING_NONE;
	if (!written)
		return line->snooped ? SHARING_MAYBE : SHARING_READ;
	if (!(written & more))
		return SHARING_FALSE;
	return written & ~more ? SHARING_MIXED : SHARING_TRUE;
}

const char *sharing_word(const struct cache_line *line)
{
	static const char *const words[] = {
	        [SHARING_NONE] = NULL,     [SHARING_READ] = "read", [SHARING_MAYBE] = "false?",
	        [SHARING_FALSE] = "FALSE", [SHARING_TRUE] = "true", [SHARING_MIXED] = "mixed"};

	return words[line_sharing(line)];
}

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
