/* SPDX-License-Identifier: MIT */
/*
 * Test the search for build-ids in ELF files. The files are made by hand from the System V ABI and
 * are whole, truncated or changed.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include <spemu/perfdata.h>
#include "perfdata/perf_format.h"

#include "draw.h"

/* An ELF64 little-endian file. One PT_NOTE segment contains an ABI tag and then the build-id. */
static const uint8_t elf64[] = {
        0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0xb7, 0, 1, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0,           /* entry, offset of the program headers */
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 56, 0, /* offset of the sections; sizes */
        1, 0, 0, 0, 0, 0, 0, 0,
        /* 64: program header: PT_NOTE at 120, 52 bytes, aligned to 4 */
        4, 0, 0, 0, 4, 0, 0, 0, 120, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 52, 0, 0, 0, 0, 0, 0, 0, 52, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
        /* 120: note GNU, type 1 (ABI tag), 16 bytes; note GNU, type 3 (build-id), 4 bytes */
        4, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 0, 0, 0, 0, 3, 0, 0, 0, 7, 0, 0, 0,
        0, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xde, 0xad, 0xbe, 0xef};

/* An ELF32 big-endian relocatable file. A SHT_NOTE section contains a build-id of 24 bytes. */
static const uint8_t elf32[] = {
        0x7f, 'E', 'L', 'F', 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 40, 0, 0, 0, 1, 0, 0, 0,
        0, 0, 0, 0, 0, /* from the type to the offset of the program headers */
        0, 0, 0, 52, 0, 0, 0, 0, 0, 52, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0,
        /* 52: section header: SHT_NOTE at 92, 40 bytes */
        0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 92, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 24, 0, 0, 0, 3, 'G', 'N', 'U', 0, 1, 2,
        3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};

static uint8_t id[SPEMU_PERF_BUILD_ID_MAX];
static size_t id_size;

static int of_bytes(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC), status;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	id_size = 0;
	status = spemu__elf_build_id(id, &id_size, fd);
	close(fd);
	return status;
}

static void build_id_is_found_in_program_headers(void **state)
{
	(void)state;
	assert_int_equal(of_bytes(elf64, sizeof(elf64)), SPEMU_OK);
	assert_int_equal(id_size, 4);
	assert_memory_equal(id, "\xde\xad\xbe\xef", 4);
}

static void build_id_is_found_in_sections_of_other_class_and_endianness(void **state)
{
	(void)state;
	assert_int_equal(of_bytes(elf32, sizeof(elf32)), SPEMU_OK);
	assert_int_equal(id_size, 20); /* only the first 20 of 24 bytes are used */
	for (int i = 0; i < 20; i++)
		assert_int_equal(id[i], i + 1);
}

static void file_without_build_id_is_reported(void **state)
{
	uint8_t other[sizeof(elf64)];

	(void)state;
	memcpy(other, elf64, sizeof(elf64));
	other[120 + 32 + 8] = 4; /* type of the note */
	assert_int_equal(of_bytes(other, sizeof(other)), SPEMU_ERR_END);
	memcpy(other, elf64, sizeof(elf64));
	other[120 + 32 + 12] = 'X'; /* owner of the note */
	assert_int_equal(of_bytes(other, sizeof(other)), SPEMU_ERR_END);
	other[64] = 1; /* type of the segment: PT_LOAD */
	assert_int_equal(of_bytes(other, sizeof(other)), SPEMU_ERR_END);
	assert_int_equal(of_bytes((const uint8_t *)"#!/bin/sh and more text", 23),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(of_bytes(elf64, 0), SPEMU_ERR_INVALID);
	other[4] = 3;
	assert_int_equal(of_bytes(other, sizeof(other)), SPEMU_ERR_CORRUPT);
	assert_int_equal(spemu__elf_build_id(id, &id_size, -1), SPEMU_ERR_IO);
}

static void truncated_files_are_refused(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(elf64); size++)
		assert_int_equal(of_bytes(elf64, size),
		                 size < 16 ? SPEMU_ERR_INVALID : SPEMU_ERR_CORRUPT);
	/* The last 4 bytes may be missing, because only 20 bytes of the build-id are used. */
	for (size_t size = 0; size < sizeof(elf32) - 4; size++)
		assert_int_equal(of_bytes(elf32, size),
		                 size < 16 ? SPEMU_ERR_INVALID : SPEMU_ERR_CORRUPT);
}

