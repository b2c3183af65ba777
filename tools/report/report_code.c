/* SPDX-License-Identifier: MIT */
/* Sections about instructions: functions, source lines, branches. */
#define _GNU_SOURCE
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* Demangled names are long; those that are longer lose their ends. */
enum { NAME_SIZE = 4096 };

/* Samples that share a row. */
struct group {
	const struct place *place; /* one of them */
	const char *symbol;        /* NULL: none */
	uint64_t start;            /* of the symbol, or the address itself */
	const char *file;          /* lines only */
	int line;
	uint64_t samples, latency_samples, latency;
	uint64_t branches, mispredicted, not_taken;
};

static void resolve(struct group *g, const struct place *place)
{
	*g = (struct group){.place = place,
	                    .start = place->addr,
	                    .samples = place->samples,
	                    .latency_samples = place->latency_samples,
	                    .latency = place->latency,
	                    .branches = place->branches,
	                    .mispredicted = place->mispredicted,
	                    .not_taken = place->not_taken};
	if (place->resolved)
		g->symbol = object_symbol(place->object, &g->start, place->addr, SYMBOL_CODE);
}

void place_name(char *text, size_t size, const struct place *place, bool with_offset)
{
	uint64_t start;
	const char *symbol = NULL;

	if (place->resolved)
		symbol = object_symbol(place->object, &start, place->addr, SYMBOL_CODE);
	if (!symbol)
		snprintf(text, size, "0x%016llx", (unsigned long long)place->addr);
	else if (with_offset)
		snprintf(text, size, "%s+0x%llx", symbol,
		         (unsigned long long)(place->addr - start));
	else
		snprintf(text, size, "%s", symbol);
}

static const char *place_object(const struct place *place)
{
	if (place->object)
		return object_name(place->object);
	return place->kernel ? "[kernel]" : "[unknown]";
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_key(const struct group *a, const struct group *b, enum sort_key key)
{
	switch (key) {
	case SORT_COMM:
		return strcmp(a->place->task->comm, b->place->task->comm);
	case SORT_PID:
		return compare_u64(a->place->task->pid, b->place->task->pid);
	case SORT_TID:
		return compare_u64(a->place->task->tid, b->place->task->tid);
	case SORT_DSO:
		return compare_u64((uintptr_t)a->place->object, (uintptr_t)b->place->object);
	case SORT_SYM:
		if (a->place->object != b->place->object)
			return compare_key(a, b, SORT_DSO);
		return compare_u64(a->start, b->start);
	case SORT_KEYS:
		break;
	}
	return 0;
}

static int compare_same(const void *pa, const void *pb, void *arg)
{
	const struct report_options *opt = arg;

	for (unsigned i = 0; i < opt->sort_count; i++) {
		int c = compare_key(pa, pb, opt->sort[i]);

		if (c)
			return c;
	}
	return 0;
}

static int compare_line(const void *pa, const void *pb, void *arg)
{
	const struct group *a = pa, *b = pb;

	(void)arg;
	if (a->place->object != b->place->object)
		return compare_key(a, b, SORT_DSO);
	if (!a->file || !b->file)
		return (a->file != NULL) - (b->file != NULL);
	if (strcmp(a->file, b->file) != 0)
		return strcmp(a->file, b->file);
	return a->line - b->line;
}

static int compare_site(const void *pa, const void *pb, void *arg)
{
	const struct group *a = pa, *b = pb;

	(void)arg;
	if (a->place->object != b->place->object)
		return compare_key(a, b, SORT_DSO);
	return compare_u64(a->place->addr, b->place->addr);
}

/* Most samples first; then by name, so that the order does not depend on addresses of ours. */
static int compare_samples(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	if (strcmp(place_object(a->place), place_object(b->place)) != 0)
		return strcmp(place_object(a->place), place_object(b->place));
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->start != b->start)
		return compare_u64(a->start, b->start);
	if (a->place->task->pid != b->place->task->pid)
		return compare_u64(a->place->task->pid, b->place->task->pid);
	return compare_u64(a->place->task->tid, b->place->task->tid);
}

/* Most cycles first; most samples where the records have no latencies. */
static int compare_cost(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	if (a->latency != b->latency)
		return a->latency > b->latency ? -1 : 1;
	return compare_samples(pa, pb);
}

static int compare_mispredicted(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	if (a->mispredicted != b->mispredicted)
		return a->mispredicted > b->mispredicted ? -1 : 1;
	if (a->branches != b->branches)
		return a->branches > b->branches ? -1 : 1;
	return compare_samples(pa, pb);
}

static void add_group(struct group *to, const struct group *g)
{
	to->samples += g->samples;
	to->latency_samples += g->latency_samples;
	to->latency += g->latency;
	to->branches += g->branches;
	to->mispredicted += g->mispredicted;
	to->not_taken += g->not_taken;
}

