/* SPDX-License-Identifier: MIT */
/* ELF files: segments, symbols, PLT and code, read with libdwfl. Each file has its own Dwfl
 * session. */
#define _GNU_SOURCE
#include "object.h"
#include "../base/common.h"
#include "../base/regular.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <spemu/perfdata.h>

enum {
	/* Limit of the expansion of a file or its sections, as a factor of the file's size. Files
	 * of compilers and distributions rarely expand to more than 10 times their size. */
	EXPANSION_MAX = 32,
	/* Bytes that any file may add when it expands: segments are 64 KiB apart. */
	EXPANSION_FREE = 256 << 10,
};

/* Return the size of a section after expansion, or 0 if it is not compressed. */
static uint64_t expanded_size(Elf *elf, Elf_Scn *scn, size_t names)
{
	const char *name;
	Elf_Data *data;
	GElf_Chdr ch;
	GElf_Shdr sh;
	uint64_t size = 0;

	if (gelf_getchdr(scn, &ch))
		return ch.ch_size;
	/* In the older format, the name begins with .zdebug, and the data with "ZLIB" and the
	 * big-endian size. */
	if (!gelf_getshdr(scn, &sh) || !(name = elf_strptr(elf, names, sh.sh_name)) ||
	    strncmp(name, ".zdebug", 7) || !(data = elf_rawdata(scn, NULL)) || data->d_size < 12)
		return 0;
	for (int i = 4; i < 12; i++)
		size = size << 8 | ((const uint8_t *)data->d_buf)[i];
	return size;
}

bool elf_expands_little(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t size, names;
	uint64_t left;

	if (!elf_rawfile(elf, &size))
		return false;
	if (elf_getshdrstrndx(elf, &names))
		names = 0;
	left = (uint64_t)size * EXPANSION_MAX;
	while ((scn = elf_nextscn(elf, scn))) {
		uint64_t expanded = expanded_size(elf, scn, names);

		if (expanded > left)
			return false;
		left -= expanded;
	}
	return true;
}

/* Return the section with MiniDebugInfo, a compressed ELF file with symbols, or NULL. */
static Elf_Scn *minidebuginfo(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name =
		        gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (name && !strcmp(name, ".gnu_debugdata"))
			break;
	}
	return scn;
}

/* Return true if MiniDebugInfo, which libdwfl expands in memory, is absent or expands to at most
 * EXPANSION_MAX times its size. */
static bool minidebuginfo_expands_little(Elf *elf)
{
	Elf_Scn *scn = minidebuginfo(elf);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	return !data || !data->d_size ||
	       expands_within(data->d_buf, data->d_size,
	                      EXPANSION_FREE + (uint64_t)data->d_size * EXPANSION_MAX);
}

