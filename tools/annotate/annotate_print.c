/* SPDX-License-Identifier: MIT */
/* Print views as text, as wide as the screen: counts on the left, source or code on the right. */
#define _GNU_SOURCE
#include "annotate_print.h"
#include "../session/source.h"
#include "../base/clean.h"
#include "../base/common.h"
#include "../base/fit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 100, TEXT_SIZE = 4096 }; /* WIDE is the screen width with room for all counts */

static bool is_wide(void)
{
	return !screen_width() || screen_width() >= WIDE;
}

static void put_cell(struct out *o, uint64_t n, unsigned width)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	out_fmt(o, " %*s", (int)width, n ? text : "");
}

static double share(const struct counts *c, const struct counts *all)
{
	if (all->latency)
		return (double)c->latency / (double)all->latency;
	return all->samples ? (double)c->samples / (double)all->samples : 0;
}

/* Print the counts, or blanks if c is NULL. Return their width. */
static unsigned put_counts(struct out *o, const struct counts *c, const struct counts *all)
{
	static const struct counts none;
	const char *color = "";
	char text[24] = "";

	if (c && color_on)
		color = share(c, all) >= 0.05    ? "\033[31m"
		        : share(c, all) >= 0.005 ? "\033[32m"
		                                 : "";
	if (c)
		snprintf(text, sizeof(text), "%.2f%%", 100 * share(c, all));
	out_fmt(o, "%s%7s%s", color, text, *color ? "\033[0m" : "");
	c = c ? c : &none;
	put_cell(o, c->samples, 7);
	text[0] = '\0';
	if (c->timed)
		snprintf(text, sizeof(text), "%.1f", (double)c->latency / (double)c->timed);
	out_fmt(o, " %7s", text);
	put_cell(o, c->l1_misses, 6);
	if (is_wide()) {
		put_cell(o, c->llc_misses, 6);
		put_cell(o, c->tlb_walks, 6);
	}
	put_cell(o, c->mispredicted, 6);
	out_text(o, "  ");
	return 7 + 8 + 8 + 7 + (is_wide() ? 14 : 0) + 7 + 2;
}

/* Print a row of the table, and free the text. */
static void put_row(struct out *o, const struct counts *c, const struct counts *all, char *text)
{
	unsigned used = put_counts(o, c, all), width = screen_width();
	char line[TEXT_SIZE];

	clean_text(text);
	out_text(o, width ? cut_end(line, sizeof(line), text, width - used) : text);
	out_text(o, "\n");
	free(text);
}

static void put_heading(struct out *o, const struct counts *all, const char *what)
{
	out_fmt(o, "#\n#%6s %7s %7s %6s%s %6s  %s\n", all->latency ? "Cycles" : "Share", "Samples",
	        "Latency", "L1miss", is_wide() ? "   LLCm TLBwlk" : "", "Mispr.", what);
}

static void put_line(struct out *o, const struct view_line *l, const struct counts *all)
{
	const char *text = source_line(l->file, l->line);

	put_row(o, &l->counts, all, xasprintf("%5d  %s", l->line, text ? text : ""));
	for (size_t i = 0; i < l->inlined_count; i++) {
		const struct frame *f = &l->inlined[i].frame;
		const char *slash = f->file ? strrchr(f->file, '/') : NULL;

		put_row(o, &l->inlined[i].counts, all,
		        f->file ? xasprintf("     |  %s:%d %s", slash ? slash + 1 : f->file,
		                            f->line, f->function)
		                : xasprintf("     |  %s", f->function));
	}
}

/* Print the lines from first to last, which have no samples. */
static void put_gap(struct out *o, const char *file, int first, int last, const struct counts *all)
{
	for (int n = first; n <= last; n++) {
		const char *text = source_line(file, n);

		if (!text)
			return;
		put_row(o, NULL, all, xasprintf("%5d  %s", n, text));
	}
}

/* Print the lines between two lines with samples: all of them, or context lines at both ends.
 * before is 0 at the start of the file, after is 0 at its end. */
static void put_between(struct out *o, const char *file, int before, int after, unsigned context,
                        const struct counts *all)
{
	int some = context > 1000 ? 1000 : (int)context;

	if (!source_found(file))
		return;
	if (before && after && after - before - 1 <= 2 * some + 1) {
		put_gap(o, file, before + 1, after - 1, all);
		return;
	}
	if (before)
		put_gap(o, file, before + 1, before + some, all);
	if (before && after)
		put_row(o, NULL, all, xstrdup("  ..."));
	if (after)
		put_gap(o, file, after - some < 1 ? 1 : after - some, after - 1, all);
}

