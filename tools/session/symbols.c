/* SPDX-License-Identifier: MIT */
/*
 * Symbols and lines through libdwfl, one session a file. Ties between symbols of one address are
 * broken the way users of perf know: sized before unsized, strong before weak, global before
 * local, fewer leading underscores, longer name.
 */
#define _GNU_SOURCE
#include "symbols.h"
#include "../base/common.h"
#include "../base/regular.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <spemu/perfdata.h>

struct symbol {
	uint64_t start, end;
	const char *name;
	uint8_t sized, binding;
};

struct symbol_list {
	struct symbol *items;
	size_t count, capacity;
};

struct segment {
	uint64_t offset, vaddr, file_size, mem_size;
	bool writable;
};

struct object {
	size_t index;
	char *path, *name;
	const uint8_t *build_id;
	size_t build_id_size;
	char *problem;
	bool loaded;
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias; /* dwfl's address - vaddr */
	struct segment *segments;
	size_t segment_count;
	struct symbol_list symbols[2]; /* by enum symbol_kind, sorted by start */
};

static const char *sysroot;
static struct object **objects;
static size_t object_count, object_capacity;
/* Of tsearch(3): a file may be made so that its names meet in a hash table. */
static void *object_tree;

void objects_set_sysroot(const char *path)
{
	sysroot = path;
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

	if (a->build_id_size != b->build_id_size)
		return a->build_id_size < b->build_id_size ? -1 : 1;
	if (a->build_id_size && memcmp(a->build_id, b->build_id, a->build_id_size))
		return memcmp(a->build_id, b->build_id, a->build_id_size);
	return strcmp(a->path, b->path);
}

struct object *object_find(const char *path, const uint8_t *build_id, size_t build_id_size)
{
	const struct object key = {.path = (char *)(uintptr_t)path,
	                           .build_id = build_id,
	                           .build_id_size = build_id_size};
	struct object *const *known = tfind(&key, &object_tree, compare_objects), *obj;
	const char *slash;

	if (known)
		return *known;
	obj = xcalloc(1, sizeof(*obj));
	obj->index = object_count;
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

static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = &debuginfo_path,
};

/* Whether the open file has the build-id that was recorded, as far as that goes: at most
 * SPEMU_PERF_BUILD_ID_MAX bytes, and old versions of perf fill a shorter one up with zeroes. */
static bool same_build_id(const struct object *obj)
{
	const unsigned char *id;
	GElf_Addr addr;
	int n = dwfl_module_build_id(obj->module, &id, &addr);
	size_t size = n < SPEMU_PERF_BUILD_ID_MAX ? (size_t)n : SPEMU_PERF_BUILD_ID_MAX;

	if (n <= 0 || size > obj->build_id_size || memcmp(id, obj->build_id, size) != 0)
		return false;
	for (; size < obj->build_id_size; size++)
		if (obj->build_id[size])
			return false;
	return true;
}

/* Open path if it is the file that was profiled. Sets obj->problem when it exists and is not. */
static bool try_file(struct object *obj, const char *path)
{
	GElf_Ehdr ehdr;
	Elf *elf;
	int fd = open_regular(path);

	if (fd < 0)
		return false;
	obj->dwfl = dwfl_begin(&callbacks);
	if (!obj->dwfl)
		die(EXIT_OWN, "elfutils: %s", dwfl_errmsg(-1));
	dwfl_report_begin(obj->dwfl);
	obj->module = dwfl_report_offline(obj->dwfl, obj->name, path, fd);
	if (!obj->module) /* else the descriptor is its own */
		close(fd);
	dwfl_report_end(obj->dwfl, NULL, NULL);
	elf = obj->module ? dwfl_module_getelf(obj->module, &obj->bias) : NULL;
	free(obj->problem);
	obj->problem = NULL;
	if (!elf || !gelf_getehdr(elf, &ehdr)) {
		obj->problem = xasprintf("%s is not an ELF file that can be read", path);
	} else if (ehdr.e_machine != EM_AARCH64) {
		obj->problem = xasprintf("%s is not for AArch64", path);
	} else if (obj->build_id_size && !same_build_id(obj)) {
		obj->problem = xasprintf("%s has changed since it was recorded (build-id)", path);
	} else {
		return true;
	}
	dwfl_end(obj->dwfl);
	obj->dwfl = NULL;
	obj->module = NULL;
	return false;
}

static bool try_build_id_cache(struct object *obj)
{
	const char *home = getenv("HOME");
	char hex[129], *path;
	bool found;

	if (!home || obj->build_id_size < 2 || obj->build_id_size > 64)
		return false;
	for (size_t i = 0; i < obj->build_id_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", obj->build_id[i]);
	path = xasprintf("%s/.debug/.build-id/%.2s/%s/elf", home, hex, hex + 2);
	found = try_file(obj, path);
	free(path);
	return found;
}

static void load_segments(struct object *obj)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(obj->module, &bias);
	size_t n = 0, capacity = 0;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		GROW(obj->segments, obj->segment_count, capacity)
		[obj->segment_count] = (struct segment){ph.p_offset, ph.p_vaddr, ph.p_filesz,
		                                        ph.p_memsz, (ph.p_flags & PF_W) != 0};
		obj->segment_count++;
	}
}

