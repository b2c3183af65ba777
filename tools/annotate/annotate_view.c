/* SPDX-License-Identifier: MIT */
#include "annotate_view.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

size_t view_frames(const struct view *v, struct frame *frames, uint64_t vaddr)
{
	size_t n = object_frames(v->function->object, frames, FRAMES_MAX, vaddr);

	if (n)
		return n;
	frames[0] = (struct frame){.function = v->function->symbol};
	object_line(v->function->object, &frames[0].file, &frames[0].line, vaddr);
	return 1;
}

static int compare_instruction(const void *pa, const void *pb)
{
	const struct instruction *a = pa, *b = pb;

	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

const struct instruction *view_instruction(const struct view *v, uint64_t vaddr)
{
	const struct instruction key = {.vaddr = vaddr};

	return bsearch(&key, v->function->instructions, v->function->count, sizeof(key),
	               compare_instruction);
}

static struct view_line *get_line(struct view *v, const struct frame *frame)
{
	for (size_t i = 0; i < v->line_count; i++) {
		struct view_line *l = &v->lines[i];

		if (l->line == frame->line && !strcmp(l->file, frame->file))
			return l;
	}
	GROW(v->lines, v->line_count, v->line_capacity)
	[v->line_count] = (struct view_line){.file = frame->file, .line = frame->line};
	return &v->lines[v->line_count++];
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->line == b->line && !strcmp(a->function, b->function) &&
	       !strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

static void add_inlined(struct view_line *l, const struct frame *frame, const struct counts *counts)
{
	size_t i = 0;

	while (i < l->inlined_count && !same_frame(&l->inlined[i].frame, frame))
		i++;
	if (i == l->inlined_count) {
		APPEND(l->inlined, l->inlined_count, l->inlined_capacity) =
		        (struct inlined){.frame = *frame};
	}
	counts_add(&l->inlined[i].counts, counts);
}

static int compare_lines(const void *pa, const void *pb)
{
	const struct view_line *a = pa, *b = pb;
	int c = strcmp(a->file, b->file);

	return c ? c : (a->line > b->line) - (a->line < b->line);
}

static int compare_inlined(const void *pa, const void *pb)
{
	const struct counts *a = &((const struct inlined *)pa)->counts;
	const struct counts *b = &((const struct inlined *)pb)->counts;

	if (a->latency != b->latency)
		return a->latency > b->latency ? -1 : 1;
	return a->samples > b->samples ? -1 : a->samples < b->samples;
}

void view_make(struct view *v, const struct function *f, const char *objdump)
{
	*v = (struct view){.function = f};
	for (size_t i = 0; i < f->count; i++) {
		struct frame frames[FRAMES_MAX];
		size_t n = view_frames(v, frames, f->instructions[i].vaddr);
		const struct counts *counts = &f->instructions[i].counts;
		struct view_line *l;

		if (!frames[n - 1].file)
			continue;
		l = get_line(v, &frames[n - 1]);
		counts_add(&l->counts, counts);
		if (n > 1)
			add_inlined(l, &frames[0], counts);
	}
	if (v->line_count)
		qsort(v->lines, v->line_count, sizeof(*v->lines), compare_lines);
	for (size_t i = 0; i < v->line_count; i++) {
		if (v->lines[i].inlined_count)
			qsort(v->lines[i].inlined, v->lines[i].inlined_count,
			      sizeof(struct inlined), compare_inlined);
	}
	disassemble(&v->code, f->object, f->start, f->end, objdump);
}

void view_free(struct view *v)
{
	for (size_t i = 0; i < v->line_count; i++)
		free(v->lines[i].inlined);
	free(v->lines);
	disassembly_free(&v->code);
}