static void print_source(struct out *o, const struct view *v, const struct counts *all,
                         const struct print_options *opt)
{
	const char *file = NULL;
	int before = 0;

	if (!v->line_count)
		out_comment_fmt(o,
		                "no source lines: %s has no debugging information; compile it with "
		                "-g, or " INSTALL_DEBUG_SYMBOLS,
		                object_name(v->function->object));
	for (size_t i = 0; i < v->line_count; i++) {
		const struct view_line *l = &v->lines[i];

		if (!file || strcmp(file, l->file) != 0) {
			if (file)
				put_between(o, file, before, 0, opt->context, all);
			file = l->file;
			before = 0;
			put_heading(o, all, "Line");
			out_comment(o, file);
			if (!source_found(file))
				out_comment(o, "the source file was not found; give its folder "
				               "with --source DIR");
		}
		put_between(o, file, before, l->line, opt->context, all);
		put_line(o, l, all);
		before = l->line;
	}
	if (file)
		put_between(o, file, before, 0, opt->context, all);
}

/* Return "matrix.h:12 at() < work.cpp:30 sum()": the innermost function first. The caller frees
 * it. */
static char *stack_text(const struct frame *frames, size_t n)
{
	char *text = xstrdup(";"), *more;

	for (size_t i = 0; i < n; i++) {
		const struct frame *f = &frames[i];
		const char *slash = f->file ? strrchr(f->file, '/') : NULL;

		if (f->file)
			more = xasprintf("%s%s %s:%d", text, i ? " <" : "",
			                 slash ? slash + 1 : f->file, f->line);
		else
			more = xstrdup(text);
		free(text);
		text = n > 1 ? xasprintf("%s %s", more, f->function) : xstrdup(more);
		free(more);
	}
	return text;
}

/* Return true if an instruction is near one with samples. */
static bool is_near(const struct view *v, size_t i, unsigned context)
{
	size_t first, last;

	if (context == UINT_MAX)
		return true;
	first = i < context ? 0 : i - context;
	last = i + context < v->code.count ? i + context : v->code.count - 1;
	for (size_t k = first; k <= last; k++) {
		if (view_counts(v, v->code.start + 4 * k))
			return true;
	}
	return false;
}

static void print_code(struct out *o, const struct view *v, const struct counts *all,
                       const struct print_options *opt)
{
	char *stack = xstrdup("");
	bool skipped = false;

	put_heading(o, all, "Instruction");
	if (v->code.problem)
		out_comment_fmt(o, "no disassembly: %s", v->code.problem);
	for (size_t i = 0; i < v->code.count; i++) {
		uint64_t vaddr = v->code.start + 4 * i;
		struct frame frames[FRAMES_MAX];
		char *now, *row;

		if (!is_near(v, i, opt->context)) {
			if (!skipped)
				put_row(o, NULL, all, xstrdup("..."));
			skipped = true;
			continue;
		}
		skipped = false;
		now = stack_text(frames, view_frames(v, frames, vaddr));
		if (strcmp(now, stack) != 0 && strcmp(now, ";") != 0)
			put_row(o, NULL, all, xstrdup(now));
		free(stack);
		stack = now;
		if (v->code.text[i])
			row = xasprintf("%6llx: %s", (unsigned long long)vaddr, v->code.text[i]);
		else
			row = xasprintf("%6llx: .inst 0x%08x", (unsigned long long)vaddr,
			                v->code.code[i]);
		put_row(o, view_counts(v, vaddr), all, row);
	}
	free(stack);
}

void print_view(const struct view *v, const struct counts *all, const struct print_options *opt)
{
	const struct function *f = v->function;
	struct out *o = &out_stdout;

	out_text(o, "#\n");
	out_comment_fmt(o, "%s in %s: %llu sample%s, %.2f%% of all %s", f->symbol,
	                object_name(f->object), (unsigned long long)f->counts.samples,
	                f->counts.samples == 1 ? "" : "s", 100 * share(&f->counts, all),
	                all->latency ? "cycles" : "samples");
	if (opt->source)
		print_source(o, v, all, opt);
	if (opt->code)
		print_code(o, v, all, opt);
}
