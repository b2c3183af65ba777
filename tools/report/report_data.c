/* SPDX-License-Identifier: MIT */
/* Sections about data and counts: operations, cache lines, latencies, sources, events. */
#define _GNU_SOURCE
#include "report.h"
#include "../base/optext.h"

#include <stdlib.h>
#include <string.h>

static const char *const group_names[OP_GROUPS] = {"load", "store", "atomic", "branch", "other"};

static void operation_row(struct table *t, const char *group, const char *detail, uint64_t samples,
                          uint64_t whole)
{
	struct cell *c = table_row(t);
	char text[128];

	cell_share(&c[0], samples, whole);
	cell_count(&c[1], samples);
	cell_text(&c[2], group);
	if (detail)
		cell_text(&c[3], detail);
	snprintf(text, sizeof(text), "%s%s", detail ? "  " : "", detail ? detail : group);
	cell_text(&c[4], text);
}

struct op_count {
	unsigned op_class, subclass;
	uint64_t samples;
};

static int compare_ops(const void *pa, const void *pb)
{
	const struct op_count *a = pa, *b = pb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->op_class != b->op_class ? (int)a->op_class - (int)b->op_class
	                                  : (int)a->subclass - (int)b->subclass;
}

static void operation_group(struct table *t, const struct profile *p, enum op_group group)
{
	struct op_count ops[1024];
	unsigned n = 0;
	uint64_t sum = 0;

	for (unsigned c = 0; c < 4; c++) {
		for (unsigned s = 0; s < 256; s++) {
			if (!p->ops[c][s] || op_group(c, s) != group)
				continue;
			ops[n++] = (struct op_count){c, s, p->ops[c][s]};
			sum += p->ops[c][s];
		}
	}
	operation_row(t, group_names[group], NULL, sum, p->samples);
	qsort(ops, n, sizeof(*ops), compare_ops);
	for (unsigned i = 0; i < n; i++) {
		char text[100];

		op_describe(text, sizeof(text), ops[i].op_class, ops[i].subclass);
		operation_row(t, group_names[group], text, ops[i].samples, p->samples);
	}
}

void section_operations(struct table *t, struct profile *p, const struct report_options *opt)
{
	static const struct column columns[] = {
	        {"share", "Share", COLUMN_PERCENT, 0},
	        {"samples", "Samples", COLUMN_COUNT, 0},
	        {"group", NULL, COLUMN_TEXT, 0},
	        {"detail", NULL, COLUMN_TEXT, 0},
	        {"operation", "Operation", COLUMN_TEXT, 0},
	};

	(void)opt;
	table_init(t, "operations", "Operations", columns, 5);
	t->note = xstrdup("floating-point and SIMD count operations of the groups above again");
	for (int g = 0; g < OP_GROUPS; g++)
		operation_group(t, p, (enum op_group)g);
	operation_row(t, "floating-point", NULL, p->fp, p->samples);
	operation_row(t, "SIMD", NULL, p->simd, p->samples);
}

/* How threads meet on a line, as far as the samples show. */
static const char *sharing(const struct cache_line *line)
{
	uint64_t once = 0, more = 0, written = 0;

	for (uint32_t i = 0; i < line->thread_count; i++) {
		uint64_t touched = line->threads[i].read | line->threads[i].written;

		more |= once & touched;
		once |= touched;
		written |= line->threads[i].written;
	}
	if (line->thread_count < 2)
		return NULL;
	if (!written)
		return line->snooped ? "false?" : "read";
	if (!(written & more))
		return "FALSE";
	return written & ~more ? "mixed" : "true";
}

/* The data symbol, or else the mapping, that holds addr. */
static void data_name(char *text, size_t size, struct profile *p, const struct cache_line *line,
                      uint64_t addr)
{
	const struct mapping *m = session_mapping(&p->session, line->pid, addr, line->time);
	const struct mapping *file = m;
	const char *symbol = NULL;
	uint64_t vaddr, start;

	if (m && object_vaddr(m->object, &vaddr, addr - m->start + m->pgoff, m->writable))
		symbol = object_symbol(m->object, &start, vaddr, SYMBOL_DATA);
	if (!symbol)
		file = session_mapping_below(&p->session, line->pid, addr, line->time);
	/* Zero-initialized data are in anonymous memory after the file's last mapping. */
	if (!symbol && file && object_vaddr(file->object, &vaddr, file->pgoff, file->writable)) {
		vaddr += addr - file->start;
		if (object_holds(file->object, vaddr))
			symbol = object_symbol(file->object, &start, vaddr, SYMBOL_DATA);
	}
	if (symbol)
		snprintf(text, size, "%s", symbol);
	else
		snprintf(text, size, "%s", m ? object_name(m->object) : "[unknown]");
}

