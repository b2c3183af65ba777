/* SPDX-License-Identifier: MIT */
/* The objects of a profile, each found once; where each kind's symbols come from is in its own file. */
#define _GNU_SOURCE
#include "symbols.h"
#include "object.h"
#include "../base/common.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *sysroot;
static struct object **objects;
static size_t object_count, object_capacity;
/* Of tsearch(3): a file may be made so that its names meet in a hash table. */
static void *object_tree;
static struct object *kernel_object;

void objects_set_sysroot(const char *path)
{
	sysroot = path;
}

const char *objects_sysroot(void)
{
	return sysroot;
}

struct object *objects_kernel(void)
{
	return kernel_object;
}

struct object *object_at(size_t index)
{
	return index < object_count ? objects[index] : NULL;
}

size_t object_index(const struct object *obj)
{
	return obj->index;
}

static int compare_objects(const void *pa, const void *pb)
{
	const struct object *a = pa, *b = pb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->build_id_size != b->build_id_size)
		return a->build_id_size < b->build_id_size ? -1 : 1;
	if (a->build_id_size && memcmp(a->build_id, b->build_id, a->build_id_size))
		return memcmp(a->build_id, b->build_id, a->build_id_size);
	return strcmp(a->path, b->path);
}

static struct object *find(enum object_kind kind, const char *path, const uint8_t *build_id,
                           size_t build_id_size)
{
	const struct object key = {.kind = kind,
	                           .path = (char *)(uintptr_t)path,
	                           .build_id = build_id,
	                           .build_id_size = build_id_size};
	struct object *const *known = tfind(&key, &object_tree, compare_objects), *obj;
	const char *slash;

	if (known)
		return *known;
	obj = xcalloc(1, sizeof(*obj));
	obj->index = object_count;
	obj->kind = kind;
	obj->path = xstrdup(path);
	/* "//anon" is not a file. */
	slash = path[0] == '/' && path[1] != '/' ? strrchr(path, '/') : NULL;
	obj->name = xstrdup(slash && slash[1] ? slash + 1 : path);
	if (build_id_size) {
		uint8_t *copy = xcalloc(1, build_id_size);

		memcpy(copy, build_id, build_id_size);
		obj->build_id = copy;
		obj->build_id_size = build_id_size;
	}
	tree_add(&object_tree, obj, compare_objects);
	GROW(objects, object_count, object_capacity)[object_count] = obj;
	object_count++;
	return obj;
}

struct object *object_find(const char *path, const uint8_t *build_id, size_t build_id_size)
{
	return find(OBJECT_FILE, path, build_id, build_id_size);
}

struct object *object_find_kernel(const uint8_t *build_id, size_t build_id_size)
{
	struct object *first = kernel_object;

	/* Recordings that are compared may be of two kernels; what is given is for the first. */
	if (first && first->build_id_size && build_id_size &&
	    (first->build_id_size != build_id_size ||
	     memcmp(first->build_id, build_id, build_id_size)))
		return find(OBJECT_KERNEL, "[kernel.kallsyms]", build_id, build_id_size);
	if (!first)
		kernel_object = find(OBJECT_KERNEL, "[kernel.kallsyms]", build_id, build_id_size);
	return kernel_object;
}

/* "[nf_tables]" of "/lib/modules/6.1.0/kernel/net/nf-tables.ko.xz", as perf has it. */
static char *module_name(const char *file)
{
	const char *end = strstr(file, ".ko");
	char *name;

	if (file[0] == '[')
		return xstrdup(file);
	name = xasprintf("[%.*s]", end ? (int)(end - file) : (int)strlen(file), file);
	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	return name;
}

struct object *object_find_module(const char *path, uint64_t base, bool of_another_start,
                                  const uint8_t *build_id, size_t build_id_size)
{
	struct object *obj = find(OBJECT_MODULE, path, build_id, build_id_size);

	if (!obj->base) {
		char *name = module_name(obj->name);

		free(obj->name);
		obj->name = name;
		obj->base = base;
		obj->of_another_start = of_another_start;
	}
	return obj;
}

struct object *object_find_jit(uint32_t pid)
{
	char path[32], name[32];
	struct object *obj;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	snprintf(name, sizeof(name), "[JIT] tid %u", pid);
	obj = find(OBJECT_JIT, path, NULL, 0);
	free(obj->name);
	obj->name = xstrdup(name);
	return obj;
}

