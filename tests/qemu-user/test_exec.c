/* SPDX-License-Identifier: MIT */
/*
 * Test how the plugin classifies the file of an exec. The function is private to
 * hosts/qemu-user/exec.c, so this file includes it. The expected values come from execve(2) and
 * elf(5).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "exec.c"

struct process process;

static char path[] = "/tmp/spemu-exec-XXXXXX";

static enum image of_bytes(const void *bytes, size_t size, unsigned mode)
{
	char head[64];
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	return look(path, head, sizeof(head));
}

static enum image of_header(uint8_t class, uint8_t data, uint16_t machine, unsigned mode)
{
	uint8_t header[64] = {0x7f, 'E', 'L', 'F', class, data, 1};

	header[16] = 2; /* ET_EXEC */
	header[18] = (uint8_t)machine;
	header[19] = (uint8_t)(machine >> 8);
	return of_bytes(header, sizeof(header), mode);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void elf_files(void **state)
{
	(void)state;
	for (unsigned machine = 0; machine < 65536; machine += machine < 512 ? 1 : 251)
		assert_int_equal(of_header(2, 1, (uint16_t)machine, 0755),
		                 machine == 183 ? IMAGE_AARCH64 : IMAGE_OTHER);
	assert_int_equal(of_header(2, 1, 183 << 8, 0755), IMAGE_OTHER);
	assert_int_equal(of_header(1, 1, 183, 0755), IMAGE_OTHER); /* 32 bits */
	assert_int_equal(of_header(2, 2, 183, 0755), IMAGE_OTHER); /* big-endian */
	assert_int_equal(of_header(2, 1, 183, 0644), IMAGE_OTHER);
	assert_int_equal(of_header(2, 1, 183, 04755), IMAGE_OTHER); /* set-user-ID */
	assert_int_equal(of_header(2, 1, 183, 02755), IMAGE_OTHER);
}

static void short_files(void **state)
{
	static const uint8_t header[20] = {0x7f, 'E', 'L', 'F', 2, 1, 1, [18] = 183};

	(void)state;
	for (size_t size = 0; size <= sizeof(header); size++)
		assert_int_equal(of_bytes(header, size, 0755),
		                 size == sizeof(header) ? IMAGE_AARCH64 : IMAGE_OTHER);
}

static void scripts(void **state)
{
	(void)state;
	assert_int_equal(of_bytes("#!/bin/sh\n", 10, 0755), IMAGE_SCRIPT);
	assert_int_equal(of_bytes("#!x", 3, 0755), IMAGE_SCRIPT);
	assert_int_equal(of_bytes("#!", 2, 0755), IMAGE_OTHER); /* without an interpreter */
	assert_int_equal(of_bytes("# /bin/sh\n", 10, 0755), IMAGE_OTHER);
	assert_int_equal(of_bytes("!!/bin/sh\n", 10, 0755), IMAGE_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(elf_files),
	        cmocka_unit_test(short_files),
	        cmocka_unit_test(scripts),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