bool elf_begins(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

/* Compare at most SPEMU_PERF_BUILD_ID_MAX bytes, which is what recordings have. Old versions of
 * perf pad a shorter build-id with zeros. */
bool elf_same_build_id(const struct object *file, const struct object *recorded)
{
	const unsigned char *id;
	GElf_Addr addr;
	int n = dwfl_module_build_id(file->module, &id, &addr);
	size_t size = n < SPEMU_PERF_BUILD_ID_MAX ? (size_t)n : SPEMU_PERF_BUILD_ID_MAX;

	if (n <= 0 || size > recorded->build_id_size || memcmp(id, recorded->build_id, size) != 0)
		return false;
	for (; size < recorded->build_id_size; size++)
		if (recorded->build_id[size])
			return false;
	return true;
}

bool elf_has_build_id(const struct object *file)
{
	const unsigned char *id;
	GElf_Addr addr;

	return dwfl_module_build_id(file->module, &id, &addr) > 0;
}

static void begin(struct object *obj)
{
	obj->dwfl = dwfl_begin(&debug_file_callbacks);
	if (!obj->dwfl)
		die(EXIT_OWN, "cannot start elfutils: %s", dwfl_errmsg(-1));
	dwfl_report_begin(obj->dwfl);
}

/* Finish opening the reported module. Return true if it is the profiled file. name is for
 * messages. */
static bool end(struct object *obj, const char *name)
{
	GElf_Ehdr ehdr;
	Elf *elf;

	dwfl_report_end(obj->dwfl, NULL, NULL);
	elf = obj->module ? dwfl_module_getelf(obj->module, &obj->bias) : NULL;
	free(obj->problem);
	obj->problem = NULL;
	if (!elf || !gelf_getehdr(elf, &ehdr))
		obj->problem = xasprintf("%s is not an ELF file that can be read", name);
	else if (ehdr.e_machine != EM_AARCH64)
		obj->problem = xasprintf("%s is not for AArch64", name);
	else if (!elf_expands_little(elf) || !minidebuginfo_expands_little(elf))
		obj->problem =
		        xasprintf("%s has compressed sections of more than %d times its size", name,
		                  EXPANSION_MAX);
	else if (obj->build_id_size && !elf_same_build_id(obj, obj))
		obj->problem = xasprintf("%s has changed since it was recorded (build-id)", name);
	else
		return true;
	dwfl_end(obj->dwfl);
	obj->dwfl = NULL;
	obj->module = NULL;
	return false;
}

/* Take over the descriptor of a file that may be compressed as a whole. Return the descriptor of
 * an ELF file, or -1 with obj->problem. */
static int expanded(struct object *obj, const char *path, int fd)
{
	struct stat st;
	int out, why;

	if (elf_begins(fd))
		return fd;
	out = fstat(fd, &st)
	              ? -1
	              : expand_file(fd, EXPANSION_FREE + (uint64_t)st.st_size * EXPANSION_MAX);
	why = errno;
	close(fd);
	if (out >= 0 && elf_begins(out))
		return out;
	free(obj->problem);
	if (out < 0 && why == EFBIG)
		obj->problem =
		        xasprintf("%s expands to more than %d times its size; expand it first",
		                  path, EXPANSION_MAX);
	else
		obj->problem = xasprintf("%s is not an ELF file that can be read", path);
	if (out >= 0)
		close(out);
	return -1;
}

bool elf_open(struct object *obj, const char *path)
{
	int fd = open_regular(path);
	struct stat st;

	if (fd < 0)
		return false;
	obj->modified = fstat(fd, &st) ? (struct timespec){0} : st.st_mtim;
	/* Distributions compress kernels and modules. */
	if (obj->kind != OBJECT_FILE && (fd = expanded(obj, path, fd)) < 0)
		return false;
	begin(obj);
	if (elf_begins(fd))
		obj->module = dwfl_report_offline(obj->dwfl, obj->name, path, fd);
	if (!obj->module) /* otherwise the module owns the descriptor */
		close(fd);
	return end(obj, path);
}

bool elf_open_by_build_id(struct object *obj)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	char *problem = obj->problem;

	if (!servers || !*servers || !obj->build_id_size)
		return false;
	obj->modified = (struct timespec){0}; /* not that of a file with another build-id */
	begin(obj);
	/* The range is a placeholder, because the addresses of the file are not known yet. */
	obj->module = dwfl_report_module(obj->dwfl, obj->name, 0, UINT64_C(1) << 40);
	if (obj->module)
		dwfl_module_report_build_id(obj->module, obj->build_id, obj->build_id_size, 0);
	obj->problem = NULL;
	if (end(obj, obj->path)) {
		free(problem);
		return true;
	}
	/* Keep the problem with the file itself, which is more specific. */
	free(obj->problem);
	obj->problem = problem;
	return false;
}

