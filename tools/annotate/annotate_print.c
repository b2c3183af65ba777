/* SPDX-License-Identifier: MIT */
/* Print views as text, as wide as the screen: counts on the left, source or code on the right. */
#define _GNU_SOURCE
#include "annotate_print.h"
#include "annotate_types.h"
#include "../session/source.h"
#include "../base/clean.h"
#include "../base/common.h"
#include "../base/fit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDE = 100,       /* screen width with room for all counts */
	COUNTS = 39,      /* width of the counts */
	MORE_COUNTS = 14, /* width of the counts that a narrow screen does not have */
	TEXT_SIZE = 4096,
	NAME_LEAST = 20, /* least width of a name beside others */
	CODE_MOST = 48,  /* largest width of an instruction beside its data */
	DATA_LEAST = 16, /* least width of the data */
};

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

/* Print the counts, or blanks if c is NULL. */
static void put_counts(struct out *o, const struct counts *c, const struct counts *all)
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
}

/* Return the width of the text of a row. */
static unsigned text_room(void)
{
	return screen_width() ? screen_width() - COUNTS - (is_wide() ? MORE_COUNTS : 0) : TEXT_SIZE;
}

/* Print a row of the table, and free the text. */
static void put_row(struct out *o, const struct counts *c, const struct counts *all, char *text)
{
	char line[TEXT_SIZE];

	put_counts(o, c, all);
	clean_text(text);
	out_text(o, screen_width() ? cut_end(line, sizeof(line), text, text_room()) : text);
	out_text(o, "\n");
	free(text);
}

/* Return the width of each of `count` names beside a text of width `used`. */
static unsigned name_room(unsigned used, unsigned count)
{
	unsigned room = text_room(), each = room > used ? (room - used) / count : 0;

	return each < NAME_LEAST ? NAME_LEAST : each > SYMBOL_WIDTH ? SYMBOL_WIDTH : each;
}

static void put_heading(struct out *o, const struct counts *all, const char *what)
{
	out_fmt(o, "#\n#%6s %7s %7s %6s%s %6s  %s\n", all->latency ? "Cycles" : "Share", "Samples",
	        "Latency", "L1miss", is_wide() ? "   LLCm TLBwlk" : "", "Mispr.", what);
}

/* Return "     |  matrix.h:12 at()" for an inlined function, with its name cut to the rest of the
 * row. The caller frees it. */
static char *inlined_text(const struct frame *f)
{
	const char *slash = f->file ? strrchr(f->file, '/') : NULL;
	char *where = f->file ? xasprintf("     |  %s:%d ", slash ? slash + 1 : f->file, f->line)
	                      : xstrdup("     |  ");
	char name[TEXT_SIZE], *text;

	cut_symbol(name, sizeof(name), f->function, name_room(text_width(where), 1));
	text = xasprintf("%s%s", where, name);
	free(where);
	return text;
}

static void put_line(struct out *o, const struct view_line *l, const struct counts *all)
{
	const char *text = source_line(l->file, l->line);

	put_row(o, &l->counts, all, xasprintf("%5d  %s", l->line, text ? text : ""));
	for (size_t i = 0; i < l->inlined_count; i++)
		put_row(o, &l->inlined[i].counts, all, inlined_text(&l->inlined[i].frame));
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

/* Return "; matrix.h:12 at() < work.cpp:30 sum()": the innermost function first. Each name has at
 * most `width` columns. The caller frees the text. */
static char *stack_text(const struct frame *frames, size_t n, unsigned width)
{
	char *text = xstrdup(";"), *more, name[TEXT_SIZE];

	for (size_t i = 0; i < n; i++) {
		const struct frame *f = &frames[i];
		const char *slash = f->file ? strrchr(f->file, '/') : NULL;

		if (f->file)
			more = xasprintf("%s%s %s:%d", text, i ? " <" : "",
			                 slash ? slash + 1 : f->file, f->line);
		else
			more = xstrdup(text);
		free(text);
		cut_symbol(name, sizeof(name), f->function, width);
		text = n > 1 ? xasprintf("%s %s", more, name) : xstrdup(more);
		free(more);
	}
	return text;
}

/* Print the row of a stack. Its names share the room beside its lines. */
static void put_stack(struct out *o, const struct frame *frames, size_t n, const struct counts *all)
{
	char *lines = stack_text(frames, n, 0);

	put_row(o, NULL, all, stack_text(frames, n, name_room(text_width(lines), (unsigned)n)));
	free(lines);
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
		if (view_instruction(v, v->code.start + 4 * k))
			return true;
	}
	return false;
}

