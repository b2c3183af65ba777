/* SPDX-License-Identifier: MIT */
/* Build-ids of ELF files put together by hand from the System V ABI, whole, cut and changed. */
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

/* ELF64 little-endian: one PT_NOTE with an ABI tag, then the build-id. */
static const uint8_t elf64[] = {
        0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0xb7, 0, 1, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0,           /* entry, program headers */
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 56, 0, /* sections; sizes */
        1, 0, 0, 0, 0, 0, 0, 0,
        /* 64: PT_NOTE at 120, 52 bytes, aligned to 4 */
        4, 0, 0, 0, 4, 0, 0, 0, 120, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 52, 0, 0, 0, 0, 0, 0, 0, 52, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
        /* 120: GNU, type 1 (ABI tag), 16 bytes, then GNU, type 3, 4 bytes */
        4, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 0, 0, 0, 0, 3, 0, 0, 0, 7, 0, 0, 0,
        0, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xde, 0xad, 0xbe, 0xef};

/* ELF32 big-endian relocatable: a SHT_NOTE section with a build-id of 24 bytes. */
static const uint8_t elf32[] = {
        0x7f, 'E', 'L', 'F', 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 40, 0, 0, 0, 1, 0, 0, 0,
        0, 0, 0, 0, 0, /* type .. program headers */
        0, 0, 0, 52, 0, 0, 0, 0, 0, 52, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0,
        /* 52: SHT_NOTE at 92, 40 bytes */
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
	status = spemu_elf_build_id(id, &id_size, fd);
	close(fd);
	return status;
}

static void program_headers_are_searched(void **state)
{
	(void)state;
	assert_int_equal(of_bytes(elf64, sizeof(elf64)), SPEMU_OK);
	assert_int_equal(id_size, 4);
	assert_memory_equal(id, "\xde\xad\xbe\xef", 4);
}

static void sections_of_the_other_kind_and_order_too(void **state)
{
	(void)state;
	assert_int_equal(of_bytes(elf32, sizeof(elf32)), SPEMU_OK);
	assert_int_equal(id_size, 20); /* cut */
	for (int i = 0; i < 20; i++)
		assert_int_equal(id[i], i + 1);
}

static void what_has_none_says_so(void **state)
{
	uint8_t other[sizeof(elf64)];

	(void)state;
	memcpy(other, elf64, sizeof(elf64));
	other[120 + 32 + 8] = 4; /* note type */
	assert_int_equal(of_bytes(other, sizeof(other)), SPEMU_ERR_END);
	memcpy(other, elf64, sizeof(elf64));
	other[120 + 32 + 12] = 'X'; /* note's owner */
	assert_int_equal(of_bytes(other, sizeof(other)), SPEMU_ERR_END);
	other[64] = 1; /* PT_LOAD */
	assert_int_equal(of_bytes(other, sizeof(other)), SPEMU_ERR_END);
	assert_int_equal(of_bytes((const uint8_t *)"#!/bin/sh and more text", 23),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(of_bytes(elf64, 0), SPEMU_ERR_INVALID);
	other[4] = 3;
	assert_int_equal(of_bytes(other, sizeof(other)), SPEMU_ERR_CORRUPT);
	assert_int_equal(spemu_elf_build_id(id, &id_size, -1), SPEMU_ERR_IO);
}

static void cut_files_are_refused(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(elf64); size++)
		assert_int_equal(of_bytes(elf64, size),
		                 size < 16 ? SPEMU_ERR_INVALID : SPEMU_ERR_CORRUPT);
	/* All but what is cut off the build-id anyway. */
	for (size_t size = 0; size < sizeof(elf32) - 4; size++)
		assert_int_equal(of_bytes(elf32, size),
		                 size < 16 ? SPEMU_ERR_INVALID : SPEMU_ERR_CORRUPT);
}

static void changed_files_end(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(program_headers_are_searched),
	        cmocka_unit_test(sections_of_the_other_kind_and_order_too),
	        cmocka_unit_test(what_has_none_says_so),
	        cmocka_unit_test(cut_files_are_refused),
	        cmocka_unit_test(changed_files_end),
	};
	return cmocka_run_group_tests_name("ELF notes", tests, NULL, NULL);
}