static void add_symbol(struct symbol_list *list, const struct symbol *sym)
{
	GROW(list->items, list->count, list->capacity)[list->count] = *sym;
	list->count++;
}

static unsigned underscores(const char *s)
{
	return (unsigned)strspn(s, "_");
}

/* Negative if a is the better name for their common address. */
static int compare_names(const struct symbol *a, const struct symbol *b)
{
	if (a->sized != b->sized)
		return a->sized ? -1 : 1;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return a->binding == STB_WEAK ? 1 : -1;
	if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
		return a->binding == STB_GLOBAL ? -1 : 1;
	if (underscores(a->name) != underscores(b->name))
		return underscores(a->name) < underscores(b->name) ? -1 : 1;
	if (strlen(a->name) != strlen(b->name))
		return strlen(a->name) > strlen(b->name) ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_symbols(const void *pa, const void *pb)
{
	const struct symbol *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return compare_names(a, b);
}

/* Sort, keep the best name of each address, and let unsized symbols reach to the next one. */
static void finish_symbols(struct symbol_list *list)
{
	size_t n = 0;

	if (!list->count)
		return;
	qsort(list->items, list->count, sizeof(*list->items), compare_symbols);
	for (size_t i = 1; i < list->count; i++) {
		if (list->items[i].start != list->items[n].start)
			list->items[++n] = list->items[i];
	}
	list->count = n + 1;
	for (size_t i = 0; i < list->count; i++) {
		struct symbol *s = &list->items[i];

		if (!s->sized && i + 1 < list->count)
			s->end = list->items[i + 1].start;
		else if (!s->sized)
			s->end = (s->start | 4095) + 1;
	}
}

static void load_symbols(struct object *obj)
{
	int n = dwfl_module_getsymtab(obj->module);

	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		GElf_Word shndx;
		const char *name =
		        dwfl_module_getsym_info(obj->module, i, &sym, &addr, &shndx, NULL, NULL);
		unsigned type = GELF_ST_TYPE(sym.st_info);
		struct symbol s;

		if (!name || !*name || shndx == SHN_UNDEF || shndx == SHN_ABS)
			continue;
		/* $x, $d: mapping symbols of the AArch64 ELF ABI, not names of anything. */
		if (name[0] == '$')
			continue;
		s = (struct symbol){.start = addr - obj->bias, .name = name};
		s.end = s.start + sym.st_size;
		s.sized = sym.st_size != 0;
		s.binding = (uint8_t)GELF_ST_BIND(sym.st_info);
		if (type == STT_FUNC || type == STT_GNU_IFUNC)
			add_symbol(&obj->symbols[SYMBOL_CODE], &s);
		else if (type == STT_OBJECT)
			add_symbol(&obj->symbols[SYMBOL_DATA], &s);
		else if (type == STT_NOTYPE && s.sized)
			add_symbol(&obj->symbols[SYMBOL_CODE], &s);
		else if (type == STT_NOTYPE) /* labels of assembly: code or data, sized neither */
			add_symbol(&obj->symbols[SYMBOL_CODE], &s);
	}
}

/*
 * Entries of the procedure linkage table have no symbols. They are in the order of the
 * relocations of .rela.plt, after a header of 32 bytes (AArch64 ELF ABI, dynamic linking), 16
 * bytes each, or 24 with branch target identification.
 */
static void load_plt(struct object *obj)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(obj->module, &bias);
	size_t strndx;
	Elf_Scn *scn = NULL, *rela = NULL;
	GElf_Shdr sh, plt = {0}, rela_sh = {0}, sym_sh;
	Elf_Data *data, *sym_data;
	uint64_t count, entry;

	if (elf_getshdrstrndx(elf, &strndx))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh) || !(name = elf_strptr(elf, strndx, sh.sh_name)))
			continue;
		if (!strcmp(name, ".plt")) {
			plt = sh;
		} else if (!strcmp(name, ".rela.plt")) {
			rela = scn;
			rela_sh = sh;
		}
	}
	if (!rela || !plt.sh_size || !rela_sh.sh_entsize)
		return;
	count = rela_sh.sh_size / rela_sh.sh_entsize;
	if (!count || plt.sh_size <= 32)
		return;
	entry = (plt.sh_size - 32) / count;
	if (entry != 16 && entry != 24)
		return;
	scn = elf_getscn(elf, rela_sh.sh_link);
	data = elf_getdata(rela, NULL);
	if (!scn || !data || !gelf_getshdr(scn, &sym_sh) || !(sym_data = elf_getdata(scn, NULL)))
		return;
	for (uint64_t i = 0; i < count; i++) {
		GElf_Rela r;
		GElf_Sym sym;
		const char *name;
		struct symbol s = {.start = plt.sh_addr + 32 + i * entry, .sized = 1};

		if (!gelf_getrela(data, (int)i, &r) ||
		    !gelf_getsym(sym_data, (int)GELF_R_SYM(r.r_info), &sym))
			return;
		name = elf_strptr(elf, sym_sh.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		s.end = s.start + entry;
		s.name = xasprintf("%s@plt", name);
		add_symbol(&obj->symbols[SYMBOL_CODE], &s);
	}
}

