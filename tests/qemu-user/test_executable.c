/* SPDX-License-Identifier: MIT */
/*
 * Test which program a path names. The expected values come from execve(2), elf(5) and symlink(7).
 * cli_sysroot compares the first lines of scripts with the kernel.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "executable.h"

static char folder[] = "/tmp/spemu-executable-XXXXXX";
static char name[2][128]; /* results of in_folder() and in_root() */

static const char *in_folder(const char *file)
{
	snprintf(name[0], sizeof(name[0]), "%s/%s", folder, file);
	return name[0];
}

static void put(const char *path, const void *bytes, size_t size, unsigned mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text), 0755);
}

static void make_header(uint8_t header[64], uint8_t class, uint8_t data, uint16_t machine)
{
	const uint8_t start[16] = {0x7f, 'E', 'L', 'F', class, data, 1};

	memset(header, 0, 64);
	memcpy(header, start, sizeof(start));
	header[16] = 2; /* ET_EXEC */
	header[18] = (uint8_t)machine;
	header[19] = (uint8_t)(machine >> 8);
}

static void put_program(const char *path)
{
	uint8_t header[64];

	make_header(header, 2, 1, 183);
	put(path, header, sizeof(header), 0755);
}

static enum executable_kind of_bytes(const void *bytes, size_t size, unsigned mode)
{
	char head[EXECUTABLE_LINE + 1];

	put(in_folder("file"), bytes, size, mode);
	return executable_kind(in_folder("file"), head);
}

static enum executable_kind of_header(uint8_t class, uint8_t data, uint16_t machine, unsigned mode)
{
	uint8_t header[64];

	make_header(header, class, data, machine);
	return of_bytes(header, sizeof(header), mode);
}

static void elf_files(void **state)
{
	(void)state;
	for (unsigned machine = 0; machine < 65536; machine += machine < 512 ? 1 : 251)
		assert_int_equal(of_header(2, 1, (uint16_t)machine, 0755),
		                 machine == 183 ? EXECUTABLE_AARCH64 : EXECUTABLE_OTHER);
	assert_int_equal(of_header(2, 1, 183 << 8, 0755), EXECUTABLE_OTHER);
	assert_int_equal(of_header(1, 1, 183, 0755), EXECUTABLE_OTHER); /* 32 bits */
	assert_int_equal(of_header(2, 2, 183, 0755), EXECUTABLE_OTHER); /* big-endian */
	assert_int_equal(of_header(2, 1, 183, 0644), EXECUTABLE_OTHER);
	assert_int_equal(of_header(2, 1, 183, 04755), EXECUTABLE_OTHER); /* set-user-ID */
	assert_int_equal(of_header(2, 1, 183, 02755), EXECUTABLE_OTHER);
}

static void short_files(void **state)
{
	static const uint8_t header[20] = {0x7f, 'E', 'L', 'F', 2, 1, 1, [18] = 183};

	(void)state;
	for (size_t size = 0; size <= sizeof(header); size++)
		assert_int_equal(of_bytes(header, size, 0755),
		                 size == sizeof(header) ? EXECUTABLE_AARCH64 : EXECUTABLE_OTHER);
}

static void scripts(void **state)
{
	(void)state;
	assert_int_equal(of_bytes("#!/bin/sh\n", 10, 0755), EXECUTABLE_SCRIPT);
	assert_int_equal(of_bytes("#!x", 3, 0755), EXECUTABLE_SCRIPT);
	assert_int_equal(of_bytes("#!", 2, 0755), EXECUTABLE_OTHER); /* without an interpreter */
	assert_int_equal(of_bytes("# /bin/sh\n", 10, 0755), EXECUTABLE_OTHER);
	assert_int_equal(of_bytes("!!/bin/sh\n", 10, 0755), EXECUTABLE_OTHER);
}

/* Write a chain of scripts: each names the next one as its interpreter, and the last one names the
 * program. */
static void put_chain(unsigned length)
{
	char line[256], file[32];

	for (unsigned i = 0; i < length; i++) {
		char next[32];

		snprintf(file, sizeof(file), "script%u", i);
		snprintf(next, sizeof(next), i + 1 < length ? "script%u" : "program", i + 1);
		snprintf(line, sizeof(line), "#! %s -%u\n", in_folder(next), i);
		put_text(in_folder(file), line);
	}
}