static void damaged_files_give_a_bounded_build_id(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	uint8_t other[sizeof(elf64)];
	unsigned found = 0;

	(void)state;
	for (size_t at = 0; at < sizeof(elf64); at++) {
		for (size_t k = 0; k < sizeof(values); k++) {
			memcpy(other, elf64, sizeof(elf64));
			other[at] = values[k];
			if (of_bytes(other, sizeof(other)) == SPEMU_OK) {
				found++;
				assert_true(id_size > 0 && id_size <= SPEMU_PERF_BUILD_ID_MAX);
			}
		}
	}
	assert_true(found > 100);
}

/* A file under construction: its class, its byte order and the contents written so far. */
struct made {
	bool wide, big;
	uint8_t bytes[65536 * 4];
	size_t size;
};

static void number_at(struct made *m, size_t at, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		m->bytes[at + i] = (uint8_t)(v >> (8 * (m->big ? size - 1 - i : i)));
	m->size = m->size < at + size ? at + size : m->size;
}

/* Write a word. It has 8 bytes in an ELF64 file and 4 bytes in an ELF32 file. */
static void word_at(struct made *m, size_t wide_at, size_t narrow_at, uint64_t v)
{
	number_at(m, m->wide ? wide_at : narrow_at, v, m->wide ? 8 : 4);
}

/* Write the fields of the header that describe the table of segments or sections. System V ABI,
 * Elf64_Ehdr and Elf32_Ehdr: e_phoff 32 and 28, e_phentsize 54 and 42, e_phnum 56 and 44; e_shoff
 * 40 and 32, e_shentsize 58 and 46, e_shnum 60 and 48. */
static void table_at(struct made *m, bool sections, uint64_t offset, unsigned entry_size,
                     unsigned n)
{
	size_t more = sections ? 4 : 0;

	word_at(m, sections ? 40 : 32, sections ? 32 : 28, offset);
	number_at(m, (m->wide ? 54 : 42) + more, entry_size, 2);
	number_at(m, (m->wide ? 56 : 44) + more, n, 2);
}

/* Write an entry of the table of segments or sections. System V ABI, ELF64 and ELF32. Phdr: p_type
 * 0, p_offset 8 and 4, p_filesz 32 and 16, p_align 48 and 28, size 56 and 32. Shdr: sh_type 4,
 * sh_offset 24 and 16, sh_size 32 and 20, sh_addralign 48 and 32, size 64 and 40. The type of notes
 * is PT_NOTE (4) or SHT_NOTE (7). */
static void entry_at(struct made *m, bool sections, size_t at, unsigned type, uint64_t offset,
                     uint64_t size, uint64_t align)
{
	number_at(m, at + (sections ? 4 : 0), type, 4);
	word_at(m, at + (sections ? 24 : 8), at + (sections ? 16 : 4), offset);
	word_at(m, at + 32, at + (sections ? 20 : 16), size);
	word_at(m, at + 48, at + (sections ? 32 : 28), align);
	m->size = m->size < at + 64 ? at + 64 : m->size;
}

static void begin(struct made *m, bool wide, bool big)
{
	static const uint8_t magic[] = {0x7f, 'E', 'L', 'F'};

	memset(m, 0, sizeof(*m));
	m->wide = wide;
	m->big = big;
	memcpy(m->bytes, magic, sizeof(magic));
	m->bytes[4] = wide ? 2 : 1;
	m->bytes[5] = big ? 2 : 1;
	m->size = 64;
}

