/* SPDX-License-Identifier: MIT */
/*
 * Kernel modules.
 *
 * A module's file is relocatable. libdwfl gives its sections addresses, one after the other; these
 * are the addresses in the object (vaddr). The kernel loads the code first, aligned and in the
 * order of the file (layout_sections() of kernel/module). It puts code of .init elsewhere. It sizes
 * .plt as needed, so the places behind .plt are unknown.
 *
 * Without the file, the names come from the list of the kernel's symbols.
 */
#define _GNU_SOURCE
#include "kernel_object.h"
#include "object.h"
#include "../base/common.h"

#include <fts.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define DEBUG_FOLDER "/usr/lib/debug"

enum {
	RELOCATIONS_MAX = 1 << 22, /* relocations of code, and undefined symbols */
	PLACED_MAX = 4096,         /* sections with code */
	/* Addresses of undefined symbols, which are in the kernel or in other modules. */
	UNDEFINED_FIRST = 1 << 24,
	UNDEFINED_SHIFT = 20,
};

/* A section with code: its address in memory, and the one in the object. */
struct placed_section {
	uint64_t start, vaddr, size;
};

/* A relocation of code, with the value that the instruction gets. */
struct relocation {
	uint64_t vaddr, value;
};

/* Find where the kernel puts the sections with code. */
static void place_sections(struct object *obj)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(obj->module, &bias);
	size_t names;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	uint64_t at = 0;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) ||
		    !(sh.sh_flags & SHF_EXECINSTR) ||
		    !(name = elf_strptr(elf, names, sh.sh_name)) || !strncmp(name, ".init", 5))
			continue;
		if (sh.sh_addralign > 1)
			at = (at + sh.sh_addralign - 1) / sh.sh_addralign * sh.sh_addralign;
		APPEND(obj->placed, obj->placed_count, obj->placed_capacity) =
		        (struct placed_section){obj->base + at, sh.sh_addr, sh.sh_size};
		if (strstr(name, "plt") || obj->placed_count == PLACED_MAX)
			return;
		at += sh.sh_size;
	}
}

bool module_vaddr(const struct object *obj, uint64_t *vaddr, uint64_t address)
{
	for (size_t i = 0; i < obj->placed_count; i++) {
		const struct placed_section *p = &obj->placed[i];

		if (address < p->start || address - p->start >= p->size)
			continue;
		*vaddr = p->vaddr + (address - p->start);
		return true;
	}
	return false;
}

/* ---- relocations ---- */

static uint64_t undefined_address(size_t symbol)
{
	return (uint64_t)(UNDEFINED_FIRST + symbol) << UNDEFINED_SHIFT;
}

/* Give each undefined symbol an address, so that calls and accesses have its name. */
static void name_undefined(struct object *obj, Elf *elf, size_t index, Elf_Data *symbols)
{
	GElf_Shdr header;
	GElf_Sym sym;

	if (!gelf_getshdr(elf_getscn(elf, index), &header))
		return;
	for (int i = 1; i < RELOCATIONS_MAX && gelf_getsym(symbols, i, &sym); i++) {
		struct symbol s = {.start = undefined_address((size_t)i),
		                   .end = undefined_address((size_t)i + 1),
		                   .binding = STB_GLOBAL};

		if (sym.st_shndx != SHN_UNDEF || !sym.st_name ||
		    !(s.name = elf_strptr(elf, header.sh_link, sym.st_name)))
			continue;
		symbols_add(&obj->symbols[SYMBOL_CODE], &s);
		symbols_add(&obj->symbols[SYMBOL_DATA], &s);
	}
}

/* Return the value that a relocation gives an instruction. */
static uint64_t relocated(uint64_t type, uint64_t target)
{
	switch (type) {
	case R_AARCH64_ADR_PREL_PG_HI21:
	case R_AARCH64_ADR_PREL_PG_HI21_NC:
		return target & ~UINT64_C(0xfff);
	case R_AARCH64_ADD_ABS_LO12_NC:
	case R_AARCH64_LDST8_ABS_LO12_NC:
	case R_AARCH64_LDST16_ABS_LO12_NC:
	case R_AARCH64_LDST32_ABS_LO12_NC:
	case R_AARCH64_LDST64_ABS_LO12_NC:
	case R_AARCH64_LDST128_ABS_LO12_NC:
		return target & 0xfff;
	default:
		return target;
	}
}

static void add_relocation(struct object *obj, Elf *elf, Elf_Data *symbols, uint64_t start,
                           const GElf_Rela *r)
{
	size_t index = GELF_R_SYM(r->r_info);
	uint64_t target;
	GElf_Sym sym;
	GElf_Shdr in;

	if (index > INT32_MAX || !gelf_getsym(symbols, (int)index, &sym))
		return;
	if (sym.st_shndx == SHN_UNDEF)
		target = undefined_address(index);
	else if (sym.st_shndx < SHN_LORESERVE && gelf_getshdr(elf_getscn(elf, sym.st_shndx), &in))
		target = in.sh_addr + sym.st_value;
	else
		return;
	APPEND(obj->relocations, obj->relocation_count, obj->relocation_capacity) =
	        (struct relocation){start + r->r_offset, relocated(GELF_R_TYPE(r->r_info),
	                                                           target + (uint64_t)r->r_addend)};
}

