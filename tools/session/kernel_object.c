/* SPDX-License-Identifier: MIT */
/*
 * The kernel.
 *
 * The symbols of a kernel come from its ELF file: the given one (--vmlinux), or one in the build-id
 * cache or in the places where distributions install a vmlinux. Without such a file, they come from
 * a list: the given one (--kallsyms), or one in the recording (kcore_dir), in the build-id cache or
 * of the running kernel. A file that was neither given nor part of the recording must have the
 * recorded build-id. The list also has the symbols of modules.
 *
 * A kernel relocates itself when it starts (KASLR). The recording has the address of one symbol.
 * Its difference from the address in the file is the distance of the relocation.
 */
#define _GNU_SOURCE
#include "kernel_object.h"
#include "object.h"
#include "../base/common.h"
#include "../base/regular.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	const char *kallsyms, *vmlinux;    /* files given by the user */
	char *recorded_kallsyms, *release; /* symbol list and release from the recording */
	char *reference;                   /* name of the symbol whose address was recorded */
	uint64_t reference_address;
	struct symbol_list listed[2]; /* symbols of the list, by enum symbol_kind */
	uint64_t listed_slide;        /* distance of the kernel from the addresses in the list */
} kernel;

/* Check a file that the user names, even if no sample needs it. Return the path. */
static const char *given(const char *option, const char *path)
{
	int fd = open_regular(path);

	if (fd < 0)
		die(EXIT_OWN, "%s '%s' is not a regular file that can be read; correct the path",
		    option, path);
	close(fd);
	return path;
}

void kernel_set_kallsyms(const char *path)
{
	kernel.kallsyms = given("--kallsyms", path);
}

void kernel_set_vmlinux(const char *path)
{
	kernel.vmlinux = given("--vmlinux", path);
}

bool kernel_is_given(void)
{
	return kernel.kallsyms || kernel.vmlinux || kernel.recorded_kallsyms;
}

void kernel_set_recorded_kallsyms(const char *path)
{
	kernel.recorded_kallsyms = xstrdup(path);
}

void kernel_set_release(const char *release)
{
	/* The release becomes part of a path. */
	if (!strchr(release, '/') && *release && *release != '.')
		kernel.release = xstrdup(release);
}

uint64_t kernel_set_reference(const char *symbol, uint64_t address)
{
	if (!*symbol)
		return 0;
	if (!kernel.reference) {
		kernel.reference = xstrdup(symbol);
		kernel.reference_address = address;
	}
	return strcmp(symbol, kernel.reference) ? 0 : address - kernel.reference_address;
}

/* Return the distance of the kernel from the addresses of its symbols. */
static uint64_t find_slide(const struct object *obj)
{
	const struct symbol_list *list = &obj->symbols[SYMBOL_CODE];
	uint64_t vaddr;

	if (!kernel.reference)
		return 0;
	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->items[i].name, kernel.reference))
			return kernel.reference_address - list->items[i].start;
	}
	/* The list has only one of the symbols with one address. */
	if (obj->module && elf_symbol_address(obj, &vaddr, kernel.reference))
		return kernel.reference_address - vaddr;
	return 0;
}

/* Load a list, and keep that of the first kernel for the modules. Return false if it is not a list,
 * and set obj->problem if its addresses are hidden. */
static bool take_list(struct object *obj, const char *path)
{
	if (!kallsyms_load(obj, path) || obj->problem)
		return false;
	obj->slide = find_slide(obj);
	object_finish(obj);
	if (obj == objects_kernel()) {
		memcpy(kernel.listed, obj->symbols, sizeof(kernel.listed));
		kernel.listed_slide = obj->slide;
	}
	return true;
}

/* Return true if the running kernel has the recorded build-id, by its note in /sys/kernel/notes. */
static bool is_running_kernel(const struct object *obj)
{
	uint32_t word[1024];
	FILE *f = fopen("/sys/kernel/notes", "r");
	size_t n = f ? fread(word, sizeof(*word), 1024, f) : 0, at = 0;
	bool same = false;

	while (n - at >= 4 && !same) {
		size_t name = (word[at] + 3) / 4, id = (word[at + 1] + 3) / 4;

		if (name > n - at - 3 || id > n - at - 3 - name)
			break;
		same = word[at + 2] == NT_GNU_BUILD_ID && word[at + 1] >= obj->build_id_size &&
		       !memcmp(&word[at + 3 + name], obj->build_id, obj->build_id_size);
		at += 3 + name + id;
	}
	if (f)
		fclose(f);
	return same;
}

