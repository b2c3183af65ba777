/* SPDX-License-Identifier: MIT */
/* The objects of a profile, one for each file. object_load.c reads their symbols. */
#define _GNU_SOURCE
#include "symbols.h"
#include "jit_runtime.h"
#include "object.h"
#include "../base/common.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static const char *sysroot;
static struct object **objects;
static size_t object_count, object_capacity;
/* A tree of tsearch(3), because a hostile file could make its names collide in a hash table. */
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

int object_compare(const struct object *a, const struct object *b)
{
	return !a || !b ? (a != NULL) - (b != NULL) : compare_numbers(a->index, b->index);
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
	if (a->copy != b->copy)
		return compare_numbers((uintptr_t)a->copy, (uintptr_t)b->copy);
	return strcmp(a->path, b->path);
}

/* Return the object with the key's kind, path, build-id and copy. */
static struct object *find_like(const struct object *key)
{
	struct object *const *known = tfind(key, &object_tree, compare_objects), *obj;
	const size_t build_id_size = key->build_id_size;
	const char *path = key->path, *slash;

	if (known)
		return *known;
	obj = xcalloc(1, sizeof(*obj));
	obj->index = object_count;
	obj->kind = key->kind;
	obj->copy = key->copy;
	obj->path = xstrdup(path);
	/* "//anon" is not a file. */
	slash = path[0] == '/' && path[1] != '/' ? strrchr(path, '/') : NULL;
	obj->name = xstrdup(slash && slash[1] ? slash + 1 : path);
	if (build_id_size) {
		uint8_t *copy = xcalloc(1, build_id_size);

		memcpy(copy, key->build_id, build_id_size);
		obj->build_id = copy;
		obj->build_id_size = build_id_size;
	}
	tree_add(&object_tree, obj, compare_objects);
	APPEND(objects, object_count, object_capacity) = obj;
	return obj;
}

static struct object *find(enum object_kind kind, const char *path, const uint8_t *build_id,
                           size_t build_id_size)
{
	return find_like(&(struct object){.kind = kind,
	                                  .path = (char *)(uintptr_t)path,
	                                  .build_id = build_id,
	                                  .build_id_size = build_id_size});
}

static struct object *find_copied(enum object_kind kind, const char *path, const struct copy *copy)
{
	return find_like(
	        &(struct object){.kind = kind, .path = (char *)(uintptr_t)path, .copy = copy});
}

struct object *object_find(const char *path, const uint8_t *build_id, size_t build_id_size)
{
	return find(OBJECT_FILE, path, build_id, build_id_size);
}

struct object *object_find_kernel(const uint8_t *build_id, size_t build_id_size)
{
	struct object *first = kernel_object;

	/* Recordings may have different kernels. The user's files are for the first one. */
	if (first && first->build_id_size && build_id_size &&
	    (first->build_id_size != build_id_size ||
	     memcmp(first->build_id, build_id, build_id_size)))
		return find(OBJECT_KERNEL, "[kernel.kallsyms]", build_id, build_id_size);
	if (!first)
		kernel_object = find(OBJECT_KERNEL, "[kernel.kallsyms]", build_id, build_id_size);
	return kernel_object;
}

/* Return "[nf_tables]" for "/lib/modules/6.1.0/kernel/net/nf-tables.ko.xz", as perf does. */
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

struct object *object_find_jit(uint32_t pid, const struct copy *copy)
{
	char path[32], name[32];
	struct object *obj;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	snprintf(name, sizeof(name), "[JIT] tid %u", pid);
	obj = find_copied(OBJECT_JIT, path, copy);
	free(obj->name);
	obj->name = xstrdup(name);
	return obj;
}

void object_set_runtime(struct object *obj, unsigned runtime)
{
	obj->runtime = jit_runtime_both(obj->runtime, runtime);
}

unsigned object_runtime(const struct object *obj)
{
	return obj->runtime;
}

struct object *object_find_dump(const char *path, const struct copy *copy)
{
	return find_copied(OBJECT_DUMP, path, copy);
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
		return INSTALL_DEBUG_SYMBOLS;
	return "give its root file system with -L DIR";
}

void object_finish(struct object *obj)
{
	symbols_finish(&obj->symbols[SYMBOL_CODE]);
	symbols_finish(&obj->symbols[SYMBOL_DATA]);
}