char *build_id_path(const struct object *obj)
{
	char hex[129];

	if (obj->build_id_size < 2 || obj->build_id_size > 64)
		return NULL;
	for (size_t i = 0; i < obj->build_id_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", obj->build_id[i]);
	return xasprintf("%.2s/%s", hex, hex + 2);
}

/* Open the file and free the path. */
static bool open_at(struct object *obj, char *path)
{
	bool found = elf_open(obj, path);

	free(path);
	return found;
}

static bool open_cached(struct object *obj)
{
	const char *home = getenv("HOME");
	char *id = home ? build_id_path(obj) : NULL;
	bool found = id && open_at(obj, xasprintf("%s/.debug/.build-id/%s/elf", home, id));

	free(id);
	return found;
}

bool elf_open_recorded(struct object *obj)
{
	const char *root = objects_sysroot();

	return (root && open_at(obj, xasprintf("%s%s", root, obj->path))) ||
	       elf_open(obj, obj->path) || open_cached(obj);
}

static void add_segment(struct object *obj, const struct segment *segment)
{
	APPEND(obj->segments, obj->segment_count, obj->segment_capacity) = *segment;
}

/* Use sections as segments. Files that perf inject makes from JIT code may have no segments. */
static void load_sections(struct object *obj, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC))
			continue;
		add_segment(obj, &(struct segment){sh.sh_offset, sh.sh_addr,
		                                   sh.sh_type == SHT_NOBITS ? 0 : sh.sh_size,
		                                   sh.sh_size, (sh.sh_flags & SHF_WRITE) != 0,
		                                   (sh.sh_flags & SHF_EXECINSTR) != 0});
	}
}

static void load_segments(struct object *obj)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(obj->module, &bias);
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD)
			add_segment(obj, &(struct segment){ph.p_offset, ph.p_vaddr, ph.p_filesz,
			                                   ph.p_memsz, (ph.p_flags & PF_W) != 0,
			                                   (ph.p_flags & PF_X) != 0});
	}
	if (!n)
		load_sections(obj, elf);
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
		/* $x and $d are mapping symbols of the AArch64 ELF ABI, not names. */
		if (name[0] == '$')
			continue;
		s = (struct symbol){.start = addr - obj->bias, .name = name};
		s.end = s.start + sym.st_size;
		s.sized = sym.st_size != 0;
		s.binding = (uint8_t)GELF_ST_BIND(sym.st_info);
		if (type == STT_FUNC || type == STT_GNU_IFUNC)
			symbols_add(&obj->symbols[SYMBOL_CODE], &s);
		else if (type == STT_OBJECT)
			symbols_add(&obj->symbols[SYMBOL_DATA], &s);
		else if (type == STT_NOTYPE) /* labels in assembly code, mostly without a size */
			symbols_add(&obj->symbols[SYMBOL_CODE], &s);
	}
}

bool elf_symbol_address(const struct object *obj, uint64_t *vaddr, const char *name)
{
	int n = dwfl_module_getsymtab(obj->module);

	for (int i = 1; i < n; i++) {
		GElf_Addr address;
		GElf_Sym sym;
		const char *found =
		        dwfl_module_getsym_info(obj->module, i, &sym, &address, NULL, NULL, NULL);

		if (!found || strcmp(found, name) != 0)
			continue;
		*vaddr = address - obj->bias;
		return true;
	}
	return false;
}

/* The procedure linkage table and the relocations of its entries. */
struct plt {
	Elf_Scn *rela;
	GElf_Shdr rela_header, code, names; /* section headers; names belongs to the symbols */
	Elf_Data *relocations, *symbols;
	uint64_t count, first, entry; /* number of entries, offset of the first, size of each */
};

static bool find_plt_sections(struct plt *plt, Elf *elf)
{
	size_t names;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh) || !(name = elf_strptr(elf, names, sh.sh_name)))
			continue;
		if (!strcmp(name, ".plt")) {
			plt->code = sh;
		} else if (!strcmp(name, ".rela.plt")) {
			plt->rela = scn;
			plt->rela_header = sh;
		}
	}
	return plt->rela && plt->rela_header.sh_entsize;
}

static bool find_plt(struct plt *plt, Elf *elf)
{
	Elf_Scn *scn;

	if (!find_plt_sections(plt, elf))
		return false;
	scn = elf_getscn(elf, plt->rela_header.sh_link);
	plt->relocations = elf_getdata(plt->rela, NULL);
	if (!scn || !plt->relocations || !gelf_getshdr(scn, &plt->names) ||
	    !(plt->symbols = elf_getdata(scn, NULL)))
		return false;
	/* The PLT of a static program has only indirect functions and no header. */
	plt->first = plt->names.sh_type == SHT_DYNSYM ? 32 : 0;
	plt->count = plt->rela_header.sh_size / plt->rela_header.sh_entsize;
	if (!plt->count || plt->code.sh_size <= plt->first)
		return false;
	plt->entry = (plt->code.sh_size - plt->first) / plt->count;
	return plt->entry == 16 || plt->entry == 24;
}