/* Add up what compare finds equal, and sort the sums. Returns their number. */
static size_t combine(struct group *groups, size_t count,
                      int (*same)(const void *, const void *, void *), void *arg,
                      int (*order)(const void *, const void *))
{
	size_t n = 0;

	if (!count)
		return 0;
	qsort_r(groups, count, sizeof(*groups), same, arg);
	for (size_t i = 1; i < count; i++) {
		if (same(&groups[n], &groups[i], arg))
			groups[++n] = groups[i];
		else
			add_group(&groups[n], &groups[i]);
	}
	qsort(groups, n + 1, sizeof(*groups), order);
	return n + 1;
}

static struct group *all_places(size_t *count, struct profile *p)
{
	struct group *groups = xcalloc(p->place_index.count, sizeof(*groups));

	*count = p->place_index.count;
	for (size_t i = 0; i < *count; i++) {
		resolve(&groups[i], &p->places[i]);
		if (!(i & 0xff))
			progress("looking up symbols", i, *count);
	}
	progress_end();
	return groups;
}

static size_t limited(struct table *t, size_t count, const struct report_options *opt)
{
	if (!opt->limit || count <= opt->limit)
		return count;
	t->left_out = count - opt->limit;
	return opt->limit;
}

static bool sorted_by(const struct report_options *opt, enum sort_key key)
{
	for (unsigned i = 0; i < opt->sort_count; i++) {
		if (opt->sort[i] == key)
			return true;
	}
	return false;
}

/* Shown only where the records have latencies. */
static const char *cycles_heading(const struct profile *p)
{
	return p->latency[LATENCY_TOTAL].samples ? "Cycles" : NULL;
}

void section_functions(struct table *t, struct profile *p, const struct report_options *opt)
{
	static struct column columns[] = {
	        {"cycles", NULL, COLUMN_PERCENT, 0},
	        {"overhead", "Overhead", COLUMN_PERCENT, 0},
	        {"samples", "Samples", COLUMN_COUNT, 0, .drop = 2},
	        {"latency", "Latency", COLUMN_NUMBER, 0, .drop = 1},
	        {"pid", "Pid", COLUMN_COUNT, 0},
	        {"tid", "Tid", COLUMN_COUNT, 0},
	        {"command", "Command", COLUMN_TEXT, 0},
	        {"object", "Shared Object", COLUMN_TEXT, 40, CUT_MIDDLE},
	        {"level", NULL, COLUMN_TEXT, 0},
	        {"symbol", NULL, COLUMN_TEXT, 0},
	        {"name", "Symbol", COLUMN_TEXT, 100, CUT_SYMBOL},
	};
	static const int key_column[SORT_KEYS] = {6, 4, 5, 7, 10};
	static const char *const headings[] = {"Pid", "Tid", "Command", "Shared Object"};
	struct report_options by = *opt;
	size_t count, rows;
	struct group *g = all_places(&count, p);

	for (int i = 4; i <= 7; i++)
		columns[i].heading = headings[i - 4];
	columns[10].heading = "Symbol";
	for (int k = 0; k < SORT_KEYS; k++) {
		if (!sorted_by(opt, (enum sort_key)k))
			columns[key_column[k]].heading = NULL;
	}
	columns[0].heading = cycles_heading(p);
	table_init(t, "functions", "Functions", columns, 11);
	if (columns[0].heading)
		t->note = xstrdup("cycles: share of the total latency of all samples; latency: its "
		                  "mean");
	count = combine(g, count, compare_same, &by, compare_cost);
	rows = limited(t, count, opt);
	for (size_t i = 0; i < rows; i++) {
		struct cell *c = table_row(t);
		bool sym = sorted_by(opt, SORT_SYM);
		char name[NAME_SIZE], text[NAME_SIZE + 8];

		cell_share(&c[0], g[i].latency, p->latency[LATENCY_TOTAL].sum);
		cell_share(&c[1], g[i].samples, p->samples);
		cell_count(&c[2], g[i].samples);
		if (g[i].latency_samples)
			cell_number(&c[3], (double)g[i].latency / (double)g[i].latency_samples);
		if (sorted_by(opt, SORT_PID))
			cell_count(&c[4], g[i].place->task->pid);
		if (sorted_by(opt, SORT_TID))
			cell_count(&c[5], g[i].place->task->tid);
		if (sorted_by(opt, SORT_COMM))
			cell_text(&c[6], g[i].place->task->comm);
		if (sorted_by(opt, SORT_DSO) || sym)
			cell_text(&c[7], place_object(g[i].place));
		if (!sym)
			continue;
		cell_text(&c[8], g[i].place->kernel ? "k" : ".");
		place_name(name, sizeof(name), g[i].place, false);
		cell_text(&c[9], name);
		snprintf(text, sizeof(text), "[%s] %s", g[i].place->kernel ? "k" : ".", name);
		cell_text(&c[10], text);
	}
	free(g);
}

