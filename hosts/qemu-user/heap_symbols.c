/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader of ELF symbols; see heap_symbols.h.
 *
 * Sources: System V ABI, chapters "Object Files" and "Program Loading"; Itanium C++ ABI for C++
 * names. The files belong to the program, so their contents are not trusted.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest_abi.h"
#include "heap_symbols.h"
#include "locks.h"

/* Bounds on the work that a file can cause. */
#define HEADERS_MAX 4096u
#define TABLE_MAX (UINT64_C(256) << 20)
#define FOUND_MAX 1024u

static const struct heap_function functions[] = {
        {"malloc", false, HEAP_ALLOCATE, "malloc", 0, 0},
        {"valloc", false, HEAP_ALLOCATE, "valloc", 0, 0},
        {"pvalloc", false, HEAP_ALLOCATE, "pvalloc", 0, 0},
        {"calloc", false, HEAP_ALLOCATE, "calloc", 0, 1},
        {"realloc", false, HEAP_REALLOC, "realloc", 1, 0},
        {"reallocarray", false, HEAP_REALLOC, "reallocarray", 1, 2},
        {"posix_memalign", false, HEAP_POSIX_MEMALIGN, "posix_memalign", 2, 0},
        {"aligned_alloc", false, HEAP_ALLOCATE, "aligned_alloc", 1, 0},
        {"memalign", false, HEAP_ALLOCATE, "memalign", 1, 0},
        {"free", false, HEAP_FREE, NULL, 0, 0},
        {"cfree", false, HEAP_FREE, NULL, 0, 0},
        {"_Znwm", true, HEAP_ALLOCATE, "new", 0, 0},
        {"_Znam", true, HEAP_ALLOCATE, "new[]", 0, 0},
        {"_ZdlPv", true, HEAP_FREE, NULL, 0, 0},
        {"_ZdaPv", true, HEAP_FREE, NULL, 0, 0},
        {"mmap", false, HEAP_MMAP, "mmap", 1, 0},
        {"mmap64", false, HEAP_MMAP, "mmap", 1, 0},
        {"mremap", false, HEAP_MREMAP, "mremap", 2, 0},
        {"munmap", false, HEAP_MUNMAP, NULL, 0, 0},
};

static struct {
	uint64_t address;
	const struct heap_function *function;
} found[FOUND_MAX];
static unsigned found_count;

/* A file and the position of its code in memory. */
struct image {
	int fd;
	uint64_t start, end, bias;
};

static const struct heap_function *function_of(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const struct heap_function *f = &functions[i];

		if (f->prefix ? !strncmp(name, f->symbol, strlen(f->symbol))
		              : !strcmp(name, f->symbol))
			return f;
	}
	return NULL;
}

static bool read_at(const struct image *image, void *bytes, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX - size &&
	       pread(image->fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* Read a table of the file and append a zero byte. Return memory for the caller to free, or NULL if
 * the table cannot be read. */
static void *read_table(const struct image *image, uint64_t size, uint64_t offset)
{
	struct stat st;
	char *table;

	/* Do not allocate memory for a table that is larger than its file. */
	if (!size || size > TABLE_MAX || fstat(image->fd, &st) || (uint64_t)st.st_size < size)
		return NULL;
	table = malloc((size_t)size + 1);
	if (!table || !read_at(image, table, (size_t)size, offset)) {
		free(table);
		return NULL;
	}
	table[size] = 0;
	return table;
}

/* Add an allocator. If a function has several names, the first of them in `functions` is used. */
static void add(uint64_t address, const struct heap_function *function)
{
	for (unsigned i = 0; i < found_count; i++) {
		if (found[i].address != address)
			continue;
		if (function < found[i].function)
			found[i].function = function;
		return;
	}
	if (found_count == FOUND_MAX)
		return;
	found[found_count].address = address;
	found[found_count++].function = function;
}

static void add_symbols(const struct image *image, const Elf64_Shdr *section,
                        const Elf64_Shdr *strings)
{
	Elf64_Sym *symbols = read_table(image, section->sh_size, section->sh_offset);
	char *names = read_table(image, strings->sh_size, strings->sh_offset);

	for (uint64_t i = 0; symbols && names && i < section->sh_size / sizeof(*symbols); i++) {
		const Elf64_Sym *s = &symbols[i];
		const struct heap_function *function;
		uint64_t address = s->st_value + image->bias;

		if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
		    s->st_name >= strings->sh_size || address < image->start ||
		    address >= image->end)
			continue;
		function = function_of(names + s->st_name);
		if (function)
			add(address, function);
	}
	free(symbols);
	free(names);
}

static void add_sections(const struct image *image, const Elf64_Ehdr *header)
{
	Elf64_Shdr section, strings;

	for (unsigned i = 0; i < header->e_shnum && i < HEADERS_MAX; i++) {
		if (!read_at(image, &section, sizeof(section),
		             header->e_shoff + i * sizeof(section)))
			return;
		if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) ||
		    section.sh_link >= header->e_shnum)
			continue;
		if (read_at(image, &strings, sizeof(strings),
		            header->e_shoff + section.sh_link * sizeof(strings)))
			add_symbols(image, &section, &strings);
	}
}

/* Find the difference between addresses in memory and in the file. Return false if no code segment
 * contains the offset. */
static bool find_bias(struct image *image, const Elf64_Ehdr *header, uint64_t offset)
{
	for (unsigned i = 0; i < header->e_phnum && i < HEADERS_MAX; i++) {
		Elf64_Phdr segment;
		uint64_t first;

		if (!read_at(image, &segment, sizeof(segment),
		             header->e_phoff + i * sizeof(segment)))
			return false;
		first = guest_page(segment.p_offset);
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || offset < first ||
		    offset >= segment.p_offset + segment.p_filesz)
			continue;
		image->bias = image->start - (offset - segment.p_offset + segment.p_vaddr);
		return true;
	}
	return false;
}

static void forget(uint64_t start, uint64_t end)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < found_count; i++) {
		if (found[i].address < start || found[i].address >= end)
			found[kept++] = found[i];
	}
	found_count = kept;
}

void heap_symbols_add(const char *path, uint64_t start, uint64_t len, uint64_t offset)
{
	struct image image = {.start = start, .end = start + len};
	Elf64_Ehdr header;
	struct stat st;

	image.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (image.fd < 0)
		return;
	pthread_mutex_lock(&locks[LOCK_HEAP_SYMBOLS]);
	forget(start, start + len);
	if (!fstat(image.fd, &st) && S_ISREG(st.st_mode) &&
	    read_at(&image, &header, sizeof(header), 0) &&
	    !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
	    header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_AARCH64 &&
	    header.e_phentsize == sizeof(Elf64_Phdr) &&
	    (header.e_shentsize == sizeof(Elf64_Shdr) || !header.e_shnum) &&
	    find_bias(&image, &header, offset))
		add_sections(&image, &header);
	pthread_mutex_unlock(&locks[LOCK_HEAP_SYMBOLS]);
	close(image.fd);
}

const struct heap_function *heap_symbols_find(uint64_t address)
{
	const struct heap_function *function = NULL;

	pthread_mutex_lock(&locks[LOCK_HEAP_SYMBOLS]);
	for (unsigned i = 0; i < found_count && !function; i++) {
		if (found[i].address == address)
			function = found[i].function;
	}
	pthread_mutex_unlock(&locks[LOCK_HEAP_SYMBOLS]);
	return function;
}