struct object *object_find_dump(const char *path)
{
	return find(OBJECT_DUMP, path, NULL, 0);
}

bool object_is_first_kernel(const struct object *obj)
{
	return obj == kernel_object;
}

uint64_t object_base(const struct object *obj)
{
	return obj->base;
}

const uint8_t *object_build_id(const struct object *obj, size_t *size)
{
	*size = obj->build_id_size;
	return obj->build_id;
}

const char *object_path(const struct object *obj)
{
	return obj->path;
}

const char *object_name(const struct object *obj)
{
	return obj->name;
}

const char *object_problem(const struct object *obj)
{
	return obj->problem;
}

const char *object_gap(const struct object *obj)
{
	return obj->stripped ? "is stripped" : NULL;
}

const char *object_remedy(const struct object *obj)
{
	if (obj->remedy)
		return obj->remedy;
	if (obj->stripped)
		return "install its debugging symbols, or name a server in DEBUGINFOD_URLS";
	return "-L DIR names where it is";
}

static bool try_build_id_cache(struct object *obj)
{
	const char *home = getenv("HOME");
	char *id = home ? build_id_path(obj) : NULL, *path;
	bool found;

	if (!id)
		return false;
	path = xasprintf("%s/.debug/.build-id/%s/elf", home, id);
	found = elf_open(obj, path);
	free(path);
	free(id);
	return found;
}

void object_finish(struct object *obj)
{
	symbols_finish(&obj->symbols[SYMBOL_CODE]);
	symbols_finish(&obj->symbols[SYMBOL_DATA]);
}

static bool open_file(struct object *obj)
{
	bool found = false;

	if (sysroot) {
		char *path = xasprintf("%s%s", sysroot, obj->path);

		found = elf_open(obj, path);
		free(path);
	}
	return found || elf_open(obj, obj->path) || try_build_id_cache(obj) ||
	       elf_open_by_build_id(obj);
}

static void load_file(struct object *obj)
{
	if (obj->path[0] != '/' || obj->path[1] == '/') {
		obj->problem = xstrdup("not a file");
		return;
	}
	/* spemu run and spemu vm take a list of symbols where they take an ELF file. */
	if (!obj->build_id_size && kallsyms_load(obj, obj->path)) {
		object_finish(obj);
		return;
	}
	if (open_file(obj)) {
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

void object_load(struct object *obj)
{
	static void (*const load[])(struct object *) = {[OBJECT_FILE] = load_file,
	                                                [OBJECT_KERNEL] = kernel_load,
	                                                [OBJECT_MODULE] = module_load,
	                                                [OBJECT_JIT] = jit_load,
	                                                [OBJECT_DUMP] = jitdump_load};

	if (obj->loaded)
		return;
	obj->loaded = true;
	load[obj->kind](obj);
}

/* What a segment is said to hold: its part of the file, then its zeroes, then its whole pages. */
static bool segment_has(const struct segment *s, uint64_t offset, int widening)
{
	uint64_t start = widening == 2 ? s->offset & ~UINT64_C(4095) : s->offset;

	uint64_t size = (widening ? s->mem_size : s->file_size) + (s->offset - start);

	return offset >= start && offset - start < size;
}

bool object_vaddr(struct object *obj, uint64_t *vaddr, uint64_t offset, bool writable)
{
	object_load(obj);
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

const char *object_symbol(struct object *obj, uint64_t *start, uint64_t vaddr,
                          enum symbol_kind kind)
{
	struct symbol *s;

	object_load(obj);
	s = symbols_find(&obj->symbols[kind], vaddr);
	if (!s)
		return NULL;
	if (start)
		*start = s->start;
	return symbol_words(s);
}

const struct symbol_list *object_code_symbols(struct object *obj)
{
	object_load(obj);
	return &obj->symbols[SYMBOL_CODE];
}

uint64_t object_symbol_end(struct object *obj, uint64_t vaddr, enum symbol_kind kind)
{
	const struct symbol *s;

	object_load(obj);
	s = symbols_find(&obj->symbols[kind], vaddr);
	return s ? s->end : vaddr;
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