static size_t aligned(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Add a note at the end of the file, in a segment that begins at `base`. The bytes of its
 * description count up from `first`. */
static void note(struct made *m, size_t base, unsigned align, unsigned type, const char *name,
                 unsigned name_size, unsigned size, uint8_t first)
{
	size_t at = m->size;

	number_at(m, at, name_size, 4);
	number_at(m, at + 4, size, 4);
	number_at(m, at + 8, type, 4);
	memcpy(m->bytes + at + 12, name, name_size);
	at = base + aligned(at + 12 + name_size - base, align);
	for (unsigned i = 0; i < size; i++)
		m->bytes[at + i] = (uint8_t)(first + i);
	m->size = base + aligned(at + size - base, align);
}

/* Draw notes, some of them build-ids. The first build-id is that of the file. Return true if there
 * is one. */
static bool draw_notes(struct made *m, uint64_t *seed, unsigned align, uint8_t *first,
                       unsigned *size)
{
	static const struct {
		unsigned type;
		const char *name;
		unsigned name_size;
	} kinds[] = {{3, "GNU", 4},    {1, "GNU", 4}, {3, "XNU", 4},
	             {3, "GNUGNU", 7}, {2, "", 0},    {3, "GN", 3}};
	size_t base = m->size;
	bool found = false;

	for (unsigned n = below(seed, 5); n--;) {
		unsigned kind = below(seed, 6), bytes = below(seed, 4) ? below(seed, 40) : 0;
		uint8_t begins = (uint8_t)below(seed, 256);

		note(m, base, align, kinds[kind].type, kinds[kind].name, kinds[kind].name_size,
		     bytes, begins);
		if (found || kind || !bytes)
			continue;
		found = true;
		*first = begins;
		*size = bytes < 20 ? bytes : 20;
	}
	return found;
}

/* The function searches segments before sections, and the notes of each in order. */
static void first_build_id_of_random_files_is_found(void **state)
{
	static struct made m;
	unsigned with = 0;
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		bool found = false;
		uint8_t first = 0;
		unsigned size = 0;

		begin(&m, coin(&seed), coin(&seed));
		m.size += below(&seed, 3000);
		for (unsigned sections = 0; sections < 2; sections++) {
			unsigned n = below(&seed, 4);
			unsigned entry = (m.wide     ? sections ? 64 : 56
			                  : sections ? 40
			                             : 32) +
			                 8 * below(&seed, 40);
			size_t at = aligned(m.size, 8);

			table_at(&m, sections, at, entry, n);
			m.size = at + n * entry + 64;
			for (unsigned i = 0; i < n; i++) {
				unsigned align = coin(&seed) ? 8 : below(&seed, 3) * 2;
				size_t notes = m.size = aligned(m.size, 8);
				bool of_notes = below(&seed, 4), here;
				uint8_t begins = 0;
				unsigned bytes = 0;

				here = draw_notes(&m, &seed, align == 8 ? 8 : 4, &begins, &bytes);
				entry_at(&m, sections, at + i * entry,
				         of_notes   ? sections ? 7 : 4
				         : sections ? 4
				                    : 7,
				         notes, m.size - notes, align);
				if (found || !here || !of_notes)
					continue;
				found = true;
				first = begins;
				size = bytes;
			}
		}
		m.size += 64;
		assert_int_equal(of_bytes(m.bytes, m.size), found ? SPEMU_OK : SPEMU_ERR_END);
		if (!found)
			continue;
		assert_int_equal(id_size, size);
		for (unsigned i = 0; i < size; i++)
			assert_int_equal(id[i], (uint8_t)(first + i));
		with++;
	}
	assert_true(with > 500 && with < 2500);
}