static void chains(void **state)
{
	struct executable e;
	char path[128];

	(void)state;
	put_program(in_folder("program"));
	put_chain(5);
	snprintf(path, sizeof(path), "%s", in_folder("script0"));
	assert_true(executable_resolve(&e, path, NULL));
	assert_string_equal(e.file, in_folder("program"));
	assert_int_equal(e.words, 11);
	assert_string_equal(e.word[0], in_folder("program"));
	assert_string_equal(e.word[1], "-4");
	assert_string_equal(e.word[2], in_folder("script4"));
	assert_string_equal(e.word[9], "-0");
	assert_string_equal(e.word[10], path);
	put_chain(6);
	assert_false(executable_resolve(&e, path, NULL));
	assert_true(executable_resolve(&e, in_folder("script1"), NULL));
	assert_true(executable_resolve(&e, in_folder("program"), NULL));
	assert_int_equal(e.words, 0);
}

/* Return the path in the sysroot, which is the folder "root", of a file in the folder. */
static const char *in_root(const char *file)
{
	snprintf(name[1], sizeof(name[1]), "%s/root%s/%s", folder, folder, file);
	return name[1];
}

static void sysroot(void **state)
{
	struct executable e;
	char root[128], target[256];

	(void)state;
	snprintf(root, sizeof(root), "%s/root", folder);
	assert_int_equal(mkdir(root, 0755), 0);
	assert_int_equal(mkdir(in_folder("root/tmp"), 0755), 0);
	assert_int_equal(mkdir(in_root(""), 0755), 0);

	/* A program that only the sysroot has, and one that both have. */
	put_program(in_root("away"));
	assert_true(executable_resolve(&e, in_folder("away"), root));
	assert_string_equal(e.file, in_root("away"));
	assert_true(executable_exists(in_folder("away"), root));
	assert_false(executable_exists(in_folder("away"), NULL));
	assert_false(executable_exists(in_folder("nowhere"), root));
	put_text(in_folder("both"), "neither ELF nor script");
	put_program(in_root("both"));
	assert_true(executable_resolve(&e, in_folder("both"), root));
	assert_string_equal(e.file, in_root("both"));
	assert_false(executable_resolve(&e, in_folder("both"), NULL));
	put_program(in_folder("both"));
	assert_true(executable_resolve(&e, in_folder("both"), root));
	assert_string_equal(e.file, in_folder("both"));

	/* An absolute link in the sysroot leads into the sysroot, although its target is here,
	 * too. */
	put_text(in_folder("target"), "neither ELF nor script");
	put_program(in_root("target"));
	snprintf(target, sizeof(target), "%s", in_folder("target"));
	assert_int_equal(symlink(target, in_root("link")), 0);
	assert_true(executable_resolve(&e, in_folder("link"), root));
	assert_string_equal(e.file, in_root("target"));

	/* One folder here may be two in the sysroot. */
	assert_int_equal(mkdir(in_folder("root/bin"), 0755), 0);
	put_program(in_folder("root/bin/spemu-program"));
	assert_true(executable_resolve(&e, "/usr/bin/spemu-program", root));
	assert_string_equal(e.file, in_folder("root/bin/spemu-program"));
	assert_false(executable_exists("/usr/sbin/spemu-program", root));
	put_text(in_folder("root/bin/spemu-script"), "#!/usr/bin/spemu-program\n");
	assert_true(executable_resolve(&e, "/bin/spemu-script", root));
	assert_false(executable_resolve(&e, "/usr/bin/spemu-script", root));

	/* The interpreter of a script of this machine is in the sysroot. The script keeps its
	 * name. */
	snprintf(target, sizeof(target), "#!%s -x\n", in_folder("away"));
	put_text(in_folder("script"), target);
	snprintf(target, sizeof(target), "%s", in_folder("script"));
	assert_true(executable_resolve(&e, target, root));
	assert_string_equal(e.file, in_root("away"));
	assert_int_equal(e.words, 3);
	assert_string_equal(e.word[0], in_folder("away"));
	assert_string_equal(e.word[1], "-x");
	assert_ptr_equal(e.word[2], target);
}

static int make_folder(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(elf_files), cmocka_unit_test(short_files),
	        cmocka_unit_test(scripts),   cmocka_unit_test(chains),
	        cmocka_unit_test(sysroot),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