/* The names of everything that was touched on the line: up to three. */
static void line_names(char *text, size_t size, struct profile *p, const struct cache_line *line)
{
	uint64_t touched = 0;
	char last[200] = "", name[200];
	unsigned names = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < line->thread_count; i++)
		touched |= line->threads[i].read | line->threads[i].written;
	for (; touched; touched &= touched - 1) {
		unsigned part = (unsigned)__builtin_ctzll(touched);
		size_t len = strlen(text);

		data_name(name, sizeof(name), p, line, line->addr + part * p->line_size / 64);
		if (!strcmp(name, last))
			continue;
		if (names++ == 3) {
			snprintf(text + len, size - len, ", ...");
			return;
		}
		snprintf(text + len, size - len, "%s%s", len ? ", " : "", name);
		memcpy(last, name, sizeof(last));
	}
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
	const char *kind = sharing(line);
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

void section_cache_lines(struct table *t, struct profile *p, const struct report_options *opt)
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
		const char *kind = sharing(&p->lines[i]);

		sorted[i] = &p->lines[i];
		whole += p->lines[i].samples;
		falsely += kind && (kind[0] == 'F' || kind[0] == 'f');
	}
	columns[11].heading = session_process_count(&p->session) > 1 ? "Pid" : NULL;
	table_init(t, "cache_lines", "Data cache lines", columns, 13);
	t->note =
	        xasprintf("%u bytes each; %llu accesses to %zu lines, %llu likely falsely shared "
	                  "(threads write and touch different parts)",
	                  p->line_size, (unsigned long long)whole, n, (unsigned long long)falsely);
	qsort(sorted, n, sizeof(*sorted), compare_cache_lines);
	if (opt->limit && n > opt->limit) {
		rows = opt->limit;
		t->left_out = n - rows;
	}
	for (size_t i = 0; i < rows; i++)
		cache_line_row(table_row(t), p, sorted[i], whole);
	free(sorted);
}

void section_latency(struct table *t, struct profile *p, const struct report_options *opt)
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

	(void)opt;
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

/*
 * The Data Source payload is IMPLEMENTATION DEFINED (D18.2.4). These are the encodings that Arm's
 * Neoverse N1, N2, V1 and V2 share, by the part number in the recording's MIDR. NULL: those of another part.
 */
static const char *const *source_names(const struct profile *p)
{
	static const char *const neoverse[16] = {
	        [0x0] = "level 1 data cache", [0x8] = "level 2 cache", [0x9] = "peer core",
	        [0xa] = "local cluster",      [0xb] = "system cache",  [0xc] = "peer cluster",
	        [0xd] = "remote socket",      [0xe] = "memory"};
	const char *cpuid;
	unsigned long midr, part;

	if (spemu_perf_feature_string(p->session.file, &cpuid, SPEMU_PERF_FEAT_CPUID))
		return NULL;
	midr = strtoul(cpuid, NULL, 0);
	part = midr >> 4 & 0xfff;
	if (midr >> 24 != 0x41 ||
	    (part != 0xd0c && part != 0xd49 && part != 0xd40 && part != 0xd4f))
		return NULL;
	return neoverse;
}

void section_sources(struct table *t, struct profile *p, const struct report_options *opt)
{
	static const struct column columns[] = {
	        {"share", "Share", COLUMN_PERCENT, 0},    {"samples", "Samples", COLUMN_COUNT, 0},
	        {"latency", "Latency", COLUMN_NUMBER, 0}, {"source", "Source", COLUMN_ADDRESS, 0},
	        {"name", "Name", COLUMN_TEXT, 0},
	};
	const char *const *names = source_names(p);
	uint64_t whole = 0;

	(void)opt;
	table_init(t, "sources", "Data sources", columns, 5);
	for (unsigned i = 0; i < 65536; i++)
		whole += p->sources[i].samples;
	for (unsigned i = 0; i < 65536; i++) {
		const struct source_count *s = &p->sources[i];
		const char *name = names && i < 16 ? names[i] : NULL;
		struct cell *c;

		if (!s->samples)
			continue;
		c = table_row(t);
		cell_share(&c[0], s->samples, whole);
		cell_count(&c[1], s->samples);
		if (s->latency_samples)
			cell_number(&c[2], (double)s->latency / (double)s->latency_samples);
		cell_count(&c[3], i);
		if (name)
			cell_text(&c[4], name);
	}
}

void section_events(struct table *t, struct profile *p, const struct report_options *opt)
{
	static const struct column columns[] = {
	        {"share", "Share", COLUMN_PERCENT, 0},  {"samples", "Samples", COLUMN_COUNT, 0},
	        {"bit", "Bit", COLUMN_COUNT, 0},        {"event", "Event", COLUMN_TEXT, 0},
	        {"meaning", "Meaning", COLUMN_TEXT, 0},
	};

	(void)opt;
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
