/* SPDX-License-Identifier: MIT */
/*
 * Symbols, addresses and code of objects. The first query about an object loads it. Each kind of
 * object is loaded by its own file: elf_object.c, kernel_object.c, symbol_text.c or jitdump.c.
 */
#define _GNU_SOURCE
#include "symbols.h"
#include "jitdump.h"
#include "object.h"
#include "../base/common.h"

#include <string.h>
#include <unistd.h>

static void load_file(struct object *obj)
{
	if (obj->path[0] != '/' || obj->path[1] == '/') {
		obj->problem = xstrdup("not a file");
		return;
	}
	/* spemu run and spemu vm accept a list of symbols instead of an ELF file. */
	if (!obj->build_id_size && kallsyms_load(obj, obj->path)) {
		object_finish(obj);
		return;
	}
	if (elf_open_recorded(obj) || elf_open_by_build_id(obj)) {
		elf_load(obj);
		object_finish(obj);
		return;
	}
	if (!obj->problem)
		obj->problem = xasprintf("%s %s", obj->path,
		                         access(obj->path, F_OK)
		                                 ? "was not found"
		                                 : "is not a regular file that can be read");
}

/* Load the kernel before its modules: its list of symbols may have theirs. */
static void load_module(struct object *obj)
{
	if (objects_kernel())
		object_load(objects_kernel());
	module_load(obj);
}

void object_load(struct object *obj)
{
	static void (*const load[])(struct object *) = {[OBJECT_FILE] = load_file,
	                                                [OBJECT_KERNEL] = kernel_load,
	                                                [OBJECT_MODULE] = load_module,
	                                                [OBJECT_JIT] = jit_load,
	                                                [OBJECT_DUMP] = jitdump_load};

	if (obj->loaded)
		return;
	obj->loaded = true;
	load[obj->kind](obj);
}

/*
 * Return true if the segment contains the offset. Widening 0 considers the segment's bytes in the
 * file, 1 also its zero-filled part, 2 also the bytes before it in its first page.
 */
static bool segment_has(const struct segment *s, uint64_t offset, int widening)
{
	uint64_t start = widening == 2 ? s->offset & ~UINT64_C(4095) : s->offset;
	uint64_t size = (widening ? s->mem_size : s->file_size) + (s->offset - start);

	return offset >= start && offset - start < size;
}