/* Load a file of the build-id cache. */
static bool try_cache(struct object *obj, const char *name,
                      bool (*take)(struct object *obj, const char *path))
{
	char *id = build_id_path(obj), *path;
	const char *home = getenv("HOME");
	bool found = false;

	if (id && home) {
		path = xasprintf("%s/.debug/.build-id/%s/%s", home, id, name);
		found = take(obj, path);
		free(path);
	}
	free(id);
	return found;
}

static bool try_installed(struct object *obj)
{
	static const char *const places[] = {
	        "/usr/lib/debug/boot/vmlinux-%s",
	        "/boot/vmlinux-%s",
	        "/usr/lib/debug/lib/modules/%s/vmlinux",
	        "/lib/modules/%s/build/vmlinux",
	};
	const char *root = objects_sysroot();
	bool found = false;

	for (unsigned i = 0; i < 8 && kernel.release && !found; i++) {
		const char *place = places[i % 4], *hole = strstr(place, "%s");
		char *path;

		if (i < 4 && !root)
			continue;
		path = xasprintf("%s%.*s%s%s", i < 4 ? root : "", (int)(hole - place), place,
		                 kernel.release, hole + 2);
		found = elf_open(obj, path);
		free(path);
	}
	return found;
}

static void take_given_list(struct object *obj)
{
	if (!take_list(obj, kernel.kallsyms))
		die(EXIT_OWN, "--kallsyms %s: %s", kernel.kallsyms,
		    obj->problem ? obj->problem
		                 : "not a list like /proc/kallsyms; give a copy of it");
}

static void take_given_elf(struct object *obj)
{
	if (!elf_open(obj, kernel.vmlinux))
		die(EXIT_OWN, "--vmlinux %s",
		    obj->problem ? obj->problem
		                 : "is not a regular file that can be read; give an ELF file");
}

static bool find_list(struct object *obj)
{
	const bool first = obj == objects_kernel();

	if (first && kernel.kallsyms) {
		take_given_list(obj);
		return true;
	}
	if (first && kernel.recorded_kallsyms && take_list(obj, kernel.recorded_kallsyms))
		return true;
	return obj->build_id_size && (try_cache(obj, "kallsyms", take_list) ||
	                              (is_running_kernel(obj) && take_list(obj, "/proc/kallsyms")));
}

/* Open the ELF file of the kernel. Servers are asked for it only if no list was found. */
static bool find_elf(struct object *obj, bool listed)
{
	if (obj == objects_kernel() && kernel.vmlinux) {
		take_given_elf(obj);
		return true;
	}
	return obj->build_id_size &&
	       (try_cache(obj, "vmlinux", elf_open) || try_cache(obj, "elf", elf_open) ||
	        try_installed(obj) || (!listed && elf_open_by_build_id(obj)));
}

void kernel_load(struct object *obj)
{
	bool listed = find_list(obj), opened = find_elf(obj, listed);

	if (opened) {
		/* The kept list has its symbols. */
		memset(obj->symbols, 0, sizeof(obj->symbols));
		elf_load(obj);
		object_finish(obj);
		obj->slide = find_slide(obj);
	}
	if (listed || opened) {
		free(obj->problem);
		obj->problem = NULL;
		return;
	}
	if (!obj->problem)
		obj->problem = xstrdup(obj == objects_kernel()
		                               ? "the kernel was not found"
		                               : "the kernel of another recording, which has a "
		                                 "different build-id, was not found");
	free(obj->remedy);
	obj->remedy = xstrdup(COPY_KALLSYMS ", or its vmlinux with --vmlinux FILE");
}

const struct symbol_list *kernel_listed(void)
{
	return kernel.listed[SYMBOL_CODE].count && !kernel.listed_slide ? kernel.listed : NULL;
}

const char *kernel_release(void)
{
	return kernel.release;
}