/*
 * A list as System.map and /proc/kallsyms: "ADDRESS TYPE NAME" a line, the types being those of
 * nm(1). Of a running kernel it also has the modules, and the addresses that it moved itself to.
 */
static bool try_list(struct object *obj, const char *path)
{
	int fd = obj->build_id_size ? -1 : open_regular(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char line[1024]; /* longer ones are in no such list */
	bool is_list = f != NULL, shown = false;

	while (is_list && fgets(line, sizeof(line), f)) {
		char name[512], type;
		unsigned long long address;
		struct symbol s;

		is_list = (strchr(line, '\n') || feof(f)) &&
		          sscanf(line, "%16llx %c %511s", &address, &type, name) == 3;
		if (!is_list || name[0] == '$')
			continue;
		shown |= address != 0;
		s = (struct symbol){.start = address, .name = xstrdup(name), .binding = STB_LOCAL};
		if (type == 'T' || type == 'D' || type == 'B' || type == 'R')
			s.binding = STB_GLOBAL;
		else if (strchr("WwVv", type))
			s.binding = STB_WEAK;
		add_symbol(&obj->symbols[strchr("TtWw", type) ? SYMBOL_CODE : SYMBOL_DATA], &s);
	}
	if (f)
		fclose(f);
	if (!is_list || !obj->symbols[SYMBOL_CODE].count) {
		obj->symbols[SYMBOL_CODE].count = obj->symbols[SYMBOL_DATA].count = 0;
		return false;
	}
	if (!shown)
		obj->problem = xstrdup("its addresses are all 0; read /proc/kallsyms as root");
	return true;
}

static void finish_object(struct object *obj)
{
	finish_symbols(&obj->symbols[SYMBOL_CODE]);
	finish_symbols(&obj->symbols[SYMBOL_DATA]);
}

static void load(struct object *obj)
{
	bool found = false;

	if (obj->loaded)
		return;
	obj->loaded = true;
	if (obj->path[0] != '/' || obj->path[1] == '/') {
		obj->problem = xstrdup("not a file");
		return;
	}
	if (try_list(obj, obj->path)) {
		finish_object(obj);
		return;
	}
	if (sysroot) {
		char *path = xasprintf("%s%s", sysroot, obj->path);

		found = try_file(obj, path);
		free(path);
	}
	if (!found && !try_file(obj, obj->path) && !try_build_id_cache(obj)) {
		if (!obj->problem)
			obj->problem = xasprintf(
			        "%s %s", obj->path,
			        access(obj->path, F_OK) ? "was not found"
			                                : "is not a regular file that can be read");
		return;
	}
	load_segments(obj);
	load_symbols(obj);
	load_plt(obj);
	finish_object(obj);
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
	load(obj);
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
	load(obj);
	for (size_t i = 0; i < obj->segment_count; i++) {
		const struct segment *s = &obj->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->mem_size)
			return true;
	}
	return false;
}

/* C++ names in words, when the C++ runtime is at hand; the tool does not depend on it. */
static const char *demangle(const char *name)
{
	typedef char *demangle_fn(const char *, char *, size_t *, int *);
	static demangle_fn *fn;
	static bool tried;
	char *text;
	int status;

	if (strncmp(name, "_Z", 2))
		return name;
	if (!tried) {
		void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

		tried = true;
		if (lib)
			*(void **)&fn = dlsym(lib, "__cxa_demangle");
	}
	text = fn ? fn(name, NULL, NULL, &status) : NULL;
	return text ? text : name;
}

const char *object_symbol(struct object *obj, uint64_t *start, uint64_t vaddr,
                          enum symbol_kind kind)
{
	struct symbol_list *list = &obj->symbols[kind];
	size_t low = 0, high;

	load(obj);
	for (high = list->count; low < high;) {
		size_t mid = low + (high - low) / 2;

		if (list->items[mid].start <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	/* Ranges seldom nest: a few steps back find the one around. */
	for (size_t i = low; i > 0 && low - i < 8; i--) {
		struct symbol *s = &list->items[i - 1];

		if (vaddr >= s->end)
			continue;
		if (start)
			*start = s->start;
		return s->name = demangle(s->name);
	}
	return NULL;
}

bool object_line(struct object *obj, const char **file, int *line, uint64_t vaddr)
{
	Dwfl_Line *l;

	load(obj);
	if (!obj->module)
		return false;
	l = dwfl_module_getsrc(obj->module, vaddr + obj->bias);
	if (!l)
		return false;
	*file = dwfl_lineinfo(l, NULL, line, NULL, NULL, NULL);
	return *file && *line > 0;
}