bool object_vaddr(struct object *obj, uint64_t *vaddr, uint64_t offset, bool writable)
{
	object_load(obj);
	if (obj->placed_count)
		return module_vaddr(obj, vaddr, offset);
	if (obj->kind != OBJECT_FILE) {
		*vaddr = offset - obj->slide;
		return true;
	}
	for (int pass = 0; pass < 6; pass++) {
		for (size_t i = 0; i < obj->segment_count; i++) {
			const struct segment *s = &obj->segments[i];

			if ((s->writable != writable) != (pass >= 3) ||
			    !segment_has(s, offset, pass % 3))
				continue;
			*vaddr = offset - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}

/* Convert an address in the image of a file, which begins at the page `pgoff`, by its distance from
 * that page. */
static bool image_vaddr(struct object *obj, uint64_t *vaddr, uint64_t pgoff, uint64_t distance)
{
	for (size_t i = 0; i < obj->segment_count; i++) {
		const struct segment *s = &obj->segments[i];

		if (!s->executable || !segment_has(s, pgoff, 2))
			continue;
		*vaddr = pgoff - s->offset + s->vaddr + distance;
		return object_holds(obj, *vaddr);
	}
	return false;
}

bool object_data_vaddr(struct object *obj, uint64_t *vaddr, uint64_t pgoff, uint64_t distance,
                       bool writable)
{
	object_load(obj);
	if (obj->kind != OBJECT_FILE || writable)
		return object_vaddr(obj, vaddr, pgoff + distance, writable);
	for (size_t i = 0; i < obj->segment_count; i++) {
		const struct segment *s = &obj->segments[i];

		if (s->writable || !segment_has(s, pgoff + distance, 0))
			continue;
		*vaddr = pgoff + distance - s->offset + s->vaddr;
		return true;
	}
	return image_vaddr(obj, vaddr, pgoff, distance) ||
	       object_vaddr(obj, vaddr, pgoff + distance, writable);
}

bool object_holds(struct object *obj, uint64_t vaddr)
{
	object_load(obj);
	for (size_t i = 0; i < obj->segment_count; i++) {
		const struct segment *s = &obj->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->mem_size)
			return true;
	}
	return false;
}

/* Return the symbol or, for code without one, the function that contains vaddr, or NULL. */
static struct symbol *find_symbol(struct object *obj, uint64_t vaddr, enum symbol_kind kind)
{
	struct symbol *s;

	object_load(obj);
	s = symbols_find(&obj->symbols[kind], vaddr);
	if (s || kind != SYMBOL_CODE)
		return s;
	unnamed_load(obj);
	return symbols_find(&obj->unwound, vaddr);
}

const char *object_symbol(struct object *obj, uint64_t *start, uint64_t vaddr,
                          enum symbol_kind kind)
{
	struct symbol *s = find_symbol(obj, vaddr, kind);

	if (!s)
		return NULL;
	if (start)
		*start = s->start;
	return s->name ? symbol_words(s) : unnamed_name(s);
}

bool object_has_symbol(struct object *obj, uint64_t vaddr)
{
	object_load(obj);
	return symbols_find(&obj->symbols[SYMBOL_CODE], vaddr);
}

const struct symbol_list *object_code_symbols(struct object *obj)
{
	object_load(obj);
	return &obj->symbols[SYMBOL_CODE];
}

uint64_t object_symbol_end(struct object *obj, uint64_t vaddr, enum symbol_kind kind)
{
	const struct symbol *s = find_symbol(obj, vaddr, kind);

	return s ? s->end : vaddr;
}

bool object_modified(struct object *obj, struct timespec *time)
{
	object_load(obj);
	*time = obj->modified;
	return obj->module && obj->modified.tv_sec;
}

bool object_code(struct object *obj, uint8_t *code, uint64_t vaddr, size_t size)
{
	object_load(obj);
	if (obj->kind == OBJECT_DUMP)
		return jitdump_bytes(obj, code, vaddr, size);
	return obj->module && obj->kind != OBJECT_MODULE && elf_bytes(obj, code, vaddr, size);
}

enum object_match object_match(struct object *file, const struct object *recorded)
{
	bool named_same = !strcmp(file->name, recorded->name);

	object_load(file);
	if (recorded->kind != OBJECT_FILE || !file->module)
		return OBJECT_DIFFERS;
	if (!recorded->build_id_size || !elf_has_build_id(file))
		return named_same ? OBJECT_SAME : OBJECT_DIFFERS;
	if (elf_same_build_id(file, recorded))
		return OBJECT_SAME;
	return named_same ? OBJECT_CHANGED : OBJECT_DIFFERS;
}

bool object_link_address(struct object *obj, uint64_t *vaddr)
{
	const struct symbol_list *list = &obj->symbols[SYMBOL_CODE];

	object_load(obj);
	*vaddr = UINT64_MAX;
	for (size_t i = 0; i < obj->segment_count; i++)
		if (obj->segments[i].vaddr < *vaddr)
			*vaddr = obj->segments[i].vaddr;
	if (obj->segment_count)
		return true;
	if (list->count)
		*vaddr = list->items[0].start;
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, "_text"))
			*vaddr = list->items[i].start;
	return list->count > 0;
}

bool object_code_base(struct object *obj, uint64_t *vaddr)
{
	object_load(obj);
	for (size_t i = 0; i < obj->segment_count; i++) {
		if (obj->segments[i].executable) {
			*vaddr = obj->segments[i].vaddr;
			return true;
		}
	}
	return false;
}

const struct jit_code *object_jit_codes(struct object *obj, size_t *n, bool *by_counter)
{
	object_load(obj);
	*n = obj->code_count;
	*by_counter = obj->code_by_counter;
	return obj->codes;
}
