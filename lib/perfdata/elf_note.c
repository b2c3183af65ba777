/* SPDX-License-Identifier: MIT */
/*
 * The build-id of an ELF file.
 *
 * Source: System V ABI, chapters "Object Files" and "Program Loading"; NT_GNU_BUILD_ID of binutils.
 * Program headers are searched first (every linked file has them), followed by sections
 * (relocatable files).
 */
#define _POSIX_C_SOURCE 200809L
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <spemu/perfdata.h>

#include "perfdata/perf_format.h"

/* Limits of the work that a malicious file can cause. */
#define HEADERS_MAX 4096
#define NOTES_MAX 1024

struct elf_file {
	int fd;
	bool wide, big;
};

/* The location of a header table, and the offsets of type, offset, size and alignment in its
 * entries. */
struct elf_table {
	uint64_t offset;
	unsigned entry_size, n;
	uint32_t note_type;
	unsigned type_at, offset_at, size_at, align_at;
};

static int read_at(const struct elf_file *elf, void *buf, size_t size, uint64_t offset)
{
	ssize_t n;

	if (offset > (uint64_t)INT64_MAX - size)
		return SPEMU_ERR_CORRUPT;
	do
		n = pread(elf->fd, buf, size, (off_t)offset);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return SPEMU_ERR_IO;
	return (size_t)n == size ? SPEMU_OK : SPEMU_ERR_CORRUPT;
}

static uint64_t number(const struct elf_file *elf, const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v = v << 8 | p[elf->big ? i : size - 1 - i];
	return v;
}

/* Search the notes in size bytes at offset. Return SPEMU_ERR_END if they have no build-id. */
static int search_notes(const struct elf_file *elf, uint8_t *id, size_t *id_size, uint64_t offset,
                        uint64_t size, uint64_t align)
{
	uint64_t at = 0;

	for (int i = 0; i < NOTES_MAX && size - at >= 12; i++) {
		uint8_t head[16];
		uint64_t name_size, desc_size, desc_at, next;
		int status = read_at(elf, head, 12, offset + at);

		if (status != SPEMU_OK)
			return status;
		name_size = number(elf, head, 4);
		desc_size = number(elf, head + 4, 4);
		desc_at = perf_align(at + 12 + name_size, align);
		next = perf_align(desc_at + desc_size, align);
		if (desc_at + desc_size > size)
			return SPEMU_ERR_CORRUPT;
		if (number(elf, head + 8, 4) == NT_GNU_BUILD_ID && name_size == 4) {
			status = read_at(elf, head + 12, 4, offset + at + 12);
			if (status != SPEMU_OK)
				return status;
			if (memcmp(head + 12, "GNU", 4) == 0 && desc_size) {
				*id_size = desc_size < SPEMU_PERF_BUILD_ID_MAX
				                   ? (size_t)desc_size
				                   : SPEMU_PERF_BUILD_ID_MAX;
				return read_at(elf, id, *id_size, offset + desc_at);
			}
		}
		if (next > size)
			break;
		at = next;
	}
	return SPEMU_ERR_END;
}

static int search_table(const struct elf_file *elf, uint8_t *id, size_t *id_size,
                        const struct elf_table *table)
{
	const unsigned word = elf->wide ? 8 : 4;

	if (!table->n || table->entry_size < table->align_at + word)
		return SPEMU_ERR_END;
	for (unsigned i = 0; i < table->n && i < HEADERS_MAX; i++) {
		uint8_t entry[sizeof(Elf64_Shdr)];
		size_t need = table->align_at + word;
		uint64_t offset = table->offset + (uint64_t)i * table->entry_size, size;
		int status;

		if (offset < table->offset)
			return SPEMU_ERR_CORRUPT;
		status = read_at(elf, entry, need, offset);
		if (status != SPEMU_OK)
			return status;
		if (number(elf, entry + table->type_at, 4) != table->note_type)
			continue;
		offset = number(elf, entry + table->offset_at, word);
		size = number(elf, entry + table->size_at, word);
		if (offset > INT64_MAX || size > INT64_MAX - offset)
			return SPEMU_ERR_CORRUPT;
		/* Notes are aligned to 4 bytes unless their section or segment is aligned to 8
		 * (gABI, "Note Section"). */
		status = search_notes(elf, id, id_size, offset, size,
		                      number(elf, entry + table->align_at, word) == 8 ? 8 : 4);
		if (status != SPEMU_ERR_END)
			return status;
	}
	return SPEMU_ERR_END;
}