static int compare_relocations(const void *pa, const void *pb)
{
	const struct relocation *a = pa, *b = pb;

	return compare_numbers(a->vaddr, b->vaddr);
}

static void read_relocations(struct object *obj)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(obj->module, &bias);
	Elf_Scn *scn = NULL;
	bool named = false;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh, code;
		Elf_Data *data, *symbols;
		GElf_Rela r;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA ||
		    !gelf_getshdr(elf_getscn(elf, sh.sh_info), &code) ||
		    !(code.sh_flags & SHF_EXECINSTR) || !(data = elf_getdata(scn, NULL)) ||
		    !(symbols = elf_getdata(elf_getscn(elf, sh.sh_link), NULL)))
			continue;
		if (!named)
			name_undefined(obj, elf, sh.sh_link, symbols);
		named = true;
		for (int i = 0;
		     obj->relocation_count < RELOCATIONS_MAX && gelf_getrela(data, i, &r); i++)
			add_relocation(obj, elf, symbols, code.sh_addr, &r);
	}
	if (obj->relocation_count)
		qsort(obj->relocations, obj->relocation_count, sizeof(*obj->relocations),
		      compare_relocations);
}

bool module_relocation(const struct object *obj, uint64_t *value, uint64_t vaddr)
{
	size_t i;

	COUNT_LEADING(i, obj->relocation_count, mid, obj->relocations[mid].vaddr < vaddr);
	if (i == obj->relocation_count || obj->relocations[i].vaddr != vaddr)
		return false;
	*value = obj->relocations[i].value;
	return true;
}

/* ---- the file ---- */

/* Return true if the file NAME.ko, possibly compressed, is the module [NAME]. */
static bool is_file_of(const char *file, const char *module)
{
	size_t n = strlen(module) - 2;

	for (size_t i = 0; i < n; i++) {
		if ((file[i] == '-' ? '_' : file[i]) != module[1 + i])
			return false;
	}
	return !strncmp(file + n, ".ko", 3);
}

/* Open the module below a folder. */
static bool open_below(struct object *obj, char *folder)
{
	char *paths[] = {folder, NULL};
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	bool found = false;
	FTSENT *entry;

	while (tree && !found && (entry = fts_read(tree)))
		found = entry->fts_info == FTS_F && is_file_of(entry->fts_name, obj->name) &&
		        elf_open(obj, entry->fts_path);
	if (tree)
		fts_close(tree);
	free(folder);
	return found;
}

/* Open a module whose path was not recorded: the kernel's release names its folder. */
static bool open_of_release(struct object *obj)
{
	const char *root = objects_sysroot(), *release = kernel_release();

	if (!release || obj->path[0] != '[' || strlen(obj->name) < 3)
		return false;
	return (root &&
	        (open_below(obj, xasprintf("%s" DEBUG_FOLDER "/lib/modules/%s", root, release)) ||
	         open_below(obj, xasprintf("%s/lib/modules/%s", root, release)))) ||
	       open_below(obj, xasprintf(DEBUG_FOLDER "/lib/modules/%s", release)) ||
	       open_below(obj, xasprintf("/lib/modules/%s", release));
}

/* Open the file in the folder of debugging information. It has the name of an uncompressed file. */
static bool open_debug(struct object *obj)
{
	const char *roots[] = {objects_sysroot(), ""}, *end = strstr(obj->path, ".ko");
	bool found = false;

	for (unsigned i = 0; i < 2 && end && !found; i++) {
		char *path;

		if (!roots[i])
			continue;
		path = xasprintf("%s" DEBUG_FOLDER "%.*s.ko", roots[i], (int)(end - obj->path),
		                 obj->path);
		found = elf_open(obj, path);
		free(path);
	}
	return found;
}

static bool open_module(struct object *obj)
{
	GElf_Ehdr header;
	GElf_Addr bias;

	if (obj->path[0] == '/' ? !open_debug(obj) && !elf_open_recorded(obj)
	                        : !open_of_release(obj))
		return false;
	return gelf_getehdr(dwfl_module_getelf(obj->module, &bias), &header) &&
	       header.e_type == ET_REL;
}

void module_load(struct object *obj)
{
	const struct symbol_list *listed = obj->of_another_start ? NULL : kernel_listed();

	if (open_module(obj)) {
		elf_load(obj);
		place_sections(obj);
		read_relocations(obj);
		object_finish(obj);
		return;
	}
	if (listed) {
		memcpy(obj->symbols, listed, sizeof(obj->symbols));
		free(obj->problem);
		obj->problem = NULL;
		return;
	}
	if (!obj->problem)
		obj->problem = xasprintf("module %s was not found", obj->name);
	free(obj->remedy);
	obj->remedy = xstrdup(COPY_KALLSYMS);
}
