/* SPDX-License-Identifier: MIT */
/* Section "cache-lines": cache lines of data, and how threads share them. */
#define _GNU_SOURCE
#include "memory.h"
#include "recent.h"
#include "section.h"
#include "../session/reason.h"

#include <stdlib.h>
#include <string.h>

static struct line_thread *get_line_thread(struct cache_line *line, uint32_t tid, uint64_t time)
{
	struct line_thread *t = &line->first;
	uint32_t others = line->thread_count ? line->thread_count - 1 : 0;

	if (line->thread_count && t->tid == tid)
		return t;
	for (uint32_t i = 0; i < others; i++) {
		if (line->others[i].tid == tid)
			return &line->others[i];
	}
	if (line->thread_count++) {
		if (others == line->other_capacity) {
			line->other_capacity = others ? 4 * others : 1;
			line->others = xreallocarray(line->others, line->other_capacity,
			                             sizeof(*line->others));
		}
		t = &line->others[others];
	}
	*t = (struct line_thread){.tid = tid, .first = time};
	return t;
}

/* Return the index of the line whose first byte is at start. */
static uint32_t find_line(struct profile *p, uint32_t pid, uint64_t start, uint64_t time)
{
	uint32_t input = profile_reads(p);
	struct recent_line *known = recent_line(p->recent, start, pid);
	size_t i;

	if (known->addr == start && known->pid == pid && known->line)
		return known->line - 1;
	if (map_insert(&p->line_index, (struct map_key){pid, start, input}, &i))
		GROW(p->lines, i, p->line_capacity)
	[i] = (struct cache_line){.addr = start, .pid = pid, .time = time, .input = input};
	*known = (struct recent_line){start, pid, (uint32_t)i + 1};
	return (uint32_t)i;
}

uint32_t cache_lines_add(struct profile *p, const struct counted *c)
{
	const struct spemu_record *rec = c->record;
	const struct task *task = c->sample->task;
	uint64_t start = cache_line_start(p, c->address);
	uint32_t index = find_line(p, c->address >> 55 ? 0 : task->pid, start, c->sample->time);
	uint64_t part = UINT64_C(1) << (c->address - start) * 64 / p->line_size;
	struct cache_line *line = &p->lines[index];
	struct line_thread *thread = get_line_thread(line, task->tid, c->sample->time);

	line->samples++;
	line->loads += c->operation == OP_LOAD;
	line->stores += c->operation == OP_STORE;
	line->atomics += c->operation == OP_ATOMIC;
	line->refills += rec->events >> SPEMU_EV_L1D_REFILL & 1;
	line->snooped += is_snooped(rec->events, c->source);
	line->latency_samples += record_has_counter(rec, SPEMU_COUNTER_TOTAL);
	line->latency += rec->counter[SPEMU_COUNTER_TOTAL];
	thread->last = c->sample->time;
	thread->samples++;
	if (c->operation == OP_LOAD)
		thread->read |= part;
	else
		thread->written |= part;
	return index;
}

enum sharing line_sharing(const struct cache_line *line)
{
	uint64_t once = 0, more = 0, written = 0;