void section_lines(struct table *t, struct profile *p, const struct report_options *opt)
{
	static struct column columns[] = {
	        {"cycles", NULL, COLUMN_PERCENT, 0},
	        {"overhead", "Overhead", COLUMN_PERCENT, 0},
	        {"samples", "Samples", COLUMN_COUNT, 0, .drop = 2},
	        {"latency", "Latency", COLUMN_NUMBER, 0, .drop = 1},
	        {"object", "Shared Object", COLUMN_TEXT, 40, CUT_MIDDLE},
	        {"file", NULL, COLUMN_TEXT, 0},
	        {"line", NULL, COLUMN_COUNT, 0},
	        {"source", "Source line", COLUMN_TEXT, 70, CUT_MIDDLE},
	};
	size_t count, rows;
	struct group *g = all_places(&count, p);

	columns[0].heading = cycles_heading(p);
	table_init(t, "lines", "Source lines", columns, 8);
	for (size_t i = 0; i < count; i++) {
		const struct place *place = g[i].place;

		if (place->resolved)
			object_line(place->object, &g[i].file, &g[i].line, place->addr);
		if (!(i & 0xff))
			progress("looking up source lines", i, count);
	}
	progress_end();
	count = combine(g, count, compare_line, NULL, compare_cost);
	rows = limited(t, count, opt);
	for (size_t i = 0; i < rows; i++) {
		struct cell *c = table_row(t);
		char text[4200];

		cell_share(&c[0], g[i].latency, p->latency[LATENCY_TOTAL].sum);
		cell_share(&c[1], g[i].samples, p->samples);
		cell_count(&c[2], g[i].samples);
		if (g[i].latency_samples)
			cell_number(&c[3], (double)g[i].latency / (double)g[i].latency_samples);
		cell_text(&c[4], place_object(g[i].place));
		snprintf(text, sizeof(text), "(no line information)");
		if (g[i].file) {
			cell_text(&c[5], g[i].file);
			cell_count(&c[6], (uint64_t)g[i].line);
			snprintf(text, sizeof(text), "%s:%d", g[i].file, g[i].line);
		}
		cell_text(&c[7], text);
	}
	free(g);
}

static void branch_row(struct cell *c, const struct group *g, uint64_t mispredicted)
{
	char text[NAME_SIZE];
	const char *file;
	int line;

	cell_share(&c[0], g->mispredicted, mispredicted);
	cell_count(&c[1], g->branches);
	cell_count(&c[2], g->mispredicted);
	cell_share(&c[3], g->mispredicted, g->branches);
	cell_share(&c[4], g->branches - g->not_taken, g->branches);
	cell_text(&c[5], place_object(g->place));
	place_name(text, sizeof(text), g->place, true);
	cell_text(&c[6], text);
	cell_count(&c[7], g->place->addr);
	if (g->place->resolved && object_line(g->place->object, &file, &line, g->place->addr)) {
		snprintf(text, sizeof(text), "%s:%d", file, line);
		cell_text(&c[8], text);
	}
}

void section_branches(struct table *t, struct profile *p, const struct report_options *opt)
{
	static const struct column columns[] = {
	        {"mispredict_share", "Mispredicts", COLUMN_PERCENT, 0},
	        {"branches", "Branches", COLUMN_COUNT, 0, .drop = 1},
	        {"mispredicted", "Mispred.", COLUMN_COUNT, 0, .drop = 3},
	        {"mispredict_rate", "Rate", COLUMN_PERCENT, 0},
	        {"taken_rate", "Taken", COLUMN_PERCENT, 0},
	        {"object", "Shared Object", COLUMN_TEXT, 30, CUT_MIDDLE, .drop = 2},
	        {"site", "Branch", COLUMN_TEXT, 60, CUT_SYMBOL},
	        {"address", NULL, COLUMN_ADDRESS, 0},
	        {"source", "Source line", COLUMN_TEXT, 50, CUT_MIDDLE},
	};
	uint64_t branches = 0, mispredicted = 0;
	size_t count, n = 0, rows;
	struct group *g = all_places(&count, p);

	for (size_t i = 0; i < count; i++) {
		branches += g[i].branches;
		mispredicted += g[i].mispredicted;
		if (g[i].branches)
			g[n++] = g[i];
	}
	table_init(t, "branches", "Branches", columns, 9);
	t->note = xasprintf("%llu branches sampled, %llu mispredicted (%.2f%%)",
	                    (unsigned long long)branches, (unsigned long long)mispredicted,
	                    branches ? 100.0 * (double)mispredicted / (double)branches : 0.0);
	n = combine(g, n, compare_site, NULL, compare_mispredicted);
	rows = limited(t, n, opt);
	for (size_t i = 0; i < rows; i++)
		branch_row(table_row(t), &g[i], mispredicted);
	free(g);
}