/* The search is limited to 4096 segments and 1024 notes. */
static void search_is_bounded_in_segments_and_notes(void **state)
{
	static struct made m;

	(void)state;
	for (unsigned n = 4095; n <= 4097; n++) {
		begin(&m, true, false);
		table_at(&m, false, 64, 56, n);
		m.size = 64 + n * 56u;
		entry_at(&m, false, 64 + (n - 1) * 56, 4, aligned(m.size, 8), 20, 4);
		m.size = aligned(64 + n * 56u, 8);
		note(&m, m.size, 4, 3, "GNU", 4, 4, 1);
		assert_int_equal(of_bytes(m.bytes, m.size), n <= 4096 ? SPEMU_OK : SPEMU_ERR_END);
	}
	for (unsigned n = 1023; n <= 1025; n++) {
		begin(&m, true, false);
		table_at(&m, false, 64, 56, 1);
		m.size = 128;
		for (unsigned i = 1; i < n; i++)
			note(&m, 128, 4, 1, "", 0, 0, 0);
		note(&m, 128, 4, 3, "GNU", 4, 4, 1);
		entry_at(&m, false, 64, 4, 128, m.size - 128, 4);
		assert_int_equal(of_bytes(m.bytes, m.size), n <= 1024 ? SPEMU_OK : SPEMU_ERR_END);
	}
}

/* Offsets and sizes up to INT64_MAX are accepted. Larger values would be outside any file. */
static void offsets_beyond_int64_max_are_refused(void **state)
{
	const uint64_t most = INT64_MAX;
	const struct {
		uint64_t offset, size;
		int status;
	} notes[] = {{120, 20, SPEMU_OK},
	             {120, most - 120, SPEMU_OK},
	             {120, most - 119, SPEMU_ERR_CORRUPT},
	             {120, UINT64_MAX, SPEMU_ERR_CORRUPT},
	             {120, 11, SPEMU_ERR_END}, /* too small for a note */
	             {120, 12, SPEMU_ERR_CORRUPT},
	             {120, 19, SPEMU_ERR_CORRUPT},
	             {most, 0, SPEMU_ERR_END},
	             {most, 1, SPEMU_ERR_CORRUPT},
	             {most + 1, 0, SPEMU_ERR_CORRUPT}};
	const uint64_t tables[] = {1 << 20, most, most + 1, UINT64_MAX - 100, UINT64_MAX};
	static struct made m;

	(void)state;
	for (unsigned i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		begin(&m, true, false);
		table_at(&m, false, 64, 56, 1);
		m.size = 120;
		note(&m, 120, 4, 3, "GNU", 4, 4, 1);
		entry_at(&m, false, 64, 4, notes[i].offset, notes[i].size, 4);
		assert_int_equal(of_bytes(m.bytes, m.size), notes[i].status);
	}
	for (unsigned i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		begin(&m, true, false);
		table_at(&m, false, tables[i], 56, 2);
		assert_int_equal(of_bytes(m.bytes, m.size), SPEMU_ERR_CORRUPT);
	}
	/* If the entries are too small for their members, the table is ignored. */
	for (unsigned size = 0; size < 60; size++) {
		begin(&m, true, false);
		table_at(&m, false, 64, size, 1);
		m.size = 120;
		note(&m, 120, 4, 3, "GNU", 4, 4, 1);
		entry_at(&m, false, 64, 4, 120, 20, 4);
		assert_int_equal(of_bytes(m.bytes, m.size), size < 56 ? SPEMU_ERR_END : SPEMU_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(build_id_is_found_in_program_headers),
	        cmocka_unit_test(build_id_is_found_in_sections_of_other_class_and_endianness),
	        cmocka_unit_test(file_without_build_id_is_reported),
	        cmocka_unit_test(truncated_files_are_refused),
	        cmocka_unit_test(damaged_files_give_a_bounded_build_id),
	        cmocka_unit_test(first_build_id_of_random_files_is_found),
	        cmocka_unit_test(search_is_bounded_in_segments_and_notes),
	        cmocka_unit_test(offsets_beyond_int64_max_are_refused),
	};
	return cmocka_run_group_tests_name("ELF notes", tests, NULL, NULL);
}