	for (uint32_t i = 0; i < line->thread_count; i++) {
		const struct line_thread *t = line_thread(line, i);
		uint64_t touched = t->read | t->written;

		more |= once & touched;
		once |= touched;
		written |= t->written;
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

	if (a->contended != b->contended)
		return a->contended ? -1 : 1;
	if (a->samples != b->samples)
		return compare_numbers(b->samples, a->samples);
	return a->pid != b->pid ? compare_numbers(a->pid, b->pid)
	                        : compare_numbers(a->addr, b->addr);
}

enum {
	SHARE,
	SAMPLES,
	LINE,
	LOADS,
	STORES,
	ATOMICS,
	REFILLS,
	SNOOPED,
	THREADS,
	SHARING,
	LATENCY,
	PID,
	DATA,
	COLUMNS
};
static const struct column columns[COLUMNS] = {
        [SHARE] = {"share", "Share", COLUMN_PERCENT},
        [SAMPLES] = {"samples", "Samples", COLUMN_COUNT},
        [LINE] = {"line", "Cache line", COLUMN_ADDRESS},
        [LOADS] = {"loads", "Loads", COLUMN_COUNT, .drop = 3},
        [STORES] = {"stores", "Stores", COLUMN_COUNT, .drop = 2},
        [ATOMICS] = {"atomics", "Atomics", COLUMN_COUNT, .drop = 5},
        [REFILLS] = {"l1d_refills", "L1 miss", COLUMN_COUNT, .drop = 4},
        [SNOOPED] = {"snooped", "Snooped", COLUMN_COUNT, .drop = 1},
        [THREADS] = {"threads", "Threads", COLUMN_COUNT},
        [SHARING] = {"sharing", "Shared", COLUMN_TEXT},
        [LATENCY] = {"latency", "Latency", COLUMN_NUMBER},
        [PID] = {"pid", "Pid", COLUMN_COUNT, .drop = 6},
        [DATA] = {"data", "Data", COLUMN_TEXT, 60, CUT_SYMBOL},
};

static void fill_row(struct cell *c, struct profile *p, const struct cache_line *line,
                     uint64_t whole)
{
	const char *sharing = sharing_word(line);
	char text[700];

	cell_ratio(&c[SHARE], line->samples, whole);
	cell_count(&c[SAMPLES], line->samples);
	cell_count(&c[LINE], line->addr);
	cell_count(&c[LOADS], line->loads);
	cell_count(&c[STORES], line->stores);
	cell_count(&c[ATOMICS], line->atomics);
	cell_count(&c[REFILLS], line->refills);
	cell_count(&c[SNOOPED], line->snooped);
	cell_count(&c[THREADS], line->thread_count);
	if (sharing)
		cell_text(&c[SHARING], sharing);
	cell_ratio(&c[LATENCY], line->latency, line->latency_samples);
	cell_count(&c[PID], line->pid);
	line_names(text, sizeof(text), p, line);
	cell_text(&c[DATA], text);
}

/* Make the empty table. It shows the process if there are several. */
static void init_table(struct table *t, const struct profile *p)
{
	struct column *own = xcalloc(COLUMNS, sizeof(*own));
	size_t processes = 0;

	memcpy(own, columns, sizeof(columns));
	for (unsigned i = 0; i < p->samples.recording_count; i++)
		processes += timeline_process_count(p->samples.recordings[i].session.timeline);
	if (processes <= 1)
		own[PID].heading = NULL;
	table_init(t, "cache_lines", "Data cache lines", own, COLUMNS);
	t->owned_columns = own;
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	size_t n = p->line_index.count, rows = n;
	const struct cache_line **sorted = xcalloc(n, sizeof(const struct cache_line *));
	uint64_t whole = 0, falsely = 0;

	for (size_t i = 0; i < n; i++) {
		enum sharing how = line_sharing(&p->lines[i]);

		sorted[i] = &p->lines[i];
		whole += p->lines[i].samples;
		falsely += how == SHARING_FALSE || how == SHARING_MAYBE;
	}
	init_table(t, p);
	t->note =
	        xasprintf("%u bytes each; %llu memory accesses to %zu lines; probably falsely "
	                  "shared (threads write different parts): %llu",
	                  p->line_size, (unsigned long long)whole, n, (unsigned long long)falsely);
	qsort(sorted, n, sizeof(*sorted), compare_cache_lines);
	while (rows &&
	       100 * (double)sorted[rows - 1]->samples < view->percent_limit * (double)whole)
		rows--;
	rows = view_limit(t, view, rows, n);
	t->left_out_by = view->percent_limit > 0 ? "--limit and --percent-limit" : NULL;
	for (size_t i = 0; i < rows; i++)
		fill_row(table_row(t), p, sorted[i], whole);
	free(sorted);
}

const struct section section_cache_lines = {"cache-lines", .fill = fill, .of_lines = true};
