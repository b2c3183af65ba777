/* SPDX-License-Identifier: MIT */
/* The file of a module. Distributions compress modules; the program that compresses them
 * uncompresses them here. */
#define _GNU_SOURCE
#include "../base/content.h"
#include "../base/find.h"
#include "../base/program.h"
#include "vm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE_MAX (256 << 20) /* largest size in bytes */
#define REMEDY "name the kernel's build tree with --modules"

static const struct compression {
	const char *suffix, *program;
} compressions[] = {{".xz", "xz"}, {".zst", "zstd"}, {".gz", "gzip"}};

#define COMPRESSIONS (sizeof(compressions) / sizeof(compressions[0]))

static const struct compression *compression_of(const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < COMPRESSIONS; i++) {
		size_t n = strlen(compressions[i].suffix);

		if (length > n && !strcmp(path + length - n, compressions[i].suffix))
			return &compressions[i];
	}
	return NULL;
}

char *vm_module_find(char *path)
{
	char *found = path_or_null(xstrdup(path));

	for (size_t i = 0; !found && i < COMPRESSIONS; i++)
		found = path_or_null(xasprintf("%s%s", path, compressions[i].suffix));
	free(path);
	return found;
}

static char *uncompressed(const struct compression *c, const char *path, int file, size_t *size)
{
	char *program = find_in_path(c->program), *data = NULL;
	const char *argv[] = {program, "-dc", NULL};
	int output, status;
	pid_t pid;

	if (!program)
		die(EXIT_OWN,
		    "the module %s is compressed, and '%s' is not in PATH; install it, or " REMEDY,
		    path, c->program);
	status = program_start(&pid, &output, argv, file);
	if (!status)
		data = read_content(output, size, MODULE_MAX);
	close(output);
	if (!data || !program_ends_well(pid))
		die(EXIT_OWN, "%s cannot uncompress the module %s; " REMEDY, program, path);
	free(program);
	return data;
}

char *vm_module_content(const char *path, size_t *size)
{
	const struct compression *c = compression_of(path);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char *data = NULL;

	if (file >= 0)
		data = c ? uncompressed(c, path, file, size) : read_content(file, size, MODULE_MAX);
	if (!data)
		die(EXIT_OWN, "cannot read the module %s: %s; " REMEDY, path, strerror(errno));
	close(file);
	return data;
}