static void read_tables(const struct elf_file *elf, const uint8_t *head, struct elf_table *segments,
                        struct elf_table *sections)
{
#define ELF_AT(type, member) \
	(elf->wide ? offsetof(Elf64_##type, member) : offsetof(Elf32_##type, member))
#define ELF_NUMBER(member, size) number(elf, head + ELF_AT(Ehdr, member), size)
	const unsigned word = elf->wide ? 8 : 4;

	*segments = (struct elf_table){
	        .offset = ELF_NUMBER(e_phoff, word),
	        .entry_size = (unsigned)ELF_NUMBER(e_phentsize, 2),
	        .n = (unsigned)ELF_NUMBER(e_phnum, 2),
	        .note_type = PT_NOTE,
	        .type_at = ELF_AT(Phdr, p_type),
	        .offset_at = ELF_AT(Phdr, p_offset),
	        .size_at = ELF_AT(Phdr, p_filesz),
	        .align_at = ELF_AT(Phdr, p_align),
	};
	*sections = (struct elf_table){
	        .offset = ELF_NUMBER(e_shoff, word),
	        .entry_size = (unsigned)ELF_NUMBER(e_shentsize, 2),
	        .n = (unsigned)ELF_NUMBER(e_shnum, 2),
	        .note_type = SHT_NOTE,
	        .type_at = ELF_AT(Shdr, sh_type),
	        .offset_at = ELF_AT(Shdr, sh_offset),
	        .size_at = ELF_AT(Shdr, sh_size),
	        .align_at = ELF_AT(Shdr, sh_addralign),
	};
#undef ELF_NUMBER
#undef ELF_AT
}

static int find_build_id(uint8_t id[SPEMU_PERF_BUILD_ID_MAX], size_t *id_size, int fd)
{
	struct elf_file elf = {.fd = fd};
	uint8_t head[sizeof(Elf64_Ehdr)] = {0};
	struct elf_table segments, sections;
	int status = read_at(&elf, head, EI_NIDENT, 0);

	if (status == SPEMU_ERR_CORRUPT || (status == SPEMU_OK && memcmp(head, ELFMAG, SELFMAG)))
		return SPEMU_ERR_INVALID;
	if (status != SPEMU_OK)
		return status;
	if ((head[EI_CLASS] != ELFCLASS32 && head[EI_CLASS] != ELFCLASS64) ||
	    (head[EI_DATA] != ELFDATA2LSB && head[EI_DATA] != ELFDATA2MSB))
		return SPEMU_ERR_CORRUPT;
	elf.wide = head[EI_CLASS] == ELFCLASS64;
	elf.big = head[EI_DATA] == ELFDATA2MSB;
	status = read_at(&elf, head, elf.wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 0);
	if (status != SPEMU_OK)
		return status;
	read_tables(&elf, head, &segments, &sections);
	status = search_table(&elf, id, id_size, &segments);
	if (status == SPEMU_ERR_END)
		status = search_table(&elf, id, id_size, &sections);
	return status;
}

int spemu__elf_build_id(uint8_t id[SPEMU_PERF_BUILD_ID_MAX], size_t *id_size, int fd)
{
	uint8_t found[SPEMU_PERF_BUILD_ID_MAX] = {0};
	size_t size = 0;
	int status = find_build_id(found, &size, fd);

	if (status != SPEMU_OK) {
		memset(found, 0, sizeof(found));
		size = 0;
	}
	memcpy(id, found, sizeof(found));
	*id_size = size;
	return status;
}
