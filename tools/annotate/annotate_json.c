/* SPDX-License-Identifier: MIT */
/* Write views as JSON: all lines with samples, and all instructions. */
#include "annotate_print.h"
#include "annotate_types.h"
#include "../session/source.h"
#include "../base/json.h"

static void add_counts(struct json_object *o, const struct counts *c, const struct counts *all)
{
	static const struct counts none;

	c = c ? c : &none;
	json_add_number(o, "samples", c->samples);
	json_object_object_add(o, "cycles",
	                       all->latency ? json_object_new_double(100.0 * (double)c->latency /
	                                                             (double)all->latency)
	                                    : NULL);
	json_object_object_add(
	        o, "latency",
	        c->timed ? json_object_new_double((double)c->latency / (double)c->timed) : NULL);
	json_add_number(o, "l1_misses", c->l1_misses);
	json_add_number(o, "llc_misses", c->llc_misses);
	json_add_number(o, "tlb_walks", c->tlb_walks);
	json_add_number(o, "mispredicted", c->mispredicted);
}

static void add_place(struct json_object *o, const char *file, int line)
{
	json_object_object_add(o, "file", file ? json_text(file) : NULL);
	json_object_object_add(o, "line", file ? json_object_new_int(line) : NULL);
}

static struct json_object *frames_json(const struct view *v, uint64_t vaddr)
{
	struct json_object *list = json_object_new_array();
	struct frame frames[FRAMES_MAX];
	size_t n = view_frames(v, frames, vaddr);

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "function", json_text(frames[i].function));
		add_place(o, frames[i].file, frames[i].line);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *line_json(const struct view_line *l, const struct counts *all)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	const char *text = source_line(l->file, l->line);

	add_place(o, l->file, l->line);
	json_object_object_add(o, "source", text ? json_text(text) : NULL);
	add_counts(o, &l->counts, all);
	for (size_t i = 0; i < l->inlined_count; i++) {
		struct json_object *in = json_object_new_object();
		const struct frame *f = &l->inlined[i].frame;

		json_object_object_add(in, "function", json_text(f->function));
		add_place(in, f->file, f->line);
		add_counts(in, &l->inlined[i].counts, all);
		json_object_array_add(list, in);
	}
	json_object_object_add(o, "inlined", list);
	return o;
}

/* Return the types and members that an instruction accesses. */
static struct json_object *uses_json(const struct instruction *in)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; in && i < in->use_count; i++) {
		const struct data_use *use = &in->uses[i];
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "data_type", json_text(use->type));
		json_object_object_add(o, "data_member",
		                       *use->member ? json_text(use->member) : NULL);
		json_add_number(o, "type_offset", use->offset);
		json_add_text(o, "type_source", use->source);
		json_add_number(o, "samples", use->samples);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *code_json(const struct view *v, size_t i, const struct counts *all)
{
	struct json_object *o = json_object_new_object();
	uint64_t vaddr = v->code.start + 4 * i;
	const struct instruction *in = view_instruction(v, vaddr);

	json_add_hex(o, "address", vaddr);
	json_add_hex(o, "code", v->code.code[i]);
	json_object_object_add(o, "text", v->code.text[i] ? json_text(v->code.text[i]) : NULL);
	add_counts(o, in ? &in->counts : NULL, all);
	json_object_object_add(o, "data", uses_json(in));
	json_object_object_add(o, "frames", frames_json(v, vaddr));
	return o;
}

struct json_object *view_json(const struct view *v, const struct counts *all)
{
	struct json_object *o = json_object_new_object(), *lines = json_object_new_array(),
	                   *code = json_object_new_array();

	json_object_object_add(o, "symbol", json_text(v->function->symbol));
	json_object_object_add(o, "object", json_text(object_name(v->function->object)));
	json_add_hex(o, "address", v->function->start);
	add_counts(o, &v->function->counts, all);
	for (size_t i = 0; i < v->line_count; i++)
		json_object_array_add(lines, line_json(&v->lines[i], all));
	for (size_t i = 0; i < v->code.count; i++)
		json_object_array_add(code, code_json(v, i, all));
	json_object_object_add(o, "lines", lines);
	json_object_object_add(o, "instructions", code);
	json_object_object_add(o, "no_disassembly",
	                       v->code.problem ? json_text(v->code.problem) : NULL);
	return o;
}