/* Return the name of the function that an entry calls: the name of its symbol, or of the resolver
 * of an indirect function. */
static const char *plt_name(const struct object *obj, const struct plt *plt, Elf *elf,
                            const GElf_Rela *r)
{
	GElf_Sym sym;
	const struct symbol *resolver;

	if (GELF_R_SYM(r->r_info))
		return gelf_getsym(plt->symbols, (int)GELF_R_SYM(r->r_info), &sym)
		               ? elf_strptr(elf, plt->names.sh_link, sym.st_name)
		               : NULL;
	resolver = symbols_find(&obj->symbols[SYMBOL_CODE], (uint64_t)r->r_addend);
	return resolver && resolver->start == (uint64_t)r->r_addend ? resolver->name : NULL;
}

/*
 * Add a symbol for each entry of the procedure linkage table, because the file has none for them.
 * The entries are in the order of the relocations in .rela.plt, after a header of 32 bytes (AArch64
 * ELF ABI, dynamic linking). An entry has 16 bytes, or 24 with branch target identification.
 */
static void load_plt(struct object *obj)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(obj->module, &bias);
	struct symbol_list entries = {0};
	struct plt plt = {0};
	size_t room = 0; /* bytes left for names: a long name may be that of every relocation */
	GElf_Rela r;

	if (!find_plt(&plt, elf) || !elf_rawfile(elf, &room))
		return;
	/* The header may claim more relocations than exist. */
	for (uint64_t i = 0; i < plt.count && gelf_getrela(plt.relocations, (int)i, &r); i++) {
		const char *name = plt_name(obj, &plt, elf, &r);
		struct symbol s = {.start = plt.code.sh_addr + plt.first + i * plt.entry,
		                   .sized = 1};

		if (!name || !*name)
			continue;
		if (strlen(name) >= room)
			break;
		room -= strlen(name);
		s.end = s.start + plt.entry;
		s.name = xasprintf("%s@plt", name);
		symbols_add(&entries, &s);
	}
	for (size_t i = 0; i < entries.count; i++)
		symbols_add(&obj->symbols[SYMBOL_CODE], &entries.items[i]);
	free(entries.items);
}

/* Return true if the names of local functions were stripped, and neither debugging information nor
 * MiniDebugInfo has them. */
static bool is_stripped(const struct object *obj)
{
	GElf_Addr bias;
	Elf_Scn *scn = NULL;
	Elf *elf = dwfl_module_getelf(obj->module, &bias);
	const char *debug_file = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			return false;
	}
	dwfl_module_info(obj->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug_file);
	return !debug_file && !minidebuginfo(elf) && !dwfl_module_getdwarf(obj->module, &bias);
}

/* Set the advice for a stripped file: the place where its debugging information is missing. */
static void advise(struct object *obj)
{
	char *path = debug_file_path(obj->module);

	if (path)
		obj->remedy = xasprintf(INSTALL_DEBUG_SYMBOLS_AT, path);
	free(path);
}

void elf_load(struct object *obj)
{
	load_segments(obj);
	load_symbols(obj);
	symbols_finish(&obj->symbols[SYMBOL_CODE]); /* load_plt() looks up resolvers */
	load_plt(obj);
	obj->stripped = is_stripped(obj);
	if (obj->stripped)
		advise(obj);
}

bool elf_bytes(const struct object *obj, uint8_t *bytes, uint64_t vaddr, size_t size)
{
	GElf_Addr bias;
	size_t file_size;
	const char *file = elf_rawfile(dwfl_module_getelf(obj->module, &bias), &file_size);

	for (size_t i = 0; file && i < obj->segment_count; i++) {
		const struct segment *s = &obj->segments[i];
		uint64_t at = vaddr - s->vaddr;

		if (vaddr < s->vaddr || at > s->file_size || size > s->file_size - at)
			continue;
		if (s->offset > file_size || at > file_size - s->offset ||
		    size > file_size - s->offset - at)
			return false;
		memcpy(bytes, file + s->offset + at, size);
		return true;
	}
	return false;
}
