/* SPDX-License-Identifier: MIT */
/*
 * Files with debugging information: found by build-id or by the names in an ELF file, below the
 * sysroot and then below the root.
 *
 * dwfl_standard_find_debuginfo() knows neither the sysroot nor limits of memory. It may keep the
 * ELF handle of a file that its caller then refuses, and it expands compressed files in memory. So
 * only debuginfod is left to it.
 */
#define _GNU_SOURCE
#include "object.h"
#include "../base/common.h"
#include "../base/regular.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define DEBUG_FOLDER "/usr/lib/debug"

/* Folders that libdwfl searches. NULL stands for elfutils' own. */
static char *searched;

struct search {
	const char *roots[3]; /* the sysroot, if there is one, and ""; NULL-terminated */
	const void *id;       /* build-id that the file must have */
	size_t id_size;       /* 0 if there is none; the CRC must match instead */
	GElf_Word crc;
	struct stat own; /* the file that needs debugging information */
	int fd;          /* the result, or -1 */
	char *path;      /* canonical path of the result */
};

/* Return true if the ELF file is the one that is searched. */
static bool is_wanted(const struct search *s, Elf *elf)
{
	const void *id;
	size_t size;
	char *bytes;

	if (s->id_size) {
		ssize_t n = dwelf_elf_gnu_build_id(elf, &id);

		return n > 0 && (size_t)n == s->id_size && !memcmp(id, s->id, s->id_size);
	}
	bytes = elf_rawfile(elf, &size);
	return bytes && crc32_z(0, (const uint8_t *)bytes, size) == s->crc;
}

/* Return true if the open file may be read. */
static bool is_usable(const struct search *s, int fd)
{
	struct stat st;
	Elf *elf;
	bool usable;

	if (fstat(fd, &st) || (st.st_dev == s->own.st_dev && st.st_ino == s->own.st_ino) ||
	    !elf_begins(fd))
		return false;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	usable = elf && is_wanted(s, elf) && elf_expands_little(elf);
	elf_end(elf);
	return usable;
}

/* Open the path, which is freed, unless the search has ended. */
static void try(struct search *s, char *path)
{
	int fd = s->fd < 0 ? open_regular(path) : -1;

	if (fd >= 0 && is_usable(s, fd)) {
		s->fd = fd;
		s->path = realpath(path, NULL);
	} else if (fd >= 0) {
		close(fd);
	}
	free(path);
}

/* Return the path of debugging information by build-id. The caller frees it. */
static char *path_by_build_id(const char *root, const uint8_t *id, size_t size)
{
	char *hex = xcalloc(size, 2 + 1), *path;

	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	path = xasprintf("%s" DEBUG_FOLDER "/.build-id/%.2s/%s.debug", root, hex, hex + 2);
	free(hex);
	return path;
}

static void try_build_id(struct search *s)
{
	for (const char *const *root = s->roots; s->id_size > 1 && *root; root++)
		try(s, path_by_build_id(*root, s->id, s->id_size));
}

/* Return the part of a canonical path after the sysroot, or the path if it is outside. */
static const char *path_in_sysroot(const char *path)
{
	char *root = objects_sysroot() ? realpath(objects_sysroot(), NULL) : NULL;
	size_t length = root ? strlen(root) : 0;
	bool inside = root && !strncmp(path, root, length) && path[length] == '/';

	free(root);
	return inside ? path + length : path;
}

/* Search a file by the name of .gnu_debuglink, or by FILE.debug if link is NULL. */
static void try_link(struct search *s, const char *file, const char *link)
{
	char *path = file ? realpath(file, NULL) : NULL;
	char *slash = path ? strrchr(path, '/') : NULL;
	char *name;

	if (slash && (link || s->id_size)) {
		name = link ? xstrdup(link) : xasprintf("%s.debug", slash + 1);
		*slash = '\0';
		try(s, xasprintf("%s/%s", path, name));
		try(s, xasprintf("%s/.debug/%s", path, name));
		for (const char *const *root = s->roots; *root; root++)
			try(s, xasprintf("%s" DEBUG_FOLDER "%s/%s", *root, path_in_sysroot(path),
			                 name));
		free(name);
	}
	free(path);
}

/* Search a supplementary file of dwz by its name in .gnu_debugaltlink. `file` refers to it. */
static void try_supplement(struct search *s, const char *file, const char *name)
{
	const char *slash = strrchr(name, '/'), *end = file ? strrchr(file, '/') : NULL;

	if (*name != '/')
		try(s, end ? xasprintf("%.*s/%s", (int)(end - file), file, name) : xstrdup(name));
	for (const char *const *root = s->roots; *root; root++) {
		if (*name == '/')
			try(s, xasprintf("%s%s", *root, name));
		try(s, xasprintf("%s" DEBUG_FOLDER "/.dwz/%s", *root, slash ? slash + 1 : name));
	}
}

/* Return true if libdwfl searches the supplementary file of the open debugging information, and not
 * that information itself. */
static bool is_for_supplement(Dwfl_Module *module, const char *link)
{
	GElf_Addr bias;
	GElf_Word crc;
	Elf *elf = dwfl_module_getelf(module, &bias);

	/* The text of a link is in the mapped section, so the pointers are equal. */
	return link && elf && dwelf_elf_gnu_debuglink(elf, &crc) != link;
}

/* Ask the servers of DEBUGINFOD_URLS, but treat a file that would take much memory as not found. */
static int ask_servers(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                       const char *file, const char *link, GElf_Word crc, char **path)
{
	static char nowhere[] = "/nonexistent";
	const char *servers = getenv("DEBUGINFOD_URLS");
	Elf *elf;
	bool fits;
	int fd;

	if (!servers || !*servers)
		return -1;
	searched = nowhere;
	fd = dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, path);
	searched = NULL;
	elf = fd >= 0 && elf_begins(fd) ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	fits = elf && elf_expands_little(elf);
	elf_end(elf);
	if (fd < 0 || fits)
		return fd;
	close(fd);
	free(*path);
	*path = NULL;
	return -1;
}

static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word crc, char **path)
{
	const char *sysroot = objects_sysroot();
	struct search s = {.roots = {sysroot ? sysroot : "", sysroot ? "" : NULL}, .fd = -1};
	const char *supplement;
	const unsigned char *id;
	GElf_Addr address, bias;
	ssize_t n;

	if (file)
		stat(file, &s.own);
	if (is_for_supplement(module, link)) {
		n = dwelf_dwarf_gnu_debugaltlink(dwfl_module_getdwarf(module, &bias), &supplement,
		                                 &s.id);
		if (n <= 0)
			return -1;
		s.id_size = (size_t)n;
		try_build_id(&s);
		try_supplement(&s, file, supplement);
	} else {
		n = dwfl_module_build_id(module, &id, &address);
		s.id = id;
		s.id_size = n > 0 ? (size_t)n : 0;
		s.crc = crc;
		try_build_id(&s);
		try_link(&s, file, link);
	}
	if (s.fd < 0)
		return ask_servers(module, data, name, base, file, link, crc, path);
	free(*path);
	*path = s.path;
	return s.fd;
}

const Dwfl_Callbacks debug_file_callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = find_debuginfo,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = &searched,
};

char *debug_file_path(Dwfl_Module *module)
{
	const char *root = objects_sysroot();
	const unsigned char *id;
	GElf_Addr address;
	int n = dwfl_module_build_id(module, &id, &address);

	return n > 1 ? path_by_build_id(root ? root : "", id, (size_t)n) : NULL;
}