static char *code_text(const struct view *v, size_t i)
{
	unsigned long long vaddr = v->code.start + 4 * i;

	return v->code.text[i] ? xasprintf("%6llx: %s", vaddr, v->code.text[i])
	                       : xasprintf("%6llx: .inst 0x%08x", vaddr, v->code.code[i]);
}

/* Return the width of the widest instruction that has data, within the room, or 0 if none has. */
static unsigned code_room(const struct view *v)
{
	unsigned widest = 0, most = text_room() - DATA_LEAST;

	for (size_t i = 0; i < v->code.count; i++) {
		const struct instruction *in = view_instruction(v, v->code.start + 4 * i);
		char *text;

		if (!in || !in->use_count)
			continue;
		text = code_text(v, i);
		widest = text_width(text) > widest ? text_width(text) : widest;
		free(text);
	}
	most = most < CODE_MOST ? most : CODE_MOST;
	return widest < most ? widest : most;
}

/* Return an instruction with the members that it accesses. The caller frees the text. */
static char *instruction_text(const struct view *v, size_t i, unsigned room)
{
	const struct instruction *in = view_instruction(v, v->code.start + 4 * i);
	char *code = code_text(v, i), *row, cut[TEXT_SIZE], data[USES_TEXT];

	if (!in || !in->use_count)
		return code;
	uses_text(data, in);
	cut_end(cut, sizeof(cut), code, room);
	row = xasprintf("%s%*s  ; %s", cut, (int)(room - text_width(cut)), "", data);
	free(code);
	return row;
}

static void print_code(struct out *o, const struct view *v, const struct counts *all,
                       const struct print_options *opt)
{
	char *stack = xstrdup(""), heading[TEXT_SIZE];
	unsigned room = code_room(v);
	bool skipped = false;

	snprintf(heading, sizeof(heading), "%-*s%s", (int)room, "Instruction",
	         room ? "  ; data: type and member" : "");
	put_heading(o, all, heading);
	if (v->code.problem)
		out_comment_fmt(o, "no disassembly: %s", v->code.problem);
	for (size_t i = 0; i < v->code.count; i++) {
		uint64_t vaddr = v->code.start + 4 * i;
		struct frame frames[FRAMES_MAX];
		const struct instruction *in = view_instruction(v, vaddr);
		char *now;
		size_t n;

		if (!is_near(v, i, opt->context)) {
			if (!skipped)
				put_row(o, NULL, all, xstrdup("..."));
			skipped = true;
			continue;
		}
		skipped = false;
		n = view_frames(v, frames, vaddr);
		now = stack_text(frames, n, TEXT_SIZE);
		if (strcmp(now, stack) != 0 && strcmp(now, ";") != 0)
			put_stack(o, frames, n, all);
		free(stack);
		stack = now;
		put_row(o, in ? &in->counts : NULL, all, instruction_text(v, i, room));
	}
	free(stack);
}

void print_view(const struct view *v, const struct counts *all, const struct print_options *opt)
{
	const struct function *f = v->function;
	struct out *o = &out_stdout;
	char name[TEXT_SIZE];

	cut_symbol(name, sizeof(name), f->symbol,
	           screen_width() ? screen_width() - 4 : SYMBOL_WIDTH);
	out_text(o, "#\n");
	out_comment_fmt(o, "%s in %s: %llu sample%s, %.2f%% of all %s", name,
	                object_name(f->object), (unsigned long long)f->counts.samples,
	                f->counts.samples == 1 ? "" : "s", 100 * share(&f->counts, all),
	                all->latency ? "cycles" : "samples");
	if (opt->source)
		print_source(o, v, all, opt);
	if (opt->code)
		print_code(o, v, all, opt);
}
